// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The CRC of a frame over one more flit: its data, a byte {head, tail, vc, 0}, the free header of
/// a head. Combinational.
module polycast_link_frame_crc #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes   = 16,
  /// Bytes of a free header.
  parameter int unsigned HeaderBytes = 0,
  /// Bits of a flit with its marks and header; derived, do not set.
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes)
) (
  /// The CRC so far.
  input  wire logic [31:0]         crc_i,
  /// Header, data, virtual channel, tail, head.
  input  wire logic [FlitBits-1:0] flit_i,
  /// The CRC over it, too.
  output logic      [31:0]         crc_o
);

  localparam int unsigned NumBytes = FlitBytes + 1 + HeaderBytes;

  logic [NumBytes*8-1:0] covered;
  logic [NumBytes-1:0]   enable;

  assign covered[0+:FlitBytes*8] = flit_i[6+:FlitBytes*8];
  assign covered[FlitBytes*8+:8] = {2'b00, flit_i[5:0]};
  assign enable[0+:FlitBytes+1]  = '1;

  if (HeaderBytes > 0) begin : gen_header
    assign covered[(FlitBytes+1)*8+:HeaderBytes*8] = flit_i[6+FlitBytes*8+:HeaderBytes*8];
    assign enable[FlitBytes+1+:HeaderBytes]        = {HeaderBytes{flit_i[0]}};
  end

  polycast_crc_bytes #(.NumBytes(NumBytes)) u_crc (
    .crc_i    (crc_i),
    .data_i   (covered),
    .enable_i (enable),
    .crc_o    (crc_o)
  );

endmodule

`default_nettype wire
