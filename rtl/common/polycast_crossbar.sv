// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Brings the flit that each output reads from its input there, and what goes with it. Combinational; the registers
/// are in the output units.
module polycast_crossbar #(
  /// Ports of the chip.
  parameter int unsigned NumPorts = 8,
  /// Bits that each input has for each output.
  parameter int unsigned Width    = 8,
  /// Bits that each input has for all outputs.
  parameter int unsigned SideBits = 1
) (
  /// Bit i * NumPorts + o: output o reads from input i; one-hot or zero for each output.
  input  wire logic [NumPorts*NumPorts-1:0]       read_i,
  /// What output o reads from input i is word i * NumPorts + o.
  input  wire logic [NumPorts*NumPorts*Width-1:0] data_i,
  /// What every output that reads from input i gets is word i.
  input  wire logic [NumPorts*SideBits-1:0]       side_i,
  /// Outputs that read.
  output logic      [NumPorts-1:0]                read_o,
  /// What each output reads; zero where it does not.
  output logic      [NumPorts*Width-1:0]          data_o,
  /// What goes with it.
  output logic      [NumPorts*SideBits-1:0]       side_o
);

  always_comb begin
    read_o = '0;
    data_o = '0;
    side_o = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (read_i[i*NumPorts+:NumPorts] != '0) begin
        for (int unsigned o = 0; o < NumPorts; o++) begin
          if (read_i[i*NumPorts+o]) begin
            read_o[o]                   = 1'b1;
            data_o[o*Width+:Width]       = data_i[(i*NumPorts+o)*Width+:Width];
            side_o[o*SideBits+:SideBits] = side_i[i*SideBits+:SideBits];
          end
        end
      end
    end
  end

`ifndef SYNTHESIS
  logic [NumPorts-1:0] seen, twice;
  always_comb begin
    seen  = '0;
    twice = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      twice = twice | (seen & read_i[i*NumPorts+:NumPorts]);
      seen  = seen | read_i[i*NumPorts+:NumPorts];
    end
  end
  always_comb OneInputPerOutput: assert final (twice == '0) else $error("an output reads two inputs");
`endif

endmodule

`default_nettype wire
