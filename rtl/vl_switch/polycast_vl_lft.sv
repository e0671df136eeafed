// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The unicast table: an output port for each LID, with a read port for every input. Not reset.
module polycast_vl_lft #(
  /// Ports of the switch: read ports.
  parameter int unsigned NumPorts = 8,
  /// LIDs, from 0.
  parameter int unsigned MaxLids  = 64
) (
  /// Clock.
  input  wire logic                                        clk_i,
  /// Writes an entry.
  input  wire logic                                        we_i,
  /// Its LID; those that do not exist are ignored.
  input  wire logic [23:0]                                 index_i,
  /// 1 to NumPorts: a port; 0: the switch itself; others: none.
  input  wire logic [polycast_vl_pkg::LftBits-1:0]         data_i,
  /// Read ports in use.
  input  wire logic [NumPorts-1:0]                         lookup_i,
  /// LID that each reads.
  input  wire logic [NumPorts*polycast_pkg::DlidBits-1:0]  lookup_lid_i,
  /// The entry; 255 for LID 0 and those that do not exist, 0 where the port is not in use.
  output logic      [NumPorts*polycast_vl_pkg::LftBits-1:0] entry_o
);

  localparam int unsigned LidBits   = polycast_pkg::DlidBits;
  localparam int unsigned LftBits   = polycast_vl_pkg::LftBits;
  localparam int unsigned EntryBits = $clog2(MaxLids);

  logic [LftBits-1:0] table_q [MaxLids];

  always_ff @(posedge clk_i) begin
    if (we_i && index_i < 24'(MaxLids)) table_q[index_i[EntryBits-1:0]] <= data_i;
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_lookup
    logic [LidBits-1:0] lid;
    logic               exists;

    assign lid    = lookup_lid_i[p*LidBits+:LidBits];
    assign exists = lid != '0 && 32'(lid) < MaxLids;
    assign entry_o[p*LftBits+:LftBits] =
        !lookup_i[p] ? '0 : exists ? table_q[lid[EntryBits-1:0]] : '1;
  end

endmodule

`default_nettype wire
