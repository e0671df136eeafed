// SPDX-License-Identifier: Apache-2.0
// For broadcast_round.sv: modules that stand for those of the RTL that are proved by themselves.

/// Stands for the module of this name: any packets, whole, of any lengths that fit, in any cycles.
module polycast_broadcast_input #(
  parameter int unsigned NumSlots      = 2,
  parameter int unsigned SlotFlits     = 2,
  parameter int unsigned BufferFlits   = 0,
  parameter int unsigned FlitBits      = 8,
  parameter int unsigned HeaderPinBits = 16,
  parameter bit          HeaderFree    = 1'b1,
  parameter int unsigned HeaderBits    = 104,
  parameter int unsigned SlotBits      = NumSlots > 1 ? $clog2(NumSlots) : 1,
  parameter int unsigned PlaceBits     = SlotFlits > 1 ? $clog2(SlotFlits) : 1
) (
  input  wire logic                               clk_i,
  input  wire logic                               rst_ni,
  input  wire logic                               flit_valid_i,
  input  wire logic                               flit_head_i,
  input  wire logic                               flit_tail_i,
  input  wire logic [FlitBits-1:0]                flit_data_i,
  input  wire logic [HeaderPinBits-1:0]           flit_header_i,
  input  wire logic [polycast_pkg::RoundBits-1:0] round_i,
  output logic                                    head_o,
  output logic      [HeaderBits-1:0]              head_header_o,
  output logic      [SlotBits-1:0]                head_slot_o,
  input  wire logic                               accept_i,
  output logic                                    write_o,
  output logic                                    write_head_o,
  output logic                                    write_tail_o,
  output logic      [SlotBits-1:0]                write_slot_o,
  output logic      [PlaceBits-1:0]               write_place_o,
  output logic      [FlitBits-1:0]                write_data_o,
  output logic      [HeaderPinBits-1:0]           write_header_o,
  output logic                                    free_o,
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  output logic                                    idle_o,
  output logic      [15:0]                        occupied_o,
  output logic      [1:0]                         state_o
);

  logic                 accepted_q, discarded_q;
  logic [SlotBits-1:0]  slot_q;
  logic [PlaceBits-1:0] place_q;

  assign head_o         = flit_valid_i && !accepted_q && !discarded_q;
  assign head_header_o  = HeaderBits'(flit_header_i);
  assign head_slot_o    = flit_header_i[SlotBits-1:0];
  assign write_o        = flit_valid_i && (head_o ? accept_i : accepted_q);
  assign write_head_o   = write_o && head_o;
  assign write_place_o  = head_o ? '0 : place_q;
  assign write_tail_o   = write_o && (flit_tail_i || 32'(write_place_o) + 1 == SlotFlits);
  assign write_slot_o   = head_o ? head_slot_o : slot_q;
  assign write_data_o   = flit_data_i;
  assign write_header_o = flit_header_i;
  assign free_o         = BufferFlits > 0 && flit_valid_i;
  assign error_o        = '0;
  assign idle_o         = !accepted_q && !discarded_q;
  assign occupied_o     = '0;
  assign state_o        = {discarded_q, accepted_q};

  always_ff @(posedge clk_i) begin
    if (flit_valid_i) begin
      accepted_q  <= write_o && !write_tail_o;
      discarded_q <= !write_o && !flit_tail_i;
    end
    if (write_o) begin
      slot_q  <= write_slot_o;
      place_q <= write_place_o + PlaceBits'(1);
    end
    if (!rst_ni) begin
      accepted_q  <= 1'b0;
      discarded_q <= 1'b0;
    end
  end

endmodule

/// Stands for the module of this name: any header says anything, but of one message always the same
/// about the source.
module polycast_broadcast_header #(
  parameter int unsigned NumPorts   = 4,
  parameter int unsigned NumSlots   = 2,
  parameter int unsigned Dimensions = 1,
  parameter int unsigned Radix      = 4,
  parameter int unsigned HeaderBits = 104,
  parameter int unsigned CoordBits  = $clog2(Radix),
  parameter int unsigned DimBits    = Dimensions > 1 ? $clog2(Dimensions) : 1
) (
  input  wire logic [HeaderBits-1:0]                   header_i,
  input  wire logic [Dimensions*CoordBits-1:0]         own_i,
  input  wire logic [Dimensions-1:0]                   dims_i,
  input  wire logic                                    trees_i,
  input  wire logic [NumPorts*DimBits-1:0]             dimension_i,
  input  wire logic [NumPorts*CoordBits-1:0]           there_i,
  input  wire logic [polycast_pkg::RoundBits-1:0]      round_i,
  output logic                                         bad_o,
  output logic                                         stale_o,
  output logic                                         later_o,
  output logic      [polycast_pkg::PacketBits-1:0]     packet_o,
  output logic      [polycast_pkg::LastPacketBits-1:0] last_packet_o,
  output logic      [polycast_pkg::SourceBits-1:0]     source_o,
  output logic                                         at_source_o,
  output logic      [NumPorts-1:0]                     ports_o
);

  assign packet_o      = {6'd0, header_i[1:0]};
  assign last_packet_o = {6'd0, header_i[3:2]};
  assign source_o      = {23'd0, header_i[4]};
  assign at_source_o   = header_i[4] == own_i[0];
  assign stale_o       = header_i[5];
  assign later_o       = header_i[6];
  assign bad_o         = header_i[7] || 32'(last_packet_o) >= NumSlots || packet_o > last_packet_o;
  assign ports_o       = header_i[8+:NumPorts];

endmodule
