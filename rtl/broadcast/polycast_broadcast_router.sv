// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The broadcast router: a virtual-channel router, a broadcast unit on the same links in a virtual channel behind the router's
/// own, and the merge of their outputs. hw/chips/broadcast_unit.md describes it cycle by cycle.
///
/// Limits: those of router and unit.
module polycast_broadcast_router #(
  /// Full-duplex ports, 4..16; ports x virtual channels <= 64.
  parameter int unsigned NumPorts      = 7,
  /// Virtual channels of the router, 2..15; the unit's comes behind them.
  parameter int unsigned NumVcs        = 2,
  /// Flits of the buffer of an input virtual channel, 1..4096, at least those of the longest header in flits.
  parameter int unsigned VcFlits       = 8,
  /// Bytes of a flit, 13..64; 1..64 where the header is free.
  parameter int unsigned FlitBytes     = 16,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Dimensions of the mesh or torus, 1..4; ports 2d and 2d + 1 lead up and down dimension d, the next one to the host.
  parameter int unsigned Dimensions    = 2,
  /// Nodes of a dimension, 2..1024; at most 2^24 nodes.
  parameter int unsigned Radix         = 8,
  /// Entries of the route table, 0..65536; 0: dimension order only.
  parameter int unsigned MaxNodes      = 0,
  /// Pipeline registers in the router's crossbar, 0..15.
  parameter int unsigned XbarStages    = 0,
  /// The router copies its own broadcasts.
  parameter bit          Copies        = 1'b1,
  /// Packets of a pipelined broadcast, 1..64.
  parameter int unsigned NumSlots      = 32,
  /// Flits of such a packet, 1..64.
  parameter int unsigned SlotFlits     = 8,
  /// Flits of the buffer in which the host's packets come in, 1..64.
  parameter int unsigned InjectFlits   = 8,
  /// Bits of the number of a virtual channel on the pins; derived, do not set.
  parameter int unsigned VcPinBits     = 4,
  /// Bits of a round on the side wires; derived, do not set.
  parameter int unsigned SideRoundBits = 2,
  /// Virtual channels with the unit's; derived, do not set.
  parameter int unsigned AllVcs        = NumVcs + 1,
  /// Bits of the header pins of a port, as the router's; derived, do not set.
  parameter int unsigned HeaderPinBits = !HeaderFree ? 1 : polycast_pkg::TransportBits + polycast_pkg::CheckBits +
      polycast_pkg::PathListOffset + 8 * (polycast_pkg::StopPortsOffset + 8)
) (
  /// Clock.
  input  wire logic                                        clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input  wire logic                                        rst_ni,

  /// A flit comes in.
  input  wire logic [NumPorts-1:0]                         flit_valid_i,
  /// It is the first of its packet.
  input  wire logic [NumPorts-1:0]                         flit_head_i,
  /// It is the last of its packet.
  input  wire logic [NumPorts-1:0]                         flit_tail_i,
  /// Its virtual channel, port 0 in the lowest bits.
  input  wire logic [NumPorts*VcPinBits-1:0]               flit_vc_i,
  /// Its data.
  input  wire logic [NumPorts*FlitBytes*8-1:0]             flit_data_i,
  /// The header of its packet beside the head flit; ignored where headers are in the flits.
  input  wire logic [NumPorts*HeaderPinBits-1:0]           flit_header_i,
  /// A flit has left an input buffer.
  output logic      [NumPorts-1:0]                         credit_o,
  /// The virtual channel of that buffer.
  output logic      [NumPorts*VcPinBits-1:0]               credit_vc_o,

  /// A flit leaves.
  output logic      [NumPorts-1:0]                         flit_valid_o,
  /// It is the first of its packet.
  output logic      [NumPorts-1:0]                         flit_head_o,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]                         flit_tail_o,
  /// Its virtual channel.
  output logic      [NumPorts*VcPinBits-1:0]               flit_vc_o,
  /// Its data.
  output logic      [NumPorts*FlitBytes*8-1:0]             flit_data_o,
  /// The header of its packet beside the head flit; zero where headers are in the flits.
  output logic      [NumPorts*HeaderPinBits-1:0]           flit_header_o,
  /// A flit has left a buffer at the other end.
  input  wire logic [NumPorts-1:0]                         credit_i,
  /// The virtual channel of that buffer.
  input  wire logic [NumPorts*VcPinBits-1:0]               credit_vc_i,

  /// Side wires, the same for all ports: packets that are there or coming in.
  output logic      [NumSlots-1:0]                         side_have_o,
  /// The round.
  output logic      [SideRoundBits-1:0]                    side_round_o,
  /// The same of the neighbour at each port.
  input  wire logic [NumPorts*NumSlots-1:0]                side_have_i,
  input  wire logic [NumPorts*SideRoundBits-1:0]           side_round_i,

  /// Writes a configuration register; only while the chip is idle.
  input  wire logic                                        cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                                 cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                                 cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// An event at an input of the unit.
  output logic      [NumPorts-1:0]                         event_valid_o,
  /// What it is, `polycast_pkg::BroadcastEvent...`.
  output logic      [NumPorts*polycast_pkg::BroadcastEventBits-1:0] event_code_o,
  /// Index of the packet.
  output logic      [NumPorts*polycast_pkg::PacketBits-1:0] event_packet_o,
  /// Nothing is inside.
  output logic                                             idle_o,

  /// Flits in the buffer of each input virtual channel: entry port x AllVcs + channel, here and below. Where not said
  /// otherwise what the router's probes show, the entries of the unit's channel are zero.
  output logic      [NumPorts*AllVcs*16-1:0]               probe_occupied_o,
  /// State of the packet at its front; of the unit's: the packet that is being taken, 1 accepted, 2 discarded.
  output logic      [NumPorts*AllVcs*2-1:0]                probe_state_o,
  /// Outputs at which it has no virtual channel yet.
  output logic      [NumPorts*AllVcs*NumPorts-1:0]         probe_waiting_o,
  /// Outputs at which it holds one.
  output logic      [NumPorts*AllVcs*NumPorts-1:0]         probe_reading_o,
  /// Each output virtual channel is held by a packet; the unit's: one is leaving.
  output logic      [NumPorts*AllVcs-1:0]                  probe_held_o,
  /// Entry that it comes from; zero while not held.
  output logic      [NumPorts*AllVcs*8-1:0]                probe_holder_o,
  /// Credits left of each output virtual channel; the unit's: packets that are due.
  output logic      [NumPorts*AllVcs*16-1:0]               probe_credits_o
);

  localparam int unsigned FlitBits = FlitBytes * 8;
  localparam int unsigned HostPort = 2 * Dimensions;

  logic [NumPorts-1:0]                 of_unit, credit_of_unit;
  logic [NumPorts-1:0]                 next_valid, next_credit;
  logic [NumPorts-1:0]                 router_credit, router_valid, router_head, router_tail;
  logic [NumPorts*VcPinBits-1:0]       router_credit_vc, router_vc;
  logic [NumPorts*FlitBits-1:0]        router_data;
  logic [NumPorts*HeaderPinBits-1:0]   router_header;
  logic [NumPorts*polycast_pkg::NumErrors-1:0] router_error, unit_error;
  logic                                router_idle, unit_idle, unit_credit;
  logic [NumPorts-1:0]                 unit_valid, unit_head, unit_tail;
  logic [NumPorts*FlitBits-1:0]        unit_data;
  logic [NumPorts*HeaderPinBits-1:0]   unit_header;

  logic [NumPorts*NumVcs*16-1:0]       router_occupied, router_credits;
  logic [NumPorts*NumVcs*2-1:0]        router_state;
  logic [NumPorts*NumVcs*NumPorts-1:0] router_waiting, router_reading;
  logic [NumPorts*NumVcs-1:0]          router_held;
  logic [NumPorts*NumVcs*8-1:0]        router_holder;
  logic [NumPorts*16-1:0]              unit_occupied, unit_due;
  logic [NumPorts*2-1:0]               unit_state;
  logic [NumPorts-1:0]                 unit_held;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_split
    assign of_unit[p]        = flit_vc_i[p*VcPinBits+:VcPinBits] == VcPinBits'(NumVcs);
    assign credit_of_unit[p] = credit_vc_i[p*VcPinBits+:VcPinBits] == VcPinBits'(NumVcs);
  end

  polycast_router #(
    .NumPorts  (NumPorts),
    .NumVcs    (NumVcs),
    .VcFlits   (VcFlits),
    .FlitBytes (FlitBytes),
    .HeaderFree(HeaderFree),
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .MaxNodes  (MaxNodes),
    .XbarStages(XbarStages),
    .Copies    (Copies)
  ) i_router (
    .clk_i,
    .rst_ni,
    .flit_valid_i    (flit_valid_i & ~of_unit),
    .flit_head_i     (flit_head_i & ~of_unit),
    .flit_tail_i     (flit_tail_i & ~of_unit),
    .flit_vc_i,
    .flit_data_i,
    .flit_header_i,
    .credit_o        (router_credit),
    .credit_vc_o     (router_credit_vc),
    .flit_valid_o    (router_valid),
    .flit_head_o     (router_head),
    .flit_tail_o     (router_tail),
    .flit_vc_o       (router_vc),
    .flit_data_o     (router_data),
    .flit_header_o   (router_header),
    .next_valid_o    (next_valid),
    .next_credit_o   (next_credit),
    .credit_i        (credit_i & ~credit_of_unit),
    .credit_vc_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .error_o         (router_error),
    .idle_o          (router_idle),
    .probe_occupied_o(router_occupied),
    .probe_state_o   (router_state),
    .probe_waiting_o (router_waiting),
    .probe_reading_o (router_reading),
    .probe_held_o    (router_held),
    .probe_holder_o  (router_holder),
    .probe_credits_o (router_credits)
  );

  polycast_broadcast_unit #(
    .NumPorts     (NumPorts),
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .Dimensions   (Dimensions),
    .Radix        (Radix),
    .NumSlots     (NumSlots),
    .SlotFlits    (SlotFlits),
    .InjectFlits  (InjectFlits),
    .HeaderPinBits(HeaderPinBits)
  ) i_unit (
    .clk_i,
    .rst_ni,
    .flit_valid_i    (flit_valid_i & of_unit),
    .flit_head_i     (flit_head_i & of_unit),
    .flit_tail_i     (flit_tail_i & of_unit),
    .flit_data_i,
    .flit_header_i,
    .credit_o        (unit_credit),
    .flit_valid_o    (unit_valid),
    .flit_head_o     (unit_head),
    .flit_tail_o     (unit_tail),
    .flit_data_o     (unit_data),
    .flit_header_o   (unit_header),
    .credit_i        (credit_i[HostPort] && credit_of_unit[HostPort]),
    .taken_i         (next_valid),
    .credit_taken_i  (next_credit[HostPort]),
    .side_have_o,
    .side_round_o,
    .side_have_i,
    .side_round_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .error_o         (unit_error),
    .event_valid_o,
    .event_code_o,
    .event_packet_o,
    .idle_o          (unit_idle),
    .probe_occupied_o(unit_occupied),
    .probe_state_o   (unit_state),
    .probe_held_o    (unit_held),
    .probe_due_o     (unit_due)
  );

  // Only one of both says something, and what says nothing is zero.
  assign flit_valid_o  = router_valid | unit_valid;
  assign flit_head_o   = router_head | unit_head;
  assign flit_tail_o   = router_tail | unit_tail;
  assign flit_data_o   = router_data | unit_data;
  assign flit_header_o = router_header | unit_header;
  assign error_o       = router_error | unit_error;
  assign idle_o        = router_idle && unit_idle;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic credit;
    assign credit      = p == HostPort && unit_credit;
    assign credit_o[p] = router_credit[p] || credit;
    assign credit_vc_o[p*VcPinBits+:VcPinBits] = router_credit_vc[p*VcPinBits+:VcPinBits] | (credit ? VcPinBits'(NumVcs) : '0);
    assign flit_vc_o[p*VcPinBits+:VcPinBits] = router_vc[p*VcPinBits+:VcPinBits] | (unit_valid[p] ? VcPinBits'(NumVcs) : '0);

    assign probe_occupied_o[p*AllVcs*16+:AllVcs*16] = {unit_occupied[p*16+:16], router_occupied[p*NumVcs*16+:NumVcs*16]};
    assign probe_state_o[p*AllVcs*2+:AllVcs*2]      = {unit_state[p*2+:2], router_state[p*NumVcs*2+:NumVcs*2]};
    assign probe_waiting_o[p*AllVcs*NumPorts+:AllVcs*NumPorts] =
        {NumPorts'(0), router_waiting[p*NumVcs*NumPorts+:NumVcs*NumPorts]};
    assign probe_reading_o[p*AllVcs*NumPorts+:AllVcs*NumPorts] =
        {NumPorts'(0), router_reading[p*NumVcs*NumPorts+:NumVcs*NumPorts]};
    assign probe_held_o[p*AllVcs+:AllVcs]           = {unit_held[p], router_held[p*NumVcs+:NumVcs]};
    assign probe_credits_o[p*AllVcs*16+:AllVcs*16]  = {unit_due[p*16+:16], router_credits[p*NumVcs*16+:NumVcs*16]};

    // The router counts its entries without the unit's.
    for (genvar v = 0; v < NumVcs; v++) begin : gen_holder
      logic [7:0] holder;
      assign holder = router_holder[(p*NumVcs+v)*8+:8];
      assign probe_holder_o[(p*AllVcs+v)*8+:8] = holder + holder / 8'(NumVcs);
    end
    assign probe_holder_o[(p*AllVcs+NumVcs)*8+:8] = '0;
  end

`ifndef SYNTHESIS
  if (NumPorts < 4 || NumPorts > 16 || NumVcs < 2 || NumVcs > 15) begin : gen_bad_parameters
    $error("polycast_broadcast_router: a parameter is out of range");
  end

  OneOfBothSends: assert property (@(posedge clk_i) disable iff (!rst_ni) (router_valid & unit_valid) == '0)
    else $error("router and unit send at one port");
  OneOfBothGivesACredit: assert property (@(posedge clk_i) disable iff (!rst_ni) !(router_credit[HostPort] && unit_credit))
    else $error("router and unit give a credit at one port");
`endif

endmodule

`default_nettype wire
