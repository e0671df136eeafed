// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Chain of registers; what goes in comes out Stages cycles later.
module polycast_pipe #(
  /// Bits that travel.
  parameter int unsigned Width  = 8,
  /// Registers, 1 or more.
  parameter int unsigned Stages = 1
) (
  /// Clock.
  input  wire logic             clk_i,
  /// Asynchronous reset, active low: all zero.
  input  wire logic             rst_ni,
  /// What goes in.
  input  wire logic [Width-1:0] data_i,
  /// What comes out, registered.
  output logic      [Width-1:0] data_o,
  /// All registers are zero.
  output logic                  empty_o
);

  typedef struct packed { logic [Stages-1:0][Width-1:0] at; } stages_t;

  stages_t pipe_q;

  assign data_o  = pipe_q.at[Stages-1];
  assign empty_o = pipe_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pipe_q <= '0;
    else         pipe_q <= (Stages * Width)'({pipe_q, data_i});
  end

endmodule

`default_nettype wire
