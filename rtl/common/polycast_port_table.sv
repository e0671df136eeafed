// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Table of port masks with a read port for every input of the chip. Written in 32-bit words; not
/// reset. What a code corrects is corrected as it is read, not in the table.
module polycast_port_table #(
  /// Ports of the chip: bits of a mask and read ports.
  parameter int unsigned NumPorts   = 8,
  /// Masks.
  parameter int unsigned NumEntries = 32,
  /// Bits of the number of a mask.
  parameter int unsigned IndexBits  = 24,
  /// Code of the masks, `polycast_pkg::Protection...`.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionNone),
  /// Check bits of a mask; derived, do not set.
  parameter int unsigned CheckBits  =
      Protection == 32'(polycast_pkg::ProtectionParity) ? (NumPorts + 7) / 8 :
      Protection == 32'(polycast_pkg::ProtectionSecded) ? (NumPorts + 31) / 32 * 7 : 0
) (
  /// Clock.
  input  wire logic                          clk_i,
  /// Writes half a mask.
  input  wire logic                          we_i,
  /// Number of the mask, then 0 for its low 32 bits or 1 for the others.
  input  wire logic [IndexBits:0]            index_i,
  /// The half mask; bits of ports that do not exist are ignored.
  input  wire logic [31:0]                   data_i,
  /// Bits of a mask that flip at the end of the cycle, those of its code last; in simulation only.
  input  wire logic [NumPorts+CheckBits-1:0] upset_i,
  /// Number of that mask.
  input  wire logic [IndexBits-1:0]          upset_index_i,
  /// Read ports in use.
  input  wire logic [NumPorts-1:0]           lookup_i,
  /// Number of the mask that each reads.
  input  wire logic [NumPorts*IndexBits-1:0] lookup_index_i,
  /// The masks; zero where a port is not in use, there is no such mask, or bits of it have flipped
  /// that its code does not correct.
  output logic      [NumPorts*NumPorts-1:0]  mask_o,
  /// What a port reads is corrected.
  output logic      [NumPorts-1:0]           corrected_o,
  /// It cannot be.
  output logic      [NumPorts-1:0]           failed_o
);

  localparam int unsigned LowBits    = NumPorts < 32 ? NumPorts : 32;
  localparam int unsigned EntryBits  = NumEntries > 1 ? $clog2(NumEntries) : 1;
  // Each half has a code of its own.
  localparam int unsigned HighChecks = NumPorts <= 32 ? 0 :
      Protection == 32'(polycast_pkg::ProtectionParity) ? (NumPorts - 25) / 8 :
      Protection == 32'(polycast_pkg::ProtectionSecded) ? 7 : 0;
  localparam int unsigned LowChecks  = CheckBits - HighChecks;
  localparam int unsigned LowStored  = LowBits + LowChecks;
  localparam int unsigned StoredBits = NumPorts + CheckBits;

  typedef struct packed { logic [NumPorts-1:0][IndexBits-1:0] at; } port_indices_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed { logic [NumPorts-1:0][StoredBits-1:0] at; } port_words_t;

  port_indices_t lookup_index;
  port_matrix_t mask;
  port_words_t stored;

  assign lookup_index = lookup_index_i;
  assign mask_o = mask;

  logic [IndexBits-1:0] entry;
  logic [LowStored-1:0] low_d, low_upset, low_q [NumEntries];

  assign entry = index_i[IndexBits:1];

  polycast_memory_encode #(
    .Width     (LowBits),
    .Protection(Protection)
  ) i_low_encode (
    .data_i  (data_i[LowBits-1:0]),
    .stored_o(low_d)
  );

`ifdef SYNTHESIS
  logic unused_upset;
  assign unused_upset = ^{upset_i, upset_index_i};
`else
  logic upset;
  assign upset = upset_i != '0 && upset_index_i < IndexBits'(NumEntries);
  assign low_upset[LowBits-1:0] = upset_i[LowBits-1:0];
  if (CheckBits > 0) begin : gen_low_upset
    assign low_upset[LowStored-1:LowBits] = upset_i[NumPorts+:LowChecks];
  end
`endif

  always_ff @(posedge clk_i) begin
    if (we_i && !index_i[0] && entry < IndexBits'(NumEntries)) begin
      low_q[entry[EntryBits-1:0]] <= low_d;
    end
`ifndef SYNTHESIS
    if (upset) begin
      low_q[upset_index_i[EntryBits-1:0]] <= low_q[upset_index_i[EntryBits-1:0]] ^ low_upset;
    end
`endif
  end

  if (NumPorts > 32) begin : gen_high
    localparam int unsigned HighBits   = NumPorts - 32;
    localparam int unsigned HighStored = HighBits + HighChecks;

    logic [HighStored-1:0] high_d, high_upset, high_q [NumEntries];

    polycast_memory_encode #(
      .Width     (HighBits),
      .Protection(Protection)
    ) i_high_encode (
      .data_i  (data_i[HighBits-1:0]),
      .stored_o(high_d)
    );

`ifndef SYNTHESIS
    assign high_upset[HighBits-1:0] = upset_i[NumPorts-1:32];
    if (CheckBits > 0) begin : gen_high_upset
      assign high_upset[HighStored-1:HighBits] = upset_i[NumPorts+LowChecks+:HighChecks];
    end
`endif

    always_ff @(posedge clk_i) begin
      if (we_i && index_i[0] && entry < IndexBits'(NumEntries)) begin
        high_q[entry[EntryBits-1:0]] <= high_d;
      end
`ifndef SYNTHESIS
      if (upset) begin
        high_q[upset_index_i[EntryBits-1:0]] <=
            high_q[upset_index_i[EntryBits-1:0]] ^ high_upset;
      end
`endif
    end

    for (genvar p = 0; p < NumPorts; p++) begin : gen_lookup
      logic [IndexBits-1:0]  index;
      logic [HighStored-1:0] high;
      logic [LowStored-1:0]  low;
      assign index = lookup_index.at[p];
      assign {high, low} = (lookup_i[p] && index < IndexBits'(NumEntries)) ?
          {high_q[index[EntryBits-1:0]], low_q[index[EntryBits-1:0]]} : '0;
      if (CheckBits > 0) begin : gen_code
        assign stored.at[p] = {high[HighStored-1:HighBits], low[LowStored-1:LowBits],
            high[HighBits-1:0], low[LowBits-1:0]};
      end else begin : gen_plain
        assign stored.at[p] = {high, low};
      end
    end
  end else begin : gen_low
    for (genvar p = 0; p < NumPorts; p++) begin : gen_lookup
      logic [IndexBits-1:0] index;
      assign index = lookup_index.at[p];
      assign stored.at[p] =
          (lookup_i[p] && index < IndexBits'(NumEntries)) ? low_q[index[EntryBits-1:0]] : '0;
    end

    logic unused;
    assign unused = ^data_i;
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_decode
    logic [StoredBits-1:0] word;
    logic [NumPorts-1:0]   read;
    assign word = stored.at[p];
    if (CheckBits > 0) begin : gen_code
      assign mask.at[p] = failed_o[p] ? '0 : read;
    end else begin : gen_plain
      assign mask.at[p] = read;
    end

    polycast_memory_decode #(
      .Width     (NumPorts),
      .Protection(Protection)
    ) i_decode (
      .stored_i   (word),
      .data_o     (read),
      .corrected_o(corrected_o[p]),
      .failed_o   (failed_o[p])
    );
  end

endmodule

`default_nettype wire
