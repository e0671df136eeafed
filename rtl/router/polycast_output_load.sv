// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Load of an output: packets that were routed to it and whose tail it has not read.
module polycast_output_load #(
  /// Input ports.
  parameter int unsigned NumPorts = 5,
  /// Bits of a load; all packets that the buffers hold must fit.
  parameter int unsigned LoadBits = 8
) (
  /// Clock.
  input  wire logic                clk_i,
  /// Asynchronous reset, active low: no packet is inside.
  input  wire logic                rst_ni,
  /// Inputs of which a packet is routed to this output.
  input  wire logic [NumPorts-1:0] routed_i,
  /// The output reads a tail.
  input  wire logic                tail_i,
  /// The load, registered.
  output logic      [LoadBits-1:0] load_o
);

  logic [LoadBits-1:0] load_q, load_d;

  assign load_o = load_q;

  always_comb begin
    load_d = load_q - LoadBits'(tail_i);
    for (int unsigned i = 0; i < NumPorts; i++) load_d = load_d + LoadBits'(routed_i[i]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) load_q <= '0;
    else         load_q <= load_d;
  end

`ifndef SYNTHESIS
  TailsOfPacketsThatAreHere:
      assert property (@(posedge clk_i) disable iff (!rst_ni) tail_i |-> load_q != '0)
    else $error("the tail of a packet leaves that was never routed to this output");
  LoadFits: assert property (@(posedge clk_i) disable iff (!rst_ni)
      {1'b0, load_q} + (LoadBits + 1)'($countones(routed_i)) < (LoadBits + 1)'(1) << LoadBits)
    else $error("more packets are on their way to an output than the buffers hold");
`endif

endmodule

`default_nettype wire
