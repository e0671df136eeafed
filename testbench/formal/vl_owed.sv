// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_vl_owed: no credit is lost and none is made up, one leaves in a cycle while any is
/// owed, those freed in this cycle too, of the first lane at or after the pointer; so a lane that
/// is owed one waits for at most NumVls - 1 others.
module harness #(
  parameter int unsigned NumVls    = 3,
  parameter int unsigned CountBits = 3
) (
  input wire logic                        clk_i,
  input wire logic                        rst_ni,
  input wire logic [NumVls*CountBits-1:0] free_i
);

  localparam int unsigned Bits = CountBits + 2;
  localparam int unsigned VlBits = $clog2(NumVls) + 1;

  logic [NumVls-1:0] credit;
  logic              empty;

  polycast_vl_owed #(.NumVls(NumVls), .CountBits(CountBits)) dut (
    .clk_i, .rst_ni, .free_i, .credit_o(credit), .empty_o(empty)
  );

  (* probe = "dut.owed_q" *) wire [NumVls*CountBits-1:0] owed;
  (* probe = "dut.mask_q" *) wire [NumVls-1:0] mask;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb if (first_q) assume (!rst_ni);

  // Chunks of each lane: in use at the other end's count are all that are not free again there.
  logic [NumVls*Bits-1:0] truth_q;
  logic [NumVls-1:0]      owing, expected;
  logic [VlBits-1:0]      pointer, distance;

  // One lane, any: how many credits of others have left since it is owed one.
  (* anyconst *) logic [VlBits-1:0] who;
  logic [VlBits-1:0] others_q;
  always_comb assume (who < VlBits'(NumVls));

  always_comb begin
    pointer = '0;
    for (int v = NumVls - 1; v >= 0; v--) if (mask[v]) pointer = VlBits'(v);
    distance = who >= pointer ? who - pointer : VlBits'(NumVls) - pointer + who;
    for (int unsigned v = 0; v < NumVls; v++) begin
      owing[v] = truth_q[v*Bits+:Bits] != '0 || free_i[v*CountBits+:CountBits] != '0;
      // A buffer has fewer chunks than the counter can count.
      assume (truth_q[v*Bits+:Bits] + Bits'(free_i[v*CountBits+:CountBits]) <
          Bits'(1 << CountBits));
    end
    expected = '0;
    for (int v = NumVls - 1; v >= 0; v--) if (owing[v]) expected = NumVls'(1) << v;
    for (int v = NumVls - 1; v >= 0; v--) if (owing[v] && mask[v]) expected = NumVls'(1) << v;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVls; v++) begin
      truth_q[v*Bits+:Bits] <= !rst_ni ? '0 : truth_q[v*Bits+:Bits] +
          Bits'(free_i[v*CountBits+:CountBits]) - Bits'(credit[v]);
    end
    others_q <= !rst_ni || !owing[who] || credit[who] ? '0 : others_q + 1'b1;
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      for (int unsigned v = 0; v < NumVls; v++) begin
        assert (Bits'(owed[v*CountBits+:CountBits]) == truth_q[v*Bits+:Bits]);
      end
      assert (credit == expected && empty == (truth_q == '0));
      assert ((~mask & (~mask + 1'b1)) == '0);
      if (owing[who]) begin
        assert (others_q < VlBits'(NumVls));
        assert (others_q + distance < VlBits'(NumVls));
      end
      cover (truth_q == '0 && free_i != '0 && owing == '1);
      cover (owing[who] && credit[who] && others_q == VlBits'(NumVls - 1));
      cover (truth_q[0+:Bits] == Bits'((1 << CountBits) - 1));
    end
  end

endmodule

`default_nettype wire
