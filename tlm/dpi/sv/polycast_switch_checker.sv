// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.

/// A passive checker of the replicating switch. The model gets the pins of the device; the first
/// difference is an error that names cycle, pin, packet and field. tlm/dpi/README.md says how to
/// bind it.
module polycast_switch_checker #(
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
      (MaxHosts > PathBits ? (MaxHosts + 7) / 8 * 8 : PathBits),
  /// What messages call the device; its path is added.
  parameter string       Name           = "switch",
  /// JSON, or a file with it; empty: registers are written at pins.
  parameter string       Tables         = "",
  /// The pins `probe_*` are compared, too.
  parameter bit          Probes         = 1'b0
) (
  /// Clock.
  input wire logic                              clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input wire logic                              rst_ni,
  /// A flit arrives.
  input wire logic [NumPorts-1:0]               flit_valid_i,
  /// It is the first flit of its packet.
  input wire logic [NumPorts-1:0]               flit_head_i,
  /// It is the last flit of its packet.
  input wire logic [NumPorts-1:0]               flit_tail_i,
  /// Its data, port 0 in the lowest bits.
  input wire logic [NumPorts*FlitBytes*8-1:0]   flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input wire logic [NumPorts*HeaderPinBits-1:0] flit_header_i,
  /// A flit, or chunk, of the input buffer has become free.
  input wire logic [NumPorts-1:0]               credit_o,
  /// A flit leaves.
  input wire logic [NumPorts-1:0]               flit_valid_o,
  /// It is the first flit of its packet.
  input wire logic [NumPorts-1:0]               flit_head_o,
  /// It is the last flit of its packet.
  input wire logic [NumPorts-1:0]               flit_tail_o,
  /// Its data.
  input wire logic [NumPorts*FlitBytes*8-1:0]   flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  input wire logic [NumPorts*HeaderPinBits-1:0] flit_header_o,
  /// A flit, or chunk, of the buffer at the other end has become free.
  input wire logic [NumPorts-1:0]               credit_i,
  /// Writes a configuration register; only while the chip is idle.
  input wire logic                              cfg_valid_i,
  /// Region << 24 | index.
  input wire logic [31:0]                       cfg_addr_i,
  /// New value.
  input wire logic [31:0]                       cfg_data_i,
  /// Errors of each port, `polycast_pkg::Error...`.
  input wire logic [NumPorts*15-1:0]            error_o,
  /// The chip is empty.
  input wire logic                              idle_o,
  /// Chunks in use of each input buffer.
  input wire logic [NumPorts*16-1:0]            probe_occupied_o,
  /// State of each input: 0 idle, 1 routing, 2 active, 3 draining.
  input wire logic [NumPorts*2-1:0]             probe_state_o,
  /// Outputs that the packet at the front of each input has not been granted yet.
  input wire logic [NumPorts*NumPorts-1:0]      probe_waiting_o,
  /// Outputs that the packet at the front of each input holds.
  input wire logic [NumPorts*NumPorts-1:0]      probe_reading_o,
  /// Each output is held by a packet.
  input wire logic [NumPorts-1:0]               probe_held_o,
  /// Input that it comes from; zero while not held.
  input wire logic [NumPorts*8-1:0]             probe_holder_o,
  /// Credits left of each output.
  input wire logic [NumPorts*16-1:0]            probe_credits_o,
  /// Cycles in which codes of memories corrected something at each port, up to 65,535; zero without
  /// codes.
  input wire logic [NumPorts*16-1:0]            probe_corrected_o
);

  typedef polycast_dpi_pkg::polycast_switch_model #(
    .NumPorts(NumPorts),
    .FlitBytes(FlitBytes),
    .ChunkFlits(ChunkFlits),
    .NumChunks(NumChunks),
    .MaxHosts(MaxHosts),
    .HeaderFree(HeaderFree),
    .ReadPorts(ReadPorts),
    .XbarStages(XbarStages),
    .MaxSwitches(MaxSwitches),
    .HeaderPorts(HeaderPorts),
    .HeaderStops(HeaderStops),
    .ProtectBuffers(ProtectBuffers),
    .ProtectRoutes(ProtectRoutes),
    .ProtectCredits(ProtectCredits),
    .MaxSources(MaxSources)
  ) model_t;

  localparam int unsigned InputBits =
      NumPorts + NumPorts + NumPorts + NumPorts*FlitBytes*8 + NumPorts*HeaderPinBits + NumPorts +
      1 + 32 + 32;
  wire logic [InputBits-1:0] inputs = {
      cfg_data_i, cfg_addr_i, cfg_valid_i, credit_i, flit_header_i, flit_data_i, flit_tail_i,
      flit_head_i, flit_valid_i
  };
  localparam int unsigned OutputBits =
      NumPorts + NumPorts + NumPorts + NumPorts + NumPorts*FlitBytes*8 + NumPorts*HeaderPinBits +
      NumPorts*15 + 1 + NumPorts*16 + NumPorts*2 + NumPorts*NumPorts + NumPorts*NumPorts +
      NumPorts + NumPorts*8 + NumPorts*16 + NumPorts*16;
  wire logic [OutputBits-1:0] outputs = {
      probe_corrected_o, probe_credits_o, probe_holder_o, probe_held_o, probe_reading_o,
      probe_waiting_o, probe_state_o, probe_occupied_o, idle_o, error_o, flit_header_o, flit_data_o,
      flit_tail_o, flit_head_o, flit_valid_o, credit_o
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
