// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The broadcast router: a virtual-channel router, a broadcast unit on the same links in a virtual
/// channel behind the router's own, and the merge of their outputs.
/// hw/chips/broadcast/broadcast_unit.md
/// describes it cycle by cycle.
///
/// Limits: those of router and unit.
module polycast_broadcast_router #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Full-duplex ports (4..16, ports x VCs <= 64).
  parameter int unsigned NumPorts      = 7,
  /// Virtual channels of the router; the unit's comes behind them (2..15).
  parameter int unsigned NumVcs        = 2,
  /// Flits of the buffer of an input VC, at least those of the longest header (13 bytes) where it
  /// is not free; one credit is one flit (1..4096).
  parameter int unsigned VcFlits       = 8,
  /// Bytes of a flit (13..64; 1..64 where the header is free).
  parameter int unsigned FlitBytes     = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Dimensions of the mesh or torus; ports 2d and 2d + 1 lead up and down dimension d, the others
  /// to hosts and units (1..4).
  parameter int unsigned Dimensions    = 2,
  /// Nodes in a dimension; node number = sum of coordinate d x radix^d; at most 2^24 nodes
  /// (2..1024).
  parameter int unsigned Radix         = 8,
  /// Entries of the route table; 0: dimension order only (0..65536).
  parameter int unsigned MaxNodes      = 0,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages    = 0,
  /// Broadcasts are copied, at most 16 ports; 0: broadcasts raise `bad_kind`.
  parameter bit          Copies        = 1'b1,
  /// Packets of a message (1..64).
  parameter int unsigned NumSlots      = 32,
  /// Flits of a packet (1..64).
  parameter int unsigned SlotFlits     = 8,
  /// Flits of the buffer behind the host port (1..64).
  parameter int unsigned InjectFlits   = 8,
  /// Bits of a round on the side wires; derived, do not set.
  parameter int unsigned SideRoundBits = 2,
  /// Virtual channels with the unit's; derived, do not set.
  parameter int unsigned AllVcs        = NumVcs + 1,
  /// Bits of the header pins of a port, as the router's; derived, do not set.
  parameter int unsigned HeaderPinBits = !HeaderFree ? 1 :
      polycast_pkg::TransportBits + polycast_pkg::CheckBits + polycast_pkg::PathListOffset +
      8 * (polycast_pkg::StopPortsOffset + 8)
) (
  /// Clock.
  input  wire logic                                clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input  wire logic                                rst_ni,

  /// A flit arrives.
  input  wire logic [NumPorts-1:0]                 flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic [NumPorts-1:0]                 flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic [NumPorts-1:0]                 flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input  wire logic [NumPorts*polycast_pkg::VcPinBits-1:0] flit_vc_i,
  /// Its data, port 0 in the lowest bits.
  input  wire logic [NumPorts*FlitBytes*8-1:0]     flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input  wire logic [NumPorts*HeaderPinBits-1:0]   flit_header_i,
  /// A flit, or chunk, of the input buffer has become free.
  output logic      [NumPorts-1:0]                 credit_o,
  /// The virtual channel of that buffer.
  output logic      [NumPorts*polycast_pkg::VcPinBits-1:0] credit_vc_o,

  /// A flit leaves.
  output logic      [NumPorts-1:0]                 flit_valid_o,
  /// It is the first flit of its packet.
  output logic      [NumPorts-1:0]                 flit_head_o,
  /// It is the last flit of its packet.
  output logic      [NumPorts-1:0]                 flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  output logic      [NumPorts*polycast_pkg::VcPinBits-1:0] flit_vc_o,
  /// Its data.
  output logic      [NumPorts*FlitBytes*8-1:0]     flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  output logic      [NumPorts*HeaderPinBits-1:0]   flit_header_o,
  /// A flit, or chunk, of the buffer at the other end has become free.
  input  wire logic [NumPorts-1:0]                 credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input  wire logic [NumPorts*polycast_pkg::VcPinBits-1:0] credit_vc_i,

  /// Side wires, the same for all ports: packets that are present or arriving.
  output logic      [NumSlots-1:0]                 side_have_o,
  /// The round.
  output logic      [SideRoundBits-1:0]            side_round_o,
  /// Packets of the neighbour at each port.
  input  wire logic [NumPorts*NumSlots-1:0]        side_have_i,
  /// Its round.
  input  wire logic [NumPorts*SideRoundBits-1:0]   side_round_i,
  /// Writes a configuration register; only while the chip is idle.
  input  wire logic                                cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                         cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                         cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// An event at an input of the unit.
  output logic      [NumPorts-1:0]                 event_valid_o,
  /// Its code, `polycast_pkg::BroadcastEvent...`.
  output logic      [NumPorts*polycast_pkg::BroadcastEventBits-1:0] event_code_o,
  /// Index of the packet.
  output logic      [NumPorts*polycast_pkg::PacketBits-1:0] event_packet_o,
  /// The chip is empty.
  output logic                                     idle_o,

  /// Flits in the buffer of each input virtual channel. Where not said otherwise what the router's
  /// probes show, the entries of the unit's channel are zero.
  output logic      [NumPorts*AllVcs*16-1:0]       probe_occupied_o,
  /// State of the packet at its front; of the unit's: the packet that is being taken, 1 accepted, 2
  /// discarded.
  output logic      [NumPorts*AllVcs*2-1:0]        probe_state_o,
  /// Outputs at which that packet has no virtual channel yet.
  output logic      [NumPorts*AllVcs*NumPorts-1:0] probe_waiting_o,
  /// Outputs at which it holds one.
  output logic      [NumPorts*AllVcs*NumPorts-1:0] probe_reading_o,
  /// Each output virtual channel is held by a packet; the unit's: one is leaving.
  output logic      [NumPorts*AllVcs-1:0]          probe_held_o,
  /// Entry that it comes from; zero while not held.
  output logic      [NumPorts*AllVcs*8-1:0]        probe_holder_o,
  /// Credits left of each output virtual channel; the unit's: packets that are due.
  output logic      [NumPorts*AllVcs*16-1:0]       probe_credits_o
);

  localparam int unsigned FlitBits = FlitBytes * 8;
  localparam int unsigned HostPort = 2 * Dimensions;

  typedef struct packed { logic [NumPorts-1:0][polycast_pkg::VcPinBits-1:0] at; } port_vc_pins_t;
  typedef struct packed { logic [NumPorts-1:0][AllVcs*16-1:0] at; } port_all_vcs_counts_t;
  typedef struct packed { logic [NumPorts-1:0][15:0] at; } port_counts_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs*16-1:0] at; } port_vcs_counts_t;
  typedef struct packed { logic [NumPorts-1:0][AllVcs*2-1:0] at; } port_all_vcs_states_t;
  typedef struct packed { logic [NumPorts-1:0][1:0] at; } port_states_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs*2-1:0] at; } port_vcs_states_t;
  typedef struct packed { logic [NumPorts-1:0][AllVcs*NumPorts-1:0] at; } port_all_vcs_ports_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs*NumPorts-1:0] at; } port_vcs_ports_t;
  typedef struct packed { logic [NumPorts-1:0][AllVcs-1:0] at; } port_all_vcs_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;
  typedef struct packed { logic [NumPorts*NumVcs-1:0][7:0] at; } ports_vc_numbers_t;
  typedef struct packed { logic [NumPorts*AllVcs-1:0][7:0] at; } ports_all_vc_numbers_t;

  port_vc_pins_t in_flit_vc, in_credit_vc, out_credit_vc, router_credit_vc, out_flit_vc, router_vc;
  port_all_vcs_counts_t probe_occupied, probe_credits;
  port_counts_t unit_occupied, unit_due;
  port_vcs_counts_t router_occupied, router_credits;
  port_all_vcs_states_t probe_state;
  port_states_t unit_state;
  port_vcs_states_t router_state;
  port_all_vcs_ports_t probe_waiting, probe_reading;
  port_vcs_ports_t router_waiting, router_reading;
  port_all_vcs_t probe_held;
  port_vcs_t router_held;
  ports_vc_numbers_t router_holder;
  ports_all_vc_numbers_t probe_holder;

  assign in_flit_vc = flit_vc_i;
  assign in_credit_vc = credit_vc_i;
  assign credit_vc_o = out_credit_vc;
  assign flit_vc_o = out_flit_vc;
  assign probe_occupied_o = probe_occupied;
  assign probe_state_o = probe_state;
  assign probe_waiting_o = probe_waiting;
  assign probe_reading_o = probe_reading;
  assign probe_held_o = probe_held;
  assign probe_credits_o = probe_credits;
  assign probe_holder_o = probe_holder;

  logic [NumPorts-1:0]                 of_unit, credit_of_unit;
  logic [NumPorts-1:0]                 next_valid, next_credit;
  logic [NumPorts-1:0]                 router_credit, router_valid, router_head, router_tail;
  logic [NumPorts*FlitBits-1:0]        router_data;
  logic [NumPorts*HeaderPinBits-1:0]   router_header;
  logic [NumPorts*polycast_pkg::NumErrors-1:0] router_error, unit_error;
  logic                                router_idle, unit_idle, unit_credit;
  logic [NumPorts-1:0]                 unit_valid, unit_head, unit_tail;
  logic [NumPorts*FlitBits-1:0]        unit_data;
  logic [NumPorts*HeaderPinBits-1:0]   unit_header;

  logic [NumPorts-1:0]                 unit_held;
  logic [NumPorts*16-1:0]              unused_corrected;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_split
    assign of_unit[p]        = in_flit_vc.at[p] == polycast_pkg::VcPinBits'(NumVcs);
    assign credit_of_unit[p] = in_credit_vc.at[p] == polycast_pkg::VcPinBits'(NumVcs);
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
    .flit_valid_i     (flit_valid_i & ~of_unit),
    .flit_head_i      (flit_head_i & ~of_unit),
    .flit_tail_i      (flit_tail_i & ~of_unit),
    .flit_vc_i,
    .flit_data_i,
    .flit_header_i,
    .credit_o         (router_credit),
    .credit_vc_o      (router_credit_vc),
    .flit_valid_o     (router_valid),
    .flit_head_o      (router_head),
    .flit_tail_o      (router_tail),
    .flit_vc_o        (router_vc),
    .flit_data_o      (router_data),
    .flit_header_o    (router_header),
    .next_valid_o     (next_valid),
    .next_credit_o    (next_credit),
    .credit_i         (credit_i & ~credit_of_unit),
    .credit_vc_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .error_o          (router_error),
    .idle_o           (router_idle),
    .probe_occupied_o (router_occupied),
    .probe_state_o    (router_state),
    .probe_waiting_o  (router_waiting),
    .probe_reading_o  (router_reading),
    .probe_held_o     (router_held),
    .probe_holder_o   (router_holder),
    .probe_credits_o  (router_credits),
    .probe_corrected_o(unused_corrected)
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
    assign credit              = p == HostPort && unit_credit;
    assign credit_o[p]         = router_credit[p] || credit;
    assign out_credit_vc.at[p] = router_credit_vc.at[p] |
        (credit ? polycast_pkg::VcPinBits'(NumVcs) : '0);
    assign out_flit_vc.at[p]   =
        router_vc.at[p] | (unit_valid[p] ? polycast_pkg::VcPinBits'(NumVcs) : '0);

    assign probe_occupied.at[p] = {unit_occupied.at[p], router_occupied.at[p]};
    assign probe_state.at[p]    = {unit_state.at[p], router_state.at[p]};
    assign probe_waiting.at[p] =
        {NumPorts'(0), router_waiting.at[p]};
    assign probe_reading.at[p] =
        {NumPorts'(0), router_reading.at[p]};
    assign probe_held.at[p]    = {unit_held[p], router_held.at[p]};
    assign probe_credits.at[p] = {unit_due.at[p], router_credits.at[p]};

    // The router counts its entries without the unit's.
    for (genvar v = 0; v < NumVcs; v++) begin : gen_holder
      logic [7:0] holder;
      assign holder                      = router_holder.at[p*NumVcs+v];
      assign probe_holder.at[p*AllVcs+v] = holder + holder / 8'(NumVcs);
    end
    assign probe_holder.at[p*AllVcs+NumVcs] = '0;
  end

`ifndef SYNTHESIS
  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (NumPorts < 4 || NumPorts > 16 || NumVcs < 2 || NumVcs > 15 || VcFlits < 1 || VcFlits > 4096 ||
      FlitBytes < 1 || FlitBytes > 64 || Dimensions < 1 || Dimensions > 4 || Radix < 2 ||
      Radix > 1024 || MaxNodes > 65536 || XbarStages > 15 || NumSlots < 1 || NumSlots > 64 ||
      SlotFlits < 1 || SlotFlits > 64 || InjectFlits < 1 || InjectFlits > 64 ||
      !(NumPorts > 2 * Dimensions) || !(HeaderFree || FlitBytes >= 13))
  begin : gen_bad_parameters
    $error("polycast_broadcast_router: a parameter is out of range");
  end

  OneOfBothSends:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (router_valid & unit_valid) == '0)
    else $error("router and unit send at one port");
  OneOfBothGivesACredit:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(router_credit[HostPort] &&
          unit_credit))
    else $error("router and unit give a credit at one port");
`endif

endmodule

`default_nettype wire
