// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_multi_arbiter: at most NumGrants grants, only requested ones, no place wasted, the
/// first ones at or after the pointer, each with one place of its own; a request waits at most
/// floor((NumReq - 1) / NumGrants) cycles.
module harness #(
  parameter int unsigned NumReq    = 5,
  parameter int unsigned NumGrants = 2
) (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic [NumReq-1:0] req_i
);

  localparam int unsigned Bits    = $clog2(2 * NumReq) + 1;
  localparam int unsigned PtrBits = $clog2(NumReq);

  logic [NumReq-1:0]           gnt;
  logic [NumGrants*NumReq-1:0] place;

  polycast_multi_arbiter #(.NumReq(NumReq), .NumGrants(NumGrants)) dut (
    .clk_i, .rst_ni, .req_i, .gnt_o(gnt), .place_o(place)
  );

  (* probe = "dut.ptr_q" *) wire [PtrBits-1:0] pointer;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb if (first_q) assume (!rst_ni);

  // One requester, any.
  (* anyconst *) logic [PtrBits-1:0] who;
  always_comb assume (Bits'(who) < Bits'(NumReq));

  // Cycles that it has waited, times NumGrants: every such cycle served that many others between
  // the pointer and it.
  logic [Bits-1:0] others_q, distance, before, served, places;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !req_i[who] || gnt[who]) others_q <= '0;
    else                                    others_q <= others_q + Bits'(NumGrants);
  end

  always_comb begin
    distance = (who >= pointer) ? Bits'(who) - Bits'(pointer) : Bits'(NumReq) - Bits'(pointer) +
        Bits'(who);
    // Requests ahead of it, and all grants.
    before = '0;
    served = '0;
    places = '0;
    for (int unsigned r = 0; r < NumReq; r++) begin
      if (req_i[r] && (who >= pointer ? (PtrBits'(r) >= pointer && PtrBits'(r) < who)
                                      : (PtrBits'(r) >= pointer || PtrBits'(r) < who))) before =
                                          before + 1'b1;
      served = served + Bits'(gnt[r]);
    end
    for (int unsigned g = 0; g < NumGrants; g++) places = places + Bits'(place[g*NumReq+who]);
  end

  always_comb begin
    if (!first_q) begin
      assert (Bits'(pointer) < Bits'(NumReq));
      if (rst_ni && req_i[who]) begin
        assert (others_q < Bits'(NumReq));
        assert (others_q + distance < Bits'(NumReq));
      end
    end
    if (rst_ni) begin
      assert (served <= Bits'(NumGrants));
      assert ((gnt & ~req_i) == '0);
      assert (gnt == req_i || served == Bits'(NumGrants));
      assert (gnt[who] == (req_i[who] && before < Bits'(NumGrants)));
      // A place of its own for each grant.
      assert (places == Bits'(gnt[who]));
      for (int unsigned g = 0; g < NumGrants; g++) begin
        assert ((place[g*NumReq+:NumReq] & (place[g*NumReq+:NumReq] - 1'b1)) == '0);
      end
      cover (others_q == Bits'((NumReq - 1) / NumGrants * NumGrants) && req_i[who] && gnt[who]);
      cover (served == Bits'(NumGrants) && gnt != req_i);
    end
  end

endmodule

`default_nettype wire
