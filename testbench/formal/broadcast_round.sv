// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_broadcast_unit over any number of rounds. Framing and the injection buffer are proved
/// by themselves (broadcast_input), and so is what a header says (broadcast_rule): here two modules
/// with their names stand for them (broadcast_stand_ins.svh), whose packets and headers are any.
/// Proved: the slots hold what was accepted; a packet is owed to the ports of the rule but not to
/// where it came from, until it begins to leave, comes from there or is seen there; it leaves a
/// port at most once in a round, only when it is there, unchanged, from the source only when the
/// message is whole; neighbours are shown what is there or coming in; a round ends when all is
/// there, nothing is owed or leaving and no neighbour lags behind, and the next begins with
/// nothing.
module harness #(
  parameter int unsigned NumSlots  = 2,
  parameter int unsigned SlotFlits = 2
) (
  input wire logic                  clk_i,
  input wire logic                  rst_ni,
  input wire logic [3:0]            flit_valid_i,
  input wire logic [3:0]            flit_tail_i,
  input wire logic [4*8-1:0]        flit_data_i,
  input wire logic [4*16-1:0]       flit_header_i,
  input wire logic                  credit_i,
  input wire logic [3:0]            taken_i,
  input wire logic                  credit_taken_i,
  input wire logic [4*NumSlots-1:0] side_have_i,
  input wire logic [7:0]            side_round_i,
  input wire logic                  cfg_valid_i,
  input wire logic [31:0]           cfg_addr_i,
  input wire logic [31:0]           cfg_data_i
);

  // One dimension, and a bypass port behind that of the host.
  localparam int unsigned Ports     = 4;
  localparam int unsigned HostPort  = 2;
  localparam int unsigned SlotBits  = NumSlots > 1 ? $clog2(NumSlots) : 1;
  localparam int unsigned PlaceBits = SlotFlits > 1 ? $clog2(SlotFlits) : 1;
  localparam int unsigned CountBits = $clog2(NumSlots + 1);
  localparam int unsigned NumFlits  = NumSlots * SlotFlits;

  logic                  credit, idle;
  logic [3:0]            valid, head, tail, event_valid, held;
  logic [31:0]           data, packet;
  logic [63:0]           header, occupied, due_count;
  logic [NumSlots-1:0]   have;
  logic [1:0]            round;
  logic [4*polycast_pkg::NumErrors-1:0] error;
  logic [4*polycast_pkg::BroadcastEventBits-1:0] code;
  logic [7:0]            state;

  polycast_broadcast_unit #(
    .NumPorts(Ports), .FlitBytes(1), .HeaderFree(1'b1), .Dimensions(1), .Radix(4),
    .NumSlots(NumSlots), .SlotFlits(SlotFlits),
    .InjectFlits(1), .HeaderPinBits(16)
  ) dut (
    .clk_i, .rst_ni, .flit_valid_i, .flit_head_i('0), .flit_tail_i, .flit_data_i, .flit_header_i,
    .credit_o(credit),
    .flit_valid_o(valid), .flit_head_o(head), .flit_tail_o(tail), .flit_data_o(data),
    .flit_header_o(header), .credit_i, .taken_i,
    .credit_taken_i, .side_have_o(have), .side_round_o(round), .side_have_i, .side_round_i,
    .cfg_valid_i, .cfg_addr_i, .cfg_data_i,
    .error_o(error), .event_valid_o(event_valid), .event_code_o(code), .event_packet_o(packet),
    .idle_o(idle),
    .probe_occupied_o(occupied), .probe_state_o(state), .probe_held_o(held), .probe_due_o(due_count)
  );

  (* probe = "dut.open" *) wire [3:0] open;
  (* probe = "dut.ports" *) wire [3:0] ports;
  (* probe = "dut.maps" *) wire maps;
  (* probe = "dut.host_credits" *) wire [15:0] host_credits;
  (* probe = "dut.accept" *) wire [3:0] accept;
  (* probe = "dut.duplicate" *) wire [3:0] duplicate;
  (* probe = "dut.head_slot" *) wire [4*SlotBits-1:0] head_slot;
  (* probe = "dut.last_packet" *) wire [31:0] head_last;
  (* probe = "dut.at_source" *) wire [3:0] head_at_source;
  (* probe = "dut.rule_ports" *) wire [15:0] rule_ports;
  (* probe = "dut.write" *) wire [3:0] write;
  (* probe = "dut.write_tail" *) wire [3:0] write_tail;
  (* probe = "dut.write_slot" *) wire [4*SlotBits-1:0] write_slot;
  (* probe = "dut.write_place" *) wire [4*PlaceBits-1:0] write_place;
  (* probe = "dut.write_data" *) wire [31:0] write_data;
  (* probe = "dut.write_header" *) wire [63:0] write_header;
  (* probe = "dut.send" *) wire [3:0] send;
  (* probe = "dut.read_slot" *) wire [4*SlotBits-1:0] read_slot;
  (* probe = "dut.credit_left" *) wire credit_left;
  (* probe = "dut.round_end" *) wire round_end;
  (* probe = "dut.known_q" *) wire known;
  (* probe = "dut.at_source_q" *) wire at_source;
  (* probe = "dut.source_q" *) wire [23:0] source;
  (* probe = "dut.own" *) wire [1:0] own;
  (* probe = "dut.last_q" *) wire [7:0] last;
  (* probe = "dut.order" *) wire [NumSlots*SlotBits-1:0] order;
  (* probe = "dut.count" *) wire [CountBits-1:0] count;
  (* probe = "dut.complete" *) wire [NumSlots-1:0] complete;
  (* probe = "dut.i_store.mem_q", words = "NumSlots * SlotFlits" *) wire [NumFlits*9-1:0] flits;
  (* probe = "dut.i_store.gen_free.header_q", words = "NumSlots" *) wire [NumSlots*16-1:0] headers;
  (* probe = "dut.gen_input[0].i_input.slot_q" *) wire [SlotBits-1:0] in_slot_0;
  (* probe = "dut.gen_input[1].i_input.slot_q" *) wire [SlotBits-1:0] in_slot_1;
  (* probe = "dut.gen_input[2].i_input.slot_q" *) wire [SlotBits-1:0] in_slot_2;
  (* probe = "dut.gen_input[3].i_input.slot_q" *) wire [SlotBits-1:0] in_slot_3;
  (* probe = "dut.gen_input[0].i_input.place_q" *) wire [PlaceBits-1:0] in_place_0;
  (* probe = "dut.gen_input[1].i_input.place_q" *) wire [PlaceBits-1:0] in_place_1;
  (* probe = "dut.gen_input[2].i_input.place_q" *) wire [PlaceBits-1:0] in_place_2;
  (* probe = "dut.gen_input[3].i_input.place_q" *) wire [PlaceBits-1:0] in_place_3;
  (* probe = "dut.gen_output[0].i_output.owed_q" *) wire [NumSlots-1:0] owed_0;
  (* probe = "dut.gen_output[1].i_output.owed_q" *) wire [NumSlots-1:0] owed_1;
  (* probe = "dut.gen_output[2].i_output.owed_q" *) wire [NumSlots-1:0] owed_2;
  (* probe = "dut.gen_output[3].i_output.owed_q" *) wire [NumSlots-1:0] owed_3;
  (* probe = "dut.gen_output[0].i_output.slot_q" *) wire [SlotBits-1:0] out_slot_0;
  (* probe = "dut.gen_output[1].i_output.slot_q" *) wire [SlotBits-1:0] out_slot_1;
  (* probe = "dut.gen_output[2].i_output.slot_q" *) wire [SlotBits-1:0] out_slot_2;
  (* probe = "dut.gen_output[3].i_output.slot_q" *) wire [SlotBits-1:0] out_slot_3;
  (* probe = "dut.gen_output[0].i_output.place_q" *) wire [PlaceBits-1:0] out_place_0;
  (* probe = "dut.gen_output[1].i_output.place_q" *) wire [PlaceBits-1:0] out_place_1;
  (* probe = "dut.gen_output[2].i_output.place_q" *) wire [PlaceBits-1:0] out_place_2;
  (* probe = "dut.gen_output[3].i_output.place_q" *) wire [PlaceBits-1:0] out_place_3;

  logic [4*NumSlots-1:0]  owed;
  logic [4*SlotBits-1:0]  in_slot, out_slot;
  logic [4*PlaceBits-1:0] in_place, out_place;
  assign owed      = {owed_3, owed_2, owed_1, owed_0};
  assign in_slot   = {in_slot_3, in_slot_2, in_slot_1, in_slot_0};
  assign in_place  = {in_place_3, in_place_2, in_place_1, in_place_0};
  assign out_slot  = {out_slot_3, out_slot_2, out_slot_1, out_slot_0};
  assign out_place = {out_place_3, out_place_2, out_place_1, out_place_0};

  // What has come in this round and where it still has to go, as the page says; what is leaving,
  // and what was sent a cycle ago.
  logic                   first_q = 1'b1;
  logic [NumSlots-1:0]    accepted_q, whole_q, all, begins;
  logic [NumFlits*8-1:0]  data_q;
  logic [NumFlits-1:0]    tail_q, there_q;
  logic [NumSlots*16-1:0] header_q;
  logic [4*NumSlots-1:0]  owed_q, owed_d, begun_q, begun_d, came_q, seen_have_q, seen;
  logic [7:0]             seen_round_q, last_q;
  logic [1:0]             round_q;
  logic                   known_q, at_source_q, message;
  logic [3:0]             to, same, next, leaving_q, sent_q, sent_head_q, sent_tail_q, goes,
      flit_tail;
  logic [31:0]            sent_data_q, flit_data;
  logic [63:0]            sent_header_q, flit_header;
  logic [4*SlotBits-1:0]  leaving_slot_q, slot;
  logic [4*PlaceBits-1:0] leaving_place_q, place;

  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    if (first_q) assume (!rst_ni);
    // Registers are any, but stay.
    assume (!cfg_valid_i);
    assume ((flit_tail_i & ~flit_valid_i) == '0 && !open[HostPort]);
  end

  always_comb begin
    all = '0;
    for (int unsigned s = 0; s < NumSlots; s++) all[s] = 32'(last_q) >= s;
    message = known_q && whole_q == all;
    owed_d  = owed_q;
    begun_d = begun_q;
    begins  = '0;
    seen    = '0;
    to      = '0;
    for (int unsigned i = 0; i < Ports; i++) begin
      to           = rule_ports[i*Ports+:Ports] & ports;
      to[i]        = 1'b0;
      to[HostPort] = !head_at_source[i] && host_credits != '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        for (int unsigned s = 0; s < NumSlots; s++) begin
          if (accept[i] && to[p] && 32'(head_slot[i*SlotBits+:SlotBits]) == s) begin
            owed_d[p*NumSlots+s] = 1'b1;
          end
        end
      end
    end
    for (int unsigned p = 0; p < Ports; p++) begin
      same[p] = p == HostPort || seen_round_q[p*2+:2] == round_q;
      next[p] = p != HostPort && seen_round_q[p*2+:2] == round_q + 2'd1;
      if (next[p])                                 seen[p*NumSlots+:NumSlots] = '1;
      else if (p != HostPort && same[p] && maps) begin
        seen[p*NumSlots+:NumSlots] = seen_have_q[p*NumSlots+:NumSlots];
      end
      slot[p*SlotBits+:SlotBits]    = leaving_q[p] ? leaving_slot_q[p*SlotBits+:SlotBits] :
          read_slot[p*SlotBits+:SlotBits];
      place[p*PlaceBits+:PlaceBits] = leaving_q[p] ? leaving_place_q[p*PlaceBits+:PlaceBits] : '0;
      for (int unsigned s = 0; s < NumSlots; s++) begin
        begins[s] = send[p] && !leaving_q[p] && 32'(read_slot[p*SlotBits+:SlotBits]) == s;
        if (duplicate[p] && ports[p] && 32'(head_slot[p*SlotBits+:SlotBits]) == s) begin
          owed_d[p*NumSlots+s] = 1'b0;
        end
        if ((whole_q[s] && seen[p*NumSlots+s]) || begins[s]) owed_d[p*NumSlots+s] = 1'b0;
        if (begins[s]) begun_d[p*NumSlots+s] = 1'b1;
      end
      // Whether something can go: then something does, of what may.
      goes[p] = leaving_q[p] || (same[p] && (message || !at_source_q) &&
          (owed_q[p*NumSlots+:NumSlots] & whole_q & ~seen[p*NumSlots+:NumSlots]) != '0);
      if (taken_i[p] || (p == HostPort && !credit_left)) goes[p] = 1'b0;
      flit_tail[p]            = 1'b0;
      flit_data[p*8+:8]       = '0;
      flit_header[p*16+:16]   = '0;
      for (int unsigned s = 0; s < NumSlots; s++) begin
        for (int unsigned f = 0; f < SlotFlits; f++) begin
          if (32'(slot[p*SlotBits+:SlotBits]) == s && 32'(place[p*PlaceBits+:PlaceBits]) == f) begin
            flit_tail[p]      = tail_q[s*SlotFlits+f];
            flit_data[p*8+:8] = data_q[(s*SlotFlits+f)*8+:8];
            if (f == 0) flit_header[p*16+:16] = header_q[s*16+:16];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Ports; i++) begin
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (accept[i] && 32'(head_slot[i*SlotBits+:SlotBits]) == s) begin
          accepted_q[s]        <= 1'b1;
          header_q[s*16+:16] <= write_header[i*16+:16];
        end
        if ((accept[i] || duplicate[i]) && 32'(head_slot[i*SlotBits+:SlotBits]) == s) begin
          came_q[i*NumSlots+s] <= 1'b1;
        end
        for (int unsigned f = 0; f < SlotFlits; f++) begin
          if (write[i] && 32'(write_slot[i*SlotBits+:SlotBits]) == s &&
              32'(write_place[i*PlaceBits+:PlaceBits]) == f) begin
            there_q[s*SlotFlits+f]       <= 1'b1;
            tail_q[s*SlotFlits+f]        <= write_tail[i];
            data_q[(s*SlotFlits+f)*8+:8] <= write_data[i*8+:8];
            if (write_tail[i]) whole_q[s] <= 1'b1;
          end
        end
      end
      if (accept[i]) begin
        known_q     <= 1'b1;
        last_q      <= head_last[i*8+:8];
        at_source_q <= head_at_source[i];
      end
    end
    owed_q       <= owed_d;
    begun_q      <= begun_d;
    seen_have_q  <= side_have_i;
    seen_round_q <= side_round_i;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (send[p]) begin
        leaving_q[p]                              <= !flit_tail[p];
        leaving_slot_q[p*SlotBits+:SlotBits]      <= slot[p*SlotBits+:SlotBits];
        leaving_place_q[p*PlaceBits+:PlaceBits]   <= place[p*PlaceBits+:PlaceBits] + PlaceBits'(1);
      end
      sent_header_q[p*16+:16] <= leaving_q[p] ? '0 : flit_header[p*16+:16];
    end
    sent_q      <= send;
    sent_head_q <= ~leaving_q;
    sent_tail_q <= flit_tail;
    sent_data_q <= flit_data;
    round_q     <= round_q + 2'(round_end);
    if (round_end || !rst_ni) begin
      accepted_q  <= '0;
      whole_q     <= '0;
      there_q     <= '0;
      owed_q      <= '0;
      begun_q     <= '0;
      came_q      <= '0;
      known_q     <= 1'b0;
      at_source_q <= 1'b0;
    end
    if (!rst_ni) begin
      leaving_q    <= '0;
      sent_q       <= '0;
      round_q      <= '0;
      seen_have_q  <= '0;
      seen_round_q <= '0;
    end
  end

  // What holds inside, for the induction: the slots being written, the order of receipt, the
  // memories, what is owed where.
  logic [NumSlots-1:0]  coming, one_of;
  logic [CountBits-1:0] found;
  always_comb begin
    coming = '0;
    one_of = '0;
    found  = '0;
    if (!first_q && rst_ni) begin
      assert (known == known_q && at_source == at_source_q &&
          (!known_q || (last == last_q && 32'(last_q) < NumSlots)));
      assert (known_q == (accepted_q != '0) && (known_q || !at_source_q));
      if (known_q) assert (source <= 24'd1 && at_source_q == (source[0] == own[0]));
      if (at_source_q) assert (owed_q[HostPort*NumSlots+:NumSlots] == '0 && !leaving_q[HostPort]);
      assert (complete == whole_q && (accepted_q & ~all) == '0 && owed == owed_q);
      for (int unsigned i = 0; i < Ports; i++) begin
        one_of = '0;
        one_of[in_slot[i*SlotBits+:SlotBits]] = state[i*2];
        assert ((coming & one_of) == '0 && state[i*2+:2] != 2'd3);
        coming = coming | one_of;
        if (state[i*2]) begin
          assert (32'(in_slot[i*SlotBits+:SlotBits]) < NumSlots);
          assert (in_place[i*PlaceBits+:PlaceBits] != '0 && 32'(in_place[i*PlaceBits+:PlaceBits]) <
              SlotFlits);
          for (int unsigned s = 0; s < NumSlots; s++) begin
            for (int unsigned f = 0; f < SlotFlits; f++) begin
              if (one_of[s]) begin
                assert (there_q[s*SlotFlits+f] == (f < 32'(in_place[i*PlaceBits+:PlaceBits])));
              end
            end
          end
        end
      end
      assert ((whole_q & coming) == '0 && accepted_q == (whole_q | coming));
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (accepted_q[s]) assert (there_q[s*SlotFlits] && headers[s*16+:16] == header_q[s*16+:16]);
        else               assert (there_q[s*SlotFlits+:SlotFlits] == '0);
        // A packet that is whole has a tail; what is behind it is not there.
        one_of[0] = whole_q[s];
        for (int unsigned f = 0; f < SlotFlits; f++) begin
          if (accepted_q[s] && there_q[s*SlotFlits+f]) begin
            assert (flits[(s*SlotFlits+f)*9+:9] == {tail_q[s*SlotFlits+f],
                data_q[(s*SlotFlits+f)*8+:8]});
          end
          if (whole_q[s]) assert (there_q[s*SlotFlits+f] == one_of[0]);
          else if (there_q[s*SlotFlits+f]) assert (!accepted_q[s] || !tail_q[s*SlotFlits+f]);
          if (tail_q[s*SlotFlits+f]) one_of[0] = 1'b0;
        end
        if (whole_q[s]) assert (!one_of[0]);
      end
      assert (32'(count) == $countones(whole_q));
      for (int unsigned s = 0; s < NumSlots; s++) begin
        found = '0;
        for (int unsigned k = 0; k < NumSlots; k++) begin
          if (CountBits'(k) < count && 32'(order[k*SlotBits+:SlotBits]) == s) begin
            found = found + CountBits'(1);
          end
        end
        assert (found == CountBits'(whole_q[s]));
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        assert (((owed_q[p*NumSlots+:NumSlots] | begun_q[p*NumSlots+:NumSlots] |
            came_q[p*NumSlots+:NumSlots]) & ~accepted_q) == '0);
        if (leaving_q[p]) begin
          assert (out_slot[p*SlotBits+:SlotBits] == leaving_slot_q[p*SlotBits+:SlotBits]);
          assert (out_place[p*PlaceBits+:PlaceBits] == leaving_place_q[p*PlaceBits+:PlaceBits]);
          assert (leaving_place_q[p*PlaceBits+:PlaceBits] != '0 &&
              32'(leaving_place_q[p*PlaceBits+:PlaceBits]) < SlotFlits);
          assert (32'(leaving_slot_q[p*SlotBits+:SlotBits]) < NumSlots);
          one_of = '0;
          one_of[leaving_slot_q[p*SlotBits+:SlotBits]] = 1'b1;
          assert ((one_of & whole_q) != '0);
          for (int unsigned s = 0; s < NumSlots; s++) begin
            for (int unsigned f = 0; f < SlotFlits; f++) begin
              if (one_of[s] && f == 32'(leaving_place_q[p*PlaceBits+:PlaceBits])) begin
                assert (there_q[s*SlotFlits+f]);
              end
            end
          end
        end
      end
    end
  end

  logic [NumSlots-1:0] may;
  logic                lags;
  always_comb begin
    may  = '0;
    lags = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) if (ports[p] && !same[p] && !next[p]) lags = 1'b1;
    if (!first_q && rst_ni) begin
      assert (have == accepted_q && round == round_q && held == leaving_q);
      assert (round_end == (message && (owed_q & {4{whole_q}}) == '0 && leaving_q == '0 && !lags));
      if (round_end) assert (accepted_q == all && owed_q == '0 && accept == '0);
      if (idle) begin
        assert (have == '0 && owed_q == '0 && valid == '0 && leaving_q == '0 && event_valid == '0 &&
            error == '0 && !credit);
      end
      assert (send == goes);
      for (int unsigned p = 0; p < Ports; p++) begin
        assert ((owed_q[p*NumSlots+:NumSlots] & begun_q[p*NumSlots+:NumSlots]) == '0);
        assert (p == HostPort || (owed_q[p*NumSlots+:NumSlots] & came_q[p*NumSlots+:NumSlots]) ==
            '0);
        if (p != HostPort && !ports[p]) begin
          assert (owed_q[p*NumSlots+:NumSlots] == '0 && !leaving_q[p]);
        end
        // What begins to leave.
        may = '0;
        may[read_slot[p*SlotBits+:SlotBits]] = send[p] && !leaving_q[p];
        assert ((may & ~(owed_q[p*NumSlots+:NumSlots] & whole_q)) == '0 &&
            (may & begun_q[p*NumSlots+:NumSlots]) == '0);
        assert ((may & seen[p*NumSlots+:NumSlots]) == '0);
        if (may != '0 && at_source_q) assert (p != HostPort && message);
        if (may != '0) assert (same[p]);
        // What is on the pins.
        assert (valid[p] == sent_q[p]);
        if (valid[p]) begin
          assert (head[p] == sent_head_q[p] && tail[p] == sent_tail_q[p] &&
              data[p*8+:8] == sent_data_q[p*8+:8]);
          assert (header[p*16+:16] == sent_header_q[p*16+:16]);
        end
      end
      cover (round_end && round_q == 2'd1 && last_q == 8'd1);
      cover (duplicate != '0 && accept != '0);
      cover (leaving_q[0] && leaving_q[HostPort] && coming != '0);
    end
  end

endmodule

`include "broadcast_stand_ins.svh"

`default_nettype wire
