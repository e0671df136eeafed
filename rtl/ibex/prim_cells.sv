// SPDX-License-Identifier: Apache-2.0 The technology cells that Ibex asks for by name and that a
// technology library would bring, as plain logic for simulation.

/// A buffer that synthesis may not remove.
module prim_buf #(
  parameter int unsigned Width = 1
) (
  input  logic [Width-1:0] in_i,
  output logic [Width-1:0] out_o
);
  assign out_o = in_i;
endmodule

/// A register with asynchronous reset.
module prim_flop #(
  parameter int unsigned      Width      = 1,
  parameter logic [Width-1:0] ResetValue = '0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) q_o <= ResetValue;
    else q_o <= d_i;
  end
endmodule

/// Clock gate with a latch: the enable may change only while the clock is low.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);
  logic enable;
  always_latch begin
    if (!clk_i) enable = en_i | test_en_i;
  end
  assign clk_o = clk_i & enable;
endmodule

/// Chooses one of two clocks.
module prim_clock_mux2 #(
  parameter bit NoFpgaBufG = 1'b0
) (
  input  logic clk0_i,
  input  logic clk1_i,
  input  logic sel_i,
  output logic clk_o
);
  assign clk_o = sel_i ? clk1_i : clk0_i;
endmodule
