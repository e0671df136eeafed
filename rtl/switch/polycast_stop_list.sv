// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Picks the stop that an SSR or path worm is on its way to from a whole header, as it comes where
/// headers are free. Combinational.
module polycast_stop_list #(
  /// Bits of a stop's string in headers.
  parameter int unsigned HeaderPorts = 8,
  /// Longest list of a path worm.
  parameter int unsigned HeaderStops = 8,
  /// Bits of a stop in headers; derived, do not set.
  parameter int unsigned StopBits    = polycast_pkg::StopPortsOffset + HeaderPorts,
  /// Bits behind the common header that are looked at; derived, do not set.
  parameter int unsigned ListBits    = polycast_pkg::PathListOffset -
      polycast_pkg::CommonHeaderBits + HeaderStops * StopBits
) (
  /// There is an SSR or path worm; otherwise the outputs are zero.
  input  wire logic                                    valid_i,
  /// It is a path worm.
  input  wire logic                                    path_i,
  /// What follows the common header.
  input  wire logic [ListBits-1:0]                     field_i,
  /// Length of a path worm's list.
  output logic      [polycast_pkg::PathStopsBits-1:0]  stops_o,
  /// Number of the stop that it is on its way to.
  output logic      [polycast_pkg::PathNextBits-1:0]   next_o,
  /// That stop, or the only one of an SSR worm.
  output logic      [StopBits-1:0]                     stop_o,
  /// Switch of the stop behind it; zero if there is none.
  output logic      [polycast_pkg::StopSwitchBits-1:0] following_switch_o
);

  typedef struct packed { logic [HeaderStops-1:0][StopBits-1:0] at; } stops_t;

  stops_t                     list;
  polycast_pkg::path_header_t head;

  assign {list, head} = field_i;

  always_comb begin
    stops_o            = '0;
    next_o             = '0;
    stop_o             = '0;
    following_switch_o = '0;
    if (valid_i && path_i) begin
      stops_o = head.path_stops;
      next_o  = head.path_next;
      for (int unsigned s = 0; s < HeaderStops; s++) begin
        if (next_o == 8'(s)) stop_o = list.at[s];
      end
      for (int unsigned s = 1; s < HeaderStops; s++) begin
        if (next_o == 8'(s - 1)) begin
          following_switch_o = list.at[s][polycast_pkg::StopSwitchBits-1:0];
        end
      end
    end else if (valid_i) begin
      // The stop of an SSR worm is all that follows the common header.
      stop_o = field_i[StopBits-1:0];
    end
  end

endmodule

`default_nettype wire
