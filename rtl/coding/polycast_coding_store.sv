// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The operand store: flits of all slots, written by packets that are taken and by data that are
/// made, and what is known about each packet. The memories are not reset.
module polycast_coding_store #(
  /// Slots.
  parameter int unsigned NumSlots     = 64,
  /// Flits of a slot.
  parameter int unsigned SlotFlits    = 8,
  /// Bits of a flit.
  parameter int unsigned FlitBits     = 128,
  /// Bits of the number of a slot; derived, do not set.
  parameter int unsigned SlotBits     = $clog2(NumSlots),
  /// Bits of a number of flits of a slot; derived, do not set.
  parameter int unsigned SlotFlitBits = $clog2(SlotFlits + 1)
) (
  /// Clock.
  input  wire logic                    clk_i,
  /// A flit of a packet is written.
  input  wire logic                    take_i,
  /// Slot of the packet.
  input  wire logic [SlotBits-1:0]     take_slot_i,
  /// Number of the flit in it.
  input  wire logic [SlotFlitBits-1:0] take_flit_i,
  /// The flit.
  input  wire logic [FlitBits-1:0]     take_data_i,
  /// The packet is complete: what follows is known of it.
  input  wire logic                    complete_i,
  input  wire logic [polycast_pkg::CodingEventBits-1:0] code_i,
  input  wire logic [23:0]             source_i,
  input  wire logic [15:0]             group_i,
  input  wire logic [31:0]             tag_i,
  input  wire logic [15:0]             length_i,
  input  wire logic [SlotFlitBits-1:0] flits_i,
  input  wire logic [31:0]             crc_i,
  /// A packet is looked at: its slot, and what is known.
  input  wire logic [SlotBits-1:0]     look_slot_i,
  output logic      [polycast_pkg::CodingEventBits-1:0] look_code_o,
  output logic      [23:0]             look_source_o,
  output logic      [15:0]             look_group_o,
  output logic      [31:0]             look_tag_o,
  /// Two operands are read: their slots.
  input  wire logic [SlotBits-1:0]     read_slot_i,
  input  wire logic [SlotBits-1:0]     partner_slot_i,
  /// Number of the flit in them.
  input  wire logic [SlotFlitBits-1:0] read_flit_i,
  /// The flits.
  output logic      [FlitBits-1:0]     data_o,
  output logic      [FlitBits-1:0]     partner_data_o,
  /// What is known of the operands.
  output logic      [15:0]             length_o,
  output logic      [15:0]             partner_length_o,
  output logic      [SlotFlitBits-1:0] flits_o,
  output logic      [23:0]             partner_source_o,
  /// XOR of the CRCs of their payloads.
  output logic      [31:0]             crc_o,
  /// A flit of a datum is made in one of the slots, in place of the one that is read.
  input  wire logic                    make_flit_i,
  /// That slot.
  input  wire logic [SlotBits-1:0]     make_slot_i,
  /// The flit.
  input  wire logic [FlitBits-1:0]     make_data_i,
  /// The datum is made: its CRC is the XOR of both.
  input  wire logic                    make_i
);

  localparam int unsigned NumFlits    = NumSlots * SlotFlits;
  localparam int unsigned AddressBits = $clog2(NumFlits);

  logic [FlitBits-1:0] mem_q [NumFlits];
  logic [polycast_pkg::CodingEventBits-1:0] code_q [NumSlots];
  logic [23:0]             source_q [NumSlots];
  logic [15:0]             group_q [NumSlots];
  logic [31:0]             tag_q [NumSlots];
  logic [15:0]             length_q [NumSlots];
  logic [SlotFlitBits-1:0] count_q [NumSlots];
  logic [31:0]             crc_q [NumSlots];
  logic [AddressBits-1:0]  take_address, address, partner_address, make_address;

  assign take_address    = AddressBits'(32'(take_slot_i) * SlotFlits + 32'(take_flit_i));
  assign address         = AddressBits'(32'(read_slot_i) * SlotFlits + 32'(read_flit_i));
  assign partner_address = AddressBits'(32'(partner_slot_i) * SlotFlits + 32'(read_flit_i));
  assign make_address    = AddressBits'(32'(make_slot_i) * SlotFlits + 32'(read_flit_i));

  assign data_o           = mem_q[address];
  assign partner_data_o   = mem_q[partner_address];
  assign look_code_o      = code_q[look_slot_i];
  assign look_source_o    = source_q[look_slot_i];
  assign look_group_o     = group_q[look_slot_i];
  assign look_tag_o       = tag_q[look_slot_i];
  assign length_o         = length_q[read_slot_i];
  assign partner_length_o = length_q[partner_slot_i];
  assign flits_o          = count_q[read_slot_i];
  assign partner_source_o = source_q[partner_slot_i];
  assign crc_o            = crc_q[read_slot_i] ^ crc_q[partner_slot_i];

  always_ff @(posedge clk_i) begin
    if (take_i)      mem_q[take_address] <= take_data_i;
    if (make_flit_i) mem_q[make_address] <= make_data_i;
    if (complete_i) begin
      code_q[take_slot_i]   <= code_i;
      source_q[take_slot_i] <= source_i;
      group_q[take_slot_i]  <= group_i;
      tag_q[take_slot_i]    <= tag_i;
      length_q[take_slot_i] <= length_i;
      count_q[take_slot_i]  <= flits_i;
      crc_q[take_slot_i]    <= crc_i;
    end
    if (make_i) crc_q[make_slot_i] <= crc_o;
  end

`ifndef SYNTHESIS
  MakeOneOfThePair: assert property (@(posedge clk_i)
      make_i || make_flit_i |-> make_slot_i == read_slot_i || make_slot_i == partner_slot_i)
    else $error("a datum is made in a slot that is not read");
  WritersDiffer: assert property (@(posedge clk_i)
      !((take_i || complete_i) && (make_i || make_flit_i) && take_slot_i == make_slot_i))
    else $error("a packet is written into a slot in which a datum is made");
`endif

endmodule

`default_nettype wire
