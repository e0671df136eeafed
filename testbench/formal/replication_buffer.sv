// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_packet_framer in front of polycast_replication_buffer with its polycast_chunk_counts,
/// for any flits on the pins.
///
/// Proved: a chunk is freed in the very cycle in which the last branch of its packet has read its
/// last flit, not earlier (nothing freed early) and not later (nothing leaked); occupied = taken -
/// freed <= usable; the packet is done when all branches have read the tail; each branch reads each
/// flit once, in order and unchanged (one flit, stored at any time, is followed).
///
/// Assumed of the route stage and the read arbitration (input_unit.sv proves them): a packet is
/// started only while none is active and one is in the buffer or arrives; only its branches read,
/// only what is there, not after the tail, and at most ReadPorts at once on places of their own.
///
/// With `Losing` (vl_front.sv proves what is assumed): a packet loses branches that have read
/// nothing and do not read now; if no branch has read anything, another reader may take their
/// place. What all that stay have read is freed in that cycle, and if they have read the tail, the
/// packet has left. The next one may start in the cycle in which one leaves.
module harness #(
  parameter int unsigned NumReaders = 2,
  parameter int unsigned ReadPorts  = 2,
  parameter int unsigned ChunkFlits = 2,
  parameter int unsigned NumChunks  = 3,
  parameter bit          Losing     = 1'b0
) (
  input wire logic                            clk_i,
  input wire logic                            rst_ni,
  input wire logic                            valid_i,
  input wire logic                            head_i,
  input wire logic                            tail_i,
  input wire logic                            data_i,
  input wire logic                            start_i,
  input wire logic [NumReaders-1:0]           branches_i,
  input wire logic [NumReaders-1:0]           read_i,
  input wire logic [ReadPorts*NumReaders-1:0] place_i,
  input wire logic                            lose_i,
  input wire logic [NumReaders-1:0]           stay_i,
  input wire logic                            follow_i
);

  localparam int unsigned CountBits  = $clog2(NumChunks + 1);
  localparam int unsigned ReaderBits = $clog2(NumReaders + 1);
  localparam int unsigned SlotBits   = $clog2(NumChunks);
  localparam int unsigned OffsetBits = ChunkFlits > 1 ? $clog2(ChunkFlits) : 1;
  // Wide enough for every number below: nothing wraps.
  localparam int unsigned Bits       = $clog2(2 * NumChunks * ChunkFlits + 2) + 1;
  localparam int unsigned FlitCountBits = Bits;

  // Configuration: any that is allowed, and constant.
  (* anyconst *) logic [CountBits-1:0]     usable;
  (* anyconst *) logic [FlitCountBits-1:0] packet_limit;
  always_comb begin
    assume (usable != '0 && usable <= CountBits'(NumChunks));
    assume (packet_limit != '0 && packet_limit <= FlitCountBits'(NumChunks * ChunkFlits));
  end

  logic                  store, store_tail, starts, inside, overflow, missing_head, missing_tail,
      too_long;
  logic [FlitCountBits-1:0] index;
  logic [CountBits-1:0]  occupied;
  logic [ReaderBits-1:0] number;
  logic [NumReaders-1:0] ready, starts_chunk, data, tail;
  logic                  free, done, lose;
  logic [CountBits-1:0]  freed;

  polycast_packet_framer #(.ChunkCountBits(CountBits), .FlitCountBits(FlitCountBits)) framer (
    .clk_i, .rst_ni, .valid_i, .head_i, .tail_i, .chunk_start_i(starts), .occupied_i(occupied),
    .usable_i(usable),
    .packet_limit_i(packet_limit), .store_o(store), .store_tail_o(store_tail), .index_o(index),
    .inside_o(inside),
    .overflow_o(overflow), .missing_head_o(missing_head), .missing_tail_o(missing_tail),
    .too_long_o(too_long)
  );

  polycast_replication_buffer #(
    .NumReaders(NumReaders), .ReadPorts(ReadPorts), .FlitBits(1), .ChunkFlits(ChunkFlits),
    .NumChunks(NumChunks), .Losing(Losing)
  ) dut (
    .clk_i, .rst_ni, .store_i(store), .store_tail_i(store_tail), .store_data_i(data_i),
    .upset_i(1'b0), .upset_place_i('0), .upset_bit_i('0), .store_starts_chunk_o(starts),
    .occupied_o(occupied), .start_i, .start_readers_i(number), .lose_i(lose), .stay_i,
    .ready_o(ready),
    .starts_chunk_o(starts_chunk),
    .read_i, .place_i, .data_o(data), .tail_o(tail), .free_o(free), .freed_o(freed), .done_o(done)
  );

  (* probe = "dut.mem_q", words = "NumChunks*ChunkFlits" *) wire [NumChunks*ChunkFlits*2-1:0] words;
  (* probe = "dut.i_chunk_counts.count_q",
      words = "NumChunks" *) wire [NumChunks*ReaderBits-1:0] counts;
  (* probe = "dut.write_chunk_q" *) wire [SlotBits:0] dut_write;
  (* probe = "dut.write_offset_q" *) wire [OffsetBits-1:0] dut_write_offset;
  (* probe = "dut.oldest_q" *) wire [SlotBits:0] dut_oldest;
  (* probe = "dut.reader_chunk_q" *) wire [NumReaders*(SlotBits+1)-1:0] dut_chunk;
  (* probe = "dut.reader_offset_q" *) wire [NumReaders*OffsetBits-1:0] dut_offset;
  (* probe = "dut.readers_q" *) wire [ReaderBits-1:0] dut_readers;
  (* probe = "framer.in_packet_q" *) wire framer_in_packet;
  (* probe = "framer.discard_q" *) wire framer_discard;
  (* probe = "framer.dead_q" *) wire framer_dead;

  // ---- What has happened, told from the pins alone. The ring: its oldest chunk, chunks in use,
  // and of each slot the flits stored and whether the last of them is a tail.
  logic [Bits-1:0]           oldest_q, used_q, packets_q, written_q, offset_q;
  logic [NumChunks*Bits-1:0] filled_q;
  logic [NumChunks-1:0]      ends_q;
  // The packet at the front: its branches, its chunks that are free again, and of each branch:
  // chunks finished but not free yet, flits read in the next one, flits read, tail read.
  logic                       active_q;
  logic [NumReaders-1:0]      branches_q, over_q;
  logic [Bits-1:0]            freed_q;
  logic [NumReaders*Bits-1:0] ahead_q, into_q, read_q;
  // The flit that is followed: packets before its own, its number in the packet, its place, what it
  // is.
  logic                       following_q, gone_q, value_q, value_tail_q;
  logic [Bits-1:0]            packets_before_q, number_q, slot_q, slot_offset_q;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  // ---- The ring from the oldest chunk on: chunk i of it, 0 is the oldest.
  logic [NumChunks*Bits-1:0]         filled;
  logic [NumChunks-1:0]              ends;
  logic [NumChunks*ReaderBits-1:0]   count;
  logic [NumChunks*ChunkFlits*2-1:0] flits;
  logic [Bits-1:0]                   write_slot, closed, distance;
  logic                              in_packet;

  always_comb begin
    filled = '0;
    ends   = '0;
    count  = '0;
    flits  = '0;
    for (int unsigned s = 0; s < NumChunks; s++) begin
      for (int unsigned i = 0; i < NumChunks; i++) begin
        if (oldest_q == Bits'((s + NumChunks - i) % NumChunks)) begin
          filled[i*Bits+:Bits]                       = filled_q[s*Bits+:Bits];
          ends[i]                                    = ends_q[s];
          count[i*ReaderBits+:ReaderBits]            = counts[s*ReaderBits+:ReaderBits];
          flits[i*ChunkFlits*2+:ChunkFlits*2]        = words[s*ChunkFlits*2+:ChunkFlits*2];
        end
      end
    end
    closed     = used_q - Bits'(offset_q != '0);
    write_slot = (oldest_q + closed >= Bits'(NumChunks)) ? oldest_q + closed - Bits'(NumChunks) :
        oldest_q + closed;
    in_packet  = written_q != '0;
    distance   = (slot_q >= oldest_q) ? slot_q - oldest_q : slot_q + Bits'(NumChunks) - oldest_q;
  end

  // ---- What the readers do in this cycle.
  logic [NumReaders-1:0] tail_now, finish_now;
  logic                  free_now, done_now, left_now, nothing_read, somebody_waits;
  logic [ReaderBits-1:0] reading;
  // Branches that the packet has behind this cycle, and chunks of it that become free.
  logic [NumReaders-1:0] stay;
  logic [Bits-1:0]       freed_now;

  assign lose = Losing && lose_i;

  always_comb begin
    tail_now   = '0;
    finish_now = '0;
    number     = '0;
    reading    = '0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      number  = number + ReaderBits'(branches_i[r]);
      reading = reading + ReaderBits'(read_i[r]);
      for (int unsigned i = 0; i < NumChunks; i++) begin
        if (read_i[r] && ahead_q[r*Bits+:Bits] == Bits'(i) && ends[i] &&
            into_q[r*Bits+:Bits] + 1'b1 == filled[i*Bits+:Bits]) tail_now[r] = 1'b1;
      end
      finish_now[r] = read_i[r] && (tail_now[r] || into_q[r*Bits+:Bits] == Bits'(ChunkFlits - 1));
    end
    free_now = active_q;
    done_now = active_q;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (branches_q[r] && ahead_q[r*Bits+:Bits] == '0 && !finish_now[r]) free_now = 1'b0;
      if (branches_q[r] && !over_q[r] && !tail_now[r]) done_now = 1'b0;
    end
    stay      = lose ? stay_i : branches_q;
    freed_now = lose ? '1 : Bits'(free_now);
    left_now  = active_q;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (stay[r]) begin
        if (lose && ahead_q[r*Bits+:Bits] + Bits'(finish_now[r]) < freed_now) begin
          freed_now = ahead_q[r*Bits+:Bits] + Bits'(finish_now[r]);
        end
        if (!over_q[r] && !tail_now[r]) left_now = 1'b0;
      end
    end
    nothing_read   = 1'b1;
    somebody_waits = 1'b0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      if (branches_q[r] && (read_q[r*Bits+:Bits] != '0 || read_i[r])) nothing_read = 1'b0;
      if (branches_q[r] && read_q[r*Bits+:Bits] == '0 && !read_i[r]) somebody_waits = 1'b1;
    end
  end

  // ---- The rules.
  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (valid_i || (!head_i && !tail_i));
    if (start_i) begin
      assume (branches_i != '0 && (!active_q || (Losing && left_now)));
      assume (packets_q != Bits'(left_now) || store);
    end
    if (lose) begin
      assume (active_q && stay_i != '0 && somebody_waits);
      for (int unsigned r = 0; r < NumReaders; r++) begin
        if (branches_q[r] && !stay_i[r]) assume (read_q[r*Bits+:Bits] == '0 && !read_i[r]);
        if (stay_i[r] && !branches_q[r]) assume (nothing_read);
      end
    end
    assume ((read_i & ~(active_q ? branches_q & ~over_q & ready : '0)) == '0);
    assume (reading <= ReaderBits'(ReadPorts));
    if (ReadPorts != NumReaders) begin
      for (int unsigned r = 0; r < NumReaders; r++) begin
        for (int unsigned p = 0; p < ReadPorts; p++) begin
          for (int unsigned q = 0; q < p; q++) begin
            assume (!(place_i[p*NumReaders+r] && place_i[q*NumReaders+r]));
          end
        end
      end
      for (int unsigned p = 0; p < ReadPorts; p++) begin
        assume ((place_i[p*NumReaders+:NumReaders] & (place_i[p*NumReaders+:NumReaders] - 1'b1)) ==
            '0);
      end
    end
  end
  logic [NumReaders-1:0] placed;
  always_comb begin
    placed = '0;
    for (int unsigned p = 0; p < ReadPorts; p++) begin
      placed = placed | place_i[p*NumReaders+:NumReaders];
    end
    if (ReadPorts != NumReaders) assume (placed == read_i);
  end

  // ---- The next state of all that.
  always_ff @(posedge clk_i) begin
    if (store) begin
      offset_q  <= (store_tail || offset_q == Bits'(ChunkFlits - 1)) ? '0 : offset_q + 1'b1;
      written_q <= store_tail ? '0 : written_q + 1'b1;
      for (int unsigned s = 0; s < NumChunks; s++) begin
        if (write_slot == Bits'(s)) begin
          filled_q[s*Bits+:Bits] <= offset_q + 1'b1;
          ends_q[s]              <= store_tail;
        end
      end
    end
    oldest_q  <= (oldest_q + freed_now >= Bits'(NumChunks)) ?
        oldest_q + freed_now - Bits'(NumChunks) : oldest_q + freed_now;
    used_q    <= used_q + Bits'(store && offset_q == '0) - freed_now;
    packets_q <= packets_q + Bits'(store && written_q == '0) - Bits'(left_now);

    freed_q <= freed_q + freed_now;
    if (lose) branches_q <= stay_i;
    over_q  <= over_q | tail_now;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      ahead_q[r*Bits+:Bits] <= ahead_q[r*Bits+:Bits] + Bits'(finish_now[r]) - freed_now;
      read_q[r*Bits+:Bits]  <= read_q[r*Bits+:Bits] + Bits'(read_i[r]);
      if (read_i[r]) into_q[r*Bits+:Bits] <= finish_now[r] ? '0 : into_q[r*Bits+:Bits] + 1'b1;
    end
    if (left_now) begin
      active_q <= 1'b0;
      freed_q  <= '0;
    end
    if (start_i) begin
      active_q   <= 1'b1;
      branches_q <= branches_i;
      over_q     <= '0;
      freed_q    <= '0;
      ahead_q    <= '0;
      into_q     <= '0;
      read_q     <= '0;
    end

    if (!following_q && store && follow_i) begin
      following_q      <= 1'b1;
      gone_q           <= 1'b0;
      value_q          <= data_i;
      value_tail_q     <= store_tail;
      packets_before_q <= packets_q - Bits'(written_q != '0) - Bits'(left_now);
      number_q         <= written_q;
      slot_q           <= write_slot;
      slot_offset_q    <= offset_q;
    end else if (following_q) begin
      if (distance < freed_now) gone_q <= 1'b1;
      if (left_now && packets_before_q == '0) following_q <= 1'b0;
      if (left_now) packets_before_q <= packets_before_q - 1'b1;
    end

    if (!rst_ni) begin
      oldest_q    <= '0;
      used_q      <= '0;
      packets_q   <= '0;
      written_q   <= '0;
      offset_q    <= '0;
      freed_q     <= '0;
      active_q    <= 1'b0;
      following_q <= 1'b0;
    end
  end

`include "replication_buffer_properties.svh"

endmodule

`default_nettype wire
