// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The virtual-channel router: wormhole or virtual cut-through, a buffer per input and virtual
/// channel, flit-level switch allocation, dimension-order or table routing with or without a
/// choice, broadcasts that are copied. hw/chips/router/router.md describes it cycle by cycle.
///
/// Limits: a radix that is no power of two costs dividers; a worm that holds virtual channels of
/// several outputs needs buffers that take it whole.
module polycast_router #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Full-duplex ports (2..32, ports x VCs <= 64).
  parameter int unsigned NumPorts       = 5,
  /// Virtual channels of every port (1..16).
  parameter int unsigned NumVcs         = 4,
  /// Flits of the buffer of an input VC, at least those of the longest header (13 bytes) where it
  /// is not free; one credit is one flit (1..4096).
  parameter int unsigned VcFlits        = 8,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes      = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree     = 1'b0,
  /// Dimensions of the mesh or torus; ports 2d and 2d + 1 lead up and down dimension d, the others
  /// to hosts and units (1..4).
  parameter int unsigned Dimensions     = 2,
  /// Nodes in a dimension; node number = sum of coordinate d x radix^d; at most 2^24 nodes
  /// (2..1024).
  parameter int unsigned Radix          = 8,
  /// Entries of the route table; 0: dimension order only (0..65536).
  parameter int unsigned MaxNodes       = 0,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages     = 0,
  /// Broadcasts are copied, at most 16 ports; 0: broadcasts raise `bad_kind`.
  parameter bit          Copies         = 1'b1,
  /// A packet may choose among the ports of its route, which needs a route table; 0: the logic is
  /// absent.
  parameter bit          Adaptive       = 1'b0,
  /// Code of flits in input buffers: 0 none, 1 parity, 2 SECDED (0..2).
  parameter int unsigned ProtectBuffers = 0,
  /// Code of the route table, likewise; needs one (0..2).
  parameter int unsigned ProtectRoutes  = 0,
  /// Code of credit counters, likewise (0..2).
  parameter int unsigned ProtectCredits = 0,
  /// Sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none
  /// (0..65536).
  parameter int unsigned MaxSources     = 0,
  /// Bits of the header pins of a port: those of a switch with 32 hosts and 8 stops of 8 ports;
  /// derived, do not set.
  parameter int unsigned HeaderPinBits  = !HeaderFree ? 1 :
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

  /// The output register takes a flit: one leaves in the next cycle.
  output logic      [NumPorts-1:0]                 next_valid_o,
  /// The credit register takes a credit.
  output logic      [NumPorts-1:0]                 next_credit_o,
  /// Writes a configuration register; only while the chip is idle.
  input  wire logic                                cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                         cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                         cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// The chip is empty.
  output logic                                     idle_o,

  /// Flits in the buffer of each input virtual channel.
  output logic      [NumPorts*NumVcs*16-1:0]       probe_occupied_o,
  /// State of the packet at its front: 0 none, 1 not routed yet, 2 active, 3 dropped.
  output logic      [NumPorts*NumVcs*2-1:0]        probe_state_o,
  /// Outputs at which that packet has no virtual channel yet.
  output logic      [NumPorts*NumVcs*NumPorts-1:0] probe_waiting_o,
  /// Outputs at which it holds one.
  output logic      [NumPorts*NumVcs*NumPorts-1:0] probe_reading_o,
  /// Each output virtual channel is held by a packet.
  output logic      [NumPorts*NumVcs-1:0]          probe_held_o,
  /// Input virtual channel of that packet; zero while not held.
  output logic      [NumPorts*NumVcs*8-1:0]        probe_holder_o,
  /// Credits left of each output virtual channel.
  output logic      [NumPorts*NumVcs*16-1:0]       probe_credits_o,
  /// Cycles in which codes of memories corrected something at each port, up to 65,535; zero without
  /// codes.
  output logic      [NumPorts*16-1:0]              probe_corrected_o
);

  localparam int unsigned FlitBits      = FlitBytes * 8;
  localparam int unsigned CountBits     = $clog2(VcFlits + 1);
  localparam int unsigned CoordBits     = $clog2(Radix);
  localparam int unsigned FlitCountBits = 16;
  localparam int unsigned DelayBits     = 4;
  localparam int unsigned CreditBits    = 16;
  localparam int unsigned IterationBits = 3;
  localparam int unsigned Directions    = 2 * Dimensions;
  localparam int unsigned InputVcs      = NumPorts * NumVcs;
  localparam int unsigned HolderBits    = $clog2(InputVcs);
  localparam int unsigned VcBits        = NumVcs > 1 ? $clog2(NumVcs) : 1;
  localparam int unsigned LoadBits      = $clog2(InputVcs * VcFlits + 1);
  localparam int unsigned SetTableBits  = 2 * NumVcs << polycast_pkg::VcClassBits;
  localparam int unsigned CounterBits   = CreditBits +
      (ProtectCredits == 32'(polycast_pkg::ProtectionParity) ? (CreditBits + 7) / 8 :
       ProtectCredits == 32'(polycast_pkg::ProtectionSecded) ? (CreditBits + 31) / 32 * 7 : 0);
  // What crosses the router for each reader: head, virtual channels that it may take; and once for
  // each input: its virtual channel, tail, header, data.
  localparam int unsigned ReadBits      = 1 + NumVcs;
  localparam int unsigned SideBits      = HolderBits + 1 + HeaderPinBits + FlitBits;

  typedef struct packed { logic [NumPorts-1:0][ReadBits-1:0] at; } port_reads_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_pkg::VcPinBits-1:0] at; } port_vc_pins_t;
  typedef struct packed { logic [NumPorts-1:0][FlitBits-1:0] at; } port_flits_t;
  typedef struct packed { logic [NumPorts-1:0][HeaderPinBits-1:0] at; } port_header_pins_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed {
    logic [NumPorts-1:0][polycast_pkg::DestinationBits-1:0] at;
  } port_destinations_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs*NumPorts-1:0] at; } port_vcs_ports_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_pkg::NumErrors-1:0] at; } port_errors_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs*2-1:0] at; } port_vcs_states_t;
  typedef struct packed { logic [NumPorts*NumVcs-1:0][15:0] at; } ports_vc_counts_t;
  typedef struct packed { logic [NumPorts*NumPorts-1:0][ReadBits-1:0] at; } ports_port_reads_t;
  typedef struct packed { logic [NumPorts-1:0][SideBits-1:0] at; } port_sides_t;
  typedef struct packed { logic [NumPorts-1:0][CreditBits-1:0] at; } port_credits_t;

  port_vc_pins_t in_flit_vc, credit_vc_d, out_flit_vc, credit_vc;
  port_flits_t in_flit_data, out_flit_data;
  port_header_pins_t in_flit_header, out_flit_header;
  port_matrix_t routed, lookup_mask, gnt;
  port_destinations_t lookup_destination, source;
  port_vcs_ports_t go, probe_waiting, probe_reading;
  port_vcs_t drop, read_vc, output_vc, usable, credit_left, held;
  port_errors_t input_error, output_error;
  port_vcs_states_t probe_state;
  ports_vc_counts_t probe_occupied;
  ports_port_reads_t read_bits;
  port_sides_t side_bits, output_side;
  port_reads_t output_bits;
  port_credits_t credits;
  logic [NumPorts*LoadBits-1:0] load;

  assign {in_flit_vc, in_flit_data, in_flit_header} = {flit_vc_i, flit_data_i, flit_header_i};
  assign credit_vc = credit_vc_i;
  assign {flit_vc_o, flit_data_o, flit_header_o} = {out_flit_vc, out_flit_data, out_flit_header};
  assign {probe_state_o, probe_waiting_o, probe_reading_o, probe_occupied_o} =
      {probe_state, probe_waiting, probe_reading, probe_occupied};
  assign {probe_held_o, next_credit_o} = {held, credit_d};

  logic [Dimensions*CoordBits-1:0]              own;
  logic                                         even, table_routing, choose, least_loaded, upset;
  logic [Dimensions-1:0]                        wrap;
  logic [DelayBits-1:0]                         route_delay;
  logic [polycast_pkg::RouterAllocatorBits-1:0] allocator;
  logic [IterationBits-1:0]                     iterations;
  logic [CreditBits-1:0]                        reserve;
  logic [FlitCountBits-1:0]                     packet_limit;
  logic [polycast_pkg::VcPolicyBits-1:0]        policy;
  logic [15:0]                                  seed;
  logic [NumPorts-1:0]                          credits_we, connected, upset_buffer;
  logic [SetTableBits-1:0]                      vc_sets;
  logic [23:0]                                  upset_place, upset_bit;
  logic [NumPorts*NumVcs*CounterBits-1:0]       upset_credits;

  logic [NumPorts-1:0] lookup, read, read_tail, input_idle, output_empty, credit_d,
      route_corrected, route_failed, input_corrected, output_corrected, source_valid, foreign;

  polycast_router_config #(
    .NumPorts     (NumPorts),
    .NumVcs       (NumVcs),
    .Dimensions   (Dimensions),
    .Radix        (Radix),
    .MaxNodes     (MaxNodes),
    .Adaptive     (Adaptive),
    .VcFlits      (VcFlits),
    .FlitCountBits(FlitCountBits),
    .DelayBits    (DelayBits),
    .CreditBits   (CreditBits),
    .IterationBits(IterationBits),
    .Protection   (ProtectRoutes),
    .CounterBits  (CounterBits),
    .MaxSources   (MaxSources)
  ) i_config (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .own_o               (own),
    .even_o              (even),
    .wrap_o              (wrap),
    .table_o             (table_routing),
    .route_delay_o       (route_delay),
    .allocator_o         (allocator),
    .iterations_o        (iterations),
    .reserve_o           (reserve),
    .packet_limit_o      (packet_limit),
    .policy_o            (policy),
    .choose_o            (choose),
    .least_loaded_o      (least_loaded),
    .seed_o              (seed),
    .credits_o           (credits),
    .credits_we_o        (credits_we),
    .connected_o         (connected),
    .upset_o             (upset),
    .upset_buffer_o      (upset_buffer),
    .upset_place_o       (upset_place),
    .upset_bit_o         (upset_bit),
    .upset_credits_o     (upset_credits),
    .vc_sets_o           (vc_sets),
    .lookup_i            (lookup),
    .lookup_destination_i(lookup_destination),
    .lookup_mask_o       (lookup_mask),
    .corrected_o         (route_corrected),
    .failed_o            (route_failed),
    .source_valid_i      (source_valid),
    .source_i            (source),
    .foreign_o           (foreign)
  );

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumVcs-1:0]           read_vc_here;
    logic [NumVcs*CountBits-1:0] occupied;
    logic [NumPorts-1:0]         head;
    logic [NumPorts*NumVcs-1:0]  want;
    logic [HolderBits-1:0]       holder;
    logic [VcBits-1:0]           free_vc;
    logic                        tail;
    logic [FlitBits-1:0]         data;
    logic [HeaderPinBits-1:0]    header;

    assign read_vc_here = read_vc.at[i];

    polycast_router_input #(
      .NumPorts     (NumPorts),
      .NumVcs       (NumVcs),
      .VcFlits      (VcFlits),
      .FlitBytes    (FlitBytes),
      .HeaderFree   (HeaderFree),
      .Dimensions   (Dimensions),
      .Radix        (Radix),
      .Copies       (Copies),
      .Adaptive     (Adaptive),
      .Number       (i),
      .Protection   (ProtectBuffers),
      .CreditBits   (CreditBits),
      .LoadBits     (LoadBits),
      .FlitCountBits(FlitCountBits),
      .DelayBits    (DelayBits),
      .HeaderPinBits(HeaderPinBits)
    ) i_input (
      .clk_i,
      .rst_ni,
      .flit_valid_i        (flit_valid_i[i]),
      .flit_head_i         (flit_head_i[i]),
      .flit_tail_i         (flit_tail_i[i]),
      .flit_vc_i           (in_flit_vc.at[i]),
      .flit_data_i         (in_flit_data.at[i]),
      .flit_header_i       (in_flit_header.at[i]),
      .packet_limit_i      (packet_limit),
      .route_delay_i       (route_delay),
      .own_i               (own),
      .even_i              (even),
      .wrap_i              (wrap),
      .table_i             (table_routing),
      .choose_i            (choose),
      .least_loaded_i      (least_loaded),
      .seed_i              (seed),
      .load_i              (load),
      .credits_i           (probe_credits_o),
      .routed_o            (routed.at[i]),
      .policy_i            (policy),
      .connected_i         (connected),
      .vc_sets_i           (vc_sets),
      .lookup_o            (lookup[i]),
      .lookup_destination_o(lookup_destination.at[i]),
      .lookup_mask_i       (lookup_mask.at[i]),
      .lookup_corrected_i  (route_corrected[i]),
      .lookup_failed_i     (route_failed[i]),
      .source_valid_o      (source_valid[i]),
      .source_o            (source.at[i]),
      .foreign_i           (foreign[i]),
      .usable_i            (usable),
      .credit_left_i       (credit_left),
      .upset_i             (upset_buffer[i]),
      .upset_place_i       (upset_place),
      .upset_bit_i         (upset_bit),
      .go_o                (go.at[i]),
      .drop_o              (drop.at[i]),
      .read_vc_i           (read_vc_here),
      .gnt_i               (gnt.at[i]),
      .vc_i                (output_vc),
      .read_head_o         (head),
      .read_want_o         (want),
      .read_tail_o         (tail),
      .read_data_o         (data),
      .read_header_o       (header),
      .read_holder_o       (holder),
      .credit_o            (credit_d[i]),
      .credit_vc_o         (free_vc),
      .corrected_o         (input_corrected[i]),
      .error_o             (input_error.at[i]),
      .idle_o              (input_idle[i]),
      .occupied_o          (occupied),
      .state_o             (probe_state.at[i]),
      .waiting_o           (probe_waiting.at[i]),
      .reading_o           (probe_reading.at[i])
    );

    assign credit_vc_d.at[i] = NumVcs > 1 ? polycast_pkg::VcPinBits'(free_vc) : '0;
    for (genvar v = 0; v < NumVcs; v++) begin : gen_occupied
      assign probe_occupied.at[i*NumVcs+v] = 16'(occupied[v*CountBits+:CountBits]);
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_read
      assign read_bits.at[i*NumPorts+o] = {head[o], want[o*NumVcs+:NumVcs]};
    end
    assign side_bits.at[i] = {holder, tail, header, data};
  end

  polycast_router_allocator #(
    .NumPorts     (NumPorts),
    .NumVcs       (NumVcs),
    .IterationBits(IterationBits)
  ) i_allocator (
    .clk_i,
    .rst_ni,
    .allocator_i (allocator),
    .iterations_i(iterations),
    .go_i        (go),
    .drop_i      (drop),
    .read_vc_o   (read_vc),
    .gnt_o       (gnt)
  );

  polycast_crossbar #(
    .NumPorts(NumPorts),
    .Width   (ReadBits),
    .SideBits(SideBits)
  ) i_crossbar (
    .read_i(gnt),
    .data_i(read_bits),
    .side_i(side_bits),
    .read_o(read),
    .data_o(output_bits),
    .side_o(output_side)
  );

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic                     read_head;
    logic [NumVcs-1:0]        read_want;
    logic [HolderBits-1:0]    read_holder;
    logic [HeaderPinBits-1:0] read_header;
    logic [FlitBits-1:0]      read_data;

    assign {read_head, read_want}                              = output_bits.at[o];
    assign {read_holder, read_tail[o], read_header, read_data} = output_side.at[o];

    polycast_router_output #(
      .NumVcs       (NumVcs),
      .FlitBytes    (FlitBytes),
      .XbarStages   (XbarStages),
      .CreditBits   (CreditBits),
      .HeaderPinBits(HeaderPinBits),
      .HolderBits   (HolderBits),
      .Protection   (ProtectCredits),
      .CounterBits  (CounterBits)
    ) i_output (
      .clk_i,
      .rst_ni,
      .credits_i        (credits.at[o]),
      .credits_we_i     (credits_we[o]),
      .reserve_i        (reserve),
      .read_i           (read[o]),
      .read_head_i      (read_head),
      .read_want_i      (read_want),
      .read_tail_i      (read_tail[o]),
      .read_holder_i    (read_holder),
      .read_data_i      (read_data),
      .read_header_i    (read_header),
      .read_vc_o        (output_vc.at[o]),
      .usable_o         (usable.at[o]),
      .credit_left_o    (credit_left.at[o]),
      .next_valid_o     (next_valid_o[o]),
      .flit_valid_o     (flit_valid_o[o]),
      .flit_head_o      (flit_head_o[o]),
      .flit_tail_o      (flit_tail_o[o]),
      .flit_vc_o        (out_flit_vc.at[o]),
      .flit_data_o      (out_flit_data.at[o]),
      .flit_header_o    (out_flit_header.at[o]),
      .credit_i         (credit_i[o]),
      .credit_vc_i      (credit_vc.at[o]),
      .upset_credits_i  (upset_credits[o*NumVcs*CounterBits+:NumVcs*CounterBits]),
      .corrected_o      (output_corrected[o]),
      .error_o          (output_error.at[o]),
      .empty_o          (output_empty[o]),
      .held_o           (held.at[o]),
      .probe_holder_o   (probe_holder_o[o*NumVcs*8+:NumVcs*8]),
      .probe_credits_o  (probe_credits_o[o*NumVcs*16+:NumVcs*16])
    );
  end

  polycast_output_loads #(
    .NumPorts(NumPorts),
    .LoadBits(LoadBits),
    .Adaptive(Adaptive)
  ) i_loads (
    .clk_i,
    .rst_ni,
    .routed_i(routed),
    .tail_i  (read & read_tail),
    .load_o  (load)
  );

  // Credits and errors leave through registers like everything else.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {credit_o, credit_vc_o, error_o} <= '0;
    end else begin
      {credit_o, credit_vc_o, error_o} <= {credit_d, credit_vc_d, input_error | output_error};
    end
  end

  polycast_correction_counts #(
    .NumPorts (NumPorts),
    .Corrected((ProtectBuffers | ProtectRoutes | ProtectCredits) > 1)
  ) i_correction_counts (
    .clk_i,
    .rst_ni,
    .input_i (input_corrected),
    .output_i(output_corrected),
    .count_o (probe_corrected_o)
  );

  assign idle_o = input_idle == '1 && output_empty == '1 && credit_o == '0 && error_o == '0;

