// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Life of the packet at the front of an input: idle, routing, active or draining; holds its header
/// and its ungranted branches.
module polycast_route_stage #(
  /// Ports of the switch.
  parameter int unsigned NumPorts   = 8,
  /// Bits of a header as `polycast_header_capture` gives it.
  parameter int unsigned HeaderBits = 37,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits  = 4
) (
  /// Clock.
  input  wire logic                  clk_i,
  /// Asynchronous reset, active low: idle.
  input  wire logic                  rst_ni,
  /// Cycles of routing, 1 or more.
  input  wire logic [DelayBits-1:0]  route_delay_i,
  /// A header has become complete in this cycle.
  input  wire logic                  complete_i,
  /// Its packet ended before it.
  input  wire logic                  complete_short_i,
  /// The header.
  input  wire logic [HeaderBits-1:0] complete_header_i,
  /// There is a header in the queue.
  input  wire logic                  queued_i,
  /// The packet of the first header in the queue ended before it.
  input  wire logic                  queued_short_i,
  /// The first header in the queue.
  input  wire logic [HeaderBits-1:0] queued_header_i,
  /// The completed header goes to the queue.
  output logic                       push_o,
  /// The first header of the queue is taken.
  output logic                       pop_o,
  /// The outputs of the packet are decided in this cycle.
  output logic                       decide_o,
  /// The header to decide about.
  output logic      [HeaderBits-1:0] decide_header_o,
  /// Its packet ended before it.
  output logic                       decide_short_o,
  /// The decision: drop the packet.
  input  wire logic                  drop_i,
  /// The decision: outputs that the packet goes to; zero where it is dropped.
  input  wire logic [NumPorts-1:0]   branches_i,
  /// The decision: that of them whose copy goes on to the next stop of a path worm.
  input  wire logic [NumPorts-1:0]   advancing_i,
  /// Outputs that have granted this input in this cycle.
  input  wire logic [NumPorts-1:0]   gnt_i,
  /// The packet has been read by all its readers with this cycle.
  input  wire logic                  done_i,
  /// 0 idle, 1 routing, 2 active, 3 draining.
  output logic      [1:0]            state_o,
  /// Outputs that have not granted the packet yet.
  output logic      [NumPorts-1:0]   waiting_o,
  /// Output of the packet that is active whose copy goes on to the next stop.
  output logic      [NumPorts-1:0]   advancing_o,
  /// Header of the packet that is active.
  output logic      [HeaderBits-1:0] header_o
);

  localparam logic [1:0] StateIdle     = 2'd0;
  localparam logic [1:0] StateRouting  = 2'd1;
  localparam logic [1:0] StateActive   = 2'd2;
  localparam logic [1:0] StateDraining = 2'd3;

  logic [1:0]            state_q, state_d;
  logic [DelayBits-1:0]  delay_q, delay_d;
  logic [NumPorts-1:0]   waiting_q, waiting_d;
  logic [HeaderBits-1:0] header_q;
  logic                  short_q;
  logic [NumPorts-1:0]   advancing_q;
  logic                  start;

  assign state_o     = state_q;
  assign waiting_o   = waiting_q;
  assign header_o    = header_q;
  assign advancing_o = advancing_q;

  always_comb begin
    start  = state_q == StateIdle && (queued_i || complete_i);
    pop_o  = start && queued_i;
    push_o = complete_i && !(start && !queued_i);

    decide_header_o = header_q;
    decide_short_o  = short_q;
    if (start) begin
      decide_header_o = queued_i ? queued_header_i : complete_header_i;
      decide_short_o  = queued_i ? queued_short_i : complete_short_i;
    end
    decide_o = (start && route_delay_i == DelayBits'(1)) ||
        (state_q == StateRouting && delay_q == DelayBits'(1));

    state_d   = state_q;
    delay_d   = delay_q;
    waiting_d = waiting_q & ~gnt_i;
    if (start) begin
      state_d = StateRouting;
      delay_d = route_delay_i - DelayBits'(1);
    end
    if (state_q == StateRouting) delay_d = delay_q - DelayBits'(1);
    if (decide_o) begin
      state_d   = drop_i ? StateDraining : StateActive;
      waiting_d = branches_i;
    end
    if (done_i) state_d = StateIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StateIdle;
      delay_q   <= '0;
      waiting_q <= '0;
    end else begin
      state_q   <= state_d;
      delay_q   <= delay_d;
      waiting_q <= waiting_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      header_q <= decide_header_o;
      short_q  <= decide_short_o;
    end
    if (decide_o) advancing_q <= advancing_i;
  end

`ifndef SYNTHESIS
  DelayIsNotZero:
      assert property (@(posedge clk_i) disable iff (!rst_ni) start |-> route_delay_i != '0)
    else $error("route_delay is zero");
  DecisionIsOneOfTwo: assert property (@(posedge clk_i) disable iff (!rst_ni)
      decide_o |-> drop_i == (branches_i == '0))
    else $error("a packet is neither dropped nor sent, or both");
  OneCopyAdvances: assert property (@(posedge clk_i) disable iff (!rst_ni)
      decide_o |-> $onehot0(advancing_i) && (advancing_i & ~branches_i) == '0)
    else $error("not one of the copies goes on to the next stop");
  GrantsWereAwaited:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_i & ~waiting_q) == '0)
    else $error("a grant to a branch that does not wait");
  WaitingOnlyWhileActive: assert property (@(posedge clk_i) disable iff (!rst_ni)
      waiting_q == '0 || state_q == StateActive)
    else $error("branches wait for a packet that is not active");
  DoneOnlyWhileRead: assert property (@(posedge clk_i) disable iff (!rst_ni)
      done_i |-> state_q == StateActive || state_q == StateDraining)
    else $error("a packet was done that was not read");
`endif

endmodule

`default_nettype wire
