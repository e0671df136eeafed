// SPDX-License-Identifier: Apache-2.0 Properties of coding_engine.sv: what is known of the followed
// context, told from the packets alone, and what must follow.

  // ---- Complete packets, the first in the lowest bits.
  logic [NumSlots*PacketInfo-1:0] queue_q;
  logic [2:0]                     queued_q, place_in_queue;
  logic [PacketInfo-1:0]          packet;
  logic                           packet_bad, packet_chain;
  logic [1:0]                     packet_group, packet_number;
  logic [OperandBits-1:0]         operand;

  assign {packet_bad, packet_group, packet_chain, packet_number, operand} = queue_q[PacketInfo-1:0];
  assign place_in_queue = queued_q - 3'(pop);

  always_ff @(posedge clk_i) begin
    if (pop) queue_q <= queue_q >> PacketInfo;
    if (complete) begin
      queue_q[32'(place_in_queue)*PacketInfo+:PacketInfo] <=
          {bad_i || !write, group_i, chain_i, number_i, number + 1'b1, crc_i, seen};
    end
    queued_q <= place_in_queue + 3'(complete);
    if (!rst_ni) queued_q <= '0;
  end

  // ---- The followed context: plain operands accepted (decoding: or made), chain operands
  // accepted, pairs done in this round.
  logic                              encode, decode, begun_q, plain_came_q;
  logic [CountBits-1:0]              count;
  logic [DestBits-1:0]               destinations;
  logic [3:0]                        plain_q, chain_q, done_q, done;
  logic [4*OperandBits-1:0]          plain_value_q, chain_value_q;

  assign encode       = mode[32'(followed)*2+:2] == polycast_pkg::CodingModeEncode;
  assign decode       = mode[32'(followed)*2+:2] == polycast_pkg::CodingModeDecode;
  assign count        = counts[32'(followed)*CountBits+:CountBits];
  assign destinations = dests[32'(followed)*DestBits+:DestBits];

  // What the page says about the first packet, if it is for that context.
  logic       good, mine;
  logic [3:0] code;
  always_comb begin
    mine = !packet_bad && packet_group == 2'(followed);
    // Of several faults the first: by itself, its context, its number, an operand that is there.
    if (packet_bad)                                          code = polycast_pkg::CodingEventCheck;
    else if (!mine || !(encode || decode)) begin
      code = polycast_pkg::CodingEventUnknownContext;
    end
    else if (packet_chain && encode ||
        3'(packet_number) + 3'(packet_chain) >= 3'(count))   code =
        polycast_pkg::CodingEventBadIndex;
    else begin
                                                          code = polycast_pkg::CodingEventDuplicate;
    end
    good = mine && (encode || decode);
    if (packet_chain) begin
      good = good && decode && packet_number + 1'b1 < 3'(count) && !chain_q[packet_number];
    end
    else begin
                   good = good && packet_number < 2'(count) &&
                       !(decode ? plain_came_q : plain_q[packet_number]);
    end
  end

  // The pair that is worked on: two plain operands, or the chain operand and the datum below or
  // above it.
  logic                   work, from_below, from_above, silent;
  logic [1:0]             made_index, pair_index, one, other;
  logic                   one_there, other_there;
  logic [OperandBits-1:0] one_value, other_value, made_value;

  always_comb begin
    work       = working && work_context == followed;
    silent     = destinations == '0;
    made_index = 2'(index);
    from_below = made_index != '0 && plain_q[made_index-2'd1] && chain_q[made_index-2'd1] &&
        !done_q[made_index-2'd1];
    from_above = made_index + 1'b1 < 3'(count) && plain_q[made_index+2'd1] && chain_q[made_index] &&
                 !done_q[made_index];
    pair_index = unequal ? 2'(unequal_index) : encode ? made_index : from_below ?
        made_index - 2'd1 : made_index;
    if (encode) begin
      one         = pair_index;
      other       = pair_index + 2'd1;
      other_there = plain_q[other];
      other_value = plain_value_q[32'(other)*OperandBits+:OperandBits];
    end else begin
      // Of an unequal pair that datum which is there.
      one         = unequal ? (plain_q[pair_index] ? pair_index : pair_index + 2'd1) :
                    from_below ? made_index - 2'd1 : made_index + 2'd1;
      other       = pair_index;
      other_there = chain_q[other];
      other_value = chain_value_q[32'(other)*OperandBits+:OperandBits];
    end
    one_there  = plain_q[one];
    one_value  = plain_value_q[32'(one)*OperandBits+:OperandBits];
    made_value = {one_value[OperandBits-1-:SlotFlitBits],
        one_value[FlitBits+1:0] ^ other_value[FlitBits+1:0]};
    done       = done_q;
    if (work && pair) done[pair_index] = 1'b1;
  end

  // Flits and destinations of the pair that have gone.
  logic [PacketBits-1:0] flit_q;
  logic [DestBits-1:0]   dest_q;
  logic                  ended, over;

  assign over  = (work && pair && (done[0] && (count == CountBits'(2) || done[1])));
  assign ended = over || (given_end && given_context == followed);

  always_ff @(posedge clk_i) begin
    if (accept && packet_group == 2'(followed)) begin
      begun_q <= 1'b1;
      if (packet_chain) begin
        chain_q[packet_number] <= 1'b1;
        chain_value_q[32'(packet_number)*OperandBits+:OperandBits] <= operand;
      end else begin
        plain_q[packet_number] <= 1'b1;
        plain_came_q           <= 1'b1;
        plain_value_q[32'(packet_number)*OperandBits+:OperandBits] <= operand;
      end
    end
    done_q <= done;
    if (work && pair && !unequal && decode) begin
      plain_q[made_index] <= 1'b1;
      plain_value_q[32'(made_index)*OperandBits+:OperandBits] <= made_value;
    end
    if (work && !unequal && (ready_i || silent)) begin
      flit_q <= tail ? '0 : flit_q + 1'b1;
      if (tail) dest_q <= pair ? '0 : dest_q + 1'b1;
    end
    if (ended || !rst_ni) begin
      begun_q      <= 1'b0;
      plain_came_q <= 1'b0;
      plain_q      <= '0;
      chain_q      <= '0;
      done_q       <= '0;
    end
    if (!rst_ni) begin
      flit_q <= '0;
      dest_q <= '0;
    end
  end

  // Patience: cycles since something moved; nothing is waited for while there is a pair, or a datum
  // is made.
  logic       moves, waits, expires, expired_q, quiet_q, given_q, given_end_q;
  logic [2:0] clock_q;

  always_comb begin
    moves = (accept && packet_group == 2'(followed)) || (made && made_context == followed);
    waits = moves;
    for (int unsigned i = 0; i < 2; i++) begin
      if (encode && plain_q[i] && plain_q[i+1] && !done_q[i]) waits = 1'b1;
      if (decode && chain_q[i] && (plain_q[i] || plain_q[i+1]) && !done_q[i]) waits = 1'b1;
    end
    expires = begun_q && patience != '0 && clock_q >= patience && !waits && !giving_up;
  end

  always_ff @(posedge clk_i) begin
    if (moves || (work && pair)) clock_q <= '0;
    else if (clock_q != '1)      clock_q <= clock_q + 1'b1;
    expired_q   <= rst_ni && expires;
    quiet_q     <= rst_ni && !giving_up;
    given_q     <= rst_ni && giving_up && given_context == followed;
    given_end_q <= given_end;
  end

  // A round has ended before.
  logic again_q;
  always_ff @(posedge clk_i) again_q <= rst_ni && (again_q || over);

  // Giving up.
  logic [1:0] step_q;
  always_ff @(posedge clk_i) step_q <= giving_up ? step_q + 1'b1 : '0;

  always_comb begin
    if (!first_q && rst_ni) begin
      // Accepting.
      assert (queued_q <= 3'(NumSlots));
      if (pop) begin
        assert (queued_q != '0 && (accept != refuse));
        assert (refuse_group == 16'(packet_group) && refuse_tag == {packet_chain, 29'd0,
            packet_number});
        if (mine) assert (accept == good);
        if (packet_bad || packet_group >= 2'(NumContexts)) assert (refuse);
        if (refuse && (packet_bad || mine || packet_group >= 2'(NumContexts))) begin
          assert (refuse_code == code);
        end
      end
      // Nothing waits for nothing.
      if (queued_q != '0) assert (pop || made || giving_up);

      // What is sent, or done in silence.
      if (work) begin
        assert (one_there && other_there && !done_q[pair_index]);
        assert (pair_index + 1'b1 < 3'(count));
        assert (unequal ==
            (one_value[OperandBits-1-:SlotFlitBits] != other_value[OperandBits-1-:SlotFlitBits]));
        assert (send == (!unequal && !silent));
        if (unequal) assert (pair && flit_q == '0 && dest_q == '0);
        else begin
          if (decode) assert (from_below != from_above && !plain_q[made_index]);
          assert (length == 16'(made_value[OperandBits-1-:SlotFlitBits]));
          assert (crc == 32'(made_value[FlitBits+:2]));
          assert (flit == flit_q && head == (flit_q == '0) &&
                  tail == (flit_q + 1'b1 == PacketBits'(length) + PacketBits'(HeaderFlits)));
          if (flit == PacketBits'(place) + PacketBits'(HeaderFlits)) begin
            assert (data == made_value[FlitBits-1:0]);
          end
          assert (dest == dest_q && (silent || dest_q < destinations));
          assert (pair ==
              ((ready_i || silent) && tail && (silent || dest_q + 1'b1 == destinations)));
        end
      end else begin
        // A packet is not interrupted.
        assert (flit_q == '0 && dest_q == '0);
      end

      // No pair is forgotten.
      if (!working && !made) begin
        for (int unsigned i = 0; i < 2; i++) begin
          if (encode) assert (!(plain_q[i] && plain_q[i+1]) || done_q[i]);
          if (decode) assert (!(chain_q[i] && (plain_q[i] || plain_q[i+1])) || done_q[i]);
        end
      end

      // Giving up.
      if (giving_up && given_context == followed) begin
        assert (begun_q && !work && step_q < 2'(count) &&
            given_end == (step_q + 1'b1 == 2'(count)));
        if (encode) begin
          assert (missing == !plain_q[step_q]);
          if (missing) assert (missing_index == 32'(step_q));
        end else if (step_q == '0) begin
          assert (missing == !plain_came_q);
          if (missing) assert (missing_index == 32'h0000ffff);
        end else begin
          assert (missing == !chain_q[step_q-2'd1]);
          if (missing) assert (missing_index == {1'b1, 29'd0, step_q - 2'd1});
        end
      end
      // It begins in the cycle after the first context has expired, and lasts to its end.
      if (expired_q) assert (giving_up && given_context <= followed);
      if (quiet_q && !expired_q) assert (!giving_up || given_context != followed);
      if (given_q) assert (given_end_q ? !giving_up : giving_up && given_context == followed);

      // Nothing is left.
      if (begun_q) assert (!none_begun);
      if (none_begun && busy_q == '0 && queued_q == '0) assert (all_free && idle);

      cover (over && encode && count == CountBits'(3));
      cover (over && decode && count == CountBits'(3) && from_above);
      cover (over && again_q);
      cover (work && unequal);
      cover (pop && mine && refuse && refuse_code == polycast_pkg::CodingEventDuplicate);
      cover (given_end && given_context == followed);
      cover (work && send && begun_q && work_context != '0 && destinations == 2'd2 && dest == 2'd1);
    end
  end
