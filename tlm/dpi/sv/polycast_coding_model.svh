// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// A part of polycast_dpi_pkg.

/// The model of the XOR coding unit: hw/chips/coding/coding_unit.md is its contract.
class polycast_coding_model #(
  /// Virtual channels of its port (1..16).
  parameter int unsigned NumVcs          = 4,
  /// Flits of the buffer of a VC, at least those of a header (13 bytes) where it is not free
  /// (1..4096).
  parameter int unsigned VcFlits         = 8,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes       = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Contexts (1..1024).
  parameter int unsigned NumContexts     = 16,
  /// Operands that can be stored (2..4096).
  parameter int unsigned NumSlots        = 64,
  /// Flits of a slot: all of a packet but its header flits; all of it where the header is free
  /// (1..4096).
  parameter int unsigned SlotFlits       = 8,
  /// Longest chain (2..4096).
  parameter int unsigned NumIndices      = 64,
  /// Of all contexts together (1..4096).
  parameter int unsigned NumDestinations = 64,
  /// Most stages of the XOR pipe (0..64).
  parameter int unsigned MaxLatency      = 64,
  /// Check words cover destination and hops, too (hw/format/check_word.md).
  parameter bit          CheckRoute      = 1'b0,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned HeaderPinBits   = HeaderFree ? 512 : 1
) extends polycast_model;

  localparam int unsigned InputBits =
      1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + 1 + 4 + 1 + 32 + 32;
  localparam int unsigned OutputBits =
      1 + 4 + 1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + 15 + 3 + 12 + 48 + 96 + 72 + 1 +
      NumVcs*16 + NumVcs*2 + NumVcs + NumVcs*16;

  /// The input pins, the first in the lowest bits.
  typedef struct packed {
    /// New value.
    bit [31:0] cfg_data_i;
    /// Region << 24 | index.
    bit [31:0] cfg_addr_i;
    /// Writes a configuration register; only while the chip is idle.
    bit cfg_valid_i;
    /// The virtual channel of that buffer; ignored if there is only one.
    bit [3:0] credit_vc_i;
    /// A flit, or chunk, of the buffer at the other end has become free.
    bit credit_i;
    /// The header of its packet beside the head flit; ignored if headers are in the flits.
    bit [HeaderPinBits-1:0] flit_header_i;
    /// Its data, port 0 in the lowest bits.
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
    /// Credits left of each virtual channel.
    bit [NumVcs*16-1:0] probe_credits_o;
    /// A packet is leaving in each virtual channel.
    bit [NumVcs-1:0] probe_held_o;
    /// State of each: 0 empty, 1 there are flits, 2 a packet has been taken in part.
    bit [NumVcs*2-1:0] probe_state_o;
    /// Flits in the buffer of each input virtual channel.
    bit [NumVcs*16-1:0] probe_occupied_o;
    /// The chip is empty.
    bit idle_o;
    /// Source of the operand.
    bit [71:0] event_source_o;
    /// Index of the operand.
    bit [95:0] event_index_o;
    /// Its context.
    bit [47:0] event_context_o;
    /// Code of each, `polycast_pkg::CodingEvent...`.
    bit [11:0] event_code_o;
    /// Events: 0 from accepting, 1 from coding, 2 from giving up.
    bit [2:0] event_valid_o;
    /// Errors of each port, `polycast_pkg::Error...`.
    bit [14:0] error_o;
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
    /// A flit, or chunk, of the input buffer has become free.
    bit credit_o;
  } outputs_t;

  static function string parameters();
    return $sformatf({"{",
        "\"NumVcs\": %0d, \"VcFlits\": %0d, \"FlitBytes\": %0d, \"HeaderFree\": %0d, ",
        "\"NumContexts\": %0d, \"NumSlots\": %0d, \"SlotFlits\": %0d, \"NumIndices\": %0d, ",
        "\"NumDestinations\": %0d, \"MaxLatency\": %0d, \"CheckRoute\": %0d", "}"},
        NumVcs, VcFlits, FlitBytes, HeaderFree, NumContexts, NumSlots, SlotFlits, NumIndices,
        NumDestinations, MaxLatency, CheckRoute);
  endfunction

  /// `tables`: JSON, or the path of a file with it, or empty.
  function new(string name, string tables = "");
    super.new("coding", name, parameters(), tables);
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
