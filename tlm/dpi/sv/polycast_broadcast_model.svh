// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// A part of polycast_dpi_pkg.

/// The model of the broadcast router: hw/chips/broadcast/broadcast_unit.md is its contract.
class polycast_broadcast_model #(
  /// Full-duplex ports (4..16, ports x VCs <= 64).
  parameter int unsigned NumPorts      = 7,
  /// Virtual channels of the router; the unit's comes behind them (2..15).
  parameter int unsigned NumVcs        = 2,
  /// Flits of the buffer of an input VC, at least those of the longest header (13 bytes) where it
  /// is not free; one credit is one flit (1..4096).
  parameter int unsigned VcFlits       = 8,
  /// Bytes of a flit (13..64; 1..64 where the header is free).
  parameter int unsigned FlitBytes     = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree    = 1'b0,
  /// Dimensions of the mesh or torus; ports 2d and 2d + 1 lead up and down dimension d, the others
  /// to hosts and units (1..4).
  parameter int unsigned Dimensions    = 2,
  /// Nodes in a dimension; node number = sum of coordinate d x radix^d; at most 2^24 nodes
  /// (2..1024).
  parameter int unsigned Radix         = 8,
  /// Entries of the route table; 0: dimension order only (0..65536).
  parameter int unsigned MaxNodes      = 0,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages    = 0,
  /// Broadcasts are copied, at most 16 ports; 0: broadcasts raise `bad_kind`.
  parameter bit          Copies        = 1'b1,
  /// Packets of a message (1..64).
  parameter int unsigned NumSlots      = 32,
  /// Flits of a packet (1..64).
  parameter int unsigned SlotFlits     = 8,
  /// Flits of the buffer behind the host port (1..64).
  parameter int unsigned InjectFlits   = 8,
  /// Bits of a round on the side wires; derived, do not set.
  parameter int unsigned SideRoundBits = 2,
  /// Virtual channels with the unit's; derived, do not set.
  parameter int unsigned AllVcs        = NumVcs + 1,
  /// Bits of the header pins of a port, as the router's; derived, do not set.
  parameter int unsigned HeaderPinBits = !HeaderFree ? 1 :
      192 + 32 + 96 +
      8 * (16 + 8)
) extends polycast_model;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts*4 + NumPorts*NumSlots +
      NumPorts*SideRoundBits + 1 + 32 + 32;
  localparam int unsigned OutputBits =
      NumPorts + NumPorts*4 + NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumSlots + SideRoundBits + NumPorts*15 + NumPorts + NumPorts*3 +
      NumPorts*8 + 1 + NumPorts*AllVcs*16 + NumPorts*AllVcs*2 + NumPorts*AllVcs*NumPorts +
      NumPorts*AllVcs*NumPorts + NumPorts*AllVcs + NumPorts*AllVcs*8 + NumPorts*AllVcs*16;

  /// The input pins, the first in the lowest bits.
  typedef struct packed {
    /// New value.
    bit [31:0] cfg_data_i;
    /// Region << 24 | index.
    bit [31:0] cfg_addr_i;
    /// Writes a configuration register; only while the chip is idle.
    bit cfg_valid_i;
    /// Its round.
    bit [NumPorts*SideRoundBits-1:0] side_round_i;
    /// Packets of the neighbour at each port.
    bit [NumPorts*NumSlots-1:0] side_have_i;
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
    /// Credits left of each output virtual channel; the unit's: packets that are due.
    bit [NumPorts*AllVcs*16-1:0] probe_credits_o;
    /// Entry that it comes from; zero while not held.
    bit [NumPorts*AllVcs*8-1:0] probe_holder_o;
    /// Each output virtual channel is held by a packet; the unit's: one is leaving.
    bit [NumPorts*AllVcs-1:0] probe_held_o;
    /// Outputs at which it holds one.
    bit [NumPorts*AllVcs*NumPorts-1:0] probe_reading_o;
    /// Outputs at which that packet has no virtual channel yet.
    bit [NumPorts*AllVcs*NumPorts-1:0] probe_waiting_o;
    /// State of the packet at its front; of the unit's: the packet that is being taken, 1
    /// accepted, 2 discarded.
    bit [NumPorts*AllVcs*2-1:0] probe_state_o;
    /// Flits in the buffer of each input virtual channel. Where not said otherwise what the
    /// router's probes show, the entries of the unit's channel are zero.
    bit [NumPorts*AllVcs*16-1:0] probe_occupied_o;
    /// The chip is empty.
    bit idle_o;
    /// Index of the packet.
    bit [NumPorts*8-1:0] event_packet_o;
    /// Its code, `polycast_pkg::BroadcastEvent...`.
    bit [NumPorts*3-1:0] event_code_o;
    /// An event at an input of the unit.
    bit [NumPorts-1:0] event_valid_o;
    /// Errors of each port, `polycast_pkg::Error...`.
    bit [NumPorts*15-1:0] error_o;
    /// The round.
    bit [SideRoundBits-1:0] side_round_o;
    /// Side wires, the same for all ports: packets that are present or arriving.
    bit [NumSlots-1:0] side_have_o;
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
        "\"NumPorts\": %0d, \"NumVcs\": %0d, \"VcFlits\": %0d, \"FlitBytes\": %0d, ",
        "\"HeaderFree\": %0d, \"Dimensions\": %0d, \"Radix\": %0d, \"MaxNodes\": %0d, ",
        "\"XbarStages\": %0d, \"Copies\": %0d, \"NumSlots\": %0d, \"SlotFlits\": %0d, ",
        "\"InjectFlits\": %0d", "}"},
        NumPorts, NumVcs, VcFlits, FlitBytes, HeaderFree, Dimensions, Radix, MaxNodes,
        XbarStages, Copies, NumSlots, SlotFlits, InjectFlits);
  endfunction

  /// `tables`: JSON, or the path of a file with it, or empty.
  function new(string name, string tables = "");
    super.new("broadcast", name, parameters(), tables);
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
