// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Works on the first entry of the queue of work: pair by pair, destination by destination, flit by
/// flit (steps 4 and 5 of hw/chips/coding/coding_unit.md).
module polycast_coding_work #(
  /// Entries of the queue, as many as slots: 2 or more.
  parameter int unsigned NumSlots     = 64,
  /// Flits of a slot.
  parameter int unsigned SlotFlits    = 8,
  /// Header flits of a packet that is sent; none where the header is free.
  parameter int unsigned HeaderFlits  = 1,
  /// Bits of the number of a context.
  parameter int unsigned ContextBits  = 4,
  /// Bits of the number of an operand.
  parameter int unsigned IndexBits    = 6,
  /// Bits of a number of operands.
  parameter int unsigned CountBits    = 7,
  /// Bits of a number of destinations.
  parameter int unsigned DestBits     = 7,
  /// Bits of the number of a slot; derived, do not set.
  parameter int unsigned SlotBits     = $clog2(NumSlots),
  /// Bits of a number of flits of a slot; derived, do not set.
  parameter int unsigned SlotFlitBits = $clog2(SlotFlits + 1),
  /// Bits of the number of a flit in a packet; derived, do not set.
  parameter int unsigned FlitBits     = $clog2(SlotFlits + HeaderFlits + 1)
) (
  /// Clock.
  input  wire logic                    clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                    rst_ni,
  /// An entry comes: an operand and its partners.
  input  wire logic                    push_i,
  /// Context of them.
  input  wire logic [ContextBits-1:0]  push_context_i,
  /// The operand is a chain operand.
  input  wire logic                    push_chain_i,
  /// Its number.
  input  wire logic [IndexBits-1:0]    push_index_i,
  /// Its slot.
  input  wire logic [SlotBits-1:0]     push_slot_i,
  /// There is a lower partner, and its slot.
  input  wire logic                    push_lower_i,
  input  wire logic [SlotBits-1:0]     push_lower_slot_i,
  /// There is an upper partner, and its slot.
  input  wire logic                    push_upper_i,
  input  wire logic [SlotBits-1:0]     push_upper_slot_i,
  /// Context of the entry that is worked on.
  output logic      [ContextBits-1:0]  context_o,
  /// It decodes.
  input  wire logic                    decode_i,
  /// Its operands.
  input  wire logic [CountBits-1:0]    count_i,
  /// Its destinations.
  input  wire logic [DestBits-1:0]     destinations_i,
  /// Slots of the pair: the operand, and the partner that was there before.
  output logic      [SlotBits-1:0]     slot_o,
  output logic      [SlotBits-1:0]     partner_slot_o,
  /// Bytes of the payload of each.
  input  wire logic [15:0]             length_i,
  input  wire logic [15:0]             partner_length_i,
  /// Flits of each in its slot.
  input  wire logic [SlotFlitBits-1:0] flits_i,
  /// The flit that is sent can enter the XOR pipe.
  input  wire logic                    ready_i,
  /// A flit is sent.
  output logic                         send_o,
  /// It is the first of its packet.
  output logic                         send_head_o,
  /// It is the last of its packet.
  output logic                         send_tail_o,
  /// Its number in the packet.
  output logic      [FlitBits-1:0]     flit_o,
  /// Its number in the slots; of use behind the header flits.
  output logic      [SlotFlitBits-1:0] slot_flit_o,
  /// Its destination among those of the context.
  output logic      [DestBits-1:0]     destination_o,
  /// Index of the packet: of the lower operand (encode), of the datum made (decode).
  output logic      [IndexBits-1:0]    index_o,
  /// The flit of the datum made is written.
  output logic                         write_o,
  /// A pair is done.
  output logic                         pair_o,
  /// The operands have different lengths.
  output logic                         unequal_o,
  /// Lower index of both.
  output logic      [IndexBits-1:0]    lower_index_o,
  /// The entry leaves the queue.
  output logic                         pop_o,
  /// A datum is made in `made_slot_o`.
  output logic                         make_o,
  /// It has a use left and keeps the slot.
  output logic                         keep_o,
  /// Slot of the chain operand (decode).
  output logic      [SlotBits-1:0]     make_slot_o,
  /// A datum has been made that has a use left, registered.
  output logic                         made_o,
  /// Its slot, context and number.
  output logic      [SlotBits-1:0]     made_slot_o,
  output logic      [ContextBits-1:0]  made_context_o,
  output logic      [IndexBits-1:0]    made_index_o,
  /// It was made out of the one below it.
  output logic                         made_up_o
);

  localparam int unsigned EntryBits = ContextBits + 1 + IndexBits + SlotBits + 2 * (1 + SlotBits);

  logic                 valid, chain, lower, upper, at_upper;
  logic [SlotBits-1:0]  lower_slot, upper_slot;
  logic [IndexBits-1:0] index, made_index;
  logic [EntryBits-1:0] entry;
  logic                 second_q, silent, advance, last_flit, last_destination, in_slots, made_up;
  logic [FlitBits-1:0]  flit_q;
  logic [DestBits-1:0]  destination_q;

  polycast_fifo #(
    .Width(EntryBits),
    .Depth(NumSlots)
  ) i_queue (
    .clk_i,
    .rst_ni,
    .push_i,
    .data_i ({push_context_i, push_chain_i, push_index_i, push_slot_i, push_lower_i,
    push_lower_slot_i, push_upper_i,
              push_upper_slot_i}),
    .pop_i  (pop_o),
    .valid_o(valid),
    .data_o (entry)
  );

  assign {context_o, chain, index, slot_o, lower, lower_slot, upper, upper_slot} = entry;

  // The pair: the upper one comes second, or alone.
  assign at_upper       = !lower || second_q;
  assign partner_slot_o = at_upper ? upper_slot : lower_slot;
  assign lower_index_o  = !chain && !at_upper ? index - IndexBits'(1) : index;

  // Of a plain operand the partner is the chain operand; of a chain operand d_i is the lower
  // partner, d_(i+1) the upper one.
  assign make_slot_o = chain ? slot_o : partner_slot_o;
  assign made_up     = chain ? !at_upper : at_upper;
  assign made_index  = made_up ? lower_index_o + IndexBits'(1) : lower_index_o;
  assign index_o     = decode_i ? made_index : lower_index_o;

  always_comb begin
    unequal_o        = valid && length_i != partner_length_i;
    silent           = destinations_i == '0;
    send_o           = valid && !unequal_o && !silent;
    advance          = valid && !unequal_o && (silent || ready_i);
    last_flit        = flit_q + FlitBits'(1) == FlitBits'(flits_i) + FlitBits'(HeaderFlits);
    last_destination = silent || destination_q + DestBits'(1) == destinations_i;
    pair_o           = unequal_o || (advance && last_flit && last_destination);
    pop_o            = pair_o && (at_upper || !upper);
    write_o          = decode_i && advance && last_destination && in_slots;
    make_o           = decode_i && pair_o && !unequal_o;
    keep_o           = make_o && (made_up ? 32'(made_index) + 32'd1 != 32'(count_i) :
        made_index != '0);
  end

  if (HeaderFlits == 0) begin : gen_no_header_flits
    assign in_slots = 1'b1;
  end else begin : gen_header_flits
    assign in_slots = flit_q >= FlitBits'(HeaderFlits);
  end

  assign send_head_o   = flit_q == '0;
  assign send_tail_o   = last_flit;
  assign flit_o        = flit_q;
  assign slot_flit_o   = SlotFlitBits'(flit_q - FlitBits'(HeaderFlits));
  assign destination_o = destination_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q      <= 1'b0;
      flit_q        <= '0;
      destination_q <= '0;
      made_o        <= 1'b0;
    end else begin
      if (pair_o) second_q <= !pop_o;
      if (advance) begin
        flit_q <= last_flit ? '0 : flit_q + FlitBits'(1);
        if (last_flit) destination_q <= last_destination ? '0 : destination_q + DestBits'(1);
      end
      made_o <= keep_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (keep_o) begin
      made_slot_o    <= make_slot_o;
      made_context_o <= context_o;
      made_index_o   <= made_index;
      made_up_o      <= made_up;
    end
  end

`ifndef SYNTHESIS
  SlotsHaveFlits: assert property (@(posedge clk_i) disable iff (!rst_ni) valid |-> flits_i != '0)
    else $error("a pair of operands without flits");
  EntriesHavePartners:
      assert property (@(posedge clk_i) disable iff (!rst_ni) valid |-> lower || upper)
    else $error("an entry without partners");
  OnlyDecodingChains:
      assert property (@(posedge clk_i) disable iff (!rst_ni) valid && chain |-> decode_i)
    else $error("a chain operand in a context that does not decode");
`endif

endmodule

`default_nettype wire
