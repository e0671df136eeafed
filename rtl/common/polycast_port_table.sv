// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Table of port masks with a read port for every input of the chip. Written in 32-bit words; not
/// reset.
module polycast_port_table #(
  /// Ports of the chip: bits of a mask and read ports.
  parameter int unsigned NumPorts   = 8,
  /// Masks.
  parameter int unsigned NumEntries = 32,
  /// Bits of the number of a mask.
  parameter int unsigned IndexBits  = 24
) (
  /// Clock.
  input  wire logic                          clk_i,
  /// Writes half a mask.
  input  wire logic                          we_i,
  /// Number of the mask, then 0 for its low 32 bits or 1 for the others.
  input  wire logic [IndexBits:0]            index_i,
  /// The half mask; bits of ports that do not exist are ignored.
  input  wire logic [31:0]                   data_i,
  /// Bits of a mask that flip at the end of the cycle; in simulation only.
  input  wire logic [NumPorts-1:0]           upset_i,
  /// Number of that mask.
  input  wire logic [IndexBits-1:0]          upset_index_i,
  /// Read ports in use.
  input  wire logic [NumPorts-1:0]           lookup_i,
  /// Number of the mask that each reads.
  input  wire logic [NumPorts*IndexBits-1:0] lookup_index_i,
  /// The masks; zero where a port is not in use or there is no such mask.
  output logic      [NumPorts*NumPorts-1:0]  mask_o
);

  localparam int unsigned LowBits   = NumPorts < 32 ? NumPorts : 32;
  localparam int unsigned EntryBits = NumEntries > 1 ? $clog2(NumEntries) : 1;

  typedef struct packed { logic [NumPorts-1:0][IndexBits-1:0] at; } port_indices_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;

  port_indices_t lookup_index;
  port_matrix_t mask;

  assign lookup_index = lookup_index_i;
  assign mask_o = mask;

  logic [IndexBits-1:0] entry;
  logic [LowBits-1:0]   low_q [NumEntries];

  assign entry = index_i[IndexBits:1];

`ifdef SYNTHESIS
  logic unused_upset;
  assign unused_upset = ^{upset_i, upset_index_i};
`else
  logic upset;
  assign upset = upset_i != '0 && upset_index_i < IndexBits'(NumEntries);
`endif

  always_ff @(posedge clk_i) begin
    if (we_i && !index_i[0] && entry < IndexBits'(NumEntries)) begin
      low_q[entry[EntryBits-1:0]] <= data_i[LowBits-1:0];
    end
`ifndef SYNTHESIS
    if (upset) begin
      low_q[upset_index_i[EntryBits-1:0]] <=
          low_q[upset_index_i[EntryBits-1:0]] ^ upset_i[LowBits-1:0];
    end
`endif
  end

  if (NumPorts > 32) begin : gen_high
    logic [NumPorts-33:0] high_q [NumEntries];

    always_ff @(posedge clk_i) begin
      if (we_i && index_i[0] && entry < IndexBits'(NumEntries)) begin
        high_q[entry[EntryBits-1:0]] <= data_i[NumPorts-33:0];
      end
`ifndef SYNTHESIS
      if (upset) begin
        high_q[upset_index_i[EntryBits-1:0]] <=
            high_q[upset_index_i[EntryBits-1:0]] ^ upset_i[NumPorts-1:32];
      end
`endif
    end

    for (genvar p = 0; p < NumPorts; p++) begin : gen_lookup
      logic [IndexBits-1:0] index;
      assign index      = lookup_index.at[p];
      assign mask.at[p] = (lookup_i[p] && index < IndexBits'(NumEntries)) ?
          {high_q[index[EntryBits-1:0]], low_q[index[EntryBits-1:0]]} : '0;
    end
  end else begin : gen_low
    for (genvar p = 0; p < NumPorts; p++) begin : gen_lookup
      logic [IndexBits-1:0] index;
      assign index = lookup_index.at[p];
      assign mask.at[p] =
          (lookup_i[p] && index < IndexBits'(NumEntries)) ? low_q[index[EntryBits-1:0]] : '0;
    end

    logic unused;
    assign unused = ^data_i;
  end

endmodule

`default_nettype wire
