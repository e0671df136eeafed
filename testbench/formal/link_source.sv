// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_link_source, with a chip that keeps its credits: for any cf_updates, lost, late or
/// wrong, any registers, FLUSH and init at any time, no more units are beyond the wire than there
/// are credits; the chip's credits and the units that it has in use are all credits; and between
/// init and FLUSH, unless the channel is expired, each unit in use is owed to the chip, unsent, or
/// beyond the wire. An echo makes S_CC and S_CF zero.
module harness #(
  parameter int unsigned Credits   = 2,
  parameter int unsigned UnitFlits = 2
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        retry_i,
  input wire logic        flush_discard_i,
  input wire logic [7:0]  replay_count_i,
  input wire logic [31:0] credit_timer_i,
  input wire logic [31:0] lifetime_i,
  input wire logic        flush_i,
  input wire logic        send_i,
  input wire logic        send_unit_i,
  input wire logic        cut_i,
  input wire logic        ask_i,
  input wire logic        flit_i,
  input wire logic        tail_i,
  input wire logic        full_i,
  input wire logic        discards_i,
  input wire logic        refunds_i,
  input wire logic        update_i,
  input wire logic [19:0] number_i,
  input wire logic        echo_i,
  input wire logic        pulse_i
);

  polycast_link_pkg::registers_t registers;
  always_comb begin
    registers               = '0;
    registers.retry         = retry_i;
    registers.flush_discard = flush_discard_i;
    registers.replay_count  = replay_count_i;
    registers.credit_timer  = credit_timer_i;
    registers.lifetime      = lifetime_i;
    registers.far_unit      = 16'(UnitFlits);
  end

  logic        cut_due, ask_due, overflow, missing_head, payable, error;
  logic [19:0] beyond;

  // ADVANCE or REPLAY; the chip: credits, in a packet, flits of its unit.
  logic        live_q, in_packet_q, begins;
  logic [19:0] chip_q;
  logic [15:0] filled_q;

  polycast_link_source dut (
    .clk_i, .rst_ni, .registers_i(registers), .credits_i(20'(Credits)), .active_i(live_q),
    .flush_i, .send_i, .send_unit_i, .cut_i, .ask_i, .flit_i, .head_i(!in_packet_q), .tail_i,
    .full_i, .discards_i, .refunds_i, .update_i, .number_i, .echo_i, .pulse_i,
    .upset_i(1'b0), .upset_begun_i('0), .upset_freed_i('0),
    .cut_due_o(cut_due), .ask_due_o(ask_due), .overflow_o(overflow),
    .missing_head_o(missing_head), .error_o(error), .payable_o(payable), .beyond_o(beyond)
  );

  (* probe = "dut.used_q" *) wire [19:0] used;
  (* probe = "dut.owed_q" *) wire [19:0] owed;
  (* probe = "dut.flits_q" *) wire [19:0] flits;
  (* probe = "dut.units_q" *) wire [19:0] units;
  (* probe = "dut.s_cc" *) wire [19:0] begun;
  (* probe = "dut.s_cf" *) wire [19:0] freed;
  (* probe = "dut.filled_q" *) wire [15:0] filled;
  (* probe = "dut.expired_q" *) wire expired;
  (* probe = "dut.in_packet_q" *) wire in_packet;
  (* probe = "dut.cut_due_b" *) wire cut_waits;
  (* probe = "dut.dropping_q" *) wire dropping;

  logic first_q = 1'b1;
  logic echoed_q;
  always @(posedge clk_i) begin
    first_q  <= 1'b0;
    echoed_q <= echo_i && rst_ni;
  end

  assign begins = flit_i && (!in_packet_q || filled_q == 16'(UnitFlits));
  always_ff @(posedge clk_i) begin
    live_q <= (live_q && !flush_i) || echo_i;
    if (flit_i) begin
      in_packet_q <= !tail_i;
      filled_q    <= begins ? 16'd1 : filled_q + 16'd1;
    end
    chip_q <= chip_q - 20'(begins) + 20'(pulse_i);
    if (!rst_ni) begin
      live_q      <= 1'b0;
      in_packet_q <= 1'b0;
      filled_q    <= '0;
      chip_q      <= 20'(Credits);
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    if (begins) assume (chip_q != '0);
    // The ring has what it was given; the sender sends in ADVANCE and REPLAY.
    if (send_i) begin
      assume (live_q && !flush_i && flits != '0);
      assume (send_unit_i ? units != '0 : flits != units);
    end
    if (cut_i) assume (cut_due && live_q && !flush_i);
    if (ask_i) assume (ask_due && live_q && !flush_i);
    if (update_i) assume (live_q && !flush_i && !echo_i);
    if (echo_i) assume (!live_q && !flush_i);
    assume (refunds_i == ((live_q && !flush_i) || discards_i));
    if (live_q && !flush_i) assume (!discards_i);
    if (pulse_i) assume (payable);
    // Rings are far smaller than numbers.
    assume (flits < 20'd1000);
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      // What holds the induction together.
      assert (flits >= units);
      assert (owed + units <= used && owed <= 20'(Credits) && units <= 20'(Credits));
      assert (in_packet == in_packet_q && filled == filled_q && filled <= 16'(UnitFlits));
      if (in_packet) assert (filled != '0);
      if (expired) assert (live_q && units == '0 && owed == used &&
          (!in_packet || dropping));
      // What counts.
      assert (beyond <= 20'(Credits));
      assert (used <= 20'(Credits) && chip_q + used == 20'(Credits));
      assert (!missing_head);
      if (overflow) assert (full_i || cut_waits);
      if (live_q && !expired) assert (used == owed + units + beyond);
      if (echoed_q) assert (begun == '0 && freed == '0);
      cover (beyond == 20'(Credits) && live_q && !expired);
      cover (expired && beyond == '0);
      cover (error);
      cover (echo_i && units != '0);
    end
  end

endmodule

`default_nettype wire
