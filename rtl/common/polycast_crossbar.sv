// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Brings the flit that each output reads from its input there, and what goes with it.
/// Combinational; the registers are in the output units.
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

  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed { logic [NumPorts-1:0][Width-1:0] at; } port_widths_t;
  typedef struct packed { logic [NumPorts*NumPorts-1:0][Width-1:0] at; } ports_port_widths_t;
  typedef struct packed { logic [NumPorts-1:0][SideBits-1:0] at; } port_sides_t;

  port_matrix_t read;
  port_widths_t out_data;
  ports_port_widths_t in_data;
  port_sides_t out_side, in_side;

  assign read = read_i;
  assign in_data = data_i;
  assign in_side = side_i;
  assign data_o = out_data;
  assign side_o = out_side;

  always_comb begin
    read_o = '0;
    out_data = '0;
    out_side = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (read.at[i] != '0) begin
        for (int unsigned o = 0; o < NumPorts; o++) begin
          if (read.at[i][o+:1]) begin
            read_o[o]      = 1'b1;
            out_data.at[o] = in_data.at[i*NumPorts+o];
            out_side.at[o] = in_side.at[i];
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
      twice = twice | (seen & read.at[i]);
      seen  = seen | read.at[i];
    end
  end
  always_comb OneInputPerOutput:
      assert final (twice == '0) else $error("an output reads two inputs");
`endif

endmodule

`default_nettype wire
