// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// A part of polycast_dpi_pkg.

/// The model of the replicating switch: hw/chips/switch/switch.md is its contract.
class polycast_switch_model #(
  /// Full-duplex ports (2..64).
  parameter int unsigned NumPorts       = 8,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes      = 1,
  /// Flits of a buffer chunk; one credit = one chunk (1..256).
  parameter int unsigned ChunkFlits     = 8,
  /// Chunks of each input buffer (2..4096).
  parameter int unsigned NumChunks      = 80,
  /// Longest bit string, size of the tables (1..16384).
  parameter int unsigned MaxHosts       = 32,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree     = 1'b0,
  /// Outputs that may read one input buffer in the same cycle (1..ports).
  parameter int unsigned ReadPorts      = NumPorts,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages     = 0,
  /// Size of the tables of routes to switches (1..65536).
  parameter int unsigned MaxSwitches    = 32,
  /// Bits of a stop's string in headers, the same in a whole network: ports of its largest switch
  /// (8, 16, .. 64).
  parameter int unsigned HeaderPorts    = 8,
  /// Longest list of a path worm (1..255).
  parameter int unsigned HeaderStops    = 8,
  /// Code of flits in input buffers: 0 none, 1 parity, 2 SECDED (0..2).
  parameter int unsigned ProtectBuffers = 0,
  /// Code of tables of routes and reachability, likewise (0..2).
  parameter int unsigned ProtectRoutes  = 0,
  /// Code of credit counters, likewise (0..2).
  parameter int unsigned ProtectCredits = 0,
  /// Sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none
  /// (0..65536).
  parameter int unsigned MaxSources     = 0,
  /// Bits of the longest path worm's header behind the common part, more than an SSR worm's or a
  /// destination; derived, do not set.
  parameter int unsigned PathBits       = 96 -
      80 +
      HeaderStops * (16 + HeaderPorts),
  /// Bits of the header pins of a port; derived, do not set.
  parameter int unsigned HeaderPinBits  = !HeaderFree ? 1 :
      80 + 192 + 32 +
      (MaxHosts > PathBits ? (MaxHosts + 7) / 8 * 8 : PathBits)
) extends polycast_model;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*FlitBytes*8 + NumPorts*HeaderPinBits + NumPorts +
      1 + 32 + 32;
  localparam int unsigned OutputBits =
      NumPorts + NumPorts + NumPorts + NumPorts + NumPorts*FlitBytes*8 + NumPorts*HeaderPinBits +
      NumPorts*15 + 1 + NumPorts*16 + NumPorts*2 + NumPorts*NumPorts + NumPorts*NumPorts +
      NumPorts + NumPorts*8 + NumPorts*16 + NumPorts*16;

  /// The input pins, the first in the lowest bits.
  typedef struct packed {
    /// New value.
    bit [31:0] cfg_data_i;
    /// Region << 24 | index.
    bit [31:0] cfg_addr_i;
    /// Writes a configuration register; only while the chip is idle.
    bit cfg_valid_i;
    /// A flit, or chunk, of the buffer at the other end has become free.
    bit [NumPorts-1:0] credit_i;
    /// The header of its packet beside the head flit; ignored if headers are in the flits.
    bit [NumPorts*HeaderPinBits-1:0] flit_header_i;
    /// Its data, port 0 in the lowest bits.
    bit [NumPorts*FlitBytes*8-1:0] flit_data_i;
    /// It is the last flit of its packet.
    bit [NumPorts-1:0] flit_tail_i;
    /// It is the first flit of its packet.
    bit [NumPorts-1:0] flit_head_i;
    /// A flit arrives.
    bit [NumPorts-1:0] flit_valid_i;
  } inputs_t;
  /// The output pins, likewise.
  typedef struct packed {
    /// Cycles in which codes of memories corrected something at each port, up to 65,535; zero
    /// without codes.
    bit [NumPorts*16-1:0] probe_corrected_o;
    /// Credits left of each output.
    bit [NumPorts*16-1:0] probe_credits_o;
    /// Input that it comes from; zero while not held.
    bit [NumPorts*8-1:0] probe_holder_o;
    /// Each output is held by a packet.
    bit [NumPorts-1:0] probe_held_o;
    /// Outputs that the packet at the front of each input holds.
    bit [NumPorts*NumPorts-1:0] probe_reading_o;
    /// Outputs that the packet at the front of each input has not been granted yet.
    bit [NumPorts*NumPorts-1:0] probe_waiting_o;
    /// State of each input: 0 idle, 1 routing, 2 active, 3 draining.
    bit [NumPorts*2-1:0] probe_state_o;
    /// Chunks in use of each input buffer.
    bit [NumPorts*16-1:0] probe_occupied_o;
    /// The chip is empty.
    bit idle_o;
    /// Errors of each port, `polycast_pkg::Error...`.
    bit [NumPorts*15-1:0] error_o;
    /// The header of its packet beside the head flit; zero if headers are in the flits.
    bit [NumPorts*HeaderPinBits-1:0] flit_header_o;
    /// Its data.
    bit [NumPorts*FlitBytes*8-1:0] flit_data_o;
    /// It is the last flit of its packet.
    bit [NumPorts-1:0] flit_tail_o;
    /// It is the first flit of its packet.
    bit [NumPorts-1:0] flit_head_o;
    /// A flit leaves.
    bit [NumPorts-1:0] flit_valid_o;
    /// A flit, or chunk, of the input buffer has become free.
    bit [NumPorts-1:0] credit_o;
  } outputs_t;

  static function string parameters();
    return $sformatf({"{",
        "\"NumPorts\": %0d, \"FlitBytes\": %0d, \"ChunkFlits\": %0d, \"NumChunks\": %0d, ",
        "\"MaxHosts\": %0d, \"HeaderFree\": %0d, \"ReadPorts\": %0d, \"XbarStages\": %0d, ",
        "\"MaxSwitches\": %0d, \"HeaderPorts\": %0d, \"HeaderStops\": %0d, ",
        "\"ProtectBuffers\": %0d, \"ProtectRoutes\": %0d, \"ProtectCredits\": %0d, ",
        "\"MaxSources\": %0d", "}"},
        NumPorts, FlitBytes, ChunkFlits, NumChunks, MaxHosts, HeaderFree, ReadPorts, XbarStages,
        MaxSwitches, HeaderPorts, HeaderStops, ProtectBuffers, ProtectRoutes, ProtectCredits,
        MaxSources);
  endfunction

  /// `tables`: JSON, or the path of a file with it, or empty.
  function new(string name, string tables = "");
    super.new("switch", name, parameters(), tables);
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
