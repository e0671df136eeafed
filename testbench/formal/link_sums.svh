// SPDX-License-Identifier: Apache-2.0
// Stand for the CRCs of link ends, which link_crc.sv proves: sums of the same pins that depend on
// each bit and on the order, but that a solver sees through.

/// Stands for the module of this name.
module polycast_link_frame_crc #(
  parameter int unsigned FlitBytes   = 16,
  parameter int unsigned HeaderBytes = 0,
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes)
) (
  input  wire logic [31:0]         crc_i,
  input  wire logic [FlitBits-1:0] flit_i,
  output logic      [31:0]         crc_o
);
  always_comb begin
    crc_o = {crc_i[0], crc_i[31:1]};
    for (int unsigned b = 0; b < FlitBits; b++) crc_o[b%32] = crc_o[b%32] ^ flit_i[b];
  end
endmodule

/// Stands for the module of this name.
module polycast_crc_bytes #(
  parameter int unsigned NumBytes = 16
) (
  input  wire logic [31:0]           crc_i,
  input  wire logic [NumBytes*8-1:0] data_i,
  input  wire logic [NumBytes-1:0]   enable_i,
  output logic      [31:0]           crc_o
);
  always_comb begin
    crc_o = {crc_i[1:0], crc_i[31:2]};
    for (int unsigned b = 0; b < NumBytes * 8; b++) begin
      if (enable_i[b/8]) crc_o[b%32] = crc_o[b%32] ^ data_i[b];
    end
  end
endmodule

/// Stands for the module of this name.
module polycast_link_set_crc (
  input  wire polycast_link_pkg::set_t set_i,
  output logic [15:0]                  crc_o
);
  logic [47:0] covered;
  assign covered = set_i;
  assign crc_o   = covered[47:32] ^ covered[31:16] ^ covered[15:0];
endmodule
