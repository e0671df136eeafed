// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// First-in, first-out queue; what is pushed can be popped one cycle later. The memory is not
/// reset.
module polycast_fifo #(
  /// Bits of an entry.
  parameter int unsigned Width = 8,
  /// Entries, 2 or more, not necessarily a power of two.
  parameter int unsigned Depth = 4
) (
  /// Clock.
  input  wire logic             clk_i,
  /// Asynchronous reset, active low: the queue is empty.
  input  wire logic             rst_ni,
  /// Appends `data_i`; not allowed while full.
  input  wire logic             push_i,
  /// Entry to append.
  input  wire logic [Width-1:0] data_i,
  /// Takes the oldest entry; not allowed while empty.
  input  wire logic             pop_i,
  /// There is an entry.
  output logic                  valid_o,
  /// The oldest entry; undefined while there is none.
  output logic      [Width-1:0] data_o
);

  localparam int unsigned PtrBits   = $clog2(Depth);
  localparam int unsigned CountBits = $clog2(Depth + 1);

  logic [Width-1:0]     mem_q [Depth];
  logic [PtrBits-1:0]   write_q, read_q;
  logic [CountBits-1:0] count_q;

  assign valid_o = count_q != '0;
  assign data_o  = mem_q[read_q];

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[write_q] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      if (push_i) write_q <= (write_q == PtrBits'(Depth - 1)) ? '0 : write_q + PtrBits'(1);
      if (pop_i)  read_q  <= (read_q  == PtrBits'(Depth - 1)) ? '0 : read_q + PtrBits'(1);
      if (push_i && !pop_i) count_q <= count_q + CountBits'(1);
      if (pop_i && !push_i) count_q <= count_q - CountBits'(1);
    end
  end

`ifndef SYNTHESIS
  NoPushWhileFull:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(push_i &&
          count_q == CountBits'(Depth)))
    else $error("push into a full queue");
  NoPopWhileEmpty:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && count_q == '0))
    else $error("pop from an empty queue");
`endif

endmodule

`default_nettype wire
