// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.

/// A passive checker of the broadcast router. The model gets the pins of the device; the first
/// difference is an error that names cycle, pin, packet and field. tlm/dpi/README.md says how to
/// bind it.
module polycast_broadcast_checker #(
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
      8 * (16 + 8),
  /// What messages call the device; its path is added.
  parameter string       Name          = "broadcast",
  /// JSON, or a file with it; empty: registers are written at pins.
  parameter string       Tables        = "",
  /// The pins `probe_*` are compared, too.
  parameter bit          Probes        = 1'b0
) (
  /// Clock.
  input wire logic                                clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input wire logic                                rst_ni,
  /// A flit arrives.
  input wire logic [NumPorts-1:0]                 flit_valid_i,
  /// It is the first flit of its packet.
  input wire logic [NumPorts-1:0]                 flit_head_i,
  /// It is the last flit of its packet.
  input wire logic [NumPorts-1:0]                 flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input wire logic [NumPorts*4-1:0]               flit_vc_i,
  /// Its data, port 0 in the lowest bits.
  input wire logic [NumPorts*FlitBytes*8-1:0]     flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input wire logic [NumPorts*HeaderPinBits-1:0]   flit_header_i,
  /// A flit, or chunk, of the input buffer has become free.
  input wire logic [NumPorts-1:0]                 credit_o,
  /// The virtual channel of that buffer.
  input wire logic [NumPorts*4-1:0]               credit_vc_o,
  /// A flit leaves.
  input wire logic [NumPorts-1:0]                 flit_valid_o,
  /// It is the first flit of its packet.
  input wire logic [NumPorts-1:0]                 flit_head_o,
  /// It is the last flit of its packet.
  input wire logic [NumPorts-1:0]                 flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  input wire logic [NumPorts*4-1:0]               flit_vc_o,
  /// Its data.
  input wire logic [NumPorts*FlitBytes*8-1:0]     flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  input wire logic [NumPorts*HeaderPinBits-1:0]   flit_header_o,
  /// A flit, or chunk, of the buffer at the other end has become free.
  input wire logic [NumPorts-1:0]                 credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input wire logic [NumPorts*4-1:0]               credit_vc_i,
  /// Side wires, the same for all ports: packets that are present or arriving.
  input wire logic [NumSlots-1:0]                 side_have_o,
  /// The round.
  input wire logic [SideRoundBits-1:0]            side_round_o,
  /// Packets of the neighbour at each port.
  input wire logic [NumPorts*NumSlots-1:0]        side_have_i,
  /// Its round.
  input wire logic [NumPorts*SideRoundBits-1:0]   side_round_i,
  /// Writes a configuration register; only while the chip is idle.
  input wire logic                                cfg_valid_i,
  /// Region << 24 | index.
  input wire logic [31:0]                         cfg_addr_i,
  /// New value.
  input wire logic [31:0]                         cfg_data_i,
  /// Errors of each port, `polycast_pkg::Error...`.
  input wire logic [NumPorts*15-1:0]              error_o,
  /// An event at an input of the unit.
  input wire logic [NumPorts-1:0]                 event_valid_o,
  /// Its code, `polycast_pkg::BroadcastEvent...`.
  input wire logic [NumPorts*3-1:0]               event_code_o,
  /// Index of the packet.
  input wire logic [NumPorts*8-1:0]               event_packet_o,
  /// The chip is empty.
  input wire logic                                idle_o,
  /// Flits in the buffer of each input virtual channel. Where not said otherwise what the router's
  /// probes show, the entries of the unit's channel are zero.
  input wire logic [NumPorts*AllVcs*16-1:0]       probe_occupied_o,
  /// State of the packet at its front; of the unit's: the packet that is being taken, 1 accepted, 2
  /// discarded.
  input wire logic [NumPorts*AllVcs*2-1:0]        probe_state_o,
  /// Outputs at which that packet has no virtual channel yet.
  input wire logic [NumPorts*AllVcs*NumPorts-1:0] probe_waiting_o,
  /// Outputs at which it holds one.
  input wire logic [NumPorts*AllVcs*NumPorts-1:0] probe_reading_o,
  /// Each output virtual channel is held by a packet; the unit's: one is leaving.
  input wire logic [NumPorts*AllVcs-1:0]          probe_held_o,
  /// Entry that it comes from; zero while not held.
  input wire logic [NumPorts*AllVcs*8-1:0]        probe_holder_o,
  /// Credits left of each output virtual channel; the unit's: packets that are due.
  input wire logic [NumPorts*AllVcs*16-1:0]       probe_credits_o
);

  typedef polycast_dpi_pkg::polycast_broadcast_model #(
    .NumPorts(NumPorts),
    .NumVcs(NumVcs),
    .VcFlits(VcFlits),
    .FlitBytes(FlitBytes),
    .HeaderFree(HeaderFree),
    .Dimensions(Dimensions),
    .Radix(Radix),
    .MaxNodes(MaxNodes),
    .XbarStages(XbarStages),
    .Copies(Copies),
    .NumSlots(NumSlots),
    .SlotFlits(SlotFlits),
    .InjectFlits(InjectFlits)
  ) model_t;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts*4 + NumPorts*NumSlots +
      NumPorts*SideRoundBits + 1 + 32 + 32;
  wire logic [InputBits-1:0] inputs = {
      cfg_data_i, cfg_addr_i, cfg_valid_i, side_round_i, side_have_i, credit_vc_i, credit_i,
      flit_header_i, flit_data_i, flit_vc_i, flit_tail_i, flit_head_i, flit_valid_i
  };
  localparam int unsigned OutputBits =
      NumPorts + NumPorts*4 + NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumSlots + SideRoundBits + NumPorts*15 + NumPorts + NumPorts*3 +
      NumPorts*8 + 1 + NumPorts*AllVcs*16 + NumPorts*AllVcs*2 + NumPorts*AllVcs*NumPorts +
      NumPorts*AllVcs*NumPorts + NumPorts*AllVcs + NumPorts*AllVcs*8 + NumPorts*AllVcs*16;
  wire logic [OutputBits-1:0] outputs = {
      probe_credits_o, probe_holder_o, probe_held_o, probe_reading_o, probe_waiting_o,
      probe_state_o, probe_occupied_o, idle_o, event_packet_o, event_code_o, event_valid_o, error_o,
      side_round_o, side_have_o, flit_header_o, flit_data_o, flit_vc_o, flit_tail_o, flit_head_o,
      flit_valid_o, credit_vc_o, credit_o
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
