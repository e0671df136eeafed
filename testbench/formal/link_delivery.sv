// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "link_delivery_stand_ins.svh"

/// The sender of a link end, wires that lose or spoil any symbol, the receiver of the other, and a
/// way back that loses any set: until FLUSH each flit is delivered once, in order, unchanged, and
/// no frame leaves ring and list before it was accepted. Replays, acks, nacks, cf_updates, inits
/// and messages are chosen in any cycle in which they may be, so this holds for any timers; sets of
/// the other direction come between. A frame or set is bad if a symbol of it was spoilt: the CRCs
/// are one bit. With `Credits` the chips keep to the far buffer, of as many flits as the ring has:
/// then the ring has room for each of them.
module harness #(
  parameter int unsigned Wire    = 2,
  parameter int unsigned Window  = 2,
  parameter int unsigned Ring    = 4,
  parameter int unsigned Frame   = 2,
  parameter int unsigned SeqBits = 3,
  parameter bit          Credits = 1'b0
) (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  // The chip has a flit.
  input wire logic       flit_i,
  // The set of the other direction that goes with this one's symbols.
  input wire logic       other_set_i,
  input wire logic [1:0] other_kind_i,
  // The symbol is spoilt: it becomes any other, or idle.
  input wire logic       spoil_i,
  input wire logic [2:0] spoilt_kind_i,
  input wire logic [3:0] spoilt_vc_i,
  input wire logic [3:0] spoilt_data_i,
  // The way back may be used; what is sent there is lost.
  input wire logic       want_i,
  input wire logic       lose_i,
  // The far chip has freed a flit.
  input wire logic       credit_i
);

  localparam int unsigned NumVcs    = 2;
  localparam int unsigned Depth     = Frame + NumVcs + 2;
  localparam int unsigned FlitBits  = 70;
  localparam int unsigned WireBits  = 73;
  localparam int unsigned SetBits   = 48;
  localparam int unsigned CountBits = $clog2(Window + 1);
  localparam int unsigned PlaceBits = $clog2(2 * Ring);
  // Numbers of frames and flits, as far as differences go.
  localparam int unsigned Bits      = 4;

  polycast_link_pkg::registers_t registers;
  always_comb begin
    registers              = '0;
    registers.on           = 1'b1;
    registers.retry        = 1'b1;
    registers.frame        = 9'(Frame);
    registers.window       = 20'(Window);
    registers.window_flits = '1;
    registers.ring         = 32'(Ring);
    registers.replay_count = '1;
    registers.reinit       = 1'b1;
    registers.far_unit     = 16'd1;
    registers.own_unit     = 16'd1;
  end

  logic                    set_want, write, back_valid, back_set_valid, out_valid;
  logic [FlitBits-1:0]     out;
  logic [NumVcs*20-1:0]    told, freed;
  logic [WireBits-1:0]     wire_d, spoilt;
  polycast_link_pkg::set_t other_set, back_set, back;

  // A flit's data are its number; the other bits take the same places.
  logic [Bits-1:0] written_q, delivered_q;

  always_comb begin
    other_set      = '0;
    other_set.kind = 4'd2 + 4'(other_kind_i);
  end

  polycast_link_transmitter #(
    .FlitBytes(8), .NumVcs(NumVcs), .RingFlits(Ring), .WindowFrames(Window), .SeqBits(SeqBits)
  ) tx (
    .clk_i, .rst_ni, .registers_i(registers), .credits_i('0), .upset_i('0),
    .leave_flush_i(1'b0), .low_i('0), .set_want_o(set_want),
    .set_valid_i(set_want && other_set_i), .set_i(other_set),
    .flit_valid_i(flit_i), .flit_i({60'd0, written_q, 6'd0}),
    .received_i(back_valid), .received_set_i(back), .wire_o(wire_d), .wrote_o(write),
    .s_cf_o(told)
  );

  // The highest data bit says that it was spoilt.
  assign spoilt = {spoilt_kind_i, spoilt_vc_i, 2'b00, 1'b1, 59'd0, spoilt_data_i};

  logic [Wire*WireBits-1:0] forth_q;
  logic [Wire*(SetBits+1)-1:0] back_q;
  assign {back_valid, back} = back_q[(Wire-1)*(SetBits+1)+:SetBits+1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      forth_q <= '0;
      back_q  <= '0;
    end else begin
      forth_q <= (forth_q << WireBits) | (Wire*WireBits)'(spoil_i ? spoilt : wire_d);
      back_q  <= (back_q << (SetBits + 1)) |
          (Wire*(SetBits+1))'({back_set_valid && !lose_i, back_set});
    end
  end

  polycast_link_receiver #(
    .FlitBytes(8), .NumVcs(NumVcs), .FrameFlits(Frame), .SeqBits(SeqBits)
  ) rx (
    .clk_i, .rst_ni, .registers_i(registers), .own_credits_i('0), .upset_i('0), .set_want_i(want_i),
    .set_valid_o(back_set_valid), .set_o(back_set), .credit_i, .credit_vc_i('0),
    .wire_i(forth_q[(Wire-1)*WireBits+:WireBits]), .lost_i(1'b0), .flit_valid_o(out_valid),
    .flit_o(out), .r_cf_o(freed)
  );

  (* probe = "tx.ends_limit" *) wire ends_limit;
  (* probe = "tx.pushed" *) wire pushed;
  (* probe = "tx.count" *) wire [CountBits-1:0] count;
  (* probe = "tx.u_ring.first_q" *) wire [PlaceBits-1:0] first;
  (* probe = "tx.u_ring.end_q" *) wire [PlaceBits-1:0] ring_end;
  (* probe = "rx.accepted" *) wire accepted;
  (* probe = "rx.is_data" *) wire is_data;
  (* probe = "tx.ring_full" *) wire ring_full;
  (* probe = "rx.u_parser.flits_q" *) wire [8:0] collected;

  // For the invariants.
  localparam int unsigned PtrBits    = Window > 1 ? $clog2(Window) : 1;
  localparam int unsigned SlotBits   = $clog2(Depth);
  localparam int unsigned StoreBits  = $clog2(Depth + 1);
  localparam int unsigned EntryBits  = 37;
  localparam int unsigned ItemBits   = 115 + SeqBits + PlaceBits;
  localparam int unsigned NumberAt   = 64 + PlaceBits + 24 + 4;

  (* probe = "tx.state_q" *) wire [2:0] tx_state;
  (* probe = "tx.number_q" *) wire [SeqBits-1:0] number;
  (* probe = "tx.resend_q" *) wire [CountBits-1:0] resend;
  (* probe = "tx.u_list.head_q" *) wire [PtrBits-1:0] head;
  (* probe = "tx.u_list.mem_q", words = "Window" *) wire [Window*EntryBits-1:0] entries;
  (* probe = "tx.u_list.place_q", words = "Window" *) wire [Window*PlaceBits-1:0] places;
  (* probe = "tx.u_ring.next_q" *) wire [PlaceBits-1:0] next;
  (* probe = "tx.u_ring.mem_q", words = "Ring" *) wire [Ring*(FlitBits+2)-1:0] ring;
  (* probe = "tx.u_sender.item_q" *) wire [ItemBits-1:0] item;
  (* probe = "tx.u_sender.crc_q" *) wire [31:0] sender_crc;
  (* probe = "tx.u_sender.item" *) wire [ItemBits-1:0] item_now;
  (* probe = "rx.state_q" *) wire [1:0] rx_state;
  (* probe = "rx.expected_q" *) wire [SeqBits-1:0] rx_expected;
  (* probe = "rx.init_q" *) wire init_waits;
  (* probe = "rx.init_number_q" *) wire [SeqBits-1:0] init_number;
  (* probe = "rx.u_parser.crc_q" *) wire [31:0] crc;
  (* probe = "rx.u_parser.too_long_q" *) wire too_long;
  (* probe = "rx.u_parser.checks_q" *) wire [2:0] checks;
  (* probe = "rx.u_parser.sets_q" *) wire [2:0] sets;
  (* probe = "rx.u_store.read_q" *) wire [SlotBits-1:0] store_read;
  (* probe = "rx.u_store.commit_q" *) wire [SlotBits-1:0] store_commit;
  (* probe = "rx.u_store.write_q" *) wire [SlotBits-1:0] store_write;
  (* probe = "rx.u_store.waiting_q" *) wire [StoreBits-1:0] waiting;
  (* probe = "rx.u_store.arrived_q" *) wire [StoreBits-1:0] arrived;
  (* probe = "rx.u_store.mem_q", words = "Frame + 4" *) wire [Depth*(FlitBits+2)-1:0] store;

  // Frames sent and accepted, flits accepted.
  logic [Bits-1:0] sent_q, expected_q, accepted_q, oldest, used, missing;
  // Flits that the far chip has freed, and that the near chip may not send again for.
  logic [Bits-1:0] freed_q, in_use;
  assign freed_q = freed[Bits-1:0];
  assign in_use  = written_q - told[Bits-1:0];
  assign oldest  = sent_q - Bits'(count);
  assign used    = ring_end >= first ? Bits'(ring_end - first) :
      Bits'(32'(ring_end) + 2 * Ring - 32'(first));
  assign missing = written_q - delivered_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q   <= '0;
      delivered_q <= '0;
      sent_q      <= '0;
      expected_q  <= '0;
      accepted_q  <= '0;
    end else begin
      written_q   <= written_q + Bits'(write);
      delivered_q <= delivered_q + Bits'(out_valid);
      sent_q      <= sent_q + Bits'(pushed);
      expected_q  <= expected_q + Bits'(accepted);
      if (accepted && is_data) accepted_q <= accepted_q + Bits'(collected);
    end
  end

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (!ends_limit);
    if (Credits) begin
      if (flit_i) assume (32'(in_use) < Ring);
      if (credit_i) assume (delivered_q != freed_q);
    end
  end

  `include "link_delivery_invariants.svh"

  always_comb begin
    if (!first_q && rst_ni) begin
      // Once, in order, unchanged; and only what there is.
      if (out_valid) begin
        assert (out[6+:Bits] == delivered_q);
        assert (missing != '0 && 32'(missing) <= Ring + Frame);
      end
      // Ring and list keep their sizes, and what was not accepted.
      assert (32'(used) <= Ring && 32'(count) <= Window);
      assert (!(pushed && 32'(count) == Window));
      assert (expected_q - oldest <= Bits'(count));
      if (Credits && flit_i) assert (!ring_full);
      cover (delivered_q == Bits'(3));
      cover (ring_full);
    end
  end

endmodule

`default_nettype wire
