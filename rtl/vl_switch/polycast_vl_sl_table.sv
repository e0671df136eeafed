// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// SL to VL of one input: for each service level the lanes on which packets from this input leave
/// by each output. Not reset.
module polycast_vl_sl_table #(
  /// Ports of the switch.
  parameter int unsigned NumPorts = 8,
  /// Read ports.
  parameter int unsigned NumReads = 2,
  /// Bits of the number of a port; derived, do not set.
  parameter int unsigned PortBits = $clog2(NumPorts),
  /// Bits of a row; derived, do not set.
  parameter int unsigned RowBits  = NumPorts * polycast_vl_pkg::VlBits
) (
  /// Clock.
  input  wire logic                                      clk_i,
  /// Writes the lanes of eight service levels at one output.
  input  wire logic                                      we_i,
  /// The output.
  input  wire logic [PortBits-1:0]                       output_i,
  /// Service levels 8 to 15, not 0 to 7.
  input  wire logic                                      upper_i,
  /// The lanes, of the lowest service level in the lowest bits.
  input  wire logic [31:0]                               data_i,
  /// Service level that each read port reads.
  input  wire logic [NumReads*polycast_pkg::SlBits-1:0]  sl_i,
  /// The lanes of it at all outputs.
  output logic      [NumReads*RowBits-1:0]               row_o
);

  localparam int unsigned VlBits = polycast_vl_pkg::VlBits;
  localparam int unsigned SlBits = polycast_pkg::SlBits;

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    // Lanes of all service levels at this output.
    logic [polycast_vl_pkg::Sls*VlBits-1:0] lanes_q;

    always_ff @(posedge clk_i) begin
      if (we_i && output_i == PortBits'(o)) begin
        if (upper_i) lanes_q[63:32] <= data_i;
        else         lanes_q[31:0]  <= data_i;
      end
    end

    for (genvar r = 0; r < NumReads; r++) begin : gen_read
      assign row_o[r*RowBits+o*VlBits+:VlBits] =
          lanes_q[{sl_i[r*SlBits+:SlBits], 2'd0}+:VlBits];
    end
  end

endmodule

`default_nettype wire
