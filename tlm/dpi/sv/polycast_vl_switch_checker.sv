// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.

/// A passive checker of the VL switch. The model gets the pins of the device; the first difference
/// is an error that names cycle, pin, packet and field. tlm/dpi/README.md says how to bind it.
module polycast_vl_switch_checker #(
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
      8 * (16 + 8),
  /// What messages call the device; its path is added.
  parameter string       Name          = "vl_switch",
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
  /// Writes a configuration register; only while the chip is idle.
  input wire logic                                cfg_valid_i,
  /// Region << 24 | index.
  input wire logic [31:0]                         cfg_addr_i,
  /// New value.
  input wire logic [31:0]                         cfg_data_i,
  /// Errors of each port, `polycast_pkg::Error...`.
  input wire logic [NumPorts*15-1:0]              error_o,
  /// A packet waited for the output, which sent nothing.
  input wire logic [NumPorts-1:0]                 xmit_wait_o,
  /// The chip is empty.
  input wire logic                                idle_o,
  /// Chunks in use of each lane of an input.
  input wire logic [NumPorts*NumVls*16-1:0]       probe_occupied_o,
  /// State of the packet at its front: 0 none, 1 not routed yet, 2 active, 3 dropped.
  input wire logic [NumPorts*NumVls*2-1:0]        probe_state_o,
  /// Outputs that have not granted the packet at its front.
  input wire logic [NumPorts*NumVls*NumPorts-1:0] probe_waiting_o,
  /// Outputs that this packet holds.
  input wire logic [NumPorts*NumVls*NumPorts-1:0] probe_reading_o,
  /// Each lane of an output is held by a packet.
  input wire logic [NumPorts*NumVls-1:0]          probe_held_o,
  /// Input that it comes from; zero while not held.
  input wire logic [NumPorts*NumVls*8-1:0]        probe_holder_o,
  /// Credits left of each lane of an output.
  input wire logic [NumPorts*NumVls*16-1:0]       probe_credits_o
);

  typedef polycast_dpi_pkg::polycast_vl_switch_model #(
    .NumPorts(NumPorts),
    .NumVls(NumVls),
    .FlitBytes(FlitBytes),
    .ChunkFlits(ChunkFlits),
    .NumChunks(NumChunks),
    .MaxLids(MaxLids),
    .MaxGroups(MaxGroups),
    .HeaderFree(HeaderFree),
    .ReadPorts(ReadPorts),
    .XbarStages(XbarStages),
    .Weighted(Weighted),
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
      NumPorts*HeaderPinBits + NumPorts*15 + NumPorts + 1 + NumPorts*NumVls*16 +
      NumPorts*NumVls*2 + NumPorts*NumVls*NumPorts + NumPorts*NumVls*NumPorts + NumPorts*NumVls +
      NumPorts*NumVls*8 + NumPorts*NumVls*16;
  wire logic [OutputBits-1:0] outputs = {
      probe_credits_o, probe_holder_o, probe_held_o, probe_reading_o, probe_waiting_o,
      probe_state_o, probe_occupied_o, idle_o, xmit_wait_o, error_o, flit_header_o, flit_data_o,
      flit_vc_o, flit_tail_o, flit_head_o, flit_valid_o, credit_vc_o, credit_o
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
