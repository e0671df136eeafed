// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Which slots of the operand store are free, and which operands are there: a comparator per slot
/// finds the partners of one (step 3 of hw/chips/coding/coding_unit.md).
module polycast_coding_slots #(
  /// Slots, 2 or more.
  parameter int unsigned NumSlots    = 64,
  /// Bits of the number of a context.
  parameter int unsigned ContextBits = 4,
  /// Bits of the number of an operand.
  parameter int unsigned IndexBits   = 6,
  /// Bits of the number of a slot; derived, do not set.
  parameter int unsigned SlotBits    = $clog2(NumSlots)
) (
  /// Clock.
  input  wire logic                   clk_i,
  /// Asynchronous reset, active low: all are free.
  input  wire logic                   rst_ni,
  /// There is a free slot, registered.
  output logic                        free_o,
  /// The lowest of them.
  output logic      [SlotBits-1:0]    free_slot_o,
  /// All are free, registered.
  output logic                        all_free_o,
  /// A packet gets the lowest free slot.
  input  wire logic                   take_i,
  /// A packet with a short header gives its slot back.
  input  wire logic                   drop_i,
  /// That slot.
  input  wire logic [SlotBits-1:0]    drop_slot_i,
  /// A bad packet gives its slot back.
  input  wire logic                   refuse_i,
  /// An operand is accepted.
  input  wire logic                   accept_i,
  /// Slot of one or the other.
  input  wire logic [SlotBits-1:0]    accept_slot_i,
  /// Its context.
  input  wire logic [ContextBits-1:0] accept_context_i,
  /// It is a chain operand.
  input  wire logic                   accept_chain_i,
  /// Its number.
  input  wire logic [IndexBits-1:0]   accept_index_i,
  /// It has two uses, not one.
  input  wire logic                   accept_twice_i,
  /// There may be a lower partner.
  input  wire logic                   lower_i,
  /// It is a chain operand.
  input  wire logic                   lower_chain_i,
  /// Its number.
  input  wire logic [IndexBits-1:0]   lower_index_i,
  /// There may be an upper partner.
  input  wire logic                   upper_i,
  /// It is a chain operand.
  input  wire logic                   upper_chain_i,
  /// Its number.
  input  wire logic [IndexBits-1:0]   upper_index_i,
  /// The lower partner is there.
  output logic                        lower_found_o,
  /// Its slot.
  output logic      [SlotBits-1:0]    lower_slot_o,
  /// The upper partner is there.
  output logic                        upper_found_o,
  /// Its slot.
  output logic      [SlotBits-1:0]    upper_slot_o,
  /// A pair is done.
  input  wire logic                   pair_i,
  /// Slots of its operands.
  input  wire logic [SlotBits-1:0]    pair_slot_i,
  input  wire logic [SlotBits-1:0]    partner_slot_i,
  /// The slot `made_slot_i`, one of both, keeps the datum that has been made.
  input  wire logic                   keep_i,
  /// That slot.
  input  wire logic [SlotBits-1:0]    made_slot_i,
  /// A context is given up: its operands go.
  input  wire logic                   end_i,
  /// That context.
  input  wire logic [ContextBits-1:0] end_context_i
);

  localparam int unsigned KeyBits = ContextBits + 1 + IndexBits;

  // What tells operands apart.
  typedef struct packed {
    logic [ContextBits-1:0] owner;
    logic                   chain;
    logic [IndexBits-1:0]   index;
  } key_t;
  typedef struct packed { logic [NumSlots-1:0][KeyBits-1:0] at; } slot_keys_t;

  slot_keys_t key_q;
  key_t accept_key, lower_key, upper_key, key;

  // Taken; its operand is there, has two uses left.
  logic [NumSlots-1:0] used_q, there_q, twice_q;
  logic [NumSlots-1:0] lowest, is_lower, is_upper, accepted, paired, leaves, kept, ended;

  assign free_o      = used_q != '1;
  assign all_free_o  = used_q == '0;
  assign lowest      = ~used_q & (used_q + NumSlots'(1));
  assign accept_key  = {accept_context_i, accept_chain_i, accept_index_i};
  assign lower_key   = {accept_context_i, lower_chain_i, lower_index_i};
  assign upper_key   = {accept_context_i, upper_chain_i, upper_index_i};

  always_comb begin
    free_slot_o  = '0;
    lower_slot_o = '0;
    upper_slot_o = '0;
    key          = '0;
    for (int unsigned s = 0; s < NumSlots; s++) begin
      key         = key_q.at[s];
      is_lower[s] = lower_i && there_q[s] && key == lower_key;
      is_upper[s] = upper_i && there_q[s] && key == upper_key;
      ended[s]    = end_i && there_q[s] && key.owner == end_context_i;
      accepted[s] = accept_i && accept_slot_i == SlotBits'(s);
      paired[s]   = pair_i && (pair_slot_i == SlotBits'(s) || partner_slot_i == SlotBits'(s));
      kept[s]     = pair_i && keep_i && made_slot_i == SlotBits'(s);
      leaves[s]   = (paired[s] && !twice_q[s] && !kept[s]) || ended[s] ||
          (drop_i && drop_slot_i == SlotBits'(s)) ||
                    (refuse_i && accept_slot_i == SlotBits'(s));
      if (lowest[s])   free_slot_o  = free_slot_o | SlotBits'(s);
      if (is_lower[s]) lower_slot_o = lower_slot_o | SlotBits'(s);
      if (is_upper[s]) upper_slot_o = upper_slot_o | SlotBits'(s);
    end
  end

  assign lower_found_o = is_lower != '0;
  assign upper_found_o = is_upper != '0;

  // A packet of one flit with a short header takes a slot and gives it back in one cycle.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q  <= '0;
      there_q <= '0;
    end else begin
      used_q  <= (used_q | (take_i ? lowest : '0)) & ~leaves;
      there_q <= (there_q | accepted) & ~(leaves | kept);
    end
  end

  always_ff @(posedge clk_i) begin
    twice_q <= (twice_q & ~paired & ~accepted) | (accept_twice_i ? accepted : '0);
    for (int unsigned s = 0; s < NumSlots; s++) begin
      if (accepted[s]) key_q.at[s] <= accept_key;
    end
  end

`ifndef SYNTHESIS
  OnePartnerEach:
      assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(is_lower) &&
          $onehot0(is_upper))
    else $error("an operand is there twice");
  OnlyUsedAreThere:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (there_q & ~used_q) == '0)
    else $error("an operand is in a free slot");
  PairsAreThere: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pair_i |-> there_q[pair_slot_i] && there_q[partner_slot_i] && pair_slot_i != partner_slot_i)
    else $error("a pair of operands that are not there");
  AcceptedOnce: assert property (@(posedge clk_i) disable iff (!rst_ni)
      accept_i || refuse_i |-> used_q[accept_slot_i] && !there_q[accept_slot_i])
    else $error("an operand is accepted twice, or out of nothing");
  TakeNeedsAFreeSlot: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> free_o)
    else $error("a packet is taken without a slot");
  KeptIsOneOfThePair: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pair_i && keep_i |->
          !twice_q[made_slot_i] && (made_slot_i == pair_slot_i || made_slot_i == partner_slot_i))
    else $error("a datum is made in a slot that is not its chain operand's");
`endif

endmodule

`default_nettype wire
