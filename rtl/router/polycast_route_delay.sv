// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Holds decisions back until as many cycles have passed as routing takes; any number of them is on
/// its way.
module polycast_route_delay #(
  /// Bits of a decision.
  parameter int unsigned Width     = 8,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits = 4
) (
  /// Clock.
  input  wire logic                 clk_i,
  /// Asynchronous reset, active low: nothing is on its way.
  input  wire logic                 rst_ni,
  /// Cycles of routing, 1 or more; with 1 what goes in comes out in the same cycle.
  input  wire logic [DelayBits-1:0] delay_i,
  /// A decision goes in.
  input  wire logic                 valid_i,
  /// The decision.
  input  wire logic [Width-1:0]     data_i,
  /// A decision comes out.
  output logic                      valid_o,
  /// The decision; of use with `valid_o`.
  output logic      [Width-1:0]     data_o,
  /// Nothing is on its way, registered.
  output logic                      empty_o
);

  localparam int unsigned MostWait = (1 << DelayBits) - 2;

  // Bit k: one went in k + 1 cycles ago.
  logic [MostWait-1:0]  waiting_q;
  logic [DelayBits-1:0] place;
  logic                 at_once, queued;
  logic [Width-1:0]     oldest;

  assign at_once = delay_i == DelayBits'(1);
  assign place   = delay_i - DelayBits'(2);
  assign valid_o = at_once ? valid_i : waiting_q[place];
  assign data_o  = at_once ? data_i : oldest;
  assign empty_o = !queued;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= '0;
    else         waiting_q <= {waiting_q[MostWait-2:0], valid_i};
  end

  polycast_fifo #(
    .Width(Width),
    .Depth(MostWait + 1)
  ) i_queue (
    .clk_i,
    .rst_ni,
    .push_i (valid_i && !at_once),
    .data_i,
    .pop_i  (valid_o && !at_once),
    .valid_o(queued),
    .data_o (oldest)
  );

`ifndef SYNTHESIS
  DelayIsNotZero: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> delay_i != '0)
    else $error("route_delay is zero");
`endif

endmodule

`default_nettype wire
