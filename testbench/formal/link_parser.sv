// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "link_sums.svh"

/// polycast_link_parser, with sums for the CRCs: for any symbols, with a reset at any time, the
/// history of the symbols alone says what it says. A frame is good exactly if its trailer comes
/// without a gap behind 1 to Longest flits, which come behind a symbol that is no flit, and CRC,
/// number of flits, sequence number, kind and virtual channels are those of a frame; its flits were
/// stored, and nothing else since the frame began. A set is good exactly if all its symbols come
/// without a gap and its CRC and kind are those of a set.
module harness #(
  parameter int unsigned FlitBytes = 4,
  parameter bit          Beside    = 1'b0,
  parameter int unsigned NumVcs    = 2,
  parameter int unsigned Frame     = 2,
  parameter int unsigned SeqBits   = 3,
  parameter int unsigned DataBits  = 8 * FlitBytes,
  parameter int unsigned FlitBits  = DataBits + 6,
  parameter int unsigned WireBits  = DataBits + 9 + (Beside ? 64 : 0)
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic [WireBits-1:0] wire_i
);

  localparam int unsigned Word    = (8 + FlitBytes - 1) / FlitBytes;
  localparam int unsigned Message = (4 + FlitBytes - 1) / FlitBytes;
  localparam int unsigned Longest = Frame > Message ? Frame : Message;
  // Symbols of a trailer, and of a set.
  localparam int unsigned Trailer = Beside ? 0 : Word;
  localparam int unsigned Set     = Beside ? 1 : Word;
  localparam int unsigned Symbols = Trailer + Longest + 1;
  localparam int unsigned Bits    = 4;

  logic                        store, broken, judged, good, set_valid, set_bad, idle;
  logic [FlitBits-1:0]         flit;
  logic [19:0]                 number;
  logic [3:0]                  kind;
  polycast_link_pkg::message_t message;
  polycast_link_pkg::set_t     set;

  polycast_link_parser #(
    .FlitBytes(FlitBytes), .NumVcs(NumVcs), .HeaderBytes(0), .Beside(Beside), .SeqBits(SeqBits)
  ) dut (
    .clk_i, .rst_ni, .wire_i, .frame_i(9'(Frame)), .store_o(store), .flit_o(flit),
    .broken_o(broken), .judged_o(judged), .good_o(good), .number_o(number), .kind_o(kind),
    .message_o(message), .set_valid_o(set_valid), .set_o(set), .set_bad_o(set_bad), .idle_o(idle)
  );

  (* probe = "dut.flits_q" *) wire [8:0] flits_q;
  (* probe = "dut.checks_q" *) wire [2:0] checks_q;
  (* probe = "dut.sets_q", only = "Beside == 0" *) wire [2:0] sets_q;

  // The symbol of this cycle and those before, the newest in the lowest bits; idle before reset.
  logic [Symbols*WireBits-1:0] symbols, before_q;
  assign symbols = {before_q[(Symbols-1)*WireBits-1:0], wire_i};
  always_ff @(posedge clk_i) before_q <= rst_ni ? symbols : '0;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb if (first_q) assume (!rst_ni);

  // What the symbols are.
  logic [Symbols-1:0] is_flit, is_check, is_set, is_vc;
  always_comb begin
    for (int unsigned s = 0; s < Symbols; s++) begin
      is_flit[s]  = symbols[s*WireBits+DataBits+6+:3] == 3'b011;
      is_check[s] = symbols[s*WireBits+DataBits+6+:3] == 3'b101;
      is_set[s]   = symbols[s*WireBits+DataBits+6+:3] == 3'b110;
      is_vc[s]    = 32'(symbols[s*WireBits+DataBits+2+:4]) < NumVcs;
    end
  end

  // Consecutive flits behind which the trailer would stand, if it ended in this cycle.
  logic [Longest:0] run, sealed_by;
  logic             all_checks;
  for (genvar n = 1; n <= Longest; n++) begin : gen_runs
    localparam int unsigned First = Beside ? 0 : Trailer;
    // The n-th flit before the trailer; with the trailer beside it is this symbol alone.
    logic [n-1:0]  flits_here, vcs_here;
    logic [31:0]   crc, sealed;
    logic [n*FlitBits-1:0] covered;
    logic [n*32+31:0] sums;

    assign flits_here = is_flit[First+:n];
    assign vcs_here   = is_vc[First+:n];
    assign sums[31:0] = '1;
    for (genvar f = 0; f < n; f++) begin : gen_flits
      assign covered[f*FlitBits+:FlitBits] =
          {symbols[(First+n-1-f)*WireBits+:DataBits],
           symbols[(First+n-1-f)*WireBits+DataBits+2+:4],
           symbols[(First+n-1-f)*WireBits+DataBits+1],
           symbols[(First+n-1-f)*WireBits+DataBits]};
      polycast_link_frame_crc #(.FlitBytes(FlitBytes)) u_crc (
        .crc_i(sums[f*32+:32]), .flit_i(covered[f*FlitBits+:FlitBits]),
        .crc_o(sums[f*32+32+:32])
      );
    end
    assign crc = sums[n*32+:32];
    assign run[n] = flits_here == '1 && vcs_here == '1 &&
        (Beside ? n == 1 : !is_flit[First+n]);
    polycast_crc_bytes #(.NumBytes(4)) u_trailer (
      .crc_i(crc), .data_i(word[31:0]), .enable_i(4'b1111), .crc_o(sealed)
    );
    assign sealed_by[n] = ~sealed == word[63:32] && 32'(word[27:20]) == n - 1 &&
        (word[31:28] == 4'd0 ||
         (word[31:28] <= 4'd2 && n == Message && 32'(said[n*24+:4]) < NumVcs));
    // As a message.
    always_comb begin
      said[n*24+:24] = '0;
      for (int unsigned f = 0; f < n; f++) begin
        if (f < Message) begin
          said[n*24+:24] = said[n*24+:24] |
              (24'(covered[f*FlitBits+6+:DataBits]) << (f * DataBits));
        end
      end
    end
  end
  assign run[0]       = 1'b0;
  assign sealed_by[0] = 1'b0;

  logic [(Longest+1)*24-1:0] said;
  logic [63:0]               word;
  logic                      truth;
  if (Beside) begin : gen_word_beside
    assign word       = wire_i[DataBits+9+:64];
    assign all_checks = 1'b1;
  end else begin : gen_word
    always_comb begin
      word = '0;
      for (int unsigned s = 0; s < Word; s++) begin
        word = word | (64'(symbols[s*WireBits+:DataBits]) << ((Word - 1 - s) * DataBits));
      end
    end
    assign all_checks = is_check[Word-1:0] == '1;
  end
  assign truth = all_checks && (run & sealed_by) != '0 && word[19:SeqBits] == '0;

  // Sets: a run of their symbols is cut into words from its beginning.
  logic [2:0]  sets_seen_q;
  logic [15:0] set_crc;
  logic        set_truth;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !is_set[0]) begin
      sets_seen_q <= '0;
    end else begin
      sets_seen_q <= 32'(sets_seen_q) == Set - 1 ? '0 : sets_seen_q + 3'd1;
    end
  end
  polycast_link_set_crc u_set_crc (.set_i(word[47:0]), .crc_o(set_crc));
  assign set_truth = is_set[0] && 32'(sets_seen_q) == Set - 1 && set_crc == word[63:48] &&
      word[3:0] != '0 && word[3:0] <= 4'd5;

  // Flits that were stored for the frame that arrives.
  logic [Bits-1:0] stored_q, stored;
  assign stored = (broken ? '0 : stored_q) + Bits'(store);
  always_ff @(posedge clk_i) stored_q <= !rst_ni || judged ? '0 : stored;

  always_comb begin
    if (!first_q && rst_ni) begin
      // What holds the induction together.
      assert (32'(flits_q) <= Longest && (!Beside || flits_q == '0));
      assert (32'(checks_q) < (Beside ? 1 : Trailer));
      assert (32'(sets_seen_q) < Set && (Beside || sets_q == sets_seen_q));
      assert (stored_q == Bits'(flits_q));
      for (int unsigned c = 1; c < Trailer; c++) begin
        if (32'(checks_q) == c) assert (is_check[c:1] == '1);
        if (32'(sets_q) >= c) assert (is_set[c]);
      end
      for (int unsigned n = 1; n <= Longest; n++) begin
        for (int unsigned c = 0; c < Trailer; c++) begin
          if (32'(flits_q) == n && 32'(checks_q) == c) begin
            for (int unsigned f = 0; f < n; f++) assert (is_flit[c+1+f]);
          end
        end
      end
      // What counts.
      assert ((judged && good) == truth);
      if (truth) begin
        assert (number == word[19:0] && kind == word[31:28]);
        for (int unsigned n = 1; n <= Longest; n++) begin
          if (run[n]) begin
            assert (32'(stored) == n);
            if (n == Message) assert (message == said[n*24+:24]);
          end
        end
      end
      if (store) begin
        assert (is_flit[0]);
        assert (flit == {symbols[0+:DataBits], symbols[DataBits+2+:4], symbols[DataBits+1],
                         symbols[DataBits]});
      end
      assert (set_valid == set_truth);
      if (set_truth) assert (set == word[47:0]);
      assert (!(broken && judged));
      cover (truth && kind == 4'd2);
      cover (truth && 32'(stored) == (Beside ? 1 : Frame));
      cover (set_truth && word[3:0] == 4'd5);
      cover (broken || Beside);
    end
  end

endmodule

`default_nettype wire
