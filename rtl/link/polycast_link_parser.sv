// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Frames and ordered sets out of symbols. What it says of a symbol it says in the symbol's cycle.
module polycast_link_parser #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes   = 16,
  /// Virtual channels.
  parameter int unsigned NumVcs      = 1,
  /// Bytes of a free header.
  parameter int unsigned HeaderBytes = 0,
  /// Trailers and sets on wires of their own.
  parameter bit          Beside      = 1'b0,
  /// Bits of sequence numbers.
  parameter int unsigned SeqBits     = 20,
  /// Bits of a flit with its marks and header; derived, do not set.
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes),
  /// Wires of a symbol; derived, do not set.
  parameter int unsigned WireBits    = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0)
) (
  /// Clock.
  input  wire logic                clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                rst_ni,
  /// The symbol.
  input  wire logic [WireBits-1:0] wire_i,
  /// Flits of a frame.
  input  wire logic [polycast_link_pkg::FrameBits-1:0] frame_i,
  /// A flit of the frame that arrives.
  output logic                     store_o,
  output logic      [FlitBits-1:0] flit_o,
  /// The frame is bad: this symbol is none of it.
  output logic                     broken_o,
  /// The last symbol of a frame, which is good or bad; its number and kind, and what it says as a
  /// message.
  output logic                     judged_o,
  output logic                     good_o,
  output logic      [polycast_link_pkg::NumberBits-1:0] number_o,
  output logic      [3:0]          kind_o,
  output polycast_link_pkg::message_t message_o,
  /// The last symbol of a good set.
  output logic                     set_valid_o,
  output polycast_link_pkg::set_t  set_o,
  /// A set is bad or was interrupted.
  output logic                     set_bad_o,
  /// Nothing has arrived in part.
  output logic                     idle_o
);

  localparam int unsigned DataBits   = FlitBytes * 8;
  localparam int unsigned WordFlits  =
      (polycast_link_pkg::WordBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned MsgFlits   =
      (polycast_link_pkg::MessageBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned PartBits   = 3;
  localparam int unsigned FrameBits  = polycast_link_pkg::FrameBits;
  localparam int unsigned LowBits    = DataBits < 24 ? DataBits : 24;
  localparam int unsigned WordLow    = DataBits < 64 ? DataBits : 64;
  localparam int unsigned KindOffset = DataBits + 6;

  logic [DataBits-1:0] data;
  logic                head, tail, is_flit, is_check, is_set;
  logic [3:0]          vc;
  logic [2:0]          kind;
  logic [63:0]         beside;

  assign data = wire_i[DataBits-1:0];
  assign head = wire_i[DataBits];
  assign tail = wire_i[DataBits+1];
  assign vc   = wire_i[DataBits+2+:4];
  assign kind = wire_i[KindOffset+:3];

  if (Beside) begin : gen_beside
    assign beside = wire_i[KindOffset+3+:64];
  end else begin : gen_inline
    assign beside = '0;
  end
  // Header wires beside a flit that is no head are not covered: they may have flipped.
  if (HeaderBytes > 0) begin : gen_header
    assign flit_o = {wire_i[WireBits-1-:HeaderBytes*8] & {HeaderBytes*8{head}},
                     data, vc, tail, head};
  end else begin : gen_no_header
    assign flit_o = {data, vc, tail, head};
  end

  assign is_flit  = kind == polycast_link_pkg::KindFlit;
  assign is_check = kind == polycast_link_pkg::KindCheck && !Beside;
  assign is_set   = kind == polycast_link_pkg::KindSet;

  logic [FrameBits-1:0] flits_q, flits_d, flits_before, longest, judged_flits;
  logic [PartBits-1:0]  checks_q, checks_d, checks_before, sets_q, sets_d, part;
  logic                 too_long_q, too_long, bad_vc_q, bad_vc, set_last, last_part;
  logic [31:0]          crc_q, crc, covered, sealed;
  logic [63:0]          word_q, word;
  logic [23:0]          message_q, message;
  polycast_link_pkg::trailer_t trailer;

  // Frames.
  assign longest       = frame_i > FrameBits'(MsgFlits) ? frame_i : FrameBits'(MsgFlits);
  assign broken_o      = (flits_q != '0 || checks_q != '0) &&
      (is_flit ? checks_q != '0 : !is_check);
  assign flits_before  = broken_o ? '0 : flits_q;
  assign checks_before = broken_o ? '0 : checks_q;
  assign too_long      = is_flit && (flits_before == longest || (flits_before != '0 && too_long_q));
  assign store_o       = is_flit && !too_long;
  assign bad_vc        = (flits_before != '0 && bad_vc_q) || (store_o && 32'(vc) >= NumVcs);

  polycast_link_frame_crc #(
    .FlitBytes   (FlitBytes),
    .HeaderBytes (HeaderBytes)
  ) u_crc (
    .crc_i  (flits_before == '0 ? '1 : crc_q),
    .flit_i (flit_o),
    .crc_o  (crc)
  );

  // Words, of a trailer or a set.
  assign part      = is_check ? checks_before : sets_q;
  assign last_part = part == PartBits'(WordFlits - 1);
  always_comb begin
    word = part == '0 ? '0 : word_q;
    for (int unsigned p = 0; p < WordFlits; p++) begin
      if (part == PartBits'(p)) word = word | (64'(data[WordLow-1:0]) << (p * DataBits));
    end
    if (Beside) word = beside;
  end
  always_comb begin
    message = flits_before == '0 ? '0 : message_q;
    for (int unsigned f = 0; f < MsgFlits; f++) begin
      if (is_flit && flits_before == FrameBits'(f)) begin
        message = message | (24'(data[LowBits-1:0]) << (f * DataBits));
      end
    end
  end

  assign judged_o     = Beside ? is_flit : is_check && last_part;
  assign judged_flits = Beside ? FrameBits'(1) : flits_before;
  assign covered      = Beside ? crc : crc_q;
  assign trailer      = word[31:0];
  assign number_o     = trailer.sequence_number;
  assign kind_o       = trailer.kind;
  assign message_o    = message;

  polycast_crc_bytes #(.NumBytes(4)) u_trailer_crc (
    .crc_i    (covered),
    .data_i   (word[31:0]),
    .enable_i (4'b1111),
    .crc_o    (sealed)
  );

  logic number_ok, kind_ok;

  if (SeqBits < polycast_link_pkg::NumberBits) begin : gen_short_numbers
    assign number_ok = trailer.sequence_number[polycast_link_pkg::NumberBits-1:SeqBits] == '0;
  end else begin : gen_long_numbers
    assign number_ok = 1'b1;
  end
  assign kind_ok = trailer.kind == polycast_link_pkg::FrameData ||
      (trailer.kind <= polycast_link_pkg::FrameCut && judged_flits == FrameBits'(MsgFlits) &&
       32'(message_o.vc) < NumVcs);
  assign good_o = judged_flits != '0 && !(Beside ? 1'b0 : too_long_q) && !bad_vc &&
      FrameBits'(trailer.count) + FrameBits'(1) == judged_flits && number_ok && kind_ok &&
      ~sealed == word[63:32];

  // Ordered sets.
  logic [15:0] set_crc;
  logic        set_good;

  assign set_o = word[47:0];
  polycast_link_set_crc u_set_crc (
    .set_i (set_o),
    .crc_o (set_crc)
  );
  assign set_last    = is_set && (Beside || last_part);
  assign set_good    = set_crc == word[63:48] && set_o.kind >= polycast_link_pkg::SetInit &&
      set_o.kind <= polycast_link_pkg::SetCfUpdate;
  assign set_valid_o = set_last && set_good;
  assign set_bad_o   = (set_last && !set_good) || (!is_set && sets_q != '0);

  assign flits_d  = judged_o ? '0 : flits_before + FrameBits'(store_o);
  assign checks_d = is_check && !judged_o ? checks_before + PartBits'(1) : '0;
  assign sets_d   = is_set && !set_last ? sets_q + PartBits'(1) : '0;
  assign idle_o   = flits_q == '0 && checks_q == '0 && sets_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flits_q    <= '0;
      checks_q   <= '0;
      sets_q     <= '0;
      too_long_q <= 1'b0;
      bad_vc_q   <= 1'b0;
    end else begin
      flits_q  <= flits_d;
      checks_q <= checks_d;
      sets_q   <= sets_d;
      if (is_flit) begin
        too_long_q <= too_long;
        bad_vc_q   <= bad_vc;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (store_o) begin
      crc_q     <= crc;
      message_q <= message;
    end
    if (is_check || is_set) word_q <= word;
  end

`ifndef SYNTHESIS
  OneOutcome: assert property (@(posedge clk_i) disable iff (!rst_ni) !(broken_o && judged_o))
    else $error("a frame is broken and judged at once");
  NeverTooLong: assert property (@(posedge clk_i) disable iff (!rst_ni) flits_q <= longest)
    else $error("more flits than a frame has");
`endif

endmodule

`default_nettype wire
