// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One virtual channel of a link end's sender: units that its chip has in use, units beyond the
/// wire. A unit is in use from the flit that begins it to the credit pulse; unless the channel is
/// expired, and in ADVANCE and REPLAY, units in use = pulses owed + units unsent + S_CC - S_CF.
module polycast_link_source #(
  /// Code of the credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectCounters = 32'(polycast_pkg::ProtectionNone)
) (
  /// Clock.
  input  wire logic clk_i,
  /// Asynchronous reset, active low.
  input  wire logic rst_ni,
  /// Registers; units of the far buffer.
  input  wire polycast_link_pkg::registers_t registers_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] credits_i,
  /// Some stored bit of the end flips; bits of S_CC and of S_CF that do, behind all else.
  input  wire logic upset_i,
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_begun_i,
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_freed_i,
  // In the order in which they act:
  /// ADVANCE or REPLAY at the beginning of the cycle.
  input  wire logic active_i,
  /// FLUSH.
  input  wire logic flush_i,
  /// A flit is sent for the first time.
  input  wire logic send_i,
  input  wire logic send_unit_i,
  /// A message frame of this channel begins: a cut, or a cc_update.
  input  wire logic cut_i,
  input  wire logic ask_i,
  /// A flit of the chip; what begins is dropped, units of what is dropped are given back.
  input  wire logic flit_i,
  input  wire logic head_i,
  input  wire logic tail_i,
  input  wire logic full_i,
  input  wire logic discards_i,
  input  wire logic refunds_i,
  /// A cf_update, or the echo of an init.
  input  wire logic update_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] number_i,
  input  wire logic echo_i,
  /// The pulse of this cycle is this channel's.
  input  wire logic pulse_i,
  /// A message frame is due; the cc_update's number; its limit is reached.
  output logic      cut_due_o,
  output logic      ask_due_o,
  output logic      [polycast_link_pkg::NumberBits-1:0] begun_o,
  /// Units freed, as it was told.
  output logic      [polycast_link_pkg::NumberBits-1:0] freed_o,
  output logic      unanswered_o,
  output logic      ignored_o,
  /// The flit goes into the ring.
  output logic      write_o,
  output logic      begins_unit_o,
  output logic      begins_packet_o,
  /// What is wrong with it.
  output logic      overflow_o,
  output logic      missing_head_o,
  /// It begins a packet, or a unit, that is dropped.
  output logic      discard_o,
  output logic      lifetime_discard_o,
  /// The cf_update is none.
  output logic      error_o,
  /// A pulse is due.
  output logic      payable_o,
  /// Units beyond the wire before this cycle.
  output logic      [polycast_link_pkg::NumberBits-1:0] beyond_o,
  /// S_CC is 0, because its code could not correct it; or one of both.
  output logic      begun_lost_o,
  output logic      lost_o,
  /// Codes have found flips, and corrected them or not.
  output logic      corrected_o,
  output logic      failed_o,
  /// Nothing changes by itself.
  output logic      idle_o
);

  localparam int unsigned NumberBits = polycast_link_pkg::NumberBits;
  localparam int unsigned UnitBits   = polycast_link_pkg::UnitBits;
  localparam int unsigned TimeBits   = polycast_link_pkg::TimeBits;

  logic                  in_packet_q, dropping_q, counted_q, cut_due_q, expired_q;
  logic [UnitBits-1:0]   filled_q;
  logic [NumberBits-1:0] used_q, owed_q, flits_q, units_q, s_cc, s_cf;
  logic [7:0]            unanswered_q;
  logic [TimeBits-1:0]   quiet_q, full_q;

  // Expired channels.
  logic                  revives, expires, expired_a, dropping_a, cut_due_a, exhausted;
  logic [NumberBits-1:0] owed_a, beyond;

  assign beyond     = s_cc - s_cf;
  assign beyond_o   = beyond;
  assign exhausted  = beyond == credits_i;
  assign revives    = expired_q && beyond == '0 && !cut_due_q && !in_packet_q;
  assign expires    = active_i && registers_i.lifetime != '0 && (!expired_q || revives) &&
      exhausted && full_q >= registers_i.lifetime;
  assign expired_a  = expires || (expired_q &&
      !(revives && active_i && registers_i.lifetime != '0));
  assign owed_a     = expires ? used_q : owed_q;
  assign dropping_a = dropping_q || (expires && in_packet_q);
  assign cut_due_a  = cut_due_q || (expires && in_packet_q && !dropping_q);

  assign cut_due_o    = cut_due_a && flits_q == '0;
  assign ask_due_o    = beyond != '0 && quiet_q >= registers_i.credit_timer;
  assign begun_o      = s_cc;
  assign freed_o      = s_cf;
  assign unanswered_o = unanswered_q == registers_i.replay_count;
  assign ignored_o    = unanswered_q > 8'd1;

  // FLUSH.
  logic                  expired_b, dropping_b, cut_due_b;
  logic [NumberBits-1:0] owed_b, flits_b, units_b;

  assign expired_b  = expired_a && !flush_i;
  assign dropping_b = flush_i ? in_packet_q : dropping_a;
  assign cut_due_b  = cut_due_a && !flush_i && !cut_i;
  assign owed_b     = flush_i && registers_i.flush_discard ? used_q : owed_a;
  assign flits_b    = flush_i ? '0 : flits_q - NumberBits'(send_i);
  assign units_b    = flush_i ? '0 : units_q - NumberBits'(send_i && send_unit_i);

  // What is sent.
  logic [NumberBits-1:0] begun_c, beyond_c;
  logic                  starts;

  assign starts   = send_i && send_unit_i;
  assign begun_c  = s_cc + NumberBits'(starts && !begun_lost_o);
  assign beyond_c = begun_c - s_cf;

  // The chip's flit.
  logic                  taken, first, begins, room, counts, breaks, kept, in_packet_d, dropping_d;
  logic                  cut_due_d, counted_d, refunded, dropping_t;
  logic [UnitBits-1:0]   filled_d;
  logic [NumberBits-1:0] used_d, owed_d, flits_d, units_d;

  assign first          = !in_packet_q;
  assign missing_head_o = flit_i && first && !head_i;
  assign taken          = flit_i && !missing_head_o;
  assign begins         = first || filled_q == registers_i.far_unit;
  assign room           = used_q < credits_i;
  assign counts         = begins ? room : counted_q;
  assign dropping_t     = first ? discards_i || expired_b || cut_due_b : dropping_b;
  assign breaks         = (begins && !room) || (!dropping_t && full_i);
  assign kept           = taken && !dropping_t && !breaks;
  assign overflow_o     = taken && (breaks || (first && cut_due_b && !expired_b));
  assign discard_o      = taken && first && discards_i;
  assign refunded       = taken && !kept && begins && counts;
  assign lifetime_discard_o = refunded && expired_b;
  assign write_o        = kept;
  assign begins_unit_o  = begins;
  assign begins_packet_o = first;

  assign in_packet_d = taken ? !tail_i : in_packet_q;
  assign dropping_d  = taken ? !kept && !tail_i : dropping_b;
  assign cut_due_d   = cut_due_b || (taken && breaks && !first && !dropping_t);
  assign counted_d   = taken ? counts : counted_q;
  assign filled_d    = !taken ? filled_q : begins ? UnitBits'(1) : filled_q + UnitBits'(1);
  assign used_d      = used_q + NumberBits'(taken && begins && room);
  assign owed_d      = owed_b + NumberBits'(refunded && refunds_i);
  assign flits_d     = flits_b + NumberBits'(kept);
  assign units_d     = units_b + NumberBits'(kept && begins);

  // The cf_update or echo.
  logic [NumberBits-1:0] freed, owed_e;
  logic                  balanced, good;

  assign freed    = number_i - s_cf;
  assign balanced = !lost_o && (expired_b || used_d == owed_d + units_d + beyond_c);
  assign good     = freed <= beyond_c && freed <= credits_i && balanced;
  assign error_o  = update_i && !good;
  assign owed_e   = echo_i ? used_d - units_d :
      owed_d + (update_i && good && !expired_b ? freed : '0);

  // The pulse: that of a unit that is being filled waits.
  logic filling;

  assign filling   = in_packet_d && counted_d && filled_d < registers_i.far_unit;
  assign payable_o = owed_e != '0 && used_d > NumberBits'(filling);

  // The counters.
  logic [NumberBits-1:0] begun_d, freed_d;
  logic                  upset;

  assign begun_d = echo_i ? '0 : begun_c;
  assign freed_d = echo_i ? '0 : update_i && good ? number_i : s_cf;

  if (ProtectCounters == 32'(polycast_pkg::ProtectionNone)) begin : gen_plain
    logic [NumberBits-1:0] begun_q, freed_q;
    logic                  unused;

    assign unused = ^{upset_begun_i, upset_freed_i};
    assign upset = polycast_link_pkg::Upsets && (upset_begun_i != '0 || upset_freed_i != '0);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        begun_q <= '0;
        freed_q <= '0;
      end else begin
        begun_q <= begun_d ^ (upset ? upset_begun_i[NumberBits-1:0] : '0);
        freed_q <= freed_d ^ (upset ? upset_freed_i[NumberBits-1:0] : '0);
      end
    end
    assign s_cc         = begun_q;
    assign s_cf         = freed_q;
    assign begun_lost_o = 1'b0;
    assign lost_o       = 1'b0;
    assign corrected_o  = 1'b0;
    assign failed_o     = 1'b0;
  end else begin : gen_protected
    logic [1:0] lost, corrected, failed;

    // What is corrected nobody sees.
    assign upset = 1'b0;
    polycast_link_number #(.Protection(ProtectCounters)) u_begun (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .next_i      (begun_d),
      .clear_i     (echo_i),
      .upset_i     (upset_begun_i),
      .value_o     (s_cc),
      .lost_o      (lost[0]),
      .corrected_o (corrected[0]),
      .failed_o    (failed[0])
    );
    polycast_link_number #(.Protection(ProtectCounters)) u_freed (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .next_i      (freed_d),
      .clear_i     (echo_i),
      .upset_i     (upset_freed_i),
      .value_o     (s_cf),
      .lost_o      (lost[1]),
      .corrected_o (corrected[1]),
      .failed_o    (failed[1])
    );
    assign begun_lost_o = lost[0];
    assign lost_o       = lost != '0;
    assign corrected_o  = corrected != '0;
    assign failed_o     = failed != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_packet_q  <= 1'b0;
      dropping_q   <= 1'b0;
      counted_q    <= 1'b0;
      cut_due_q    <= 1'b0;
      expired_q    <= 1'b0;
      filled_q     <= '0;
      used_q       <= '0;
      owed_q       <= '0;
      flits_q      <= '0;
      units_q      <= '0;
      unanswered_q <= '0;
      quiet_q      <= '0;
      full_q       <= '0;
    end else begin
      in_packet_q <= in_packet_d;
      dropping_q  <= dropping_d;
      counted_q   <= counted_d;
      cut_due_q   <= cut_due_d;
      expired_q   <= expired_b;
      filled_q    <= filled_d;
      used_q      <= used_d - NumberBits'(pulse_i);
      owed_q      <= owed_e - NumberBits'(pulse_i);
      flits_q     <= flits_d;
      units_q     <= units_d;
      if (echo_i || (update_i && good)) begin
        unanswered_q <= '0;
      end else if (ask_i) begin
        unanswered_q <= unanswered_q + 8'd1;
      end
      // Cycles since then, in the next one.
      if ((starts && beyond == '0) || ask_i || (update_i && good && registers_i.retry) ||
          upset) begin
        quiet_q <= TimeBits'(1);
      end else if (quiet_q != '1) begin
        quiet_q <= quiet_q + TimeBits'(1);
      end
      if ((starts && beyond_c == credits_i) || upset) begin
        full_q <= TimeBits'(1);
      end else if (full_q != '1) begin
        full_q <= full_q + TimeBits'(1);
      end
    end
  end

  assign idle_o = owed_q == '0 && !cut_due_q && flits_q == '0 && !expired_q && beyond == '0 &&
      !lost_o;

`ifndef SYNTHESIS
  logic upset_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      upset_q <= 1'b0;
    end else if (upset_i) begin
      upset_q <= 1'b1;
    end
  end
  Conserved: assert property (@(posedge clk_i) disable iff (!rst_ni || upset_q) beyond <= credits_i)
    else $error("more units beyond the wire than credits");
  OwesWhatIsUsed: assert property (@(posedge clk_i) disable iff (!rst_ni || upset_q)
      owed_q <= used_q)
    else $error("more pulses owed than units in use");
`endif

endmodule

`default_nettype wire
