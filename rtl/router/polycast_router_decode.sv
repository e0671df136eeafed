// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Where a packet goes: step 2 of hw/chips/router/router.md. Combinational.
///
/// The decision has a branch for every output that gets the packet, none if it is dropped, and the
/// virtual channels that a branch may take: those of side 0, of side 1, and at ports that lead to
/// no dimension.
module polycast_router_decode #(
  /// Ports of the router.
  parameter int unsigned NumPorts      = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Dimensions.
  parameter int unsigned Dimensions    = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix         = 8,
  /// Broadcasts are copied.
  parameter bit          Copies        = 1'b1,
  /// Packets may choose among the ports of a route.
  parameter bit          Adaptive      = 1'b0,
  /// Bits of a header that routers read.
  parameter int unsigned HeaderBits    = 104,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits     = $clog2(Radix),
  /// Bits of the sets of virtual channels; derived, do not set.
  parameter int unsigned SetTableBits  = 2 * NumVcs << polycast_pkg::VcClassBits
) (
  /// There is a header to decode; otherwise all outputs are zero.
  input  wire logic                                   valid_i,
  /// The packet ended before its header.
  input  wire logic                                   short_i,
  /// The header.
  input  wire logic [HeaderBits-1:0]                  header_i,
  /// The virtual channels from the packet's own on.
  input  wire logic [NumVcs-1:0]                      vc_mask_i,
  /// Directions that a broadcast from this input may take.
  input  wire logic [2*Dimensions-1:0]                onward_i,
  /// Coordinates of this node.
  input  wire logic [Dimensions*CoordBits-1:0]        own_i,
  /// Their sum is even.
  input  wire logic                                   even_i,
  /// Dimensions that are rings.
  input  wire logic [Dimensions-1:0]                  wrap_i,
  /// Routes come from the table.
  input  wire logic                                   table_i,
  /// All ports that the table says are branches: one of them will be chosen. Without `Adaptive` not
  /// read.
  input  wire logic                                   choose_i,
  /// How a packet's virtual channel is chosen.
  input  wire logic [polycast_pkg::VcPolicyBits-1:0]  policy_i,
  /// Ports that are not open.
  input  wire logic [NumPorts-1:0]                    connected_i,
  /// Set of class c and side s is word 2 * c + s.
  input  wire logic [SetTableBits-1:0]                vc_sets_i,
  /// The table is to be read at the destination.
  output logic                                        lookup_o,
  /// The destination.
  output logic      [polycast_pkg::DestinationBits-1:0] lookup_destination_o,
  /// What the table says.
  input  wire logic [NumPorts-1:0]                    lookup_mask_i,
  /// The branches, or the ports of a choice; none: the packet is dropped.
  output logic      [NumPorts-1:0]                    outputs_o,
  /// Bit p: the branch to port p is on side 1.
  output logic      [2*Dimensions-1:0]                sides_o,
  /// Virtual channels of side 0, with the policy `keep` at most one of them; likewise the others.
  output logic      [NumVcs-1:0]                      before_set_o,
  /// Virtual channels of side 1.
  output logic      [NumVcs-1:0]                      behind_set_o,
  /// Virtual channels at the other ports.
  output logic      [NumVcs-1:0]                      host_set_o,
  /// There is no such kind of packet.
  output logic                                        bad_kind_o,
  /// No branch is left.
  output logic                                        no_route_o,
  /// A branch is left, another is not.
  output logic                                        partial_route_o
);

  localparam int unsigned Directions = 2 * Dimensions;

  typedef struct packed { logic [15:0][NumVcs-1:0] at; } side_vcs_t;

  side_vcs_t                                vc_sets;
  polycast_pkg::header_t                    header;
  polycast_pkg::unicast_header_t            unicast_header;
  polycast_pkg::broadcast_header_t          broadcast_header;
  logic [polycast_pkg::DestinationBits-1:0] number, unit, host;
  logic [Dimensions*CoordBits-1:0]          place;
  logic [Directions-1:0]                    hop, hop_sides, tree, tree_sides;
  logic                                     unicast, broadcast;
  logic [NumPorts-1:0]                      host_port, wanted, possible;
  logic [NumVcs-1:0]                        before_set, behind_set, host_set;

  assign vc_sets                  = vc_sets_i;
  assign {unicast_header, header} = header_i;
  assign broadcast_header         = unicast_header[polycast_pkg::BroadcastPortBits-1:0];
  assign unicast   = valid_i && !short_i && header.kind == polycast_pkg::KindUnicast;
  assign broadcast = Copies && valid_i && !short_i && header.kind == polycast_pkg::KindBroadcast;

  logic choose, unused;
  assign choose = Adaptive && choose_i;
  assign unused = ^{header, hop, tree, choose_i};

  // Of a broadcast the source counts, of a unicast the destination.
  assign number = broadcast ? header.source : unicast ? unicast_header.destination : '0;

  polycast_coordinates #(
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .NumberBits(polycast_pkg::DestinationBits)
  ) i_coordinates (
    .number_i     (number),
    .coordinates_o(place),
    .unit_o       (unit)
  );

  polycast_dimension_order #(
    .Dimensions(Dimensions),
    .Radix     (Radix)
  ) i_dimension_order (
    .own_i,
    .even_i,
    .wrap_i,
    .goal_i (place),
    .port_o (hop),
    .sides_o(hop_sides)
  );

  if (Copies) begin : gen_tree
    polycast_broadcast_tree #(
      .Dimensions(Dimensions),
      .Radix     (Radix)
    ) i_broadcast_tree (
      .own_i,
      .wrap_i,
      .source_i(place),
      .onward_i,
      .ports_o (tree),
      .sides_o (tree_sides)
    );
  end else begin : gen_no_tree
    logic unused_copies;
    assign unused_copies = ^{onward_i, broadcast_header};
    assign tree       = '0;
    assign tree_sides = '1;
  end

  assign lookup_o             = unicast && table_i;
  assign lookup_destination_o = unicast_header.destination;

  // The host port of the unit that is meant; none if it does not exist: then nothing is sent on its
  // way either.
  assign host = broadcast ? polycast_pkg::DestinationBits'(broadcast_header.broadcast_port) : unit;
  always_comb begin
    host_port = '0;
    for (int unsigned p = Directions; p < NumPorts; p++) begin
      host_port[p] = host == polycast_pkg::DestinationBits'(p - Directions);
    end
  end

  always_comb begin
    wanted = '0;
    if (unicast && table_i) begin
      wanted = choose ? lookup_mask_i : lookup_mask_i & (~lookup_mask_i + NumPorts'(1));
    end else if (unicast && host_port != '0) begin
      wanted = (hop != '0) ? NumPorts'(hop) : host_port;
    end else if (broadcast && !table_i && host_port != '0) begin
      wanted = NumPorts'(tree) | ((place != own_i) ? host_port : '0);
    end
  end

  assign sides_o    = broadcast ? tree_sides : hop_sides;
  assign before_set = vc_sets.at[{header.vc_class, 1'b0}];
  assign behind_set = vc_sets.at[{header.vc_class, 1'b1}];
  assign host_set   = before_set | behind_set;

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (p >= Directions)              possible[p] = connected_i[p] && host_set != '0;
      else if (sides_o[p%Directions])   possible[p] = connected_i[p] && behind_set != '0;
      else                              possible[p] = connected_i[p] && before_set != '0;
    end
  end

  assign outputs_o       = wanted & possible;
  assign bad_kind_o      = valid_i && !short_i && !unicast && !broadcast;
  assign no_route_o      = (unicast || broadcast) && outputs_o == '0;
  assign partial_route_o = !choose && outputs_o != '0 && outputs_o != wanted;

  // With the policy `keep` the first one at or after the packet's own number is left.
  logic [NumVcs-1:0] before_kept, behind_kept, host_kept, unused_before, unused_behind, unused_host;

  polycast_rr_pick #(
    .NumReq(NumVcs)
  ) i_keep_before (
    .mask_i  (vc_mask_i),
    .req_i   (before_set),
    .gnt_o   (before_kept),
    .behind_o(unused_before)
  );

  polycast_rr_pick #(
    .NumReq(NumVcs)
  ) i_keep_behind (
    .mask_i  (vc_mask_i),
    .req_i   (behind_set),
    .gnt_o   (behind_kept),
    .behind_o(unused_behind)
  );

  polycast_rr_pick #(
    .NumReq(NumVcs)
  ) i_keep_host (
    .mask_i  (vc_mask_i),
    .req_i   (host_set),
    .gnt_o   (host_kept),
    .behind_o(unused_host)
  );

  assign before_set_o = (policy_i == polycast_pkg::VcPolicyKeep) ? before_kept : before_set;
  assign behind_set_o = (policy_i == polycast_pkg::VcPolicyKeep) ? behind_kept : behind_set;
  assign host_set_o   = (policy_i == polycast_pkg::VcPolicyKeep) ? host_kept : host_set;

`ifndef SYNTHESIS
  always_comb OneFateEach:
      assert final ($onehot0({short_i && valid_i, bad_kind_o, no_route_o, outputs_o != '0}))
    else $error("a packet is dropped for two reasons, or dropped and sent");
  always_comb OneBranchOfAUnicast: assert final (!unicast || choose || $onehot0(outputs_o))
    else $error("a unicast has several branches");
`endif

endmodule

`default_nettype wire
