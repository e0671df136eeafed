// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A word with its check bits, as it is stored: parity of each byte, or SECDED (39,32) of each 32
/// bits, of the last ones shortened (hw/format/memory_code.md).
module polycast_memory_encode #(
  /// Bits of the word.
  parameter int unsigned Width      = 32,
  /// The code, `polycast_pkg::Protection...`.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionSecded),
  /// Check bits; derived, do not set.
  parameter int unsigned CheckBits  =
      Protection == 32'(polycast_pkg::ProtectionParity) ? (Width + 7) / 8 :
      Protection == 32'(polycast_pkg::ProtectionSecded) ? (Width + 31) / 32 * 7 : 0
) (
  /// The word.
  input  wire logic [Width-1:0]           data_i,
  /// The same with its check bits behind it, those of the lowest bits first.
  output logic      [Width+CheckBits-1:0] stored_o
);

  localparam int unsigned Parts = (Width + 31) / 32;

  assign stored_o[Width-1:0] = data_i;

  logic [32*Parts-1:0] data;
  assign data = (32 * Parts)'(data_i);

  if (Protection == 32'(polycast_pkg::ProtectionParity)) begin : gen_parity
    for (genvar b = 0; b < CheckBits; b++) begin : gen_byte
      assign stored_o[Width+b] = ^data[8*b+:8];
    end
  end else if (Protection == 32'(polycast_pkg::ProtectionSecded)) begin : gen_secded
    for (genvar part = 0; part < Parts; part++) begin : gen_part
      for (genvar row = 0; row < 7; row++) begin : gen_row
        assign stored_o[Width+7*part+row] =
            ^(data[32*part+:32] & polycast_pkg::SecdedRows[32*row+:32]);
      end
    end
  end

  logic unused;
  assign unused = ^data;

endmodule

`default_nettype wire
