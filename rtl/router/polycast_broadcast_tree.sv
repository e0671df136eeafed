// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Directions in which a broadcast goes on along the dimension-order tree of its source: section
/// "Broadcast" of hw/chips/router/router.md. Combinational.
module polycast_broadcast_tree #(
  /// Dimensions.
  parameter int unsigned Dimensions = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix      = 8,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits  = $clog2(Radix)
) (
  /// Coordinates of this node.
  input  wire logic [Dimensions*CoordBits-1:0] own_i,
  /// Dimensions that are rings.
  input  wire logic [Dimensions-1:0]           wrap_i,
  /// Coordinates of the source.
  input  wire logic [Dimensions*CoordBits-1:0] source_i,
  /// Directions that the tree may take from the port where the packet came in.
  input  wire logic [2*Dimensions-1:0]         onward_i,
  /// Directions that it takes: bit p for port p.
  output logic      [2*Dimensions-1:0]         ports_o,
  /// Bit p: from port p on the tree does not cross the end of the ring.
  output logic      [2*Dimensions-1:0]         sides_o
);

  localparam int unsigned StepBits = CoordBits + 1;

  typedef struct packed { logic [Dimensions-1:0][CoordBits-1:0] at; } dimension_coords_t;

  dimension_coords_t in_own, in_source;

  assign in_own = own_i;
  assign in_source = source_i;

  // Of one dimension, in hops: how far the tree has come around a ring from its source, and what is
  // left of it.
  logic [StepBits-1:0] own, source, up_done, up_left, down_done, down_left;

  always_comb begin
    ports_o   = '0;
    sides_o   = '1;
    own       = '0;
    source    = '0;
    up_done   = '0;
    up_left   = '0;
    down_done = '0;
    down_left = '0;
    for (int unsigned d = 0; d < Dimensions; d++) begin
      own       = StepBits'(in_own.at[d]);
      source    = StepBits'(in_source.at[d]);
      up_left   = StepBits'(Radix - 1) - own;
      down_left = own;
      if (wrap_i[d]) begin
        up_done   = own - source + ((own < source) ? StepBits'(Radix) : '0);
        down_done = source - own + ((source < own) ? StepBits'(Radix) : '0);
        up_left   = (up_done < StepBits'(Radix / 2)) ? StepBits'(Radix / 2) - up_done : '0;
        down_left = (down_done < StepBits'((Radix - 1) / 2)) ?
            StepBits'((Radix - 1) / 2) - down_done : '0;
        sides_o[2*d]   = up_left < StepBits'(Radix) - own;
        sides_o[2*d+1] = down_left <= own;
      end
      ports_o[2*d]   = onward_i[2*d] && up_left != '0;
      ports_o[2*d+1] = onward_i[2*d+1] && down_left != '0;
    end
  end

endmodule

`default_nettype wire
