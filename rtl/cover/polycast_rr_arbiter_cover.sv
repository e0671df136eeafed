// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of the round-robin arbiter.
module polycast_rr_arbiter_cover #(
  /// Requesters.
  parameter int unsigned NumReq = 8
) (
  /// Clock.
  input wire logic              clk_i,
  /// Asynchronous reset, active low.
  input wire logic              rst_ni,
  /// Signals of polycast_rr_arbiter, here and below.
  input wire logic              fixed_i,
  input wire logic [NumReq-1:0] req_i,
  input wire logic [NumReq-1:0] mask_q
);

  OneRequest: cover property (@(posedge clk_i) disable iff (!rst_ni) $onehot(req_i));
  SeveralRequests: cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(req_i) > 1);
  AllRequest: cover property (@(posedge clk_i) disable iff (!rst_ni) req_i == '1);
  LowestOfSeveral:
      cover property (@(posedge clk_i) disable iff (!rst_ni) fixed_i && $countones(req_i) > 1);
  PointerTurns: cover property (@(posedge clk_i) disable iff (!rst_ni)
      !fixed_i && req_i != '0 && mask_q != '0 && (req_i & mask_q) == '0);

endmodule

bind polycast_rr_arbiter polycast_rr_arbiter_cover #(
  .NumReq(NumReq)
) i_cover (
  .*
);

`default_nettype wire
