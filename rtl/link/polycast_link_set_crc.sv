// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// CRC-16/DNP of an ordered set: polynomial 0x3d65 reflected, first 0, complemented. Combinational.
module polycast_link_set_crc (
  /// The set.
  input  wire polycast_link_pkg::set_t set_i,
  /// Its check.
  output logic [15:0]                  crc_o
);

  localparam logic [15:0] Polynomial = 16'ha6bc;

  logic [47:0] covered;
  logic [15:0] crc;

  assign covered = set_i;

  always_comb begin
    crc = '0;
    for (int unsigned b = 0; b < 48; b++) begin
      crc = (crc >> 1) ^ ((crc[0] ^ covered[b]) ? Polynomial : '0);
    end
    crc_o = ~crc;
  end

endmodule

`default_nettype wire
