// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Finds the outputs of a packet from its header: section "Route" of hw/chips/switch.md, without the choice among
/// equally good ports. Combinational.
module polycast_route_decode #(
  /// Ports of the switch.
  parameter int unsigned NumPorts  = 8,
  /// Longest bit string of a tree worm and size of the unicast tables.
  parameter int unsigned MaxHosts  = 32,
  /// Bits of the destination field: a unicast destination or a bit string.
  parameter int unsigned FieldBits = 32,
  /// Bits of a bit string in whole configuration words; bits from MaxHosts on are ignored.
  parameter int unsigned WordBits  = 32
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
  /// Unicast table of the direction in `up_i` at the destination in `field_i`.
  input  wire logic [NumPorts-1:0]             unicast_mask_i,
  /// Ports that lead down.
  input  wire logic [NumPorts-1:0]             is_down_i,
  /// Ports that lead up.
  input  wire logic [NumPorts-1:0]             is_up_i,
  /// Hosts that can be reached going down.
  input  wire logic [WordBits-1:0]             reach_total_i,
  /// Hosts behind each port.
  input  wire logic [NumPorts*WordBits-1:0]    reach_port_i,
  /// Equally good ports of which the packet takes one; zero if it takes all of `branches_o`.
  output logic      [NumPorts-1:0]             candidates_o,
  /// Ports that each get a copy.
  output logic      [NumPorts-1:0]             branches_o,
  /// The packet is to be dropped.
  output logic                                 drop_o,
  /// There is no such kind of packet.
  output logic                                 bad_kind_o,
  /// No port leads to any destination.
  output logic                                 no_route_o,
  /// Some destinations lie behind no port.
  output logic                                 partial_route_o
);

  logic [WordBits-1:0]  hosts;
  logic                 beyond;
  logic [FieldBits-1:0] field;
  assign field = field_i;

  always_comb begin
    candidates_o    = '0;
    branches_o      = '0;
    bad_kind_o      = 1'b0;
    no_route_o      = 1'b0;
    partial_route_o = 1'b0;
    hosts           = '0;
    beyond          = 1'b0;
    if (valid_i && !short_i) begin
      unique case (kind_i)
        polycast_pkg::KindUnicast: begin
          if (field[polycast_pkg::DestinationBits-1:0] < polycast_pkg::DestinationBits'(MaxHosts)) begin
            candidates_o = unicast_mask_i & (up_i ? is_down_i | is_up_i : is_down_i);
          end
          no_route_o = candidates_o == '0;
        end
        polycast_pkg::KindTree: begin
          hosts[MaxHosts-1:0] = field[MaxHosts-1:0];
          beyond = (hosts & ~reach_total_i) != '0;
          if (up_i && beyond && is_up_i != '0) begin
            candidates_o = is_up_i;
          end else begin
            for (int unsigned p = 0; p < NumPorts; p++) begin
              branches_o[p] = is_down_i[p] && (hosts & reach_port_i[p*WordBits+:WordBits]) != '0;
            end
            no_route_o      = branches_o == '0;
            partial_route_o = beyond && branches_o != '0;
          end
        end
        default: bad_kind_o = 1'b1;
      endcase
    end
    drop_o = valid_i && (short_i || bad_kind_o || no_route_o);
  end

endmodule

`default_nettype wire
