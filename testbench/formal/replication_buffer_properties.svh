// SPDX-License-Identifier: Apache-2.0
// Properties of replication_buffer.sv: first what counts, then what holds the induction together.

  logic [Bits-1:0] tails_before, packet_start, last_packet_start;
  logic [NumReaders-1:0] misses;

  always_comb begin
    misses = '0;
    for (int unsigned r = 0; r < NumReaders; r++) begin
      misses[r] = stay[r] && read_q[r*Bits+:Bits] + Bits'(read_i[r]) <= number_q;
    end
  end

  // ---- What counts.
  always_comb begin
    if (!first_q && rst_ni) begin
      // Framing: packets begin with a head, are never longer than the limit, and start in a fresh
      // chunk.
      if (store) assert (head_i || written_q != '0);
      if (store) assert (written_q < Bits'(packet_limit) && (tail_i <= store_tail));
      if (store && written_q + 1'b1 == Bits'(packet_limit)) assert (store_tail);
      if (store && !tail_i && store_tail) assert (too_long);
      if (store && written_q == '0) assert (starts);
      assert (starts == (offset_q == '0));
      assert (Bits'(index) == written_q);
      if (valid_i && !framer_dead && !framer_discard) assert (store || overflow || missing_head);
      if (overflow) assert (!store && used_q >= Bits'(usable));
      if (framer_dead) assert (!store);

      // Nothing freed early, nothing leaked.
      assert (free == free_now);
      assert (Bits'(occupied) == used_q && used_q <= Bits'(usable));
      if (store && starts) assert (used_q < Bits'(usable));
      if (free) assert (used_q != '0);
      assert (done == done_now && Bits'(freed) == freed_now);
      if (packets_q == '0) assert (used_q == '0);
      for (int unsigned r = 0; r < NumReaders; r++) begin
        if (done && branches_q[r]) begin
          assert (ahead_q[r*Bits+:Bits] + Bits'(finish_now[r]) == Bits'(free));
        end
      end

      // Data: the followed flit reaches each branch of its packet, once and unchanged.
      if (following_q && packets_before_q == '0 && active_q) begin
        for (int unsigned r = 0; r < NumReaders; r++) begin
          if (read_i[r] && read_q[r*Bits+:Bits] == number_q) begin
            assert (data[r] == value_q && tail[r] == value_tail_q);
          end
        end
        if (left_now) assert (misses == '0);
      end

      // A branch may read what is there.
      for (int unsigned r = 0; r < NumReaders; r++) begin
        if (active_q && branches_q[r] && !over_q[r]) begin
          assert (starts_chunk[r] == (into_q[r*Bits+:Bits] == '0));
          for (int unsigned i = 0; i < NumChunks; i++) begin
            if (ahead_q[r*Bits+:Bits] == Bits'(i)) begin
              assert (ready[r] ==
                  (Bits'(i) < used_q && into_q[r*Bits+:Bits] < filled[i*Bits+:Bits]));
            end
          end
        end
      end

      cover (done && used_q == Bits'(NumChunks) && branches_q == '1);
      cover (done && freed_q != '0);
      cover (free && oldest_q == Bits'(NumChunks - 1));
      cover (following_q && packets_before_q == '0 && active_q && read_q[0+:Bits] == number_q &&
          read_i[0] &&
             number_q == Bits'(ChunkFlits) && branches_q == '1 && over_q[NumReaders-1]);
      cover (too_long);
      cover (overflow);
      cover (free && store && starts);
    end
  end

  if (Losing) begin : gen_losing
    always_comb begin
      if (!first_q && rst_ni) begin
        cover (lose && freed_now == Bits'(2) && !left_now);
        cover (lose && left_now && start_i);
        cover (lose && stay == NumReaders'(1) && branches_q == NumReaders'(2));
        cover (done && start_i && !lose);
      end
    end
  end

  // ---- What holds the induction together.
  always_comb begin
    tails_before      = '0;
    packet_start      = '0;
    last_packet_start = '0;
    for (int unsigned i = 0; i < NumChunks; i++) begin
      if (Bits'(i) < distance && ends[i]) begin
        tails_before = tails_before + 1'b1;
        packet_start = Bits'(i + 1);
      end
      if (Bits'(i) < used_q && ends[i]) last_packet_start = Bits'(i + 1);
    end
  end

  logic [Bits-1:0] all_tails, first_tail;
  always_comb begin
    all_tails  = '0;
    first_tail = used_q;
    for (int i = NumChunks - 1; i >= 0; i--) begin
      if (Bits'(i) < used_q && ends[i]) begin
        all_tails  = all_tails + 1'b1;
        first_tail = Bits'(i);
      end
    end
  end

  logic [ReaderBits-1:0] branch_count, finished;
  logic                  someone_at_oldest;
  always_comb begin
    branch_count      = '0;
    someone_at_oldest = 1'b0;
    finished          = '0;
    if (!first_q && rst_ni) begin
      // The ring.
      assert (oldest_q < Bits'(NumChunks) && used_q <= Bits'(NumChunks) &&
          offset_q < Bits'(ChunkFlits));
      assert (offset_q == '0 || used_q != '0);
      assert (Bits'(dut_oldest[SlotBits-1:0]) == oldest_q && Bits'(dut_write[SlotBits-1:0]) ==
          write_slot);
      assert (dut_write[SlotBits] ==
          (dut_oldest[SlotBits] ^ (oldest_q + closed >= Bits'(NumChunks))));
      assert (Bits'(dut_write_offset) == offset_q);
      for (int unsigned i = 0; i < NumChunks; i++) begin
        if (Bits'(i) < used_q) begin
          assert (filled[i*Bits+:Bits] != '0 && filled[i*Bits+:Bits] <= Bits'(ChunkFlits));
          if (Bits'(i) < closed) assert (ends[i] || filled[i*Bits+:Bits] == Bits'(ChunkFlits));
          else                   assert (!ends[i] && filled[i*Bits+:Bits] == offset_q);
          for (int unsigned j = 0; j < ChunkFlits; j++) begin
            if (Bits'(j) < filled[i*Bits+:Bits]) begin
              assert (flits[(i*ChunkFlits+j)*2+1] ==
                  (ends[i] && Bits'(j) + 1'b1 == filled[i*Bits+:Bits]));
            end
          end
        end
      end
      // The packet that is being written.
      assert (framer_in_packet == in_packet && !(framer_in_packet && framer_discard));
      if (used_q == '0) assert (in_packet == active_q);
      for (int unsigned i = 0; i < NumChunks; i++) begin
        if (used_q == Bits'(i + 1)) assert (in_packet == !ends[i]);
      end
      if (in_packet) begin
        assert (written_q < Bits'(packet_limit));
        assert (written_q ==
            (closed - last_packet_start + (last_packet_start == '0 ? freed_q : '0)) *
                             Bits'(ChunkFlits) + offset_q);
      end
      assert (packets_q == all_tails + Bits'(in_packet));
      // The packet at the front.
      if (!active_q) assert (freed_q == '0);
      assert (freed_q <= Bits'(NumChunks));
      if (active_q) begin
        assert (freed_q + first_tail < Bits'(NumChunks) ||
                (in_packet && all_tails == '0 && freed_q + closed <= Bits'(NumChunks)));
        for (int unsigned r = 0; r < NumReaders; r++) begin
          branch_count = branch_count + ReaderBits'(branches_q[r]);
        end
        assert (dut_readers == branch_count && branches_q != '0);
        // Other readers are where the packet begins, in case one takes the place of the branches.
        for (int unsigned r = 0; r < NumReaders; r++) begin
          if (Losing && !branches_q[r]) begin
            assert (!over_q[r] && into_q[r*Bits+:Bits] == '0 && read_q[r*Bits+:Bits] == '0);
            if (freed_q == '0) begin
              assert (ahead_q[r*Bits+:Bits] == '0 && dut_offset[r*OffsetBits+:OffsetBits] == '0);
              assert (dut_chunk[r*(SlotBits+1)+:SlotBits+1] == dut_oldest);
            end
          end
        end
        for (int unsigned r = 0; r < NumReaders; r++) begin
          if (branches_q[r]) begin
            if (ahead_q[r*Bits+:Bits] == '0) someone_at_oldest = 1'b1;
            assert (ahead_q[r*Bits+:Bits] <= closed);
            assert (Bits'(dut_chunk[r*(SlotBits+1)+:SlotBits]) ==
                (oldest_q + ahead_q[r*Bits+:Bits] >= Bits'(NumChunks) ?
                oldest_q + ahead_q[r*Bits+:Bits] - Bits'(NumChunks) :
                oldest_q + ahead_q[r*Bits+:Bits]));
            assert (dut_chunk[r*(SlotBits+1)+SlotBits] ==
                (dut_oldest[SlotBits] ^ (oldest_q + ahead_q[r*Bits+:Bits] >= Bits'(NumChunks))));
            assert (Bits'(dut_offset[r*OffsetBits+:OffsetBits]) == into_q[r*Bits+:Bits]);
            if (over_q[r]) begin
              assert (into_q[r*Bits+:Bits] == '0 && ahead_q[r*Bits+:Bits] == first_tail + 1'b1 &&
                  all_tails != '0);
              for (int unsigned i = 0; i < NumChunks; i++) begin
                if (first_tail == Bits'(i)) begin
                  assert (read_q[r*Bits+:Bits] == (freed_q + Bits'(i)) * Bits'(ChunkFlits) +
                      filled[i*Bits+:Bits]);
                end
              end
            end else begin
              assert (ahead_q[r*Bits+:Bits] <= first_tail);
              assert (into_q[r*Bits+:Bits] < Bits'(ChunkFlits));
              assert (read_q[r*Bits+:Bits] ==
                  (freed_q + ahead_q[r*Bits+:Bits]) * Bits'(ChunkFlits) +
                                           into_q[r*Bits+:Bits]);
              if (ahead_q[r*Bits+:Bits] == used_q) assert (into_q[r*Bits+:Bits] == '0);
              for (int unsigned i = 0; i < NumChunks; i++) begin
                if (ahead_q[r*Bits+:Bits] == Bits'(i) && Bits'(i) < used_q) begin
                  assert (into_q[r*Bits+:Bits] <= filled[i*Bits+:Bits]);
                  if (into_q[r*Bits+:Bits] == filled[i*Bits+:Bits]) assert (Bits'(i) == closed);
                end
              end
            end
          end
        end
        assert (someone_at_oldest);
      end
      // Counts.
      for (int unsigned i = 0; i < NumChunks; i++) begin
        finished = '0;
        for (int unsigned r = 0; r < NumReaders; r++) begin
          if (active_q && branches_q[r] && ahead_q[r*Bits+:Bits] > Bits'(i)) begin
            finished = finished + 1'b1;
          end
        end
        if (Bits'(i) < used_q) assert (count[i*ReaderBits+:ReaderBits] == finished);
      end
      // The followed flit.
      if (following_q) begin
        assert (slot_q < Bits'(NumChunks) && slot_offset_q < Bits'(ChunkFlits) &&
            packets_before_q < packets_q);
        if (gone_q) begin
          assert (packets_before_q == '0 && active_q);
          for (int unsigned r = 0; r < NumReaders; r++) begin
            if (branches_q[r]) assert (read_q[r*Bits+:Bits] > number_q);
          end
        end else begin
          assert (distance < used_q && tails_before == packets_before_q);
          assert (number_q == (distance - packet_start + (packet_start == '0 ? freed_q : '0)) *
              Bits'(ChunkFlits) +
                              slot_offset_q);
          for (int unsigned i = 0; i < NumChunks; i++) begin
            if (distance == Bits'(i)) begin
              assert (slot_offset_q < filled[i*Bits+:Bits]);
              assert (value_tail_q == (ends[i] && slot_offset_q + 1'b1 == filled[i*Bits+:Bits]));
              for (int unsigned j = 0; j < ChunkFlits; j++) begin
                if (slot_offset_q == Bits'(j)) assert (flits[(i*ChunkFlits+j)*2] == value_q);
              end
            end
          end
        end
      end
    end
  end
