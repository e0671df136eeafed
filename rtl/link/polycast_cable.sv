// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A cable for simulation: two link ends, the wires between them, and what spoils the wires.
/// rtl/link/README.md describes its pins. Pins have a part for each end, that of end 0 in the
/// lowest bits: the chip at end 0 drives bit 0 of flit_valid_i.
module polycast_cable #(
  // Parameters and pins: written by `scripts/polycast generate` from hw/format/chips.yaml.
  /// Virtual channels (1..16).
  parameter int unsigned NumVcs          = 1,
  /// Bytes of a flit (1..64).
  parameter int unsigned FlitBytes       = 16,
  /// Bytes of a free header; 0: headers are in the flits (0..4096).
  parameter int unsigned HeaderBytes     = 0,
  /// Trailers and ordered sets on 64 wires beside the flit.
  parameter bit          Beside          = 1'b0,
  /// Flits of the longest frame (1..256).
  parameter int unsigned FrameFlits      = 8,
  /// Flits of the ring (1..16777216).
  parameter int unsigned RingFlits       = 64,
  /// Frames that may be outstanding (1..524288).
  parameter int unsigned WindowFrames    = 19,
  /// Bits of sequence numbers; with layer `check` 20 (3..20).
  parameter int unsigned SeqBits         = 20,
  /// Code of flits in the ring: 0 none, 1 parity, 2 SECDED (0..2).
  parameter int unsigned ProtectRings    = 0,
  /// Code of credit counters, likewise (0..2).
  parameter int unsigned ProtectCounters = 0,
  /// Cycles of the wire in each direction (1..4096).
  parameter int unsigned Delay           = 1,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned HeaderPinBits   = HeaderBytes > 0 ? HeaderBytes * 8 : 1,
  /// Wires of a symbol; derived, do not set.
  parameter int unsigned WireBits        = 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0)
) (
  /// Clock.
  input  wire logic                                 clk_i,
  /// Asynchronous reset, active low: drops the traffic, zeroes the counters, keeps the
  /// configuration.
  input  wire logic                                 rst_ni,

  /// A flit arrives.
  input  wire logic [1:0]                           flit_valid_i,
  /// It is the first flit of its packet.
  input  wire logic [1:0]                           flit_head_i,
  /// It is the last flit of its packet.
  input  wire logic [1:0]                           flit_tail_i,
  /// Its virtual channel; ignored if there is only one.
  input  wire logic [2*polycast_pkg::VcPinBits-1:0] flit_vc_i,
  /// Its data.
  input  wire logic [2*FlitBytes*8-1:0]             flit_data_i,
  /// The header of its packet beside the head flit; ignored if headers are in the flits.
  input  wire logic [2*HeaderPinBits-1:0]           flit_header_i,
  /// A unit of the far buffer has become free.
  output logic      [1:0]                           credit_o,
  /// The virtual channel of that buffer.
  output logic      [2*polycast_pkg::VcPinBits-1:0] credit_vc_o,

  /// A flit leaves.
  output logic      [1:0]                           flit_valid_o,
  /// It is the first flit of its packet.
  output logic      [1:0]                           flit_head_o,
  /// It is the last flit of its packet.
  output logic      [1:0]                           flit_tail_o,
  /// Its virtual channel; zero if there is only one.
  output logic      [2*polycast_pkg::VcPinBits-1:0] flit_vc_o,
  /// Its data.
  output logic      [2*FlitBytes*8-1:0]             flit_data_o,
  /// The header of its packet beside the head flit; zero if headers are in the flits.
  output logic      [2*HeaderPinBits-1:0]           flit_header_o,
  /// A unit of the chip's input buffer has become free.
  input  wire logic [1:0]                           credit_i,
  /// The virtual channel of that buffer; ignored if there is only one.
  input  wire logic [2*polycast_pkg::VcPinBits-1:0] credit_vc_i,

  /// The symbol that reaches the end in this cycle, before it is spoilt: data, head, tail, virtual
  /// channel, kind (3 bits), 64 bits beside, free header, the first in the lowest bits.
  output logic      [2*WireBits-1:0]                symbol_o,
  /// 0: the end receives nothing in this cycle.
  input  wire logic [1:0]                           signal_i,
  /// The symbol that reaches the end in this cycle becomes idle.
  input  wire logic [1:0]                           lose_i,
  /// Wires that flip, behind lose_i.
  input  wire logic [2*WireBits-1:0]                flip_i,

  /// Writes a configuration register of the end.
  input  wire logic [1:0]                           cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                          cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                          cfg_data_i,

  /// Errors, `polycast_pkg::Error...`.
  output logic      [2*polycast_pkg::NumErrors-1:0] error_o,
  /// Both ends are idle, and so are the wires.
  output logic                                      idle_o,

  /// State of the sender, `polycast_link_pkg::tx_e`.
  output logic      [5:0]                           probe_tx_o,
  /// The state that the last cycle counts for.
  output logic      [5:0]                           probe_counted_o,
  /// State of the receiver, `polycast_link_pkg::rx_e`.
  output logic      [3:0]                           probe_rx_o,
  /// What FLUSH came from last, `polycast_link_pkg::cause_e`.
  output logic      [5:0]                           probe_cause_o,
  /// Sequence number of the next new frame.
  output logic      [39:0]                          probe_next_o,
  /// Sequence number that is expected.
  output logic      [39:0]                          probe_expected_o,
  /// Frames that are not acknowledged.
  output logic      [39:0]                          probe_outstanding_o,
  /// Flits in the ring.
  output logic      [63:0]                          probe_ring_o,
  /// Starts of a replay without progress.
  output logic      [15:0]                          probe_replays_o,
  /// The replay timer counts.
  output logic      [1:0]                           probe_timer_on_o,
  /// The cycles that are left; at 0 a replay begins.
  output logic      [63:0]                          probe_timer_o,
  /// Units of each virtual channel that the sender has begun, cyclic.
  output logic      [2*NumVcs*20-1:0]               probe_s_cc_o,
  /// Units that were freed, as the sender was told.
  output logic      [2*NumVcs*20-1:0]               probe_s_cf_o,
  /// Units that the receiver has begun.
  output logic      [2*NumVcs*20-1:0]               probe_r_cc_o,
  /// Units that were freed, as the receiver counts them.
  output logic      [2*NumVcs*20-1:0]               probe_r_cf_o,
  /// Data waits for an acknowledgement, or several cc_updates were in vain.
  output logic      [1:0]                           probe_waits_o,
  /// There are flits from the chip or for it.
  output logic      [1:0]                           probe_holds_o,
  /// The counters in the order of hw/chips/link/link_counters.h.
  output logic      [2*36*64-1:0]                   counts_o
);

  localparam int unsigned VcBits   = polycast_pkg::VcPinBits;
  localparam int unsigned DataBits = 8 * FlitBytes;
  localparam int unsigned Counts   = 34 * polycast_link_pkg::CountBits;

  // The check of the parameters: written by `scripts/polycast generate` from hw/format/chips.yaml.
  if (Delay < 1 || Delay > 4096)
  begin : gen_bad_parameters
    $error("polycast_cable: a parameter is out of range");
  end
  if (HeaderPinBits != (HeaderBytes > 0 ? HeaderBytes * 8 : 1) ||
      WireBits != 8 * (FlitBytes + HeaderBytes) + 9 + (Beside ? 64 : 0)) begin : gen_bad_derived
    $error("polycast_cable: a derived parameter is set");
  end

  logic [2*WireBits-1:0] sent, received;
  logic [1:0]            end_idle, wire_idle;

  assign idle_o = end_idle == '1 && wire_idle == '1;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    // The wire towards this end: a register for each cycle, behind that of the other end.
    logic [(Delay+1)*WireBits-1:0] wires;
    logic [Delay:0]                silent;

    assign wires[0+:WireBits]              = sent[(1-e)*WireBits+:WireBits];
    assign silent[0]                       = sent[(1-e)*WireBits+:WireBits] == '0;
    assign symbol_o[e*WireBits+:WireBits]  = wires[Delay*WireBits+:WireBits];
    assign wire_idle[e]                    = silent == '1;

    for (genvar d = 0; d < Delay; d++) begin : gen_delay
      polycast_pipe #(
        .Width  (WireBits),
        .Stages (1)
      ) u_register (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .data_i  (wires[d*WireBits+:WireBits]),
        .data_o  (wires[(d+1)*WireBits+:WireBits]),
        .empty_o (silent[d+1])
      );
    end

    assign received[e*WireBits+:WireBits] =
        (symbol_o[e*WireBits+:WireBits] & {WireBits{!lose_i[e]}}) ^ flip_i[e*WireBits+:WireBits];

    // The instance: written by `scripts/polycast generate` from hw/format/chips.yaml.
    polycast_link_end #(
      .NumVcs          (NumVcs),
      .FlitBytes       (FlitBytes),
      .HeaderBytes     (HeaderBytes),
      .Beside          (Beside),
      .FrameFlits      (FrameFlits),
      .RingFlits       (RingFlits),
      .WindowFrames    (WindowFrames),
      .SeqBits         (SeqBits),
      .ProtectRings    (ProtectRings),
      .ProtectCounters (ProtectCounters)
    ) u_end (
      .clk_i               (clk_i),
      .rst_ni              (rst_ni),
      .flit_valid_i        (flit_valid_i[e]),
      .flit_head_i         (flit_head_i[e]),
      .flit_tail_i         (flit_tail_i[e]),
      .flit_vc_i           (flit_vc_i[e*polycast_pkg::VcPinBits+:polycast_pkg::VcPinBits]),
      .flit_data_i         (flit_data_i[e*FlitBytes*8+:FlitBytes*8]),
      .flit_header_i       (flit_header_i[e*HeaderPinBits+:HeaderPinBits]),
      .credit_o            (credit_o[e]),
      .credit_vc_o         (credit_vc_o[e*polycast_pkg::VcPinBits+:polycast_pkg::VcPinBits]),
      .flit_valid_o        (flit_valid_o[e]),
      .flit_head_o         (flit_head_o[e]),
      .flit_tail_o         (flit_tail_o[e]),
      .flit_vc_o           (flit_vc_o[e*polycast_pkg::VcPinBits+:polycast_pkg::VcPinBits]),
      .flit_data_o         (flit_data_o[e*FlitBytes*8+:FlitBytes*8]),
      .flit_header_o       (flit_header_o[e*HeaderPinBits+:HeaderPinBits]),
      .credit_i            (credit_i[e]),
      .credit_vc_i         (credit_vc_i[e*polycast_pkg::VcPinBits+:polycast_pkg::VcPinBits]),
      .wire_i              (received[e*WireBits+:WireBits]),
      .signal_i            (signal_i[e]),
      .wire_o              (sent[e*WireBits+:WireBits]),
      .cfg_valid_i         (cfg_valid_i[e]),
      .cfg_addr_i          (cfg_addr_i),
      .cfg_data_i          (cfg_data_i),
      .error_o             (error_o[e*polycast_pkg::NumErrors+:polycast_pkg::NumErrors]),
      .idle_o              (end_idle[e]),
      .probe_tx_o          (probe_tx_o[e*3+:3]),
      .probe_counted_o     (probe_counted_o[e*3+:3]),
      .probe_rx_o          (probe_rx_o[e*2+:2]),
      .probe_cause_o       (probe_cause_o[e*3+:3]),
      .probe_next_o        (probe_next_o[e*20+:20]),
      .probe_expected_o    (probe_expected_o[e*20+:20]),
      .probe_outstanding_o (probe_outstanding_o[e*20+:20]),
      .probe_ring_o        (probe_ring_o[e*32+:32]),
      .probe_replays_o     (probe_replays_o[e*8+:8]),
      .probe_timer_on_o    (probe_timer_on_o[e]),
      .probe_timer_o       (probe_timer_o[e*32+:32]),
      .probe_s_cc_o        (probe_s_cc_o[e*NumVcs*20+:NumVcs*20]),
      .probe_s_cf_o        (probe_s_cf_o[e*NumVcs*20+:NumVcs*20]),
      .probe_r_cc_o        (probe_r_cc_o[e*NumVcs*20+:NumVcs*20]),
      .probe_r_cf_o        (probe_r_cf_o[e*NumVcs*20+:NumVcs*20]),
      .probe_waits_o       (probe_waits_o[e]),
      .probe_holds_o       (probe_holds_o[e]),
      .counts_o            (counts_o[e*36*64+:36*64])
    );

