// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.

/// A passive checker of the virtual-channel router. The model gets the pins of the device; the
/// first difference is an error that names cycle, pin, packet and field. tlm/dpi/README.md says how
/// to bind it.
module polycast_router_checker #(
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
      8 * (16 + 8),
  /// What messages call the device; its path is added.
  parameter string       Name           = "router",
  /// JSON, or a file with it; empty: registers are written at pins.
  parameter string       Tables         = "",
  /// The pins `probe_*` are compared, too.
  parameter bit          Probes         = 1'b0
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
  /// The output register takes a flit: one leaves in the next cycle.
  input wire logic [NumPorts-1:0]                 next_valid_o,
  /// The credit register takes a credit.
  input wire logic [NumPorts-1:0]                 next_credit_o,
  /// Writes a configuration register; only while the chip is idle.
  input wire logic                                cfg_valid_i,
  /// Region << 24 | index.
  input wire logic [31:0]                         cfg_addr_i,
  /// New value.
  input wire logic [31:0]                         cfg_data_i,
  /// Errors of each port, `polycast_pkg::Error...`.
  input wire logic [NumPorts*15-1:0]              error_o,
  /// The chip is empty.
  input wire logic                                idle_o,
  /// Flits in the buffer of each input virtual channel.
  input wire logic [NumPorts*NumVcs*16-1:0]       probe_occupied_o,
  /// State of the packet at its front: 0 none, 1 not routed yet, 2 active, 3 dropped.
  input wire logic [NumPorts*NumVcs*2-1:0]        probe_state_o,
  /// Outputs at which that packet has no virtual channel yet.
  input wire logic [NumPorts*NumVcs*NumPorts-1:0] probe_waiting_o,
  /// Outputs at which it holds one.
  input wire logic [NumPorts*NumVcs*NumPorts-1:0] probe_reading_o,
  /// Each output virtual channel is held by a packet.
  input wire logic [NumPorts*NumVcs-1:0]          probe_held_o,
  /// Input virtual channel of that packet; zero while not held.
  input wire logic [NumPorts*NumVcs*8-1:0]        probe_holder_o,
  /// Credits left of each output virtual channel.
  input wire logic [NumPorts*NumVcs*16-1:0]       probe_credits_o,
  /// Cycles in which codes of memories corrected something at each port, up to 65,535; zero without
  /// codes.
  input wire logic [NumPorts*16-1:0]              probe_corrected_o
);

  typedef polycast_dpi_pkg::polycast_router_model #(
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
    .Adaptive(Adaptive),
    .ProtectBuffers(ProtectBuffers),
    .ProtectRoutes(ProtectRoutes),
    .ProtectCredits(ProtectCredits),
    .MaxSources(MaxSources)
  ) model_t;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts*4 + 1 + 32 + 32;
  wire logic [InputBits-1:0] inputs = {
      cfg_data_i, cfg_addr_i, cfg_valid_i, credit_vc_i, credit_i, flit_header_i, flit_data_i,
      flit_vc_i, flit_tail_i, flit_head_i, flit_valid_i
  };
  localparam int unsigned OutputBits =
      NumPorts + NumPorts*4 + NumPorts + NumPorts + NumPorts + NumPorts*4 + NumPorts*FlitBytes*8 +
      NumPorts*HeaderPinBits + NumPorts + NumPorts + NumPorts*15 + 1 + NumPorts*NumVcs*16 +
      NumPorts*NumVcs*2 + NumPorts*NumVcs*NumPorts + NumPorts*NumVcs*NumPorts + NumPorts*NumVcs +
      NumPorts*NumVcs*8 + NumPorts*NumVcs*16 + NumPorts*16;
  wire logic [OutputBits-1:0] outputs = {
      probe_corrected_o, probe_credits_o, probe_holder_o, probe_held_o, probe_reading_o,
      probe_waiting_o, probe_state_o, probe_occupied_o, idle_o, error_o, next_credit_o,
      next_valid_o, flit_header_o, flit_data_o, flit_vc_o, flit_tail_o, flit_head_o, flit_valid_o,
      credit_vc_o, credit_o
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
