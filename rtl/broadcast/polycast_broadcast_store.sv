// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The slots: flits of all packets as they came, with a write port for every input and a read port
/// for every output. The memories are not reset.
module polycast_broadcast_store #(
  /// Ports: inputs and outputs.
  parameter int unsigned NumPorts      = 7,
  /// Slots.
  parameter int unsigned NumSlots      = 32,
  /// Flits of a slot.
  parameter int unsigned SlotFlits     = 8,
  /// Bits of a flit.
  parameter int unsigned FlitBits      = 128,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// The header comes beside the head flit.
  parameter bit          HeaderFree    = 1'b0,
  /// Bits of a slot; derived, do not set.
  parameter int unsigned SlotBits      = NumSlots > 1 ? $clog2(NumSlots) : 1,
  /// Bits of the number of a flit in a slot; derived, do not set.
  parameter int unsigned PlaceBits     = SlotFlits > 1 ? $clog2(SlotFlits) : 1
) (
  /// Clock.
  input  wire logic                              clk_i,
  /// A flit is written.
  input  wire logic [NumPorts-1:0]               write_i,
  /// It is the first of its packet.
  input  wire logic [NumPorts-1:0]               write_head_i,
  /// It is the last of its packet.
  input  wire logic [NumPorts-1:0]               write_tail_i,
  /// Its slot.
  input  wire logic [NumPorts*SlotBits-1:0]      write_slot_i,
  /// Its number in the slot.
  input  wire logic [NumPorts*PlaceBits-1:0]     write_place_i,
  /// The flit.
  input  wire logic [NumPorts*FlitBits-1:0]      write_data_i,
  /// The header beside it.
  input  wire logic [NumPorts*HeaderPinBits-1:0] write_header_i,
  /// Slot that each output reads.
  input  wire logic [NumPorts*SlotBits-1:0]      read_slot_i,
  /// Number of the flit in it.
  input  wire logic [NumPorts*PlaceBits-1:0]     read_place_i,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]               read_tail_o,
  /// The flit.
  output logic      [NumPorts*FlitBits-1:0]      read_data_o,
  /// The header of the packet; zero where headers are in the flits.
  output logic      [NumPorts*HeaderPinBits-1:0] read_header_o
);

  localparam int unsigned NumFlits    = NumSlots * SlotFlits;
  localparam int unsigned AddressBits = NumFlits > 1 ? $clog2(NumFlits) : 1;

  typedef struct packed { logic [NumPorts-1:0][AddressBits-1:0] at; } port_addresses_t;
  typedef struct packed { logic [NumPorts-1:0][SlotBits-1:0] at; } port_slots_t;
  typedef struct packed { logic [NumPorts-1:0][PlaceBits-1:0] at; } port_places_t;
  typedef struct packed { logic [NumPorts-1:0][FlitBits-1:0] at; } port_flits_t;
  typedef struct packed { logic [NumPorts-1:0][HeaderPinBits-1:0] at; } port_header_pins_t;

  port_addresses_t write_address;
  port_slots_t write_slot, read_slot;
  port_places_t write_place, read_place;
  port_flits_t read_data, write_data;
  port_header_pins_t read_header, write_header;

  assign write_slot = write_slot_i;
  assign write_place = write_place_i;
  assign read_slot = read_slot_i;
  assign read_place = read_place_i;
  assign write_data = write_data_i;
  assign write_header = write_header_i;
  assign read_data_o = read_data;
  assign read_header_o = read_header;

  logic [FlitBits:0]               mem_q [NumFlits];

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [AddressBits-1:0] read_address;
    assign write_address.at[p] = AddressBits'(
        32'(write_slot.at[p]) * SlotFlits + 32'(write_place.at[p]));
    assign read_address = AddressBits'(
        32'(read_slot.at[p]) * SlotFlits + 32'(read_place.at[p]));
    assign {read_tail_o[p], read_data.at[p]} = mem_q[read_address];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (write_i[p]) mem_q[write_address.at[p]] <= {write_tail_i[p], write_data.at[p]};
    end
  end

  if (HeaderFree) begin : gen_free
    logic [HeaderPinBits-1:0] header_q [NumSlots];

    for (genvar p = 0; p < NumPorts; p++) begin : gen_header
      assign read_header.at[p] = header_q[read_slot.at[p]];
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (write_head_i[p]) begin
          header_q[write_slot.at[p]] <= write_header.at[p];
        end
      end
    end
  end else begin : gen_in_flits
    assign read_header = '0;

    logic unused;
    assign unused = ^{write_head_i, write_header};
  end

`ifndef SYNTHESIS
  logic twice;
  always_comb begin
    twice = 1'b0;
    for (int unsigned p = 1; p < NumPorts; p++) begin
      for (int unsigned q = 0; q < p; q++) begin
        if (write_i[p] && write_i[q] && write_slot.at[p] == write_slot.at[q]) twice = 1'b1;
      end
    end
  end

  OneWriterOfASlot: assert property (@(posedge clk_i) !twice)
    else $error("two packets are written into one slot");
`endif

endmodule

`default_nettype wire
