// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// An input of the unit: framing, the injection buffer where it has one, and where in the slots the
/// flits of a packet go. Steps 1 and 2 of hw/chips/broadcast/broadcast_unit.md.
module polycast_broadcast_input #(
  /// Packets of a message.
  parameter int unsigned NumSlots      = 32,
  /// Flits of a slot.
  parameter int unsigned SlotFlits     = 8,
  /// Flits of the injection buffer; 0: there is none, flits go on in the cycle in which they come.
  parameter int unsigned BufferFlits   = 0,
  /// Bits of a flit.
  parameter int unsigned FlitBits      = 128,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// The header comes beside the head flit.
  parameter bit          HeaderFree    = 1'b0,
  /// Bits of a header that are read.
  parameter int unsigned HeaderBits    = 104,
  /// Bits of a slot; derived, do not set.
  parameter int unsigned SlotBits      = NumSlots > 1 ? $clog2(NumSlots) : 1,
  /// Bits of the number of a flit in a slot; derived, do not set.
  parameter int unsigned PlaceBits     = SlotFlits > 1 ? $clog2(SlotFlits) : 1
) (
  /// Clock.
  input  wire logic                               clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                               rst_ni,
  /// A flit for the unit comes in.
  input  wire logic                               flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                               flit_head_i,
  /// It is the last of its packet.
  input  wire logic                               flit_tail_i,
  /// Its data.
  input  wire logic [FlitBits-1:0]                flit_data_i,
  /// The header of its packet, where that comes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]           flit_header_i,
  /// Round of the unit.
  input  wire logic [polycast_pkg::RoundBits-1:0] round_i,
  /// A head is taken.
  output logic                                    head_o,
  /// First bits of its header.
  output logic      [HeaderBits-1:0]              head_header_o,
  /// Index of the packet that it begins.
  output logic      [SlotBits-1:0]                head_slot_o,
  /// It is accepted; else discarded, if it is taken.
  input  wire logic                               accept_i,
  /// A flit goes into a slot.
  output logic                                    write_o,
  /// It is the first of its packet.
  output logic                                    write_head_o,
  /// It is the last: the packet is complete.
  output logic                                    write_tail_o,
  /// The slot.
  output logic      [SlotBits-1:0]                write_slot_o,
  /// Number of the flit in it.
  output logic      [PlaceBits-1:0]               write_place_o,
  /// The flit.
  output logic      [FlitBits-1:0]                write_data_o,
  /// The header beside it; of use with a head.
  output logic      [HeaderPinBits-1:0]           write_header_o,
  /// A flit leaves the injection buffer.
  output logic                                    free_o,
  /// Errors of this cycle.
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  /// No flit, no packet begun or being discarded, registered.
  output logic                                    idle_o,
  /// Flits in the injection buffer, registered.
  output logic      [15:0]                        occupied_o,
  /// The packet that is being taken: 0 none, 1 accepted, 2 discarded, registered.
  output logic      [1:0]                         state_o
);

  localparam int unsigned FlitCountBits = $clog2(SlotFlits + 1);
  localparam int unsigned CountBits     = BufferFlits > 0 ? $clog2(BufferFlits + 1) : 1;

  polycast_pkg::header_t           header;
  polycast_pkg::pipelined_header_t fields;

  assign {fields, header} = head_header_o;

  logic unused_header;
  assign unused_header = ^{fields, header};

  logic                     store, store_tail, in_packet, overflow, missing_head, missing_tail,
      too_long;
  logic [FlitCountBits-1:0] number;
  logic [CountBits-1:0]     occupied, usable;

  logic                     take, take_head, take_tail;
  logic [FlitBits-1:0]      take_data;
  logic [HeaderPinBits-1:0] take_header;

  logic                     accepted_q, accepted_d, discarded_q, discarded_d;
  logic [SlotBits-1:0]      slot_q;
  logic [PlaceBits-1:0]     place_q;

  polycast_packet_framer #(
    .ChunkCountBits(CountBits),
    .FlitCountBits (FlitCountBits)
  ) i_framer (
    .clk_i,
    .rst_ni,
    .valid_i       (flit_valid_i),
    .head_i        (flit_valid_i && flit_head_i),
    .tail_i        (flit_valid_i && flit_tail_i),
    .chunk_start_i (1'b1),
    .occupied_i    (occupied),
    .usable_i      (usable),
    .packet_limit_i(FlitCountBits'(SlotFlits)),
    .store_o       (store),
    .store_tail_o  (store_tail),
    .index_o       (number),
    .inside_o      (in_packet),
    .overflow_o    (overflow),
    .missing_head_o(missing_head),
    .missing_tail_o(missing_tail),
    .too_long_o    (too_long)
  );

  if (BufferFlits > 0) begin : gen_buffer
    localparam int unsigned Depth     = BufferFlits > 1 ? BufferFlits : 2;
    localparam int unsigned EntryBits = HeaderPinBits + 2 + FlitBits;

    logic [CountBits-1:0]               count_q;
    logic [polycast_pkg::RoundBits-1:0] ahead;
    logic                               there, waits;

    assign occupied = count_q;
    assign usable   = CountBits'(BufferFlits);
    assign ahead    = fields.round - round_i;
    // A packet of a later round.
    assign waits    = take_head && ahead != '0 && !ahead[polycast_pkg::RoundBits-1] &&
        header.kind == polycast_pkg::KindPipelined;
    assign take     = there && !waits;
    assign free_o   = take;

    polycast_fifo #(
      .Width(EntryBits),
      .Depth(Depth)
    ) i_fifo (
      .clk_i,
      .rst_ni,
      .push_i (store),
      .data_i ({flit_header_i, number == '0, store_tail, flit_data_i}),
      .pop_i  (take),
      .valid_o(there),
      .data_o ({take_header, take_head, take_tail, take_data})
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)             count_q <= '0;
      else if (store && !take) count_q <= count_q + CountBits'(1);
      else if (take && !store) count_q <= count_q - CountBits'(1);
    end
  end else begin : gen_through
    assign occupied    = '0;
    assign usable      = 1'b1;
    assign take        = store;
    assign take_head   = number == '0;
    assign take_tail   = store_tail;
    assign take_data   = flit_data_i;
    assign take_header = flit_header_i;
    assign free_o      = 1'b0;

    logic unused;
    assign unused = ^round_i;
  end

  if (HeaderFree) begin : gen_free
    assign head_header_o = take_header[HeaderBits-1:0];
  end else begin : gen_in_flits
    assign head_header_o = take_data[HeaderBits-1:0];
  end

  assign head_o         = take && take_head;
  assign head_slot_o    = fields.packet[SlotBits-1:0];
  assign write_o        = take && (take_head ? accept_i : accepted_q);
  assign write_head_o   = write_o && take_head;
  assign write_tail_o   = write_o && take_tail;
  assign write_slot_o   = take_head ? head_slot_o : slot_q;
  assign write_place_o  = take_head ? '0 : place_q;
  assign write_data_o   = take_data;
  assign write_header_o = take_header;

  always_comb begin
    accepted_d  = accepted_q;
    discarded_d = discarded_q;
    if (take) begin
      accepted_d  = write_o && !take_tail;
      discarded_d = !write_o && !take_tail;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q  <= 1'b0;
      discarded_q <= 1'b0;
      slot_q      <= '0;
      place_q     <= '0;
    end else begin
      accepted_q  <= accepted_d;
      discarded_q <= discarded_d;
      if (write_o) begin
        slot_q  <= write_slot_o;
        place_q <= write_tail_o ? '0 : write_place_o + PlaceBits'(1);
      end
    end
  end

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorOverflow]    = overflow;
    error_o[polycast_pkg::ErrorMissingHead] = missing_head;
    error_o[polycast_pkg::ErrorMissingTail] = missing_tail;
    error_o[polycast_pkg::ErrorTooLong]     = too_long;
  end

  assign idle_o     = occupied == '0 && !in_packet && !accepted_q && !discarded_q;
  assign occupied_o = 16'(occupied);
  assign state_o    = {discarded_q, accepted_q};

`ifndef SYNTHESIS
  InsideOnePacket:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(accepted_q && discarded_q))
    else $error("a packet is accepted and discarded");
  OnlyHeadsAreAccepted: assert property (@(posedge clk_i) disable iff (!rst_ni) accept_i |-> head_o)
    else $error("a packet is accepted without its head");
  HeadsFollowTails: assert property (@(posedge clk_i) disable iff (!rst_ni)
      take |-> take_head == !(accepted_q || discarded_q))
    else $error("a head inside a packet, or a body flit outside");
  NoSlotOverflows: assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_o |-> 32'(write_place_o) < SlotFlits && (write_head_o || write_place_o != '0))
    else $error("a packet is longer than a slot");
  if (BufferFlits == 0) begin : gen_always_room
    AlwaysRoom: assert property (@(posedge clk_i) disable iff (!rst_ni) !overflow)
      else $error("a flit of the network found no room");
  end
`endif

endmodule

`default_nettype wire
