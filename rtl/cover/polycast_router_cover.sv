// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of the router, by its pins alone: they hold for any router with these ports.
module polycast_router_cover #(
  /// Full-duplex ports.
  parameter int unsigned NumPorts = 5,
  /// Virtual channels of every port.
  parameter int unsigned NumVcs   = 4
) (
  /// Clock.
  input wire logic                                             clk_i,
  /// Asynchronous reset, active low.
  input wire logic                                             rst_ni,
  /// Pins of polycast_router, here and below.
  input wire logic [NumPorts-1:0]                              flit_valid_o,
  input wire logic [NumPorts-1:0]                              flit_head_o,
  input wire logic [NumPorts-1:0]                              flit_tail_o,
  input wire logic [NumPorts-1:0][polycast_pkg::NumErrors-1:0] error_o,
  input wire logic [NumPorts*NumVcs-1:0][1:0]                  probe_state_o,
  input wire logic [NumPorts*NumVcs-1:0][NumPorts-1:0]         probe_waiting_o,
  input wire logic [NumPorts*NumVcs-1:0][NumPorts-1:0]         probe_reading_o,
  input wire logic [NumPorts-1:0][NumVcs-1:0]                  probe_held_o,
  input wire logic [NumPorts*NumVcs-1:0][15:0]                 probe_credits_o
);

  localparam logic [1:0] StateUnrouted = 2'd1;
  localparam logic [1:0] StateDropped  = 2'd3;

  polycast_pkg::errors_t error;

  always_comb begin
    error = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      error = error | error_o[p];
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
      localparam int unsigned Entry = p * NumVcs + v;
      logic [NumPorts-1:0] waiting, reading;
      assign waiting = probe_waiting_o[Entry];
      assign reading = probe_reading_o[Entry];

      Held: cover property (@(posedge clk_i) disable iff (!rst_ni) probe_held_o[p][v]);
      OutOfCredits: cover property (@(posedge clk_i) disable iff (!rst_ni)
          probe_held_o[p][v] && probe_credits_o[Entry] == '0);
      Unrouted:
          cover property (@(posedge clk_i) disable iff (!rst_ni) probe_state_o[Entry] ==
              StateUnrouted);
      Drops:
          cover property (@(posedge clk_i) disable iff (!rst_ni) probe_state_o[Entry] ==
              StateDropped);
      ReadBySeveralOutputs:
          cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(reading) > 1);
      HoldsSomeWaitsForOthers:
          cover property (@(posedge clk_i) disable iff (!rst_ni) waiting != '0 && reading != '0);
    end

    AllChannelsHeld: cover property (@(posedge clk_i) disable iff (!rst_ni) probe_held_o[p] == '1);
    PacketOfOneFlit:
        cover property (@(posedge clk_i) disable iff (!rst_ni) flit_head_o[p] && flit_tail_o[p]);
  end

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
  BadVc: cover property (@(posedge clk_i) disable iff (!rst_ni) error.bad_vc);

endmodule

bind polycast_router polycast_router_cover #(
  .NumPorts(NumPorts),
  .NumVcs  (NumVcs)
) i_cover (
  .*
);

`default_nettype wire
