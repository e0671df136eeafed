// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.

/// A passive checker of the link end. The model gets the pins of the device; the first difference
/// is an error that names cycle, pin, packet and field. tlm/dpi/README.md says how to bind it.
module polycast_link_end_checker #(
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
  parameter int unsigned WireBits        = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0),
  /// What messages call the device; its path is added.
  parameter string       Name            = "link_end",
  /// JSON, or a file with it; empty: registers are written at pins.
  parameter string       Tables          = "",
  /// The pins `probe_*` are compared, too.
  parameter bit          Probes          = 1'b0
) (
  /// Clock.
  input wire logic                     clk_i,
  /// Asynchronous reset, active low: drops the traffic, zeroes the counters, keeps the
  /// configuration.
  input wire logic                     rst_ni,
  /// A flit arrives.
  input wire logic                     flit_valid_i,
  /// It is the first flit of its packet.
  input wire logic                     flit_head_i,
  /// It is the last flit of its packet.
  input wire logic                     flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input wire logic [3:0]               flit_vc_i,
  /// Its data.
  input wire logic [FlitBytes*8-1:0]   flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input wire logic [HeaderPinBits-1:0] flit_header_i,
  /// A unit of the far buffer has become free.
  input wire logic                     credit_o,
  /// The virtual channel of that buffer.
  input wire logic [3:0]               credit_vc_o,
  /// A flit leaves.
  input wire logic                     flit_valid_o,
  /// It is the first flit of its packet.
  input wire logic                     flit_head_o,
  /// It is the last flit of its packet.
  input wire logic                     flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  input wire logic [3:0]               flit_vc_o,
  /// Its data.
  input wire logic [FlitBytes*8-1:0]   flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  input wire logic [HeaderPinBits-1:0] flit_header_o,
  /// A unit of the chip's input buffer has become free.
  input wire logic                     credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input wire logic [3:0]               credit_vc_i,
  /// The symbol from the other end: data, head, tail, virtual channel, kind (3 bits), 64 bits
  /// beside, free header, the first in the lowest bits.
  input wire logic [WireBits-1:0]      wire_i,
  /// 0: nothing is received.
  input wire logic                     signal_i,
  /// The symbol to the other end.
  input wire logic [WireBits-1:0]      wire_o,
  /// Writes a configuration register.
  input wire logic                     cfg_valid_i,
  /// Region << 24 | index.
  input wire logic [31:0]              cfg_addr_i,
  /// New value.
  input wire logic [31:0]              cfg_data_i,
  /// Errors, `polycast_pkg::Error...`.
  input wire logic [14:0]              error_o,
  /// The chip is empty.
  input wire logic                     idle_o,
  /// State of the sender, `polycast_link_pkg::tx_e`.
  input wire logic [2:0]               probe_tx_o,
  /// The state that the last cycle counts for.
  input wire logic [2:0]               probe_counted_o,
  /// State of the receiver, `polycast_link_pkg::rx_e`.
  input wire logic [1:0]               probe_rx_o,
  /// What FLUSH came from last, `polycast_link_pkg::cause_e`.
  input wire logic [2:0]               probe_cause_o,
  /// Sequence number of the next new frame.
  input wire logic [19:0]              probe_next_o,
  /// Sequence number that is expected.
  input wire logic [19:0]              probe_expected_o,
  /// Frames that are not acknowledged.
  input wire logic [19:0]              probe_outstanding_o,
  /// Flits in the ring.
  input wire logic [31:0]              probe_ring_o,
  /// Starts of a replay without progress.
  input wire logic [7:0]               probe_replays_o,
  /// The replay timer counts.
  input wire logic                     probe_timer_on_o,
  /// The cycles that are left; at 0 a replay begins.
  input wire logic [31:0]              probe_timer_o,
  /// Units of each virtual channel that the sender has begun, cyclic.
  input wire logic [NumVcs*20-1:0]     probe_s_cc_o,
  /// Units that were freed, as the sender was told.
  input wire logic [NumVcs*20-1:0]     probe_s_cf_o,
  /// Units that the receiver has begun.
  input wire logic [NumVcs*20-1:0]     probe_r_cc_o,
  /// Units that were freed, as the receiver counts them.
  input wire logic [NumVcs*20-1:0]     probe_r_cf_o,
  /// Data waits for an acknowledgement, or several cc_updates were in vain.
  input wire logic                     probe_waits_o,
  /// There are flits from the chip or for it.
  input wire logic                     probe_holds_o,
  /// The counters in the order of hw/chips/link/link_counters.h.
  input wire logic [2303:0]            counts_o
);

  typedef polycast_dpi_pkg::polycast_link_end_model #(
    .NumVcs(NumVcs),
    .FlitBytes(FlitBytes),
    .HeaderBytes(HeaderBytes),
    .Beside(Beside),
    .FrameFlits(FrameFlits),
    .RingFlits(RingFlits),
    .WindowFrames(WindowFrames),
    .SeqBits(SeqBits),
    .ProtectRings(ProtectRings),
    .ProtectCounters(ProtectCounters)
  ) model_t;

  localparam int unsigned InputBits =
      1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + 1 + 4 + WireBits + 1 + 1 + 32 + 32;
  wire logic [InputBits-1:0] inputs = {
      cfg_data_i, cfg_addr_i, cfg_valid_i, signal_i, wire_i, credit_vc_i, credit_i, flit_header_i,
      flit_data_i, flit_vc_i, flit_tail_i, flit_head_i, flit_valid_i
  };
  localparam int unsigned OutputBits =
      1 + 4 + 1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + WireBits + 15 + 1 + 3 + 3 + 2 + 3 +
      20 + 20 + 20 + 32 + 8 + 1 + 32 + NumVcs*20 + NumVcs*20 + NumVcs*20 + NumVcs*20 + 1 + 1 +
      2304;
  wire logic [OutputBits-1:0] outputs = {
      counts_o, probe_holds_o, probe_waits_o, probe_r_cf_o, probe_r_cc_o, probe_s_cf_o,
      probe_s_cc_o, probe_timer_o, probe_timer_on_o, probe_replays_o, probe_ring_o,
      probe_outstanding_o, probe_expected_o, probe_next_o, probe_cause_o, probe_rx_o,
      probe_counted_o, probe_tx_o, idle_o, error_o, wire_o, flit_header_o, flit_data_o, flit_vc_o,
      flit_tail_o, flit_head_o, flit_valid_o, credit_vc_o, credit_o
  };

  polycast_dpi_pkg::polycast_watch watch;
  model_t model;

  initial begin
    model = new($sformatf("%s %m", Name), Tables);
    watch = new(model);
  end

  // The pins of a cycle are those before the edge that ends it.
  always @(posedge clk_i) begin
    if (watch != null) begin
      if (rst_ni) begin
        if (watch.on()) watch.see(model.compare(outputs, Probes));
        if (watch.on()) watch.check(model.step(inputs));
      end else if (cfg_valid_i && watch.on()) begin
        watch.check(model.write(cfg_addr_i, cfg_data_i));
      end
    end
  end
  always @(negedge rst_ni) if (watch != null && watch.on()) watch.check(model.reset());

  final if (watch != null) watch.finish();

endmodule
