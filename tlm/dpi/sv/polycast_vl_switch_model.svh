// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// A part of polycast_dpi_pkg.

/// The model of the VL switch: hw/chips/vl_switch/vl_switch.md is its contract.
class polycast_vl_switch_model #(
  /// Full-duplex ports (2..64).
  parameter int unsigned NumPorts      = 8,
  /// Virtual lanes (1..15).
  parameter int unsigned NumVls        = 2,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes     = 4,
  /// Flits of a buffer chunk; one credit = one chunk (1..256).
  parameter int unsigned ChunkFlits    = 8,
  /// Chunks of each lane of an input (2..4096).
  parameter int unsigned NumChunks     = 80,
  /// LIDs (2..49152).
  parameter int unsigned MaxLids       = 64,
  /// Groups (0..16383).
  parameter int unsigned MaxGroups     = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Outputs that may read one input in the same cycle (1..ports).
  parameter int unsigned ReadPorts     = NumPorts,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages    = 0,
  /// Tables of VL arbitration exist.
  parameter bit          Weighted      = 1'b0,
  /// Sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none
  /// (0..65536).
  parameter int unsigned MaxSources    = 0,
  /// Bits of the header pins of a port; derived, do not set.
  parameter int unsigned HeaderPinBits = !HeaderFree ? 1 :
      192 + 32 + 96 +
      8 * (16 + 8)
) extends polycast_model;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts*4 + 1 + 32 + 32;
  localparam int unsigned OutputBits =
      NumPorts + NumPorts*4 + NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts*15 + NumPorts + 1 + NumPorts*NumVls*16 +
      NumPorts*NumVls*2 + NumPorts*NumVls*NumPorts + NumPorts*NumVls*NumPorts + NumPorts*NumVls +
      NumPorts*NumVls*8 + NumPorts*NumVls*16;

  /// The input pins, the first in the lowest bits.
  typedef struct packed {
    /// New value.
    bit [31:0] cfg_data_i;
    /// Region << 24 | index.
    bit [31:0] cfg_addr_i;
    /// Writes a configuration register; only while the chip is idle.
    bit cfg_valid_i;
    /// The virtual channel of that buffer; ignored if there is only one.
    bit [NumPorts*4-1:0] credit_vc_i;
    /// A flit, or chunk, of the buffer at the other end has become free.
    bit [NumPorts-1:0] credit_i;
    /// The header of its packet beside the head flit; ignored if headers are in the flits.
    bit [NumPorts*HeaderPinBits-1:0] flit_header_i;
    /// Its data, port 0 in the lowest bits.
    bit [NumPorts*FlitBytes*8-1:0] flit_data_i;
    /// Its virtual channel; ignored if there is only one.
    bit [NumPorts*4-1:0] flit_vc_i;
    /// It is the last flit of its packet.
    bit [NumPorts-1:0] flit_tail_i;
    /// It is the first flit of its packet.
    bit [NumPorts-1:0] flit_head_i;
    /// A flit arrives.
    bit [NumPorts-1:0] flit_valid_i;
  } inputs_t;
  /// The output pins, likewise.
  typedef struct packed {
    /// Credits left of each lane of an output.
    bit [NumPorts*NumVls*16-1:0] probe_credits_o;
    /// Input that it comes from; zero while not held.
    bit [NumPorts*NumVls*8-1:0] probe_holder_o;
    /// Each lane of an output is held by a packet.
    bit [NumPorts*NumVls-1:0] probe_held_o;
    /// Outputs that this packet holds.
    bit [NumPorts*NumVls*NumPorts-1:0] probe_reading_o;
    /// Outputs that have not granted the packet at its front.
    bit [NumPorts*NumVls*NumPorts-1:0] probe_waiting_o;
    /// State of the packet at its front: 0 none, 1 not routed yet, 2 active, 3 dropped.
    bit [NumPorts*NumVls*2-1:0] probe_state_o;
    /// Chunks in use of each lane of an input.
    bit [NumPorts*NumVls*16-1:0] probe_occupied_o;
    /// The chip is empty.
    bit idle_o;
    /// A packet waited for the output, which sent nothing.
    bit [NumPorts-1:0] xmit_wait_o;
    /// Errors of each port, `polycast_pkg::Error...`.
    bit [NumPorts*15-1:0] error_o;
    /// The header of its packet beside the head flit; zero if headers are in the flits.
    bit [NumPorts*HeaderPinBits-1:0] flit_header_o;
    /// Its data.
    bit [NumPorts*FlitBytes*8-1:0] flit_data_o;
    /// Its virtual channel; zero if there is only one.
    bit [NumPorts*4-1:0] flit_vc_o;
    /// It is the last flit of its packet.
    bit [NumPorts-1:0] flit_tail_o;
    /// It is the first flit of its packet.
    bit [NumPorts-1:0] flit_head_o;
    /// A flit leaves.
    bit [NumPorts-1:0] flit_valid_o;
    /// The virtual channel of that buffer.
    bit [NumPorts*4-1:0] credit_vc_o;
    /// A flit, or chunk, of the input buffer has become free.
    bit [NumPorts-1:0] credit_o;
  } outputs_t;

  static function string parameters();
    return $sformatf({"{",
        "\"NumPorts\": %0d, \"NumVls\": %0d, \"FlitBytes\": %0d, \"ChunkFlits\": %0d, ",
        "\"NumChunks\": %0d, \"MaxLids\": %0d, \"MaxGroups\": %0d, \"HeaderFree\": %0d, ",
        "\"ReadPorts\": %0d, \"XbarStages\": %0d, \"Weighted\": %0d, \"MaxSources\": %0d", "}"},
        NumPorts, NumVls, FlitBytes, ChunkFlits, NumChunks, MaxLids, MaxGroups, HeaderFree,
        ReadPorts, XbarStages, Weighted, MaxSources);
  endfunction

  /// `tables`: JSON, or the path of a file with it, or empty.
  function new(string name, string tables = "");
    super.new("vl_switch", name, parameters(), tables);
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
