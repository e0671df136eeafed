// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Source at the door: a table says at which ports packets of each source may come in. One whose
/// source may not is told to its input in the cycle in which its header is complete.
module polycast_source_door #(
  /// Ports of the chip.
  parameter int unsigned NumPorts   = 8,
  /// Sources in the table; 0: there is none, and every packet may come in.
  parameter int unsigned MaxSources = 0
) (
  /// Clock.
  input  wire logic                clk_i,
  /// Writes a register.
  input  wire logic                cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]         cfg_addr_i,
  /// New value.
  input  wire logic [31:0]         cfg_data_i,
  /// A header of a known kind is complete at each input.
  input  wire logic [NumPorts-1:0] valid_i,
  /// Its source.
  input  wire logic [NumPorts*polycast_pkg::SourceBits-1:0] source_i,
  /// The packet may not come in.
  output logic      [NumPorts-1:0] foreign_o
);

  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;

  polycast_pkg::config_address_t address;
  port_matrix_t                  mask;

  assign address = cfg_addr_i;

  if (MaxSources > 0) begin : gen_table
    logic [NumPorts-1:0] corrected, failed;

    polycast_port_table #(
      .NumPorts  (NumPorts),
      .NumEntries(MaxSources),
      .IndexBits (polycast_pkg::SourceBits)
    ) i_table (
      .clk_i,
      .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionSourcePorts),
      .index_i       ({1'b0, address.index}),
      .data_i        (cfg_data_i),
      .upset_i       ('0),
      .upset_index_i ('0),
      .lookup_i      (valid_i),
      .lookup_index_i(source_i),
      .mask_o        (mask),
      .corrected_o   (corrected),
      .failed_o      (failed)
    );

    logic unused;
    assign unused = ^{corrected, failed};
  end else begin : gen_none
    assign mask = '1;

    logic unused;
    assign unused = ^{clk_i, cfg_valid_i, address, cfg_data_i, source_i};
  end

  // Of an entry each input looks at its own bit.
  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [NumPorts-1:0] ports;
    assign ports        = mask.at[p];
    assign foreign_o[p] = valid_i[p] && !ports[p];

    logic unused;
    assign unused = ^ports;
  end

endmodule

`default_nettype wire
