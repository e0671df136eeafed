// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Gives the copy of a packet that leaves by one port its own header: the up bit, the hosts of a
/// tree worm that lie behind the port, the place in the list of a path worm. Section "Header
/// rewriting" of hw/chips/switch/switch.md. Combinational.
module polycast_header_rewrite #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes       = 1,
  /// Longest bit string of a tree worm.
  parameter int unsigned MaxHosts        = 32,
  /// The header goes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Bits of a number of header flits.
  parameter int unsigned HeaderFlitsBits = 12,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits   = 1
) (
  /// There is a flit; without one the outputs are of no use.
  input  wire logic                       valid_i,
  /// Its number in the packet, from 0; stays at its highest value once it is reached.
  input  wire logic [HeaderFlitsBits-1:0] index_i,
  /// The flit as it came in.
  input  wire logic [FlitBytes*8-1:0]     data_i,
  /// The free header as it came in.
  input  wire logic [HeaderPinBits-1:0]   header_i,
  /// The packet is a tree worm whose copies keep only their own hosts.
  input  wire logic                       mask_i,
  /// The copy of a path worm that goes on to the next stop.
  input  wire logic                       advance_i,
  /// The port leads up.
  input  wire logic                       is_up_i,
  /// The port leads down.
  input  wire logic                       is_down_i,
  /// Hosts behind the port.
  input  wire logic [MaxHosts-1:0]        reach_i,
  /// Header flits of a tree worm.
  input  wire logic [HeaderFlitsBits-1:0] tree_header_flits_i,
  /// The flit as it leaves.
  output logic      [FlitBytes*8-1:0]     data_o,
  /// The free header as it leaves.
  output logic      [HeaderPinBits-1:0]   header_o
);

  if (HeaderFree) begin : gen_free
    logic unused;
    assign unused = ^{valid_i, index_i, tree_header_flits_i};
    assign data_o = data_i;

    always_comb begin
      header_o = header_i;
      header_o[polycast_pkg::UpOffset] = is_up_i;
      if (mask_i && is_down_i) begin
        header_o[polycast_pkg::DestinationsOffset+:MaxHosts] =
            header_i[polycast_pkg::DestinationsOffset+:MaxHosts] & reach_i;
      end
      if (advance_i) begin
        header_o[polycast_pkg::PathNextOffset+:polycast_pkg::PathNextBits] =
            header_i[polycast_pkg::PathNextOffset+:polycast_pkg::PathNextBits] +
            polycast_pkg::PathNextBits'(1);
      end
    end
  end else begin : gen_in_flits
    localparam int unsigned FlitBits = FlitBytes * 8;
    localparam int unsigned MaskFlits =
        (polycast_pkg::DestinationsOffset + MaxHosts + FlitBits - 1) / FlitBits;
    localparam int unsigned NextFlit = polycast_pkg::PathNextOffset / FlitBits;
    localparam int unsigned NextPlace = polycast_pkg::PathNextOffset % FlitBits;
    localparam int unsigned PadBits = MaskFlits * FlitBits - MaxHosts -
        polycast_pkg::DestinationsOffset;

    logic [MaskFlits*FlitBits-1:0] mask;
    logic unused;
    assign unused = ^header_i;

    always_comb begin
      data_o   = data_i;
      mask     = '1;
      header_o = '0;
      if (valid_i && mask_i && is_down_i && index_i < tree_header_flits_i &&
          index_i < HeaderFlitsBits'(MaskFlits)) begin
        mask   = {{PadBits{1'b1}}, reach_i, {polycast_pkg::DestinationsOffset{1'b1}}};
        data_o = data_i & mask[32'(index_i)*FlitBits+:FlitBits];
      end
      if (advance_i && index_i == HeaderFlitsBits'(NextFlit)) begin
        data_o[NextPlace+:polycast_pkg::PathNextBits] =
            data_i[NextPlace+:polycast_pkg::PathNextBits] + polycast_pkg::PathNextBits'(1);
      end
      if (index_i == '0) data_o[polycast_pkg::UpOffset] = is_up_i;
    end
  end

endmodule

`default_nettype wire
