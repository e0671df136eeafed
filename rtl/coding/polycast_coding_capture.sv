// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Takes packets apart flit by flit, those of all virtual channels mixed (step 2 of
/// hw/chips/coding/coding_unit.md): what goes into which slot, what the header says, CRC-32C over
/// what it
/// is over, and over the payload alone. With the tail it says what the packet is.
module polycast_coding_capture #(
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 16,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Bits kept of the header pins: check word, transport header, common header, with the
  /// destination where check words cover it.
  parameter int unsigned HeaderBits    = 1,
  /// Check words cover destination and hops.
  parameter bit          CheckRoute    = 1'b0,
  /// Bits of the number of a slot.
  parameter int unsigned SlotBits      = 6,
  /// Flits of a slot.
  parameter int unsigned SlotFlits     = 8,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits = 17,
  /// Bits of the number of a virtual channel; derived, do not set.
  parameter int unsigned VcBits        = NumVcs > 1 ? $clog2(NumVcs) : 1,
  /// Bits of a number of flits of a slot; derived, do not set.
  parameter int unsigned SlotFlitBits  = $clog2(SlotFlits + 1)
) (
  /// Clock.
  input  wire logic                         clk_i,
  /// A flit is taken.
  input  wire logic                         take_i,
  /// Its virtual channel.
  input  wire logic [VcBits-1:0]            vc_i,
  /// It is the first of its packet.
  input  wire logic                         head_i,
  /// It is the last of its packet.
  input  wire logic                         tail_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]       data_i,
  /// What was kept of the header pins; of use with a head.
  input  wire logic [HeaderBits-1:0]        header_i,
  /// The slot that a packet gets with its head.
  input  wire logic [SlotBits-1:0]          free_slot_i,
  /// Slot of the packet.
  output logic      [SlotBits-1:0]          slot_o,
  /// The flit goes into it.
  output logic                              write_o,
  /// As flit number of it.
  output logic      [SlotFlitBits-1:0]      write_flit_o,
  /// The packet has ended, before its header: it is dropped.
  output logic                              short_o,
  /// The packet is complete.
  output logic                              complete_o,
  /// What is wrong with it by itself; none: nothing.
  output logic      [polycast_pkg::CodingEventBits-1:0] code_o,
  /// Its source, zero if it is no unicast, as the two that follow.
  output logic      [23:0]                  source_o,
  /// Its group.
  output logic      [15:0]                  group_o,
  /// Its tag.
  output logic      [31:0]                  tag_o,
  /// Bytes of its payload.
  output logic      [15:0]                  length_o,
  /// Flits of it that are in the slot.
  output logic      [SlotFlitBits-1:0]      flits_o,
  /// CRC over its payload, begun with zero.
  output logic      [31:0]                  crc_o
);

  localparam int unsigned CommonBits     = polycast_pkg::CommonHeaderBits;
  localparam int unsigned CommonBytes    = CommonBits / 8;
  localparam int unsigned TransportBytes = polycast_pkg::TransportBits / 8;
  localparam int unsigned HopsByte       = polycast_pkg::TransportHopsOffset / 8;
  localparam int unsigned CheckBytes     = polycast_pkg::CheckBits / 8;
  localparam int unsigned UnicastBytes   =
      (polycast_pkg::DestinationOffset + polycast_pkg::DestinationBits) / 8;
  localparam int unsigned CoveredBytes   = CheckRoute ? UnicastBytes : CommonBytes;
  localparam int unsigned BroadcastBytes =
      (polycast_pkg::BroadcastPortOffset + polycast_pkg::BroadcastPortBits) / 8;
  localparam int unsigned UnicastFlits   = (UnicastBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned BroadcastFlits = (BroadcastBytes + FlitBytes - 1) / FlitBytes;
  // Flits and bytes in front of the payload and around it.
  localparam int unsigned FirstFlit      = HeaderFree ? 0 : UnicastFlits;
  localparam int unsigned FrontBytes     = HeaderFree ? 0 : TransportBytes;
  localparam int unsigned BackBytes      = HeaderFree ? 0 : CheckBytes;
  // Of the transport header, op, group and tag are kept.
  localparam int unsigned OpByte         = polycast_pkg::TransportOpOffset / 8;
  localparam int unsigned GroupByte      = polycast_pkg::TransportGroupOffset / 8;
  localparam int unsigned TagByte        = polycast_pkg::TransportTagOffset / 8;
  // CRC over anything and its own check word behind it.
  localparam logic [31:0] Residue        = 32'hb798b438;
  localparam int unsigned PlaceBits      = FlitCountBits + 7;

  localparam int unsigned StateBits = SlotBits + FlitCountBits + CommonBits + 4 + 16 + 32 + 3 * 32;

  typedef struct packed { logic [FlitBytes-1:0][7:0] at; } flit_bytes_t;
  typedef struct packed { logic [CommonBytes-1:0][7:0] at; } common_bytes_t;
  typedef struct packed { logic [1:0][7:0] at; } group_bytes_t;
  typedef struct packed { logic [3:0][7:0] at; } tag_bytes_t;

  // What is kept of a packet of each virtual channel, from flit to flit.
  typedef struct packed {
    logic [SlotBits-1:0]      slot;
    logic [FlitCountBits-1:0] count;
    logic [CommonBits-1:0]    common;
    logic [3:0]               op;
    logic [15:0]              group;
    logic [31:0]              tag;
    logic [31:0]              crc;
    logic [31:0]              payload;
    logic [31:0]              check;
  } state_t;

  flit_bytes_t              data, covered_data;
  common_bytes_t            common;
  group_bytes_t             group;
  tag_bytes_t               tag;
  state_t                   old;
  polycast_pkg::header_t    header;
  polycast_pkg::transport_t transport, fixed_transport;

  assign data = data_i;

  logic [StateBits-1:0]      state_q [NumVcs];
  logic [FlitCountBits-1:0]  count, number;
  logic [3:0]                op;
  logic [31:0]               begun_crc, crc, payload, check;
  logic [15:0]               length;
  logic [PlaceBits-1:0]      first_byte, place, payload_end, check_end;
  logic [FlitBytes-1:0]      covered, in_payload;
  logic                      in_slot, unicast, too_short;
  logic [16:0]               needed;

  // Op and group begin as zeros, so that what does not come is not that of the packet before.
  always_comb begin
    old = state_q[vc_i];
    if (head_i) begin
      old      = '0;
      old.slot = free_slot_i;
      old.crc  = '1;
    end
    number = old.count;
    count  = old.count + FlitCountBits'(1);
  end

  // The header.
  if (HeaderFree) begin : gen_free
    logic [CoveredBytes*8-1:0]          free_front, fixed_front;
    logic [polycast_pkg::CheckBits-1:0] free_check;
    logic [31:0]                        header_crc;
    logic                               unused;

    assign {free_check, transport, free_front} = header_i;
    assign unused                              = ^data;

    always_comb begin
      common = old.common;
      op     = old.op;
      group  = old.group;
      tag    = old.tag;
      check  = old.check;
      if (head_i) begin
        common = free_front[CommonBits-1:0];
        op     = transport.op;
        group  = transport.group;
        tag    = transport.tag;
        check  = free_check;
      end
      fixed_front                         = free_front;
      fixed_front[polycast_pkg::UpOffset] = 1'b0;
      fixed_transport                     = transport;
      if (!CheckRoute) fixed_transport.hops = '0;
    end

    polycast_crc_bytes #(
      .NumBytes(CoveredBytes + TransportBytes)
    ) i_crc_header (
      .crc_i   (old.crc),
      .data_i  ({fixed_transport, fixed_front}),
      .enable_i({CoveredBytes + TransportBytes{take_i && head_i}}),
      .crc_o   (header_crc)
    );
    assign begun_crc = header_crc;
    assign in_slot   = 1'b1;
    assign too_short = 1'b0;
  end else begin : gen_in_flits
    logic unused;
    assign unused          = ^{header_i, transport, fixed_transport};
    assign transport       = '0;
    assign fixed_transport = '0;
    assign begun_crc       = old.crc;
    assign check           = old.check;
    assign in_slot         = number >= FlitCountBits'(FirstFlit);

    always_comb begin
      common = old.common;
      op     = old.op;
      group  = old.group;
      tag    = old.tag;
      for (int unsigned b = 0; b < CommonBytes; b++) begin
        if (number == FlitCountBits'(b / FlitBytes)) common.at[b] = data.at[b%FlitBytes];
      end
      for (int unsigned b = 0; b < TransportBytes; b++) begin
        if (number == FlitCountBits'(FirstFlit + b / FlitBytes)) begin
          if (b == OpByte) begin
            op = 4'(data.at[b%FlitBytes]);
          end
          if (b >= GroupByte && b < GroupByte + 2) begin
            group.at[(b-GroupByte)%2] = data.at[b%FlitBytes];
          end
          if (b >= TagByte && b < TagByte + 4) begin
            tag.at[(b-TagByte)%4] = data.at[b%FlitBytes];
          end
        end
      end
      unique case (header.kind)
        polycast_pkg::KindUnicast:   too_short = count < FlitCountBits'(UnicastFlits);
        polycast_pkg::KindBroadcast: too_short = count < FlitCountBits'(BroadcastFlits);
        default:                     too_short = 1'b0;
      endcase
    end
  end

  logic unused_header;
  assign unused_header = ^header;

  // Which bytes of the flit the CRC is over.
  assign header      = common;
  assign length      = header.length;
  assign first_byte  = PlaceBits'(number - FlitCountBits'(FirstFlit)) * PlaceBits'(FlitBytes);
  assign payload_end = PlaceBits'(FrontBytes) + PlaceBits'(length);
  assign check_end   = payload_end + PlaceBits'(BackBytes);

  always_comb begin
    covered      = '0;
    in_payload   = '0;
    covered_data = data_i;
    place        = '0;
    for (int unsigned b = 0; b < FlitBytes; b++) begin
      place = first_byte + PlaceBits'(b);
      if (take_i && in_slot) begin
        covered[b]    = place < check_end;
        in_payload[b] = place - PlaceBits'(FrontBytes) < PlaceBits'(length);
        if (!HeaderFree && !CheckRoute &&
            (place == PlaceBits'(HopsByte) || place == PlaceBits'(HopsByte + 1))) begin
          covered_data.at[b] = '0;
        end
      end else if (take_i) begin
        covered[b] = 32'(number) * FlitBytes + b < CoveredBytes;
        if (number == '0 && b == 0) covered_data.at[0][polycast_pkg::UpOffset+:1] = 1'b0;
      end
    end
  end

  polycast_crc_bytes #(
    .NumBytes(FlitBytes)
  ) i_crc (
    .crc_i   (begun_crc),
    .data_i  (covered_data),
    .enable_i(covered),
    .crc_o   (crc)
  );

  polycast_crc_bytes #(
    .NumBytes(FlitBytes)
  ) i_crc_payload (
    .crc_i   (old.payload),
    .data_i,
    .enable_i(in_payload),
    .crc_o   (payload)
  );

  always_ff @(posedge clk_i) begin
    if (take_i) state_q[vc_i] <= {old.slot, count, common, op, group, tag, crc, payload, check};
  end

  // What the packet is.
  assign needed  = (17'(FrontBytes + BackBytes) + 17'(length) + 17'(FlitBytes - 1)) /
      17'(FlitBytes);
  assign unicast = header.kind == polycast_pkg::KindUnicast;

  always_comb begin
    code_o = polycast_pkg::CodingEventNone;
    if (!unicast || op != 4'(polycast_pkg::TransportOpOperand)) begin
      code_o = polycast_pkg::CodingEventNotOperand;
    end else if (length == '0 || count != FlitCountBits'(needed) + FlitCountBits'(FirstFlit) ||
        needed > 17'(SlotFlits)) begin
      code_o = polycast_pkg::CodingEventBadLength;
    end else if (HeaderFree ? ~crc != check : crc != Residue) begin
      code_o = polycast_pkg::CodingEventCheck;
    end
  end

  assign slot_o       = old.slot;
  assign write_o      = take_i && in_slot && number - FlitCountBits'(FirstFlit) <
      FlitCountBits'(SlotFlits);
  assign write_flit_o = SlotFlitBits'(number - FlitCountBits'(FirstFlit));
  assign short_o      = take_i && tail_i && too_short;
  assign complete_o   = take_i && tail_i && !too_short;
  assign source_o     = unicast ? header.source : '0;
  assign group_o      = unicast ? group : '0;
  assign tag_o        = unicast ? tag : '0;
  assign length_o     = length;
  assign flits_o      = SlotFlitBits'(needed);
  assign crc_o        = payload;

`ifndef SYNTHESIS
  WriteFitsTheSlot:
      assert property (@(posedge clk_i) write_o |-> write_flit_o < SlotFlitBits'(SlotFlits))
    else $error("a flit is written behind its slot");
  GoodPacketsFit:
      assert property (@(posedge clk_i) complete_o && code_o == '0 |->
          flits_o != '0 && length_o != '0)
    else $error("a packet without payload is good");
`endif

endmodule

`default_nettype wire
