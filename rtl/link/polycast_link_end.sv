// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One end of a cable: link layer retry and credit-based flow control between a port of a chip and
/// a wire. hw/chips/link/link.md describes it cycle by cycle. It is off until register `layer` is
/// written.
module polycast_link_end #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Virtual channels (1..16).
  parameter int unsigned NumVcs          = 1,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes       = 16,
  /// Bytes of a free header; 0: headers are in the flits (0..4096).
  parameter int unsigned HeaderBytes     = 0,
  /// Trailers and ordered sets on 64 wires beside the flit.
  parameter bit          Beside          = 1'b0,
  /// Flits of the longest frame (1..256).
  parameter int unsigned FrameFlits      = 8,
  /// Flits of the ring (1..16777216).
  parameter int unsigned RingFlits       = 64,
  /// Frames that may be outstanding (1..524288).
  parameter int unsigned WindowFrames    = 19,
  /// Bits of sequence numbers; with layer `check` 20 (3..20).
  parameter int unsigned SeqBits         = 20,
  /// Code of flits in the ring: 0 none, 1 parity, 2 SECDED (0..2).
  parameter int unsigned ProtectRings    = 0,
  /// Code of credit counters, likewise (0..2).
  parameter int unsigned ProtectCounters = 0,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned HeaderPinBits   = HeaderBytes > 0 ? HeaderBytes * 8 : 1,
  /// Wires of a symbol; derived, do not set.
  parameter int unsigned WireBits        = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0)
) (
  /// Clock.
  input  wire logic                               clk_i,
  /// Asynchronous reset, active low: drops the traffic, zeroes the counters, keeps the
  /// configuration.
  input  wire logic                               rst_ni,

  /// A flit arrives.
  input  wire logic                               flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic                               flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic                               flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] flit_vc_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]             flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input  wire logic [HeaderPinBits-1:0]           flit_header_i,
  /// A unit of the far buffer has become free.
  output logic                                    credit_o,
  /// The virtual channel of that buffer.
  output logic      [polycast_pkg::VcPinBits-1:0] credit_vc_o,

  /// A flit leaves.
  output logic                                    flit_valid_o,
  /// It is the first flit of its packet.
  output logic                                    flit_head_o,
  /// It is the last flit of its packet.
  output logic                                    flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  output logic      [polycast_pkg::VcPinBits-1:0] flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]             flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  output logic      [HeaderPinBits-1:0]           flit_header_o,
  /// A unit of the chip's input buffer has become free.
  input  wire logic                               credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] credit_vc_i,

  /// The symbol from the other end: data, head, tail, virtual channel, kind (3 bits), 64 bits
  /// beside, free header, the first in the lowest bits.
  input  wire logic [WireBits-1:0]                wire_i,
  /// 0: nothing is received.
  input  wire logic                               signal_i,
  /// The symbol to the other end.
  output logic      [WireBits-1:0]                wire_o,

  /// Writes a configuration register.
  input  wire logic                               cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                        cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                        cfg_data_i,

  /// Errors, `polycast_pkg::Error...`.
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  /// The chip is empty.
  output logic                                    idle_o,

  /// State of the sender, `polycast_link_pkg::tx_e`.
  output logic      [2:0]                         probe_tx_o,
  /// The state that the last cycle counts for.
  output logic      [2:0]                         probe_counted_o,
  /// State of the receiver, `polycast_link_pkg::rx_e`.
  output logic      [1:0]                         probe_rx_o,
  /// What FLUSH came from last, `polycast_link_pkg::cause_e`.
  output logic      [2:0]                         probe_cause_o,
  /// Sequence number of the next new frame.
  output logic      [19:0]                        probe_next_o,
  /// Sequence number that is expected.
  output logic      [19:0]                        probe_expected_o,
  /// Frames that are not acknowledged.
  output logic      [19:0]                        probe_outstanding_o,
  /// Flits in the ring.
  output logic      [31:0]                        probe_ring_o,
  /// Starts of a replay without progress.
  output logic      [7:0]                         probe_replays_o,
  /// The replay timer counts.
  output logic                                    probe_timer_on_o,
  /// The cycles that are left; at 0 a replay begins.
  output logic      [31:0]                        probe_timer_o,
  /// Units of each virtual channel that the sender has begun, cyclic.
  output logic      [NumVcs*20-1:0]               probe_s_cc_o,
  /// Units that were freed, as the sender was told.
  output logic      [NumVcs*20-1:0]               probe_s_cf_o,
  /// Units that the receiver has begun.
  output logic      [NumVcs*20-1:0]               probe_r_cc_o,
  /// Units that were freed, as the receiver counts them.
  output logic      [NumVcs*20-1:0]               probe_r_cf_o,
  /// Data waits for an acknowledgement, or several cc_updates were in vain.
  output logic                                    probe_waits_o,
  /// There are flits from the chip or for it.
  output logic                                    probe_holds_o,
  /// The counters in the order of hw/chips/link/link_counters.h.
  output logic      [36*64-1:0]                   counts_o
);

  localparam int unsigned FlitBits  = 6 + 8 * (FlitBytes + HeaderBytes);
  localparam int unsigned PlaceBits = $clog2(2 * RingFlits);
  localparam int unsigned FramesBits = $clog2(WindowFrames + 1);
  localparam int unsigned TimeBits  = polycast_link_pkg::TimeBits;
  localparam bit          Codes     = ProtectRings != 32'(polycast_pkg::ProtectionNone) ||
      ProtectCounters != 32'(polycast_pkg::ProtectionNone);

  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (NumVcs < 1 || NumVcs > 16 || FlitBytes < 1 || FlitBytes > 64 || HeaderBytes > 4096 ||
      FrameFlits < 1 || FrameFlits > 256 || RingFlits < 1 || RingFlits > 16777216 ||
      WindowFrames < 1 || WindowFrames > 524288 || SeqBits < 3 || SeqBits > 20 ||
      ProtectRings > 2 || ProtectCounters > 2 || !(!Beside || FlitBytes >= 4))
  begin : gen_bad_parameters
    $error("polycast_link_end: a parameter is out of range");
  end
  if (HeaderPinBits != (HeaderBytes > 0 ? HeaderBytes * 8 : 1) ||
      WireBits != 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0) ||
      WindowFrames > 1 << (SeqBits - 1)) begin : gen_bad_derived
    $error("polycast_link_end: a derived parameter is set, or the window is too large");
  end

  polycast_link_pkg::registers_t registers;
  logic [NumVcs*polycast_link_pkg::NumberBits-1:0] far_credits, own_credits;
  logic leave_flush;
  polycast_link_pkg::upset_t upset;

  polycast_link_config #(.NumVcs(NumVcs)) u_config (
    .clk_i         (clk_i),
    .cfg_valid_i   (cfg_valid_i),
    .cfg_addr_i    (cfg_addr_i),
    .cfg_data_i    (cfg_data_i),
    .registers_o   (registers),
    .far_credits_o (far_credits),
    .own_credits_o (own_credits),
    .leave_flush_o (leave_flush),
    .upset_o       (upset)
  );

  // What comes in while the end is off is not there.
  logic                on, flit_valid, credit, low, lost;
  logic [WireBits-1:0] symbol;
  logic [TimeBits-1:0] low_q;
  logic [FlitBits-1:0] flit_in, flit_out, flit_q;

  assign on         = registers.on;
  assign flit_valid = flit_valid_i && on;
  assign credit     = credit_i && on;
  assign low        = !signal_i && on;
  assign symbol     = on && signal_i ? wire_i : '0;
  assign lost       = low && registers.signal_timeout != '0 &&
      low_q == registers.signal_timeout - TimeBits'(1);

  if (HeaderBytes > 0) begin : gen_header
    // A header counts beside a head.
    assign flit_in = {flit_header_i & {HeaderPinBits{flit_head_i}}, flit_data_i, flit_vc_i,
                      flit_tail_i, flit_head_i};
    assign flit_header_o = flit_q[FlitBits-1-:HeaderPinBits];
  end else begin : gen_no_header
    assign flit_in       = {flit_data_i, flit_vc_i, flit_tail_i, flit_head_i};
    assign flit_header_o = '0;
  end

  logic                          set_want, set_valid, received, out_valid, pulse;
  logic                          credit_overflow, credit_bad_vc, overflow, missing_head, bad_vc;
  logic                          waits, tx_holds, rx_holds, tx_idle, rx_idle;
  polycast_link_pkg::set_t       set, received_set;
  logic [3:0]                    pulse_vc;
  logic [WireBits-1:0]           wire_d;
  polycast_link_pkg::tx_e        tx, counted;
  polycast_link_pkg::rx_e        rx;
  polycast_link_pkg::cause_e     cause;
  polycast_link_pkg::tx_events_t tx_events;
  polycast_link_pkg::rx_events_t rx_events;
  logic [SeqBits-1:0]            number, expected;
  logic [FramesBits-1:0]         outstanding, outstanding_most;
  logic [PlaceBits-1:0]          ring, ring_most, discarded;
  logic [7:0]                    replays;
  logic                          begun, wrote, pushed;
  logic [polycast_link_pkg::NumberBits+3:0] beyond;
  logic [polycast_link_pkg::NumberBits-1:0] repaired;

  polycast_link_transmitter #(
    .FlitBytes    (FlitBytes),
    .NumVcs       (NumVcs),
    .HeaderBytes  (HeaderBytes),
    .Beside       (Beside),
    .RingFlits    (RingFlits),
    .WindowFrames (WindowFrames),
    .SeqBits      (SeqBits),
    .ProtectRings (ProtectRings),
    .ProtectCounters (ProtectCounters)
  ) u_transmitter (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .registers_i        (registers),
    .credits_i          (far_credits),
    .leave_flush_i      (leave_flush),
    .upset_i            (upset),
    .low_i              (low_q),
    .set_want_o         (set_want),
    .set_valid_i        (set_valid),
    .set_i              (set),
    .flit_valid_i       (flit_valid),
    .flit_i             (flit_in),
    .overflow_o         (overflow),
    .missing_head_o     (missing_head),
    .bad_vc_o           (bad_vc),
    .received_i         (received),
    .received_set_i     (received_set),
    .pulse_o            (pulse),
    .pulse_vc_o         (pulse_vc),
    .wire_o             (wire_d),
    .state_o            (tx),
    .counted_o          (counted),
    .cause_o            (cause),
    .number_o           (number),
    .outstanding_o      (outstanding),
    .ring_o             (ring),
    .replays_o          (replays),
    .timer_on_o         (probe_timer_on_o),
    .timer_o            (probe_timer_o),
    .s_cc_o             (probe_s_cc_o),
    .s_cf_o             (probe_s_cf_o),
    .waits_o            (waits),
    .holds_o            (tx_holds),
    .idle_o             (tx_idle),
    .events_o           (tx_events),
    .discarded_o        (discarded),
    .beyond_o           (beyond),
    .begun_o            (begun),
    .wrote_o            (wrote),
    .ring_most_o        (ring_most),
    .pushed_o           (pushed),
    .outstanding_most_o (outstanding_most)
  );

  polycast_link_receiver #(
    .FlitBytes   (FlitBytes),
    .NumVcs      (NumVcs),
    .HeaderBytes (HeaderBytes),
    .Beside      (Beside),
    .FrameFlits  (FrameFlits),
    .SeqBits     (SeqBits),
    .ProtectCounters (ProtectCounters)
  ) u_receiver (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .registers_i       (registers),
    .own_credits_i     (own_credits),
    .upset_i           (upset),
    .set_want_i        (set_want),
    .set_valid_o       (set_valid),
    .set_o             (set),
    .credit_i          (credit),
    .credit_vc_i       (credit_vc_i),
    .credit_overflow_o (credit_overflow),
    .bad_vc_o          (credit_bad_vc),
    .wire_i            (symbol),
    .lost_i            (lost),
    .received_o        (received),
    .received_set_o    (received_set),
    .flit_valid_o      (out_valid),
    .flit_o            (flit_out),
    .state_o           (rx),
    .expected_o        (expected),
    .r_cc_o            (probe_r_cc_o),
    .r_cf_o            (probe_r_cf_o),
    .holds_o           (rx_holds),
    .idle_o            (rx_idle),
    .events_o          (rx_events),
    .repaired_o        (repaired)
  );

  polycast_link_counters #(
    .PlaceBits  (PlaceBits),
    .FramesBits (FramesBits),
    .Codes      (Codes)
  ) u_counters (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .tx_i          (tx_events),
    .rx_i          (rx_events),
    .discarded_i   (discarded),
    .repaired_i    (repaired),
    .beyond_i      (beyond),
    .begun_i       (begun),
    .wrote_i       (wrote),
    .ring_i        (ring_most),
    .pushed_i      (pushed),
    .outstanding_i (outstanding_most),
    .counts_o      (counts_o)
  );

  logic soft_error;
  if (Codes) begin : gen_codes
    assign soft_error = tx_events.soft_error || rx_events.soft_error;
  end else begin : gen_no_codes
    assign soft_error = 1'b0;
  end

  polycast_pkg::errors_t errors;
  always_comb begin
    errors                 = '0;
    errors.bad_vc          = bad_vc || credit_bad_vc;
    errors.credit_overflow = credit_overflow;
    errors.missing_head    = missing_head;
    errors.overflow        = overflow;
    errors.soft_error      = soft_error;
  end

  logic [WireBits-1:0] wire_q;
  logic [2:0]          counted_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      low_q        <= '0;
      flit_valid_o <= 1'b0;
      credit_o     <= 1'b0;
      credit_vc_o  <= '0;
      error_o      <= '0;
      wire_q       <= '0;
      counted_q    <= '0;
    end else begin
      if (!low) begin
        low_q <= '0;
      end else if (low_q != '1) begin
        low_q <= low_q + TimeBits'(1);
      end
      flit_valid_o <= out_valid;
      credit_o     <= pulse;
      credit_vc_o  <= pulse_vc;
      error_o      <= errors;
      wire_q       <= wire_d;
      counted_q    <= counted;
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_valid) flit_q <= flit_out;
  end

  assign flit_head_o = flit_q[0];
  assign flit_tail_o = flit_q[1];
  assign flit_vc_o   = flit_q[5:2];
  assign flit_data_o = flit_q[6+:FlitBytes*8];
  assign wire_o      = wire_q;

  assign idle_o              = !on || (tx_idle && rx_idle && low_q == '0);
  assign probe_tx_o          = tx;
  assign probe_counted_o     = counted_q;
  assign probe_rx_o          = rx;
  assign probe_cause_o       = cause;
  assign probe_next_o        = 20'(number);
  assign probe_expected_o    = 20'(expected);
  assign probe_outstanding_o = 20'(outstanding);
  assign probe_ring_o        = 32'(ring);
  assign probe_replays_o     = replays;
  assign probe_waits_o       = waits;
  assign probe_holds_o       = tx_holds || rx_holds;

endmodule

`default_nettype wire
