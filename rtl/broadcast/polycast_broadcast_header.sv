// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// What the header of a packet says to this node: step 2 of hw/chips/broadcast/broadcast_unit.md,
/// as far as
/// it does not depend on other packets. Combinational. Costs dividers by a constant unless the
/// radix is a power of two.
module polycast_broadcast_header #(
  /// Ports.
  parameter int unsigned NumPorts   = 7,
  /// Packets of a message.
  parameter int unsigned NumSlots   = 32,
  /// Dimensions.
  parameter int unsigned Dimensions = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix      = 8,
  /// Bits of a header that are read.
  parameter int unsigned HeaderBits = polycast_pkg::RoundOffset + polycast_pkg::RoundBits,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits  = $clog2(Radix),
  /// Bits of the number of a dimension; derived, do not set.
  parameter int unsigned DimBits    = Dimensions > 1 ? $clog2(Dimensions) : 1
) (
  /// First bits of the header.
  input  wire logic [HeaderBits-1:0]                   header_i,
  /// Coordinates of this node.
  input  wire logic [Dimensions*CoordBits-1:0]         own_i,
  /// Dimensions of the community.
  input  wire logic [Dimensions-1:0]                   dims_i,
  /// Packets go along trees, not colours.
  input  wire logic                                    trees_i,
  /// Dimension of each port.
  input  wire logic [NumPorts*DimBits-1:0]             dimension_i,
  /// Coordinate of the neighbour there.
  input  wire logic [NumPorts*CoordBits-1:0]           there_i,
  /// Round of the unit.
  input  wire logic [polycast_pkg::RoundBits-1:0]      round_i,
  /// The packet is none of a broadcast of this community, or of none that fits.
  output logic                                         bad_o,
  /// It is of an earlier round.
  output logic                                         stale_o,
  /// It is of a later round.
  output logic                                         later_o,
  /// Index of the packet.
  output logic      [polycast_pkg::PacketBits-1:0]     packet_o,
  /// Index of the last packet of its message.
  output logic      [polycast_pkg::LastPacketBits-1:0] last_packet_o,
  /// Number of its source.
  output logic      [polycast_pkg::SourceBits-1:0]     source_o,
  /// The source is this node.
  output logic                                         at_source_o,
  /// Ports to which the rule sends it.
  output logic      [NumPorts-1:0]                     ports_o
);

  localparam int unsigned RoundBits = polycast_pkg::RoundBits;

  typedef struct packed { logic [Dimensions-1:0][CoordBits-1:0] at; } dimension_coords_t;

  dimension_coords_t from, own;

  assign own = own_i;

  polycast_pkg::header_t                 header;
  polycast_pkg::pipelined_header_t       fields;
  logic [polycast_pkg::ColourBits-1:0]   first;
  logic [RoundBits-1:0]                  ahead;
  logic [polycast_pkg::SourceBits-1:0]   unit;
  logic [Dimensions-1:0]                 outside;
  logic                                  wrong_kind, wrong_source, wrong_index, wrong_colour;

  assign {fields, header} = header_i;
  assign packet_o         = fields.packet;
  assign last_packet_o    = fields.last_packet;
  assign source_o         = header.source;
  assign first            = trees_i ? fields.colour >> 1 : fields.colour;
  assign ahead            = fields.round - round_i;

  polycast_coordinates #(
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .NumberBits(polycast_pkg::SourceBits)
  ) i_coordinates (
    .number_i     (source_o),
    .coordinates_o(from),
    .unit_o       (unit)
  );

  polycast_broadcast_rule #(
    .NumPorts  (NumPorts),
    .Dimensions(Dimensions),
    .CoordBits (CoordBits)
  ) i_rule (
    .own_i,
    .source_i(from),
    .trees_i,
    .colour_i(fields.colour),
    .dimension_i,
    .there_i,
    .ports_o
  );

  for (genvar d = 0; d < Dimensions; d++) begin : gen_outside
    assign outside[d] = !dims_i[d] && from.at[d] != own.at[d];
  end

  always_comb begin
    wrong_kind   = header.kind != polycast_pkg::KindPipelined;
    wrong_source = unit != '0 || outside != '0;
    wrong_index  = 32'(last_packet_o) >= NumSlots || packet_o > last_packet_o;
    wrong_colour = 1'b1;
    for (int unsigned d = 0; d < Dimensions; d++) begin
      if (dims_i[d] && 32'(first) == d) wrong_colour = 1'b0;
    end
    bad_o   = wrong_kind || wrong_source || wrong_index || wrong_colour;
    stale_o = ahead[RoundBits-1];
    later_o = !ahead[RoundBits-1] && ahead != '0;
  end

  assign at_source_o = from == own_i;

  logic unused;
  assign unused = ^header;

endmodule

`default_nettype wire
