// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Where the flits of one virtual channel lie in its buffer, a ring, and how many there are. The
/// flits themselves are in the memory of the input port.
module polycast_vc_buffer #(
  /// Flits of the buffer, 1 or more.
  parameter int unsigned VcFlits   = 8,
  /// Bits of a place in the buffer; derived, do not set.
  parameter int unsigned SlotBits  = VcFlits > 1 ? $clog2(VcFlits) : 1,
  /// Bits of a number of flits; derived, do not set.
  parameter int unsigned CountBits = $clog2(VcFlits + 1)
) (
  /// Clock.
  input  wire logic                 clk_i,
  /// Asynchronous reset, active low: the buffer is empty.
  input  wire logic                 rst_ni,
  /// A flit is stored; not allowed while the buffer is full.
  input  wire logic                 store_i,
  /// The oldest flit leaves; not allowed while the buffer is empty.
  input  wire logic                 free_i,
  /// The flit to be read, counted from the oldest; less than there are flits.
  input  wire logic [CountBits-1:0] position_i,
  /// Place of the flit to be stored.
  output logic      [SlotBits-1:0]  write_slot_o,
  /// Place of the flit to be read.
  output logic      [SlotBits-1:0]  read_slot_o,
  /// Flits in the buffer, registered.
  output logic      [CountBits-1:0] occupied_o
);

  localparam int unsigned SumBits = CountBits + 1;

  logic [SlotBits-1:0]  write_q, oldest_q;
  logic [CountBits-1:0] count_q;
  logic [SumBits-1:0]   place;

  assign write_slot_o = write_q;
  assign occupied_o   = count_q;

  always_comb begin
    place = SumBits'(oldest_q) + SumBits'(position_i);
    if (place >= SumBits'(VcFlits)) place = place - SumBits'(VcFlits);
    read_slot_o = place[SlotBits-1:0];
  end

  logic unused;
  assign unused = ^place;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q  <= '0;
      oldest_q <= '0;
      count_q  <= '0;
    end else begin
      if (store_i) write_q  <= (write_q == SlotBits'(VcFlits - 1)) ? '0 : write_q + SlotBits'(1);
      if (free_i)  oldest_q <= (oldest_q == SlotBits'(VcFlits - 1)) ? '0 : oldest_q + SlotBits'(1);
      if (store_i && !free_i) count_q <= count_q + CountBits'(1);
      if (free_i && !store_i) count_q <= count_q - CountBits'(1);
    end
  end

`ifndef SYNTHESIS
  NoStoreWhileFull: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(store_i &&
          count_q == CountBits'(VcFlits))) else $error("a flit is stored in a full buffer");
  NoFreeWhileEmpty:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(free_i && count_q == '0))
    else $error("a flit leaves an empty buffer");
`endif

endmodule

`default_nettype wire
