// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The sending side of a link end: states, timers, whose turn the wire is, acknowledgements.
module polycast_link_transmitter #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes    = 16,
  /// Virtual channels.
  parameter int unsigned NumVcs       = 1,
  /// Bytes of a free header.
  parameter int unsigned HeaderBytes  = 0,
  /// Trailers and sets on wires of their own.
  parameter bit          Beside       = 1'b0,
  /// Flits of the ring.
  parameter int unsigned RingFlits    = 64,
  /// Frames that may be outstanding.
  parameter int unsigned WindowFrames = 16,
  /// Bits of sequence numbers.
  parameter int unsigned SeqBits      = 20,
  /// Code of flits in the ring, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectRings = 32'(polycast_pkg::ProtectionNone),
  /// Code of the credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectCounters = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a flit with its marks and header; derived, do not set.
  parameter int unsigned FlitBits     = 6 + 8 * (FlitBytes + HeaderBytes),
  /// Wires of a symbol; derived, do not set.
  parameter int unsigned WireBits     = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0),
  /// Bits of a place in the ring; derived, do not set.
  parameter int unsigned PlaceBits    = $clog2(2 * RingFlits),
  /// Bits of a number of frames; derived, do not set.
  parameter int unsigned CountBits    = $clog2(WindowFrames + 1)
) (
  /// Clock.
  input  wire logic                clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                rst_ni,
  /// Registers; units of the far buffer of each virtual channel; a write ends FLUSH.
  input  wire polycast_link_pkg::registers_t registers_i,
  input  wire logic [NumVcs*polycast_link_pkg::NumberBits-1:0] credits_i,
  input  wire logic                leave_flush_i,
  /// A stored bit flips.
  input  wire polycast_link_pkg::upset_t upset_i,
  /// Cycles for which `signal` has been low.
  input  wire logic [polycast_link_pkg::TimeBits-1:0] low_i,
  /// The receiver's set, which may be sent in this cycle.
  output logic                     set_want_o,
  input  wire logic                set_valid_i,
  input  wire polycast_link_pkg::set_t set_i,
  /// A flit of the chip.
  input  wire logic                flit_valid_i,
  input  wire logic [FlitBits-1:0] flit_i,
  output logic                     overflow_o,
  output logic                     missing_head_o,
  output logic                     bad_vc_o,
  /// A set that was received, not an init.
  input  wire logic                received_i,
  input  wire polycast_link_pkg::set_t received_set_i,
  /// A credit pulse for the chip.
  output logic                     pulse_o,
  output logic      [3:0]          pulse_vc_o,
  /// The symbol.
  output logic      [WireBits-1:0] wire_o,
  /// State; that which this cycle counts for; what FLUSH came from last.
  output polycast_link_pkg::tx_e   state_o,
  output polycast_link_pkg::tx_e   counted_o,
  output polycast_link_pkg::cause_e cause_o,
  output logic      [SeqBits-1:0]  number_o,
  output logic      [CountBits-1:0] outstanding_o,
  output logic      [PlaceBits-1:0] ring_o,
  output logic      [7:0]          replays_o,
  /// The replay timer: it counts, and the cycles that are left.
  output logic                     timer_on_o,
  output logic      [polycast_link_pkg::TimeBits-1:0] timer_o,
  /// S_CC and S_CF of each virtual channel.
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] s_cc_o,
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] s_cf_o,
  /// Data waits for its acknowledgement, or cc_updates were in vain.
  output logic                     waits_o,
  /// There are flits of the chip.
  output logic                     holds_o,
  output logic                     idle_o,
  /// To be counted: packets dropped, levels.
  output polycast_link_pkg::tx_events_t events_o,
  output logic      [PlaceBits-1:0] discarded_o,
  output logic      [polycast_link_pkg::NumberBits+3:0] beyond_o,
  output logic                     begun_o,
  output logic                     wrote_o,
  output logic      [PlaceBits-1:0] ring_most_o,
  output logic                     pushed_o,
  output logic      [CountBits-1:0] outstanding_most_o
);

  localparam int unsigned TimeBits    = polycast_link_pkg::TimeBits;
  localparam int unsigned NumberBits  = polycast_link_pkg::NumberBits;
  localparam int unsigned FrameBits   = polycast_link_pkg::FrameBits;
  localparam int unsigned MsgFlits    =
      (polycast_link_pkg::MessageBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned InitSpacing = 64;
  localparam int unsigned InitBits    = 6;

  polycast_link_pkg::tx_e    state_q, state_d, state_between, state_chosen;
  polycast_link_pkg::cause_e cause_q, cause;
  logic                      first_init_q, first_init, nacked_q, fresh_q, message_last_q;
  logic                      timer_on_q;
  logic [InitBits-1:0]       init_wait_q;
  logic [TimeBits-1:0]       up_q, timer_q, clock_q, age, list_flits;
  logic [SeqBits-1:0]        number_q, number_closed;
  logic [7:0]                replays_q;
  logic [CountBits-1:0]      resend_q, resend, resend_begun, count, count_closed;
  logic                      free, active, on;

  assign on     = registers_i.on;
  assign active = state_q == polycast_link_pkg::TxAdvance || state_q == polycast_link_pkg::TxReplay;

  // Between items: FLUSH, the start of a replay, its end.
  logic late, ends_start, ends_signal, ends_age, ends_counter, ends_limit, ends, starts, replayed;
  logic counter_lost;

  assign late        = timer_on_q && timer_q == '0;
  assign ends_start  = free && on && state_q == polycast_link_pkg::TxInit && first_init_q &&
      registers_i.signal_timeout != '0 && up_q >= registers_i.signal_timeout &&
      registers_i.flush_discard;
  assign ends_signal = free && active && registers_i.signal_timeout != '0 &&
      low_i > registers_i.signal_timeout;
  assign ends_age    = free && active && !ends_signal && registers_i.age_timeout != '0 &&
      count != '0 && age > registers_i.age_timeout;
  assign ends_counter = free && active && !ends_signal && !ends_age && counter_lost;
  assign starts      = free && active && !ends_signal && !ends_age && !ends_counter &&
      count != '0 && (nacked_q || late);
  assign ends_limit  = starts && replays_q == registers_i.replay_count;
  assign ends        = ends_start || ends_signal || ends_age || ends_counter || ends_limit;
  assign resend      = starts ? '0 : resend_q;
  assign replayed    = free && state_q == polycast_link_pkg::TxReplay && !ends && !starts &&
      resend_q == count;

  always_comb begin
    state_between = state_q;
    if (ends) begin
      state_between = polycast_link_pkg::TxFlush;
    end else if (starts) begin
      state_between = polycast_link_pkg::TxReplay;
    end else if (replayed) begin
      state_between = polycast_link_pkg::TxAdvance;
    end
  end

  // The next item.
  logic begin_init, begin_set, begin_copy, begin_data, begin_message, wants_frame, unanswered;
  logic window_open, all_sent, message_due, message_cut, message_limit, turn_of_data, flush;
  polycast_link_pkg::set_t     sent_set;
  polycast_link_pkg::message_t message, copy_message, item_message;
  logic [3:0]                  copy_kind, item_kind;
  logic [FrameBits-1:0]        copy_flits;
  logic [PlaceBits-1:0]        copy_end, copy_place;

  assign begin_init   = free && on && state_between == polycast_link_pkg::TxInit &&
      init_wait_q == '0;
  assign set_want_o   = free && !begin_init;
  assign begin_set    = begin_init || set_valid_i;
  assign wants_frame  = free && !begin_set;
  assign begin_copy   = wants_frame && state_between == polycast_link_pkg::TxReplay;
  assign window_open  = !registers_i.retry || (32'(count) < 32'(registers_i.window) &&
      list_flits + TimeBits'(registers_i.frame) <= registers_i.window_flits);
  // In turns with data: with a small window, those of many channels could leave no room for it.
  assign turn_of_data = message_last_q && !all_sent;
  assign unanswered   = wants_frame && state_between == polycast_link_pkg::TxAdvance &&
      window_open && !turn_of_data && message_due && message_limit;
  assign begin_message = wants_frame && state_between == polycast_link_pkg::TxAdvance &&
      window_open && !turn_of_data && message_due && !message_limit;
  assign begin_data   = wants_frame && state_between == polycast_link_pkg::TxAdvance &&
      window_open && !all_sent && (turn_of_data || !message_due);
  assign flush        = ends || unanswered;
  assign state_chosen = unanswered ? polycast_link_pkg::TxFlush : state_between;

  always_comb begin
    sent_set = set_i;
    if (begin_init) begin
      sent_set        = '0;
      sent_set.kind   = polycast_link_pkg::SetInit;
      sent_set.number = NumberBits'(number_q);
    end
  end

  assign item_kind = begin_copy ? copy_kind : !begin_message ? polycast_link_pkg::FrameData :
      message_cut ? polycast_link_pkg::FrameCut : polycast_link_pkg::FrameCcUpdate;
  assign item_message = begin_copy ? copy_message : message;
  assign copy_place   = copy_kind != polycast_link_pkg::FrameData ? copy_end :
      32'(copy_end) >= 32'(copy_flits) ? PlaceBits'(32'(copy_end) - 32'(copy_flits)) :
      PlaceBits'(32'(copy_end) + 2 * RingFlits - 32'(copy_flits));

  // The wire.
  logic                 copying, send, closed, closed_copy, send_unit, item_holds;
  logic [3:0]           send_vc, closed_kind;
  logic [PlaceBits-1:0] read_place, sent_to, free_to;
  logic [FlitBits-1:0]  ring_flit;
  logic                 ring_read, ring_corrected, ring_failed, sources_lost, begun_lost;
  logic                 counter_corrected, counter_failed;
  logic [FrameBits-1:0] closed_flits;
  polycast_link_pkg::message_t closed_message;
  logic [SeqBits-1:0]   item_number;

  assign item_number = begin_copy ? number_q - SeqBits'(count) + SeqBits'(resend) : number_q;

  polycast_link_sender #(
    .FlitBytes   (FlitBytes),
    .HeaderBytes (HeaderBytes),
    .Beside      (Beside),
    .SeqBits     (SeqBits),
    .PlaceBits   (PlaceBits),
    .RingFlits   (RingFlits),
    .ProtectRings(ProtectRings)
  ) u_sender (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .frame_i          (registers_i.frame),
    .free_o           (free),
    .begin_set_i      (begin_set),
    .set_i            (sent_set),
    .begin_data_i     (begin_data),
    .begin_copy_i     (begin_copy),
    .begin_message_i  (begin_message),
    .number_i         (item_number),
    .kind_i           (item_kind),
    .message_i        (item_message),
    .flits_i          (begin_copy ? copy_flits : FrameBits'(MsgFlits)),
    .place_i          (copy_place),
    .copy_o           (copying),
    .place_o          (read_place),
    .all_sent_i       (all_sent),
    .flit_i           (ring_flit),
    .failed_i         (ring_failed),
    .read_o           (ring_read),
    .send_o           (send),
    .send_vc_o        (send_vc),
    .closed_o         (closed),
    .closed_copy_o    (closed_copy),
    .closed_flits_o   (closed_flits),
    .closed_kind_o    (closed_kind),
    .closed_message_o (closed_message),
    .holds_o          (item_holds),
    .wire_o           (wire_o)
  );

  logic                  acknowledges, frees, number_error, echoed, updates, set_nack, set_credit;
  logic                  pushed, discard, ring_outstanding, sources_idle, ignored, acked_short;
  logic [NumberBits-1:0] acked;
  logic [SeqBits-1:0]    freed;
  logic [PlaceBits-1:0]  unsent_packets;

  // The chip's flit.
  logic discards, chosen_active, write, write_unit, write_packet, ring_full;

  assign first_init    = first_init_q && !flush;
  assign chosen_active = state_chosen == polycast_link_pkg::TxAdvance ||
      state_chosen == polycast_link_pkg::TxReplay;
  assign discards      = !chosen_active &&
      (first_init ? registers_i.init_discard : registers_i.flush_discard);

  polycast_link_ring #(
    .FlitBytes (FlitBytes),
    .FlitBits  (FlitBits),
    .RingFlits (RingFlits),
    .ProtectRings (ProtectRings)
  ) u_ring (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .limit_i         (registers_i.ring),
    .unlisted_i      (!registers_i.retry),
    .flush_i         (flush),
    .send_i          (send),
    .write_i         (write),
    .flit_i          (flit_i),
    .begins_unit_i   (write_unit),
    .begins_packet_i (write_packet),
    .free_i          (frees),
    .free_to_i       (free_to),
    .upset_i         (upset_i.ring),
    .upset_index_i   (upset_i.index),
    .upset_bit_i     (upset_i.place),
    .copy_i          (copying),
    .place_i         (read_place),
    .flit_o          (ring_flit),
    .begins_unit_o   (send_unit),
    .corrected_o     (ring_corrected),
    .failed_o        (ring_failed),
    .all_sent_o      (all_sent),
    .sent_to_o       (sent_to),
    .full_o          (ring_full),
    .most_o          (ring_most_o),
    .flits_o         (ring_o),
    .packets_o       (unsent_packets),
    .outstanding_o   (ring_outstanding)
  );

  // Sets that were received.
  assign set_credit   = received_set_i.kind == polycast_link_pkg::SetCfUpdate;
  assign set_nack     = received_set_i.kind == polycast_link_pkg::SetNack;
  assign echoed       = received_i && received_set_i.kind == polycast_link_pkg::SetInitEcho &&
      state_chosen == polycast_link_pkg::TxInit && on &&
      received_set_i.number == NumberBits'(number_q);
  assign pushed       = closed && registers_i.retry;
  assign count_closed = (flush ? '0 : count) + CountBits'(pushed);
  assign number_closed = number_q + SeqBits'(closed || flush);
  assign acked        = set_credit ? received_set_i.ack : received_set_i.number;
  if (SeqBits < NumberBits) begin : gen_short_numbers
    assign acked_short = acked[NumberBits-1:SeqBits] == '0;
  end else begin : gen_long_numbers
    assign acked_short = 1'b1;
  end
  assign freed        = acked[SeqBits-1:0] + SeqBits'(1) - (number_closed - SeqBits'(count_closed));
  assign acknowledges = received_i && chosen_active && registers_i.retry &&
      received_set_i.kind != polycast_link_pkg::SetInitEcho;
  assign number_error = acknowledges && (!acked_short || 32'(freed) > 32'(count_closed));
  assign frees        = acknowledges && !number_error && freed != '0;
  assign updates      = received_i && chosen_active && set_credit && !number_error;

  polycast_link_list #(
    .WindowFrames (WindowFrames),
    .PlaceBits    (PlaceBits)
  ) u_list (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .now_i           (clock_q),
    .flush_i         (flush),
    .push_i          (pushed),
    .flits_i         (closed_flits),
    .place_i         (sent_to),
    .kind_i          (closed_kind),
    .message_i       (closed_message),
    .free_i          (frees),
    .freed_i         (CountBits'(freed)),
    .free_to_o       (free_to),
    .count_o         (count),
    .flits_o         (list_flits),
    .which_i         (resend),
    .which_flits_o   (copy_flits),
    .which_place_o   (copy_end),
    .which_kind_o    (copy_kind),
    .which_message_o (copy_message),
    .age_o           (age)
  );

  polycast_link_sources #(
    .NumVcs          (NumVcs),
    .ProtectCounters (ProtectCounters)
  ) u_sources (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .registers_i        (registers_i),
    .credits_i          (credits_i),
    .upset_i            (upset_i),
    .active_i           (active),
    .flush_i            (flush),
    .send_i             (send),
    .send_unit_i        (send_unit),
    .send_vc_i          (send_vc),
    .message_i          (begin_message),
    .flit_i             (flit_valid_i),
    .head_i             (flit_i[0]),
    .tail_i             (flit_i[1]),
    .vc_i               (flit_i[5:2]),
    .full_i             (ring_full),
    .discards_i         (discards),
    .refunds_i          (chosen_active || discards),
    .update_i           (updates),
    .update_vc_i        (received_set_i.vc),
    .number_i           (received_set_i.number),
    .echo_i             (echoed),
    .message_due_o      (message_due),
    .cut_o              (message_cut),
    .message_o          (message),
    .unanswered_o       (message_limit),
    .ignored_o          (ignored),
    .write_o            (write),
    .begins_unit_o      (write_unit),
    .begins_packet_o    (write_packet),
    .overflow_o         (overflow_o),
    .missing_head_o     (missing_head_o),
    .bad_vc_o           (bad_vc_o),
    .discard_o          (discard),
    .lifetime_discard_o (events_o.lifetime_discard),
    .error_o            (events_o.credit_error),
    .pulse_o            (pulse_o),
    .pulse_vc_o         (pulse_vc_o),
    .beyond_o           (beyond_o),
    .begun_o            (s_cc_o),
    .freed_o            (s_cf_o),
    .begun_lost_o       (begun_lost),
    .lost_o             (sources_lost),
    .corrected_o        (counter_corrected),
    .failed_o           (counter_failed),
    .idle_o             (sources_idle)
  );

  // Registers.
  logic timer_loads, timer_stops, frees_all;

  // Acknowledgements come last.
  assign frees_all    = frees && CountBits'(freed) == count_closed;
  assign timer_loads  = frees || (begin_copy && (fresh_q || starts)) ||
      (pushed && count_closed == CountBits'(1));
  assign timer_stops  = flush || starts;
  assign resend_begun = begin_copy ? resend + CountBits'(1) : resend;

  always_comb begin
    state_d = state_chosen;
    if (echoed) state_d = polycast_link_pkg::TxAdvance;
    if (state_chosen == polycast_link_pkg::TxFlush && (registers_i.reinit || leave_flush_i)) begin
      state_d = polycast_link_pkg::TxInit;
    end
    cause = cause_q;
    if (ends_start)  cause = polycast_link_pkg::CauseStart;
    if (ends_signal) cause = polycast_link_pkg::CauseSignal;
    if (ends_age)    cause = polycast_link_pkg::CauseAge;
    if (ends_counter) cause = polycast_link_pkg::CauseCounter;
    if (ends_limit)  cause = polycast_link_pkg::CauseReplayLimit;
    if (unanswered)  cause = polycast_link_pkg::CauseUnanswered;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= polycast_link_pkg::TxInit;
      cause_q        <= polycast_link_pkg::CauseNone;
      first_init_q   <= 1'b1;
      nacked_q       <= 1'b0;
      fresh_q        <= 1'b0;
      message_last_q <= 1'b0;
      timer_on_q     <= 1'b0;
      timer_q        <= '0;
      init_wait_q    <= '0;
      up_q           <= '0;
      clock_q        <= '0;
      number_q       <= '0;
      replays_q      <= '0;
      resend_q       <= '0;
    end else begin
      state_q      <= state_d;
      cause_q      <= cause;
      first_init_q <= first_init && !echoed;
      clock_q      <= clock_q + TimeBits'(1);
      if (on && up_q != '1) up_q <= up_q + TimeBits'(1);
      number_q <= number_closed;

      if (state_chosen == polycast_link_pkg::TxFlush) begin
        init_wait_q <= '0;
      end else if (begin_init) begin
        init_wait_q <= InitBits'(InitSpacing - 1);
      end else if (init_wait_q != '0) begin
        init_wait_q <= init_wait_q - InitBits'(1);
      end

      if (flush) begin
        nacked_q <= 1'b0;
      end else if (acknowledges && !number_error && set_nack) begin
        nacked_q <= CountBits'(freed) != count_closed;
      end else if (free && active) begin
        nacked_q <= 1'b0;
      end
      fresh_q <= (fresh_q || starts) && !begin_copy && !flush;
      if (begin_message) begin
        message_last_q <= 1'b1;
      end else if (begin_data) begin
        message_last_q <= 1'b0;
      end

      timer_on_q <= !frees_all && (timer_loads || (timer_on_q && !timer_stops));
      if (timer_loads) begin
        timer_q <= registers_i.replay_timer - TimeBits'(1);
      end else if (timer_q != '0) begin
        timer_q <= timer_q - TimeBits'(1);
      end

      if (flush || frees) begin
        replays_q <= '0;
      end else if (starts) begin
        replays_q <= replays_q + 8'd1;
      end
      if (flush) begin
        resend_q <= '0;
      end else if (frees) begin
        resend_q <= resend_begun > CountBits'(freed) ? resend_begun - CountBits'(freed) : '0;
      end else begin
        resend_q <= resend_begun;
      end
    end
  end

  assign state_o            = !on ? polycast_link_pkg::TxOff : state_q;
  assign counted_o          = !on ? polycast_link_pkg::TxOff : state_chosen;
  assign cause_o            = cause_q;
  assign number_o           = number_q;
  assign outstanding_o      = count;
  assign replays_o          = replays_q;
  assign timer_on_o         = timer_on_q;
  assign timer_o            = timer_q;
  assign waits_o            = ring_outstanding || ignored;
  assign holds_o            = ring_o != '0 || item_holds;
  assign idle_o             = ring_o == '0 && count == '0 && free && sources_idle && !nacked_q &&
      state_q == polycast_link_pkg::TxAdvance;
  assign discarded_o        = (flush ? unsent_packets : '0) + PlaceBits'(discard);
  assign wrote_o            = write;
  assign pushed_o           = pushed;
  assign outstanding_most_o = count_closed;

  // Without codes their signals are constants, in modules of their own.
  if (ProtectCounters == 32'(polycast_pkg::ProtectionNone)) begin : gen_counted
    logic unused;
    assign unused       = ^{sources_lost, begun_lost};
    assign counter_lost = 1'b0;
    assign begun_o      = send && send_unit && 32'(send_vc) < NumVcs;
  end else begin : gen_lost
    assign counter_lost = sources_lost;
    assign begun_o      = send && send_unit && 32'(send_vc) < NumVcs && !begun_lost;
  end
  if (ProtectRings == 32'(polycast_pkg::ProtectionNone) &&
      ProtectCounters == 32'(polycast_pkg::ProtectionNone)) begin : gen_no_codes
    logic unused;
    assign unused = ^{ring_read, ring_corrected, counter_corrected, counter_failed};
    assign events_o.corrected  = 1'b0;
    assign events_o.soft_error = 1'b0;
  end else begin : gen_codes
    assign events_o.corrected  = (ring_read && ring_corrected) || counter_corrected;
    assign events_o.soft_error = (ring_read && ring_failed) || counter_failed;
  end

  assign events_o.init               = begin_init;
  assign events_o.echo_received      = received_i &&
      received_set_i.kind == polycast_link_pkg::SetInitEcho;
  assign events_o.ack_received       = acknowledges && !set_credit && !set_nack;
  assign events_o.nack_received      = acknowledges && set_nack;
  assign events_o.ok                 = closed;
  assign events_o.replayed           = replayed;
  assign events_o.number_error       = number_error;
  assign events_o.cf_update_received = received_i && chosen_active && set_credit;
  assign events_o.cc_update          = begin_message && !message_cut;
  assign events_o.resent             = closed_copy;
  assign events_o.timeout            = starts && !ends_limit && late;

endmodule

`default_nettype wire
