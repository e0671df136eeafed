// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The next hop of a unicast in dimension order: section "Route" of hw/chips/router/router.md.
/// Combinational.
module polycast_dimension_order #(
  /// Dimensions.
  parameter int unsigned Dimensions = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix      = 8,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits  = $clog2(Radix)
) (
  /// Coordinates of this node.
  input  wire logic [Dimensions*CoordBits-1:0] own_i,
  /// Their sum is even.
  input  wire logic                            even_i,
  /// Dimensions that are rings.
  input  wire logic [Dimensions-1:0]           wrap_i,
  /// Coordinates of the destination.
  input  wire logic [Dimensions*CoordBits-1:0] goal_i,
  /// The port to take, one-hot; zero where the destination is this node.
  output logic      [2*Dimensions-1:0]         port_o,
  /// Bit p: from port p on the way in its dimension does not cross the end of the ring.
  output logic      [2*Dimensions-1:0]         sides_o
);

  localparam int unsigned TwiceBits = CoordBits + 2;

  typedef struct packed { logic [Dimensions-1:0][CoordBits-1:0] at; } dimension_coords_t;

  dimension_coords_t in_own, in_goal;

  assign in_own = own_i;
  assign in_goal = goal_i;

  logic [CoordBits-1:0] own, goal;
  logic [TwiceBits-1:0] twice;
  logic                 up;

  always_comb begin
    port_o  = '0;
    sides_o = '1;
    own     = '0;
    goal    = '0;
    twice   = '0;
    up      = 1'b0;
    for (int unsigned d = 0; d < Dimensions; d++) begin
      own  = in_own.at[d];
      goal = in_goal.at[d];
      up   = goal > own;
      if (wrap_i[d]) begin
        sides_o[2*d]   = !(goal < own);
        sides_o[2*d+1] = !(goal > own);
        twice = TwiceBits'(2) * (TwiceBits'(goal) - TwiceBits'(own) +
            (up ? TwiceBits'(0) : TwiceBits'(Radix)));
        up    = (twice == TwiceBits'(Radix)) ? even_i : twice < TwiceBits'(Radix);
      end
      if (port_o == '0 && goal != own) begin
        if (up) port_o[2*d]   = 1'b1;
        else    port_o[2*d+1] = 1'b1;
      end
    end
  end

endmodule

`default_nettype wire
