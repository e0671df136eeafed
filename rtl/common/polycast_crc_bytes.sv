// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// CRC-32C (reflected, without its first and last complement) over some of the bytes that are
/// there, the first in the lowest bits. Combinational.
module polycast_crc_bytes #(
  /// Bytes, 1 or more.
  parameter int unsigned NumBytes = 16
) (
  /// The CRC so far.
  input  wire logic [31:0]           crc_i,
  /// The bytes.
  input  wire logic [NumBytes*8-1:0] data_i,
  /// Those that count.
  input  wire logic [NumBytes-1:0]   enable_i,
  /// The CRC over them, too.
  output logic      [31:0]           crc_o
);

  localparam logic [31:0] Polynomial = 32'h82f63b78;

  typedef struct packed { logic [NumBytes-1:0][7:0] at; } byte_numbers_t;

  byte_numbers_t data;

  assign data = data_i;

  always_comb begin
    crc_o = crc_i;
    for (int unsigned b = 0; b < NumBytes; b++) begin
      if (enable_i[b]) begin
        crc_o = crc_o ^ 32'(data.at[b]);
        for (int unsigned k = 0; k < 8; k++) begin
          crc_o = (crc_o >> 1) ^ (crc_o[0] ? Polynomial : '0);
        end
      end
    end
  end

endmodule

`default_nettype wire
