// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// From AXI4-Stream to a link: packets of a stream become flits, sent on credits.
/// rtl/stream/README.md describes it.
///
/// A transfer is a flit, TLAST its packet's end. Packets of different channels may be interleaved,
/// those of one channel may not. A transfer is accepted if it goes on in a chunk of the far buffer,
/// or a chunk is left for it, and is on the pins in the next cycle.
module polycast_stream_source #(
  /// Bytes of a flit, and of TDATA (1..64).
  parameter int unsigned FlitBytes  = 1,
  /// Bits of the header beside the head flit, and of TUSER; 1, and ignored, where headers are in
  /// the flits.
  parameter int unsigned HeaderBits = 1,
  /// Virtual channels of the link (1..16).
  parameter int unsigned NumVcs     = 1,
  /// Flits of a chunk of the far buffer; one credit = one chunk (1..256). A router's has 1.
  parameter int unsigned ChunkFlits = 8,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16
) (
  /// Clock.
  input  wire logic                               clk_i,
  /// Asynchronous reset, active low: no packet begun, all credits there.
  input  wire logic                               rst_ni,
  /// Chunks of the far buffer, of each channel; constant from reset on.
  input  wire logic [CreditBits-1:0]              credits_i,

  /// TVALID: there is a transfer.
  input  wire logic                               tvalid_i,
  /// TREADY: it is accepted. Depends on TDEST, not on TVALID.
  output logic                                    tready_o,
  /// TDATA: the flit.
  input  wire logic [FlitBytes*8-1:0]             tdata_i,
  /// TLAST: it is the last one of its packet.
  input  wire logic                               tlast_i,
  /// TUSER: the header of the packet, with its first flit.
  input  wire logic [HeaderBits-1:0]              tuser_i,
  /// TDEST: the virtual channel, below NumVcs; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] tdest_i,

  /// A flit leaves.
  output logic                                    flit_valid_o,
  /// It is the first flit of its packet.
  output logic                                    flit_head_o,
  /// It is the last flit of its packet.
  output logic                                    flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  output logic      [polycast_pkg::VcPinBits-1:0] flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]             flit_data_o,
  /// The header of its packet beside the head flit.
  output logic      [HeaderBits-1:0]              flit_header_o,
  /// A chunk of the far buffer has become free.
  input  wire logic                               credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input  wire logic [polycast_pkg::VcPinBits-1:0] credit_vc_i,

  /// A credit came while all were there; it is ignored.
  output logic                                    error_o,
  /// No packet is begun, no flit on the pins, and all credits are there.
  output logic                                    idle_o
);

  localparam int unsigned OffsetBits = ChunkFlits > 1 ? $clog2(ChunkFlits) : 1;

  logic [NumVcs-1:0] chosen, ready, head, overflow, busy;
  logic              take;

  assign tready_o = |(chosen & ready);
  assign take     = tvalid_i && tready_o;

  for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
    logic                  in_packet_q, taken, begins, left;
    logic [OffsetBits-1:0] offset_q;
    logic [CreditBits-1:0] outstanding;

    assign chosen[v] = NumVcs == 1 || tdest_i == polycast_pkg::VcPinBits'(v);
    // A packet begins with a chunk of its own.
    assign begins    = !in_packet_q || offset_q == '0;
    assign head[v]   = chosen[v] && !in_packet_q;
    assign ready[v]  = !begins || left;
    assign taken     = take && chosen[v];
    assign busy[v]   = in_packet_q || outstanding != '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        in_packet_q <= 1'b0;
        offset_q    <= '0;
      end else if (taken) begin
        in_packet_q <= !tlast_i;
        offset_q    <= tlast_i || offset_q == OffsetBits'(ChunkFlits - 1) ?
            '0 : offset_q + OffsetBits'(1);
      end
    end

    polycast_credit_counter #(
      .CreditBits(CreditBits)
    ) i_credits (
      .clk_i,
      .rst_ni,
      .clear_i      (1'b0),
      .credits_i,
      .spend_i      (taken && begins),
      .credit_i     (credit_i &&
                     (NumVcs == 1 || credit_vc_i == polycast_pkg::VcPinBits'(v))),
      .upset_i      ('0),
      .outstanding_o(outstanding),
      .left_o       (left),
      .overflow_o   (overflow[v])
    );
  end

  assign error_o = |overflow;
  assign idle_o  = !flit_valid_o && busy == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flit_valid_o  <= 1'b0;
      flit_head_o   <= 1'b0;
      flit_tail_o   <= 1'b0;
      flit_vc_o     <= '0;
      flit_data_o   <= '0;
      flit_header_o <= '0;
    end else begin
      flit_valid_o  <= take;
      flit_head_o   <= take && |head;
      flit_tail_o   <= take && tlast_i;
      flit_vc_o     <= take && NumVcs > 1 ? tdest_i : '0;
      flit_data_o   <= take ? tdata_i : '0;
      flit_header_o <= take && |head ? tuser_i : '0;
    end
  end

`ifndef SYNTHESIS
  ChannelExists: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tvalid_i |-> NumVcs == 1 || 32'(tdest_i) < NumVcs)
    else $error("TDEST names a virtual channel that there is not: the transfer waits for ever");
  TransferStays: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tvalid_i && !tready_o |=> tvalid_i && $stable({tdata_i, tlast_i, tuser_i, tdest_i}))
    else $error("a transfer that was not accepted has gone or changed");
`endif

endmodule

`default_nettype wire
