// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of the switch, by its pins alone: they hold for any switch with these ports.
module polycast_switch_cover #(
  /// Full-duplex ports.
  parameter int unsigned NumPorts = 8
) (
  /// Clock.
  input wire logic                                             clk_i,
  /// Asynchronous reset, active low.
  input wire logic                                             rst_ni,
  /// Pins of polycast_switch, here and below.
  input wire logic [NumPorts-1:0]                              flit_valid_o,
  input wire logic [NumPorts-1:0]                              flit_head_o,
  input wire logic [NumPorts-1:0]                              flit_tail_o,
  input wire logic [NumPorts-1:0][polycast_pkg::NumErrors-1:0] error_o,
  input wire logic [NumPorts-1:0][1:0]                         probe_state_o,
  input wire logic [NumPorts-1:0][NumPorts-1:0]                probe_waiting_o,
  input wire logic [NumPorts-1:0][NumPorts-1:0]                probe_reading_o,
  input wire logic [NumPorts-1:0]                              probe_held_o,
  input wire logic [NumPorts-1:0][15:0]                        probe_credits_o
);

  localparam logic [1:0] StateRouting  = 2'd1;
  localparam logic [1:0] StateDraining = 2'd3;

  polycast_pkg::errors_t error;
  logic [NumPorts-1:0][NumPorts-1:0] waiting_by_output;

  always_comb begin
    error = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      error = error | error_o[p];
      for (int unsigned o = 0; o < NumPorts; o++) begin
        waiting_by_output[o][p] = probe_waiting_o[p][o];
      end
    end
  end

  // The virtual channel is the router's.
  logic unused_error;
  assign unused_error = error.bad_vc;

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumPorts-1:0] waiting, reading;
    assign waiting = probe_waiting_o[i];
    assign reading = probe_reading_o[i];

    ReadByOneOutput:
        cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(reading) == 1);
    ReadByTwoOutputs:
        cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(reading) == 2);
    ReadByMoreOutputs:
        cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(reading) > 2);
    ReadByItsOwnOutput: cover property (@(posedge clk_i) disable iff (!rst_ni) reading[i]);
    HoldsSomeWaitsForOthers:
        cover property (@(posedge clk_i) disable iff (!rst_ni) waiting != '0 && reading != '0);
    RoutingTakesCycles:
        cover property (@(posedge clk_i) disable iff (!rst_ni) probe_state_o[i] == StateRouting);
    Drains:
        cover property (@(posedge clk_i) disable iff (!rst_ni) probe_state_o[i] == StateDraining);
  end

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic tail_left_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) tail_left_q <= 1'b0;
      else         tail_left_q <= flit_tail_o[o];
    end

    SeveralInputsWait: cover property (@(posedge clk_i) disable iff (!rst_ni)
        $countones(waiting_by_output[o]) > 1);
    OutOfCredits: cover property (@(posedge clk_i) disable iff (!rst_ni)
        probe_held_o[o] && probe_credits_o[o] == '0);
    PacketsBackToBack:
        cover property (@(posedge clk_i) disable iff (!rst_ni) tail_left_q && flit_head_o[o]);
    PacketOfOneFlit:
        cover property (@(posedge clk_i) disable iff (!rst_ni) flit_head_o[o] && flit_tail_o[o]);
  end

  AllOutputsHeld: cover property (@(posedge clk_i) disable iff (!rst_ni) probe_held_o == '1);
  AllOutputsSend: cover property (@(posedge clk_i) disable iff (!rst_ni) flit_valid_o == '1);

  Overflow: cover property (@(posedge clk_i) disable iff (!rst_ni) error.overflow);
  MissingHead: cover property (@(posedge clk_i) disable iff (!rst_ni) error.missing_head);
  MissingTail: cover property (@(posedge clk_i) disable iff (!rst_ni) error.missing_tail);
  TooLong: cover property (@(posedge clk_i) disable iff (!rst_ni) error.too_long);
  ShortHeader: cover property (@(posedge clk_i) disable iff (!rst_ni) error.short_header);
  BadKind: cover property (@(posedge clk_i) disable iff (!rst_ni) error.bad_kind);
  NoRoute: cover property (@(posedge clk_i) disable iff (!rst_ni) error.no_route);
  PartialRoute: cover property (@(posedge clk_i) disable iff (!rst_ni) error.partial_route);
  CreditOverflow: cover property (@(posedge clk_i) disable iff (!rst_ni) error.credit_overflow);

endmodule

bind polycast_switch polycast_switch_cover #(
  .NumPorts(NumPorts)
) i_cover (
  .*
);

`default_nettype wire
