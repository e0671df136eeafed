// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Collects the header of each packet while its flits are stored, and says when it is complete.
///
/// The header goes on in the form that routing needs: with the header in the flits only kind, up
/// bit and a field (the rest is read from the buffer again): the destination, the bit string, or
/// the view of an SSR or path worm's next stop (`polycast_stop_view`). A free header goes on as it
/// is on the pins.
module polycast_header_capture #(
  /// Ports of the switch.
  parameter int unsigned NumPorts        = 8,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes       = 1,
  /// Longest bit string of a tree worm.
  parameter int unsigned MaxHosts        = 32,
  /// Bits of a stop's string in headers.
  parameter int unsigned HeaderPorts     = 8,
  /// Longest list of a path worm.
  parameter int unsigned HeaderStops     = 8,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Somebody asks whether a source may send here; without it `source_o` is zero.
  parameter bit          AsksSource      = 1'b1,
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
  /// Number of this switch.
  input  wire logic [polycast_pkg::StopSwitchBits-1:0] switch_number_i,
  /// The packet of `source_o` may not come in here.
  input  wire logic                       foreign_i,
  /// A header of a kind that there is is complete and not short: may its source send here?
  output logic                            source_valid_o,
  /// Its source; what has not come of a header that is cut is zero.
  output logic      [polycast_pkg::SourceBits-1:0] source_o,
  /// The header of the packet is complete with this flit.
  output logic                            complete_o,
  /// The packet ends before its header, or may not come in: it is to be dropped.
  output logic                            short_o,
  /// The header, of use with `complete_o` and not `short_o`.
  output logic      [HeaderBits-1:0]      header_o
);

  typedef struct packed { logic [FlitBytes-1:0][7:0] at; } flit_bytes_t;

  flit_bytes_t                data;
  polycast_pkg::header_t      common;
  logic                       cut;
  polycast_pkg::path_header_t list;

  assign data           = data_i;
  assign source_valid_o =
      AsksSource && complete_o && !cut && common.kind <= polycast_pkg::KindPath;
  assign source_o       = AsksSource ? common.source : '0;
  assign short_o        = cut || foreign_i;

  if (HeaderFree) begin : gen_free
    logic unused;
    assign unused     = ^{clk_i, tail_i, data, tree_header_flits_i, switch_number_i, list, common};
    assign list       = '0;
    assign common     = polycast_pkg::CommonHeaderBits'(header_i);
    assign complete_o = store_i && index_i == '0;
    assign cut        = 1'b0;
    assign header_o   = header_i;
  end else begin : gen_in_flits
    localparam int unsigned FlitBits      = FlitBytes * 8;
    localparam int unsigned FieldBits     = HeaderBits - polycast_pkg::KindBits -
        polycast_pkg::UpBits;
    localparam int unsigned HostBits      =
        MaxHosts > polycast_pkg::DestinationBits ? MaxHosts : polycast_pkg::DestinationBits;
    localparam int unsigned CaptureFlits  =
        (polycast_pkg::CommonHeaderBits + HostBits + FlitBits - 1) / FlitBits;
    localparam int unsigned UnicastFlits  =
        (polycast_pkg::CommonHeaderBits + polycast_pkg::DestinationBits + FlitBits - 1) / FlitBits;
    // Stops lie on byte boundaries.
    localparam int unsigned StopBits      = polycast_pkg::StopPortsOffset + HeaderPorts;
    localparam int unsigned StopBytes     = StopBits / 8;
    localparam int unsigned SsrByte       = polycast_pkg::SsrStopOffset / 8;
    localparam int unsigned ListByte      = polycast_pkg::PathListOffset / 8;
    localparam int unsigned SsrFlits      = (SsrByte + StopBytes + FlitBytes - 1) / FlitBytes;
    localparam int unsigned PathFlits     =
        (ListByte + HeaderStops * StopBytes + FlitBytes - 1) / FlitBytes;
    localparam int unsigned ByteBits      = 12;
    // A stop and the number of the switch of the one behind it.
    localparam int unsigned WindowBytes   = StopBytes + polycast_pkg::StopSwitchBits / 8;
    localparam int unsigned ViewBits      = polycast_pkg::StopSwitchBits + NumPorts + 4;

    logic [CaptureFlits*FlitBits-1:0]        capture_q, capture_d;
    logic [WindowBytes*8-1:0]                window_q, window_d;
    logic [StopBits-1:0]                     stop;
    logic [polycast_pkg::StopSwitchBits-1:0] following_switch;
    logic [HostBits-1:0]                     hosts;
    logic [polycast_pkg::KindBits-1:0]       kind;
    logic                                    path, in_list, ends_now, ends_later;
    logic [FlitCountBits-1:0]                last;
    logic [ByteBits-1:0]                     first_byte, end_byte, path_end, window_place,
        byte_place;
    logic [ViewBits-1:0]                     view;
    logic [FieldBits-1:0]                    field;

    // Flits that come after the header was complete do no harm: nobody looks.
    always_comb begin
      capture_d = capture_q;
      if (store_i) begin
        if (index_i == '0) capture_d = '0;
        if (index_i < FlitCountBits'(CaptureFlits)) begin
          capture_d[32'(index_i)*FlitBits+:FlitBits] = data_i;
        end
      end
    end

    // Behind the common part lie the hosts, or what comes before the list of a path worm.
    assign {hosts, common} = (HostBits + polycast_pkg::CommonHeaderBits)'(capture_d);
    assign list            = (polycast_pkg::PathNextBits + polycast_pkg::PathStopsBits)'(hosts);
    assign kind            = common.kind;
    assign path            = kind == polycast_pkg::KindPath;

    // Bytes of the flit, and of the header of a path worm. Before their flit has come, length and
    // place are zero: the header goes on, and no byte of the list is there yet.
    assign in_list    = index_i < FlitCountBits'(PathFlits);
    assign first_byte = ByteBits'(32'(index_i) * FlitBytes);
    assign end_byte   = first_byte + ByteBits'(FlitBytes);
    if (HeaderStops < 255) begin : gen_longest
      assign path_end = ByteBits'(ListByte) +
          (list.path_stops <= polycast_pkg::PathStopsBits'(HeaderStops) ?
          ByteBits'(32'(list.path_stops) * StopBytes) : '0);
    end else begin : gen_any_length
      assign path_end = ByteBits'(ListByte) + ByteBits'(32'(list.path_stops) * StopBytes);
    end

    always_comb begin
      // Of the window and its bytes in this flit; what lies before it or behind it is beyond the
      // flit's bytes.
      window_place = (path ? ByteBits'(ListByte) + ByteBits'(32'(list.path_next) * StopBytes) :
          ByteBits'(SsrByte)) - first_byte;
      window_d     = window_q;
      byte_place   = '0;
      if (store_i && in_list && (path || kind == polycast_pkg::KindSsr)) begin
        for (int unsigned b = 0; b < WindowBytes; b++) begin
          byte_place = window_place + ByteBits'(b);
          if (byte_place < ByteBits'(FlitBytes)) window_d[b*8+:8] = data.at[byte_place];
        end
      end
    end

    always_comb begin
      unique case (kind)
        polycast_pkg::KindUnicast: last = FlitCountBits'(UnicastFlits - 1);
        polycast_pkg::KindTree:    last = FlitCountBits'(tree_header_flits_i) - FlitCountBits'(1);
        polycast_pkg::KindSsr:     last = FlitCountBits'(SsrFlits - 1);
        default:                   last = '0;
      endcase
      ends_now   = index_i == last;
      ends_later = index_i < last;
      if (path) begin
        ends_now   = in_list && first_byte < path_end && end_byte >= path_end;
        ends_later = in_list && end_byte < path_end;
      end
    end

    assign {following_switch, stop} = window_d;

    polycast_stop_view #(
      .NumPorts   (NumPorts),
      .HeaderPorts(HeaderPorts),
      .HeaderStops(HeaderStops)
    ) i_stop_view (
      .path_i            (path),
      .stops_i           (list.path_stops),
      .next_i            (list.path_next),
      .stop_i            (stop),
      .following_switch_i(following_switch),
      .switch_number_i,
      .view_o            (view)
    );

    always_comb begin
      field = FieldBits'(hosts);
      if (path || kind == polycast_pkg::KindSsr) field = FieldBits'(view);
    end

    assign cut        = store_i && tail_i && ends_later;
    assign complete_o = (store_i && ends_now) || cut;
    assign header_o   = {field, common.up, kind};

    always_ff @(posedge clk_i) begin
      capture_q <= capture_d;
      window_q  <= window_d;
    end

    logic unused;
    assign unused = ^{header_i, capture_d, common};
  end

`ifndef SYNTHESIS
  if (!HeaderFree &&
      (HeaderBits < polycast_pkg::KindBits + polycast_pkg::UpBits + polycast_pkg::StopSwitchBits +
      NumPorts + 4 ||
      HeaderBits < polycast_pkg::KindBits + polycast_pkg::UpBits + polycast_pkg::DestinationBits ||
      HeaderBits < polycast_pkg::KindBits + polycast_pkg::UpBits + MaxHosts ||
      HeaderPorts % 8 != 0)) begin : gen_bad_parameters
    $error("polycast_header_capture: the header does not hold what routing needs");
  end

  ShortIsATail: assert property (@(posedge clk_i) cut |-> complete_o && store_i && tail_i)
    else $error("a header is short, but its packet goes on");
  ForeignIsComplete: assert property (@(posedge clk_i) foreign_i |-> source_valid_o)
    else $error("a packet without a source may not come in");
  HeaderFlitsAreConfigured:
      assert property (@(posedge clk_i) store_i && !HeaderFree |-> tree_header_flits_i != '0)
    else $error("tree_header_flits is zero");
`endif

endmodule

`default_nettype wire
