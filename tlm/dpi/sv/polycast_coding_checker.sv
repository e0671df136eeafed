// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.

/// A passive checker of the XOR coding unit. The model gets the pins of the device; the first
/// difference is an error that names cycle, pin, packet and field. tlm/dpi/README.md says how to
/// bind it.
module polycast_coding_checker #(
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
  parameter int unsigned HeaderPinBits   = HeaderFree ? 512 : 1,
  /// What messages call the device; its path is added.
  parameter string       Name            = "coding",
  /// JSON, or a file with it; empty: registers are written at pins.
  parameter string       Tables          = "",
  /// The pins `probe_*` are compared, too.
  parameter bit          Probes          = 1'b0
) (
  /// Clock.
  input wire logic                     clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input wire logic                     rst_ni,
  /// A flit arrives.
  input wire logic                     flit_valid_i,
  /// It is the first flit of its packet.
  input wire logic                     flit_head_i,
  /// It is the last flit of its packet.
  input wire logic                     flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input wire logic [3:0]               flit_vc_i,
  /// Its data, port 0 in the lowest bits.
  input wire logic [FlitBytes*8-1:0]   flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input wire logic [HeaderPinBits-1:0] flit_header_i,
  /// A flit, or chunk, of the input buffer has become free.
  input wire logic                     credit_o,
  /// The virtual channel of that buffer.
  input wire logic [3:0]               credit_vc_o,
  /// A flit leaves.
  input wire logic                     flit_valid_o,
  /// It is the first flit of its packet.
  input wire logic                     flit_head_o,
  /// It is the last flit of its packet.
  input wire logic                     flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  input wire logic [3:0]               flit_vc_o,
  /// Its data.
  input wire logic [FlitBytes*8-1:0]   flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  input wire logic [HeaderPinBits-1:0] flit_header_o,
  /// A flit, or chunk, of the buffer at the other end has become free.
  input wire logic                     credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input wire logic [3:0]               credit_vc_i,
  /// Writes a configuration register; only while the chip is idle.
  input wire logic                     cfg_valid_i,
  /// Region << 24 | index.
  input wire logic [31:0]              cfg_addr_i,
  /// New value.
  input wire logic [31:0]              cfg_data_i,
  /// Errors of each port, `polycast_pkg::Error...`.
  input wire logic [14:0]              error_o,
  /// Events: 0 from accepting, 1 from coding, 2 from giving up.
  input wire logic [2:0]               event_valid_o,
  /// Code of each, `polycast_pkg::CodingEvent...`.
  input wire logic [11:0]              event_code_o,
  /// Its context.
  input wire logic [47:0]              event_context_o,
  /// Index of the operand.
  input wire logic [95:0]              event_index_o,
  /// Source of the operand.
  input wire logic [71:0]              event_source_o,
  /// The chip is empty.
  input wire logic                     idle_o,
  /// Flits in the buffer of each input virtual channel.
  input wire logic [NumVcs*16-1:0]     probe_occupied_o,
  /// State of each: 0 empty, 1 there are flits, 2 a packet has been taken in part.
  input wire logic [NumVcs*2-1:0]      probe_state_o,
  /// A packet is leaving in each virtual channel.
  input wire logic [NumVcs-1:0]        probe_held_o,
  /// Credits left of each virtual channel.
  input wire logic [NumVcs*16-1:0]     probe_credits_o
);

  typedef polycast_dpi_pkg::polycast_coding_model #(
    .NumVcs(NumVcs),
    .VcFlits(VcFlits),
    .FlitBytes(FlitBytes),
    .HeaderFree(HeaderFree),
    .NumContexts(NumContexts),
    .NumSlots(NumSlots),
    .SlotFlits(SlotFlits),
    .NumIndices(NumIndices),
    .NumDestinations(NumDestinations),
    .MaxLatency(MaxLatency),
    .CheckRoute(CheckRoute)
  ) model_t;

  localparam int unsigned InputBits =
      1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + 1 + 4 + 1 + 32 + 32;
  wire logic [InputBits-1:0] inputs = {
      cfg_data_i, cfg_addr_i, cfg_valid_i, credit_vc_i, credit_i, flit_header_i, flit_data_i,
      flit_vc_i, flit_tail_i, flit_head_i, flit_valid_i
  };
  localparam int unsigned OutputBits =
      1 + 4 + 1 + 1 + 1 + 4 + FlitBytes*8 + HeaderPinBits + 15 + 3 + 12 + 48 + 96 + 72 + 1 +
      NumVcs*16 + NumVcs*2 + NumVcs + NumVcs*16;
  wire logic [OutputBits-1:0] outputs = {
      probe_credits_o, probe_held_o, probe_state_o, probe_occupied_o, idle_o, event_source_o,
      event_index_o, event_context_o, event_code_o, event_valid_o, error_o, flit_header_o,
      flit_data_o, flit_vc_o, flit_tail_o, flit_head_o, flit_valid_o, credit_vc_o, credit_o
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
