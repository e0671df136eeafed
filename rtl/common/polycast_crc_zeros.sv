// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// CRC-32C over any number of zero bytes, at once: what `polycast_crc_bytes` makes of them one by
/// one. As the CRC is linear, a packet's is that of its header over as many zeros as it has
/// payload, XOR that of the payload alone. Combinational.
module polycast_crc_zeros (
  /// The CRC so far; bit 31 is the coefficient of x^0.
  input  wire logic [31:0] crc_i,
  /// Zero bytes.
  input  wire logic [15:0] bytes_i,
  /// The CRC over them, too: crc_i x x^(8 * bytes_i).
  output logic      [31:0] crc_o
);

  localparam logic [31:0] Polynomial = 32'h82f63b78;

  typedef struct packed { logic [15:0][31:0] at; } powers_t;

  powers_t powers;

  // x^(8 * 2^k), modulo the polynomial.
  assign powers = {
    32'he2ea32dc, 32'hbf455269, 32'h28461564, 32'h35d73a62, 32'h0d65762a, 32'he4172b16,
    32'h74c360a4, 32'h88e56f72,
    32'hb8fdb1e7, 32'hb82be955, 32'h510ac59a, 32'h18b8ea18, 32'h6ea2d55c, 32'h82f63b78,
    32'h00008000, 32'h00800000
  };

  logic [31:0] product, multiple;

  always_comb begin
    crc_o    = crc_i;
    product  = '0;
    multiple = '0;
    for (int unsigned k = 0; k < 16; k++) begin
      if (bytes_i[k]) begin
        product  = '0;
        multiple = powers.at[k];
        for (int unsigned i = 0; i < 32; i++) begin
          product  = product ^ (multiple & {32{crc_o[31-i]}});
          multiple = (multiple >> 1) ^ (multiple[0] ? Polynomial : '0);
        end
        crc_o = product;
      end
    end
  end

endmodule

`default_nettype wire
