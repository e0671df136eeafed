// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The VL switch: an InfiniBand switch with virtual lanes, unicast and multicast tables, packets
/// that are whole on a link. Every output that a packet needs reads it from the input buffer on its
/// own. hw/chips/vl_switch/vl_switch.md describes it cycle by cycle.
///
/// Limits: a packet is granted an output only with credits for the longest packet, so buffers must
/// take it whole; each lane of an input handles one packet at a time.
module polycast_vl_switch #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Full-duplex ports (2..64).
  parameter int unsigned NumPorts      = 8,
  /// Virtual lanes (1..15).
  parameter int unsigned NumVls        = 2,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes     = 4,
  /// Flits of a buffer chunk; one credit = one chunk (1..256).
  parameter int unsigned ChunkFlits    = 8,
  /// Chunks of each lane of an input (2..4096).
  parameter int unsigned NumChunks     = 80,
  /// LIDs (2..49152).
  parameter int unsigned MaxLids       = 64,
  /// Groups (0..16383).
  parameter int unsigned MaxGroups     = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Outputs that may read one input in the same cycle (1..ports).
  parameter int unsigned ReadPorts     = NumPorts,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages    = 0,
  /// Tables of VL arbitration exist.
  parameter bit          Weighted      = 1'b0,
  /// Sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none
  /// (0..65536).
  parameter int unsigned MaxSources    = 0,
  /// Bits of the header pins of a port; derived, do not set.
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

  /// Writes a configuration register; only while the chip is idle.
  input  wire logic                                cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                         cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                         cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// A packet waited for the output, which sent nothing.
  output logic      [NumPorts-1:0]                 xmit_wait_o,
  /// The chip is empty.
  output logic                                     idle_o,

  /// Chunks in use of each lane of an input.
  output logic      [NumPorts*NumVls*16-1:0]       probe_occupied_o,
  /// State of the packet at its front: 0 none, 1 not routed yet, 2 active, 3 dropped.
  output logic      [NumPorts*NumVls*2-1:0]        probe_state_o,
  /// Outputs that have not granted the packet at its front.
  output logic      [NumPorts*NumVls*NumPorts-1:0] probe_waiting_o,
  /// Outputs that this packet holds.
  output logic      [NumPorts*NumVls*NumPorts-1:0] probe_reading_o,
  /// Each lane of an output is held by a packet.
  output logic      [NumPorts*NumVls-1:0]          probe_held_o,
  /// Input that it comes from; zero while not held.
  output logic      [NumPorts*NumVls*8-1:0]        probe_holder_o,
  /// Credits left of each lane of an output.
  output logic      [NumPorts*NumVls*16-1:0]       probe_credits_o
);

  localparam int unsigned FlitBits       = FlitBytes * 8;
  localparam int unsigned ChunkCountBits = $clog2(NumChunks + 1);
  localparam int unsigned FlitCountBits  = 20;
  localparam int unsigned DelayBits      = 4;
  localparam int unsigned CreditBits     = 16;
  localparam int unsigned PortBits       = $clog2(NumPorts);
  localparam int unsigned PortVls        = NumPorts * NumVls;
  localparam int unsigned VlBits         = polycast_vl_pkg::VlBits;
  localparam int unsigned HolderBits     = 8;
  // What crosses the switch for each reader: starts a chunk, tail, data, header.
  localparam int unsigned ReadBits       = 2 + FlitBits + HeaderPinBits;

  typedef struct packed { logic [NumPorts-1:0][VlBits-1:0] at; } port_vls_t;
  typedef struct packed { logic [NumPorts-1:0][FlitBits-1:0] at; } port_flits_t;
  typedef struct packed { logic [NumPorts-1:0][HeaderPinBits-1:0] at; } port_header_pins_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed { logic [NumPorts-1:0][NumVls-1:0] at; } port_lanes_t;
  typedef struct packed { logic [NumPorts-1:0][NumVls*NumPorts-1:0] at; } input_branches_t;
  typedef struct packed { logic [NumPorts-1:0][NumVls*NumPorts*VlBits-1:0] at; } input_rows_t;
  typedef struct packed { logic [NumPorts-1:0][PortVls-1:0] at; } output_branches_t;
  typedef struct packed { logic [NumPorts-1:0][PortVls*VlBits-1:0] at; } output_rows_t;
  typedef struct packed { logic [NumPorts-1:0][NumVls*ChunkCountBits-1:0] at; } port_chunks_t;
  typedef struct packed { logic [NumPorts-1:0][NumVls*CreditBits-1:0] at; } port_credits_t;
  typedef struct packed { logic [NumPorts-1:0][NumVls*2-1:0] at; } port_states_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_pkg::NumErrors-1:0] at; } port_errors_t;
  typedef struct packed { logic [NumPorts*NumPorts-1:0][ReadBits-1:0] at; } ports_port_reads_t;
  typedef struct packed { logic [NumPorts-1:0][ReadBits-1:0] at; } port_reads_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_pkg::DlidBits-1:0] at; } port_lids_t;
  typedef struct packed {
    logic [NumPorts-1:0][polycast_pkg::SourceBits-1:0] at;
  } port_sources_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_vl_pkg::LftBits-1:0] at; } port_entries_t;
  typedef struct packed { logic [NumPorts-1:0][polycast_vl_pkg::TableBits-1:0] at; } port_tables_t;
  typedef struct packed {
    logic [NumPorts-1:0][polycast_vl_pkg::HighLimitBits-1:0] at;
  } port_limits_t;
  typedef struct packed { logic [PortVls-1:0][15:0] at; } port_vl_counts_t;
  typedef struct packed { logic [PortVls-1:0][HolderBits-1:0] at; } port_vl_numbers_t;

  port_vls_t in_flit_vc, out_flit_vc, credit_vc, credit_vc_d;
  port_flits_t in_flit_data, out_flit_data;
  port_header_pins_t in_flit_header, out_flit_header;
  port_matrix_t mft, read_by_input, stalled, lost;
  port_lanes_t credits_we, held;
  input_branches_t in_waiting, in_reading, in_gnt;
  input_rows_t in_vl;
  output_branches_t out_waiting, out_gnt;
  output_rows_t out_vl;
  port_chunks_t usable;
  port_credits_t credits;
  port_states_t probe_state;
  port_errors_t input_error, error_d;
  ports_port_reads_t read_bits;
  port_reads_t output_bits;
  port_lids_t lookup_index;
  port_sources_t source;
  port_entries_t lft;
  port_tables_t high, low;
  port_limits_t high_limit;
  port_vl_counts_t probe_occupied, probe_credits;
  port_vl_numbers_t probe_holder;

  assign {in_flit_vc, in_flit_data, in_flit_header} = {flit_vc_i, flit_data_i, flit_header_i};
  assign credit_vc = credit_vc_i;
  assign {flit_vc_o, flit_data_o, flit_header_o} = {out_flit_vc, out_flit_data, out_flit_header};
  assign {probe_occupied_o, probe_holder_o, probe_credits_o} =
      {probe_occupied, probe_holder, probe_credits};
  assign {probe_waiting_o, probe_reading_o, probe_state_o} = {in_waiting, in_reading, probe_state};

  logic [DelayBits-1:0]                     route_delay;
  logic [polycast_pkg::ArbitrationBits-1:0] arbitration;
  logic                                     weighted;
  logic [FlitCountBits-1:0]                 packet_limit;
  logic [CreditBits-1:0]                    reserve;
  logic [polycast_vl_pkg::HoqLifeBits-1:0]  hoq_life;
  logic [PortVls-1:0]                       exists;
  logic [NumPorts-1:0]                      sl_we;
  logic [PortBits-1:0]                      sl_output;
  logic                                     sl_upper;
  logic [NumPorts-1:0]                      lookup_lft, lookup_mft;
  logic [NumPorts-1:0]                      read, input_idle, output_empty, credit_overflow,
      bad_credit_vc, credit_d, wait_d, source_valid, foreign;

  polycast_vl_config #(
    .NumPorts      (NumPorts),
    .NumVls        (NumVls),
    .ChunkFlits    (ChunkFlits),
    .MaxLids       (MaxLids),
    .MaxGroups     (MaxGroups),
    .Weighted      (Weighted),
    .ChunkCountBits(ChunkCountBits),
    .FlitCountBits (FlitCountBits),
    .DelayBits     (DelayBits),
    .CreditBits    (CreditBits),
    .MaxSources    (MaxSources)
  ) i_config (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .route_delay_o (route_delay),
    .arbitration_o (arbitration),
    .weighted_o    (weighted),
    .packet_limit_o(packet_limit),
    .reserve_o     (reserve),
    .hoq_life_o    (hoq_life),
    .usable_o      (usable),
    .credits_o     (credits),
    .credits_we_o  (credits_we),
    .exists_o      (exists),
    .high_o        (high),
    .low_o         (low),
    .high_limit_o  (high_limit),
    .sl_we_o       (sl_we),
    .sl_output_o   (sl_output),
    .sl_upper_o    (sl_upper),
    .lookup_lft_i  (lookup_lft),
    .lookup_mft_i  (lookup_mft),
    .lookup_index_i(lookup_index),
    .lft_o         (lft),
    .mft_o         (mft),
    .source_valid_i(source_valid),
    .source_i      (source),
    .foreign_o     (foreign)
  );

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumPorts*FlitBits-1:0]      data;
    logic [NumPorts-1:0]               tail, starts_chunk;
    logic [NumPorts*HeaderPinBits-1:0] header;
    logic [NumVls*ChunkCountBits-1:0]  occupied;
    logic [NumVls-1:0]                 credit;

    polycast_vl_input #(
      .NumPorts      (NumPorts),
      .NumVls        (NumVls),
      .FlitBytes     (FlitBytes),
      .ChunkFlits    (ChunkFlits),
      .NumChunks     (NumChunks),
      .HeaderFree    (HeaderFree),
      .ReadPorts     (ReadPorts),
      .Number        (i),
      .ChunkCountBits(ChunkCountBits),
      .FlitCountBits (FlitCountBits),
      .DelayBits     (DelayBits),
      .HeaderPinBits (HeaderPinBits)
    ) i_input (
      .clk_i,
      .rst_ni,
      .flit_valid_i       (flit_valid_i[i]),
      .flit_head_i        (flit_head_i[i]),
      .flit_tail_i        (flit_tail_i[i]),
      .flit_vc_i          (in_flit_vc.at[i]),
      .flit_data_i        (in_flit_data.at[i]),
      .flit_header_i      (in_flit_header.at[i]),
      .usable_i           (usable.at[i]),
      .packet_limit_i     (packet_limit),
      .route_delay_i      (route_delay),
      .hoq_life_i         (hoq_life),
      .sl_we_i            (sl_we[i]),
      .sl_output_i        (sl_output),
      .sl_upper_i         (sl_upper),
      .sl_data_i          (cfg_data_i),
      .exists_i           (exists),
      .lookup_lft_o       (lookup_lft[i]),
      .lookup_mft_o       (lookup_mft[i]),
      .lookup_index_o     (lookup_index.at[i]),
      .lft_i              (lft.at[i]),
      .mft_i              (mft.at[i]),
      .source_valid_o     (source_valid[i]),
      .source_o           (source.at[i]),
      .foreign_i          (foreign[i]),
      .waiting_o          (in_waiting.at[i]),
      .reading_o          (in_reading.at[i]),
      .vl_o               (in_vl.at[i]),
      .gnt_i              (in_gnt.at[i]),
      .read_o             (read_by_input.at[i]),
      .read_data_o        (data),
      .read_tail_o        (tail),
      .read_starts_chunk_o(starts_chunk),
      .read_header_o      (header),
      .stalled_o          (stalled.at[i]),
      .lost_o             (lost.at[i]),
      .credit_o           (credit),
      .error_o            (input_error.at[i]),
      .idle_o             (input_idle[i]),
      .occupied_o         (occupied),
      .state_o            (probe_state.at[i])
    );

    for (genvar v = 0; v < NumVls; v++) begin : gen_vl
      assign probe_occupied.at[i*NumVls+v] =
          16'(occupied[v*ChunkCountBits+:ChunkCountBits]);

      // By input are rows of an input, by output rows of an output.
      for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
        assign out_waiting.at[o][i*NumVls+v+:1] = in_waiting.at[i][v*NumPorts+o+:1];
        assign out_vl.at[o][(i*NumVls+v)*VlBits+:VlBits] =
            in_vl.at[i][(v*NumPorts+o)*VlBits+:VlBits];
        assign in_gnt.at[i][v*NumPorts+o+:1] = out_gnt.at[o][i*NumVls+v+:1];
      end
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_read
      assign read_bits.at[i*NumPorts+o] = {starts_chunk[o], tail[o], data[o*FlitBits+:FlitBits],
          header[o*HeaderPinBits+:HeaderPinBits]};
    end

    always_comb begin
      credit_d[i]       = credit != '0;
      credit_vc_d.at[i] = '0;
      for (int unsigned v = 0; v < NumVls; v++) begin
        if (credit[v]) credit_vc_d.at[i] = VlBits'(v);
      end
    end
  end

  logic [NumPorts-1:0] output_side;
  logic                unused_side;
  assign unused_side = ^output_side;

  polycast_crossbar #(
    .NumPorts(NumPorts),
    .Width   (ReadBits),
    .SideBits(1)
  ) i_crossbar (
    .read_i(read_by_input),
    .data_i(read_bits),
    .side_i('0),
    .read_o(read),
    .data_o(output_bits),
    .side_o(output_side)
  );

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic                         starts_chunk, tail;
    logic [FlitBits-1:0]          data;
    logic [HeaderPinBits-1:0]     header;
    logic [HolderBits-1:0]        holder;
    logic [NumVls*CreditBits-1:0] outstanding;
    logic [NumVls-1:0]            lanes;

    assign {starts_chunk, tail, data, header} = output_bits.at[o];
    assign held.at[o] = lanes;

    polycast_vl_output #(
      .NumPorts     (NumPorts),
      .NumVls       (NumVls),
      .FlitBytes    (FlitBytes),
      .XbarStages   (XbarStages),
      .Weighted     (Weighted),
      .FlitCountBits(FlitCountBits),
      .CreditBits   (CreditBits),
      .HeaderPinBits(HeaderPinBits)
    ) i_output (
      .clk_i,
      .rst_ni,
      .arbitration_i      (arbitration),
      .weighted_i         (weighted),
      .high_i             (high.at[o]),
      .low_i              (low.at[o]),
      .high_limit_i       (high_limit.at[o]),
      .credits_i          (credits.at[o]),
      .credits_we_i       (credits_we.at[o]),
      .reserve_i          (reserve),
      .waiting_i          (out_waiting.at[o]),
      .vl_i               (out_vl.at[o]),
      .gnt_o              (out_gnt.at[o]),
      .read_i             (read[o]),
      .read_tail_i        (tail),
      .read_starts_chunk_i(starts_chunk),
      .read_data_i        (data),
      .read_header_i      (header),
      .flit_valid_o       (flit_valid_o[o]),
      .flit_head_o        (flit_head_o[o]),
      .flit_tail_o        (flit_tail_o[o]),
      .flit_vc_o          (out_flit_vc.at[o]),
      .flit_data_o        (out_flit_data.at[o]),
      .flit_header_o      (out_flit_header.at[o]),
      .credit_i           (credit_i[o]),
      .credit_vc_i        (credit_vc.at[o]),
      .credit_overflow_o  (credit_overflow[o]),
      .bad_vc_o           (bad_credit_vc[o]),
      .empty_o            (output_empty[o]),
      .held_o             (lanes),
      .holder_o           (holder),
      .outstanding_o      (outstanding)
    );

    for (genvar v = 0; v < NumVls; v++) begin : gen_probe
      assign probe_held_o[o*NumVls+v]       = lanes[v];
      assign probe_holder.at[o*NumVls+v]    = lanes[v] ? holder : '0;
      assign probe_credits.at[o*NumVls+v]   = credits.at[o][v*CreditBits+:CreditBits] -
          outstanding[v*CreditBits+:CreditBits];
    end
  end

  // Credits, errors and waits leave through registers like everything else.
  always_comb begin
    error_d = input_error;
    wait_d  = '0;
    for (int unsigned i = 0; i < NumPorts; i++) wait_d = wait_d | stalled.at[i];
    wait_d = wait_d & ~read;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      if (credit_overflow[o]) error_d.at[o][polycast_pkg::ErrorCreditOverflow+:1] = 1'b1;
      if (bad_credit_vc[o])   error_d.at[o][polycast_pkg::ErrorBadVc+:1] = 1'b1;
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (lost.at[i][o+:1]) error_d.at[o][polycast_pkg::ErrorHoqDropped+:1] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_o    <= '0;
      credit_vc_o <= '0;
      error_o     <= '0;
      xmit_wait_o <= '0;
    end else begin
      credit_o    <= credit_d;
      credit_vc_o <= credit_vc_d;
      error_o     <= error_d;
      xmit_wait_o <= wait_d;
    end
  end

  assign idle_o = input_idle == '1 && output_empty == '1 && credit_o == '0 && error_o == '0 &&
      xmit_wait_o == '0;

