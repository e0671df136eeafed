// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Collects the header of each packet while its flits are stored, and says when it is complete.
///
/// The header goes on in the form that routing needs: with the header in the flits only kind, up bit and the destination
/// field (the rest is read from the buffer again), with a free header all of it, as on the pins.
module polycast_header_capture #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes       = 1,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits   = 20,
  /// Bits of a number of header flits.
  parameter int unsigned HeaderFlitsBits = 12,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits   = 1,
  /// Bits of the header that goes on.
  parameter int unsigned HeaderBits      = 37
) (
  /// Clock.
  input  wire logic                       clk_i,
  /// A flit is stored.
  input  wire logic                       store_i,
  /// It is stored as the last of its packet.
  input  wire logic                       tail_i,
  /// Its number in the packet, from 0.
  input  wire logic [FlitCountBits-1:0]   index_i,
  /// The flit.
  input  wire logic [FlitBytes*8-1:0]     data_i,
  /// The header pins.
  input  wire logic [HeaderPinBits-1:0]   header_i,
  /// Header flits of a tree worm, 1 or more.
  input  wire logic [HeaderFlitsBits-1:0] tree_header_flits_i,
  /// The header of the packet is complete with this flit.
  output logic                            complete_o,
  /// The packet ends before its header.
  output logic                            short_o,
  /// The header, of use with `complete_o` and not `short_o`.
  output logic      [HeaderBits-1:0]      header_o
);

  if (HeaderFree) begin : gen_free
    logic unused;
    assign unused     = ^{clk_i, tail_i, data_i, tree_header_flits_i};
    assign complete_o = store_i && index_i == '0;
    assign short_o    = 1'b0;
    assign header_o   = header_i;
  end else begin : gen_in_flits
    localparam int unsigned FlitBits      = FlitBytes * 8;
    localparam int unsigned FieldBits     = HeaderBits - polycast_pkg::KindBits - polycast_pkg::UpBits;
    localparam int unsigned CaptureFlits  =
        (polycast_pkg::CommonHeaderBits + FieldBits + FlitBits - 1) / FlitBits;
    localparam int unsigned UnicastFlits  =
        (polycast_pkg::CommonHeaderBits + polycast_pkg::DestinationBits + FlitBits - 1) / FlitBits;

    logic [CaptureFlits*FlitBits-1:0] capture_q, capture_d;
    logic [polycast_pkg::KindBits-1:0] kind;
    logic [FlitCountBits-1:0]         last;

    // Flits that come after the header was complete do no harm: nobody looks.
    always_comb begin
      capture_d = capture_q;
      if (store_i) begin
        if (index_i == '0) capture_d = '0;
        if (index_i < FlitCountBits'(CaptureFlits)) capture_d[32'(index_i)*FlitBits+:FlitBits] = data_i;
      end
    end

    assign kind = capture_d[polycast_pkg::KindOffset+:polycast_pkg::KindBits];

    always_comb begin
      unique case (kind)
        polycast_pkg::KindUnicast: last = FlitCountBits'(UnicastFlits - 1);
        polycast_pkg::KindTree:    last = FlitCountBits'(tree_header_flits_i) - FlitCountBits'(1);
        default:                   last = '0;
      endcase
    end

    assign short_o    = store_i && tail_i && index_i < last;
    assign complete_o = (store_i && index_i == last) || short_o;
    assign header_o   = {capture_d[polycast_pkg::CommonHeaderBits+:FieldBits],
                         capture_d[polycast_pkg::UpOffset+:polycast_pkg::UpBits], kind};

    always_ff @(posedge clk_i) capture_q <= capture_d;

    logic unused;
    assign unused = ^{header_i, capture_d};
  end

`ifndef SYNTHESIS
  HeaderFlitsAreConfigured: assert property (@(posedge clk_i) store_i && !HeaderFree |-> tree_header_flits_i != '0)
    else $error("tree_header_flits is zero");
`endif

endmodule

`default_nettype wire
