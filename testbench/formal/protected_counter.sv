// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_protected_counter without flips is polycast_credit_counter, as long as nobody spends a
/// credit that is not there, and finds nothing. What it does with flips the comparison with the
/// core shows; memory_code.sv proves the code itself.
module harness #(
  parameter int unsigned CreditBits = 4,
  parameter int unsigned Protection = 2,
  parameter int unsigned CheckBits  = Protection == 1 ? 1 : 7
) (
  input wire logic                  clk_i,
  input wire logic                  rst_ni,
  input wire logic                  clear_i,
  input wire logic [CreditBits-1:0] credits_i,
  input wire logic                  spend_i,
  input wire logic                  credit_i
);

  logic [CreditBits-1:0]           count, expected;
  logic [CreditBits+CheckBits-1:0] coded;
  logic                            left, overflow, corrected, failed, plain_left, plain_overflow;

  polycast_protected_counter #(.CreditBits(CreditBits), .Protection(Protection)) dut (
    .clk_i, .rst_ni, .clear_i, .credits_i, .spend_i, .credit_i, .upset_i('0),
    .outstanding_o(count), .left_o(left), .overflow_o(overflow), .corrected_o(corrected),
    .failed_o(failed)
  );

  polycast_credit_counter #(.CreditBits(CreditBits)) i_plain (
    .clk_i, .rst_ni, .clear_i, .credits_i, .spend_i, .credit_i, .upset_i('0),
    .outstanding_o(expected), .left_o(plain_left), .overflow_o(plain_overflow)
  );

  polycast_memory_encode #(.Width(CreditBits), .Protection(Protection)) i_encode (
    .data_i(expected), .stored_o(coded)
  );

  (* probe = "dut.gen_code.stored_q" *) wire [CreditBits+CheckBits-1:0] stored;
  (* probe = "dut.gen_code.failed_q" *) wire lost;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    if (first_q) assume (!rst_ni);
    // A credit is spent only where one is left, and credits change only while none is outstanding.
    if (spend_i) assume (plain_left);
    assume (expected <= credits_i);
    if (!first_q && rst_ni) begin
      // What holds the induction together.
      assert (stored == coded && !lost);
      // What counts.
      assert (count == expected && left == plain_left && overflow == plain_overflow);
      assert (!corrected && !failed);
      cover (count == '1);
      cover (overflow && spend_i);
      cover (clear_i && count != '0);
    end
  end

endmodule

`default_nettype wire
