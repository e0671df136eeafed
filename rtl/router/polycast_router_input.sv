// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One input port of the router: its virtual channels, the memory of their flits, headers and
/// routes. Steps 1, 2, 4 and 5 of hw/chips/router/router.md.
module polycast_router_input #(
  /// Ports of the router.
  parameter int unsigned NumPorts      = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Flits of the buffer of a virtual channel.
  parameter int unsigned VcFlits       = 8,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 16,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Dimensions.
  parameter int unsigned Dimensions    = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix         = 8,
  /// Broadcasts are copied.
  parameter bit          Copies        = 1'b1,
  /// Packets may choose among the ports of a route.
  parameter bit          Adaptive      = 1'b0,
  /// Number of this port.
  parameter int unsigned Number        = 0,
  /// Code of flits, `polycast_pkg::Protection...`.
  parameter int unsigned Protection    = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a number of credits.
  parameter int unsigned CreditBits    = 16,
  /// Bits of a load.
  parameter int unsigned LoadBits      = 8,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits = 16,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits     = 4,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Bits of a number of flits; derived, do not set.
  parameter int unsigned CountBits     = $clog2(VcFlits + 1),
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits     = $clog2(Radix),
  /// Bits of the number of a virtual channel; derived, do not set.
  parameter int unsigned VcBits        = NumVcs > 1 ? $clog2(NumVcs) : 1,
  /// Bits of the number of an input virtual channel of the router; derived, do not set.
  parameter int unsigned HolderBits    = $clog2(NumPorts * NumVcs),
  /// Bits of the sets of virtual channels; derived, do not set.
  parameter int unsigned SetTableBits  = 2 * NumVcs << polycast_pkg::VcClassBits
) (
  /// Clock.
  input  wire logic                                  clk_i,
  /// Asynchronous reset, active low: nothing is inside.
  input  wire logic                                  rst_ni,
  /// A flit comes in.
  input  wire logic                                  flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                                  flit_head_i,
  /// It is the last of its packet.
  input  wire logic                                  flit_tail_i,
  /// Its virtual channel.
  input  wire logic [polycast_pkg::VcPinBits-1:0]                  flit_vc_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]                flit_data_i,
  /// The header of its packet, where it comes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]              flit_header_i,
  /// Longest packet in flits.
  input  wire logic [FlitCountBits-1:0]              packet_limit_i,
  /// Cycles of routing.
  input  wire logic [DelayBits-1:0]                  route_delay_i,
  /// Coordinates of this node.
  input  wire logic [Dimensions*CoordBits-1:0]       own_i,
  /// Their sum is even.
  input  wire logic                                  even_i,
  /// Dimensions that are rings.
  input  wire logic [Dimensions-1:0]                 wrap_i,
  /// Routes come from the table.
  input  wire logic                                  table_i,
  /// Packets choose among the ports of a route. This and what follows is not read without
  /// `Adaptive`.
  input  wire logic                                  choose_i,
  /// By load and credits before they do at random.
  input  wire logic                                  least_loaded_i,
  /// Where the random numbers begin.
  input  wire logic [15:0]                           seed_i,
  /// Packets on their way to each output, registered.
  input  wire logic [NumPorts*LoadBits-1:0]          load_i,
  /// Credits left of each output virtual channel, registered.
  input  wire logic [NumPorts*NumVcs*CreditBits-1:0] credits_i,
  /// Outputs to which a packet is routed in this cycle.
  output logic      [NumPorts-1:0]                   routed_o,
  /// How a packet's virtual channel is chosen.
  input  wire logic [polycast_pkg::VcPolicyBits-1:0] policy_i,
  /// Ports that are not open.
  input  wire logic [NumPorts-1:0]                   connected_i,
  /// Virtual channels of each class and side.
  input  wire logic [SetTableBits-1:0]               vc_sets_i,
  /// The table is to be read at the destination.
  output logic                                       lookup_o,
  /// The destination.
  output logic      [polycast_pkg::DestinationBits-1:0] lookup_destination_o,
  /// What the table says.
  input  wire logic [NumPorts-1:0]                   lookup_mask_i,
  /// Its code corrects it.
  input  wire logic                                  lookup_corrected_i,
  /// Its code cannot.
  input  wire logic                                  lookup_failed_i,
  /// A header is complete: may its source send here?
  output logic                                       source_valid_o,
  /// Its source.
  output logic      [polycast_pkg::SourceBits-1:0]   source_o,
  /// It may not.
  input  wire logic                                  foreign_i,
  /// Output virtual channels that may be given to a packet, registered.
  input  wire logic [NumPorts*NumVcs-1:0]            usable_i,
  /// Output virtual channels with a credit left, registered.
  input  wire logic [NumPorts*NumVcs-1:0]            credit_left_i,
  /// A bit of a flit in the memory flips at the end of the cycle, those of its code last; in
  /// simulation only.
  input  wire logic                                  upset_i,
  /// Where the flit is: virtual channel x `VcFlits` + place in its buffer.
  input  wire logic [23:0]                           upset_place_i,
  /// The bit.
  input  wire logic [23:0]                           upset_bit_i,
  /// Branches of each virtual channel that can go: channel 0 in the lowest bits.
  output logic      [NumVcs*NumPorts-1:0]            go_o,
  /// Virtual channels with a packet that is dropped and can go.
  output logic      [NumVcs-1:0]                     drop_o,
  /// The virtual channel that is read in this cycle, one-hot.
  input  wire logic [NumVcs-1:0]                     read_vc_i,
  /// Outputs that read it; none: the flit is dropped.
  input  wire logic [NumPorts-1:0]                   gnt_i,
  /// The output virtual channel that it takes at each of those, one-hot.
  input  wire logic [NumPorts*NumVcs-1:0]            vc_i,
  /// For each output: the flit that is read is the head.
  output logic      [NumPorts-1:0]                   read_head_o,
  /// Virtual channels that it may take there.
  output logic      [NumPorts*NumVcs-1:0]            read_want_o,
  /// It is the last of its packet.
  output logic                                       read_tail_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]                read_data_o,
  /// The header of its packet, where that goes beside the head flit; of use with the head.
  output logic      [HeaderPinBits-1:0]              read_header_o,
  /// Input virtual channel of the router that it comes from.
  output logic      [HolderBits-1:0]                 read_holder_o,
  /// A flit leaves the buffer.
  output logic                                       credit_o,
  /// Its virtual channel; zero if none leaves.
  output logic      [VcBits-1:0]                     credit_vc_o,
  /// A code corrects the flit that outputs read, or what the table says.
  output logic                                       corrected_o,
  /// Errors in this cycle.
  output logic      [polycast_pkg::NumErrors-1:0]    error_o,
  /// Nothing is inside, registered.
  output logic                                       idle_o,
  /// Flits in the buffer of each virtual channel, registered.
  output logic      [NumVcs*CountBits-1:0]           occupied_o,
  /// State of the packet at the front of each, registered: 0 none, 1 not routed yet, 2 active, 3
  /// dropped.
  output logic      [NumVcs*2-1:0]                   state_o,
  /// Outputs at which it has no virtual channel yet, registered.
  output logic      [NumVcs*NumPorts-1:0]            waiting_o,
  /// Outputs at which it holds one, registered.
  output logic      [NumVcs*NumPorts-1:0]            reading_o
);

  localparam int unsigned SlotBits   = VcFlits > 1 ? $clog2(VcFlits) : 1;
  localparam int unsigned AddrBits   = NumVcs * VcFlits > 1 ? $clog2(NumVcs * VcFlits) : 1;
  localparam int unsigned Directions = 2 * Dimensions;
  localparam int unsigned RouteBits  = NumPorts + Directions + 3 * NumVcs;
  localparam int unsigned HeaderBits = polycast_pkg::CommonHeaderBits +
      polycast_pkg::DestinationBits;

  typedef struct packed { logic [NumVcs-1:0][FlitCountBits-1:0] at; } vc_flit_counts_t;
  typedef struct packed { logic [NumVcs-1:0][SlotBits-1:0] at; } vc_slots_t;
  typedef struct packed { logic [NumVcs-1:0][NumPorts-1:0] at; } vc_ports_t;
  typedef struct packed { logic [NumVcs-1:0][NumPorts*NumVcs-1:0] at; } vc_ports_vcs_t;
  typedef struct packed { logic [NumVcs-1:0][CountBits-1:0] at; } vc_counts_t;
  typedef struct packed { logic [NumVcs-1:0][1:0] at; } vc_states_t;

  vc_flit_counts_t vc_index;
  vc_slots_t write_slot, read_slot;
  vc_ports_t go, vc_head, waiting, reading;
  vc_ports_vcs_t vc_want;
  vc_counts_t occupied;
  vc_states_t state;

  assign go_o = go;
  assign occupied_o = occupied;
  assign state_o = state;
  assign waiting_o = waiting;
  assign reading_o = reading;

  logic                       bad_vc, store, store_tail;
  logic [NumVcs-1:0]          vc_valid, vc_store, vc_tail, overflow, missing_head, missing_tail,
      too_long, free, vc_idle;
  logic [VcBits-1:0]          write_vc, read_vc;
  logic [FlitCountBits-1:0]   index;
  logic [AddrBits-1:0]        write_addr, read_addr;
  logic                       flit_corrected, flit_failed;

  logic [Directions-1:0]      onward;
  logic                       complete, short;
  logic [HeaderBits-1:0]      header;
  logic [polycast_pkg::KindBits-1:0] kind;
  logic [NumVcs-1:0]          vc_mask;
  logic [NumPorts-1:0]        outputs;
  logic [Directions-1:0]      sides;
  logic [NumVcs-1:0]          before_set, behind_set, host_set;
  logic                       bad_kind, no_route, partial_route;
  logic                       routed, routed_bad_kind, routed_no_route, routed_partial, delay_empty;
  logic [VcBits-1:0]          routed_vc;
  logic [RouteBits-1:0]       decision, route;

  // The virtual channel of the flit that comes in.
  if (NumVcs == 1) begin : gen_one_vc
    logic unused;
    assign unused   = ^flit_vc_i;
    assign bad_vc   = 1'b0;
    assign write_vc = '0;
  end else begin : gen_vcs
    assign bad_vc   = flit_valid_i && {1'b0, flit_vc_i} >= (polycast_pkg::VcPinBits + 1)'(NumVcs);
    assign write_vc = flit_vc_i[VcBits-1:0];
  end

  for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
    assign vc_valid[v] = flit_valid_i && !bad_vc && write_vc == VcBits'(v);

    polycast_input_vc #(
      .NumPorts     (NumPorts),
      .NumVcs       (NumVcs),
      .VcFlits      (VcFlits),
      .Directions   (Directions),
      .Copies       (Copies),
      .FlitCountBits(FlitCountBits),
      .RouteBits    (RouteBits)
    ) i_vc (
      .clk_i,
      .rst_ni,
      .flit_valid_i  (vc_valid[v]),
      .flit_head_i   (vc_valid[v] && flit_head_i),
      .flit_tail_i   (vc_valid[v] && flit_tail_i),
      .packet_limit_i,
      .store_o       (vc_store[v]),
      .store_tail_o  (vc_tail[v]),
      .index_o       (vc_index.at[v]),
      .write_slot_o  (write_slot.at[v]),
      .overflow_o    (overflow[v]),
      .missing_head_o(missing_head[v]),
      .missing_tail_o(missing_tail[v]),
      .too_long_o    (too_long[v]),
      .route_valid_i (routed && routed_vc == VcBits'(v)),
      .route_i       (route),
      .usable_i,
      .credit_left_i,
      .go_o          (go.at[v]),
      .drop_o        (drop_o[v]),
      .head_o        (vc_head.at[v]),
      .want_o        (vc_want.at[v]),
      .read_slot_o   (read_slot.at[v]),
      .gnt_i         (read_vc_i[v] ? gnt_i : '0),
      .drain_i       (read_vc_i[v] && gnt_i == '0),
      .read_tail_i   (read_tail_o),
      .vc_i,
      .free_o        (free[v]),
      .idle_o        (vc_idle[v]),
      .occupied_o    (occupied.at[v]),
      .state_o       (state.at[v]),
      .waiting_o     (waiting.at[v]),
      .reading_o     (reading.at[v])
    );
  end

  assign store      = vc_store != '0;
  assign store_tail = vc_tail != '0;

  // Places in the memory: a buffer after the other.
  always_comb begin
    index       = '0;
    write_addr  = '0;
    read_addr   = '0;
    read_head_o = '0;
    read_want_o = '0;
    read_vc     = '0;
    credit_vc_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (free[v]) credit_vc_o = VcBits'(v);
      if (vc_store[v]) begin
        index      = vc_index.at[v];
        write_addr = AddrBits'(v * VcFlits) + AddrBits'(write_slot.at[v]);
      end
      if (read_vc_i[v]) begin
        read_addr   = AddrBits'(v * VcFlits) + AddrBits'(read_slot.at[v]);
        read_head_o = vc_head.at[v];
        read_want_o = vc_want.at[v];
        read_vc     = VcBits'(v);
      end
    end
  end

  assign credit_o      = free != '0;
  assign read_holder_o = HolderBits'(Number * NumVcs) + HolderBits'(read_vc);

  polycast_flit_memory #(
    .NumFlits     (NumVcs * VcFlits),
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .HeaderPinBits(HeaderPinBits),
    .Protection   (Protection)
  ) i_memory (
    .clk_i,
    .store_i     (store),
    .write_addr_i(write_addr),
    .tail_i      (store_tail),
    .data_i      (flit_data_i),
    .header_i    (flit_header_i),
    .upset_i,
    .upset_place_i,
    .upset_bit_i,
    .read_addr_i (read_addr),
    .tail_o      (read_tail_o),
    .data_o      (read_data_o),
    .header_o    (read_header_o),
    .corrected_o (flit_corrected),
    .failed_o    (flit_failed)
  );

  // A flit that is dropped is read by nobody.
  assign corrected_o = (gnt_i != '0 && flit_corrected) || lookup_corrected_i;

  // Routing.
  polycast_router_header #(
    .NumVcs       (NumVcs),
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .FlitCountBits(FlitCountBits),
    .HeaderPinBits(HeaderPinBits),
    .VcBits       (VcBits)
  ) i_header (
    .clk_i,
    .store_i   (store),
    .vc_i      (write_vc),
    .tail_i    (store_tail),
    .index_i   (index),
    .data_i    (flit_data_i),
    .header_i  (flit_header_i),
    .complete_o(complete),
    .short_o   (short),
    .header_o  (header)
  );

  // A broadcast goes on in its direction and in all dimensions behind; input 2d has come down,
  // input 2d + 1 up.
  for (genvar d = 0; d < Dimensions; d++) begin : gen_onward
    assign onward[2*d]   = Number >= Directions || d > Number / 2 || Number == 2 * d + 1;
    assign onward[2*d+1] = Number >= Directions || d > Number / 2 || Number == 2 * d;
  end

  assign vc_mask = ~((NumVcs'(1) << write_vc) - NumVcs'(1));

  assign kind           = header[polycast_pkg::KindOffset+:polycast_pkg::KindBits];
  assign source_valid_o = complete && !short && (kind == polycast_pkg::KindUnicast ||
      (Copies && kind == polycast_pkg::KindBroadcast));
  assign source_o       = header[polycast_pkg::SourceOffset+:polycast_pkg::SourceBits];

  polycast_router_decode #(
    .NumPorts  (NumPorts),
    .NumVcs    (NumVcs),
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .Copies    (Copies),
    .Adaptive  (Adaptive),
    .HeaderBits(HeaderBits)
  ) i_decode (
    .valid_i        (complete),
    .short_i        (short || foreign_i),
    .header_i       (header),
    .vc_mask_i      (vc_mask),
    .onward_i       (onward),
    .own_i,
    .even_i,
    .wrap_i,
    .table_i,
    .choose_i,
    .policy_i,
    .connected_i,
    .vc_sets_i,
    .lookup_o,
    .lookup_destination_o,
    .lookup_mask_i,
    .outputs_o      (outputs),
    .sides_o        (sides),
    .before_set_o   (before_set),
    .behind_set_o   (behind_set),
    .host_set_o     (host_set),
    .bad_kind_o     (bad_kind),
    .no_route_o     (no_route),
    .partial_route_o(partial_route)
  );

  polycast_route_delay #(
    .Width    (RouteBits + VcBits + 3),
    .DelayBits(DelayBits)
  ) i_route_delay (
    .clk_i,
    .rst_ni,
    .delay_i(route_delay_i),
    .valid_i(complete),
    .data_i ({write_vc, bad_kind, no_route, partial_route, host_set, behind_set, before_set, sides,
    outputs}),
    .valid_o(routed),
    .data_o ({routed_vc, routed_bad_kind, routed_no_route, routed_partial, decision}),
    .empty_o(delay_empty)
  );

  if (Adaptive) begin : gen_choice
    logic [NumPorts-1:0]        possible, chosen;
    logic [Directions-1:0]      decided_sides;
    logic [NumVcs-1:0]          before_want, behind_want, host_want;
    logic [NumPorts*NumVcs-1:0] want;

    logic                       unused;

    assign {host_want, behind_want, before_want, decided_sides, possible} = decision;
    assign unused = ^{host_want, decided_sides};

    for (genvar p = 0; p < NumPorts; p++) begin : gen_want
      if (p >= Directions) begin : gen_host
        assign want[p*NumVcs+:NumVcs] = host_want;
      end else begin : gen_direction
        assign want[p*NumVcs+:NumVcs] = decided_sides[p] ? behind_want : before_want;
      end
    end

    polycast_route_choice #(
      .NumPorts  (NumPorts),
      .NumVcs    (NumVcs),
      .Number    (Number),
      .CreditBits(CreditBits),
      .LoadBits  (LoadBits)
    ) i_route_choice (
      .clk_i,
      .rst_ni,
      .seed_i,
      .least_loaded_i,
      .valid_i   (routed && choose_i),
      .possible_i(possible),
      .want_i    (want),
      .load_i,
      .credits_i,
      .output_o  (chosen)
    );

    assign route    = {decision[RouteBits-1:NumPorts], choose_i ? chosen : possible};
    assign routed_o = routed ? route[NumPorts-1:0] : '0;
  end else begin : gen_no_choice
    logic unused_choice;
    assign unused_choice = ^{choose_i, least_loaded_i, seed_i, load_i, credits_i};
    assign route         = decision;
    assign routed_o      = '0;
  end

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorBadVc]        = bad_vc;
    error_o[polycast_pkg::ErrorOverflow]     = overflow != '0;
    error_o[polycast_pkg::ErrorMissingHead]  = missing_head != '0;
    error_o[polycast_pkg::ErrorMissingTail]  = missing_tail != '0;
    error_o[polycast_pkg::ErrorTooLong]      = too_long != '0;
    error_o[polycast_pkg::ErrorShortHeader]  = complete && short;
    error_o[polycast_pkg::ErrorBadSource]    = foreign_i;
    error_o[polycast_pkg::ErrorBadKind]      = routed && routed_bad_kind;
    error_o[polycast_pkg::ErrorNoRoute]      = routed && routed_no_route;
    error_o[polycast_pkg::ErrorPartialRoute] = routed && routed_partial;
    error_o[polycast_pkg::ErrorSoftError]    = (gnt_i != '0 && flit_failed) || lookup_failed_i;
  end

  assign idle_o = vc_idle == '1;

`ifndef SYNTHESIS
  HeadAndTailAreValid:
      assert property (@(posedge clk_i) disable iff (!rst_ni) flit_valid_i ||
          !(flit_head_i || flit_tail_i))
    else $error("head or tail without a flit");
  OneVcIsRead: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(read_vc_i) && (gnt_i == '0 || read_vc_i != '0))
    else $error("two virtual channels of an input are read at once, or none is, but by an output");
  OneFlitLeaves:
      assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(free) &&
          (free & ~read_vc_i) == '0)
    else $error("two flits leave an input at once, or one that is not read");
  IdleRoutesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> delay_empty)
    else $error("an input is idle, but a packet is being routed");
`endif

endmodule

`default_nettype wire
