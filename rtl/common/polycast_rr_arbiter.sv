// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Grants one of several requests in the same cycle: round-robin or lowest first.
///
/// The pointer (a mask, see `polycast_rr_pick`) moves past each winner, and only by a grant in
/// round-robin order.
module polycast_rr_arbiter #(
  /// Requesters, 2 or more.
  parameter int unsigned NumReq = 8
) (
  /// Clock.
  input  wire logic              clk_i,
  /// Asynchronous reset, active low: the pointer goes to requester 0.
  input  wire logic              rst_ni,
  /// 1: the lowest request wins and the pointer stays.
  input  wire logic              fixed_i,
  /// Requests.
  input  wire logic [NumReq-1:0] req_i,
  /// The granted request, one-hot; zero if there is none.
  output logic      [NumReq-1:0] gnt_o
);

  logic [NumReq-1:0] mask_q, mask_d, behind;

  // Without a pointer the lowest is the first.
  polycast_rr_pick #(
    .NumReq(NumReq)
  ) i_pick (
    .mask_i  (fixed_i ? '0 : mask_q),
    .req_i,
    .gnt_o,
    .behind_o(behind)
  );

  assign mask_d = (!fixed_i && req_i != '0) ? behind : mask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mask_q <= '0;
    else         mask_q <= mask_d;
  end

`ifndef SYNTHESIS
  GrantIsOneHot: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(gnt_o))
    else $error("more than one grant");
  GrantWasRequested: assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_o & ~req_i) == '0)
    else $error("grant without a request");
  RequestIsGranted:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (req_i == '0) == (gnt_o == '0))
    else $error("requests, but no grant");
`endif

endmodule

`default_nettype wire
