// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Ports to which a node passes a packet of a broadcast on, as
/// hw/workloads/broadcast/broadcast_rule.h has
/// it, for one node, source and colour (or tree). Combinational. Dimensions that are not of the
/// community need no care: node and source do not differ in them, and no port of the unit leads
/// along them.
module polycast_broadcast_rule #(
  /// Ports.
  parameter int unsigned NumPorts   = 7,
  /// Dimensions.
  parameter int unsigned Dimensions = 2,
  /// Bits of a coordinate.
  parameter int unsigned CoordBits  = 3,
  /// Bits of the number of a dimension; derived, do not set.
  parameter int unsigned DimBits    = Dimensions > 1 ? $clog2(Dimensions) : 1
) (
  /// Coordinates of this node.
  input  wire logic [Dimensions*CoordBits-1:0]           own_i,
  /// Coordinates of the source.
  input  wire logic [Dimensions*CoordBits-1:0]           source_i,
  /// Trees, not colours.
  input  wire logic                                      trees_i,
  /// Colour or tree, one that exists.
  input  wire logic [polycast_pkg::ColourBits-1:0]       colour_i,
  /// Dimension of each port.
  input  wire logic [NumPorts*DimBits-1:0]               dimension_i,
  /// Coordinate of the neighbour there.
  input  wire logic [NumPorts*CoordBits-1:0]             there_i,
  /// The ports.
  output logic      [NumPorts-1:0]                       ports_o
);

  localparam int unsigned StepBits = $clog2(2 * Dimensions) + 1;

  typedef struct packed { logic [Dimensions-1:0][CoordBits-1:0] at; } dimension_coords_t;
  typedef struct packed { logic [NumPorts-1:0][DimBits-1:0] at; } port_dims_t;
  typedef struct packed { logic [NumPorts-1:0][CoordBits-1:0] at; } port_coords_t;

  dimension_coords_t own, source;
  port_dims_t in_dimension;
  port_coords_t there;

  assign own = own_i;
  assign source = source_i;
  assign in_dimension = dimension_i;
  assign there = there_i;

  // Dimension of the colour, or that in which the tree leaves its source.
  logic [StepBits-1:0]   first;
  // Bit d: this node differs from the source in dimension d.
  logic [Dimensions-1:0] differing;

  assign first = StepBits'(trees_i ? colour_i >> 1 : colour_i);

  for (genvar d = 0; d < Dimensions; d++) begin : gen_differing
    assign differing[d] = own.at[d] != source.at[d];
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    // Steps, in cyclic order, from the first dimension to that of the port and to the last one in
    // which this node, and its neighbour, differs from the source.
    logic [StepBits-1:0]   dimension, steps, last, neighbour_last, place;
    logic [Dimensions-1:0] across, neighbour_differing, after_first;
    logic                  meets_source, from_first, on, filled, by_colour, by_tree;

    always_comb begin
      dimension    = StepBits'(in_dimension.at[p]);
      across       = '0;
      meets_source = 1'b0;
      for (int unsigned d = 0; d < Dimensions; d++) begin
        if (dimension == StepBits'(d)) begin
          across[d]    = 1'b1;
          meets_source = there.at[p] == source.at[d];
        end
      end
      neighbour_differing = meets_source ? differing & ~across : differing | across;

      steps          = '0;
      last           = '0;
      neighbour_last = '0;
      after_first    = '0;
      for (int unsigned r = 0; r < Dimensions; r++) begin
        place = first + StepBits'(r);
        if (place >= StepBits'(Dimensions)) place = place - StepBits'(Dimensions);
        after_first = Dimensions'(1) << place;
        if (dimension == place)                            steps = StepBits'(r);
        if ((differing & after_first) != '0)               last = StepBits'(r);
        if ((neighbour_differing & after_first) != '0)     neighbour_last = StepBits'(r);
      end
      after_first = Dimensions'(1) << first;
      from_first  = (differing & after_first) != '0;
      filled      = (neighbour_differing & after_first) == '0;

      on        = steps >= last || (dimension == first && meets_source);
      by_colour = differing == '0 ? dimension == first : from_first && on;
      // Where the tree reaches the neighbour: down the tree's own direction, or back along it into
      // the source's hyperplane.
      by_tree = 1'b0;
      if (p < 2 * Dimensions && neighbour_differing != '0) begin
        by_tree = filled ? dimension == first && colour_i[0] != 1'(p % 2) :
                           steps == neighbour_last && colour_i[0] == 1'(p % 2);
      end
      ports_o[p] = trees_i ? by_tree : by_colour;
    end
  end

endmodule

`default_nettype wire
