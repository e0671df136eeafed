// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// As `polycast_credit_counter`, with a code beside the count, or without one. With a code the
/// count is read and written anew in every cycle: a flip that SECDED corrects lasts for one. If it
/// cannot be corrected no credit is left until reset, and none that comes counts.
module polycast_protected_counter #(
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16,
  /// The code, `polycast_pkg::Protection...`.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionSecded),
  /// Check bits; derived, do not set.
  parameter int unsigned CheckBits  =
      Protection == 32'(polycast_pkg::ProtectionParity) ? (CreditBits + 7) / 8 :
      Protection == 32'(polycast_pkg::ProtectionSecded) ? (CreditBits + 31) / 32 * 7 : 0
) (
  /// Clock.
  input  wire logic                            clk_i,
  /// Asynchronous reset, active low: none outstanding.
  input  wire logic                            rst_ni,
  /// Sets none outstanding: the credits are being configured.
  input  wire logic                            clear_i,
  /// Chunks of the buffer at the other end.
  input  wire logic [CreditBits-1:0]           credits_i,
  /// A chunk is begun, only with a credit left.
  input  wire logic                            spend_i,
  /// A chunk has become free at the other end.
  input  wire logic                            credit_i,
  /// Bits of the counter that flip at the end of the cycle, the code's behind the count's; in
  /// simulation only.
  input  wire logic [CreditBits+CheckBits-1:0] upset_i,
  /// Chunks outstanding, registered.
  output logic      [CreditBits-1:0]           outstanding_o,
  /// A credit is left, registered.
  output logic                                 left_o,
  /// A credit came while none was outstanding; it is ignored.
  output logic                                 overflow_o,
  /// A flip is corrected in this cycle.
  output logic                                 corrected_o,
  /// A flip that cannot be corrected is found in this cycle.
  output logic                                 failed_o
);

  if (Protection == 32'(polycast_pkg::ProtectionNone)) begin : gen_none
    polycast_credit_counter #(
      .CreditBits(CreditBits)
    ) i_credit_counter (
      .clk_i,
      .rst_ni,
      .clear_i,
      .credits_i,
      .spend_i,
      .credit_i,
      .upset_i,
      .outstanding_o,
      .left_o,
      .overflow_o
    );
    assign corrected_o = 1'b0;
    assign failed_o    = 1'b0;
  end else begin : gen_code
    logic [CreditBits-1:0]           count, outstanding_d;
    logic [CreditBits+CheckBits-1:0] stored_q, stored_d, upset;
    logic                            accept, wrong, failed_q, dead;

    polycast_memory_decode #(
      .Width     (CreditBits),
      .Protection(Protection)
    ) i_decode (
      .stored_i   (stored_q),
      .data_o     (count),
      .corrected_o,
      .failed_o   (wrong)
    );

    assign failed_o      = wrong && !failed_q;
    assign dead          = wrong || failed_q;
    assign outstanding_o = dead ? credits_i : count;
    assign left_o        = !dead && count < credits_i;
    assign overflow_o    = credit_i && !dead && count == '0;
    assign accept        = credit_i && count != '0;

`ifdef SYNTHESIS
    assign upset = '0;
    logic unused_upset;
    assign unused_upset = ^upset_i;
`else
    assign upset = upset_i;
`endif

    always_comb begin
      outstanding_d = count;
      if (clear_i || dead)         outstanding_d = '0;
      else if (spend_i && !accept) outstanding_d = count + CreditBits'(1);
      else if (accept && !spend_i) outstanding_d = count - CreditBits'(1);
    end

    polycast_memory_encode #(
      .Width     (CreditBits),
      .Protection(Protection)
    ) i_encode (
      .data_i  (outstanding_d),
      .stored_o(stored_d)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        stored_q <= '0;
        failed_q <= 1'b0;
      end else begin
        stored_q <= stored_d ^ upset;
        failed_q <= !clear_i && dead;
      end
    end

`ifndef SYNTHESIS
    SpendOnlyWhatIsLeft: assert property (@(posedge clk_i) disable iff (!rst_ni) spend_i |-> left_o)
      else $error("a credit was spent that was not there");
`endif
  end

endmodule

`default_nettype wire
