// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// A part of polycast_dpi_pkg.

/// The model of the virtual-channel router: hw/chips/router/router.md is its contract.
class polycast_router_model #(
  /// Full-duplex ports (2..32, ports x VCs <= 64).
  parameter int unsigned NumPorts       = 5,
  /// Virtual channels of every port (1..16).
  parameter int unsigned NumVcs         = 4,
  /// Flits of the buffer of an input VC, at least those of the longest header (13 bytes) where it
  /// is not free; one credit is one flit (1..4096).
  parameter int unsigned VcFlits        = 8,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes      = 16,
  /// Header beside the head flit instead of in the first flits.
  parameter bit          HeaderFree     = 1'b0,
  /// Dimensions of the mesh or torus; ports 2d and 2d + 1 lead up and down dimension d, the others
  /// to hosts and units (1..4).
  parameter int unsigned Dimensions     = 2,
  /// Nodes in a dimension; node number = sum of coordinate d x radix^d; at most 2^24 nodes
  /// (2..1024).
  parameter int unsigned Radix          = 8,
  /// Entries of the route table; 0: dimension order only (0..65536).
  parameter int unsigned MaxNodes       = 0,
  /// Pipeline registers in the crossbar; crossbar delay = 1 + stages (0..15).
  parameter int unsigned XbarStages     = 0,
  /// Broadcasts are copied, at most 16 ports; 0: broadcasts raise `bad_kind`.
  parameter bit          Copies         = 1'b1,
  /// A packet may choose among the ports of its route, which needs a route table; 0: the logic is
  /// absent.
  parameter bit          Adaptive       = 1'b0,
  /// Code of flits in input buffers: 0 none, 1 parity, 2 SECDED (0..2).
  parameter int unsigned ProtectBuffers = 0,
  /// Code of the route table, likewise; needs one (0..2).
  parameter int unsigned ProtectRoutes  = 0,
  /// Code of credit counters, likewise (0..2).
  parameter int unsigned ProtectCredits = 0,
  /// Sources in the table of who may send at which port (hw/chips/source_door.md); 0: there is none
  /// (0..65536).
  parameter int unsigned MaxSources     = 0,
  /// Bits of the header pins of a port: those of a switch with 32 hosts and 8 stops of 8 ports;
  /// derived, do not set.
  parameter int unsigned HeaderPinBits  = !HeaderFree ? 1 :
      192 + 32 + 96 +
      8 * (16 + 8)
) extends polycast_model;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts*4 + 1 + 32 + 32;
  localparam int unsigned OutputBits =
      NumPorts + NumPorts*4 + NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts + NumPorts*15 + 1 + NumPorts*NumVcs*16 +
      NumPorts*NumVcs*2 + NumPorts*NumVcs*NumPorts + NumPorts*NumVcs*NumPorts + NumPorts*NumVcs +
      NumPorts*NumVcs*8 + NumPorts*NumVcs*16 + NumPorts*16;

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
    /// Cycles in which codes of memories corrected something at each port, up to 65,535; zero
    /// without codes.
    bit [NumPorts*16-1:0] probe_corrected_o;
    /// Credits left of each output virtual channel.
    bit [NumPorts*NumVcs*16-1:0] probe_credits_o;
    /// Input virtual channel of that packet; zero while not held.
    bit [NumPorts*NumVcs*8-1:0] probe_holder_o;
    /// Each output virtual channel is held by a packet.
    bit [NumPorts*NumVcs-1:0] probe_held_o;
    /// Outputs at which it holds one.
    bit [NumPorts*NumVcs*NumPorts-1:0] probe_reading_o;
    /// Outputs at which that packet has no virtual channel yet.
    bit [NumPorts*NumVcs*NumPorts-1:0] probe_waiting_o;
    /// State of the packet at its front: 0 none, 1 not routed yet, 2 active, 3 dropped.
    bit [NumPorts*NumVcs*2-1:0] probe_state_o;
    /// Flits in the buffer of each input virtual channel.
    bit [NumPorts*NumVcs*16-1:0] probe_occupied_o;
    /// The chip is empty.
    bit idle_o;
    /// Errors of each port, `polycast_pkg::Error...`.
    bit [NumPorts*15-1:0] error_o;
    /// The credit register takes a credit.
    bit [NumPorts-1:0] next_credit_o;
    /// The output register takes a flit: one leaves in the next cycle.
    bit [NumPorts-1:0] next_valid_o;
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
        "\"XbarStages\": %0d, \"Copies\": %0d, \"Adaptive\": %0d, \"ProtectBuffers\": %0d, ",
        "\"ProtectRoutes\": %0d, \"ProtectCredits\": %0d, \"MaxSources\": %0d", "}"},
        NumPorts, NumVcs, VcFlits, FlitBytes, HeaderFree, Dimensions, Radix, MaxNodes,
        XbarStages, Copies, Adaptive, ProtectBuffers, ProtectRoutes, ProtectCredits, MaxSources);
  endfunction

  /// `tables`: JSON, or the path of a file with it, or empty.
  function new(string name, string tables = "");
    super.new("router", name, parameters(), tables);
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
