// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Loads of all outputs of a router whose packets choose among the ports of a route; of another
/// zero, and nothing is counted.
module polycast_output_loads #(
  /// Ports.
  parameter int unsigned NumPorts = 5,
  /// Bits of a load; all packets that the buffers hold must fit.
  parameter int unsigned LoadBits = 8,
  /// Packets choose.
  parameter bit          Adaptive = 1'b0
) (
  /// Clock.
  input  wire logic                         clk_i,
  /// Asynchronous reset, active low: no packet is inside.
  input  wire logic                         rst_ni,
  /// Outputs to which each input routes a packet: input 0 in the lowest bits.
  input  wire logic [NumPorts*NumPorts-1:0] routed_i,
  /// Each output reads a tail.
  input  wire logic [NumPorts-1:0]          tail_i,
  /// The loads, registered.
  output logic      [NumPorts*LoadBits-1:0] load_o
);

  if (Adaptive) begin : gen_loads
    for (genvar o = 0; o < NumPorts; o++) begin : gen_output
      logic [NumPorts-1:0] routed;
      always_comb for (int i = 0; i < NumPorts; i++) routed[i] = routed_i[i*NumPorts+o];

      polycast_output_load #(
        .NumPorts(NumPorts),
        .LoadBits(LoadBits)
      ) i_load (
        .clk_i,
        .rst_ni,
        .routed_i(routed),
        .tail_i  (tail_i[o]),
        .load_o  (load_o[LoadBits*o+:LoadBits])
      );
    end
  end else begin : gen_none
    logic unused;
    assign unused = ^{clk_i, rst_ni, routed_i, tail_i};
    assign load_o = '0;
  end

endmodule

`default_nettype wire
