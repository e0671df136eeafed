// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A stored word as it is read: SECDED corrects a flip in each 32 bits and finds two, parity finds
/// an odd number in each byte (hw/format/memory_code.md).
module polycast_memory_decode #(
  /// Bits of the word.
  parameter int unsigned Width      = 32,
  /// The code, `polycast_pkg::Protection...`.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionSecded),
  /// Check bits; derived, do not set.
  parameter int unsigned CheckBits  =
      Protection == 32'(polycast_pkg::ProtectionParity) ? (Width + 7) / 8 :
      Protection == 32'(polycast_pkg::ProtectionSecded) ? (Width + 31) / 32 * 7 : 0
) (
  /// The word and its check bits as they are stored.
  input  wire logic [Width+CheckBits-1:0] stored_i,
  /// The word; what the code cannot correct is as it is stored.
  output logic      [Width-1:0]           data_o,
  /// Bits have flipped, and all is corrected.
  output logic                            corrected_o,
  /// Bits have flipped, and the code does not say which.
  output logic                            failed_o
);

  localparam int unsigned Parts = (Width + 31) / 32;

  if (Protection == 32'(polycast_pkg::ProtectionNone)) begin : gen_none
    assign data_o      = stored_i;
    assign corrected_o = 1'b0;
    assign failed_o    = 1'b0;
  end else begin : gen_code
    // What would be stored of this word, and what is: zero where they are the same.
    logic [Width+CheckBits-1:0] coded, differs;

    polycast_memory_encode #(
      .Width     (Width),
      .Protection(Protection)
    ) i_encode (
      .data_i  (stored_i[Width-1:0]),
      .stored_o(coded)
    );
    assign differs = coded ^ stored_i;

    if (Protection == 32'(polycast_pkg::ProtectionParity)) begin : gen_parity
      assign data_o      = stored_i[Width-1:0];
      assign corrected_o = 1'b0;
      assign failed_o    = differs != '0;
    end else begin : gen_secded
      logic [Width-1:0] flip;
      logic [Parts-1:0] failed;

      for (genvar b = 0; b < Width; b++) begin : gen_bit
        logic [6:0] column;
        for (genvar row = 0; row < 7; row++) begin : gen_row
          assign column[row] = polycast_pkg::SecdedRows[32*row+b%32];
        end
        assign flip[b] = differs[Width+7*(b/32)+:7] == column;
      end

      for (genvar part = 0; part < Parts; part++) begin : gen_part
        localparam int unsigned Bits = Width - 32 * part < 32 ? Width - 32 * part : 32;
        logic [6:0] syndrome;
        assign syndrome     = differs[Width+7*part+:7];
        // Neither a check bit alone nor the column of a bit that there is.
        assign failed[part] = (syndrome & (syndrome - 7'd1)) != '0 && flip[32*part+:Bits] == '0;
      end

      assign data_o      = stored_i[Width-1:0] ^ flip;
      assign failed_o    = failed != '0;
      assign corrected_o = differs != '0 && !failed_o;
    end
  end

endmodule

`default_nettype wire
