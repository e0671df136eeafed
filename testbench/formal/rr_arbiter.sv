// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_rr_arbiter: one-hot and requested grants, work conserving, no starvation within NumReq
/// round-robin grants, the order of both modes.
module harness #(
  parameter int unsigned NumReq = 5
) (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic              fixed_i,
  input wire logic [NumReq-1:0] req_i
);

  localparam int unsigned Bits = $clog2(2 * NumReq);

  logic [NumReq-1:0] gnt;

  polycast_rr_arbiter #(.NumReq(NumReq)) dut (.clk_i, .rst_ni, .fixed_i, .req_i, .gnt_o(gnt));

  (* probe = "dut.mask_q" *) wire [NumReq-1:0] mask;

  // Reset is low in the first cycle, and may come again at any time.
  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb if (first_q) assume (!rst_ni);

  // One requester, any: how many round-robin grants have passed it by since its request rose?
  (* anyconst *) logic [Bits-1:0] who;
  logic [Bits-1:0] passed_by_q;
  always_comb assume (who < Bits'(NumReq));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !req_i[who] || gnt[who]) passed_by_q <= '0;
    else if (!fixed_i)                      passed_by_q <= passed_by_q + 1'b1;
  end

  // Places from the pointer on to `who`, cyclic: 0 is next. The pointer is the lowest bit of the
  // mask.
  logic [Bits-1:0] pointer, distance;
  always_comb begin
    pointer = '0;
    for (int r = NumReq - 1; r >= 0; r--) if (mask[r]) pointer = Bits'(r);
    distance = (who >= pointer) ? who - pointer : Bits'(NumReq) - pointer + who;
  end

  // The page: the first request at or after the pointer, cyclic, and the lowest.
  logic [NumReq-1:0] expected, lowest;
  always_comb begin
    expected = '0;
    lowest   = '0;
    for (int r = NumReq - 1; r >= 0; r--) if (req_i[r]) lowest = NumReq'(1) << r;
    for (int k = NumReq - 1; k >= 0; k--) begin
      for (int r = 0; r < NumReq; r++) begin
        if (req_i[r] &&
            ((r >= k && pointer == Bits'(r - k)) ||
            (r < k && pointer == Bits'(r + NumReq - k)))) begin
          expected = NumReq'(1) << r;
        end
      end
    end
  end

  always_comb begin
    if (!first_q) begin
      // The mask is a run of ones at the top: what the proof of the bound rests on.
      assert ((~mask & (~mask + 1'b1)) == '0);
      if (rst_ni && req_i[who]) begin
        assert (passed_by_q < Bits'(NumReq));
        assert (passed_by_q + distance < Bits'(NumReq));
      end
    end
    if (rst_ni) begin
      assert ((gnt & (gnt - 1'b1)) == '0);
      assert ((gnt & ~req_i) == '0);
      assert ((gnt != '0) == (req_i != '0));
      if (fixed_i) assert (gnt == lowest);
      else         assert (gnt == expected);
      // No starvation: at the latest the NumReq-th grant is its own.
      if (!first_q && req_i[who] && !fixed_i && passed_by_q == Bits'(NumReq - 1)) assert (gnt[who]);
      cover (passed_by_q == Bits'(NumReq - 1) && gnt[who] && who == Bits'(NumReq - 2));
      cover (fixed_i && gnt[NumReq-1]);
    end
  end

endmodule

`default_nettype wire
