// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// From a link to AXI4-Stream: flits wait in a buffer, whose chunks are given back as credits.
/// rtl/stream/README.md describes it.
///
/// A flit is a transfer one cycle later at the earliest. Flits of several channels take turns, so
/// that none waits for another one's packet: TDEST tells them apart, each channel's packets are
/// whole and in order.
module polycast_stream_sink #(
  /// Bytes of a flit, and of TDATA (1..64).
  parameter int unsigned FlitBytes  = 1,
  /// Bits of the header beside the head flit, and of TUSER; 1, and ignored, where headers are in
  /// the flits.
  parameter int unsigned HeaderBits = 1,
  /// Virtual channels of the link (1..16).
  parameter int unsigned NumVcs     = 1,
  /// Flits of a chunk; one credit = one chunk (1..256). For a router 1.
  parameter int unsigned ChunkFlits = 8,
  /// Chunks of each channel's buffer, which has at least two flits.
  parameter int unsigned NumChunks  = 8
) (
  /// Clock.
  input  wire logic                               clk_i,
  /// Asynchronous reset, active low: the buffers are empty.
  input  wire logic                               rst_ni,

  /// A flit arrives.
  input  wire logic                               flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic                               flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic                               flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] flit_vc_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]             flit_data_i,
  /// The header of its packet beside the head flit.
  input  wire logic [HeaderBits-1:0]              flit_header_i,
  /// A chunk has become free.
  output logic                                    credit_o,
  /// The virtual channel of its buffer; zero if there is only one.
  output logic      [polycast_pkg::VcPinBits-1:0] credit_vc_o,

  /// TVALID: there is a transfer, which stays until it is accepted.
  output logic                                    tvalid_o,
  /// TREADY: it is accepted.
  input  wire logic                               tready_i,
  /// TDATA: the flit.
  output logic      [FlitBytes*8-1:0]             tdata_o,
  /// TLAST: it is the last one of its packet.
  output logic                                    tlast_o,
  /// TUSER: the header of the packet, with its first flit; else zero.
  output logic      [HeaderBits-1:0]              tuser_o,
  /// TDEST: the virtual channel.
  output logic      [polycast_pkg::VcPinBits-1:0] tdest_o,

  /// A flit came for which there was no chunk, or of a channel that there is not: it is lost.
  output logic                                    error_o,
  /// No flit is in a buffer, and no credit on the pins.
  output logic                                    idle_o
);

  localparam int unsigned OffsetBits = ChunkFlits > 1 ? $clog2(ChunkFlits) : 1;
  localparam int unsigned CountBits  = $clog2(NumChunks + 1);
  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned Width      = FlitBits + HeaderBits + 1;
  localparam int unsigned VcPinBits  = polycast_pkg::VcPinBits;

  logic [NumVcs-1:0]       chosen, lost, there, used, granted, freed;
  logic [NumVcs*Width-1:0] fronts;
  logic                    pop;

  assign pop      = tvalid_o && tready_i;
  assign tvalid_o = |there;
  assign error_o  = flit_valid_i && (chosen == '0 || |lost);
  assign idle_o   = used == '0 && !credit_o;

  for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
    logic                  push, begins, full, ends;
    logic [OffsetBits-1:0] written_q, read_q;
    logic [CountBits-1:0]  used_q;
    logic [Width-1:0]      front;

    assign chosen[v] = NumVcs == 1 || flit_vc_i == VcPinBits'(v);
    assign full      = used_q == CountBits'(NumChunks);
    assign begins    = flit_head_i || written_q == '0;
    assign lost[v]   = chosen[v] && begins && full;
    assign push      = flit_valid_i && chosen[v] && !lost[v];
    assign used[v]   = used_q != '0;

    polycast_fifo #(
      .Width(Width),
      .Depth(NumChunks * ChunkFlits)
    ) i_fifo (
      .clk_i,
      .rst_ni,
      .push_i (push),
      .data_i ({flit_tail_i, flit_head_i ? flit_header_i : HeaderBits'(0), flit_data_i}),
      .pop_i  (pop && granted[v]),
      .valid_o(there[v]),
      .data_o (front)
    );

    // What is not there is zero on the pins.
    assign fronts[v*Width+:Width] = granted[v] ? front : '0;
    // A chunk ends with its last flit, or its packet's.
    assign ends     = front[Width-1] || read_q == OffsetBits'(ChunkFlits - 1);
    assign freed[v] = pop && granted[v] && ends;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        written_q <= '0;
        read_q    <= '0;
        used_q    <= '0;
      end else begin
        if (push) begin
          written_q <= flit_tail_i ? '0 :
              begins ? OffsetBits'(ChunkFlits > 1) :
              written_q == OffsetBits'(ChunkFlits - 1) ? '0 : written_q + OffsetBits'(1);
        end
        if (pop && granted[v]) read_q <= ends ? '0 : read_q + OffsetBits'(1);
        used_q <= used_q + CountBits'(push && begins) - CountBits'(freed[v]);
      end
    end
  end

  // Whose turn it is. A transfer that is not accepted stays.
  if (NumVcs == 1) begin : gen_one
    assign granted = there;
  end else begin : gen_turns
    logic [NumVcs-1:0] mask_q, behind, next, held_q;

    polycast_rr_pick #(
      .NumReq(NumVcs)
    ) i_pick (
      .mask_i  (mask_q),
      .req_i   (there),
      .gnt_o   (next),
      .behind_o(behind)
    );

    assign granted = held_q != '0 ? held_q : next;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        mask_q <= '0;
        held_q <= '0;
      end else begin
        held_q <= pop ? '0 : granted;
        if (held_q == '0 && there != '0) mask_q <= behind;
      end
    end
  end

  always_comb begin
    {tlast_o, tuser_o, tdata_o} = '0;
    tdest_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      {tlast_o, tuser_o, tdata_o} = {tlast_o, tuser_o, tdata_o} | fronts[v*Width+:Width];
      if (granted[v]) tdest_o = VcPinBits'(v);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_o    <= 1'b0;
      credit_vc_o <= '0;
    end else begin
      credit_o    <= |freed;
      credit_vc_o <= |freed ? tdest_o : '0;
    end
  end

`ifndef SYNTHESIS
  SenderKeepsCredits: assert property (@(posedge clk_i) disable iff (!rst_ni) !error_o)
    else $error("a flit came for which there was no room");
`endif

endmodule

`default_nettype wire
