// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The replicating switch: input-buffered, cut-through, copies multicast packets by letting every
/// output that needs a packet read it from the input buffer on its own. hw/chips/switch/switch.md
/// describes it cycle by cycle.
///
/// Limits: one multicast packet at a time per input, no virtual channels; a buffer must take the
/// longest packet whole.
module polycast_switch #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Full-duplex ports (2..64).
  parameter int unsigned NumPorts       = 8,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes      = 1,
  /// Flits of a buffer chunk; one credit = one chunk (1..256).
  parameter int unsigned ChunkFlits     = 8,
  /// Chunks of each input buffer (2..4096).
  parameter int unsigned NumChunks      = 80,
  /// Longest bit string, size of the tables (1..16384).
  parameter int unsigned MaxHosts       = 32,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree     = 1'b0,
  /// Outputs that may read one input buffer in the same cycle (1..ports).
  parameter int unsigned ReadPorts      = NumPorts,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages     = 0,
  /// Size of the tables of routes to switches (1..65536).
  parameter int unsigned MaxSwitches    = 32,
  /// Bits of a stop's string in headers, the same in a whole network: ports of its largest switch
  /// (8, 16, .. 64).
  parameter int unsigned HeaderPorts    = 8,
  /// Longest list of a path worm (1..255).
  parameter int unsigned HeaderStops    = 8,
  /// Code of flits in input buffers: 0 none, 1 parity, 2 SECDED (0..2).
  parameter int unsigned ProtectBuffers = 0,
  /// Code of tables of routes and reachability, likewise (0..2).
  parameter int unsigned ProtectRoutes  = 0,
  /// Code of credit counters, likewise (0..2).
  parameter int unsigned ProtectCredits = 0,
  /// Sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none
  /// (0..65536).
  parameter int unsigned MaxSources     = 0,
  /// Bits of the longest path worm's header behind the common part, more than an SSR worm's or a
  /// destination; derived, do not set.
  parameter int unsigned PathBits       = polycast_pkg::PathListOffset -
      polycast_pkg::CommonHeaderBits +
      HeaderStops * (polycast_pkg::StopPortsOffset + HeaderPorts),
  /// Bits of the header pins of a port; derived, do not set.
  parameter int unsigned HeaderPinBits  = !HeaderFree ? 1 :
      polycast_pkg::CommonHeaderBits + polycast_pkg::TransportBits + polycast_pkg::CheckBits +
      (MaxHosts > PathBits ? (MaxHosts + 7) / 8 * 8 : PathBits)
) (
  /// Clock.
  input  wire logic                              clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input  wire logic                              rst_ni,

  /// A flit arrives.
  input  wire logic [NumPorts-1:0]               flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic [NumPorts-1:0]               flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic [NumPorts-1:0]               flit_tail_i,
  /// Its data, port 0 in the lowest bits.
  input  wire logic [NumPorts*FlitBytes*8-1:0]   flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input  wire logic [NumPorts*HeaderPinBits-1:0] flit_header_i,
  /// A flit, or chunk, of the input buffer has become free.
  output logic      [NumPorts-1:0]               credit_o,

  /// A flit leaves.
  output logic      [NumPorts-1:0]               flit_valid_o,
  /// It is the first flit of its packet.
  output logic      [NumPorts-1:0]               flit_head_o,
  /// It is the last flit of its packet.
  output logic      [NumPorts-1:0]               flit_tail_o,
  /// Its data.
  output logic      [NumPorts*FlitBytes*8-1:0]   flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  output logic      [NumPorts*HeaderPinBits-1:0] flit_header_o,
  /// A flit, or chunk, of the buffer at the other end has become free.
  input  wire logic [NumPorts-1:0]               credit_i,

  /// Writes a configuration register; only while the chip is idle.
  input  wire logic                              cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                       cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                       cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// The chip is empty.
  output logic                                   idle_o,

  /// Chunks in use of each input buffer.
  output logic      [NumPorts*16-1:0]            probe_occupied_o,
  /// State of each input: 0 idle, 1 routing, 2 active, 3 draining.
  output logic      [NumPorts*2-1:0]             probe_state_o,
  /// Outputs that the packet at the front of each input has not been granted yet.
  output logic      [NumPorts*NumPorts-1:0]      probe_waiting_o,
  /// Outputs that the packet at the front of each input holds.
  output logic      [NumPorts*NumPorts-1:0]      probe_reading_o,
  /// Each output is held by a packet.
  output logic      [NumPorts-1:0]               probe_held_o,
  /// Input that it comes from; zero while not held.
  output logic      [NumPorts*8-1:0]             probe_holder_o,
  /// Credits left of each output.
  output logic      [NumPorts*16-1:0]            probe_credits_o,
  /// Cycles in which codes of memories corrected something at each port, up to 65,535; zero without
  /// codes.
  output logic      [NumPorts*16-1:0]            probe_corrected_o
);

  localparam int unsigned FlitBits        = FlitBytes * 8;
  localparam int unsigned ChunkCountBits  = $clog2(NumChunks + 1);
  localparam int unsigned FlitCountBits   = 20;
  localparam int unsigned HeaderFlitsBits = 12;
  localparam int unsigned DelayBits       = 4;
  localparam int unsigned CreditBits      = 16;
  localparam int unsigned WordBits        = (MaxHosts + 31) / 32 * 32;
  // Where headers are in the flits only kind, up bit and a field are kept beside them: destination,
  // bit string or view of a stop.
  localparam int unsigned ViewBits        = polycast_pkg::StopSwitchBits + NumPorts + 4;
  localparam int unsigned HostBits        =
      MaxHosts > polycast_pkg::DestinationBits ? MaxHosts : polycast_pkg::DestinationBits;
  localparam int unsigned FieldBits       = HeaderFree || HostBits > ViewBits ? HostBits : ViewBits;
  localparam int unsigned FieldOffset     =
      HeaderFree ? polycast_pkg::DestinationsOffset : polycast_pkg::KindBits + polycast_pkg::UpBits;
  localparam int unsigned HeaderBits      = HeaderFree ? HeaderPinBits : FieldOffset + FieldBits;
  // Of a flit in a buffer and of a credit counter with their codes.
  localparam int unsigned StoredBits      = FlitBits +
      (ProtectBuffers == 32'(polycast_pkg::ProtectionParity) ? FlitBytes :
       ProtectBuffers == 32'(polycast_pkg::ProtectionSecded) ? (FlitBytes + 3) / 4 * 7 : 0);
  localparam int unsigned CounterBits     = CreditBits +
      (ProtectCredits == 32'(polycast_pkg::ProtectionParity) ? (CreditBits + 7) / 8 :
       ProtectCredits == 32'(polycast_pkg::ProtectionSecded) ? (CreditBits + 31) / 32 * 7 : 0);
  localparam bit          Protected       = (ProtectBuffers | ProtectRoutes | ProtectCredits) != 0;
  localparam logic [polycast_pkg::NumErrors-1:0] Raised =
      {MaxSources > 0, Protected, 3'b000, 10'h3ff};
  // What crosses the switch for each reader: advances, starts a chunk, tail, data; and once for
  // each input: tree, header.
  localparam int unsigned ReadBits        = 3 + StoredBits;
  localparam int unsigned SideBits        = 1 + HeaderPinBits;

  typedef struct packed { logic [NumPorts-1:0][WordBits-1:0] at; } port_words_t;
  typedef struct packed { logic [NumPorts-1:0][ReadBits-1:0] at; } port_reads_t;
  typedef struct packed { logic [NumPorts-1:0][SideBits-1:0] at; } port_sides_t;
  typedef struct packed { logic [NumPorts-1:0][FlitBits-1:0] at; } port_flits_t;
  typedef struct packed { logic [NumPorts-1:0][HeaderPinBits-1:0] at; } port_header_pins_t;
  typedef struct packed { logic [NumPorts-1:0][ChunkCountBits-1:0] at; } port_chunk_counts_t;
  typedef struct packed {
    logic [NumPorts-1:0][polycast_pkg::DestinationBits-1:0] at;
  } port_destinations_t;
  typedef struct packed {
    logic [NumPorts-1:0][polycast_pkg::StopSwitchBits-1:0] at;
  } port_stop_switches_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_pkg::NumErrors-1:0] at; } port_errors_t;
  typedef struct packed { logic [NumPorts-1:0][1:0] at; } port_states_t;
  typedef struct packed { logic [NumPorts*NumPorts-1:0][ReadBits-1:0] at; } ports_port_reads_t;
  typedef struct packed { logic [NumPorts-1:0][15:0] at; } port_counts_t;
  typedef struct packed { logic [NumPorts-1:0][CreditBits-1:0] at; } port_credits_t;
  typedef struct packed { logic [NumPorts-1:0][7:0] at; } port_numbers_t;

  port_flits_t in_flit_data, out_flit_data;
  port_header_pins_t in_flit_header, out_flit_header;
  port_chunk_counts_t usable;
  port_destinations_t lookup_destination, source;
  port_stop_switches_t lookup_stop;
  port_words_t reach_port;
  port_reads_t output_bits;
  port_sides_t side_bits, output_side;
  port_matrix_t lookup_mask, waiting_by_input, gnt_by_input, hold_by_input, read_by_input,
      waiting_by_output, gnt_by_output, hold_by_output, holder_by_output, holder_by_input;
  port_errors_t input_error, output_error, route_error, error_q;
  port_states_t probe_state;
  ports_port_reads_t read_bits;
  port_counts_t probe_occupied, probe_credits;
  port_credits_t credits, outstanding;
  port_numbers_t probe_holder;
  assign in_flit_data = flit_data_i;
  assign in_flit_header = flit_header_i;
  assign probe_state_o = probe_state;
  assign probe_occupied_o = probe_occupied;
  assign flit_data_o = out_flit_data;
  assign flit_header_o = out_flit_header;
  assign probe_credits_o = probe_credits;
  assign probe_holder_o = probe_holder;

  logic [DelayBits-1:0]                     route_delay;
  logic [polycast_pkg::ArbitrationBits-1:0] arbitration;
  logic [polycast_pkg::SelectionBits-1:0]   selection, up_selection;
  logic                                     rewrite;
  logic [polycast_pkg::StopSwitchBits-1:0]  switch_number;
  logic [FlitCountBits-1:0]                 packet_limit;
  logic [HeaderFlitsBits-1:0]               tree_header_flits;
  logic [NumPorts-1:0]                      is_down, is_up, tree_up, credits_we;
  logic [WordBits-1:0]                      reach_total;

  logic [NumPorts-1:0]                      lookup_host, lookup_switch, lookup_up;
  // Matrices: by input are rows of an input, by output rows of an output.
  logic [NumPorts-1:0]                      read, held, credit_left;
  logic [NumPorts-1:0] free, input_idle, output_empty, route_corrected, output_corrected,
      source_valid, foreign;

  logic                upset;
  logic [NumPorts-1:0] upset_buffer;
  logic [23:0]         upset_place, upset_bit;
  logic [NumPorts*CounterBits-1:0] upset_credits;
  polycast_chip_upset #(
    .NumPorts   (NumPorts),
    .NumFlits   (NumChunks * ChunkFlits),
    .CounterBits(CounterBits)
  ) i_upset (
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .upset_o  (upset),
    .buffer_o (upset_buffer),
    .credits_o(upset_credits),
    .place_o  (upset_place),
    .bit_o    (upset_bit)
  );
  polycast_switch_config #(
    .NumPorts       (NumPorts),
    .MaxHosts       (MaxHosts),
    .MaxSwitches    (MaxSwitches),
    .ChunkCountBits (ChunkCountBits),
    .FlitCountBits  (FlitCountBits),
    .HeaderFlitsBits(HeaderFlitsBits),
    .DelayBits      (DelayBits),
    .CreditBits     (CreditBits),
    .WordBits       (WordBits),
    .Protection     (ProtectRoutes),
    .MaxSources     (MaxSources)
  ) i_config (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .route_delay_o       (route_delay),
    .arbitration_o       (arbitration),
    .selection_o         (selection),
    .up_selection_o      (up_selection),
    .rewrite_o           (rewrite),
    .switch_number_o     (switch_number),
    .packet_limit_o      (packet_limit),
    .tree_header_flits_o (tree_header_flits),
    .is_down_o           (is_down),
    .is_up_o             (is_up),
    .tree_up_o           (tree_up),
    .usable_o            (usable),
    .credits_o           (credits),
    .credits_we_o        (credits_we),
    .reach_total_o       (reach_total),
    .reach_port_o        (reach_port),
    .lookup_host_i       (lookup_host),
    .lookup_switch_i     (lookup_switch),
    .lookup_up_i         (lookup_up),
    .lookup_destination_i(lookup_destination),
    .lookup_stop_i       (lookup_stop),
    .lookup_mask_o       (lookup_mask),
    .corrected_o         (route_corrected),
    .error_o             (route_error),
    .source_valid_i      (source_valid),
    .source_i            (source),
    .foreign_o           (foreign)
  );

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumPorts*StoredBits-1:0] data;
    logic [NumPorts-1:0]            tail, starts_chunk, advance;
    logic                           tree;
    logic [HeaderPinBits-1:0]       header;
    logic [ChunkCountBits-1:0]      occupied;

    polycast_input_unit #(
      .NumPorts       (NumPorts),
      .FlitBytes      (FlitBytes),
      .ChunkFlits     (ChunkFlits),
      .NumChunks      (NumChunks),
      .MaxHosts       (MaxHosts),
      .HeaderPorts    (HeaderPorts),
      .HeaderStops    (HeaderStops),
      .HeaderFree     (HeaderFree),
      .AsksSource     (MaxSources > 0),
      .ReadPorts      (ReadPorts),
      .ChunkCountBits (ChunkCountBits),
      .FlitCountBits  (FlitCountBits),
      .HeaderFlitsBits(HeaderFlitsBits),
      .DelayBits      (DelayBits),
      .CreditBits     (CreditBits),
      .HeaderPinBits  (HeaderPinBits),
      .HeaderBits     (HeaderBits),
      .FieldOffset    (FieldOffset),
      .WordBits       (WordBits),
      .OnlyUsed       (ProtectRoutes != 0),
      .ProtectBuffers (ProtectBuffers),
      .StoredBits     (StoredBits)
    ) i_input (
      .clk_i,
      .rst_ni,
      .flit_valid_i        (flit_valid_i[i]),
      .flit_head_i         (flit_head_i[i]),
      .flit_tail_i         (flit_tail_i[i]),
      .flit_data_i         (in_flit_data.at[i]),
      .flit_header_i       (in_flit_header.at[i]),
      .usable_i            (usable.at[i]),
      .packet_limit_i      (packet_limit),
      .tree_header_flits_i (tree_header_flits),
      .route_delay_i       (route_delay),
      .selection_i         (selection),
      .up_selection_i      (up_selection),
      .rewrite_i           (rewrite),
      .switch_number_i     (switch_number),
      .is_down_i           (is_down),
      .is_up_i             (is_up),
      .tree_up_i           (tree_up),
      .reach_total_i       (reach_total),
      .reach_port_i        (reach_port),
      .held_i              (held),
      .outstanding_i       (outstanding),
      .lookup_host_o       (lookup_host[i]),
      .lookup_switch_o     (lookup_switch[i]),
      .lookup_up_o         (lookup_up[i]),
      .lookup_destination_o(lookup_destination.at[i]),
      .lookup_stop_o       (lookup_stop.at[i]),
      .lookup_mask_i       (lookup_mask.at[i]),
      .source_valid_o      (source_valid[i]),
      .source_o            (source.at[i]),
      .foreign_i           (foreign[i]),
      .waiting_o           (waiting_by_input.at[i]),
      .gnt_i               (gnt_by_input.at[i]),
      .hold_i              (hold_by_input.at[i]),
      .credit_left_i       (credit_left),
      .read_o              (read_by_input.at[i]),
      .read_data_o         (data),
      .read_tail_o         (tail),
      .read_starts_chunk_o (starts_chunk),
      .read_advance_o      (advance),
      .read_tree_o         (tree),
      .read_header_o       (header),
      .upset_i             (upset_buffer[i]),
      .upset_place_i       (upset_place),
      .upset_bit_i         (upset_bit),
      .free_o              (free[i]),
      .error_o             (input_error.at[i]),
      .idle_o              (input_idle[i]),
      .occupied_o          (occupied),
      .state_o             (probe_state.at[i])
    );

    for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
      assign waiting_by_output.at[o][i+:1] = waiting_by_input.at[i][o+:1];
      assign gnt_by_input.at[i][o+:1]      = gnt_by_output.at[o][i+:1];
      assign hold_by_input.at[i][o+:1]     = hold_by_output.at[o][i+:1];
      assign holder_by_input.at[i][o+:1]   = holder_by_output.at[o][i+:1];
      assign read_bits.at[i*NumPorts+o] =
          {advance[o], starts_chunk[o], tail[o], data[o*StoredBits+:StoredBits]};
    end

    assign probe_occupied.at[i] = 16'(occupied);
    assign side_bits.at[i]      = {tree, header};
  end

  assign probe_waiting_o = waiting_by_input;
  assign probe_reading_o = holder_by_input;
  polycast_crossbar #(
    .NumPorts(NumPorts),
    .Width   (ReadBits),
    .SideBits(SideBits)
  ) i_crossbar (
    .read_i(read_by_input),
    .data_i(read_bits),
    .side_i(side_bits),
    .read_o(read),
    .data_o(output_bits),
    .side_o(output_side)
  );

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic                     advance, starts_chunk, tail, tree;
    logic [StoredBits-1:0]    data;
    logic [HeaderPinBits-1:0] header;

    assign {advance, starts_chunk, tail, data} = output_bits.at[o];
    assign {tree, header}                      = output_side.at[o];

    polycast_output_unit #(
      .NumPorts       (NumPorts),
      .FlitBytes      (FlitBytes),
      .MaxHosts       (MaxHosts),
      .HeaderFree     (HeaderFree),
      .XbarStages     (XbarStages),
      .HeaderFlitsBits(HeaderFlitsBits),
      .CreditBits     (CreditBits),
      .HeaderPinBits  (HeaderPinBits),
      .ProtectBuffers (ProtectBuffers),
      .ProtectCredits (ProtectCredits),
      .StoredBits     (StoredBits),
      .CounterBits    (CounterBits)
    ) i_output (
      .clk_i,
      .rst_ni,
      .arbitration_i      (arbitration),
      .is_up_i            (is_up[o]),
      .is_down_i          (is_down[o]),
      .rewrite_i          (rewrite),
      .reach_i            (reach_port.at[o][MaxHosts-1:0]),
      .tree_header_flits_i(tree_header_flits),
      .credits_i          (credits.at[o]),
      .credits_we_i       (credits_we[o]),
      .waiting_i          (waiting_by_output.at[o]),
      .gnt_o              (gnt_by_output.at[o]),
      .hold_o             (hold_by_output.at[o]),
      .holder_o           (holder_by_output.at[o]),
      .credit_left_o      (credit_left[o]),
      .outstanding_o      (outstanding.at[o]),
      .read_i             (read[o]),
      .read_tail_i        (tail),
      .read_starts_chunk_i(starts_chunk),
      .read_advance_i     (advance),
      .read_data_i        (data),
      .read_tree_i        (tree),
      .read_header_i      (header),
      .flit_valid_o       (flit_valid_o[o]),
      .flit_head_o        (flit_head_o[o]),
      .flit_tail_o        (flit_tail_o[o]),
      .flit_data_o        (out_flit_data.at[o]),
      .flit_header_o      (out_flit_header.at[o]),
      .credit_i           (credit_i[o]),
      .upset_credits_i    (upset_credits[o*CounterBits+:CounterBits]),
      .corrected_o        (output_corrected[o]),
      .error_o            (output_error.at[o]),
      .empty_o            (output_empty[o])
    );

    assign held[o]             = holder_by_output.at[o] != '0;
    assign probe_held_o[o]     = held[o];
    assign probe_credits.at[o] = credits.at[o] - outstanding.at[o];

    always_comb begin
      probe_holder.at[o] = '0;
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (holder_by_output.at[o][i+:1]) probe_holder.at[o] = 8'(i);
      end
    end
  end

  // Credits and errors leave through registers like everything else.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_o <= '0;
      error_q  <= '0;
    end else begin
      credit_o <= free;
      error_q  <= input_error | output_error | route_error;
    end
  end

  polycast_correction_counts #(
    .NumPorts (NumPorts),
    .Corrected((ProtectBuffers | ProtectRoutes | ProtectCredits) > 1)
  ) i_correction_counts (
    .clk_i,
    .rst_ni,
    .input_i (route_corrected),
    .output_i(output_corrected),
    .count_o (probe_corrected_o)
  );

  assign error_o = error_q & {NumPorts{Raised}};  // no registers for other chips' errors
  assign idle_o = input_idle == '1 && output_empty == '1 && credit_o == '0 && error_o == '0;

`ifndef SYNTHESIS
  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (NumPorts < 2 || NumPorts > 64 || FlitBytes < 1 || FlitBytes > 64 || ChunkFlits < 1 ||
      ChunkFlits > 256 || NumChunks < 2 || NumChunks > 4096 || MaxHosts < 1 || MaxHosts > 16384 ||
      ReadPorts < 1 || ReadPorts > 64 || XbarStages > 15 || MaxSwitches < 1 ||
      MaxSwitches > 65536 || HeaderPorts < 8 || HeaderPorts > 64 || HeaderStops < 1 ||
      HeaderStops > 255 || ProtectBuffers > 2 || ProtectRoutes > 2 || ProtectCredits > 2 ||
      MaxSources > 65536 || !(ReadPorts <= NumPorts) || !(HeaderPorts % 8 == 0))
  begin : gen_bad_parameters
    $error("polycast_switch: a parameter is out of range");
  end

  ConfiguredOnlyWhileIdle:
      assert property (@(posedge clk_i) disable iff (!rst_ni) cfg_valid_i && !upset |-> idle_o)
    else $error("configuration written while the switch is not idle");
  IdleHoldsNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> held == '0)
    else $error("the switch is idle, but an output is held");
`endif

endmodule

`default_nettype wire
