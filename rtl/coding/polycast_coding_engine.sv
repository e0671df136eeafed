// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Operands, contexts and pairs: from packets as they are taken to the flits that are sent (steps 3
/// to 5 and 8 of hw/chips/coding/coding_unit.md). Knows nothing of links, headers and check words.
module polycast_coding_engine #(
  /// Contexts.
  parameter int unsigned NumContexts  = 16,
  /// Slots of the operand store, 2 or more.
  parameter int unsigned NumSlots     = 64,
  /// Flits of a slot.
  parameter int unsigned SlotFlits    = 8,
  /// Longest chain.
  parameter int unsigned NumIndices   = 64,
  /// Bits of a flit.
  parameter int unsigned FlitBits     = 128,
  /// Header flits of a packet that is sent; none where the header is free.
  parameter int unsigned HeaderFlits  = 1,
  /// Bits of a number of destinations.
  parameter int unsigned DestBits     = 7,
  /// Bits of the number of a slot; derived, do not set, as those that follow.
  parameter int unsigned SlotBits     = $clog2(NumSlots),
  parameter int unsigned SlotFlitBits = $clog2(SlotFlits + 1),
  parameter int unsigned PacketBits   = $clog2(SlotFlits + HeaderFlits + 1),
  parameter int unsigned ContextBits  = NumContexts > 1 ? $clog2(NumContexts) : 1,
  parameter int unsigned IndexBits    = $clog2(NumIndices),
  parameter int unsigned CountBits    = $clog2(NumIndices + 1)
) (
  /// Clock.
  input  wire logic                    clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                    rst_ni,
  /// Cycles without progress after which a context is given up; 0: none is.
  input  wire logic [31:0]             patience_i,
  /// There is a free slot, registered.
  output logic                         slot_free_o,
  /// The lowest of them.
  output logic      [SlotBits-1:0]     free_slot_o,
  /// A packet takes it.
  input  wire logic                    take_head_i,
  /// A flit of a packet goes into its slot.
  input  wire logic                    write_i,
  /// Slot of the packet whose flit is taken.
  input  wire logic [SlotBits-1:0]     take_slot_i,
  /// Number of the flit in it.
  input  wire logic [SlotFlitBits-1:0] write_flit_i,
  /// The flit.
  input  wire logic [FlitBits-1:0]     take_data_i,
  /// The packet is dropped.
  input  wire logic                    short_i,
  /// The packet is complete: what is wrong with it by itself, where it is from, what its header
  /// says, what it holds.
  input  wire logic                    complete_i,
  input  wire logic [polycast_pkg::CodingEventBits-1:0] code_i,
  input  wire logic [23:0]             source_i,
  input  wire logic [15:0]             group_i,
  input  wire logic [31:0]             tag_i,
  input  wire logic [15:0]             length_i,
  input  wire logic [SlotFlitBits-1:0] flits_i,
  input  wire logic [31:0]             crc_i,
  /// Registers of a context that an operand is accepted for: it encodes, decodes, or is off;
  /// operands.
  output logic      [ContextBits-1:0]  context_o,
  input  wire logic                    encode_i,
  input  wire logic                    decode_i,
  input  wire logic [CountBits-1:0]    count_i,
  /// Of one that is given up.
  output logic      [ContextBits-1:0]  given_context_o,
  input  wire logic                    given_decode_i,
  input  wire logic [CountBits-1:0]    given_count_i,
  /// Of one that is worked on; destinations, too.
  output logic      [ContextBits-1:0]  work_context_o,
  input  wire logic                    work_decode_i,
  input  wire logic [CountBits-1:0]    work_count_i,
  input  wire logic [DestBits-1:0]     work_destinations_i,
  /// What is sent can enter the XOR pipe.
  input  wire logic                    ready_i,
  /// A flit is sent: first of its packet, last, number in it.
  output logic                         send_o,
  output logic                         send_head_o,
  output logic                         send_tail_o,
  output logic      [PacketBits-1:0]   send_flit_o,
  /// Its destination among those of the context, and index of the packet.
  output logic      [DestBits-1:0]     send_destination_o,
  output logic      [IndexBits-1:0]    send_index_o,
  /// XOR of both operands' flits; of use behind the header flits.
  output logic      [FlitBits-1:0]     send_data_o,
  /// XOR of the CRCs of their payloads, and their length.
  output logic      [31:0]             send_crc_o,
  output logic      [15:0]             send_length_o,
  /// Events of accepting, coding and giving up: valid, code, context, index, source.
  output logic                         refuse_o,
  output logic      [polycast_pkg::CodingEventBits-1:0] refuse_code_o,
  output logic      [15:0]             refuse_group_o,
  output logic      [31:0]             refuse_tag_o,
  output logic      [23:0]             refuse_source_o,
  output logic                         unequal_o,
  output logic      [IndexBits-1:0]    unequal_index_o,
  output logic      [23:0]             unequal_source_o,
  output logic                         missing_o,
  output logic      [31:0]             missing_index_o,
  /// No packet, no operand, no context that has begun, registered.
  output logic                         idle_o
);

  // What is judged.
  logic                    all_free, queued, queue_pop, accept, accept_packet, accept_chain,
      accept_twice;
  logic [SlotBits-1:0]     queued_slot, accept_slot, lower_slot, upper_slot;
  logic [polycast_pkg::CodingEventBits-1:0] queued_code;
  logic [IndexBits-1:0]    accept_index, lower_index, upper_index;
  logic                    lower, lower_chain, lower_found, upper, upper_chain, upper_found, push,
      push_lower, push_upper;
  logic [NumIndices:0]     seen, seen_bit;
  logic                    begun, none_begun, giving_up, given_end;

  // What is worked on.
  logic [ContextBits-1:0]  made_context;
  logic                    make_flit, pair, work_pop, make, keep, made, made_up;
  logic [SlotBits-1:0]     pair_slot, partner_slot, make_slot, made_slot;
  logic [15:0]             length, partner_length;
  logic [SlotFlitBits-1:0] flits, slot_flit;
  logic [IndexBits-1:0]    made_index;
  logic [FlitBits-1:0]     operand_data, partner_data;

  assign send_data_o   = operand_data ^ partner_data;
  assign send_length_o = length;
  assign idle_o        = all_free && none_begun;

  polycast_coding_store #(
    .NumSlots (NumSlots),
    .SlotFlits(SlotFlits),
    .FlitBits (FlitBits)
  ) i_store (
    .clk_i,
    .take_i          (write_i),
    .take_slot_i,
    .take_flit_i     (write_flit_i),
    .take_data_i,
    .complete_i,
    .code_i,
    .source_i,
    .group_i,
    .tag_i,
    .length_i,
    .flits_i,
    .crc_i,
    .look_slot_i     (queued_slot),
    .look_code_o     (queued_code),
    .look_source_o   (refuse_source_o),
    .look_group_o    (refuse_group_o),
    .look_tag_o      (refuse_tag_o),
    .read_slot_i     (pair_slot),
    .partner_slot_i  (partner_slot),
    .read_flit_i     (slot_flit),
    .data_o          (operand_data),
    .partner_data_o  (partner_data),
    .length_o        (length),
    .partner_length_o(partner_length),
    .flits_o         (flits),
    .partner_source_o(unequal_source_o),
    .crc_o           (send_crc_o),
    .make_flit_i     (make_flit),
    .make_slot_i     (make_slot),
    .make_data_i     (send_data_o),
    .make_i          (make)
  );

  polycast_fifo #(
    .Width(SlotBits),
    .Depth(NumSlots)
  ) i_complete_queue (
    .clk_i,
    .rst_ni,
    .push_i (complete_i),
    .data_i (take_slot_i),
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
    .queued_group_i (refuse_group_o),
    .queued_tag_i   (refuse_tag_o),
    .encode_i,
    .decode_i,
    .count_i,
    .begun_i        (begun),
    .seen_i         (seen),
    .context_o      (context_o),
    .pop_o          (queue_pop),
    .refuse_o,
    .code_o         (refuse_code_o),
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
    .free_o          (slot_free_o),
    .free_slot_o,
    .all_free_o      (all_free),
    .take_i          (take_head_i),
    .drop_i          (short_i),
    .drop_slot_i     (take_slot_i),
    .refuse_i        (refuse_o),
    .accept_i        (accept),
    .accept_slot_i   (accept_slot),
    .accept_context_i(context_o),
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
    .end_context_i   (given_context_o)
  );

  // Step 8.
  polycast_coding_contexts #(
    .NumContexts(NumContexts),
    .NumIndices (NumIndices),
    .EntryBits  ($clog2(NumSlots + 1))
  ) i_contexts (
    .clk_i,
    .rst_ni,
    .patience_i,
    .context_i      (context_o),
    .begun_o        (begun),
    .seen_o         (seen),
    .accept_i       (accept),
    .accept_seen_i  (accept_packet ? seen_bit : '0),
    .accept_count_i (count_i),
    .push_i         (push),
    .pair_i         (pair),
    .pair_context_i (work_context_o),
    .pop_i          (work_pop),
    .giving_up_o    (giving_up),
    .given_context_o,
    .given_count_i,
    .given_decode_i,
    .missing_o,
    .missing_index_o,
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
    .push_context_i   (context_o),
    .push_chain_i     (accept_chain),
    .push_index_i     (accept_index),
    .push_slot_i      (accept_slot),
    .push_lower_i     (push_lower),
    .push_lower_slot_i(lower_slot),
    .push_upper_i     (push_upper),
    .push_upper_slot_i(upper_slot),
    .context_o        (work_context_o),
    .decode_i         (work_decode_i),
    .count_i          (work_count_i),
    .destinations_i   (work_destinations_i),
    .slot_o           (pair_slot),
    .partner_slot_o   (partner_slot),
    .length_i         (length),
    .partner_length_i (partner_length),
    .flits_i          (flits),
    .ready_i,
    .send_o,
    .send_head_o,
    .send_tail_o,
    .flit_o           (send_flit_o),
    .slot_flit_o      (slot_flit),
    .destination_o    (send_destination_o),
    .index_o          (send_index_o),
    .write_o          (make_flit),
    .pair_o           (pair),
    .unequal_o,
    .lower_index_o    (unequal_index_o),
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

`ifndef SYNTHESIS
  IdleHasNoWork:
      assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |->
          !queued && !made && !send_o && !giving_up)
    else $error("nothing is inside, but there is work");
`endif

endmodule

`default_nettype wire
