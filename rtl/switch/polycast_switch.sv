// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The replicating switch: input-buffered, cut-through, copies multicast packets by letting every output that needs a packet
/// read it from the input buffer on its own. hw/chips/switch.md describes it cycle by cycle.
///
/// Limits: one multicast packet at a time per input, no virtual channels; a buffer must take the longest packet whole.
module polycast_switch #(
  /// Full-duplex ports, 2..64.
  parameter int unsigned NumPorts      = 8,
  /// Bytes of a flit, 1..64.
  parameter int unsigned FlitBytes     = 1,
  /// Flits of a buffer chunk, 1..256; one credit is one chunk.
  parameter int unsigned ChunkFlits    = 8,
  /// Chunks of each input buffer, 2..4096.
  parameter int unsigned NumChunks     = 80,
  /// Longest bit string and size of the tables, 1..16384.
  parameter int unsigned MaxHosts      = 32,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Outputs that may read one input buffer in the same cycle, 1..NumPorts.
  parameter int unsigned ReadPorts     = NumPorts,
  /// Pipeline registers in the crossbar, 0..15; crossbar delay = 1 + stages.
  parameter int unsigned XbarStages    = 0,
  /// Size of the tables of routes to switches, 1..65536.
  parameter int unsigned MaxSwitches   = 32,
  /// Bits of a stop's string in headers, 8, 16, .. 64; the same in a whole network.
  parameter int unsigned HeaderPorts   = 8,
  /// Longest list of a path worm, 1..255.
  parameter int unsigned HeaderStops   = 8,
  /// Bits of the longest path worm's header behind the common part, more than an SSR worm's or a destination; derived, do not set.
  parameter int unsigned PathBits      = polycast_pkg::PathListOffset - polycast_pkg::CommonHeaderBits +
      HeaderStops * (polycast_pkg::StopPortsOffset + HeaderPorts),
  /// Bits of the header pins of a port; derived, do not set.
  parameter int unsigned HeaderPinBits = !HeaderFree ? 1 :
      polycast_pkg::CommonHeaderBits + polycast_pkg::TransportBits + polycast_pkg::CheckBits +
      (MaxHosts > PathBits ? (MaxHosts + 7) / 8 * 8 : PathBits)
) (
  /// Clock.
  input  wire logic                                       clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input  wire logic                                       rst_ni,

  /// A flit comes in.
  input  wire logic [NumPorts-1:0]                        flit_valid_i,
  /// It is the first of its packet.
  input  wire logic [NumPorts-1:0]                        flit_head_i,
  /// It is the last of its packet.
  input  wire logic [NumPorts-1:0]                        flit_tail_i,
  /// Its data, port 0 in the lowest bits.
  input  wire logic [NumPorts*FlitBytes*8-1:0]            flit_data_i,
  /// The header of its packet beside the head flit; ignored where headers are in the flits.
  input  wire logic [NumPorts*HeaderPinBits-1:0]          flit_header_i,
  /// A chunk of the input buffer has become free.
  output logic      [NumPorts-1:0]                        credit_o,

  /// A flit leaves.
  output logic      [NumPorts-1:0]                        flit_valid_o,
  /// It is the first of its packet.
  output logic      [NumPorts-1:0]                        flit_head_o,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]                        flit_tail_o,
  /// Its data.
  output logic      [NumPorts*FlitBytes*8-1:0]            flit_data_o,
  /// The header of its packet beside the head flit; zero where headers are in the flits.
  output logic      [NumPorts*HeaderPinBits-1:0]          flit_header_o,
  /// A chunk of the buffer at the other end has become free.
  input  wire logic [NumPorts-1:0]                        credit_i,

  /// Writes a configuration register; only while the switch is idle.
  input  wire logic                                       cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                                cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                                cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// Nothing is inside.
  output logic                                            idle_o,

  /// Chunks in use of each input buffer.
  output logic      [NumPorts*16-1:0]                     probe_occupied_o,
  /// State of each input: 0 idle, 1 routing, 2 active, 3 draining.
  output logic      [NumPorts*2-1:0]                      probe_state_o,
  /// Outputs that the packet at the front of each input has not been granted yet.
  output logic      [NumPorts*NumPorts-1:0]               probe_waiting_o,
  /// Outputs that the packet at the front of each input holds.
  output logic      [NumPorts*NumPorts-1:0]               probe_reading_o,
  /// Each output is held by a packet.
  output logic      [NumPorts-1:0]                        probe_held_o,
  /// Input that it comes from; zero while not held.
  output logic      [NumPorts*8-1:0]                      probe_holder_o,
  /// Credits left of each output.
  output logic      [NumPorts*16-1:0]                     probe_credits_o
);

  localparam int unsigned FlitBits        = FlitBytes * 8;
  localparam int unsigned ChunkCountBits  = $clog2(NumChunks + 1);
  localparam int unsigned FlitCountBits   = 20;
  localparam int unsigned HeaderFlitsBits = 12;
  localparam int unsigned DelayBits       = 4;
  localparam int unsigned CreditBits      = 16;
  localparam int unsigned WordBits        = (MaxHosts + 31) / 32 * 32;
  // Where headers are in the flits only kind, up bit and a field are kept beside them: destination, bit string or view of a stop.
  localparam int unsigned ViewBits        = polycast_pkg::StopSwitchBits + NumPorts + 4;
  localparam int unsigned HostBits        =
      MaxHosts > polycast_pkg::DestinationBits ? MaxHosts : polycast_pkg::DestinationBits;
  localparam int unsigned FieldBits       = HeaderFree || HostBits > ViewBits ? HostBits : ViewBits;
  localparam int unsigned FieldOffset     =
      HeaderFree ? polycast_pkg::DestinationsOffset : polycast_pkg::KindBits + polycast_pkg::UpBits;
  localparam int unsigned HeaderBits      = HeaderFree ? HeaderPinBits : FieldOffset + FieldBits;
  // What crosses the switch for each reader: advances, starts a chunk, tail, data; and once for each input: tree, header.
  localparam int unsigned ReadBits        = 3 + FlitBits;
  localparam int unsigned SideBits        = 1 + HeaderPinBits;

  logic [DelayBits-1:0]                     route_delay;
  logic [polycast_pkg::ArbitrationBits-1:0] arbitration;
  logic [polycast_pkg::SelectionBits-1:0]   selection, up_selection;
  logic                                     rewrite;
  logic [polycast_pkg::StopSwitchBits-1:0]  switch_number;
  logic [FlitCountBits-1:0]                 packet_limit;
  logic [HeaderFlitsBits-1:0]               tree_header_flits;
  logic [NumPorts-1:0]                      is_down, is_up, tree_up, credits_we;
  logic [NumPorts*ChunkCountBits-1:0]       usable;
  logic [NumPorts*CreditBits-1:0]           credits, outstanding;
  logic [WordBits-1:0]                      reach_total;
  logic [NumPorts*WordBits-1:0]             reach_port;

  logic [NumPorts-1:0]                      lookup_host, lookup_switch, lookup_up;
  logic [NumPorts*polycast_pkg::DestinationBits-1:0] lookup_destination;
  logic [NumPorts*polycast_pkg::StopSwitchBits-1:0]  lookup_stop;
  logic [NumPorts*NumPorts-1:0]             lookup_mask;

  // Matrices: by input are rows of an input, by output rows of an output.
  logic [NumPorts*NumPorts-1:0]             waiting_by_input, waiting_by_output;
  logic [NumPorts*NumPorts-1:0]             gnt_by_output, gnt_by_input;
  logic [NumPorts*NumPorts-1:0]             hold_by_output, hold_by_input;
  logic [NumPorts*NumPorts-1:0]             holder_by_output, holder_by_input;
  logic [NumPorts*NumPorts-1:0]             read_by_input;
  logic [NumPorts*NumPorts*ReadBits-1:0]    read_bits;
  logic [NumPorts*SideBits-1:0]             side_bits;
  logic [NumPorts-1:0]                      read, held, credit_left;
  logic [NumPorts*ReadBits-1:0]             output_bits;
  logic [NumPorts*SideBits-1:0]             output_side;

  logic [NumPorts-1:0]                          free, input_idle, output_empty, credit_overflow;
  logic [NumPorts*polycast_pkg::NumErrors-1:0]  input_error, error_d;

  polycast_switch_config #(
    .NumPorts       (NumPorts),
    .MaxHosts       (MaxHosts),
    .MaxSwitches    (MaxSwitches),
    .ChunkCountBits (ChunkCountBits),
    .FlitCountBits  (FlitCountBits),
    .HeaderFlitsBits(HeaderFlitsBits),
    .DelayBits      (DelayBits),
    .CreditBits     (CreditBits),
    .WordBits       (WordBits)
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
    .lookup_mask_o       (lookup_mask)
  );

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumPorts*FlitBits-1:0] data;
    logic [NumPorts-1:0]          tail, starts_chunk, advance;
    logic [ChunkCountBits-1:0]    occupied;

    polycast_input_unit #(
      .NumPorts       (NumPorts),
      .FlitBytes      (FlitBytes),
      .ChunkFlits     (ChunkFlits),
      .NumChunks      (NumChunks),
      .MaxHosts       (MaxHosts),
      .HeaderPorts    (HeaderPorts),
      .HeaderStops    (HeaderStops),
      .HeaderFree     (HeaderFree),
      .ReadPorts      (ReadPorts),
      .ChunkCountBits (ChunkCountBits),
      .FlitCountBits  (FlitCountBits),
      .HeaderFlitsBits(HeaderFlitsBits),
      .DelayBits      (DelayBits),
      .CreditBits     (CreditBits),
      .HeaderPinBits  (HeaderPinBits),
      .HeaderBits     (HeaderBits),
      .FieldOffset    (FieldOffset),
      .WordBits       (WordBits)
    ) i_input (
      .clk_i,
      .rst_ni,
      .flit_valid_i        (flit_valid_i[i]),
      .flit_head_i         (flit_head_i[i]),
      .flit_tail_i         (flit_tail_i[i]),
      .flit_data_i         (flit_data_i[i*FlitBits+:FlitBits]),
      .flit_header_i       (flit_header_i[i*HeaderPinBits+:HeaderPinBits]),
      .usable_i            (usable[i*ChunkCountBits+:ChunkCountBits]),
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
      .lookup_destination_o(lookup_destination[i*polycast_pkg::DestinationBits+:polycast_pkg::DestinationBits]),
      .lookup_stop_o       (lookup_stop[i*polycast_pkg::StopSwitchBits+:polycast_pkg::StopSwitchBits]),
      .lookup_mask_i       (lookup_mask[i*NumPorts+:NumPorts]),
      .waiting_o           (waiting_by_input[i*NumPorts+:NumPorts]),
      .gnt_i               (gnt_by_input[i*NumPorts+:NumPorts]),
      .hold_i              (hold_by_input[i*NumPorts+:NumPorts]),
      .credit_left_i       (credit_left),
      .read_o              (read_by_input[i*NumPorts+:NumPorts]),
      .read_data_o         (data),
      .read_tail_o         (tail),
      .read_starts_chunk_o (starts_chunk),
      .read_advance_o      (advance),
      .read_tree_o         (side_bits[i*SideBits+HeaderPinBits]),
      .read_header_o       (side_bits[i*SideBits+:HeaderPinBits]),
      .free_o              (free[i]),
      .error_o             (input_error[i*polycast_pkg::NumErrors+:polycast_pkg::NumErrors]),
      .idle_o              (input_idle[i]),
      .occupied_o          (occupied),
      .state_o             (probe_state_o[i*2+:2])
    );

    for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
      assign waiting_by_output[o*NumPorts+i] = waiting_by_input[i*NumPorts+o];
      assign gnt_by_input[i*NumPorts+o]      = gnt_by_output[o*NumPorts+i];
      assign hold_by_input[i*NumPorts+o]     = hold_by_output[o*NumPorts+i];
      assign holder_by_input[i*NumPorts+o]   = holder_by_output[o*NumPorts+i];
      assign read_bits[(i*NumPorts+o)*ReadBits+:ReadBits] =
          {advance[o], starts_chunk[o], tail[o], data[o*FlitBits+:FlitBits]};
    end

    assign probe_occupied_o[i*16+:16] = 16'(occupied);
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
    polycast_output_unit #(
      .NumPorts       (NumPorts),
      .FlitBytes      (FlitBytes),
      .MaxHosts       (MaxHosts),
      .HeaderFree     (HeaderFree),
      .XbarStages     (XbarStages),
      .HeaderFlitsBits(HeaderFlitsBits),
      .CreditBits     (CreditBits),
      .HeaderPinBits  (HeaderPinBits)
    ) i_output (
      .clk_i,
      .rst_ni,
      .arbitration_i      (arbitration),
      .is_up_i            (is_up[o]),
      .is_down_i          (is_down[o]),
      .rewrite_i          (rewrite),
      .reach_i            (reach_port[o*WordBits+:MaxHosts]),
      .tree_header_flits_i(tree_header_flits),
      .credits_i          (credits[o*CreditBits+:CreditBits]),
      .credits_we_i       (credits_we[o]),
      .waiting_i          (waiting_by_output[o*NumPorts+:NumPorts]),
      .gnt_o              (gnt_by_output[o*NumPorts+:NumPorts]),
      .hold_o             (hold_by_output[o*NumPorts+:NumPorts]),
      .holder_o           (holder_by_output[o*NumPorts+:NumPorts]),
      .credit_left_o      (credit_left[o]),
      .outstanding_o      (outstanding[o*CreditBits+:CreditBits]),
      .read_i             (read[o]),
      .read_tail_i        (output_bits[o*ReadBits+FlitBits]),
      .read_starts_chunk_i(output_bits[o*ReadBits+FlitBits+1]),
      .read_advance_i     (output_bits[o*ReadBits+FlitBits+2]),
      .read_data_i        (output_bits[o*ReadBits+:FlitBits]),
      .read_tree_i        (output_side[o*SideBits+HeaderPinBits]),
      .read_header_i      (output_side[o*SideBits+:HeaderPinBits]),
      .flit_valid_o       (flit_valid_o[o]),
      .flit_head_o        (flit_head_o[o]),
      .flit_tail_o        (flit_tail_o[o]),
      .flit_data_o        (flit_data_o[o*FlitBits+:FlitBits]),
      .flit_header_o      (flit_header_o[o*HeaderPinBits+:HeaderPinBits]),
      .credit_i           (credit_i[o]),
      .credit_overflow_o  (credit_overflow[o]),
      .empty_o            (output_empty[o])
    );

    assign held[o]                  = holder_by_output[o*NumPorts+:NumPorts] != '0;
    assign probe_held_o[o]          = held[o];
    assign probe_credits_o[o*16+:16] = credits[o*CreditBits+:CreditBits] - outstanding[o*CreditBits+:CreditBits];

    always_comb begin
      probe_holder_o[o*8+:8] = '0;
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (holder_by_output[o*NumPorts+i]) probe_holder_o[o*8+:8] = 8'(i);
      end
    end
  end

  // Credits and errors leave through registers like everything else.
  always_comb begin
    error_d = input_error;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      if (credit_overflow[o]) error_d[o*polycast_pkg::NumErrors+polycast_pkg::ErrorCreditOverflow] = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_o <= '0;
      error_o  <= '0;
    end else begin
      credit_o <= free;
      error_o  <= error_d;
    end
  end

  assign idle_o = input_idle == '1 && output_empty == '1 && credit_o == '0 && error_o == '0;

`ifndef SYNTHESIS
  if (NumPorts < 2 || NumPorts > 64 || FlitBytes < 1 || FlitBytes > 64 || ChunkFlits < 1 || ChunkFlits > 256 ||
      NumChunks < 2 || NumChunks > 4096 || MaxHosts < 1 || MaxHosts > 16384 || ReadPorts < 1 || ReadPorts > NumPorts ||
      XbarStages > 15 || MaxSwitches < 1 || MaxSwitches > 65536 || HeaderPorts < 8 || HeaderPorts > 64 ||
      HeaderPorts % 8 != 0 || HeaderStops < 1 || HeaderStops > 255) begin : gen_bad_parameters
    $error("polycast_switch: a parameter is out of range");
  end

  ConfiguredOnlyWhileIdle: assert property (@(posedge clk_i) disable iff (!rst_ni) cfg_valid_i |-> idle_o)
    else $error("configuration written while the switch is not idle");
  IdleHoldsNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> held == '0)
    else $error("the switch is idle, but an output is held");
`endif

endmodule

`default_nettype wire
