// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Brings a stop of an SSR or path worm into the form that routing needs: far shorter than the
/// list, so that header queues can hold it. Combinational.
module polycast_stop_view #(
  /// Ports of the switch.
  parameter int unsigned NumPorts    = 8,
  /// Bits of a stop's string in headers.
  parameter int unsigned HeaderPorts = 8,
  /// Longest list of a path worm.
  parameter int unsigned HeaderStops = 8,
  /// Bits of a stop in headers; derived, do not set.
  parameter int unsigned StopBits    = polycast_pkg::StopPortsOffset + HeaderPorts,
  /// Bits of the view; derived, do not set.
  parameter int unsigned ViewBits    = polycast_pkg::StopSwitchBits + NumPorts + 4
) (
  /// The worm has a list of stops.
  input  wire logic                                    path_i,
  /// Length of the list.
  input  wire logic [polycast_pkg::PathStopsBits-1:0]  stops_i,
  /// Number of the stop that the worm is on its way to.
  input  wire logic [polycast_pkg::PathNextBits-1:0]   next_i,
  /// That stop, or the only one of an SSR worm.
  input  wire logic [StopBits-1:0]                     stop_i,
  /// Switch of the stop behind it; any if there is none.
  input  wire logic [polycast_pkg::StopSwitchBits-1:0] following_switch_i,
  /// Number of this switch.
  input  wire logic [polycast_pkg::StopSwitchBits-1:0] switch_number_i,
  /// From bit 0: the switch that the worm has to be sent on to, the ports of the string that exist;
  /// then one bit each: the string names others, too; the stop is this switch; another follows; the
  /// list is bad.
  output logic      [ViewBits-1:0]                     view_o
);

  typedef struct packed {
    logic [HeaderPorts-1:0]                  ports;
    logic [polycast_pkg::StopSwitchBits-1:0] number;
  } stop_t;

  stop_t stop;

  assign stop = stop_i;

  logic [polycast_pkg::StopSwitchBits-1:0] target;
  logic [63:0]                             ports;
  logic                                    others, here, more, too_long, bad;

  if (HeaderStops < 255) begin : gen_longest
    assign too_long = stops_i > polycast_pkg::PathStopsBits'(HeaderStops);
  end else begin : gen_any_length
    assign too_long = 1'b0;
  end

  always_comb begin
    ports  = 64'(stop.ports);
    others = (ports >> NumPorts) != '0;
    here   = stop.number == switch_number_i;
    more   = path_i && {1'b0, next_i} + 9'd1 < {1'b0, stops_i};
    bad    = path_i && (too_long || next_i >= stops_i);
    target = here ? following_switch_i : stop.number;
    view_o = {bad, more, here, others, NumPorts'(ports), target};
  end

endmodule

`default_nettype wire
