// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The CRCs of link ends against division by the polynomials as they are written, the highest power
/// first: a flit's bytes, a byte of its marks, and the header beside a head; the bytes of a
/// trailer; the 48 bits of a set. The RTL divides with all bits reflected.
///
/// For a given head mark both are networks of XORs and complements, so inputs with at most one bit
/// set stand for all others.
module harness #(
  parameter int unsigned FlitBytes   = 2,
  parameter int unsigned HeaderBytes = 2,
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes)
) (
  input wire logic [31:0]         crc_i,
  input wire logic [FlitBits-1:0] flit_i,
  input wire logic [31:0]         trailer_i,
  input wire logic [47:0]         set_i
);

  localparam int unsigned MarkBits   = 8 * FlitBytes + 8;
  localparam int unsigned CoverBits  = MarkBits + 8 * HeaderBytes;
  localparam logic [31:0] Polynomial = 32'h1edc6f41;
  localparam logic [15:0] SetPolynomial = 16'h3d65;

  logic [31:0] flit_crc, trailer_crc;
  logic [15:0] set_crc;

  polycast_link_frame_crc #(.FlitBytes(FlitBytes), .HeaderBytes(HeaderBytes)) i_flit (
    .crc_i, .flit_i, .crc_o(flit_crc)
  );
  polycast_crc_bytes #(.NumBytes(4)) i_trailer (
    .crc_i, .data_i(trailer_i), .enable_i(4'b1111), .crc_o(trailer_crc)
  );
  polycast_link_set_crc i_set (.set_i(set_i), .crc_o(set_crc));

  // A flit's pins in the order of the page: data, {0, 0, vc, tail, head}, header.
  logic [CoverBits-1:0] covered;
  assign covered = {flit_i[FlitBits-1-:8*HeaderBytes], 2'b00, flit_i[5:0],
                    flit_i[6+:8*FlitBytes]};

  // The remainder so far, with the highest power in the highest bit.
  logic [31:0] flit_rest, trailer_rest, flit_truth, trailer_truth;
  logic [15:0] set_rest, set_truth;
  always_comb begin
    for (int unsigned b = 0; b < 32; b++) flit_rest[b] = crc_i[31-b];
    trailer_rest = flit_rest;
    set_rest     = '0;
    for (int unsigned b = 0; b < CoverBits; b++) begin
      if (b < MarkBits || flit_i[0]) begin
        flit_rest = {flit_rest[30:0], 1'b0} ^
            (flit_rest[31] != covered[b] ? Polynomial : 32'd0);
      end
    end
    for (int unsigned b = 0; b < 32; b++) begin
      trailer_rest = {trailer_rest[30:0], 1'b0} ^
          (trailer_rest[31] != trailer_i[b] ? Polynomial : 32'd0);
    end
    for (int unsigned b = 0; b < 48; b++) begin
      set_rest = {set_rest[14:0], 1'b0} ^
          (set_rest[15] != set_i[b] ? SetPolynomial : 16'd0);
    end
    for (int unsigned b = 0; b < 32; b++) begin
      flit_truth[b]    = flit_rest[31-b];
      trailer_truth[b] = trailer_rest[31-b];
    end
    for (int unsigned b = 0; b < 16; b++) set_truth[b] = !set_rest[15-b];
  end

  // All bits except the head mark.
  logic [FlitBits+110:0] bits;
  assign bits = {crc_i, flit_i[FlitBits-1:1], trailer_i, set_i};

  always_comb begin
    assume ((bits & (bits - 1'b1)) == '0);
    assert (flit_crc == flit_truth);
    assert (trailer_crc == trailer_truth);
    assert (set_crc == set_truth);
    cover (flit_i[0] && flit_i[FlitBits-1] && flit_crc != '0);
    cover (!flit_i[0] && flit_i[5] && flit_crc != '0);
  end

endmodule

`default_nettype wire
