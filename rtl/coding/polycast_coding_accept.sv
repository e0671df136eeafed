// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Judges one operand in a cycle: a datum that decoding has just made, or the first of the complete
/// packets (step 3 of hw/chips/coding/coding_unit.md). Says where its partners would be, and makes
/// an
/// entry of the queue of work of those that are there. Combinational.
module polycast_coding_accept #(
  /// Contexts.
  parameter int unsigned NumContexts = 16,
  /// Longest chain.
  parameter int unsigned NumIndices  = 64,
  /// Bits of the number of a slot.
  parameter int unsigned SlotBits    = 6,
  /// Bits of the number of a context; derived, do not set.
  parameter int unsigned ContextBits = NumContexts > 1 ? $clog2(NumContexts) : 1,
  /// Bits of the number of an operand; derived, do not set.
  parameter int unsigned IndexBits   = $clog2(NumIndices),
  /// Bits of a number of operands; derived, do not set.
  parameter int unsigned CountBits   = $clog2(NumIndices + 1)
) (
  /// A datum has been made, registered.
  input  wire logic                   made_i,
  /// Its slot.
  input  wire logic [SlotBits-1:0]    made_slot_i,
  /// Its context.
  input  wire logic [ContextBits-1:0] made_context_i,
  /// Its number.
  input  wire logic [IndexBits-1:0]   made_index_i,
  /// Its partner is the upper one, not the lower.
  input  wire logic                   made_up_i,
  /// There is a complete packet, registered.
  input  wire logic                   queued_i,
  /// A context is being given up, registered: no packet is accepted.
  input  wire logic                   giving_up_i,
  /// Slot of the first packet.
  input  wire logic [SlotBits-1:0]    queued_slot_i,
  /// What is wrong with it by itself.
  input  wire logic [polycast_pkg::CodingEventBits-1:0] queued_code_i,
  /// Its group.
  input  wire logic [15:0]            queued_group_i,
  /// Its tag.
  input  wire logic [31:0]            queued_tag_i,
  /// The context is encoding, decoding, or neither: it is off.
  input  wire logic                   encode_i,
  input  wire logic                   decode_i,
  /// Operands of the context.
  input  wire logic [CountBits-1:0]   count_i,
  /// The context has begun, registered.
  input  wire logic                   begun_i,
  /// Operands of it that were accepted in this round: bit NumIndices is any plain one in decoding.
  input  wire logic [NumIndices:0]    seen_i,
  /// Context that is looked up.
  output logic      [ContextBits-1:0] context_o,
  /// The first packet leaves the queue.
  output logic                        pop_o,
  /// It is bad.
  output logic                        refuse_o,
  /// Why.
  output logic      [polycast_pkg::CodingEventBits-1:0] code_o,
  /// An operand is accepted.
  output logic                        accept_o,
  /// It came in a packet.
  output logic                        accept_packet_o,
  /// Slot of what is accepted or refused.
  output logic      [SlotBits-1:0]    slot_o,
  /// It is a chain operand.
  output logic                        chain_o,
  /// Its number.
  output logic      [IndexBits-1:0]   index_o,
  /// It has two uses, not one.
  output logic                        twice_o,
  /// Its bit of what is seen.
  output logic      [NumIndices:0]    seen_bit_o,
  /// There may be a lower partner, what and which.
  output logic                        lower_o,
  output logic                        lower_chain_o,
  output logic      [IndexBits-1:0]   lower_index_o,
  /// The same for the upper partner.
  output logic                        upper_o,
  output logic                        upper_chain_o,
  output logic      [IndexBits-1:0]   upper_index_o,
  /// They are there.
  input  wire logic                   lower_found_i,
  input  wire logic                   upper_found_i,
  /// There is work.
  output logic                        push_o,
  /// With the lower partner.
  output logic                        push_lower_o,
  /// With the upper partner.
  output logic                        push_upper_o
);

  // A tag, as hw/chips/coding/coding_unit.md says.
  typedef struct packed {
    logic        chain;
    logic [14:0] any;
    logic [15:0] index;
  } tag_t;

  tag_t tag;

  assign tag = queued_tag_i;

  logic                  packet, exists, in_chain, duplicate, first, last;
  logic [CountBits-1:0]  limit;

  assign packet    = queued_i && !made_i && !giving_up_i;
  assign context_o = made_i ? made_context_i : queued_group_i[ContextBits-1:0];
  assign slot_o    = made_i ? made_slot_i : queued_slot_i;

  // Judgement.
  always_comb begin
    exists     = 32'(queued_group_i) < NumContexts && (encode_i || decode_i);
    limit      = tag.chain ? count_i - CountBits'(1) : count_i;
    in_chain   = 32'(tag.index) < 32'(limit) && !(tag.chain && encode_i);
    seen_bit_o = '0;
    if (decode_i && !tag.chain) begin
      seen_bit_o[NumIndices] = 1'b1;
    end else begin
      for (int unsigned i = 0; i < NumIndices; i++) seen_bit_o[i] = tag.index == 16'(i);
    end
    duplicate = begun_i && (seen_i & seen_bit_o) != '0;

    code_o = queued_code_i;
    if (queued_code_i == polycast_pkg::CodingEventNone) begin
      if (!exists)        code_o = polycast_pkg::CodingEventUnknownContext;
      else if (!in_chain)   code_o = polycast_pkg::CodingEventBadIndex;
      else if (duplicate) code_o = polycast_pkg::CodingEventDuplicate;
    end
    pop_o           = packet;
    refuse_o        = packet && code_o != polycast_pkg::CodingEventNone;
    accept_packet_o = packet && code_o == polycast_pkg::CodingEventNone;
    accept_o        = made_i || accept_packet_o;
  end

  // The operand and its partners.
  always_comb begin
    chain_o = !made_i && tag.chain;
    index_o = made_i ? made_index_i : IndexBits'(tag.index);
    first   = index_o == '0;
    last    = 32'(index_o) + 32'd1 == 32'(count_i);
    twice_o = !made_i && !tag.chain && !first && !last;

    lower_o       = accept_o && (chain_o || (!first && !(made_i && made_up_i)));
    lower_chain_o = decode_i && !chain_o;
    lower_index_o = chain_o ? index_o : index_o - IndexBits'(1);
    upper_o       = accept_o && (chain_o || (!last && !(made_i && !made_up_i)));
    upper_chain_o = decode_i && !chain_o;
    upper_index_o = decode_i && !chain_o ? index_o : index_o + IndexBits'(1);

    push_lower_o = lower_found_i;
    push_upper_o = upper_found_i && !(chain_o && lower_found_i);
    push_o       = lower_found_i || upper_found_i;
  end

  logic unused;
  assign unused = ^tag.any;

`ifndef SYNTHESIS
  always_comb begin
    MadeByDecoding:
        assert final (!made_i || decode_i)
        else $error("a datum was made in a context that does not decode");
    ChainOperandsHaveOnePartner: assert final (!(chain_o && lower_found_i && upper_found_i))
      else $error("two data of one chain operand are there");
  end
`endif

endmodule

`default_nettype wire
