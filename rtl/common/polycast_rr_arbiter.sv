// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Grants one of several requests in the same cycle: round-robin or lowest first.
///
/// The pointer is kept as a mask of the requesters at or after it (all zero and all one both mean pointer 0); it moves
/// past each winner, and only by a grant in round-robin order.
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

  logic [NumReq-1:0] mask_q, mask_d;
  logic [NumReq-1:0] masked, chosen_from;

  always_comb begin
    masked      = req_i & mask_q;
    chosen_from = (fixed_i || masked == '0) ? req_i : masked;
    gnt_o       = chosen_from & (~chosen_from + NumReq'(1));
    mask_d      = mask_q;
    if (!fixed_i && req_i != '0) mask_d = ~(gnt_o | (gnt_o - NumReq'(1)));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mask_q <= '0;
    else         mask_q <= mask_d;
  end

`ifndef SYNTHESIS
  GrantIsOneHot: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(gnt_o))
    else $error("more than one grant");
  GrantWasRequested: assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_o & ~req_i) == '0)
    else $error("grant without a request");
  RequestIsGranted: assert property (@(posedge clk_i) disable iff (!rst_ni) (req_i == '0) == (gnt_o == '0))
    else $error("requests, but no grant");
`endif

endmodule

`default_nettype wire
