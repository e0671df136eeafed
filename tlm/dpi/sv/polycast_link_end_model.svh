// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// A part of polycast_dpi_pkg.

/// The model of the link end: hw/chips/link/link.md is its contract.
class polycast_link_end_model #(
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
) extends polycast_model;

  localparam int unsigned InputBits =
      1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + 1 + 4 + WireBits + 1 + 1 + 32 + 32;
  localparam int unsigned OutputBits =
      1 + 4 + 1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + WireBits + 15 + 1 + 3 + 3 + 2 + 3 +
      20 + 20 + 20 + 32 + 8 + 1 + 32 + NumVcs*20 + NumVcs*20 + NumVcs*20 + NumVcs*20 + 1 + 1 +
      2304;

  /// The input pins, the first in the lowest bits.
  typedef struct packed {
    /// New value.
    bit [31:0] cfg_data_i;
    /// Region << 24 | index.
    bit [31:0] cfg_addr_i;
    /// Writes a configuration register.
    bit cfg_valid_i;
    /// 0: nothing is received.
    bit signal_i;
    /// The symbol from the other end: data, head, tail, virtual channel, kind (3 bits), 64 bits
    /// beside, free header, the first in the lowest bits.
    bit [WireBits-1:0] wire_i;
    /// The virtual channel of that buffer; ignored if there is only one.
    bit [3:0] credit_vc_i;
    /// A unit of the chip's input buffer has become free.
    bit credit_i;
    /// The header of its packet beside the head flit; ignored if headers are in the flits.
    bit [HeaderPinBits-1:0] flit_header_i;
    /// Its data.
    bit [FlitBytes*8-1:0] flit_data_i;
    /// Its virtual channel; ignored if there is only one.
    bit [3:0] flit_vc_i;
    /// It is the last flit of its packet.
    bit flit_tail_i;
    /// It is the first flit of its packet.
    bit flit_head_i;
    /// A flit arrives.
    bit flit_valid_i;
  } inputs_t;
  /// The output pins, likewise.
  typedef struct packed {
    /// The counters in the order of hw/chips/link/link_counters.h.
    bit [2303:0] counts_o;
    /// There are flits from the chip or for it.
    bit probe_holds_o;
    /// Data waits for an acknowledgement, or several cc_updates were in vain.
    bit probe_waits_o;
    /// Units that were freed, as the receiver counts them.
    bit [NumVcs*20-1:0] probe_r_cf_o;
    /// Units that the receiver has begun.
    bit [NumVcs*20-1:0] probe_r_cc_o;
    /// Units that were freed, as the sender was told.
    bit [NumVcs*20-1:0] probe_s_cf_o;
    /// Units of each virtual channel that the sender has begun, cyclic.
    bit [NumVcs*20-1:0] probe_s_cc_o;
    /// The cycles that are left; at 0 a replay begins.
    bit [31:0] probe_timer_o;
    /// The replay timer counts.
    bit probe_timer_on_o;
    /// Starts of a replay without progress.
    bit [7:0] probe_replays_o;
    /// Flits in the ring.
    bit [31:0] probe_ring_o;
    /// Frames that are not acknowledged.
    bit [19:0] probe_outstanding_o;
    /// Sequence number that is expected.
    bit [19:0] probe_expected_o;
    /// Sequence number of the next new frame.
    bit [19:0] probe_next_o;
    /// What FLUSH came from last, `polycast_link_pkg::cause_e`.
    bit [2:0] probe_cause_o;
    /// State of the receiver, `polycast_link_pkg::rx_e`.
    bit [1:0] probe_rx_o;
    /// The state that the last cycle counts for.
    bit [2:0] probe_counted_o;
    /// State of the sender, `polycast_link_pkg::tx_e`.
    bit [2:0] probe_tx_o;
    /// The chip is empty.
    bit idle_o;
    /// Errors, `polycast_pkg::Error...`.
    bit [14:0] error_o;
    /// The symbol to the other end.
    bit [WireBits-1:0] wire_o;
    /// The header of its packet beside the head flit; zero if headers are in the flits.
    bit [HeaderPinBits-1:0] flit_header_o;
    /// Its data.
    bit [FlitBytes*8-1:0] flit_data_o;
    /// Its virtual channel; zero if there is only one.
    bit [3:0] flit_vc_o;
    /// It is the last flit of its packet.
    bit flit_tail_o;
    /// It is the first flit of its packet.
    bit flit_head_o;
    /// A flit leaves.
    bit flit_valid_o;
    /// The virtual channel of that buffer.
    bit [3:0] credit_vc_o;
    /// A unit of the far buffer has become free.
    bit credit_o;
  } outputs_t;

  static function string parameters();
    return $sformatf({"{",
        "\"NumVcs\": %0d, \"FlitBytes\": %0d, \"HeaderBytes\": %0d, \"Beside\": %0d, ",
        "\"FrameFlits\": %0d, \"RingFlits\": %0d, \"WindowFrames\": %0d, \"SeqBits\": %0d, ",
        "\"ProtectRings\": %0d, \"ProtectCounters\": %0d", "}"},
        NumVcs, FlitBytes, HeaderBytes, Beside, FrameFlits, RingFlits, WindowFrames, SeqBits,
        ProtectRings, ProtectCounters);
  endfunction

  /// `tables`: JSON, or the path of a file with it, or empty.
  function new(string name, string tables = "");
    super.new("link_end", name, parameters(), tables);
  endfunction

  /// The clock edge at the end of a cycle with these input pins.
  function int step(inputs_t pins);
    bit [InputBits-1:0] bits = pins;
    for (int unsigned first = 0; first < InputBits; first += ChunkBits) begin
      int status = polycast_dpi_put_inputs(handle, InputBits, first, chunk_t'(bits >> first));
      if (status != Ok) return status;
    end
    return polycast_dpi_step(handle);
  endfunction

  /// The model's output pins in the present cycle.
  function outputs_t outputs();
    bit [OutputBits-1:0] bits = '0;
    for (int unsigned first = 0; first < OutputBits; first += ChunkBits) begin
      chunk_t chunk;
      if (polycast_dpi_get_outputs(handle, OutputBits, first, chunk) != Ok) return '0;
      bits |= OutputBits'(chunk) << first;
    end
    return bits;
  endfunction

  /// Compares the output pins of a device in the present cycle with the model's, before step().
  function int compare(outputs_t pins, bit probes = 1'b0);
    bit [OutputBits-1:0] bits = pins;
    for (int unsigned first = 0; first < OutputBits; first += ChunkBits) begin
      int status = polycast_dpi_put_device(handle, OutputBits, first, chunk_t'(bits >> first));
      if (status != Ok) return status;
    end
    return polycast_dpi_compare(handle, int'(probes));
  endfunction

endclass