`ifndef SYNTHESIS
    // What is sent is well-formed, and what leaves is made of whole packets that came in at the
    // other end, or of their beginnings with a poison tail: whatever happens to the wires.
    localparam int unsigned KindBit  = DataBits + 6;
    localparam int unsigned Poisoned = 13;

    logic [WireBits-1:0]                   wire_sent;
    logic [2:0]                            kind, kind_q;
    logic [VcBits-1:0]                     vc;
    logic [(1<<VcBits)-1:0]                open_q;
    logic [polycast_link_pkg::CountBits-1:0] came_q, left_q, poisoned;

    assign wire_sent = sent[e*WireBits+:WireBits];
    assign kind      = wire_sent[KindBit+:3];
    assign vc        = flit_vc_o[e*VcBits+:VcBits];
    assign poisoned  = counts_o[e*Counts+Poisoned*polycast_link_pkg::CountBits+:
                                polycast_link_pkg::CountBits];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        kind_q <= '0;
        open_q <= '0;
        came_q <= '0;
        left_q <= '0;
      end else begin
        kind_q <= kind;
        came_q <= came_q + polycast_link_pkg::CountBits'(flit_valid_i[1-e]);
        left_q <= left_q + polycast_link_pkg::CountBits'(flit_valid_o[e]);
        if (flit_valid_o[e]) open_q[vc] <= !flit_tail_o[e];
      end
    end

    KindIsOneOfFour: assert property (@(posedge clk_i) disable iff (!rst_ni)
        kind == polycast_link_pkg::KindIdle || kind == polycast_link_pkg::KindFlit ||
        kind == polycast_link_pkg::KindCheck || kind == polycast_link_pkg::KindSet)
      else $error("a symbol of no kind is sent");
    IdleIsSilent: assert property (@(posedge clk_i) disable iff (!rst_ni)
        kind == polycast_link_pkg::KindIdle |-> wire_sent == '0)
      else $error("an idle symbol says something");
    FramesAreFinished: assert property (@(posedge clk_i) disable iff (!rst_ni)
        !Beside && kind_q == polycast_link_pkg::KindFlit |->
        kind == polycast_link_pkg::KindFlit || kind == polycast_link_pkg::KindCheck)
      else $error("a frame ends without a trailer");
    NoTrailerBeside: assert property (@(posedge clk_i) disable iff (!rst_ni)
        Beside |-> kind != polycast_link_pkg::KindCheck)
      else $error("a trailer takes a cycle of its own");
    PacketsAreFramed: assert property (@(posedge clk_i) disable iff (!rst_ni)
        flit_valid_o[e] |-> flit_head_o[e] != open_q[vc])
      else $error("a head inside a packet, or a flit outside one, leaves for the chip");
    ChannelExists: assert property (@(posedge clk_i) disable iff (!rst_ni)
        flit_valid_o[e] |-> 32'(vc) < NumVcs)
      else $error("a flit leaves on a virtual channel that does not exist");
    NothingTwice: assert property (@(posedge clk_i) disable iff (!rst_ni)
        left_q <= came_q + poisoned)
      else $error("more flits leave than came in and were cut");
`endif
  end

endmodule

`default_nettype wire
