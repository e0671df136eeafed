// SPDX-License-Identifier: Apache-2.0
// For link_delivery.sv: what holds its induction together, in one step. Numbers of frames do not
// wrap here as those of the RTL do; symbols on the wire go with the number of their frame and their
// place in it.

  // The item on the wire.
  logic               is_data_item, is_copy, is_message, is_closing, is_set_item, active;
  logic [8:0]         item_done, item_flits;
  logic [SeqBits-1:0] item_number, now_number;
  logic [3:0]         item_kind;
  logic [PlaceBits-1:0] item_place;
  logic [Bits-1:0]    item_frame, now_frame, now_done;
  assign item_place  = item[64+:PlaceBits];
  assign item_kind   = item[NumberAt-4+:4];
  assign item_number = item[NumberAt+:SeqBits];
  assign item_flits  = item[NumberAt+SeqBits+:9];
  assign item_done   = item[NumberAt+SeqBits+9+:9];
  assign {is_set_item, is_data_item, is_copy, is_message, is_closing} = item[ItemBits-1-:5];
  assign active      = is_data_item || is_copy || is_message;
  assign item_frame  = sent_q - Bits'(SeqBits'(number - item_number));
  assign now_number  = item_now[NumberAt+:SeqBits];
  assign now_frame   = sent_q - Bits'(SeqBits'(number - now_number));
  assign now_done    = Bits'(item_now[NumberAt+SeqBits+9+:9]);

  // Symbols on the wire, the newest first, and the frame of which the parser has flits.
  logic [Wire*Bits-1:0] frame_q, offset_q, frame_d, offset_d;
  logic [Bits-1:0]      parsed_frame_q, parsed_offset_q;
  logic [Wire-1:0]      on_flit, on_check, on_init, on_spoilt;
  assign frame_d  = (frame_q << Bits) | (Wire*Bits)'(now_frame);
  assign offset_d = (offset_q << Bits) | (Wire*Bits)'(now_done);
  always_ff @(posedge clk_i) begin
    frame_q  <= frame_d;
    offset_q <= offset_d;
    if (on_flit[Wire-1]) begin
      parsed_frame_q  <= frame_q[(Wire-1)*Bits+:Bits];
      parsed_offset_q <= offset_q[(Wire-1)*Bits+:Bits];
    end
  end
  always_comb begin
    for (int unsigned e = 0; e < Wire; e++) begin
      on_spoilt[e] = forth_q[e*WireBits+63];
      on_flit[e]   = !on_spoilt[e] && forth_q[e*WireBits+70+:3] == 3'b011;
      on_check[e]  = !on_spoilt[e] && forth_q[e*WireBits+70+:3] == 3'b101;
      on_init[e]   = !on_spoilt[e] && forth_q[e*WireBits+70+:3] == 3'b110 &&
          forth_q[e*WireBits+:4] == 4'd1;
    end
  end

  // Frames from the oldest outstanding one on, the open one behind them: kind, flits, where they
  // begin among all flits and in the ring.
  logic [(Window+1)*4-1:0]         kinds;
  logic [(Window+1)*Bits-1:0]      lengths, starts;
  logic [Window*PlaceBits-1:0]     ends;
  logic [(Window+1)*PlaceBits-1:0] begins;
  logic [Bits-1:0]                 data_flits;
  logic [31:0]                     entry_at, sum;
  always_comb begin
    kinds   = '0;
    lengths = '0;
    ends    = '0;
    starts  = '0;
    begins  = '0;
    data_flits = '0;
    entry_at   = '0;
    sum        = '0;
    starts[Bits-1:0]      = written_q - used;
    begins[PlaceBits-1:0] = first;
    for (int unsigned i = 0; i < Window; i++) begin
      entry_at = 32'(head) + i < Window ? 32'(head) + i : 32'(head) + i - Window;
      for (int unsigned w = 0; w < Window; w++) begin
        if (entry_at == w) begin
          kinds[i*4+:4]                = entries[w*EntryBits+9+:4];
          lengths[i*Bits+:Bits]        = entries[w*EntryBits+:Bits];
          ends[i*PlaceBits+:PlaceBits] = places[w*PlaceBits+:PlaceBits];
        end
      end
      data_flits = kinds[i*4+:4] == '0 ? lengths[i*Bits+:Bits] : '0;
      starts[(i+1)*Bits+:Bits] = starts[i*Bits+:Bits] + data_flits;
      sum = 32'(begins[i*PlaceBits+:PlaceBits]) + 32'(data_flits);
      begins[(i+1)*PlaceBits+:PlaceBits] = PlaceBits'(sum < 2 * Ring ? sum : sum - 2 * Ring);
    end
    for (int unsigned i = 0; i <= Window; i++) begin
      if (32'(count) == i) begin
        kinds[i*4+:4]         = is_message ? 4'd1 : 4'd0;
        lengths[i*Bits+:Bits] = '0;
      end
    end
  end

  // Near the expected frame: what arrives is told from what was and what will be.
  function automatic logic near(input logic [Bits-1:0] ahead);
    near = 32'(ahead) < Window || 32'(ahead) >= (1 << Bits) - Window;
  endfunction

  logic [Bits-1:0] frame, offset, index, ahead, distance, before, value;
  logic [31:0]     at, total;
  logic            whole, is_ack;

  always_comb begin
    frame    = '0;
    offset   = '0;
    index    = '0;
    ahead    = '0;
    distance = '0;
    before   = '0;
    value    = '0;
    at       = '0;
    total    = '0;
    whole    = 1'b0;
    is_ack   = 1'b0;
    if (!first_q && rst_ni) begin
      // The sender: ring, list, item.
      assert (tx_state >= 3'd1 && tx_state <= 3'd3);
      assert (number == sent_q[SeqBits-1:0] && resend <= count && 32'(head) < Window);
      assert (32'(first) < 2 * Ring && 32'(next) < 2 * Ring && 32'(ring_end) < 2 * Ring);
      for (int unsigned w = 0; w < Window; w++) begin
        at = w >= 32'(head) ? w - 32'(head) : w + Window - 32'(head);
        if (at < 32'(count)) begin
          assert (entries[w*EntryBits+:9] != '0 && 32'(entries[w*EntryBits+:9]) <=
              (entries[w*EntryBits+9+:4] == '0 ? Frame : 1));
          assert (entries[w*EntryBits+9+:4] <= 4'd2);
        end
      end
      for (int unsigned i = 0; i < Window; i++) begin
        if (i < 32'(count)) begin
          assert (ends[i*PlaceBits+:PlaceBits] == begins[(i+1)*PlaceBits+:PlaceBits]);
        end
      end
      for (int unsigned i = 0; i <= Window; i++) begin
        if (i == 32'(count)) begin
          total = 32'(begins[i*PlaceBits+:PlaceBits]) + (is_data_item ? 32'(item_done) : 0);
          assert (32'(next) == (total < 2 * Ring ? total : total - 2 * Ring));
          value = written_q - starts[i*Bits+:Bits] - (is_data_item ? Bits'(item_done) : Bits'(0));
          total = 32'(next) + 32'(value);
          assert (32'(value) <= Ring);
          assert (32'(ring_end) == (total < 2 * Ring ? total : total - 2 * Ring));
        end
      end
      for (int unsigned k = 0; k < Ring; k++) begin
        at = 32'(first) + k;
        at = at < Ring ? at : at < 2 * Ring ? at - Ring : at < 3 * Ring ? at - 2 * Ring :
            at - 3 * Ring;
        for (int unsigned r = 0; r < Ring; r++) begin
          if (at == r && k < 32'(used)) begin
            assert (ring[r*(FlitBits+2)+6+:Bits] == written_q - used + Bits'(k));
            assert (!ring[r*(FlitBits+2)+FlitBits-1] && ring[r*(FlitBits+2)+2+:4] == '0);
          end
        end
      end
      assert (!is_set_item && !is_closing && 32'(is_data_item) + 32'(is_copy) +
          32'(is_message) <= 1);
      if (is_data_item) begin
        assert (item_kind == '0 && item_done != '0 && 32'(item_done) <= Frame);
      end
      if (is_message) begin
        assert (item_kind != '0 && item_kind <= 4'd2 && item_done == 9'd1 && item_flits == 9'd1);
      end
      if (is_data_item || is_message) begin
        assert (item_number == number && 32'(count) < Window && sender_crc[0]);
      end
      if (is_copy) begin
        distance = sent_q - item_frame;
        assert (distance != '0 && 32'(distance) <= Window);
        assert (item_done != '0 && item_done <= item_flits && item_kind <= 4'd2 &&
            32'(item_flits) <= (item_kind == '0 ? Frame : 1));
        index = item_frame - oldest;
        if (32'(distance) > 32'(count)) assert (resend == '0);
        for (int unsigned i = 0; i < Window; i++) begin
          if (32'(index) == i && i < 32'(count)) begin
            assert (sender_crc[0]);
            assert (32'(resend) == i + 1 && item_kind == kinds[i*4+:4] &&
                Bits'(item_flits) == lengths[i*Bits+:Bits]);
            total = 32'(begins[i*PlaceBits+:PlaceBits]) + 32'(item_done);
            if (item_kind == '0) begin
              assert (32'(item_place) == (total < 2 * Ring ? total : total - 2 * Ring));
            end
          end
        end
      end
      if (active) assert (near(item_frame - expected_q));
      if (tx_state == 3'd1) begin
        assert (sent_q == '0 && count == '0 && !active && (on_flit | on_check) == '0);
        assert (used == written_q);
      end

      // What is on the wire.
      for (int unsigned e = 0; e < Wire; e++) begin
        frame  = frame_q[e*Bits+:Bits];
        offset = offset_q[e*Bits+:Bits];
        index  = frame - oldest;
        ahead  = frame - expected_q;
        if (on_flit[e] || on_check[e]) begin
          assert (near(ahead));
          distance = sent_q - frame;
          assert (32'(distance) <= 2 * Window);
          if (on_check[e]) assert (distance != '0);
          if (distance == '0) assert (is_data_item || is_message);
        end
        if (on_flit[e]) begin
          assert (32'(offset) < Frame);
          for (int unsigned i = 0; i <= Window; i++) begin
            if (!ahead[Bits-1] && 32'(index) == i && i <= 32'(count)) begin
              if (i < 32'(count)) assert (offset < lengths[i*Bits+:Bits]);
              if (kinds[i*4+:4] == '0) begin
                assert (forth_q[e*WireBits+:Bits] == starts[i*Bits+:Bits] + offset);
                assert (forth_q[e*WireBits+66+:4] == '0);
              end
            end
          end
        end
        if (on_check[e]) begin
          assert (forth_q[e*WireBits+:SeqBits] == frame[SeqBits-1:0]);
          for (int unsigned i = 0; i < Window; i++) begin
            if (32'(index) == i && i < 32'(count)) begin
              assert (!forth_q[e*WireBits+32]);
              assert (forth_q[e*WireBits+28+:4] == kinds[i*4+:4] &&
                  Bits'(forth_q[e*WireBits+20+:8]) + Bits'(1) == lengths[i*Bits+:Bits]);
            end
          end
        end
        if (on_init[e]) begin
          assert (expected_q == '0 && forth_q[e*WireBits+8+:SeqBits] == '0);
          for (int unsigned o = e + 1; o < Wire; o++) assert (!on_flit[o] && !on_check[o]);
          assert (collected == '0 || !crc[0] || too_long);
        end
        // Behind a flit of a frame is its next symbol, or what was spoilt.
        if (on_flit[e]) begin
          if (e == 0) begin
            assert (active && item_frame == frame && Bits'(item_done) == offset + Bits'(1));
          end else begin
            assert (on_spoilt[e-1] || ((on_flit[e-1] || on_check[e-1]) &&
                frame_q[(e-1)*Bits+:Bits] == frame));
            if (on_flit[e-1]) assert (offset_q[(e-1)*Bits+:Bits] == offset + Bits'(1));
            if (on_check[e-1]) begin
              assert (forth_q[(e-1)*WireBits+20+:8] == 8'(offset));
            end
          end
        end
        // An older frame is not far ahead of a newer one.
        for (int unsigned o = e + 1; o < Wire; o++) begin
          if ((on_flit[o] || on_check[o]) && (on_flit[e] || on_check[e])) begin
            distance = frame_q[o*Bits+:Bits] - frame;
            assert (distance[Bits-1] || 32'(distance) < Window);
          end
        end
        if ((on_flit[e] || on_check[e]) && active) begin
          distance = frame - item_frame;
          assert (distance[Bits-1] || 32'(distance) < Window);
        end
      end

      // The receiver: what the parser has of a frame, what waits for the chip.
      assert (rx_expected == expected_q[SeqBits-1:0]);
      assert (checks == '0 && sets == '0 && 32'(collected) <= Frame);
      assert (32'(collected) == 32'(arrived) && (collected == '0 || crc[31]));
      whole = collected != '0 && crc[0] && !too_long;
      ahead = parsed_frame_q - expected_q;
      index = parsed_frame_q - oldest;
      if (whole) begin
        assert (near(ahead) && 32'(parsed_offset_q) < Frame);
        assert (on_spoilt[Wire-1] || ((on_flit[Wire-1] || on_check[Wire-1]) &&
            frame_q[(Wire-1)*Bits+:Bits] == parsed_frame_q));
        if (on_flit[Wire-1]) begin
          assert (offset_q[(Wire-1)*Bits+:Bits] == parsed_offset_q + Bits'(1));
        end
        if (on_check[Wire-1]) begin
          assert (forth_q[(Wire-1)*WireBits+20+:8] == 8'(parsed_offset_q));
        end
      end
      assert (32'(store_read) < Depth);
      assert (waiting == '0 || 32'(waiting) + 32'(arrived) < Frame);
      at = 32'(store_read) + 32'(waiting);
      assert (32'(store_commit) == (at < Depth ? at : at - Depth));
      at = 32'(store_commit) + 32'(arrived);
      assert (32'(store_write) == (at < Depth ? at : at - Depth));
      before = '0;
      for (int unsigned k = 0; k < Depth; k++) begin
        at = 32'(store_read) + k < Depth ? 32'(store_read) + k : 32'(store_read) + k - Depth;
        for (int unsigned d = 0; d < Depth; d++) begin
          if (at == d && k < 32'(waiting)) begin
            if (store[d*(FlitBits+2)+FlitBits+:2] == '0) begin
              assert (store[d*(FlitBits+2)+6+:Bits] == delivered_q + before);
              assert (store[d*(FlitBits+2)+2+:4] == '0);
              before = before + Bits'(1);
            end
          end
          if (at == d && k >= 32'(waiting) && k < 32'(waiting) + 32'(arrived) && whole &&
              !ahead[Bits-1]) begin
            for (int unsigned i = 0; i <= Window; i++) begin
              if (32'(index) == i && i <= 32'(count) && kinds[i*4+:4] == '0) begin
                assert (store[d*(FlitBits+2)+6+:Bits] == starts[i*Bits+:Bits] + parsed_offset_q +
                    Bits'(1) - Bits'(arrived) + Bits'(k) - Bits'(waiting));
                assert (store[d*(FlitBits+2)+FlitBits+:2] == '0);
                assert (store[d*(FlitBits+2)+2+:4] == '0);
              end
            end
          end
        end
      end
      assert (accepted_q == delivered_q + before);
      for (int unsigned i = 0; i <= Window; i++) begin
        if (expected_q - oldest == Bits'(i)) assert (starts[i*Bits+:Bits] == accepted_q);
      end
      if (rx_state == 2'd0) assert (expected_q == '0 && waiting == '0);
      if (init_waits) assert (rx_state == 2'd0 && init_number == '0);

      // What is on the way back says what was expected, never less than before.
      before = oldest;
      for (int unsigned r = 0; r < Wire; r++) begin
        at     = Wire - 1 - r;
        is_ack = back_q[at*(SetBits+1)+SetBits] && back_q[at*(SetBits+1)+:4] >= 4'd3;
        if (is_ack) begin
          value = told_q[at*Bits+:Bits];
          assert (value - oldest >= before - oldest && value - oldest <= expected_q - oldest);
          before = value;
          value  = value - Bits'(1);
          assert ((back_q[at*(SetBits+1)+:4] == 4'd5 ? back_q[at*(SetBits+1)+28+:SeqBits] :
              back_q[at*(SetBits+1)+8+:SeqBits]) == value[SeqBits-1:0]);
        end
        if (back_q[at*(SetBits+1)+SetBits]) begin
          assert (back_q[at*(SetBits+1)+:4] >= 4'd2 && back_q[at*(SetBits+1)+:4] <= 4'd5);
        end
      end

      // Credits: what was told to be freed had been accepted, and is told as that in the same set.
      if (Credits) begin
        assert (32'(in_use) <= Ring && used <= in_use);
        assert (accepted_q - told[Bits-1:0] <= in_use);
        assert (delivered_q - told[Bits-1:0] <= accepted_q - told[Bits-1:0]);
        assert (delivered_q - told[Bits-1:0] <= in_use);
        assert (freed_q - told[Bits-1:0] <= delivered_q - told[Bits-1:0]);
        before = '0;
        for (int unsigned r = 0; r < Wire; r++) begin
          at = Wire - 1 - r;
          if (back_q[at*(SetBits+1)+SetBits] && back_q[at*(SetBits+1)+:8] == 8'h05) begin
            index = told_q[at*Bits+:Bits] - oldest;
            value = back_q[at*(SetBits+1)+8+:Bits] - told[Bits-1:0];
            assert (value >= before && value <= freed_q - told[Bits-1:0]);
            before = value;
            for (int unsigned i = 0; i <= Window; i++) begin
              if (32'(index) == i) assert (value <= starts[i*Bits+:Bits] - told[Bits-1:0]);
            end
          end
        end
      end
    end
  end

  // The frame that was expected when a set was chosen.
  logic [Wire*Bits-1:0] told_q, told_d;
  assign told_d = (told_q << Bits) | (Wire*Bits)'(expected_q);
  always_ff @(posedge clk_i) told_q <= told_d;
