// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Finds the outputs of a packet from its header: section "Route" of hw/chips/switch/switch.md,
/// without
/// the choice among equally good ports. Combinational.
module polycast_route_decode #(
  /// Ports of the switch.
  parameter int unsigned NumPorts  = 8,
  /// Longest bit string of a tree worm and size of the tables of hosts.
  parameter int unsigned MaxHosts  = 32,
  /// Bits of the destination field: a unicast destination or a bit string.
  parameter int unsigned FieldBits = 32,
  /// Bits of a bit string in whole configuration words; bits from MaxHosts on are ignored.
  parameter int unsigned WordBits  = 32,
  /// Bits of the view of a stop, see `polycast_stop_view`; derived, do not set.
  parameter int unsigned ViewBits  = polycast_pkg::StopSwitchBits + NumPorts + 4
) (
  /// There is a header to decode; otherwise all outputs are zero.
  input  wire logic                            valid_i,
  /// The packet ended before its header.
  input  wire logic                            short_i,
  /// Kind of the packet.
  input  wire logic [polycast_pkg::KindBits-1:0] kind_i,
  /// The packet may still take an up link.
  input  wire logic                            up_i,
  /// Destination field of the header.
  input  wire logic [FieldBits-1:0]            field_i,
  /// View of an SSR or path worm's stop.
  input  wire logic [ViewBits-1:0]             view_i,
  /// Table of the direction in `up_i` at the destination in `field_i`, or at the switch in
  /// `view_i`.
  input  wire logic [NumPorts-1:0]             table_mask_i,
  /// Copies of tree worms keep only the hosts behind their port.
  input  wire logic                            rewrite_i,
  /// Ports that lead down.
  input  wire logic [NumPorts-1:0]             is_down_i,
  /// Ports that lead up.
  input  wire logic [NumPorts-1:0]             is_up_i,
  /// Those of them that tree worms may take.
  input  wire logic [NumPorts-1:0]             tree_up_i,
  /// Hosts that can be reached going down.
  input  wire logic [WordBits-1:0]             reach_total_i,
  /// Hosts behind each port.
  input  wire logic [NumPorts*WordBits-1:0]    reach_port_i,
  /// Equally good ports of which the packet takes one, beside all of `branches_o`.
  output logic      [NumPorts-1:0]             candidates_o,
  /// Ports that each get a copy.
  output logic      [NumPorts-1:0]             branches_o,
  /// The copy to one of the candidates goes on to the next stop of a path worm.
  output logic                                 advance_o,
  /// The packet is to be dropped.
  output logic                                 drop_o,
  /// There is no such kind of packet.
  output logic                                 bad_kind_o,
  /// No port leads to any destination.
  output logic                                 no_route_o,
  /// Some destinations of a worm lie behind no port.
  output logic                                 partial_route_o
);

  typedef struct packed { logic [NumPorts-1:0][WordBits-1:0] at; } port_words_t;

  port_words_t reach_port;

  assign reach_port = reach_port_i;

  logic [WordBits-1:0]  hosts;
  logic                 beyond;
  logic [NumPorts-1:0]  leading, stop_ports;
  logic                 stop_others, stop_here, stop_more, stop_bad;
  logic [FieldBits-1:0] field;
  assign field = field_i;
  assign {stop_bad, stop_more, stop_here, stop_others, stop_ports} =
      view_i[ViewBits-1:polycast_pkg::StopSwitchBits];
  assign leading = table_mask_i & (up_i ? is_down_i | is_up_i : is_down_i);

  logic unused;
  assign unused = ^view_i;

  always_comb begin
    candidates_o    = '0;
    branches_o      = '0;
    advance_o       = 1'b0;
    bad_kind_o      = 1'b0;
    no_route_o      = 1'b0;
    partial_route_o = 1'b0;
    hosts           = '0;
    beyond          = 1'b0;
    if (valid_i && !short_i) begin
      unique case (kind_i)
        polycast_pkg::KindUnicast: begin
          if (field[polycast_pkg::DestinationBits-1:0] <
              polycast_pkg::DestinationBits'(MaxHosts)) begin
            candidates_o = leading;
          end
          no_route_o = candidates_o == '0;
        end
        polycast_pkg::KindTree: begin
          hosts[MaxHosts-1:0] = field[MaxHosts-1:0];
          beyond = (hosts & ~reach_total_i) != '0;
          if (up_i && beyond && tree_up_i != '0) begin
            candidates_o = tree_up_i;
          end else begin
            for (int unsigned p = 0; p < NumPorts; p++) begin
              branches_o[p] = is_down_i[p] && (hosts & reach_port.at[p]) != '0;
            end
            no_route_o      = branches_o == '0;
            partial_route_o = beyond && branches_o != '0 && (up_i || rewrite_i);
          end
        end
        polycast_pkg::KindSsr, polycast_pkg::KindPath: begin
          if (!stop_bad) begin
            if (!stop_here || stop_more) candidates_o = leading;
            if (stop_here) branches_o = stop_ports & is_down_i;
            advance_o       = stop_here && stop_more;
            partial_route_o = stop_here && (branches_o != '0 || candidates_o != '0) &&
                (stop_others || (stop_ports & ~is_down_i) != '0 ||
                (stop_more && candidates_o == '0));
          end
          no_route_o = branches_o == '0 && candidates_o == '0;
        end
        default: bad_kind_o = 1'b1;
      endcase
    end
    drop_o = valid_i && (short_i || bad_kind_o || no_route_o);
  end

endmodule

`default_nettype wire
