// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A port of a switch or router as a pair of AXI4-Stream interfaces: `polycast_stream_source` and
/// `polycast_stream_sink` side by side. rtl/stream/README.md describes it.
module polycast_stream_port #(
  /// Bytes of a flit, and of TDATA (1..64).
  parameter int unsigned FlitBytes  = 1,
  /// Bits of the header beside the head flit, and of TUSER; 1, and ignored, where headers are in
  /// the flits.
  parameter int unsigned HeaderBits = 1,
  /// Virtual channels of the link (1..16).
  parameter int unsigned NumVcs     = 1,
  /// Flits of a chunk; one credit = one chunk (1..256). For a router 1.
  parameter int unsigned ChunkFlits = 8,
  /// Chunks of each channel's buffer here, which has at least two flits.
  parameter int unsigned NumChunks  = 8,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16
) (
  /// Clock.
  input  wire logic                               clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                               rst_ni,
  /// Chunks of the far buffer, of each channel; constant from reset on.
  input  wire logic [CreditBits-1:0]              credits_i,

  /// Stream into the network.
  input  wire logic                               s_axis_tvalid_i,
  /// It is accepted.
  output logic                                    s_axis_tready_o,
  /// A flit.
  input  wire logic [FlitBytes*8-1:0]             s_axis_tdata_i,
  /// The last one of its packet.
  input  wire logic                               s_axis_tlast_i,
  /// The header of its packet.
  input  wire logic [HeaderBits-1:0]              s_axis_tuser_i,
  /// Its virtual channel.
  input  wire logic [polycast_pkg::VcPinBits-1:0] s_axis_tdest_i,

  /// Stream out of the network.
  output logic                                    m_axis_tvalid_o,
  /// It is accepted.
  input  wire logic                               m_axis_tready_i,
  /// A flit.
  output logic      [FlitBytes*8-1:0]             m_axis_tdata_o,
  /// The last one of its packet.
  output logic                                    m_axis_tlast_o,
  /// The header of its packet.
  output logic      [HeaderBits-1:0]              m_axis_tuser_o,
  /// Its virtual channel.
  output logic      [polycast_pkg::VcPinBits-1:0] m_axis_tdest_o,

  /// The link to the chip: a flit leaves.
  output logic                                    flit_valid_o,
  /// It is the first flit of its packet.
  output logic                                    flit_head_o,
  /// It is the last flit of its packet.
  output logic                                    flit_tail_o,
  /// Its virtual channel.
  output logic      [polycast_pkg::VcPinBits-1:0] flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]             flit_data_o,
  /// The header of its packet beside the head flit.
  output logic      [HeaderBits-1:0]              flit_header_o,
  /// A chunk of the far buffer has become free.
  input  wire logic                               credit_i,
  /// The virtual channel of that buffer.
  input  wire logic [polycast_pkg::VcPinBits-1:0] credit_vc_i,

  /// The link from the chip: a flit arrives.
  input  wire logic                               flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic                               flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic                               flit_tail_i,
  /// Its virtual channel.
  input  wire logic [polycast_pkg::VcPinBits-1:0] flit_vc_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]             flit_data_i,
  /// The header of its packet beside the head flit.
  input  wire logic [HeaderBits-1:0]              flit_header_i,
  /// A chunk of our buffer has become free.
  output logic                                    credit_o,
  /// The virtual channel of that buffer.
  output logic      [polycast_pkg::VcPinBits-1:0] credit_vc_o,

  /// A credit, or a flit, came for which there was no room; it is lost.
  output logic                                    error_o,
  /// Nothing is on its way here.
  output logic                                    idle_o
);

  logic source_error, sink_error, source_idle, sink_idle;

  polycast_stream_source #(
    .FlitBytes (FlitBytes),
    .HeaderBits(HeaderBits),
    .NumVcs    (NumVcs),
    .ChunkFlits(ChunkFlits),
    .CreditBits(CreditBits)
  ) i_source (
    .clk_i,
    .rst_ni,
    .credits_i,
    .tvalid_i(s_axis_tvalid_i),
    .tready_o(s_axis_tready_o),
    .tdata_i (s_axis_tdata_i),
    .tlast_i (s_axis_tlast_i),
    .tuser_i (s_axis_tuser_i),
    .tdest_i (s_axis_tdest_i),
    .flit_valid_o,
    .flit_head_o,
    .flit_tail_o,
    .flit_vc_o,
    .flit_data_o,
    .flit_header_o,
    .credit_i,
    .credit_vc_i,
    .error_o (source_error),
    .idle_o  (source_idle)
  );

  polycast_stream_sink #(
    .FlitBytes (FlitBytes),
    .HeaderBits(HeaderBits),
    .NumVcs    (NumVcs),
    .ChunkFlits(ChunkFlits),
    .NumChunks (NumChunks)
  ) i_sink (
    .clk_i,
    .rst_ni,
    .flit_valid_i,
    .flit_head_i,
    .flit_tail_i,
    .flit_vc_i,
    .flit_data_i,
    .flit_header_i,
    .credit_o,
    .credit_vc_o,
    .tvalid_o(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i),
    .tdata_o (m_axis_tdata_o),
    .tlast_o (m_axis_tlast_o),
    .tuser_o (m_axis_tuser_o),
    .tdest_o (m_axis_tdest_o),
    .error_o (sink_error),
    .idle_o  (sink_idle)
  );

  assign error_o = source_error || sink_error;
  assign idle_o  = source_idle && sink_idle;

endmodule

`default_nettype wire
