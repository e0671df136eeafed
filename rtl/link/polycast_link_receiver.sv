// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// What a link end makes of the symbols that arrive: frames in order, answers, credits, cuts.
module polycast_link_receiver #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes   = 16,
  /// Virtual channels.
  parameter int unsigned NumVcs      = 1,
  /// Bytes of a free header.
  parameter int unsigned HeaderBytes = 0,
  /// Trailers and sets on wires of their own.
  parameter bit          Beside      = 1'b0,
  /// Flits of the longest frame.
  parameter int unsigned FrameFlits  = 8,
  /// Bits of sequence numbers.
  parameter int unsigned SeqBits     = 20,
  /// Code of the credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectCounters = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a flit with its marks and header; derived, do not set.
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes),
  /// Wires of a symbol; derived, do not set.
  parameter int unsigned WireBits    = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0)
) (
  /// Clock.
  input  wire logic                clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                rst_ni,
  /// Registers, and units of the chip's buffer as the far end counts them.
  input  wire polycast_link_pkg::registers_t registers_i,
  input  wire logic [NumVcs*polycast_link_pkg::NumberBits-1:0] own_credits_i,
  /// A stored bit flips.
  input  wire polycast_link_pkg::upset_t upset_i,
  /// A set may be sent in this cycle; that which is, if there is one.
  input  wire logic                set_want_i,
  output logic                     set_valid_o,
  output polycast_link_pkg::set_t  set_o,
  /// The chip gives a unit back.
  input  wire logic                credit_i,
  input  wire logic [3:0]          credit_vc_i,
  output logic                     credit_overflow_o,
  output logic                     bad_vc_o,
  /// The symbol on the pins; `signal` has been low for the timeout.
  input  wire logic [WireBits-1:0] wire_i,
  input  wire logic                lost_i,
  /// A set for the sender.
  output logic                     received_o,
  output polycast_link_pkg::set_t  received_set_o,
  /// A flit for the chip.
  output logic                     flit_valid_o,
  output logic      [FlitBits-1:0] flit_o,
  /// State.
  output polycast_link_pkg::rx_e   state_o,
  output logic      [SeqBits-1:0]  expected_o,
  /// R_CC and R_CF of each virtual channel.
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] r_cc_o,
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] r_cf_o,
  /// There are flits.
  output logic                     holds_o,
  output logic                     idle_o,
  /// To be counted; units that a cc_update repairs.
  output polycast_link_pkg::rx_events_t events_o,
  output logic      [polycast_link_pkg::NumberBits-1:0] repaired_o
);

  localparam int unsigned NumberBits = polycast_link_pkg::NumberBits;
  localparam int unsigned TimeBits   = polycast_link_pkg::TimeBits;
  localparam int unsigned MsgFlits   =
      (polycast_link_pkg::MessageBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned Longest    = FrameFlits > MsgFlits ? FrameFlits : MsgFlits;
  localparam int unsigned Depth      = Longest + NumVcs + 2;
  // A message and its channel take the place of a flit, which may be narrower.
  localparam int unsigned PlaceBits  = FlitBits > 24 ? FlitBits : 24;

  typedef struct packed { logic [NumVcs-1:0][NumberBits-1:0] at; } numbers_t;

  logic                          store, broken, judged, good, set_valid, set_bad, parser_idle;
  logic [FlitBits-1:0]           flit;
  logic [polycast_link_pkg::NumberBits-1:0] number;
  logic [3:0]                    kind;
  polycast_link_pkg::message_t   message;
  polycast_link_pkg::set_t       set_in;

  polycast_link_parser #(
    .FlitBytes   (FlitBytes),
    .NumVcs      (NumVcs),
    .HeaderBytes (HeaderBytes),
    .Beside      (Beside),
    .SeqBits     (SeqBits)
  ) u_parser (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .wire_i      (wire_i),
    .frame_i     (registers_i.frame),
    .store_o     (store),
    .flit_o      (flit),
    .broken_o    (broken),
    .judged_o    (judged),
    .good_o      (good),
    .number_o    (number),
    .kind_o      (kind),
    .message_o   (message),
    .set_valid_o (set_valid),
    .set_o       (set_in),
    .set_bad_o   (set_bad),
    .idle_o      (parser_idle)
  );

  // State.
  polycast_link_pkg::rx_e state_q, state_d, state_chosen, state_judged;
  logic [SeqBits-1:0]     expected_q, last_good_q, init_number_q, init_number, echo_number_q, last;
  logic [SeqBits-1:0]     sequence_number, ahead;
  logic                   init_q, init, echo_q, ack_due_q, answered;
  logic [TimeBits-1:0]    ack_wait_q, update_wait_q;
  logic [NumVcs-1:0]      update_mask_q, update_request, update_pick, update_behind;
  logic [NumVcs-1:0]      due, forced, open, waits, poison, leak_error, rest, credit_overflow;
  numbers_t               begun, freed, leak;

  assign last            = expected_q - SeqBits'(1);
  assign sequence_number = number[SeqBits-1:0];

  // The set to send: before all else, with the state of the cycle before.
  logic choose_echo, choose_nack, choose_ack, choose_update, on;

  assign on             = state_q != polycast_link_pkg::RxOff;
  assign choose_echo    = set_want_i && echo_q;
  assign choose_nack    = set_want_i && !echo_q && state_q == polycast_link_pkg::RxSendNack;
  assign choose_ack     = set_want_i && !echo_q && state_q == polycast_link_pkg::RxSendAcks &&
      ack_due_q && ack_wait_q == '0;
  assign update_request = forced != '0 ? forced : update_wait_q == '0 ? due : '0;
  assign choose_update  = set_want_i && !echo_q && on && !choose_nack && !choose_ack &&
      update_request != '0;
  assign set_valid_o    = choose_echo || choose_nack || choose_ack || choose_update;

  polycast_rr_pick #(.NumReq(NumVcs)) u_update (
    .mask_i   (update_mask_q),
    .req_i    (update_request),
    .gnt_o    (update_pick),
    .behind_o (update_behind)
  );

  always_comb begin
    set_o = '0;
    if (choose_echo) begin
      set_o.kind   = polycast_link_pkg::SetInitEcho;
      set_o.number = NumberBits'(echo_number_q);
    end else if (choose_nack || choose_ack) begin
      set_o.kind   = choose_nack ? polycast_link_pkg::SetNack : polycast_link_pkg::SetAck;
      set_o.number = NumberBits'(last);
    end else begin
      set_o.kind = polycast_link_pkg::SetCfUpdate;
      set_o.ack  = NumberBits'(last);
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (update_pick[v]) begin
          set_o.vc     = 4'(v);
          set_o.number = freed.at[v];
        end
      end
    end
  end

  // The frame that ends.
  logic bad, counted, expected, missing, duplicate, gap, accepted, is_data, front_valid, front_cut;

  assign state_chosen = choose_nack ? polycast_link_pkg::RxNackSent : state_q;
  assign bad          = broken || (judged && !good);
  assign counted      = judged && good && on;
  assign ahead        = sequence_number - expected_q;
  assign expected     = counted && ahead == '0;
  assign missing      = counted && ahead != '0 && !ahead[SeqBits-1];
  assign duplicate    = counted && ahead[SeqBits-1];
  assign gap          = !registers_i.retry && (missing || duplicate);
  assign accepted     = registers_i.retry ? expected : counted;
  assign is_data      = kind == polycast_link_pkg::FrameData;

  logic [SeqBits-1:0] behind_last;
  assign behind_last = last_good_q - sequence_number;

  always_comb begin
    state_judged = state_chosen;
    if (bad && on && registers_i.retry) begin
      if (state_chosen == polycast_link_pkg::RxSendAcks) begin
        state_judged = polycast_link_pkg::RxSendNack;
      end
    end else if (registers_i.retry && expected) begin
      state_judged = polycast_link_pkg::RxSendAcks;
    end else if (registers_i.retry && missing) begin
      if (state_chosen == polycast_link_pkg::RxSendAcks) begin
        state_judged = polycast_link_pkg::RxSendNack;
      end
    end else if (registers_i.retry && duplicate) begin
      if (state_chosen == polycast_link_pkg::RxNackSent) begin
        state_judged = polycast_link_pkg::RxSendAcks;
      end
    end
  end

  // A second init takes the place of one that waits.
  assign init        = init_q || (set_valid && set_in.kind == polycast_link_pkg::SetInit);
  assign init_number = set_valid && set_in.kind == polycast_link_pkg::SetInit ?
      set_in.number[SeqBits-1:0] : init_number_q;

  assign received_o     = set_valid && set_in.kind != polycast_link_pkg::SetInit;
  assign received_set_o = set_in;

  // What leaves.
  logic                 pop, empty, store_idle, cut_behind, drops, leaves, front_is_flit;
  logic [PlaceBits+1:0] front;
  logic [1:0]           front_kind;
  logic [3:0]           front_vc;
  logic                 front_head, front_tail;
  logic [NumVcs-1:0]    front_one, poison_pick;
  polycast_link_pkg::message_t front_message;

  assign cut_behind = gap || (bad && on && !registers_i.retry) || lost_i || init;

  polycast_link_store #(
    .FlitBits (PlaceBits),
    .Depth    (Depth)
  ) u_store (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .store_i        (store),
    .flit_i         ({2'd0, PlaceBits'(flit)}),
    .restart_i      (broken),
    .abandon_i      (judged && !accepted),
    .commit_i       (accepted && is_data),
    .message_i      (accepted && !is_data),
    .message_word_i ({kind[1:0], PlaceBits'({message.number, message.vc})}),
    .cut_i          (cut_behind),
    .valid_o        (front_valid),
    .front_o        (front),
    .cut_o          (front_cut),
    .pop_i          (pop),
    .empty_o        (empty),
    .idle_o         (store_idle)
  );

  assign front_kind    = front[PlaceBits+:2];
  assign front_message = front[23:0];
  assign front_is_flit = front_valid && front_kind == 2'd0;
  assign front_head    = front[0];
  assign front_tail    = front[1];
  assign front_vc      = front_kind == 2'd0 ? front[5:2] : front_message.vc;
  assign front_one     = NumVcs'(16'd1 << front_vc);

  // The rest of a packet that was cut, or one that begins while a cut waits, goes nowhere; all else
  // waits for poison tails.
  assign drops  = (front_one & open) == '0 && (!front_head || (front_one & waits) != '0);
  assign leaves = front_is_flit && !drops && poison == '0;
  assign pop    = front_valid && (!front_is_flit || drops || leaves);

  assign poison_pick  = leaves ? '0 : poison & (~poison + NumVcs'(1));
  assign flit_valid_o = leaves || poison_pick != '0;

  logic [3:0] poison_vc;
  always_comb begin
    poison_vc = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (poison_pick[v]) poison_vc = poison_vc | 4'(v);
    end
  end
  if (HeaderBytes > 0) begin : gen_header
    assign flit_o = leaves ? front[FlitBits-1:0] :
        {{HeaderBytes*8{1'b0}}, {FlitBytes*8{1'b1}}, poison_vc, 2'b10};
  end else begin : gen_no_header
    assign flit_o = leaves ? front[FlitBits-1:0] : {{FlitBytes*8{1'b1}}, poison_vc, 2'b10};
  end

  logic is_cut, is_update;
  assign is_cut    = front_valid && front_kind == polycast_link_pkg::FrameCut[1:0];
  assign is_update = front_valid && front_kind == polycast_link_pkg::FrameCcUpdate[1:0];

  localparam int unsigned StoredBits = polycast_link_pkg::StoredBits;
  logic [StoredBits-1:0] upset_mask;
  logic [NumVcs-1:0]     corrected, failed;
  logic                  upset_own;
  assign upset_own  = polycast_link_pkg::Upsets && upset_i.counters && upset_i.index[1];
  assign upset_mask = StoredBits'(1) << upset_i.place;

  for (genvar v = 0; v < NumVcs; v++) begin : gen_sinks
    logic upset;
    assign upset = upset_own && upset_i.index[23:2] == 22'(v);
    polycast_link_sink #(.ProtectCounters(ProtectCounters)) u_sink (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .unit_i            (registers_i.own_unit),
      .repairable_i      (registers_i.retry ? '0 : own_credits_i[v*NumberBits+:NumberBits]),
      .tell_i            (choose_update && update_pick[v]),
      .credit_i          (credit_i && credit_vc_i == 4'(v)),
      .cut_all_i         (front_cut),
      .cut_i             (is_cut && front_one[v]),
      .update_i          (is_update && front_one[v]),
      .number_i          (front_message.number),
      .flit_i            (leaves && front_one[v]),
      .tail_i            (front_tail),
      .poisoned_i        (poison_pick[v]),
      .answer_i          (answered),
      .upset_begun_i     (upset && !upset_i.index[0] ? upset_mask : '0),
      .upset_freed_i     (upset && upset_i.index[0] ? upset_mask : '0),
      .begun_o           (begun.at[v]),
      .freed_o           (freed.at[v]),
      .due_o             (due[v]),
      .forced_o          (forced[v]),
      .credit_overflow_o (credit_overflow[v]),
      .open_o            (open[v]),
      .waits_o           (waits[v]),
      .poison_o          (poison[v]),
      .leak_o            (leak.at[v]),
      .leak_error_o      (leak_error[v]),
      .corrected_o       (corrected[v]),
      .failed_o          (failed[v]),
      .rest_o            (rest[v])
    );
  end

  assign credit_overflow_o = credit_overflow != '0;
  assign bad_vc_o          = credit_i && 32'(credit_vc_i) >= NumVcs;
  assign answered          = init && empty && rest == '1;

  logic counter_corrected, counter_failed;
  if (ProtectCounters == 32'(polycast_pkg::ProtectionNone)) begin : gen_no_codes
    logic unused;
    assign unused            = ^{corrected, failed};
    assign counter_corrected = 1'b0;
    assign counter_failed    = 1'b0;
  end else begin : gen_codes
    assign counter_corrected = corrected != '0;
    assign counter_failed    = failed != '0;
  end

  always_comb begin
    state_d = state_judged;
    if (lost_i || init || leak_error != '0 || counter_failed) state_d = polycast_link_pkg::RxOff;
    if (answered) state_d = polycast_link_pkg::RxSendAcks;
  end

  logic acknowledges;
  assign acknowledges = registers_i.retry &&
      (expected || (duplicate && state_chosen != polycast_link_pkg::RxSendNack));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= polycast_link_pkg::RxOff;
      expected_q    <= '0;
      last_good_q   <= '0;
      init_q        <= 1'b0;
      init_number_q <= '0;
      echo_q        <= 1'b0;
      echo_number_q <= '0;
      ack_due_q     <= 1'b0;
      ack_wait_q    <= '0;
      update_wait_q <= '0;
      update_mask_q <= '0;
    end else begin
      state_q       <= state_d;
      init_q        <= init && !answered;
      init_number_q <= init_number;
      if (answered) begin
        expected_q    <= init_number;
        last_good_q   <= init_number - SeqBits'(1);
        echo_number_q <= init_number;
      end else begin
        if (accepted) expected_q <= sequence_number + SeqBits'(1);
        if (counted) last_good_q <= sequence_number;
      end
      echo_q    <= answered || (echo_q && !choose_echo && !init);
      ack_due_q <= !answered && (acknowledges || (ack_due_q && !choose_ack && !choose_update));
      if (choose_nack || choose_ack) begin
        ack_wait_q <= registers_i.ack_spacing == '0 ? '0 : registers_i.ack_spacing - TimeBits'(1);
      end else if (ack_wait_q != '0) begin
        ack_wait_q <= ack_wait_q - TimeBits'(1);
      end
      if (choose_update) begin
        update_wait_q <= registers_i.credit_spacing - TimeBits'(1);
        update_mask_q <= update_behind;
      end else if (update_wait_q != '0) begin
        update_wait_q <= update_wait_q - TimeBits'(1);
      end
    end
  end

  assign state_o    = state_q;
  assign expected_o = expected_q;
  assign r_cc_o     = begun;
  assign r_cf_o     = freed;
  assign holds_o    = !store_idle || poison != '0;
  assign idle_o     = parser_idle && store_idle && poison == '0 && !init_q && !echo_q &&
      !ack_due_q && ack_wait_q == '0 && update_wait_q == '0 && (due | forced | waits) == '0 &&
      state_q != polycast_link_pkg::RxSendNack;

  always_comb begin
    repaired_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (is_update && front_one[v] && !leak_error[v]) repaired_o = leak.at[v];
    end
    events_o.echo               = choose_echo;
    events_o.ack                = choose_ack;
    events_o.nack               = choose_nack;
    events_o.init_received      = set_valid && set_in.kind == polycast_link_pkg::SetInit;
    events_o.ok                 = counted;
    events_o.bad                = bad;
    events_o.poisoned           = poison_pick != '0;
    events_o.expected_good      = expected;
    events_o.expected_bad       = judged && !good && on &&
        number == NumberBits'(expected_q);
    events_o.missing            = missing;
    events_o.duplicate          = duplicate;
    events_o.replay             = counted && (!behind_last[SeqBits-1] ||
        (state_chosen == polycast_link_pkg::RxNackSent && expected));
    events_o.cf_update          = choose_update;
    events_o.cc_update_received = is_update;
    events_o.bad_set            = set_bad;
    events_o.credit_error       = leak_error != '0;
    events_o.corrected          = counter_corrected;
    events_o.soft_error         = counter_failed;
  end

`ifndef SYNTHESIS
  OneSet: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({choose_echo, choose_nack, choose_ack, choose_update}))
    else $error("several sets are chosen at once");
`endif

endmodule

`default_nettype wire
