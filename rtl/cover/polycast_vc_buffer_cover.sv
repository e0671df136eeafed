// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of a virtual channel's buffer: its ring turns, is full, and copies are read behind
/// its oldest flit.
module polycast_vc_buffer_cover #(
  /// Flits.
  parameter int unsigned VcFlits   = 8,
  /// Bits of a number of flits.
  parameter int unsigned CountBits = $clog2(VcFlits + 1),
  /// Bits of the place of a flit.
  parameter int unsigned SlotBits  = 3
) (
  /// Clock.
  input wire logic                 clk_i,
  /// Asynchronous reset, active low.
  input wire logic                 rst_ni,
  /// Signals of polycast_vc_buffer, here and below.
  input wire logic                 store_i,
  input wire logic                 free_i,
  input wire logic [CountBits-1:0] position_i,
  input wire logic [SlotBits-1:0]  write_q,
  input wire logic [SlotBits-1:0]  oldest_q,
  input wire logic [CountBits-1:0] count_q
);

  localparam logic [SlotBits-1:0] Last = SlotBits'(VcFlits - 1);

  WriterTurns: cover property (@(posedge clk_i) disable iff (!rst_ni) store_i && write_q == Last);
  OldestTurns: cover property (@(posedge clk_i) disable iff (!rst_ni) free_i && oldest_q == Last);
  Full: cover property (@(posedge clk_i) disable iff (!rst_ni) count_q == CountBits'(VcFlits));
  StoresAndFrees: cover property (@(posedge clk_i) disable iff (!rst_ni) store_i && free_i);
  ReadsBehindOldest: cover property (@(posedge clk_i) disable iff (!rst_ni) position_i != '0);

endmodule

bind polycast_vc_buffer polycast_vc_buffer_cover #(
  .VcFlits  (VcFlits),
  .CountBits(CountBits),
  .SlotBits (SlotBits)
) i_cover (
  .*
);

`default_nettype wire
