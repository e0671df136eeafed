// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Counts for each chunk of an input buffer the readers that are done with it, and frees the oldest
/// chunk when all are.
///
/// Readers finish chunks in order and each at most one in a cycle, so only the oldest chunk can
/// become free, and at most one in a cycle. A count is cleared when its chunk is taken: the memory
/// needs no reset.
module polycast_chunk_counts #(
  /// Readers of the buffer.
  parameter int unsigned NumReaders = 8,
  /// Chunks of the buffer.
  parameter int unsigned NumChunks  = 80,
  /// Bits of the number of a chunk.
  parameter int unsigned ChunkBits  = $clog2(NumChunks),
  /// Bits of a number of readers.
  parameter int unsigned CountBits  = $clog2(NumReaders + 1)
) (
  /// Clock.
  input  wire logic                            clk_i,
  /// A chunk is taken.
  input  wire logic                            take_i,
  /// Number of the chunk that is taken.
  input  wire logic [ChunkBits-1:0]            take_chunk_i,
  /// Readers that finish a chunk in this cycle.
  input  wire logic [NumReaders-1:0]           finish_i,
  /// The chunk each reader is in.
  input  wire logic [NumReaders*ChunkBits-1:0] reader_chunk_i,
  /// The oldest chunk.
  input  wire logic [ChunkBits-1:0]            oldest_i,
  /// Readers of the packet in the oldest chunk, 1..NumReaders.
  input  wire logic [CountBits-1:0]            readers_i,
  /// The oldest chunk becomes free in this cycle.
  output logic                                 free_o
);

  typedef struct packed { logic [NumReaders-1:0][CountBits-1:0] at; } reader_counts_t;
  typedef struct packed { logic [NumReaders-1:0][ChunkBits-1:0] at; } reader_chunks_t;

  reader_counts_t count_d;
  reader_chunks_t reader_chunk;

  assign reader_chunk = reader_chunk_i;

  logic [CountBits-1:0]            count_q [NumChunks];
  // Count of the chunk of each finishing reader; readers that finish the same chunk all get, and
  // write, the same sum.

  always_comb begin
    count_d = '0;
    free_o  = 1'b0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (finish_i[r]) begin
        count_d.at[r] = count_q[reader_chunk.at[r]];
        for (int unsigned s = 0; s < NumReaders; s++) begin
          if (finish_i[s] && reader_chunk.at[s] == reader_chunk.at[r]) begin
            count_d.at[r] = count_d.at[r] + CountBits'(1);
          end
        end
        if (reader_chunk.at[r] == oldest_i && count_d.at[r] == readers_i) begin
          free_o = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) count_q[take_chunk_i] <= '0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (finish_i[r]) count_q[reader_chunk.at[r]] <= count_d.at[r];
    end
  end

`ifndef SYNTHESIS
  logic [NumReaders-1:0] too_often, not_oldest, while_taken;
  always_comb begin
    too_often   = '0;
    not_oldest  = '0;
    while_taken = '0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (finish_i[r]) begin
        too_often[r]  = count_d.at[r] > readers_i;
        not_oldest[r] = count_d.at[r] == readers_i &&
                         reader_chunk.at[r] != oldest_i;
        while_taken[r] = take_i && reader_chunk.at[r] == take_chunk_i;
      end
    end
  end

  NoMoreThanReaders: assert property (@(posedge clk_i) too_often == '0)
    else $error("a chunk was finished more often than it has readers");
  OldestIsFreedFirst: assert property (@(posedge clk_i) not_oldest == '0)
    else $error("a chunk was finished by all its readers before an older one");
  NotTakenWhileRead: assert property (@(posedge clk_i) while_taken == '0)
    else $error("a chunk was taken while it was read");
`endif

endmodule

`default_nettype wire
