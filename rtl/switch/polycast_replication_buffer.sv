// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Input buffer that several readers empty on their own: one ring of chunks, one read pointer per
/// reader, a count per chunk.
///
/// Every packet starts in a fresh chunk and is read whole by all its readers before the next one is
/// started. A flit can be read in the cycle after it was stored. The memory is not reset.
///
/// With `Losing` a packet may lose readers that have read nothing, and the next packet may be
/// started in the cycle in which the last flit of the one before is read.
module polycast_replication_buffer #(
  /// Readers: outputs of the switch.
  parameter int unsigned NumReaders     = 8,
  /// Read ports of the memory: readers that may read in the same cycle.
  parameter int unsigned ReadPorts      = NumReaders,
  /// Bits of a flit.
  parameter int unsigned FlitBits       = 8,
  /// Flits of a chunk.
  parameter int unsigned ChunkFlits     = 8,
  /// Chunks.
  parameter int unsigned NumChunks      = 80,
  /// A packet may lose readers.
  parameter bit          Losing         = 1'b0,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits = $clog2(NumChunks + 1),
  /// Bits of a number of readers.
  parameter int unsigned ReaderBits     = $clog2(NumReaders + 1)
) (
  /// Clock.
  input  wire logic                           clk_i,
  /// Asynchronous reset, active low: the buffer is empty.
  input  wire logic                           rst_ni,
  /// Stores a flit; where it starts a chunk there must be a free one.
  input  wire logic                           store_i,
  /// The stored flit is the last of its packet.
  input  wire logic                           store_tail_i,
  /// The flit to store.
  input  wire logic [FlitBits-1:0]            store_data_i,
  /// A bit of the data of a flit flips at the end of the cycle; in simulation only.
  input  wire logic                           upset_i,
  /// Where the flit is in the ring.
  input  wire logic [23:0]                    upset_place_i,
  /// The bit.
  input  wire logic [23:0]                    upset_bit_i,
  /// The next stored flit starts a chunk.
  output logic                                store_starts_chunk_o,
  /// Chunks in use.
  output logic      [ChunkCountBits-1:0]      occupied_o,
  /// Sets all readers to the packet at the front; from the next cycle on they may read.
  input  wire logic                           start_i,
  /// Readers of that packet, 1 or more; taken with `start_i`.
  input  wire logic [ReaderBits-1:0]          start_readers_i,
  /// The packet at the front loses readers at the end of the cycle; ignored without `Losing`.
  input  wire logic                           lose_i,
  /// Those that stay, 1 or more.
  input  wire logic [NumReaders-1:0]          stay_i,
  /// The next flit of each reader is in the buffer (of use for readers of the packet at the front
  /// that have not read its tail).
  output logic      [NumReaders-1:0]          ready_o,
  /// That flit starts a chunk.
  output logic      [NumReaders-1:0]          starts_chunk_o,
  /// Reads the next flit of each reader; at most ReadPorts, and only where ready.
  input  wire logic [NumReaders-1:0]          read_i,
  /// Reader of each read port: bit p * NumReaders + r; ignored where every reader has a port of its
  /// own.
  input  wire logic [ReadPorts*NumReaders-1:0] place_i,
  /// The flit that each reader reads; zero for one that does not.
  output logic      [NumReaders*FlitBits-1:0] data_o,
  /// It is the last of its packet.
  output logic      [NumReaders-1:0]          tail_o,
  /// The oldest chunk becomes free in this cycle.
  output logic                                free_o,
  /// Chunks that become free in this cycle: more than one where readers are lost.
  output logic      [ChunkCountBits-1:0]      freed_o,
  /// All readers have read the tail of the packet at the front with this cycle.
  output logic                                done_o
);

  localparam int unsigned ChunkBits  = $clog2(NumChunks);
  localparam int unsigned OffsetBits = ChunkFlits > 1 ? $clog2(ChunkFlits) : 1;
  localparam int unsigned NumFlits   = NumChunks * ChunkFlits;
  localparam int unsigned AddrBits   = $clog2(NumFlits);
  // Chunk pointers carry one more bit that turns with each round, to tell a full ring from an empty
  // one.
  localparam int unsigned PtrBits    = ChunkBits + 1;

  typedef struct packed { logic [NumReaders-1:0][PtrBits-1:0] at; } reader_pointers_t;
  typedef struct packed { logic [NumReaders-1:0][OffsetBits-1:0] at; } reader_offsets_t;
  typedef struct packed { logic [NumReaders-1:0][ChunkBits-1:0] at; } reader_chunks_t;
  typedef struct packed { logic [NumReaders-1:0][AddrBits-1:0] at; } reader_addresses_t;
  typedef struct packed { logic [NumReaders-1:0][FlitBits-1:0] at; } reader_flits_t;

  reader_pointers_t reader_chunk_q;
  reader_offsets_t reader_offset_q;
  reader_chunks_t reader_chunk;
  reader_addresses_t reader_addr;
  reader_flits_t data;

  assign data_o = data;

  logic [FlitBits:0] mem_q [NumFlits];

  logic [PtrBits-1:0]                write_chunk_q, oldest_q, oldest_d;
  logic [OffsetBits-1:0]             write_offset_q;
  logic [ChunkCountBits-1:0]         occupied_q;
  logic [ReaderBits-1:0]             readers_q, stay_count;
  logic                              take, store_ends_chunk;
  logic [NumReaders-1:0]             finish;

  function automatic logic [PtrBits-1:0] next_chunk(logic [PtrBits-1:0] chunk);
    next_chunk = (chunk[ChunkBits-1:0] == ChunkBits'(NumChunks - 1)) ?
        {~chunk[ChunkBits], ChunkBits'(0)}
        : chunk + PtrBits'(1);
  endfunction

  function automatic logic [AddrBits-1:0] address(logic [ChunkBits-1:0] chunk,
      logic [OffsetBits-1:0] offset);
    address = AddrBits'(32'(chunk) * ChunkFlits + 32'(offset));
  endfunction

  // Write side.
  assign store_starts_chunk_o = write_offset_q == '0;
  assign store_ends_chunk     = store_tail_i || write_offset_q == OffsetBits'(ChunkFlits - 1);
  assign take                 = store_i && store_starts_chunk_o;
  assign occupied_o           = occupied_q;

`ifdef SYNTHESIS
  logic unused_upset;
  assign unused_upset = ^{upset_i, upset_place_i, upset_bit_i};
`else
  // What flips is what is stored in this cycle, where it is stored there.
  logic [AddrBits-1:0] upset_addr;
  logic [FlitBits:0]   upset_flit;
  logic                upset_stored;
  assign upset_addr   = AddrBits'(upset_place_i);
  assign upset_stored = store_i &&
      upset_addr == address(write_chunk_q[ChunkBits-1:0], write_offset_q);
  assign upset_flit   = upset_stored ? {store_tail_i, store_data_i} : mem_q[upset_addr];
  // Rings are smaller than what the field can name.
  logic unused_upset_place;
  assign unused_upset_place = ^upset_place_i;
`endif

  always_ff @(posedge clk_i) begin
    if (store_i) begin
      mem_q[address(write_chunk_q[ChunkBits-1:0], write_offset_q)] <= {store_tail_i, store_data_i};
    end
`ifndef SYNTHESIS
    if (upset_i) mem_q[upset_addr] <= upset_flit ^ ((FlitBits + 1)'(1) << upset_bit_i);
`endif
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_chunk_q  <= '0;
      write_offset_q <= '0;
      oldest_q       <= '0;
      occupied_q     <= '0;
    end else begin
      if (store_i) begin
        write_offset_q <= store_ends_chunk ? '0 : write_offset_q + OffsetBits'(1);
        if (store_ends_chunk) write_chunk_q <= next_chunk(write_chunk_q);
      end
      oldest_q   <= oldest_d;
      occupied_q <= occupied_q + ChunkCountBits'(take) - freed_o;
    end
  end

  // Read side.
  for (genvar r = 0; r < NumReaders; r++) begin : gen_reader
    logic [PtrBits-1:0]    chunk;
    logic [OffsetBits-1:0] offset;
    assign chunk  = reader_chunk_q.at[r];
    assign offset = reader_offset_q.at[r];

    assign reader_chunk.at[r] = chunk[ChunkBits-1:0];
    assign reader_addr.at[r]  = address(chunk[ChunkBits-1:0], offset);
    assign ready_o[r]         = {chunk, offset} != {write_chunk_q, write_offset_q};
    assign starts_chunk_o[r]  = offset == '0;
    assign finish[r]          = read_i[r] && (tail_o[r] || offset == OffsetBits'(ChunkFlits - 1));

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        reader_chunk_q.at[r]  <= '0;
        reader_offset_q.at[r] <= '0;
      end else if (start_i) begin
        reader_chunk_q.at[r]  <= Losing ? oldest_d : oldest_q;
        reader_offset_q.at[r] <= '0;
      end else if (read_i[r]) begin
        reader_offset_q.at[r] <= finish[r] ? '0 : offset + OffsetBits'(1);
        if (finish[r]) reader_chunk_q.at[r] <= next_chunk(chunk);
      end
    end
  end

  if (ReadPorts == NumReaders) begin : gen_all_ports
    logic unused_place;
    assign unused_place = ^place_i;

    always_comb begin
      data = '0;
      tail_o = '0;
      for (int unsigned r = 0; r < NumReaders; r++) begin
        if (read_i[r]) {tail_o[r], data.at[r]} = mem_q[reader_addr.at[r]];
      end
    end
  end else begin : gen_few_ports
    logic [ReadPorts*(FlitBits+1)-1:0] port_data;

    for (genvar p = 0; p < ReadPorts; p++) begin : gen_port
      logic [AddrBits-1:0] addr;
      always_comb begin
        addr = '0;
        for (int unsigned r = 0; r < NumReaders; r++) begin
          if (place_i[p*NumReaders+r]) addr = addr | reader_addr.at[r];
        end
      end
      assign port_data[p*(FlitBits+1)+:FlitBits+1] = mem_q[addr];
    end

    always_comb begin
      data = '0;
      tail_o = '0;
      for (int unsigned r = 0; r < NumReaders; r++) begin
        for (int unsigned p = 0; p < ReadPorts; p++) begin
          if (read_i[r] && place_i[p*NumReaders+r]) begin
            {tail_o[r], data.at[r]} = port_data[p*(FlitBits+1)+:FlitBits+1];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)               readers_q <= '0;
    else if (start_i)          readers_q <= start_readers_i;
    else if (lose_i && Losing) readers_q <= stay_count;
  end

  if (Losing) begin : gen_losing
    logic [PtrBits-1:0]        next;
    logic [ChunkCountBits-1:0] passed;

    // Readers that are lost were in the first chunk of the packet. All chunks that those who stay
    // have passed, this cycle included, become free.
    always_comb begin
      stay_count = '0;
      freed_o    = ChunkCountBits'(free_o);
      oldest_d   = free_o ? next_chunk(oldest_q) : oldest_q;
      next       = '0;
      passed     = '0;
      if (lose_i) begin
        freed_o = '1;
        for (int unsigned r = 0; r < NumReaders; r++) begin
          if (stay_i[r]) begin
            next       = reader_chunk_q.at[r];
            if (finish[r]) next = next_chunk(next);
            passed     = ChunkCountBits'(next[ChunkBits-1:0]) -
                ChunkCountBits'(oldest_q[ChunkBits-1:0]);
            if (next[ChunkBits] != oldest_q[ChunkBits]) begin
              passed = passed + ChunkCountBits'(NumChunks);
            end
            stay_count = stay_count + ReaderBits'(1);
            if (passed <= freed_o) begin
              freed_o  = passed;
              oldest_d = next;
            end
          end
        end
      end
    end
  end else begin : gen_keeping
    logic unused_stay;
    assign unused_stay = ^{lose_i, stay_i};
    assign stay_count  = '0;
    assign freed_o     = ChunkCountBits'(free_o);
    assign oldest_d    = free_o ? next_chunk(oldest_q) : oldest_q;
  end

  polycast_chunk_counts #(
    .NumReaders(NumReaders),
    .NumChunks (NumChunks)
  ) i_chunk_counts (
    .clk_i,
    .take_i        (take),
    .take_chunk_i  (write_chunk_q[ChunkBits-1:0]),
    .finish_i      (finish),
    .reader_chunk_i(reader_chunk),
    .oldest_i      (oldest_q[ChunkBits-1:0]),
    .readers_i     (readers_q),
    .free_o        (free_o)
  );

  // The chunk that becomes free is the last of the packet if one of those who finish it reads the
  // tail in it.
  always_comb begin
    done_o = 1'b0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (free_o && finish[r] && tail_o[r] && reader_chunk.at[r] == oldest_q[ChunkBits-1:0]) begin
        done_o = 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  TakeNeedsFreeChunk: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(take && occupied_q == ChunkCountBits'(NumChunks)))
    else $error("a chunk was taken while none was free");
  FreeNeedsOccupiedChunk:
      assert property (@(posedge clk_i) disable iff (!rst_ni) !(free_o && occupied_q == '0))
    else $error("a chunk was freed while none was occupied");
  ReadOnlyWhatIsThere:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (read_i & ~ready_o) == '0)
    else $error("a reader overtook the writer");
  ReadsFitPorts:
      assert property (@(posedge clk_i) disable iff (!rst_ni) $countones(read_i) <= int'(ReadPorts))
    else $error("more reads than read ports");
  StartIsAlone: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(start_i && read_i != '0) || (Losing && (done_o || lose_i)))
    else $error("a packet was started while another one is read");
  StartNeedsReaders:
      assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> start_readers_i != '0)
    else $error("a packet was started without readers");
  LostReadersHaveReadNothing: assert property (@(posedge clk_i) disable iff (!rst_ni)
      Losing && lose_i |-> stay_i != '0 && !free_o)
    else $error("a packet loses all its readers, or one that has read");
`endif

endmodule

`default_nettype wire
