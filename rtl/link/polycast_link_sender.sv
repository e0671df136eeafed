// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// What a link end has on the wire: a set, a frame that takes flits as they come, a copy, a
/// message.
module polycast_link_sender #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes   = 16,
  /// Bytes of a free header.
  parameter int unsigned HeaderBytes = 0,
  /// Trailers and sets on wires of their own.
  parameter bit          Beside      = 1'b0,
  /// Bits of sequence numbers.
  parameter int unsigned SeqBits     = 20,
  /// Bits of a place in the ring.
  parameter int unsigned PlaceBits   = 7,
  /// Flits of the ring.
  parameter int unsigned RingFlits   = 64,
  /// Their code, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectRings = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a flit with its marks and header; derived, do not set.
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes),
  /// Wires of a symbol; derived, do not set.
  parameter int unsigned WireBits    = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0)
) (
  /// Clock.
  input  wire logic                 clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                 rst_ni,
  /// Flits of a frame.
  input  wire logic [polycast_link_pkg::FrameBits-1:0] frame_i,
  /// The item before has ended: one may begin.
  output logic                      free_o,
  /// A set begins.
  input  wire logic                 begin_set_i,
  input  wire polycast_link_pkg::set_t set_i,
  /// A frame begins, with its number: of data; or a copy, or a message, of so many flits.
  input  wire logic                 begin_data_i,
  input  wire logic                 begin_copy_i,
  input  wire logic                 begin_message_i,
  input  wire logic [SeqBits-1:0]   number_i,
  input  wire logic [3:0]           kind_i,
  input  wire polycast_link_pkg::message_t message_i,
  input  wire logic [polycast_link_pkg::FrameBits-1:0] flits_i,
  input  wire logic [PlaceBits-1:0] place_i,
  /// The flit of the ring: of the place, or the oldest unsent one.
  output logic                      copy_o,
  output logic      [PlaceBits-1:0] place_o,
  input  wire logic                 all_sent_i,
  input  wire logic [FlitBits-1:0]  flit_i,
  /// It cannot be trusted: its frame gets a wrong CRC.
  input  wire logic                 failed_i,
  /// It is read.
  output logic                      read_o,
  /// The oldest unsent flit is sent.
  output logic                      send_o,
  output logic      [3:0]           send_vc_o,
  /// A frame's last symbol is chosen: a new one, or a copy.
  output logic                      closed_o,
  output logic                      closed_copy_o,
  output logic      [polycast_link_pkg::FrameBits-1:0] closed_flits_o,
  output logic      [3:0]           closed_kind_o,
  output polycast_link_pkg::message_t closed_message_o,
  /// A flit of the chip is in the item.
  output logic                      holds_o,
  /// The symbol.
  output logic      [WireBits-1:0]  wire_o
);

  localparam int unsigned DataBits   = FlitBytes * 8;
  localparam int unsigned WordFlits  =
      (polycast_link_pkg::WordBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned MsgFlits   =
      (polycast_link_pkg::MessageBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned FrameBits  = polycast_link_pkg::FrameBits;
  localparam int unsigned MessageBits = polycast_link_pkg::MessageBits;
  localparam int unsigned KindOffset = DataBits + 6;
  localparam int unsigned PaddedWord = WordFlits * DataBits > 64 ? WordFlits * DataBits : 64;
  localparam int unsigned PaddedMessage = MsgFlits * DataBits > 32 ? MsgFlits * DataBits : 32;

  typedef struct packed {
    logic                        set;
    logic                        data;
    logic                        copy;
    logic                        message;
    /// its trailer has begun
    logic                        closing;
    /// flits, or symbols of the word
    logic [FrameBits-1:0]        done;
    logic [FrameBits-1:0]        flits;
    logic [SeqBits-1:0]          number;
    logic [3:0]                  kind;
    logic [MessageBits-1:0]      says;
    logic [PlaceBits-1:0]        place;
    /// of a set or trailer
    logic [63:0]                 word;
  } item_t;

  item_t       item_q, item, item_d;
  logic [31:0] crc_q, crc_before, crc, sealed;
  logic [15:0] set_crc;
  logic        more, closes, last;

  assign free_o = !(item_q.set || item_q.data || item_q.copy || item_q.message);

  polycast_link_set_crc u_set_crc (
    .set_i (set_i),
    .crc_o (set_crc)
  );

  always_comb begin
    item = item_q;
    if (free_o) begin
      item         = '0;
      item.set     = begin_set_i;
      item.data    = begin_data_i;
      item.copy    = begin_copy_i;
      item.message = begin_message_i;
      item.number  = number_i;
      item.kind    = kind_i;
      item.says    = message_i;
      item.flits   = flits_i;
      item.place   = place_i;
      item.word    = {set_crc, set_i};
    end
  end

  // Flits.
  logic                frames, is_message;
  logic [FlitBits-1:0] flit;
  logic [PaddedMessage-1:0] message_word;
  logic [DataBits-1:0]      message_data;

  assign frames     = item.data || item.copy || item.message;
  assign is_message = item.message || (item.copy && item.kind != polycast_link_pkg::FrameData);
  assign more       = frames && !item.closing &&
      (item.data ? item.done < frame_i && !all_sent_i : item.done < item.flits);
  assign copy_o     = item.copy;
  assign place_o    = item.place;

  assign message_word = PaddedMessage'(item.says);
  always_comb begin
    message_data = '0;
    for (int unsigned f = 0; f < MsgFlits; f++) begin
      if (item.done == FrameBits'(f)) message_data = message_word[f*DataBits+:DataBits];
    end
  end
  if (HeaderBytes > 0) begin : gen_message_header
    assign flit = is_message ? {{HeaderBytes*8{1'b0}}, message_data, 6'd0} : flit_i;
  end else begin : gen_message
    assign flit = is_message ? {message_data, 6'd0} : flit_i;
  end

  assign send_o    = more && item.data;
  assign send_vc_o = flit_i[5:2];

  // Trailers.
  logic [31:0]           trailer;
  logic [FrameBits-1:0]  sealed_flits;
  polycast_link_pkg::trailer_t trailer_fields;
  logic [63:0]           word;
  logic [PaddedWord-1:0] padded;
  logic [FrameBits-1:0]  part;
  logic [DataBits-1:0]   part_data;

  assign crc_before   = item.done == '0 ? '1 : crc_q;
  polycast_link_frame_crc #(
    .FlitBytes   (FlitBytes),
    .HeaderBytes (HeaderBytes)
  ) u_crc (
    .crc_i  (crc_before),
    .flit_i (flit),
    .crc_o  (crc)
  );

  assign sealed_flits = Beside ? FrameBits'(1) : item.done;
  always_comb begin
    trailer_fields.kind            = item.kind;
    trailer_fields.count           = 8'(sealed_flits - FrameBits'(1));
    trailer_fields.sequence_number = polycast_link_pkg::NumberBits'(item.number);
  end
  assign trailer = trailer_fields;

  polycast_crc_bytes #(.NumBytes(4)) u_trailer_crc (
    .crc_i    (Beside ? crc : crc_q),
    .data_i   (trailer),
    .enable_i (4'b1111),
    .crc_o    (sealed)
  );

  // A frame with a flit that cannot be trusted.
  logic spoilt;
  if (ProtectRings == 32'(polycast_pkg::ProtectionNone)) begin : gen_trusted
    logic unused;
    assign unused = failed_i;
    assign read_o = 1'b0;
    assign spoilt = 1'b0;
  end else begin : gen_spoilt
    logic spoilt_q;
    assign read_o = more && !is_message;
    assign spoilt = (spoilt_q && !free_o) || (read_o && failed_i);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        spoilt_q <= 1'b0;
      end else begin
        spoilt_q <= spoilt;
      end
    end
  end

  // The trailer begins in the cycle in which there is no flit more.
  assign closes = frames && !item.closing && !more;
  assign word   = item.set || item.closing ? item.word : {~(sealed ^ {32{spoilt}}), trailer};
  assign part   = closes ? '0 : item.done;
  assign padded = PaddedWord'(word);
  always_comb begin
    part_data = '0;
    for (int unsigned p = 0; p < WordFlits; p++) begin
      if (part == FrameBits'(p)) part_data = padded[p*DataBits+:DataBits];
    end
  end

  assign last = item.set ? Beside || part == FrameBits'(WordFlits - 1) :
      frames && (Beside ? more : !more && part == FrameBits'(WordFlits - 1));

  assign closed_o         = frames && last && !item.copy;
  assign closed_copy_o    = item.copy && last;
  assign closed_flits_o   = Beside ? FrameBits'(1) : closes ? item.done : item.flits;
  assign closed_kind_o    = item.kind;
  assign closed_message_o = item.says;
  assign holds_o          = item_q.data || item_q.copy;

  always_comb begin
    item_d = item;
    if (last) begin
      item_d = '0;
    end else if (closes) begin
      item_d.closing = 1'b1;
      item_d.word    = word;
      item_d.flits   = item.done;
      item_d.done    = FrameBits'(1);
    end else if (item.set || frames) begin
      item_d.done = item.done + FrameBits'(1);
      if (item.copy && more) begin
        item_d.place = item.place == PlaceBits'(2 * RingFlits - 1) ? '0 :
            item.place + PlaceBits'(1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      item_q <= '0;
    end else begin
      item_q <= item_d;
    end
  end
  always_ff @(posedge clk_i) begin
    if (more) crc_q <= crc;
  end

  // The symbol.
  logic [2:0] kind;
  always_comb begin
    kind = polycast_link_pkg::KindIdle;
    if (more) begin
      kind = polycast_link_pkg::KindFlit;
    end else if (frames) begin
      kind = polycast_link_pkg::KindCheck;
    end else if (item.set) begin
      kind = polycast_link_pkg::KindSet;
    end
  end
  logic [DataBits-1:0] wire_data;
  logic                parts;
  assign parts     = !Beside && !more && (frames || item.set);
  assign wire_data = more ? flit[6+:DataBits] : parts ? part_data : '0;
  assign wire_o[0+:DataBits]  = wire_data;
  assign wire_o[DataBits+:6]  = more ? flit[5:0] : '0;
  assign wire_o[KindOffset+:3] = kind;
  if (Beside) begin : gen_beside
    assign wire_o[KindOffset+3+:64] = more || item.set ? word : '0;
  end
  if (HeaderBytes > 0) begin : gen_header
    assign wire_o[WireBits-1-:HeaderBytes*8] = more ? flit[FlitBits-1-:HeaderBytes*8] : '0;
  end

`ifndef SYNTHESIS
  OneItem: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({item.set, item.data, item.copy, item.message}))
    else $error("two items begin at once");
  BeginsWhenFree: assert property (@(posedge clk_i) disable iff (!rst_ni)
      free_o || !(begin_set_i || begin_data_i || begin_copy_i || begin_message_i))
    else $error("an item begins inside another");
`endif

endmodule

`default_nettype wire
