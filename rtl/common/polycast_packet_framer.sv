// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Decides what becomes of each flit that comes in: section "Write" of hw/chips/switch/switch.md
/// and
/// hw/chips/router/router.md, where a chunk is a flit. Knows packets, not their contents.
module polycast_packet_framer #(
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits = 7,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits  = 20
) (
  /// Clock.
  input  wire logic                      clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                      rst_ni,
  /// A flit comes in.
  input  wire logic                      valid_i,
  /// It is the first of its packet.
  input  wire logic                      head_i,
  /// It is the last of its packet.
  input  wire logic                      tail_i,
  /// The next flit to be stored starts a chunk.
  input  wire logic                      chunk_start_i,
  /// Chunks in use.
  input  wire logic [ChunkCountBits-1:0] occupied_i,
  /// Chunks that may be used.
  input  wire logic [ChunkCountBits-1:0] usable_i,
  /// Longest packet in flits, 1 or more.
  input  wire logic [FlitCountBits-1:0]  packet_limit_i,
  /// The flit is stored in this cycle.
  output logic                           store_o,
  /// It is stored as the last of its packet.
  output logic                           store_tail_o,
  /// Its number in the packet, from 0.
  output logic      [FlitCountBits-1:0]  index_o,
  /// A packet is begun or being discarded.
  output logic                           inside_o,
  /// There was no free chunk: the flit is dropped, and all others until reset.
  output logic                           overflow_o,
  /// A body flit came outside a packet.
  output logic                           missing_head_o,
  /// A head flit came inside a packet.
  output logic                           missing_tail_o,
  /// The packet reached its limit without a tail.
  output logic                           too_long_o
);

  logic                     in_packet_q, in_packet_d;
  logic                     discard_q, discard_d;
  logic                     dead_q;
  logic [FlitCountBits-1:0] count_q, count_d;
  logic                     alive, wanted, at_limit;

  assign inside_o = in_packet_q | discard_q;
  assign index_o  = count_q;

  always_comb begin
    alive          = valid_i & ~dead_q;
    missing_tail_o = alive & head_i & inside_o;
    missing_head_o = alive & ~head_i & ~inside_o;
    wanted         = alive & ~discard_q & (head_i | in_packet_q);
    overflow_o     = wanted & chunk_start_i & (occupied_i >= usable_i);
    store_o        = wanted & ~overflow_o;
    at_limit       = (count_q + FlitCountBits'(1)) == packet_limit_i;
    too_long_o     = store_o & ~tail_i & at_limit;
    store_tail_o   = store_o & (tail_i | at_limit);

    in_packet_d = store_o ? ~store_tail_o : in_packet_q;
    discard_d   = too_long_o | (discard_q & ~(alive & tail_i));
    count_d     = count_q;
    if (store_o) count_d = store_tail_o ? '0 : count_q + FlitCountBits'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_packet_q <= 1'b0;
      discard_q   <= 1'b0;
      dead_q      <= 1'b0;
      count_q     <= '0;
    end else begin
      in_packet_q <= in_packet_d;
      discard_q   <= discard_d;
      dead_q      <= dead_q | overflow_o;
      count_q     <= count_d;
    end
  end

`ifndef SYNTHESIS
  HeadAndTailAreValid:
      assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i || !(head_i || tail_i))
    else $error("head or tail without a flit");
  NotInsideTwoPackets:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(in_packet_q && discard_q))
    else $error("a packet is stored and discarded");
  CountStartsAtZero:
      assert property (@(posedge clk_i) disable iff (!rst_ni) in_packet_q || count_q == '0)
    else $error("flits counted outside a packet");
`endif

endmodule

`default_nettype wire