`ifndef SYNTHESIS
  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (NumPorts < 2 || NumPorts > 64 || NumVls < 1 || NumVls > 15 || FlitBytes < 1 ||
      FlitBytes > 64 || ChunkFlits < 1 || ChunkFlits > 256 || NumChunks < 2 || NumChunks > 4096 ||
      MaxLids < 2 || MaxLids > 49152 || MaxGroups > 16383 || ReadPorts < 1 || ReadPorts > 64 ||
      XbarStages > 15 || MaxSources > 65536 || !(ReadPorts <= NumPorts))
  begin : gen_bad_parameters
    $error("polycast_vl_switch: a parameter is out of range");
  end

  if (polycast_vl_pkg::VlBits != polycast_pkg::VcPinBits ||
      polycast_vl_pkg::Sls != 1 << polycast_pkg::SlBits || polycast_pkg::DlidBits != 16)
  begin : gen_other_format
    $error("polycast_vl_pkg does not fit the packet format");
  end

  ConfiguredOnlyWhileIdle:
      assert property (@(posedge clk_i) disable iff (!rst_ni) cfg_valid_i |-> idle_o)
    else $error("configuration written while the switch is not idle");
  IdleHoldsNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> held == '0)
    else $error("the switch is idle, but an output is held");

  // Each output is held by the packet of one input lane that knows it.
  logic [NumPorts-1:0] taken, taken_twice;
  always_comb begin
    taken       = '0;
    taken_twice = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned v = 0; v < NumVls; v++) begin
        taken_twice = taken_twice | (taken & in_reading.at[i][v*NumPorts+:NumPorts]);
        taken       = taken | in_reading.at[i][v*NumPorts+:NumPorts];
      end
    end
  end
  for (genvar o = 0; o < NumPorts; o++) begin : gen_rules
    HeldByItsHolder: assert property (@(posedge clk_i) disable iff (!rst_ni)
        taken[o] == (held.at[o] != '0) && !taken_twice[o])
      else $error("an output is held by no packet, or by two");
  end
`endif

endmodule

`default_nettype wire
