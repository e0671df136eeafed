// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One virtual lane of an input port: framing, buffer with a reader for each output, decisions
/// about the packets in it, branches of the one at the front. Steps 1, 4, 5 and 7 of
/// hw/chips/vl_switch/vl_switch.md.
module polycast_vl_lane #(
  /// Ports of the switch.
  parameter int unsigned NumPorts       = 8,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes      = 1,
  /// Flits of a chunk.
  parameter int unsigned ChunkFlits     = 8,
  /// Chunks of the buffer.
  parameter int unsigned NumChunks      = 80,
  /// Outputs that may read one input in the same cycle.
  parameter int unsigned ReadPorts      = NumPorts,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits = $clog2(NumChunks + 1),
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits  = 20,
  /// Bits of the header that leaves with a copy; 0: headers are in the flits.
  parameter int unsigned HeaderBits     = 0,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned PinBits        = HeaderBits > 0 ? HeaderBits : 1
) (
  /// Clock.
  input  wire logic                                 clk_i,
  /// Asynchronous reset, active low: nothing is inside.
  input  wire logic                                 rst_ni,
  /// A flit of this lane comes in.
  input  wire logic                                 flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                                 flit_head_i,
  /// It is the last of its packet.
  input  wire logic                                 flit_tail_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]               flit_data_i,
  /// Chunks of the buffer that may be used.
  input  wire logic [ChunkCountBits-1:0]            usable_i,
  /// Longest packet in flits.
  input  wire logic [FlitCountBits-1:0]             packet_limit_i,
  /// Cycles after which branches that are not granted are given up; 0: never.
  input  wire logic [polycast_vl_pkg::HoqLifeBits-1:0] hoq_life_i,
  /// The flit is stored.
  output logic                                      store_o,
  /// It is stored as the last of its packet.
  output logic                                      store_tail_o,
  /// Its number in the packet, from 0.
  output logic      [FlitCountBits-1:0]             index_o,
  /// There was no room.
  output logic                                      overflow_o,
  /// A body flit came outside a packet.
  output logic                                      missing_head_o,
  /// A head flit came inside a packet.
  output logic                                      missing_tail_o,
  /// The packet reached its limit without a tail.
  output logic                                      too_long_o,
  /// The next packet of those that are not routed yet is routed in this cycle.
  input  wire logic                                 routed_i,
  /// Its branches; none: it is dropped.
  input  wire logic [NumPorts-1:0]                  routed_ports_i,
  /// Its service level.
  input  wire logic [polycast_pkg::SlBits-1:0]      routed_sl_i,
  /// Its free header.
  input  wire logic [PinBits-1:0]                   routed_header_i,
  /// A packet comes to the front.
  output logic                                      load_o,
  /// Its service level.
  output logic      [polycast_pkg::SlBits-1:0]      load_sl_o,
  /// Lanes that the service level has at the outputs.
  input  wire logic [NumPorts*polycast_vl_pkg::VlBits-1:0] load_vl_i,
  /// Outputs that have not granted the packet at the front yet, registered.
  output logic      [NumPorts-1:0]                  waiting_o,
  /// Outputs that it holds, registered.
  output logic      [NumPorts-1:0]                  reading_o,
  /// Lane on which it leaves by each.
  output logic      [NumPorts*polycast_vl_pkg::VlBits-1:0] vl_o,
  /// Outputs that grant it in this cycle.
  input  wire logic [NumPorts-1:0]                  gnt_i,
  /// Outputs for which its next flit could be read in this cycle.
  output logic      [NumPorts-1:0]                  can_read_o,
  /// Outputs for which it is read, some of those.
  input  wire logic [NumPorts-1:0]                  served_i,
  /// Output of each read port, see `polycast_multi_arbiter`.
  input  wire logic [ReadPorts*NumPorts-1:0]        place_i,
  /// The flit of each output that reads; zero for the others.
  output logic      [NumPorts*FlitBytes*8-1:0]      read_data_o,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]                  read_tail_o,
  /// It starts a chunk.
  output logic      [NumPorts-1:0]                  read_starts_chunk_o,
  /// The free header of the packet; zero where there is none.
  output logic      [PinBits-1:0]                   read_header_o,
  /// Outputs for which the packet waits in this cycle, unless they read.
  output logic      [NumPorts-1:0]                  stalled_o,
  /// Branches that are given up at the end of this cycle.
  output logic      [NumPorts-1:0]                  lost_o,
  /// Chunks that become free in this cycle.
  output logic      [ChunkCountBits-1:0]            freed_o,
  /// Nothing is inside, registered.
  output logic                                      idle_o,
  /// Chunks in use, registered.
  output logic      [ChunkCountBits-1:0]            occupied_o,
  /// State of the packet at the front, registered: 0 none, 1 not routed yet, 2 active, 3 dropped.
  output logic      [1:0]                           state_o
);

  localparam int unsigned ReaderBits = $clog2(NumPorts + 1);

  logic                          starts_chunk, in_packet, free, done, draining, empty;
  logic [ReaderBits-1:0]         load_readers;
  logic [NumPorts-1:0]           hold, ready, reader_starts, stay, read, tail;
  logic [ReadPorts*NumPorts-1:0] place;
  logic [NumPorts*FlitBytes*8-1:0] read_data;

  polycast_packet_framer #(
    .ChunkCountBits(ChunkCountBits),
    .FlitCountBits (FlitCountBits)
  ) i_packet_framer (
    .clk_i,
    .rst_ni,
    .valid_i      (flit_valid_i),
    .head_i       (flit_head_i),
    .tail_i       (flit_tail_i),
    .chunk_start_i(starts_chunk),
    .occupied_i   (occupied_o),
    .usable_i,
    .packet_limit_i,
    .store_o,
    .store_tail_o,
    .index_o,
    .inside_o     (in_packet),
    .overflow_o,
    .missing_head_o,
    .missing_tail_o,
    .too_long_o
  );

  polycast_vl_front #(
    .NumPorts  (NumPorts),
    .NumChunks (NumChunks),
    .HeaderBits(HeaderBits)
  ) i_front (
    .clk_i,
    .rst_ni,
    .hoq_life_i,
    .routed_i,
    .routed_ports_i,
    .routed_sl_i,
    .routed_header_i,
    .load_o,
    .load_readers_o(load_readers),
    .load_sl_o,
    .load_vl_i,
    .gnt_i,
    .tail_i        (read_tail_o),
    .done_i        (done),
    .waiting_o,
    .reading_o,
    .vl_o,
    .draining_o    (draining),
    .header_o      (read_header_o),
    .lost_o,
    .stay_o        (stay),
    .empty_o       (empty)
  );

  // Reading. The drain is reader 0; it has the first read port of its lane's memory for itself.
  assign hold       = reading_o | gnt_i;
  assign can_read_o = hold & ready;

  always_comb begin
    read = served_i;
    if (draining) read[0] = ready[0];
  end

  if (ReadPorts == NumPorts) begin : gen_read_all
    assign place = place_i;
  end else begin : gen_read_some
    assign place = draining ? (ReadPorts*NumPorts)'(1) : place_i;
  end

  polycast_replication_buffer #(
    .NumReaders(NumPorts),
    .ReadPorts (ReadPorts),
    .FlitBits  (FlitBytes * 8),
    .ChunkFlits(ChunkFlits),
    .NumChunks (NumChunks),
    .Losing    (1'b1)
  ) i_buffer (
    .clk_i,
    .rst_ni,
    .store_i             (store_o),
    .store_tail_i        (store_tail_o),
    .store_data_i        (flit_data_i),
    .upset_i             (1'b0),
    .upset_place_i       ('0),
    .upset_bit_i         ('0),
    .store_starts_chunk_o(starts_chunk),
    .occupied_o,
    .start_i             (load_o),
    .start_readers_i     (load_readers),
    .lose_i              (lost_o != '0),
    .stay_i              (stay),
    .ready_o             (ready),
    .starts_chunk_o      (reader_starts),
    .read_i              (read),
    .place_i             (place),
    .data_o              (read_data),
    .tail_o              (tail),
    .free_o              (free),
    .freed_o,
    .done_o              (done)
  );

  // What the drain reads goes nowhere.
  assign read_data_o         = draining ? '0 : read_data;
  assign read_tail_o         = tail & served_i;
  assign read_starts_chunk_o = reader_starts & served_i;
  assign stalled_o           = waiting_o | (reading_o & ready);

  assign idle_o = occupied_o == '0 && !in_packet;

  always_comb begin
    if (empty)         state_o = occupied_o != '0 ? 2'd1 : 2'd0;
    else if (draining) state_o = 2'd3;
    else               state_o = 2'd2;
  end

  logic unused;
  assign unused = free;

`ifndef SYNTHESIS
  ReadsWhatItCan:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (served_i & ~can_read_o) == '0)
    else $error("a flit is read for an output that does not hold the packet, or before it came");
  FirstFlitIsThere: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (waiting_o & ~ready) == '0)
    else $error("a packet at the front waits for an output, but its first flit has not come");
  IdleHasNoPacket:
      assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> empty)
    else $error("a lane is idle, but a packet is at its front");
`endif

endmodule

`default_nettype wire
