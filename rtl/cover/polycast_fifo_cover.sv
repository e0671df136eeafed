// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of a queue.
module polycast_fifo_cover #(
  /// Entries.
  parameter int unsigned Depth     = 2,
  /// Bits of a number of entries.
  parameter int unsigned CountBits = $clog2(Depth + 1),
  /// Bits of the number of an entry.
  parameter int unsigned PtrBits   = 1
) (
  /// Clock.
  input wire logic                 clk_i,
  /// Asynchronous reset, active low.
  input wire logic                 rst_ni,
  /// Signals of polycast_fifo, here and below.
  input wire logic                 push_i,
  input wire logic                 pop_i,
  input wire logic [PtrBits-1:0]   write_q,
  input wire logic [CountBits-1:0] count_q
);

  WriterTurns:
      cover property (@(posedge clk_i) disable iff (!rst_ni) push_i &&
          write_q == PtrBits'(Depth - 1));
  PushesAndPops: cover property (@(posedge clk_i) disable iff (!rst_ni) push_i && pop_i);
  SeveralInside: cover property (@(posedge clk_i) disable iff (!rst_ni) count_q > CountBits'(1));

endmodule

bind polycast_fifo polycast_fifo_cover #(
  .Depth    (Depth),
  .CountBits(CountBits),
  .PtrBits  (PtrBits)
) i_cover (
  .*
);

`default_nettype wire