`ifndef SYNTHESIS
  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (NumPorts < 2 || NumPorts > 32 || NumVcs < 1 || NumVcs > 16 || VcFlits < 1 || VcFlits > 4096 ||
      FlitBytes < 1 || FlitBytes > 64 || Dimensions < 1 || Dimensions > 4 || Radix < 2 ||
      Radix > 1024 || MaxNodes > 65536 || XbarStages > 15 || ProtectBuffers > 2 ||
      ProtectRoutes > 2 || ProtectCredits > 2 || MaxSources > 65536 || !(NumPorts * NumVcs <= 64) ||
      !(64'(Radix) ** Dimensions <= 16777216) || !(HeaderFree || VcFlits * FlitBytes >= 13) ||
      !(!Adaptive || MaxNodes > 0) || !(!Copies || NumPorts <= 16) || !(ProtectRoutes == 0 ||
      MaxNodes > 0))
  begin : gen_bad_parameters
    $error("polycast_router: a parameter is out of range");
  end

  ConfiguredOnlyWhileIdle:
      assert property (@(posedge clk_i) disable iff (!rst_ni) cfg_valid_i && !upset |-> idle_o)
    else $error("configuration written while the router is not idle");
  IdleHoldsNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> held == '0)
    else $error("the router is idle, but an output virtual channel is held");
  DimensionOrderHasHosts: assert property (@(posedge clk_i) disable iff (!rst_ni)
      flit_valid_i != '0 |-> table_routing || NumPorts > Directions)
    else $error("dimension order without a port for hosts");
`endif

endmodule

`default_nettype wire
