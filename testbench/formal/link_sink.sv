// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_link_sink, with a chip that gives back what it has: the units in the chip are
/// R_CC - R_CF and the place of a poison tail, for any flits, cuts, cc_updates and inits; a credit
/// is never one too many; an answer to an init finds the chip empty and makes both counters, and
/// what was told of them, zero.
module harness #(
  parameter int unsigned UnitFlits  = 2,
  parameter int unsigned Repairable = 2
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        tell_i,
  input wire logic        credit_i,
  input wire logic        cut_all_i,
  input wire logic        cut_i,
  input wire logic        update_i,
  input wire logic [19:0] number_i,
  input wire logic        flit_i,
  input wire logic        tail_i,
  input wire logic        poisoned_i,
  input wire logic        answer_i
);

  logic [19:0] freed, leak;
  logic        due, forced, credit_overflow, open, waits, poison, leak_error, rest;

  polycast_link_sink dut (
    .clk_i, .rst_ni, .unit_i(16'(UnitFlits)), .repairable_i(20'(Repairable)), .tell_i, .credit_i,
    .cut_all_i, .cut_i, .update_i, .number_i, .flit_i, .tail_i, .poisoned_i, .answer_i,
    .upset_begun_i('0), .upset_freed_i('0), .begun_o(), .freed_o(freed), .due_o(due),
    .forced_o(forced), .credit_overflow_o(credit_overflow),
    .open_o(open), .waits_o(waits), .poison_o(poison), .leak_o(leak), .leak_error_o(leak_error),
    .rest_o(rest)
  );

  (* probe = "dut.open_q" *) wire open_now;
  (* probe = "dut.own_q" *) wire own;
  (* probe = "dut.waits_q" *) wire waits_now;
  (* probe = "dut.poison_q" *) wire poison_now;
  (* probe = "dut.held_q" *) wire [19:0] held;
  (* probe = "dut.r_cc" *) wire [19:0] begun;
  (* probe = "dut.told_q" *) wire [19:0] told;
  (* probe = "dut.begins" *) wire begins;
  (* probe = "dut.cuts" *) wire cuts;
  (* probe = "dut.full" *) wire full;
  (* probe = "dut.own_credit" *) wire own_credit;

  // Units in the chip; a poison tail that takes one is due.
  logic [19:0] chip_q;
  logic        takes_q, takes, answered_q;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  assign takes = takes_q || (credit_i && own && waits_now) || (cuts && full && !own_credit);
  always_ff @(posedge clk_i) begin
    chip_q     <= chip_q + 20'(begins) + 20'(poisoned_i && takes) - 20'(credit_i);
    takes_q    <= takes && !poisoned_i;
    answered_q <= answer_i;
    if (!rst_ni) begin
      chip_q     <= '0;
      takes_q    <= 1'b0;
      answered_q <= 1'b0;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    if (credit_i) assume (chip_q != '0);
    // The receiver: one thing leaves in a cycle, flits behind poison tails and not while a cut
    // waits; a message is no flit.
    if (flit_i) assume (!poison && !poisoned_i && !cut_i && !update_i && (open || !waits));
    if (poisoned_i) assume (poison);
    assume (!(cut_i && update_i));
    if (answer_i) assume (rest);
    // Far fewer units than numbers.
    assume (chip_q < 20'd1000);
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      // What holds the induction together.
      assert (!(open_now && (waits_now || poison_now)));
      assert (!waits_now || (own && !poison_now));
      assert (!takes_q || poison_now);
      // What counts.
      assert (held + 20'(own) == chip_q + 20'(takes_q));
      assert (held == begun - freed);
      assert (!credit_overflow);
      if (answered_q) assert (begun == '0 && freed == '0 && told == '0 && chip_q == '0 && !due);
      cover (own && held == 20'd2);
      cover (waits_now && credit_i);
      cover (update_i && leak == 20'd2 && !leak_error);
      cover (answered_q);
    end
  end

endmodule

`default_nettype wire
