// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Chooses one of several equally good output ports: "selection" in hw/chips/switch/switch.md.
module polycast_port_select #(
  /// Ports of the switch.
  parameter int unsigned NumPorts   = 8,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16
) (
  /// Clock.
  input  wire logic                                   clk_i,
  /// Asynchronous reset, active low: the round-robin pointer goes to port 0.
  input  wire logic                                   rst_ni,
  /// How to choose.
  input  wire logic [polycast_pkg::SelectionBits-1:0] selection_i,
  /// The ports to choose from; zero while nothing is to be chosen.
  input  wire logic [NumPorts-1:0]                    candidates_i,
  /// Ports that are held by a packet.
  input  wire logic [NumPorts-1:0]                    held_i,
  /// Chunks outstanding behind each port.
  input  wire logic [NumPorts*CreditBits-1:0]         outstanding_i,
  /// The chosen port, one-hot; zero if there is nothing to choose from.
  output logic      [NumPorts-1:0]                    choice_o
);

  typedef struct packed { logic [NumPorts-1:0][CreditBits-1:0] at; } port_credits_t;

  port_credits_t outstanding;

  assign outstanding = outstanding_i;

  logic [NumPorts-1:0]   round_robin, round_robin_candidates, least_loaded;
  logic [CreditBits:0]   load, best;

  assign round_robin_candidates = (selection_i == polycast_pkg::SelectionRoundRobin) ?
      candidates_i : '0;

  polycast_rr_arbiter #(
    .NumReq(NumPorts)
  ) i_round_robin (
    .clk_i,
    .rst_ni,
    .fixed_i(1'b0),
    .req_i  (round_robin_candidates),
    .gnt_o  (round_robin)
  );

  always_comb begin
    least_loaded = '0;
    load         = '0;
    best         = '0;
    if (candidates_i != '0) begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        load = {held_i[p], outstanding.at[p]};
        if (candidates_i[p] && (least_loaded == '0 || load < best)) begin
          least_loaded = NumPorts'(1) << p;
          best         = load;
        end
      end
    end
  end

  always_comb begin
    unique case (selection_i)
      polycast_pkg::SelectionLeastLoaded: choice_o = least_loaded;
      polycast_pkg::SelectionRoundRobin:  choice_o = round_robin;
      default:                            choice_o = candidates_i & (~candidates_i + NumPorts'(1));
    endcase
  end

`ifndef SYNTHESIS
  ChoiceIsOneCandidate: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(choice_o) && (choice_o & ~candidates_i) == '0 &&
          (choice_o == '0) == (candidates_i == '0))
    else $error("not one of the candidates was chosen");
`endif

endmodule

`default_nettype wire
