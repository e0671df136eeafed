// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_credit_counter: exact, never below zero, never above the configured credits, if only
/// what is left is spent and the credits change only while they are written (`clear_i`).
module harness #(
  parameter int unsigned CreditBits = 5
) (
  input wire logic                  clk_i,
  input wire logic                  rst_ni,
  input wire logic                  clear_i,
  input wire logic                  spend_i,
  input wire logic                  credit_i,
  input wire logic [CreditBits-1:0] new_credits_i
);

  logic [CreditBits-1:0] credits_q, outstanding;
  logic                  left, overflow;

  polycast_credit_counter #(.CreditBits(CreditBits)) dut (
    .clk_i, .rst_ni, .clear_i, .credits_i(credits_q), .spend_i, .credit_i,
    .upset_i('0),
    .outstanding_o(outstanding), .left_o(left),
    .overflow_o(overflow)
  );

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (rst_ni && spend_i) assume (left);
  end

  // The configuration register, and the chunks that are really on their way or at the other end:
  // one more bit, so that nothing wraps.
  logic [CreditBits:0] truth_q, truth_d;
  always_comb begin
    truth_d = truth_q;
    if (spend_i) truth_d = truth_d + 1'b1;
    if (credit_i && truth_q != '0) truth_d = truth_d - 1'b1;
    if (clear_i || !rst_ni) truth_d = '0;
  end
  always_ff @(posedge clk_i) begin
    truth_q <= truth_d;
    if (clear_i) credits_q <= new_credits_i;
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      assert ({1'b0, outstanding} == truth_q);
      assert (outstanding <= credits_q);
      assert (left == (outstanding != credits_q));
      assert (overflow == (credit_i && truth_q == '0));
      cover (outstanding == credits_q && outstanding == CreditBits'(3));
      cover (overflow && spend_i);
      cover (credit_i && spend_i && truth_q != '0);
    end
  end

endmodule

`default_nettype wire
