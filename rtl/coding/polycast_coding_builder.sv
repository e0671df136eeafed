// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Makes the flits of a packet that is sent: headers and check word made anew, payload = XOR of
/// both operands, zeros behind. The check word is known with the first flit: the CRC over the
/// header goes on over as many zeros as there is payload, and the payloads' own CRCs are added.
/// Combinational.
module polycast_coding_builder #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 16,
  /// The header goes beside the head flit instead of into the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Bits of the header that goes beside the head flit: check word, transport header, unicast
  /// header; 1 where it does not.
  parameter int unsigned HeaderBits    = 1,
  /// The check word covers destination and hops.
  parameter bit          CheckRoute    = 1'b0,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitBits      = 4
) (
  /// A flit is sent; all outputs are zero otherwise.
  input  wire logic                    send_i,
  /// Its number in its packet.
  input  wire logic [FlitBits-1:0]     flit_i,
  /// XOR of its two operands' flits; of use behind the header flits.
  input  wire logic [FlitBytes*8-1:0]  xor_i,
  /// Sum of the CRCs of their payloads, begun with zero.
  input  wire logic [31:0]             payload_crc_i,
  /// Bytes of the payload.
  input  wire logic [15:0]             length_i,
  /// What the packet says.
  input  wire logic [polycast_pkg::VcClassBits-1:0] vc_class_i,
  input  wire logic [23:0]             source_i,
  input  wire logic [31:0]             sequence_i,
  input  wire logic [23:0]             destination_i,
  input  wire polycast_pkg::transport_t transport_i,
  /// Index of the datum: message and tag count from those of `transport_i`.
  input  wire logic [15:0]             index_i,
  /// The flit.
  output logic      [FlitBytes*8-1:0]  data_o,
  /// The header; zero where headers are in the flits, and beside other flits than heads.
  output logic      [HeaderBits-1:0]   header_o
);

  localparam int unsigned CommonBits     = polycast_pkg::CommonHeaderBits;
  localparam int unsigned TransportBits  = polycast_pkg::TransportBits;
  localparam int unsigned UnicastBits    = polycast_pkg::DestinationOffset +
      polycast_pkg::DestinationBits;
  localparam int unsigned CoveredBits    = CheckRoute ? UnicastBits : CommonBits;
  localparam int unsigned FrontBytes     = HeaderFree ? 0 : TransportBits / 8;
  localparam int unsigned HeaderFlits    = (UnicastBits / 8 + FlitBytes - 1) / FlitBytes;
  localparam int unsigned PlaceBits      = FlitBits + 7 > 18 ? FlitBits + 7 : 18;

  typedef struct packed { logic [FlitBytes-1:0][7:0] at; } flit_bytes_t;
  typedef struct packed { logic [polycast_pkg::CheckBits/8-1:0][7:0] at; } check_bytes_t;

  flit_bytes_t              in_xor, data;
  check_bytes_t             check;
  polycast_pkg::header_t    common;
  polycast_pkg::transport_t transport;
  logic [UnicastBits-1:0]   unicast;
  logic [CoveredBits-1:0]   covered;
  logic [31:0]              header_crc, long_crc;
  logic [PlaceBits-1:0]     first_byte, place, payload_end;

  assign in_xor = xor_i;
  assign data_o = data;

  always_comb begin
    common.kind            = polycast_pkg::KindUnicast;
    common.up              = 1'b1;
    common.vc_class        = vc_class_i;
    common.source          = source_i;
    common.sequence_number = sequence_i;
    common.length          = length_i;

    transport         = transport_i;
    transport.message = transport_i.message + 32'(index_i);
    transport.total   = 32'(length_i);
    transport.tag     = transport_i.tag + 32'(index_i);

    unicast                         = {destination_i, common};
    covered                         = unicast[CoveredBits-1:0];
    covered[polycast_pkg::UpOffset] = 1'b0;
  end

  polycast_crc_bytes #(
    .NumBytes((CoveredBits + TransportBits) / 8)
  ) i_crc_header (
    .crc_i   ('1),
    .data_i  ({transport, covered}),
    .enable_i({(CoveredBits + TransportBits) / 8{send_i}}),
    .crc_o   (header_crc)
  );

  polycast_crc_zeros i_crc_zeros (
    .crc_i  (header_crc),
    .bytes_i(send_i ? length_i : '0),
    .crc_o  (long_crc)
  );

  assign check       = ~(long_crc ^ payload_crc_i);
  assign payload_end = PlaceBits'(FrontBytes) + PlaceBits'(length_i);

  if (HeaderFree) begin : gen_free
    assign first_byte = PlaceBits'(flit_i) * PlaceBits'(FlitBytes);

    always_comb begin
      data  = '0;
      place = '0;
      for (int unsigned b = 0; b < FlitBytes; b++) begin
        place = first_byte + PlaceBits'(b);
        if (send_i && place < payload_end) data.at[b] = in_xor.at[b];
      end
      header_o = '0;
      if (send_i && flit_i == '0) header_o = {check, transport, unicast};
    end
  end else begin : gen_in_flits
    // The header and the transport header in whole flits.
    localparam int unsigned FirstBits      = HeaderFlits * FlitBytes * 8;
    localparam int unsigned TransportFlits = (FrontBytes + FlitBytes - 1) / FlitBytes;
    localparam int unsigned FrontFlits     = HeaderFlits + TransportFlits;

    logic [FrontFlits*FlitBytes*8-1:0] front;
    logic [PlaceBits-1:0]              check_place;
    logic                              in_header;

    assign front      = {(TransportFlits*FlitBytes*8)'(transport), FirstBits'(unicast)};
    assign in_header  = flit_i < FlitBits'(HeaderFlits);
    assign first_byte = PlaceBits'(flit_i - FlitBits'(HeaderFlits)) * PlaceBits'(FlitBytes);
    assign header_o   = '0;

    always_comb begin
      data        = '0;
      place       = '0;
      check_place = '0;
      for (int unsigned f = 0; f < FrontFlits; f++) begin
        if (send_i && flit_i == FlitBits'(f)) data = front[f*FlitBytes*8+:FlitBytes*8];
      end
      for (int unsigned b = 0; b < FlitBytes; b++) begin
        place       = first_byte + PlaceBits'(b);
        check_place = place - payload_end;
        if (send_i && !in_header && place >= PlaceBits'(FrontBytes)) begin
          if (place < payload_end)              data.at[b] = in_xor.at[b];
          else if (check_place < PlaceBits'(4)) data.at[b] = check.at[2'(check_place)];
        end
      end
    end
  end

endmodule

`default_nettype wire
