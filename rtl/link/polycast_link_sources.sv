// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The virtual channels of a link end's sender: whose message frame is next, whose credit pulse.
module polycast_link_sources #(
  /// Virtual channels.
  parameter int unsigned NumVcs = 1,
  /// Code of the credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectCounters = 32'(polycast_pkg::ProtectionNone)
) (
  /// Clock.
  input  wire logic       clk_i,
  /// Asynchronous reset, active low.
  input  wire logic       rst_ni,
  /// Registers; units of the far buffer of each virtual channel.
  input  wire polycast_link_pkg::registers_t registers_i,
  input  wire logic [NumVcs*polycast_link_pkg::NumberBits-1:0] credits_i,
  /// A stored bit flips.
  input  wire polycast_link_pkg::upset_t upset_i,
  // As in polycast_link_source:
  input  wire logic       active_i,
  input  wire logic       flush_i,
  input  wire logic       send_i,
  input  wire logic       send_unit_i,
  input  wire logic [3:0] send_vc_i,
  /// The message frame begins.
  input  wire logic       message_i,
  input  wire logic       flit_i,
  input  wire logic       head_i,
  input  wire logic       tail_i,
  input  wire logic [3:0] vc_i,
  input  wire logic       full_i,
  input  wire logic       discards_i,
  input  wire logic       refunds_i,
  input  wire logic       update_i,
  input  wire logic [3:0] update_vc_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] number_i,
  input  wire logic       echo_i,
  /// A message frame is due, and what it says; it is a cc_update beyond the limit.
  output logic            message_due_o,
  output logic            cut_o,
  output polycast_link_pkg::message_t message_o,
  output logic            unanswered_o,
  /// Some channel has sent several cc_updates in vain.
  output logic            ignored_o,
  /// The flit of the chip goes into the ring.
  output logic            write_o,
  output logic            begins_unit_o,
  output logic            begins_packet_o,
  output logic            overflow_o,
  output logic            missing_head_o,
  output logic            bad_vc_o,
  output logic            discard_o,
  output logic            lifetime_discard_o,
  output logic            error_o,
  /// A credit pulse for the chip.
  output logic            pulse_o,
  output logic      [3:0] pulse_vc_o,
  /// Units beyond the wire before this cycle.
  output logic      [polycast_link_pkg::NumberBits+3:0] beyond_o,
  /// Units of each channel that were begun, and freed.
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] begun_o,
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] freed_o,
  /// The channel of the flit that is sent counts none; some channel has lost a counter.
  output logic            begun_lost_o,
  output logic            lost_o,
  /// Codes have found flips, and corrected them or not.
  output logic            corrected_o,
  output logic            failed_o,
  output logic            idle_o
);

  localparam int unsigned NumberBits = polycast_link_pkg::NumberBits;

  typedef struct packed { logic [NumVcs-1:0][NumberBits-1:0] at; } numbers_t;

  logic [NumVcs-1:0] cut_due, ask_due, due, pick, unanswered, ignored, write, begins_unit,
      begins_packet, overflow, missing_head, discard, lifetime_discard, error, payable, pulse,
      mask_q, behind, idle, is_sent, is_flit, is_update, begun_lost, lost, corrected, failed;
  numbers_t          begun, freed, beyond;
  logic              bad_update;

  assign due           = cut_due | ask_due;
  assign pick          = due & (~due + NumVcs'(1));
  assign message_due_o = due != '0;
  assign cut_o         = (pick & cut_due) != '0;
  assign unanswered_o  = !cut_o && (pick & unanswered) != '0;
  assign ignored_o     = ignored != '0;

  always_comb begin
    message_o = '0;
    beyond_o  = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (pick[v]) begin
        message_o.vc     = 4'(v);
        message_o.number = cut_due[v] ? '0 : begun.at[v];
      end
      beyond_o = beyond_o + (NumberBits+4)'(beyond.at[v]);
    end
  end

  assign bad_vc_o   = flit_i && 32'(vc_i) >= NumVcs;
  assign bad_update = update_i && 32'(update_vc_i) >= NumVcs;
  assign is_sent    = send_i ? NumVcs'(16'd1 << send_vc_i) : '0;
  assign is_flit    = flit_i && !bad_vc_o ? NumVcs'(16'd1 << vc_i) : '0;
  assign is_update  = update_i && !bad_update ? NumVcs'(16'd1 << update_vc_i) : '0;

  localparam int unsigned StoredBits = polycast_link_pkg::StoredBits;
  logic [StoredBits-1:0] upset_mask;
  logic                  upset_own;
  assign upset_own  = polycast_link_pkg::Upsets && upset_i.counters && !upset_i.index[1];
  assign upset_mask = StoredBits'(1) << upset_i.place;

  for (genvar v = 0; v < NumVcs; v++) begin : gen_sources
    logic upset;
    assign upset = upset_own && upset_i.index[23:2] == 22'(v);
    polycast_link_source #(.ProtectCounters(ProtectCounters)) u_source (
      .clk_i              (clk_i),
      .rst_ni             (rst_ni),
      .registers_i        (registers_i),
      .credits_i          (credits_i[v*NumberBits+:NumberBits]),
      .upset_i            (upset_i.counters || upset_i.ring),
      .upset_begun_i      (upset && !upset_i.index[0] ? upset_mask : '0),
      .upset_freed_i      (upset && upset_i.index[0] ? upset_mask : '0),
      .active_i           (active_i),
      .flush_i            (flush_i),
      .send_i             (is_sent[v]),
      .send_unit_i        (send_unit_i),
      .cut_i              (message_i && pick[v] && cut_due[v]),
      .ask_i              (message_i && pick[v] && !cut_due[v]),
      .flit_i             (is_flit[v]),
      .head_i             (head_i),
      .tail_i             (tail_i),
      .full_i             (full_i),
      .discards_i         (discards_i),
      .refunds_i          (refunds_i),
      .update_i           (is_update[v]),
      .number_i           (number_i),
      .echo_i             (echo_i),
      .pulse_i            (pulse[v]),
      .cut_due_o          (cut_due[v]),
      .ask_due_o          (ask_due[v]),
      .begun_o            (begun.at[v]),
      .freed_o            (freed.at[v]),
      .unanswered_o       (unanswered[v]),
      .ignored_o          (ignored[v]),
      .write_o            (write[v]),
      .begins_unit_o      (begins_unit[v]),
      .begins_packet_o    (begins_packet[v]),
      .overflow_o         (overflow[v]),
      .missing_head_o     (missing_head[v]),
      .discard_o          (discard[v]),
      .lifetime_discard_o (lifetime_discard[v]),
      .error_o            (error[v]),
      .payable_o          (payable[v]),
      .beyond_o           (beyond.at[v]),
      .begun_lost_o       (begun_lost[v]),
      .lost_o             (lost[v]),
      .corrected_o        (corrected[v]),
      .failed_o           (failed[v]),
      .idle_o             (idle[v])
    );
  end

  assign write_o            = write != '0;
  assign begins_unit_o      = (write & begins_unit) != '0;
  assign begins_packet_o    = (write & begins_packet) != '0;
  assign overflow_o         = overflow != '0;
  assign missing_head_o     = missing_head != '0;
  assign discard_o          = discard != '0;
  assign lifetime_discard_o = lifetime_discard != '0;
  assign error_o            = error != '0 || bad_update;
  assign idle_o             = idle == '1;
  assign begun_o            = begun;
  assign freed_o            = freed;

  if (ProtectCounters == 32'(polycast_pkg::ProtectionNone)) begin : gen_no_codes
    logic unused;
    assign unused       = ^{begun_lost, lost, corrected, failed};
    assign begun_lost_o = 1'b0;
    assign lost_o       = 1'b0;
    assign corrected_o  = 1'b0;
    assign failed_o     = 1'b0;
  end else begin : gen_codes
    assign begun_lost_o = (is_sent & begun_lost) != '0;
    assign lost_o       = lost != '0;
    assign corrected_o  = corrected != '0;
    assign failed_o     = failed != '0;
  end

  polycast_rr_pick #(.NumReq(NumVcs)) u_pulse (
    .mask_i   (mask_q),
    .req_i    (payable),
    .gnt_o    (pulse),
    .behind_o (behind)
  );

  assign pulse_o = pulse != '0;

  always_comb begin
    pulse_vc_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (pulse[v]) pulse_vc_o = pulse_vc_o | 4'(v);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mask_q <= '0;
    end else if (pulse_o) begin
      mask_q <= behind;
    end
  end

endmodule

`default_nettype wire
