// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The flits of an input port of the router, with one read port; not reset. A code covers their
/// data: what it corrects is corrected as it is read, not in the memory.
module polycast_flit_memory #(
  /// Flits.
  parameter int unsigned NumFlits      = 32,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 16,
  /// The header comes beside the head flit.
  parameter bit          HeaderFree    = 1'b0,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Code of data, `polycast_pkg::Protection...`.
  parameter int unsigned Protection    = 32'(polycast_pkg::ProtectionNone),
  /// Bits of the number of a flit; derived, do not set.
  parameter int unsigned AddrBits      = NumFlits > 1 ? $clog2(NumFlits) : 1
) (
  /// Clock.
  input  wire logic                     clk_i,
  /// A flit is stored.
  input  wire logic                     store_i,
  /// Where.
  input  wire logic [AddrBits-1:0]      write_addr_i,
  /// It is the last of its packet.
  input  wire logic                     tail_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]   data_i,
  /// The header beside it, of use with the head only.
  input  wire logic [HeaderPinBits-1:0] header_i,
  /// A bit of the data of a flit, or of their code behind them, flips at the end of the cycle; in
  /// simulation only.
  input  wire logic                     upset_i,
  /// Where the flit is.
  input  wire logic [23:0]              upset_place_i,
  /// The bit.
  input  wire logic [23:0]              upset_bit_i,
  /// The flit to be read.
  input  wire logic [AddrBits-1:0]      read_addr_i,
  /// It is the last of its packet.
  output logic                          tail_o,
  /// Its data; what the code cannot correct is as it is stored.
  output logic      [FlitBytes*8-1:0]   data_o,
  /// The header beside it; zero where there is none.
  output logic      [HeaderPinBits-1:0] header_o,
  /// Bits of the data have flipped, and all is corrected.
  output logic                          corrected_o,
  /// Bits of the data have flipped, and the code does not say which.
  output logic                          failed_o
);

  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned StoredBits = FlitBits +
      (Protection == 32'(polycast_pkg::ProtectionParity) ? FlitBytes :
       Protection == 32'(polycast_pkg::ProtectionSecded) ? (FlitBytes + 3) / 4 * 7 : 0);
  // The free header, tail, data with their code.
  localparam int unsigned WordBits   = StoredBits + 1 + (HeaderFree ? HeaderPinBits : 0);

  logic [StoredBits-1:0] write_data, read_data;
  logic [WordBits-1:0]   write_word, read_word;
  logic [WordBits-1:0]   mem_q [NumFlits];

  polycast_memory_encode #(
    .Width     (FlitBits),
    .Protection(Protection)
  ) i_encode (
    .data_i,
    .stored_o(write_data)
  );

  polycast_memory_decode #(
    .Width     (FlitBits),
    .Protection(Protection)
  ) i_decode (
    .stored_i(read_data),
    .data_o,
    .corrected_o,
    .failed_o
  );

`ifdef SYNTHESIS
  logic unused_upset;
  assign unused_upset = ^{upset_i, upset_place_i, upset_bit_i};
`else
  // What flips is what is stored in this cycle, where it is stored there.
  logic [AddrBits-1:0] upset_addr;
  logic [WordBits-1:0] upset_word;
  assign upset_addr = AddrBits'(upset_place_i);
  assign upset_word = store_i && upset_addr == write_addr_i ? write_word : mem_q[upset_addr];
  // Buffers are smaller than what the field can name.
  logic unused_upset_place;
  assign unused_upset_place = ^upset_place_i;
`endif

  always_ff @(posedge clk_i) begin
    if (store_i) mem_q[write_addr_i] <= write_word;
`ifndef SYNTHESIS
    if (upset_i) mem_q[upset_addr] <= upset_word ^ (WordBits'(1) << upset_bit_i);
`endif
  end

  assign read_word = mem_q[read_addr_i];

  if (HeaderFree) begin : gen_free_header
    assign write_word                    = {header_i, tail_i, write_data};
    assign {header_o, tail_o, read_data} = read_word;
  end else begin : gen_no_free_header
    logic unused_header;
    assign unused_header       = ^header_i;
    assign write_word          = {tail_i, write_data};
    assign {tail_o, read_data} = read_word;
    assign header_o            = '0;
  end

endmodule

`default_nettype wire
