// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_crc_zeros against polycast_crc_bytes: one zero is a zero byte, and for each bit of the
/// number of zeros twice as many are as many, twice. And what check words rest on: the CRC over a
/// header and up to NumBytes bytes of payload is that of the header over as many zeros XOR that of
/// the payload begun with zero.
///
/// For a given number of bytes all of these are networks of XORs, so inputs with at most one bit
/// set stand for all others.
module harness #(
  parameter int unsigned NumBytes = 3
) (
  input wire logic [31:0]           crc_i,
  input wire logic [NumBytes*8-1:0] data_i,
  input wire logic [1:0]            number_i,
  input wire logic [3:0]            power_i
);

  logic [31:0] zero_byte, power, once, twice, whole, alone, zeros;

  // 2^k zeros, and 2^(k-1) of them twice.
  polycast_crc_zeros i_power (.crc_i, .bytes_i(16'd1 << power_i), .crc_o(power));
  polycast_crc_zeros i_once (.crc_i, .bytes_i(16'd1 << (power_i - 4'd1)), .crc_o(once));
  polycast_crc_zeros i_twice (.crc_i(once), .bytes_i(16'd1 << (power_i - 4'd1)), .crc_o(twice));
  polycast_crc_bytes #(.NumBytes(1)) i_byte (.crc_i, .data_i('0), .enable_i(1'b1),
      .crc_o(zero_byte));

  // The payload.
  logic [NumBytes-1:0] enable;
  always_comb for (int unsigned b = 0; b < NumBytes; b++) enable[b] = b < 32'(number_i);
  polycast_crc_bytes #(.NumBytes(NumBytes)) i_whole (.crc_i, .data_i, .enable_i(enable),
      .crc_o(whole));
  polycast_crc_bytes #(.NumBytes(NumBytes)) i_alone (.crc_i('0), .data_i, .enable_i(enable),
      .crc_o(alone));
  polycast_crc_zeros i_zeros (.crc_i, .bytes_i(16'(number_i)), .crc_o(zeros));

  always_comb begin
    assume (32'(number_i) <= NumBytes);
    assume (({crc_i, data_i} & ({crc_i, data_i} - 1'b1)) == '0);
    assert (power == (power_i == '0 ? zero_byte : twice));
    assert (whole == (zeros ^ alone));
    cover (32'(number_i) == NumBytes && crc_i == '0 && whole != '0);
  end

endmodule

`default_nettype wire
