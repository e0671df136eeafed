// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Which bit of the buffers and credit counters of a switch or router flips at the end of a cycle,
/// by region `upset` of the configuration bus. In simulation only: in hardware it would cost ports
/// of memories.
module polycast_chip_upset #(
  /// Ports of the chip.
  parameter int unsigned NumPorts    = 8,
  /// Flits of the buffers of a port.
  parameter int unsigned NumFlits    = 640,
  /// Credit counters of a port.
  parameter int unsigned NumCounters = 1,
  /// Bits of a credit counter with its code.
  parameter int unsigned CounterBits = 16
) (
  /// Writes a register.
  input  wire logic                                         cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                                  cfg_addr_i,
  /// Memory << 24 | bit.
  input  wire logic [31:0]                                  cfg_data_i,
  /// Some bit of the chip flips.
  output logic                                              upset_o,
  /// It is in the buffers of this port.
  output logic      [NumPorts-1:0]                          buffer_o,
  /// Bits of each credit counter that flip.
  output logic      [NumPorts*NumCounters*CounterBits-1:0]  credits_o,
  /// Where the flit is in the buffers of its port.
  output logic      [23:0]                                  place_o,
  /// The bit.
  output logic      [23:0]                                  bit_o
);

`ifdef SYNTHESIS
  assign upset_o   = 1'b0;
  assign buffer_o  = '0;
  assign credits_o = '0;
  assign place_o   = '0;
  assign bit_o     = '0;

  logic unused;
  assign unused = ^{cfg_valid_i, cfg_addr_i, cfg_data_i};
`else
  polycast_pkg::config_address_t address;
  assign address = cfg_addr_i;
  assign upset_o = cfg_valid_i && address.region == polycast_pkg::CfgRegionUpset;
  assign place_o = 24'(32'(address.index) % NumFlits);
  assign bit_o   = cfg_data_i[23:0];
  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign buffer_o[p] = upset_o && 32'(address.index) / NumFlits == p &&
        cfg_data_i[31:24] == 8'(polycast_pkg::UpsetMemoryBuffer);
  end
  for (genvar c = 0; c < NumPorts * NumCounters; c++) begin : gen_counter
    assign credits_o[c*CounterBits+:CounterBits] = upset_o && address.index == 24'(c) &&
        cfg_data_i[31:24] == 8'(polycast_pkg::UpsetMemoryCredits) ?
        CounterBits'(1) << bit_o : '0;
  end
`endif

endmodule

`default_nettype wire
