// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The first request at or after a pointer, cyclic. Combinational: whoever keeps the pointer moves
/// it.
///
/// The pointer is a mask of the requesters at or after it, a run of ones at the top; all zero and
/// all one both mean pointer 0.
module polycast_rr_pick #(
  /// Requesters, 1 or more.
  parameter int unsigned NumReq = 8
) (
  /// The pointer.
  input  wire logic [NumReq-1:0] mask_i,
  /// Requests.
  input  wire logic [NumReq-1:0] req_i,
  /// The one that is picked, one-hot; zero if there is none.
  output logic      [NumReq-1:0] gnt_o,
  /// The pointer behind it; of use if there is one.
  output logic      [NumReq-1:0] behind_o
);

  logic [NumReq-1:0] masked, chosen_from;

  always_comb begin
    masked      = req_i & mask_i;
    chosen_from = (masked == '0) ? req_i : masked;
    gnt_o       = chosen_from & (~chosen_from + NumReq'(1));
    behind_o    = ~(gnt_o | (gnt_o - NumReq'(1)));
  end

endmodule

`default_nettype wire
