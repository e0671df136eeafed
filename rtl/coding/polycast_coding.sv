// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The XOR coding unit on a host port of a router: absorbs operands, XORs two of equal length flit
/// by flit, sends the result on. hw/chips/coding/coding_unit.md describes it cycle by cycle.
///
/// Limits: a packet is read when it is complete, so a slot takes the longest one whole; one packet
/// is sent at a time.
module polycast_coding #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Virtual channels of its port (1..16).
  parameter int unsigned NumVcs          = 4,
  /// Flits of the buffer of a VC, at least those of a header (13 bytes) where it is not free
  /// (1..4096).
  parameter int unsigned VcFlits         = 8,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes       = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Contexts (1..1024).
  parameter int unsigned NumContexts     = 16,
  /// Operands that can be stored (2..4096).
  parameter int unsigned NumSlots        = 64,
  /// Flits of a slot: all of a packet but its header flits; all of it where the header is free
  /// (1..4096).
  parameter int unsigned SlotFlits       = 8,
  /// Longest chain (2..4096).
  parameter int unsigned NumIndices      = 64,
  /// Of all contexts together (1..4096).
  parameter int unsigned NumDestinations = 64,
  /// Most stages of the XOR pipe (0..64).
  parameter int unsigned MaxLatency      = 64,
  /// Check words cover destination and hops, too (hw/format/check_word.md).
  parameter bit          CheckRoute      = 1'b0,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned HeaderPinBits   = HeaderFree ? 512 : 1
) (
  /// Clock.
  input  wire logic                               clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input  wire logic                               rst_ni,

  /// A flit arrives.
  input  wire logic                               flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic                               flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic                               flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] flit_vc_i,
  /// Its data, port 0 in the lowest bits.
  input  wire logic [FlitBytes*8-1:0]             flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input  wire logic [HeaderPinBits-1:0]           flit_header_i,
  /// A flit, or chunk, of the input buffer has become free.
  output logic                                    credit_o,
  /// The virtual channel of that buffer.
  output logic      [polycast_pkg::VcPinBits-1:0] credit_vc_o,

  /// A flit leaves.
  output logic                                    flit_valid_o,
  /// It is the first flit of its packet.
  output logic                                    flit_head_o,
  /// It is the last flit of its packet.
  output logic                                    flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  output logic      [polycast_pkg::VcPinBits-1:0] flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]             flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  output logic      [HeaderPinBits-1:0]           flit_header_o,
  /// A flit, or chunk, of the buffer at the other end has become free.
  input  wire logic                               credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] credit_vc_i,

  /// Writes a configuration register; only while the chip is idle.
  input  wire logic                               cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                        cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                        cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  /// Events: 0 from accepting, 1 from coding, 2 from giving up.
  output logic      [2:0]                         event_valid_o,
  /// Code of each, `polycast_pkg::CodingEvent...`.
  output logic      [3*polycast_pkg::CodingEventBits-1:0] event_code_o,
  /// Its context.
  output logic      [3*16-1:0]                    event_context_o,
  /// Index of the operand.
  output logic      [3*32-1:0]                    event_index_o,
  /// Source of the operand.
  output logic      [3*24-1:0]                    event_source_o,
  /// The chip is empty.
  output logic                                    idle_o,

  /// Flits in the buffer of each input virtual channel.
  output logic      [NumVcs*16-1:0]               probe_occupied_o,
  /// State of each: 0 empty, 1 there are flits, 2 a packet has been taken in part.
  output logic      [NumVcs*2-1:0]                probe_state_o,
  /// A packet is leaving in each virtual channel.
  output logic      [NumVcs-1:0]                  probe_held_o,
  /// Credits left of each virtual channel.
  output logic      [NumVcs*16-1:0]               probe_credits_o
);

  localparam int unsigned FlitBits      = FlitBytes * 8;
  localparam int unsigned CommonBits    = polycast_pkg::CommonHeaderBits;
  localparam int unsigned TransportBits = polycast_pkg::TransportBits;
  localparam int unsigned BackBits      = TransportBits + polycast_pkg::CheckBits;
  localparam int unsigned UnicastBits   = polycast_pkg::DestinationOffset +
      polycast_pkg::DestinationBits;
  localparam int unsigned EventBits     = polycast_pkg::CodingEventBits;
  // What is read of the header pins, and what is written: the rest of them is zero.
  localparam int unsigned FrontBits     = CheckRoute ? UnicastBits : CommonBits;
  localparam int unsigned InHeaderBits  = HeaderFree ? FrontBits + BackBits : 1;
  localparam int unsigned OutHeaderBits = HeaderFree ? UnicastBits + BackBits : 1;
  localparam int unsigned HeaderFlits   = HeaderFree ? 0 :
      (UnicastBits / 8 + FlitBytes - 1) / FlitBytes;
  localparam int unsigned VcBits        = NumVcs > 1 ? $clog2(NumVcs) : 1;
  localparam int unsigned SlotBits      = $clog2(NumSlots);
  localparam int unsigned SlotFlitBits  = $clog2(SlotFlits + 1);
  localparam int unsigned PacketBits    = $clog2(SlotFlits + HeaderFlits + 1);
  localparam int unsigned ContextBits   = NumContexts > 1 ? $clog2(NumContexts) : 1;
  localparam int unsigned IndexBits     = $clog2(NumIndices);
  localparam int unsigned CountBits     = $clog2(NumIndices + 1);
  localparam int unsigned DestBits      = $clog2(NumDestinations + 2);
  localparam int unsigned LatencyBits   = MaxLatency > 0 ? $clog2(MaxLatency + 1) : 1;
  localparam int unsigned FlitCountBits = 17;
  localparam int unsigned CreditBits    = 16;
  localparam int unsigned ClassBits     = polycast_pkg::VcClassBits;
  localparam int unsigned PipeBits      = 2 + ClassBits + FlitBits + OutHeaderBits;

  typedef struct packed { logic [8-1:0][NumVcs-1:0] at; } number_vcs_t;

  number_vcs_t vc_sets;

  // Configuration.
  logic [23:0]              unit_number;
  logic [LatencyBits-1:0]   latency;
  logic                     latency_we, credits_we;
  logic [31:0]              patience;
  logic [CreditBits-1:0]    credits, reserve;
  logic [FlitCountBits-1:0] packet_limit;

  // A flit that is taken, and the packet that ends with it.
  logic [InHeaderBits-1:0]  header_in, take_header;
  logic                     take, take_head, take_tail, write, short, complete;
  logic [VcBits-1:0]        take_vc;
  logic [FlitBits-1:0]      take_data;
  logic [SlotBits-1:0]      free_slot, take_slot;
  logic                     slot_free;
  logic [SlotFlitBits-1:0]  write_flit, packet_flits;
  logic [EventBits-1:0]     packet_code;
  logic [23:0]              packet_source;
  logic [15:0]              packet_group, packet_length;
  logic [31:0]              packet_tag, packet_crc;

  // What is judged, worked on and sent.
  logic [ContextBits-1:0]   accept_context, given_context, work_context;
  logic                     encode, decode, given_decode, work_decode, refuse, unequal, missing,
      engine_idle;
  logic [CountBits-1:0]     count, given_count, work_count;
  logic [EventBits-1:0]     refuse_code;
  logic [15:0]              refuse_group, send_length;
  logic [31:0]              refuse_tag, missing_index, pair_crc;
  logic [23:0]              refuse_source, unequal_source, terminal;
  logic [IndexBits-1:0]     unequal_index, send_index;
  logic [DestBits-1:0]      destinations, destination;
  logic                     send, send_head, send_tail;
  logic [PacketBits-1:0]    send_flit;
  logic [FlitBits-1:0]      xor_data, send_data;
  polycast_pkg::transport_t transport;
  logic [31:0]              sequence_q;
  logic [ClassBits-1:0]     vc_class;

  // The pipe and behind it.
  logic                     move, last_valid, last_head, last_tail, pipe_empty, credit_overflow,
      bad_credit_vc;
  logic [OutHeaderBits-1:0] send_header, last_header;
  logic [HeaderPinBits-1:0] last_pins;
  logic [ClassBits-1:0]     last_class;
  logic [FlitBits-1:0]      last_data;
  logic                     input_idle;
  logic [polycast_pkg::NumErrors-1:0] input_error, error_d;

  polycast_coding_config #(
    .NumVcs         (NumVcs),
    .NumContexts    (NumContexts),
    .NumIndices     (NumIndices),
    .NumDestinations(NumDestinations),
    .LatencyBits    (LatencyBits),
    .CreditBits     (CreditBits),
    .FlitCountBits  (FlitCountBits)
  ) i_config (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .number_o             (unit_number),
    .latency_o            (latency),
    .latency_we_o         (latency_we),
    .patience_o           (patience),
    .credits_o            (credits),
    .credits_we_o         (credits_we),
    .reserve_o            (reserve),
    .packet_limit_o       (packet_limit),
    .vc_sets_o            (vc_sets),
    .context_i            (accept_context),
    .encode_o             (encode),
    .decode_o             (decode),
    .count_o              (count),
    .given_context_i      (given_context),
    .given_decode_o       (given_decode),
    .given_count_o        (given_count),
    .work_context_i       (work_context),
    .work_decode_o        (work_decode),
    .work_count_o         (work_count),
    .work_destinations_o  (destinations),
    .work_destination_i   (destination),
    .work_terminal_o      (terminal),
    .work_transport_o     (transport),
    .work_vc_class_o      (vc_class)
  );

  // Of the header pins only what is read is buffered, and only what is written goes through the
  // pipe.
  if (HeaderFree) begin : gen_free
    logic unused;
    assign unused      = ^flit_header_i[HeaderPinBits-BackBits-1:FrontBits];
    assign header_in   = {flit_header_i[HeaderPinBits-1-:BackBits], flit_header_i[FrontBits-1:0]};
    assign last_pins   = {last_header[OutHeaderBits-1-:BackBits],
        (HeaderPinBits - OutHeaderBits)'(0), last_header[UnicastBits-1:0]};
  end else begin : gen_in_flits
    assign header_in   = flit_header_i;
    assign last_pins   = last_header;
  end

  // Steps 1 and 2.
  polycast_coding_input #(
    .NumVcs       (NumVcs),
    .VcFlits      (VcFlits),
    .FlitBits     (FlitBits),
    .HeaderBits   (InHeaderBits),
    .FlitCountBits(FlitCountBits)
  ) i_input (
    .clk_i,
    .rst_ni,
    .flit_valid_i,
    .flit_head_i,
    .flit_tail_i,
    .flit_vc_i,
    .flit_data_i,
    .flit_header_i (header_in),
    .packet_limit_i(packet_limit),
    .slot_free_i   (slot_free),
    .take_o        (take),
    .take_vc_o     (take_vc),
    .take_head_o   (take_head),
    .take_tail_o   (take_tail),
    .take_data_o   (take_data),
    .take_header_o (take_header),
    .error_o       (input_error),
    .idle_o        (input_idle),
    .occupied_o    (probe_occupied_o),
    .state_o       (probe_state_o)
  );

  polycast_coding_capture #(
    .NumVcs       (NumVcs),
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .HeaderBits   (InHeaderBits),
    .CheckRoute   (CheckRoute),
    .SlotBits     (SlotBits),
    .SlotFlits    (SlotFlits),
    .FlitCountBits(FlitCountBits)
  ) i_capture (
    .clk_i,
    .take_i      (take),
    .vc_i        (take_vc),
    .head_i      (take_head),
    .tail_i      (take_tail),
    .data_i      (take_data),
    .header_i    (take_header),
    .free_slot_i (free_slot),
    .slot_o      (take_slot),
    .write_o     (write),
    .write_flit_o(write_flit),
    .short_o     (short),
    .complete_o  (complete),
    .code_o      (packet_code),
    .source_o    (packet_source),
    .group_o     (packet_group),
    .tag_o       (packet_tag),
    .length_o    (packet_length),
    .flits_o     (packet_flits),
    .crc_o       (packet_crc)
  );

  // Steps 3 to 5 and 8.
  polycast_coding_engine #(
    .NumContexts(NumContexts),
    .NumSlots   (NumSlots),
    .SlotFlits  (SlotFlits),
    .NumIndices (NumIndices),
    .FlitBits   (FlitBits),
    .HeaderFlits(HeaderFlits),
    .DestBits   (DestBits)
  ) i_engine (
    .clk_i,
    .rst_ni,
    .patience_i         (patience),
    .slot_free_o        (slot_free),
    .free_slot_o        (free_slot),
    .take_head_i        (take && take_head),
    .write_i            (write),
    .take_slot_i        (take_slot),
    .write_flit_i       (write_flit),
    .take_data_i        (take_data),
    .short_i            (short),
    .complete_i         (complete),
    .code_i             (packet_code),
    .source_i           (packet_source),
    .group_i            (packet_group),
    .tag_i              (packet_tag),
    .length_i           (packet_length),
    .flits_i            (packet_flits),
    .crc_i              (packet_crc),
    .context_o          (accept_context),
    .encode_i           (encode),
    .decode_i           (decode),
    .count_i            (count),
    .given_context_o    (given_context),
    .given_decode_i     (given_decode),
    .given_count_i      (given_count),
    .work_context_o     (work_context),
    .work_decode_i      (work_decode),
    .work_count_i       (work_count),
    .work_destinations_i(destinations),
    .ready_i            (move),
    .send_o             (send),
    .send_head_o        (send_head),
    .send_tail_o        (send_tail),
    .send_flit_o        (send_flit),
    .send_destination_o (destination),
    .send_index_o       (send_index),
    .send_data_o        (xor_data),
    .send_crc_o         (pair_crc),
    .send_length_o      (send_length),
    .refuse_o           (refuse),
    .refuse_code_o      (refuse_code),
    .refuse_group_o     (refuse_group),
    .refuse_tag_o       (refuse_tag),
    .refuse_source_o    (refuse_source),
    .unequal_o          (unequal),
    .unequal_index_o    (unequal_index),
    .unequal_source_o   (unequal_source),
    .missing_o          (missing),
    .missing_index_o    (missing_index),
    .idle_o             (engine_idle)
  );

  polycast_coding_builder #(
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .HeaderBits   (OutHeaderBits),
    .CheckRoute   (CheckRoute),
    .FlitBits     (PacketBits)
  ) i_builder (
    .send_i          (send),
    .flit_i          (send_flit),
    .xor_i           (xor_data),
    .payload_crc_i   (pair_crc),
    .length_i        (send_length),
    .vc_class_i      (vc_class),
    .source_i        (unit_number),
    .sequence_i      (sequence_q),
    .destination_i   (terminal),
    .transport_i     (transport),
    .index_i         (16'(send_index)),
    .data_o          (send_data),
    .header_o        (send_header)
  );

  // Steps 6 and 7.
  polycast_coding_pipe #(
    .MaxLatency(MaxLatency),
    .Width     (PipeBits)
  ) i_pipe (
    .clk_i,
    .rst_ni,
    .latency_i   (latency),
    .latency_we_i(latency_we),
    .move_i      (move),
    .valid_i     (send),
    .data_i      ({send_head, send_tail, vc_class, send_data, send_header}),
    .valid_o     (last_valid),
    .data_o      ({last_head, last_tail, last_class, last_data, last_header}),
    .empty_o     (pipe_empty)
  );

  polycast_coding_output #(
    .NumVcs       (NumVcs),
    .FlitBits     (FlitBits),
    .HeaderPinBits(HeaderPinBits),
    .CreditBits   (CreditBits)
  ) i_output (
    .clk_i,
    .rst_ni,
    .credits_i        (credits),
    .credits_we_i     (credits_we),
    .reserve_i        (reserve),
    .valid_i          (last_valid),
    .head_i           (last_head),
    .tail_i           (last_tail),
    .vc_set_i         (vc_sets.at[last_class]),
    .data_i           (last_data),
    .header_i         (last_pins),
    .move_o           (move),
    .credit_valid_i   (credit_i),
    .credit_vc_i,
    .flit_valid_o,
    .flit_head_o,
    .flit_tail_o,
    .flit_vc_o,
    .flit_data_o,
    .flit_header_o,
    .credit_overflow_o(credit_overflow),
    .bad_vc_o         (bad_credit_vc),
    .held_o           (probe_held_o),
    .credits_left_o   (probe_credits_o)
  );

  // Credits, errors and events leave through registers like everything else.
  always_comb begin
    error_d = input_error;
    if (short)           error_d[polycast_pkg::ErrorShortHeader]    = 1'b1;
    if (credit_overflow) error_d[polycast_pkg::ErrorCreditOverflow] = 1'b1;
    if (bad_credit_vc)   error_d[polycast_pkg::ErrorBadVc]          = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sequence_q      <= '0;
      credit_o        <= 1'b0;
      credit_vc_o     <= '0;
      error_o         <= '0;
      event_valid_o   <= '0;
      event_code_o    <= '0;
      event_context_o <= '0;
      event_index_o   <= '0;
      event_source_o  <= '0;
    end else begin
      if (send && move && send_tail) sequence_q <= sequence_q + 32'd1;
      credit_o        <= take;
      credit_vc_o     <= take ? 4'(take_vc) : '0;
      error_o         <= error_d;
      event_valid_o   <= {missing, unequal, refuse};
      event_code_o    <= {missing ? polycast_pkg::CodingEventMissing : '0,
          unequal ? polycast_pkg::CodingEventUnequal : '0, refuse ? refuse_code : '0};
      event_context_o <= {missing ? 16'(given_context) : '0, unequal ? 16'(work_context) : '0,
          refuse ? refuse_group : '0};
      event_index_o   <= {missing_index, unequal ? 32'(unequal_index) : '0,
          refuse ? refuse_tag : '0};
      event_source_o  <= {24'd0, unequal ? unequal_source : '0, refuse ? refuse_source : '0};
    end
  end

  assign idle_o = input_idle && engine_idle && pipe_empty && !credit_o && error_o == '0 &&
                  event_valid_o == '0 && !flit_valid_o;

`ifndef SYNTHESIS
  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (NumVcs < 1 || NumVcs > 16 || VcFlits < 1 || VcFlits > 4096 || FlitBytes < 1 ||
      FlitBytes > 64 || NumContexts < 1 || NumContexts > 1024 || NumSlots < 2 || NumSlots > 4096 ||
      SlotFlits < 1 || SlotFlits > 4096 || NumIndices < 2 || NumIndices > 4096 ||
      NumDestinations < 1 || NumDestinations > 4096 || MaxLatency > 64 || !(HeaderFree ||
      VcFlits * FlitBytes >= 13))
  begin : gen_bad_parameters
    $error("polycast_coding: a parameter is out of range");
  end

  ConfiguredOnlyWhileIdle:
      assert property (@(posedge clk_i) disable iff (!rst_ni) cfg_valid_i |-> idle_o)
    else $error("configuration written while the unit is not idle");
  LatencyExists:
      assert property (@(posedge clk_i) disable iff (!rst_ni) send |-> 32'(latency) <= MaxLatency)
    else $error("the XOR pipe has not so many stages");
  SilentIsZero:
      assert property (@(posedge clk_i) disable iff (!rst_ni) credit_o || credit_vc_o == '0)
    else $error("a credit pin that says nothing is not zero");
`endif

endmodule

`default_nettype wire
