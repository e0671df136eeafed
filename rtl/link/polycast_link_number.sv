// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A credit counter of a link end, with a code beside it. It is read and written anew in every
/// cycle: a flip that SECDED corrects lasts for one. If it cannot be corrected the counter is 0,
/// whatever is written, until it is cleared.
module polycast_link_number #(
  /// The code, `polycast_pkg::Protection...`, not none.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionSecded),
  /// Bits can flip: in simulation and proofs only.
  parameter bit          Upsets     = polycast_link_pkg::Upsets,
  /// Check bits; derived, do not set.
  parameter int unsigned CheckBits  = Protection == 32'(polycast_pkg::ProtectionParity) ?
      (polycast_link_pkg::NumberBits + 7) / 8 : (polycast_link_pkg::NumberBits + 31) / 32 * 7
) (
  /// Clock.
  input  wire logic clk_i,
  /// Asynchronous reset, active low: it is 0.
  input  wire logic rst_ni,
  /// The next value; it counts again, and that is 0.
  input  wire logic [polycast_link_pkg::NumberBits-1:0] next_i,
  input  wire logic clear_i,
  /// Bits that flip at the end of the cycle, the code's behind the counter's.
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_i,
  /// Its value.
  output logic      [polycast_link_pkg::NumberBits-1:0] value_o,
  /// It is 0 because it could not be corrected.
  output logic      lost_o,
  /// A flip is corrected in this cycle.
  output logic      corrected_o,
  /// A flip that cannot be corrected is found in this cycle.
  output logic      failed_o
);

  localparam int unsigned NumberBits = polycast_link_pkg::NumberBits;
  localparam int unsigned StoredBits = NumberBits + CheckBits;

  logic [StoredBits-1:0] stored_q, stored_d;
  logic [NumberBits-1:0] read, written;
  logic                  lost_q, corrected, wrong, unused;

  polycast_memory_decode #(
    .Width      (NumberBits),
    .Protection (Protection)
  ) u_decode (
    .stored_i    (stored_q),
    .data_o      (read),
    .corrected_o (corrected),
    .failed_o    (wrong)
  );

  assign lost_o      = wrong || lost_q;
  assign value_o     = lost_o ? '0 : read;
  assign corrected_o = corrected && !lost_q;
  assign failed_o    = wrong && !lost_q;
  assign written     = lost_o || clear_i ? '0 : next_i;

  polycast_memory_encode #(
    .Width      (NumberBits),
    .Protection (Protection)
  ) u_encode (
    .data_i   (written),
    .stored_o (stored_d)
  );

  logic [StoredBits-1:0] upset;
  assign upset  = Upsets ? upset_i[StoredBits-1:0] : '0;
  assign unused = ^upset_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q <= '0;
      lost_q   <= 1'b0;
    end else begin
      stored_q <= stored_d ^ upset;
      lost_q   <= lost_o && !clear_i;
    end
  end

endmodule

`default_nettype wire
