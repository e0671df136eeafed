// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The XOR coding unit on a host port of a router: absorbs operands, XORs two of equal length flit by flit, sends the result on.
/// hw/chips/coding_unit.md describes it cycle by cycle.
///
/// Limits: a packet is read when it is complete, so a slot takes the longest one whole; one packet is sent at a time.
module polycast_coding #(
  /// Virtual channels of the port, 1..16.
  parameter int unsigned NumVcs          = 4,
  /// Flits of the buffer of each, 1..4096.
  parameter int unsigned VcFlits         = 8,
  /// Bytes of a flit, 1..64.
  parameter int unsigned FlitBytes       = 16,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Contexts, 1..1024.
  parameter int unsigned NumContexts     = 16,
  /// Slots of the operand store, 2..4096.
  parameter int unsigned NumSlots        = 64,
  /// Flits of a slot, 1..4096: all of a packet but its header flits.
  parameter int unsigned SlotFlits       = 8,
  /// Longest chain, 2..4096.
  parameter int unsigned NumIndices      = 64,
  /// Destinations of all contexts together, 1..4096.
  parameter int unsigned NumDestinations = 64,
  /// Most stages of the XOR pipe, 0..64.
  parameter int unsigned MaxLatency      = 64,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned HeaderPinBits   = HeaderFree ? 512 : 1
) (
  /// Clock.
  input  wire logic                     clk_i,
  /// Asynchronous reset, active low: drops traffic, operands and what contexts remember; keeps the configuration.
  input  wire logic                     rst_ni,

  /// A flit comes in.
  input  wire logic                     flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                     flit_head_i,
  /// It is the last of its packet.
  input  wire logic                     flit_tail_i,
  /// Its virtual channel.
  input  wire logic [3:0]               flit_vc_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]   flit_data_i,
  /// The header of its packet beside the head flit; ignored where headers are in the flits.
  input  wire logic [HeaderPinBits-1:0] flit_header_i,
  /// A flit of an input buffer has become free.
  output logic                          credit_valid_o,
  /// Its virtual channel.
  output logic      [3:0]               credit_vc_o,

  /// A flit leaves.
  output logic                          flit_valid_o,
  /// It is the first of its packet.
  output logic                          flit_head_o,
  /// It is the last of its packet.
  output logic                          flit_tail_o,
  /// Its virtual channel.
  output logic      [3:0]               flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]   flit_data_o,
  /// The header of its packet beside the head flit; zero where headers are in the flits.
  output logic      [HeaderPinBits-1:0] flit_header_o,
  /// A flit of the buffer at the other end has become free.
  input  wire logic                     credit_valid_i,
  /// Its virtual channel.
  input  wire logic [3:0]               credit_vc_i,

  /// Writes a configuration register; only while the unit is idle.
  input  wire logic                     cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]              cfg_addr_i,
  /// New value.
  input  wire logic [31:0]              cfg_data_i,

  /// Errors of the port, `polycast_pkg::Error...`.
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  /// Events: 0 from accepting, 1 from coding, 2 from giving up.
  output logic      [2:0]               event_valid_o,
  /// What each says, `polycast_pkg::CodingEvent...`.
  output logic      [3*polycast_pkg::CodingEventBits-1:0] event_code_o,
  /// Its context.
  output logic      [3*16-1:0]          event_context_o,
  /// Index of the operand.
  output logic      [3*32-1:0]          event_index_o,
  /// Source of the operand.
  output logic      [3*24-1:0]          event_source_o,
  /// Nothing is inside.
  output logic                          idle_o,

  /// Flits in each input buffer.
  output logic      [NumVcs*16-1:0]     probe_occupied_o,
  /// Credits left of each virtual channel.
  output logic      [NumVcs*16-1:0]     probe_credits_o
);

  localparam int unsigned FlitBits      = FlitBytes * 8;
  localparam int unsigned CommonBits    = polycast_pkg::CommonHeaderBits;
  localparam int unsigned TransportBits = polycast_pkg::TransportBits;
  localparam int unsigned BackBits      = TransportBits + polycast_pkg::CheckBits;
  localparam int unsigned UnicastBits   = polycast_pkg::DestinationOffset + polycast_pkg::DestinationBits;
  localparam int unsigned EventBits     = polycast_pkg::CodingEventBits;
  // What is read of the header pins, and what is written: the rest of them is zero.
  localparam int unsigned InHeaderBits  = HeaderFree ? CommonBits + BackBits : 1;
  localparam int unsigned OutHeaderBits = HeaderFree ? UnicastBits + BackBits : 1;
  localparam int unsigned HeaderFlits   = HeaderFree ? 0 : (UnicastBits / 8 + FlitBytes - 1) / FlitBytes;
  localparam int unsigned VcBits        = NumVcs > 1 ? $clog2(NumVcs) : 1;
  localparam int unsigned SlotBits      = $clog2(NumSlots);
  localparam int unsigned SlotFlitBits  = $clog2(SlotFlits + 1);
  localparam int unsigned PacketBits    = $clog2(SlotFlits + HeaderFlits + 1);
  localparam int unsigned ContextBits   = NumContexts > 1 ? $clog2(NumContexts) : 1;
  localparam int unsigned IndexBits     = $clog2(NumIndices);
  localparam int unsigned CountBits     = $clog2(NumIndices + 1);
  localparam int unsigned DestBits      = $clog2(NumDestinations + 2);
  localparam int unsigned EntryBits     = $clog2(NumSlots + 1);
  localparam int unsigned LatencyBits   = MaxLatency > 0 ? $clog2(MaxLatency + 1) : 1;
  localparam int unsigned FlitCountBits = 17;
  localparam int unsigned CreditBits    = 16;
  localparam int unsigned ClassBits     = polycast_pkg::VcClassBits;
  localparam int unsigned PipeBits      = 2 + ClassBits + FlitBits + OutHeaderBits;

  // Configuration.
  logic [23:0]              unit_number;
  logic [LatencyBits-1:0]   latency;
  logic                     latency_we, credits_we;
  logic [31:0]              patience;
  logic [CreditBits-1:0]    credits, reserve;
  logic [FlitCountBits-1:0] packet_limit;
  logic [8*NumVcs-1:0]      vc_sets;

  // A flit that is taken, and the packet that ends with it.
  logic [InHeaderBits-1:0]  header_in, take_header;
  logic                     take, take_head, take_tail, write, short, complete;
  logic [VcBits-1:0]        take_vc;
  logic [FlitBits-1:0]      take_data;
  logic [SlotBits-1:0]      free_slot, take_slot;
  logic                     slot_free, all_free;
  logic [SlotFlitBits-1:0]  write_flit, packet_flits;
  logic [EventBits-1:0]     packet_code;
  logic [23:0]              packet_source;
  logic [15:0]              packet_group, packet_length;
  logic [31:0]              packet_tag, packet_crc;

  // What is judged.
  logic                     queued, queue_pop, refuse, accept, accept_packet, accept_chain, accept_twice, encode, decode;
  logic [SlotBits-1:0]      queued_slot, accept_slot, lower_slot, upper_slot;
  logic [EventBits-1:0]     queued_code, refuse_code;
  logic [23:0]              queued_source;
  logic [15:0]              queued_group;
  logic [31:0]              queued_tag;
  logic [ContextBits-1:0]   accept_context;
  logic [CountBits-1:0]     count;
  logic [IndexBits-1:0]     accept_index, lower_index, upper_index;
  logic                     lower, lower_chain, lower_found, upper, upper_chain, upper_found, push, push_lower, push_upper;
  logic [NumIndices:0]      seen, seen_bit;
  logic                     begun, none_begun, giving_up, given_decode, missing, given_end;
  logic [ContextBits-1:0]   given_context;
  logic [CountBits-1:0]     given_count;
  logic [31:0]              missing_index;

  // What is worked on.
  logic [ContextBits-1:0]   work_context, made_context;
  logic                     work_decode, send, send_head, send_tail, make_flit, pair, unequal, work_pop, make, keep, made, made_up;
  logic [CountBits-1:0]     work_count;
  logic [DestBits-1:0]      destinations, destination;
  logic [SlotBits-1:0]      pair_slot, partner_slot, make_slot, made_slot;
  logic [15:0]              length, partner_length;
  logic [SlotFlitBits-1:0]  flits, slot_flit;
  logic [PacketBits-1:0]    packet_flit;
  logic [IndexBits-1:0]     send_index, unequal_index, made_index;
  logic [FlitBits-1:0]      operand_data, partner_data, xor_data, send_data;
  logic [23:0]              partner_source, terminal;
  logic [31:0]              pair_crc, message, tag, sequence_q;
  logic [3:0]               op;
  logic [7:0]               host_process, source_process, lane;
  logic [15:0]              group;
  logic [ClassBits-1:0]     vc_class;

  // The pipe and behind it.
  logic                     move, last_valid, last_head, last_tail, pipe_empty, credit_overflow, bad_credit_vc;
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
    .work_op_o            (op),
    .work_process_o       (host_process),
    .work_source_process_o(source_process),
    .work_lane_o          (lane),
    .work_group_o         (group),
    .work_message_o       (message),
    .work_tag_o           (tag),
    .work_vc_class_o      (vc_class)
  );

  // Of the header pins only what is read is buffered, and only what is written goes through the pipe.
  if (HeaderFree) begin : gen_free
    logic unused;
    assign unused      = ^flit_header_i[HeaderPinBits-BackBits-1:CommonBits];
    assign header_in   = {flit_header_i[HeaderPinBits-1-:BackBits], flit_header_i[CommonBits-1:0]};
    assign last_pins   = {last_header[OutHeaderBits-1-:BackBits], (HeaderPinBits - OutHeaderBits)'(0), last_header[UnicastBits-1:0]};
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
    .occupied_o    (probe_occupied_o)
  );

  polycast_coding_capture #(
    .NumVcs       (NumVcs),
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .HeaderBits   (InHeaderBits),
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

  polycast_coding_store #(
    .NumSlots (NumSlots),
    .SlotFlits(SlotFlits),
    .FlitBits (FlitBits)
  ) i_store (
    .clk_i,
    .take_i          (write),
    .take_slot_i     (take_slot),
    .take_flit_i     (write_flit),
    .take_data_i     (take_data),
    .complete_i      (complete),
    .code_i          (packet_code),
    .source_i        (packet_source),
    .group_i         (packet_group),
    .tag_i           (packet_tag),
    .length_i        (packet_length),
    .flits_i         (packet_flits),
    .crc_i           (packet_crc),
    .look_slot_i     (queued_slot),
    .look_code_o     (queued_code),
    .look_source_o   (queued_source),
    .look_group_o    (queued_group),
    .look_tag_o      (queued_tag),
    .read_slot_i     (pair_slot),
    .partner_slot_i  (partner_slot),
    .read_flit_i     (slot_flit),
    .data_o          (operand_data),
    .partner_data_o  (partner_data),
    .length_o        (length),
    .partner_length_o(partner_length),
    .flits_o         (flits),
    .partner_source_o(partner_source),
    .crc_o           (pair_crc),
    .make_flit_i     (make_flit),
    .make_slot_i     (make_slot),
    .make_data_i     (xor_data),
    .make_i          (make)
  );

  polycast_fifo #(
    .Width(SlotBits),
    .Depth(NumSlots)
  ) i_complete_queue (
    .clk_i,
    .rst_ni,
    .push_i (complete),
    .data_i (take_slot),
    .pop_i  (queue_pop),
    .valid_o(queued),
    .data_o (queued_slot)
  );

  // Step 3.
  polycast_coding_accept #(
    .NumContexts(NumContexts),
    .NumIndices (NumIndices),
    .SlotBits   (SlotBits)
  ) i_accept (
    .made_i         (made),
    .made_slot_i    (made_slot),
    .made_context_i (made_context),
    .made_index_i   (made_index),
    .made_up_i      (made_up),
    .queued_i       (queued),
    .giving_up_i    (giving_up),
    .queued_slot_i  (queued_slot),
    .queued_code_i  (queued_code),
    .queued_group_i (queued_group),
    .queued_tag_i   (queued_tag),
    .encode_i       (encode),
    .decode_i       (decode),
    .count_i        (count),
    .begun_i        (begun),
    .seen_i         (seen),
    .context_o      (accept_context),
    .pop_o          (queue_pop),
    .refuse_o       (refuse),
    .code_o         (refuse_code),
    .accept_o       (accept),
    .accept_packet_o(accept_packet),
    .slot_o         (accept_slot),
    .chain_o        (accept_chain),
    .index_o        (accept_index),
    .twice_o        (accept_twice),
    .seen_bit_o     (seen_bit),
    .lower_o        (lower),
    .lower_chain_o  (lower_chain),
    .lower_index_o  (lower_index),
    .upper_o        (upper),
    .upper_chain_o  (upper_chain),
    .upper_index_o  (upper_index),
    .lower_found_i  (lower_found),
    .upper_found_i  (upper_found),
    .push_o         (push),
    .push_lower_o   (push_lower),
    .push_upper_o   (push_upper)
  );

  polycast_coding_slots #(
    .NumSlots   (NumSlots),
    .ContextBits(ContextBits),
    .IndexBits  (IndexBits)
  ) i_slots (
    .clk_i,
    .rst_ni,
    .free_o          (slot_free),
    .free_slot_o     (free_slot),
    .all_free_o      (all_free),
    .take_i          (take && take_head),
    .drop_i          (short),
    .drop_slot_i     (take_slot),
    .refuse_i        (refuse),
    .accept_i        (accept),
    .accept_slot_i   (accept_slot),
    .accept_context_i(accept_context),
    .accept_chain_i  (accept_chain),
    .accept_index_i  (accept_index),
    .accept_twice_i  (accept_twice),
    .lower_i         (lower),
    .lower_chain_i   (lower_chain),
    .lower_index_i   (lower_index),
    .upper_i         (upper),
    .upper_chain_i   (upper_chain),
    .upper_index_i   (upper_index),
    .lower_found_o   (lower_found),
    .lower_slot_o    (lower_slot),
    .upper_found_o   (upper_found),
    .upper_slot_o    (upper_slot),
    .pair_i          (pair),
    .pair_slot_i     (pair_slot),
    .partner_slot_i  (partner_slot),
    .keep_i          (keep),
    .made_slot_i     (make_slot),
    .end_i           (given_end),
    .end_context_i   (given_context)
  );

  // Step 8.
  polycast_coding_contexts #(
    .NumContexts(NumContexts),
    .NumIndices (NumIndices),
    .EntryBits  (EntryBits)
  ) i_contexts (
    .clk_i,
    .rst_ni,
    .patience_i     (patience),
    .context_i      (accept_context),
    .begun_o        (begun),
    .seen_o         (seen),
    .accept_i       (accept),
    .accept_seen_i  (accept_packet ? seen_bit : '0),
    .accept_count_i (count),
    .push_i         (push),
    .pair_i         (pair),
    .pair_context_i (work_context),
    .pop_i          (work_pop),
    .giving_up_o    (giving_up),
    .given_context_o(given_context),
    .given_count_i  (given_count),
    .given_decode_i (given_decode),
    .missing_o      (missing),
    .missing_index_o(missing_index),
    .end_o          (given_end),
    .none_begun_o   (none_begun)
  );

  // Steps 4 and 5.
  polycast_coding_work #(
    .NumSlots   (NumSlots),
    .SlotFlits  (SlotFlits),
    .HeaderFlits(HeaderFlits),
    .ContextBits(ContextBits),
    .IndexBits  (IndexBits),
    .CountBits  (CountBits),
    .DestBits   (DestBits)
  ) i_work (
    .clk_i,
    .rst_ni,
    .push_i           (push),
    .push_context_i   (accept_context),
    .push_chain_i     (accept_chain),
    .push_index_i     (accept_index),
    .push_slot_i      (accept_slot),
    .push_lower_i     (push_lower),
    .push_lower_slot_i(lower_slot),
    .push_upper_i     (push_upper),
    .push_upper_slot_i(upper_slot),
    .context_o        (work_context),
    .decode_i         (work_decode),
    .count_i          (work_count),
    .destinations_i   (destinations),
    .slot_o           (pair_slot),
    .partner_slot_o   (partner_slot),
    .length_i         (length),
    .partner_length_i (partner_length),
    .flits_i          (flits),
    .ready_i          (move),
    .send_o           (send),
    .send_head_o      (send_head),
    .send_tail_o      (send_tail),
    .flit_o           (packet_flit),
    .slot_flit_o      (slot_flit),
    .destination_o    (destination),
    .index_o          (send_index),
    .write_o          (make_flit),
    .pair_o           (pair),
    .unequal_o        (unequal),
    .lower_index_o    (unequal_index),
    .pop_o            (work_pop),
    .make_o           (make),
    .keep_o           (keep),
    .make_slot_o      (make_slot),
    .made_o           (made),
    .made_slot_o      (made_slot),
    .made_context_o   (made_context),
    .made_index_o     (made_index),
    .made_up_o        (made_up)
  );

  polycast_coding_builder #(
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .HeaderBits   (OutHeaderBits),
    .FlitBits     (PacketBits)
  ) i_builder (
    .send_i          (send),
    .flit_i          (packet_flit),
    .operand_i       (operand_data),
    .partner_i       (partner_data),
    .payload_crc_i   (pair_crc),
    .length_i        (length),
    .vc_class_i      (vc_class),
    .source_i        (unit_number),
    .sequence_i      (sequence_q),
    .destination_i   (terminal),
    .op_i            (op),
    .process_i       (host_process),
    .source_process_i(source_process),
    .lane_i          (lane),
    .group_i         (group),
    .message_i       (message + 32'(send_index)),
    .tag_i           (tag + 32'(send_index)),
    .xor_o           (xor_data),
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
    .vc_set_i         (vc_sets[32'(last_class)*NumVcs+:NumVcs]),
    .data_i           (last_data),
    .header_i         (last_pins),
    .move_o           (move),
    .credit_valid_i,
    .credit_vc_i,
    .flit_valid_o,
    .flit_head_o,
    .flit_tail_o,
    .flit_vc_o,
    .flit_data_o,
    .flit_header_o,
    .credit_overflow_o(credit_overflow),
    .bad_vc_o         (bad_credit_vc),
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
      credit_valid_o  <= 1'b0;
      credit_vc_o     <= '0;
      error_o         <= '0;
      event_valid_o   <= '0;
      event_code_o    <= '0;
      event_context_o <= '0;
      event_index_o   <= '0;
      event_source_o  <= '0;
    end else begin
      if (send && move && send_tail) sequence_q <= sequence_q + 32'd1;
      credit_valid_o  <= take;
      credit_vc_o     <= take ? 4'(take_vc) : '0;
      error_o         <= error_d;
      event_valid_o   <= {missing, unequal, refuse};
      event_code_o    <= {missing ? polycast_pkg::CodingEventMissing : '0, unequal ? polycast_pkg::CodingEventUnequal : '0,
                          refuse ? refuse_code : '0};
      event_context_o <= {missing ? 16'(given_context) : '0, unequal ? 16'(work_context) : '0, refuse ? queued_group : '0};
      event_index_o   <= {missing_index, unequal ? 32'(unequal_index) : '0, refuse ? queued_tag : '0};
      event_source_o  <= {24'd0, unequal ? partner_source : '0, refuse ? queued_source : '0};
    end
  end

  assign idle_o = input_idle && all_free && none_begun && pipe_empty && !credit_valid_o && error_o == '0 &&
                  event_valid_o == '0 && !flit_valid_o;

`ifndef SYNTHESIS
  if (NumVcs < 1 || NumVcs > 16 || VcFlits < 1 || VcFlits > 4096 || FlitBytes < 1 || FlitBytes > 64 || NumContexts < 1 ||
      NumContexts > 1024 || NumSlots < 2 || NumSlots > 4096 || SlotFlits < 1 || SlotFlits > 4096 || NumIndices < 2 ||
      NumIndices > 4096 || NumDestinations < 1 || NumDestinations > 4096 || MaxLatency > 64) begin : gen_bad_parameters
    $error("polycast_coding: a parameter is out of range");
  end

  ConfiguredOnlyWhileIdle: assert property (@(posedge clk_i) disable iff (!rst_ni) cfg_valid_i |-> idle_o)
    else $error("configuration written while the unit is not idle");
  LatencyExists: assert property (@(posedge clk_i) disable iff (!rst_ni) send |-> 32'(latency) <= MaxLatency)
    else $error("the XOR pipe has not so many stages");
  SilentIsZero: assert property (@(posedge clk_i) disable iff (!rst_ni) credit_valid_o || credit_vc_o == '0)
    else $error("a credit pin that says nothing is not zero");
  IdleHasNoWork: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> !queued && !made && !send && !giving_up)
    else $error("the unit is idle, but has work");
`endif

endmodule

`default_nettype wire
