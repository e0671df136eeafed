// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cycles in which codes of a chip's memories have corrected something at each port.
module polycast_correction_counts #(
  /// Ports of the chip.
  parameter int unsigned NumPorts  = 8,
  /// There are codes; otherwise there are no counters.
  parameter bit          Corrected = 1'b0
) (
  /// Clock.
  input  wire logic                   clk_i,
  /// Asynchronous reset, active low: zero.
  input  wire logic                   rst_ni,
  /// A code corrects something at these inputs in this cycle.
  input  wire logic [NumPorts-1:0]    input_i,
  /// At these outputs.
  input  wire logic [NumPorts-1:0]    output_i,
  /// The counts, up to 65,535.
  output logic      [NumPorts*16-1:0] count_o
);

  if (Corrected) begin : gen_counts
    for (genvar p = 0; p < NumPorts; p++) begin : gen_port
      logic [15:0] count_q;
      logic        corrected;
      assign corrected          = input_i[p] || output_i[p];
      assign count_o[16*p+:16] = count_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni)                        count_q <= '0;
        else if (corrected && count_q != '1) count_q <= count_q + 16'd1;
      end
    end
  end else begin : gen_none
    assign count_o = '0;
    logic unused;
    assign unused = ^{clk_i, rst_ni, input_i, output_i};
  end

endmodule

`default_nettype wire
