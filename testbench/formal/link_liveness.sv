// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "link_delivery_stand_ins.svh"

/// The sender of a link end and the receiver of the other with their timers, from reset on. While
/// the link is up at most `Losses` frames or sets are spoilt or lost, at any time: any symbols of
/// the frame, each of which becomes any other or idle; or an idle symbol becomes any other. Each
/// costs at most R + 2 P cycles until all flits are there; one that the receiver sees costs no more
/// than its nack takes (hw/chips/link/link.md).
module harness #(
  parameter int unsigned Wire    = 1,
  parameter int unsigned Window  = 2,
  parameter int unsigned Flits   = 2,
  parameter int unsigned Losses  = 1,
  parameter int unsigned SeqBits = 3
) (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  // The chip has a flit.
  input wire logic       flit_i,
  // The symbol is spoilt: it becomes any other, or idle.
  input wire logic       spoil_i,
  input wire logic [2:0] spoilt_kind_i,
  // What is sent back is lost.
  input wire logic       lose_i
);

  localparam int unsigned NumVcs   = 1;
  localparam int unsigned WireBits = 73;
  localparam int unsigned SetBits  = 48;
  localparam int unsigned Bits     = 8;
  // Frames of one flit: T = K = 1, P = 2, d = Wire - 1, D = 2 d + K + 2, A = 1; the least timer.
  localparam int unsigned P        = 2;
  localparam int unsigned D        = 2 * (Wire - 1) + 3;
  localparam int unsigned Timer    = D + 1 + 2 * P + 4;
  // From one frame to the next: with a window of 1 it waits for the ack.
  localparam int unsigned Turn     = Window > 1 ? P : D + P;
  // Without a loss, from the cycle behind that in which the last flit is on the chip's pins: it
  // waits for those before it, which came a cycle earlier each.
  localparam int unsigned Clean    = Wire + 1 + (Flits - 1) * (Turn - 1);
  // From the cycle behind that in which the receiver sees a loss: the nack waits for the end of a
  // frame, (G + 1) P, if there can be another, then come the frames behind.
  localparam int unsigned Nacked   = (Window > 1 ? (D + P - 1) / P * P + P : D + P) +
      (Flits - 1) * Turn;

  polycast_link_pkg::registers_t registers;
  always_comb begin
    registers                = '0;
    registers.on             = 1'b1;
    registers.retry          = 1'b1;
    registers.frame          = 9'd1;
    registers.window         = 20'(Window);
    registers.window_flits   = '1;
    registers.replay_timer   = 32'(Timer);
    registers.replay_count   = '1;
    registers.ack_spacing    = 32'd1;
    registers.credit_spacing = 32'd2;
    registers.ring           = 32'(Flits);
    registers.reinit         = 1'b1;
    registers.far_unit       = 16'd1;
    registers.own_unit       = 16'd1;
  end

  logic                    set_want, write, back_valid, back_set_valid, out_valid;
  logic [WireBits-1:0]     wire_d, spoilt;
  polycast_link_pkg::set_t back_set, back;
  polycast_link_pkg::tx_e  state;

  polycast_link_transmitter #(
    .FlitBytes(8), .NumVcs(NumVcs), .RingFlits(Flits), .WindowFrames(Window), .SeqBits(SeqBits)
  ) tx (
    .clk_i, .rst_ni, .registers_i(registers), .credits_i('0), .upset_i('0),
    .leave_flush_i(1'b0), .low_i('0), .set_want_o(set_want), .set_valid_i(1'b0), .set_i('0),
    .flit_valid_i(flit_i), .flit_i('0), .received_i(back_valid), .received_set_i(back),
    .wire_o(wire_d), .wrote_o(write), .state_o(state)
  );

  // The highest data bit says that it was spoilt.
  assign spoilt = {spoilt_kind_i, 4'd0, 2'b00, 1'b1, 63'd0};

  logic [Wire*WireBits-1:0]    forth_q;
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
    .FlitBytes(8), .NumVcs(NumVcs), .FrameFlits(1), .SeqBits(SeqBits)
  ) rx (
    .clk_i, .rst_ni, .registers_i(registers), .own_credits_i('0), .upset_i('0), .set_want_i(1'b1),
    .set_valid_o(back_set_valid), .set_o(back_set), .credit_i(1'b0), .credit_vc_i('0),
    .wire_i(forth_q[(Wire-1)*WireBits+:WireBits]), .lost_i(1'b0), .flit_valid_o(out_valid)
  );

  (* probe = "tx.free" *) wire free;
  (* probe = "rx.bad" *) wire bad;
  (* probe = "rx.missing" *) wire missing;
  (* probe = "tx.u_sources.due" *) wire message_due;
  (* probe = "rx.gen_sinks[0].u_sink.due" *) wire update_due;
  (* probe = "rx.gen_sinks[0].u_sink.rest" *) wire rest;

  logic            first_q = 1'b1;
  logic            up, spoils, hit_q, all_there, seen_q;
  logic [Bits-1:0] written_q, delivered_q, age_q, seen_age_q, losses_q, losses;
  assign up        = state != polycast_link_pkg::TxInit;
  // Another symbol of a frame that is spoilt already is no further loss.
  assign spoils    = spoil_i && (free || !hit_q);
  assign losses    = losses_q + Bits'(spoils) + Bits'(lose_i && back_set_valid);
  assign all_there = written_q == delivered_q + Bits'(out_valid);
  always @(posedge clk_i) first_q <= 1'b0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q   <= '0;
      delivered_q <= '0;
      age_q       <= '0;
      losses_q    <= '0;
      hit_q       <= 1'b0;
      seen_q      <= 1'b0;
      seen_age_q  <= '0;
    end else begin
      written_q   <= written_q + Bits'(write);
      delivered_q <= delivered_q + Bits'(out_valid);
      losses_q    <= losses;
      hit_q       <= spoil_i || (hit_q && !free);
      // Since the last flit came from the chip, while one is missing.
      age_q <= write || all_there ? '0 : age_q + Bits'(1);
      // Since that, and since the receiver saw a loss.
      seen_q     <= seen_q || bad || missing;
      seen_age_q <= write || all_there || !(seen_q || bad || missing) ? '0 : seen_age_q + Bits'(1);
    end
  end

  always_comb begin
    assume (rst_ni == !first_q);
    assume (!message_due && !update_due && rest);
    if (!up) assume (!flit_i && !spoil_i && !lose_i);
    if (32'(written_q) >= Flits) assume (!flit_i);
    assume (32'(losses) <= Losses);
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      assert (state != polycast_link_pkg::TxFlush);
      assert (32'(age_q) <= Clean + 32'(losses_q) * (Timer + 2 * P));
      if (Losses == 1) assert (32'(seen_age_q) <= Nacked);
      cover (32'(delivered_q) == Flits && 32'(losses_q) == Losses);
      cover (32'(age_q) == Clean && losses_q == '0);
      cover (32'(age_q) > Timer && !seen_q);
      cover (32'(seen_age_q) == Nacked);
    end
  end

endmodule

`default_nettype wire
