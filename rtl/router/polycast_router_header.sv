// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Collects the headers of the packets that come in on the virtual channels of a port, and says
/// when one is complete: section "Header" of hw/chips/router/router.md and of
/// hw/chips/vl_switch/vl_switch.md. Keeps what has come of each channel's header.
module polycast_router_header #(
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 16,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Packets are of kind `lid`, as in VL switches, not those of routers.
  parameter bit          Lids          = 1'b0,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits = 16,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Bits of the number of a virtual channel.
  parameter int unsigned VcBits        = 2,
  /// Bits of the longest header that is read, the same for both; derived, do not set.
  parameter int unsigned HeaderBits    = polycast_pkg::CommonHeaderBits +
      polycast_pkg::DestinationBits
) (
  /// Clock.
  input  wire logic                     clk_i,
  /// A flit is stored.
  input  wire logic                     store_i,
  /// Its virtual channel.
  input  wire logic [VcBits-1:0]        vc_i,
  /// It is stored as the last of its packet.
  input  wire logic                     tail_i,
  /// Its number in the packet, from 0.
  input  wire logic [FlitCountBits-1:0] index_i,
  /// The flit.
  input  wire logic [FlitBytes*8-1:0]   data_i,
  /// The header pins.
  input  wire logic [HeaderPinBits-1:0] header_i,
  /// The header of the packet is complete with this flit.
  output logic                          complete_o,
  /// The packet ends before its header.
  output logic                          short_o,
  /// The header as far as it has come, of use with `complete_o` and not `short_o`.
  output logic      [HeaderBits-1:0]    header_o
);

  if (HeaderFree) begin : gen_free
    assign complete_o = store_i && index_i == '0;
    assign short_o    = 1'b0;
    assign header_o   = header_i[HeaderBits-1:0];

    logic unused;
    assign unused = ^{clk_i, vc_i, tail_i, data_i, header_i};
  end else begin : gen_in_flits
    localparam int unsigned FlitBits      = FlitBytes * 8;
    localparam int unsigned CaptureFlits  = (HeaderBits + FlitBits - 1) / FlitBits;
    localparam int unsigned UnicastFlits  = CaptureFlits;
    localparam int unsigned BroadcastBits = polycast_pkg::CommonHeaderBits +
        polycast_pkg::BroadcastPortBits;
    localparam int unsigned BroadcastFlits = (BroadcastBits + FlitBits - 1) / FlitBits;

    logic [CaptureFlits*FlitBits-1:0]  capture;
    logic [polycast_pkg::KindBits-1:0] kind;
    logic [FlitCountBits-1:0]          last;

    if (CaptureFlits == 1) begin : gen_one_flit
      assign capture = data_i;

      logic unused;
      assign unused = ^{clk_i, vc_i};
    end else begin : gen_more_flits
      logic [CaptureFlits*FlitBits-1:0] capture_q [NumVcs];

      // Flits that come after the header was complete do no harm: nobody looks.
      always_comb begin
        capture = (index_i == '0) ? '0 : capture_q[vc_i];
        if (index_i < FlitCountBits'(CaptureFlits)) begin
          capture[32'(index_i)*FlitBits+:FlitBits] = data_i;
        end
      end

      always_ff @(posedge clk_i) begin
        if (store_i) capture_q[vc_i] <= capture;
      end
    end

    assign kind = capture[polycast_pkg::KindOffset+:polycast_pkg::KindBits];

    if (Lids) begin : gen_lids
      always_comb begin
        unique case (kind)
          polycast_pkg::KindLid: last = FlitCountBits'(UnicastFlits - 1);
          default:               last = '0;
        endcase
      end
    end else begin : gen_hosts
      always_comb begin
        unique case (kind)
          polycast_pkg::KindUnicast:   last = FlitCountBits'(UnicastFlits - 1);
          polycast_pkg::KindBroadcast: last = FlitCountBits'(BroadcastFlits - 1);
          default:                     last = '0;
        endcase
      end
    end

    assign short_o    = store_i && tail_i && index_i < last;
    assign complete_o = (store_i && index_i == last) || short_o;
    assign header_o   = capture[HeaderBits-1:0];

    logic unused;
    assign unused = ^{header_i, capture};
  end

`ifndef SYNTHESIS
  ShortIsATail: assert property (@(posedge clk_i) short_o |-> complete_o && store_i && tail_i)
    else $error("a header is short, but its packet goes on");
`endif

endmodule

`default_nettype wire
