// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A word that is stored and read with up to two bits flipped, for any word and any two bits:
/// SECDED gives it back with none or one, and finds two; parity finds one, and two in different
/// bytes. Of words of several codes the flips are in one of them, the lowest.
module harness #(
  parameter int unsigned Width      = 32,
  parameter int unsigned Protection = 2,
  parameter int unsigned CheckBits  = Protection == 1 ? (Width + 7) / 8 : (Width + 31) / 32 * 7
) (
  input wire logic [Width-1:0]                   word_i,
  input wire logic [$clog2(Width+CheckBits)-1:0] first_i,
  input wire logic [$clog2(Width+CheckBits)-1:0] second_i,
  input wire logic [1:0]                         flips_i
);

  logic [Width+CheckBits-1:0] stored, flipped;
  logic [Width-1:0]           read;
  logic                       corrected, failed, far;

  polycast_memory_encode #(
    .Width     (Width),
    .Protection(Protection)
  ) i_encode (
    .data_i  (word_i),
    .stored_o(stored)
  );

  polycast_memory_decode #(
    .Width     (Width),
    .Protection(Protection)
  ) i_decode (
    .stored_i   (flipped),
    .data_o     (read),
    .corrected_o(corrected),
    .failed_o   (failed)
  );

  always_comb begin
    flipped = stored;
    if (flips_i >= 2'd1) flipped[first_i] = ~stored[first_i];
    if (flips_i >= 2'd2) flipped[second_i] = ~stored[second_i];
    // Bytes of data, or of check bits that are one for each.
    far = (32'(first_i) < Width ? 32'(first_i) / 8 : 32'(first_i) - Width) !=
        (32'(second_i) < Width ? 32'(second_i) / 8 : 32'(second_i) - Width);

    assume (32'(first_i) < Width + CheckBits && 32'(second_i) < Width + CheckBits);
    assume (first_i != second_i && flips_i != 2'd3);

    if (flips_i == 2'd0) begin
      Clean: assert (read == word_i && !corrected && !failed);
    end else if (Protection == 2 && flips_i == 2'd1) begin
      Corrected: assert (read == word_i && corrected && !failed);
    end else if (Protection == 2) begin
      FoundTwo: assert (read == flipped[Width-1:0] && !corrected && failed);
    end else if (flips_i == 2'd1 || far) begin
      Found: assert (read == flipped[Width-1:0] && !corrected && failed);
    end else begin
      Unseen: assert (read == flipped[Width-1:0] && !corrected && !failed);
    end
    ReadsTwo: cover (flips_i == 2'd2 && failed);
  end

endmodule

`default_nettype wire
