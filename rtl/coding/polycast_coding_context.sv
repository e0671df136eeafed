// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// What one context remembers: that it has begun, pairs that are left, entries in the queue of
/// work, and its clock (step 8 of hw/chips/coding/coding_unit.md).
module polycast_coding_context #(
  /// Bits of a number of operands.
  parameter int unsigned CountBits = 7,
  /// Bits of a number of entries.
  parameter int unsigned EntryBits = 7
) (
  /// Clock.
  input  wire logic                 clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                 rst_ni,
  /// Cycles without progress; 0: any.
  input  wire logic [31:0]          patience_i,
  /// An operand of it is accepted.
  input  wire logic                 accept_i,
  /// Operands that it has.
  input  wire logic [CountBits-1:0] count_i,
  /// An entry of it goes to the queue of work.
  input  wire logic                 push_i,
  /// One leaves it.
  input  wire logic                 pop_i,
  /// A pair of it is done.
  input  wire logic                 pair_i,
  /// It is given up with this cycle.
  input  wire logic                 end_i,
  /// It has begun, registered.
  output logic                      begun_o,
  /// Its patience is at an end.
  output logic                      expired_o
);

  logic                 begun_q;
  logic [CountBits-1:0] pairs_q;
  logic [EntryBits-1:0] entries_q;
  logic [31:0]          clock_q;

  assign begun_o   = begun_q;
  assign expired_o = begun_q && patience_i != '0 && clock_q >= patience_i && entries_q == '0 &&
      !accept_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q   <= 1'b0;
      pairs_q   <= '0;
      entries_q <= '0;
      clock_q   <= '0;
    end else begin
      if (accept_i) begun_q <= 1'b1;
      if (end_i || (pair_i && pairs_q == CountBits'(1))) begun_q <= 1'b0;

      if (accept_i && !begun_q) pairs_q <= count_i - CountBits'(1);
      else if (pair_i)          pairs_q <= pairs_q - CountBits'(1);

      if (push_i && !pop_i) entries_q <= entries_q + EntryBits'(1);
      if (pop_i && !push_i) entries_q <= entries_q - EntryBits'(1);

      if (accept_i || pair_i)           clock_q <= '0;
      else if (begun_q && clock_q != '1) clock_q <= clock_q + 32'd1;
    end
  end

`ifndef SYNTHESIS
  PairsAreCounted:
      assert property (@(posedge clk_i) disable iff (!rst_ni) pair_i |-> begun_q && pairs_q != '0)
    else $error("a pair is done in a context that has none left");
  NothingComesToTheEnd: assert property (@(posedge clk_i) disable iff (!rst_ni)
      end_i || (pair_i && pairs_q == CountBits'(1)) |-> !accept_i && !push_i)
    else $error("an operand is accepted in the cycle in which its context ends");
  NothingIsLeft:
      assert property (@(posedge clk_i) disable iff (!rst_ni) end_i || !begun_q |-> entries_q == '0)
    else $error("a context has ended, but not its work");
`endif

endmodule

`default_nettype wire
