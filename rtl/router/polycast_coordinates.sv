// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Place of a node in a mesh or torus. Combinational. Costs dividers by a constant unless the radix
/// is a power of two.
module polycast_coordinates #(
  /// Dimensions.
  parameter int unsigned Dimensions = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix      = 8,
  /// Bits of a number of a node or host.
  parameter int unsigned NumberBits = 24,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits  = $clog2(Radix)
) (
  /// Number of a node, or of one of its units.
  input  wire logic [NumberBits-1:0]           number_i,
  /// The coordinates of the node, dimension 0 in the lowest bits.
  output logic      [Dimensions*CoordBits-1:0] coordinates_o,
  /// Which of its units: the number divided by the number of nodes.
  output logic      [NumberBits-1:0]           unit_o
);

  typedef struct packed { logic [Dimensions-1:0][CoordBits-1:0] at; } dimension_coords_t;

  dimension_coords_t coordinates;

  assign coordinates_o = coordinates;

  always_comb begin
    unit_o        = number_i;
    coordinates = '0;
    for (int unsigned d = 0; d < Dimensions; d++) begin
      coordinates.at[d] = CoordBits'(unit_o % NumberBits'(Radix));
      unit_o            = unit_o / NumberBits'(Radix);
    end
  end

endmodule

`default_nettype wire
