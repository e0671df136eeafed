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
  input wire logic                                        clk_i,
  /// Asynchronous reset, active low.
  input wire logic                                        rst_ni,
  /// Pins of polycast_router, here and below.
  input wire logic [NumPorts-1:0]                         flit_valid_o,
  input wire logic [NumPorts-1:0]                         flit_head_o,
  input wire logic [NumPorts-1:0]                         flit_tail_o,
  input wire logic [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  input wire logic [NumPorts*NumVcs*2-1:0]                probe_state_o,
  input wire logic [NumPorts*NumVcs*NumPorts-1:0]         probe_waiting_o,
  input wire logic [NumPorts*NumVcs*NumPorts-1:0]         probe_reading_o,
  input wire logic [NumPorts*NumVcs-1:0]                  probe_held_o,
  input wire logic [NumPorts*NumVcs*16-1:0]               probe_credits_o
);

  localparam logic [1:0] StateUnrouted = 2'd1;
  localparam logic [1:0] StateDropped  = 2'd3;

  logic [polycast_pkg::NumErrors-1:0] error;

  always_comb begin
    error = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      error = error | error_o[p*polycast_pkg::NumErrors+:polycast_pkg::NumErrors];
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
      localparam int unsigned Entry = p * NumVcs + v;
      logic [NumPorts-1:0] waiting, reading;
      assign waiting = probe_waiting_o[Entry*NumPorts+:NumPorts];
      assign reading = probe_reading_o[Entry*NumPorts+:NumPorts];

      Held: cover property (@(posedge clk_i) disable iff (!rst_ni) probe_held_o[Entry]);
      OutOfCredits: cover property (@(posedge clk_i) disable iff (!rst_ni)
          probe_held_o[Entry] && probe_credits_o[Entry*16+:16] == '0);
      Unrouted:
          cover property (@(posedge clk_i) disable iff (!rst_ni) probe_state_o[Entry*2+:2] ==
              StateUnrouted);
      Drops:
          cover property (@(posedge clk_i) disable iff (!rst_ni) probe_state_o[Entry*2+:2] ==
              StateDropped);
      ReadBySeveralOutputs:
          cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(reading) > 1);
      HoldsSomeWaitsForOthers:
          cover property (@(posedge clk_i) disable iff (!rst_ni) waiting != '0 && reading != '0);
    end

    AllChannelsHeld:
        cover property (@(posedge clk_i) disable iff (!rst_ni) probe_held_o[p*NumVcs+:NumVcs] ==
            '1);
    PacketOfOneFlit:
        cover property (@(posedge clk_i) disable iff (!rst_ni) flit_head_o[p] && flit_tail_o[p]);
  end

  AllOutputsSend: cover property (@(posedge clk_i) disable iff (!rst_ni) flit_valid_o == '1);

  Overflow:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorOverflow]);
  MissingHead:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorMissingHead]);
  MissingTail:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorMissingTail]);
  TooLong:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorTooLong]);
  ShortHeader:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorShortHeader]);
  BadKind:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorBadKind]);
  NoRoute:
      cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorNoRoute]);
  PartialRoute:
      cover property (@(posedge clk_i) disable iff (!rst_ni)
          error[polycast_pkg::ErrorPartialRoute]);
  CreditOverflow:
      cover property (@(posedge clk_i) disable iff (!rst_ni)
          error[polycast_pkg::ErrorCreditOverflow]);
  BadVc: cover property (@(posedge clk_i) disable iff (!rst_ni) error[polycast_pkg::ErrorBadVc]);

endmodule

bind polycast_router polycast_router_cover #(
  .NumPorts(NumPorts),
  .NumVcs  (NumVcs)
) i_cover (
  .*
);

`default_nettype wire
