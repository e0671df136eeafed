// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of the replication buffer: its ring turns, is full, and its readers drift apart.
module polycast_replication_buffer_cover #(
  /// Readers.
  parameter int unsigned NumReaders     = 8,
  /// Chunks.
  parameter int unsigned NumChunks      = 80,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits = $clog2(NumChunks + 1),
  /// Bits of the number of a chunk.
  parameter int unsigned ChunkBits      = $clog2(NumChunks)
) (
  /// Clock.
  input wire logic                      clk_i,
  /// Asynchronous reset, active low.
  input wire logic                      rst_ni,
  /// Signals of polycast_replication_buffer, here and below.
  input wire logic                      store_i,
  input wire logic                      store_ends_chunk,
  input wire logic                      take,
  input wire logic                      free_o,
  input wire logic [ChunkBits-1:0]      write_chunk_i,
  input wire logic [ChunkBits-1:0]      oldest_i,
  input wire logic [ChunkCountBits-1:0] occupied_q,
  input wire logic [NumReaders-1:0]     read_i
);

  localparam logic [ChunkBits-1:0] Last = ChunkBits'(NumChunks - 1);

  WriterTurns: cover property (@(posedge clk_i) disable iff (!rst_ni)
      store_i && store_ends_chunk && write_chunk_i == Last);
  OldestTurns: cover property (@(posedge clk_i) disable iff (!rst_ni) free_o && oldest_i == Last);
  Full:
      cover property (@(posedge clk_i) disable iff (!rst_ni) occupied_q ==
          ChunkCountBits'(NumChunks));
  TakesAndFrees: cover property (@(posedge clk_i) disable iff (!rst_ni) take && free_o);
  SeveralRead: cover property (@(posedge clk_i) disable iff (!rst_ni) $countones(read_i) > 1);
  AllRead: cover property (@(posedge clk_i) disable iff (!rst_ni) read_i == '1);

endmodule

bind polycast_replication_buffer polycast_replication_buffer_cover #(
  .NumReaders    (NumReaders),
  .NumChunks     (NumChunks),
  .ChunkCountBits(ChunkCountBits)
) i_cover (
  .write_chunk_i(write_chunk_q[ChunkBits-1:0]),
  .oldest_i     (oldest_q[ChunkBits-1:0]),
  .*
);

`default_nettype wire
