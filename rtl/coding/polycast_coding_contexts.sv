// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// All contexts: what each has seen of its operands, and giving up those that make no progress, one
/// index in a cycle (step 8 of hw/chips/coding/coding_unit.md).
module polycast_coding_contexts #(
  /// Contexts.
  parameter int unsigned NumContexts = 16,
  /// Longest chain.
  parameter int unsigned NumIndices  = 64,
  /// Bits of a number of entries of the queue of work.
  parameter int unsigned EntryBits   = 7,
  /// Bits of the number of a context; derived, do not set.
  parameter int unsigned ContextBits = NumContexts > 1 ? $clog2(NumContexts) : 1,
  /// Bits of a number of operands; derived, do not set.
  parameter int unsigned CountBits   = $clog2(NumIndices + 1)
) (
  /// Clock.
  input  wire logic                   clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                   rst_ni,
  /// Cycles without progress after which a context is given up; 0: none is.
  input  wire logic [31:0]            patience_i,
  /// Context that is looked up.
  input  wire logic [ContextBits-1:0] context_i,
  /// It has begun, registered.
  output logic                        begun_o,
  /// Operands of it that were accepted in this round, if it has begun.
  output logic      [NumIndices:0]    seen_o,
  /// An operand of it is accepted.
  input  wire logic                   accept_i,
  /// Its bit of what is seen; zero for a datum that has been made.
  input  wire logic [NumIndices:0]    accept_seen_i,
  /// Operands of that context.
  input  wire logic [CountBits-1:0]   accept_count_i,
  /// An entry of it goes to the queue of work.
  input  wire logic                   push_i,
  /// A pair is done.
  input  wire logic                   pair_i,
  /// Context of it.
  input  wire logic [ContextBits-1:0] pair_context_i,
  /// It was the last of its entry.
  input  wire logic                   pop_i,
  /// A context is being given up, registered.
  output logic                        giving_up_o,
  /// Which.
  output logic      [ContextBits-1:0] given_context_o,
  /// Its operands.
  input  wire logic [CountBits-1:0]   given_count_i,
  /// It decodes.
  input  wire logic                   given_decode_i,
  /// An operand of it did not come.
  output logic                        missing_o,
  /// Its tag.
  output logic      [31:0]            missing_index_o,
  /// It ends with this cycle.
  output logic                        end_o,
  /// No context has begun, registered.
  output logic                        none_begun_o
);

  localparam int unsigned PlaceBits = $clog2(NumIndices + 1);

  logic [NumIndices:0]    seen_q [NumContexts];
  logic [NumIndices:0]    given_seen;
  logic [NumContexts-1:0] begun, expired, chosen, unused_behind;
  logic                   giving_q;
  logic [ContextBits-1:0] given_q, lowest;
  logic [CountBits-1:0]   step_q;
  logic [PlaceBits-1:0]   place;
  logic                   came;

  for (genvar c = 0; c < NumContexts; c++) begin : gen_context
    polycast_coding_context #(
      .CountBits(CountBits),
      .EntryBits(EntryBits)
    ) i_context (
      .clk_i,
      .rst_ni,
      .patience_i,
      .accept_i (accept_i && context_i == ContextBits'(c)),
      .count_i  (accept_count_i),
      .push_i   (push_i && context_i == ContextBits'(c)),
      .pop_i    (pop_i && pair_context_i == ContextBits'(c)),
      .pair_i   (pair_i && pair_context_i == ContextBits'(c)),
      .end_i    (end_o && given_q == ContextBits'(c)),
      .begun_o  (begun[c]),
      .expired_o(expired[c])
    );
  end

  // Contexts that do not exist have not begun, and are not seen.
  always_comb begin
    begun_o = 1'b0;
    for (int unsigned c = 0; c < NumContexts; c++) begin
      if (context_i == ContextBits'(c)) begun_o = begun[c];
    end
  end
  assign none_begun_o = begun == '0;
  assign seen_o       = seen_q[context_i];

  always_ff @(posedge clk_i) begin
    if (accept_i) seen_q[context_i] <= (begun_o ? seen_o : '0) | accept_seen_i;
  end

  // Giving up.
  polycast_rr_pick #(
    .NumReq(NumContexts)
  ) i_lowest (
    .mask_i  ('0),
    .req_i   (expired),
    .gnt_o   (chosen),
    .behind_o(unused_behind)
  );

  always_comb begin
    lowest = '0;
    for (int unsigned c = 0; c < NumContexts; c++) if (chosen[c]) lowest = lowest | ContextBits'(c);
  end

  assign giving_up_o     = giving_q;
  assign given_context_o = given_q;
  assign given_seen      = seen_q[given_q];
  assign end_o           = giving_q && step_q + CountBits'(1) == given_count_i;

  // In decoding the first step is for all plain operands.
  always_comb begin
    place           = PlaceBits'(step_q);
    missing_index_o = 32'(step_q);
    if (given_decode_i) begin
      place           = step_q == '0 ? PlaceBits'(NumIndices) : PlaceBits'(step_q) - PlaceBits'(1);
      missing_index_o = step_q == '0 ? 32'h0000ffff : {1'b1, 31'(step_q) - 31'd1};
    end
    came = 1'b0;
    for (int unsigned i = 0; i <= NumIndices; i++) if (place == PlaceBits'(i)) came = given_seen[i];
    missing_o = giving_q && !came;
    if (!missing_o) missing_index_o = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      giving_q <= 1'b0;
      given_q  <= '0;
      step_q   <= '0;
    end else if (giving_q) begin
      giving_q <= !end_o;
      step_q   <= step_q + CountBits'(1);
    end else begin
      giving_q <= expired != '0;
      given_q  <= lowest;
      step_q   <= '0;
    end
  end

  logic unused;
  assign unused = ^unused_behind;

`ifndef SYNTHESIS
  GivenUpHasBegun: assert property (@(posedge clk_i) disable iff (!rst_ni)
      giving_q |-> ((NumContexts'(1) << given_q) & begun) != '0 && step_q < given_count_i)
    else $error("a context is given up that has not begun");
  GivenUpStandsStill: assert property (@(posedge clk_i) disable iff (!rst_ni)
      giving_q |-> !(accept_i && context_i == given_q) && !(pair_i && pair_context_i == given_q))
    else $error("something happens in a context that is being given up");
`endif

endmodule

`default_nettype wire
