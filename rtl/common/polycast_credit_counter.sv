// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Counts the chunks (of a router: flits) outstanding at the other end of a link; credits left =
/// configured - outstanding. Counted this way round, reset gives back the configured credits
/// without loading a register with another one.
module polycast_credit_counter #(
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16
) (
  /// Clock.
  input  wire logic                  clk_i,
  /// Asynchronous reset, active low: none outstanding.
  input  wire logic                  rst_ni,
  /// Sets none outstanding: the credits are being configured.
  input  wire logic                  clear_i,
  /// Chunks of the buffer at the other end.
  input  wire logic [CreditBits-1:0] credits_i,
  /// A chunk is begun, only with a credit left.
  input  wire logic                  spend_i,
  /// A chunk has become free at the other end.
  input  wire logic                  credit_i,
  /// Bits of the counter that flip at the end of the cycle; in simulation only.
  input  wire logic [CreditBits-1:0] upset_i,
  /// Chunks outstanding, registered.
  output logic      [CreditBits-1:0] outstanding_o,
  /// A credit is left, registered.
  output logic                       left_o,
  /// A credit came while none was outstanding; it is ignored.
  output logic                       overflow_o
);

  logic [CreditBits-1:0] outstanding_q, outstanding_d, upset;
  logic                  accept;

  assign outstanding_o = outstanding_q;
  assign left_o        = outstanding_q < credits_i;
  assign overflow_o    = credit_i && outstanding_q == '0;
  assign accept        = credit_i && outstanding_q != '0;

`ifdef SYNTHESIS
  assign upset = '0;
`else
  assign upset = upset_i;
`endif

  always_comb begin
    outstanding_d = outstanding_q;
    if (clear_i)                 outstanding_d = '0;
    else if (spend_i && !accept) outstanding_d = outstanding_q + CreditBits'(1);
    else if (accept && !spend_i) outstanding_d = outstanding_q - CreditBits'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) outstanding_q <= '0;
    else         outstanding_q <= outstanding_d ^ upset;
  end

`ifndef SYNTHESIS
  SpendOnlyWhatIsLeft: assert property (@(posedge clk_i) disable iff (!rst_ni) spend_i |-> left_o)
    else $error("a credit was spent that was not there");
`endif

endmodule

`default_nettype wire
