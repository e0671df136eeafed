// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_broadcast_output with polycast_broadcast_order: what begins to leave is due, is not
/// seen at the neighbour, and is the first (or last) such packet in the order of receipt; a packet
/// begins at most once in a round; its flits follow each other from the first to the tail and come
/// out unchanged; something goes if something can; the router's flits come first, at the host port
/// credits. The surroundings accept every packet once in a round, complete it later or in the same
/// cycle, and end the round when nothing is due.
module harness #(
  parameter int unsigned NumSlots  = 3,
  parameter int unsigned SlotFlits = 2,
  parameter int unsigned Host      = 0,
  parameter int unsigned DataBits  = 3
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic                clear_i,
  input wire logic [NumSlots+3:0] constant_i,
  input wire logic [NumSlots-1:0] accept_i,
  input wire logic [NumSlots-1:0] here_i,
  input wire logic [NumSlots-1:0] drop_i,
  input wire logic [1:0]          tail_i,
  input wire logic [3:0]          slot_i,
  input wire logic                whole_i,
  input wire logic [1:0]          round_i,
  input wire logic [NumSlots-1:0] side_have_i,
  input wire logic [1:0]          side_round_i,
  input wire logic                taken_i,
  input wire logic                credit_left_i
);

  logic [NumSlots-1:0] complete, due;
  logic [NumSlots*2-1:0] order;
  logic [1:0]          count, slot;
  logic                place, send, leaving, level, empty, last_flit;
  logic                flit_valid, flit_head, flit_tail, flit_header;
  logic [DataBits-1:0] flit_data;

  // Any, but the same all the time: lengths of the packets, order and maps as configured, at the
  // source or not.
  logic [NumSlots-1:0] two_flits_q;
  logic                reverse_q, maps_q, source_q, used_q;
  logic                first_q = 1'b1;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (first_q) {two_flits_q, reverse_q, maps_q, source_q, used_q} <= constant_i;
  end

  polycast_broadcast_order #(.NumInputs(2), .NumSlots(NumSlots)) receipt (
    .clk_i, .rst_ni, .clear_i, .tail_i, .slot_i, .order_o(order), .count_o(count),
    .complete_o(complete)
  );
  polycast_broadcast_output #(
    .NumSlots(NumSlots), .SlotFlits(SlotFlits), .FlitBits(DataBits), .HeaderPinBits(1),
    .Host(Host != 0)
  ) dut (
    .clk_i, .rst_ni, .clear_i, .used_i(used_q), .set_i(accept_i & here_i), .drop_i,
    .complete_i(complete), .order_i(order),
    .count_i(count), .reverse_i(reverse_q), .begin_i(whole_i || !source_q), .maps_i(maps_q),
    .round_i, .side_have_i,
    .side_round_i, .taken_i, .credit_left_i, .send_o(send), .slot_o(slot), .place_o(place),
    .tail_i(last_flit),
    .data_i({place, slot}), .header_i(slot[0]), .flit_valid_o(flit_valid), .flit_head_o(flit_head),
    .flit_tail_o(flit_tail),
    .flit_data_o(flit_data), .flit_header_o(flit_header), .due_o(due), .leaving_o(leaving),
    .level_o(level), .empty_o(empty)
  );

  (* probe = "dut.owed_q" *) wire [NumSlots-1:0] owed;
  (* probe = "dut.slot_q" *) wire [1:0] leaving_slot;
  (* probe = "dut.place_q" *) wire leaving_place;

  logic [NumSlots-1:0] one_of;
  always_comb begin
    one_of = '0;
    one_of[slot] = 1'b1;
    last_flit = place || (two_flits_q & one_of) == '0;
  end

  // The surroundings, and what the page says.
  logic [NumSlots-1:0]   accepted_q, owed_q, begun_q, seen_have_q, completed, seen, may;
  logic [1:0]            seen_round_q, leaving_slot_q, place_of, place_now;
  logic [NumSlots*2-1:0] receipt_q;
  logic [1:0]            received_q;
  logic                  leaving_q, same, next, before_now, goes, sent_q, sent_head_q, sent_tail_q;
  logic [DataBits-1:0]   sent_data_q;

  always_comb begin
    completed = '0;
    for (int unsigned s = 0; s < NumSlots; s++) begin
      for (int unsigned i = 0; i < 2; i++) begin
        if (tail_i[i] && 32'(slot_i[i*2+:2]) == s) completed[s] = 1'b1;
      end
    end
    same = Host != 0 || seen_round_q == round_i;
    next = Host == 0 && seen_round_q == round_i + 2'd1;
    seen = next ? '1 : (Host == 0 && same && maps_q) ? seen_have_q : '0;
    may  = (same && (whole_i || !source_q)) ? due & ~seen : '0;
    // In the order of receipt nothing that may go comes before the chosen packet.
    before_now = 1'b0;
    place_now  = '0;
    place_of   = '0;
    for (int unsigned s = 0; s < NumSlots; s++) if (one_of[s]) place_now = receipt_q[s*2+:2];
    for (int unsigned s = 0; s < NumSlots; s++) begin
      place_of = receipt_q[s*2+:2];
      if (may[s] && (reverse_q ? place_of > place_now : place_of < place_now)) before_now = 1'b1;
    end
    goes = (leaving_q || may != '0) && !taken_i && (Host == 0 || credit_left_i);
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (32'(slot_i[1:0]) < NumSlots && 32'(slot_i[3:2]) < NumSlots);
    if (tail_i == '1) assume (slot_i[1:0] != slot_i[3:2]);
    assume ((accept_i & accepted_q) == '0);
    assume ((completed & ~(accepted_q | accept_i)) == '0 && (completed & complete) == '0);
    assume ((drop_i & ~(accepted_q | accept_i)) == '0);
    if (clear_i) begin
      assume (accepted_q != '0 && accepted_q == complete && due == '0 && !leaving && level &&
          accept_i == '0);
    end
    if (Host != 0) assume (drop_i == '0);
    // The round changes when it ends, and a message that is whole stays so.
    if (whole_i) assume (accepted_q == complete && accept_i == '0);
  end

  logic [1:0] round_q;
  logic       whole_q, cleared_q;
  always_ff @(posedge clk_i) begin
    round_q   <= round_i;
    whole_q   <= whole_i;
    cleared_q <= clear_i;
  end
  always_comb begin
    if (!first_q && rst_ni) begin
      assume (round_i == round_q + 2'(cleared_q));
      if (whole_q && !cleared_q) assume (whole_i);
    end
  end

  always_ff @(posedge clk_i) begin
    accepted_q   <= clear_i ? '0 : accepted_q | accept_i;
    owed_q       <= clear_i ? '0 :
        (owed_q | (accept_i & here_i)) & ~drop_i & ~(seen & complete) & ~((send && !leaving_q) ?
        one_of : '0);
    begun_q      <= clear_i ? '0 : begun_q | ((send && !leaving_q) ? one_of : '0);
    seen_have_q  <= side_have_i;
    seen_round_q <= side_round_i;
    if (send) begin
      leaving_q      <= !last_flit;
      leaving_slot_q <= slot;
    end
    for (int unsigned s = 0; s < NumSlots; s++) begin
      if (completed[s]) receipt_q[s*2+:2] <= received_q + 2'(tail_i == '1 && 32'(slot_i[3:2]) == s);
    end
    received_q  <= clear_i ? '0 : received_q + 2'(tail_i[0]) + 2'(tail_i[1]);
    sent_q      <= send;
    sent_head_q <= !leaving_q;
    sent_tail_q <= last_flit;
    sent_data_q <= {place, slot};
    if (!rst_ni) begin
      accepted_q   <= '0;
      owed_q       <= '0;
      begun_q      <= '0;
      seen_have_q  <= '0;
      seen_round_q <= '0;
      leaving_q    <= 1'b0;
      received_q   <= '0;
      sent_q       <= 1'b0;
      cleared_q    <= 1'b0;
    end
  end

  // What holds inside, for the induction: the order of receipt names every complete packet once, in
  // its place; what has begun is not owed.
  logic [1:0] place_of_slot;
  always_comb begin
    place_of_slot = '0;
    if (!first_q && rst_ni) begin
      assert ((complete & ~accepted_q) == '0 && (owed_q & ~accepted_q) == '0 &&
          (begun_q & ~accepted_q) == '0);
      assert (owed == owed_q && (owed_q & begun_q) == '0);
      assert (32'(count) == $countones(complete) && count == received_q);
      for (int unsigned s = 0; s < NumSlots; s++) begin
        place_of_slot = receipt_q[s*2+:2];
        if (complete[s]) begin
          assert (place_of_slot < count);
          for (int unsigned k = 0; k < NumSlots; k++) begin
            if (32'(place_of_slot) == k) assert (32'(order[k*2+:2]) == s);
          end
        end
        if (leaving_q && 32'(leaving_slot_q) == s) begin
          assert (complete[s] && begun_q[s] && two_flits_q[s]);
        end
      end
      if (leaving_q) begin
        assert (leaving_slot == leaving_slot_q && 32'(leaving_slot) < NumSlots && leaving_place);
      end
    end
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      assert (send == goes);
      assert (leaving == leaving_q && due == (owed_q & complete));
      if (send && leaving_q) assert (slot == leaving_slot_q && place);
      if (send && !leaving_q) begin
        assert ((one_of & may) != '0 && (one_of & begun_q) == '0 && !place);
        assert (!before_now);
      end
      assert (level == (Host != 0 || !used_q || same || next));
      assert (flit_valid == sent_q && empty == !sent_q);
      if (sent_q) begin
        assert (flit_head == sent_head_q && flit_tail == sent_tail_q && flit_data == sent_data_q);
        assert (flit_header == (sent_head_q && sent_data_q[0]));
      end else begin
        assert (!flit_head && !flit_tail && flit_data == '0 && !flit_header);
      end
      cover (send && !leaving_q && may == '1 && receipt_q[1:0] == 2'd2);
      cover (send && leaving_q && due != '0);
      cover (clear_i && flit_tail);
      cover (Host != 0 || (due & seen) != '0);
      cover (send && !leaving_q && begun_q != '0 && (Host != 0 || drop_i != '0) && round_i != '0);
    end
  end

endmodule

`default_nettype wire
