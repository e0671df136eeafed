// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_broadcast_accept: the heads of a cycle are judged in the order of step 2 of
/// hw/chips/broadcast/broadcast_unit.md; no two inputs accept one index, all that are accepted are
/// of one
/// message, and what is shown as had is what was and what is accepted. Any heads, any state that
/// the unit can be in; combinational, so that one step covers all cases.
module harness #(
  parameter int unsigned NumInputs = 4,
  parameter int unsigned NumSlots  = 5
) (
  input wire logic                   clk_i,
  input wire logic [NumInputs-1:0]   head_i,
  input wire logic [NumInputs-1:0]   bad_i,
  input wire logic [NumInputs-1:0]   stale_i,
  input wire logic [NumInputs-1:0]   later_i,
  input wire logic [NumInputs*8-1:0] packet_i,
  input wire logic [NumInputs*8-1:0] last_packet_i,
  input wire logic [NumInputs*3-1:0] source_i,
  input wire logic [NumInputs-1:0]   at_source_i,
  input wire logic                   known_i,
  input wire logic [2:0]             known_source_i,
  input wire logic                   known_at_source_i,
  input wire logic [7:0]             known_last_i,
  input wire logic [NumSlots-1:0]    have_i
);

  logic                   known, known_at_source;
  logic [2:0]             known_source;
  logic [7:0]             known_last;
  logic [NumSlots-1:0]    have;
  logic [NumInputs-1:0]   accept, duplicate;
  logic [NumInputs*3-1:0] code;

  polycast_broadcast_accept #(.NumInputs(NumInputs), .NumSlots(NumSlots), .SourceBits(3)) dut (
    .head_i, .bad_i, .stale_i, .later_i, .packet_i, .last_packet_i, .source_i, .at_source_i,
    .known_i, .known_source_i,
    .known_at_source_i, .known_last_i, .have_i, .known_o(known), .known_source_o(known_source),
    .known_at_source_o(known_at_source),
    .known_last_o(known_last), .have_o(have), .accept_o(accept), .duplicate_o(duplicate),
    .code_o(code)
  );

  // What each input should be told, by what was accepted at lower ones.
  logic [NumInputs-1:0]   conflict, there;
  logic [NumInputs*3-1:0] expected;
  logic [NumSlots-1:0]    accepted;

  always_comb begin
    conflict = '0;
    there    = '0;
    expected = '0;
    accepted = '0;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (have_i[s] && 32'(packet_i[i*8+:8]) == s) there[i] = 1'b1;
        if (accept[i] && 32'(packet_i[i*8+:8]) == s) accepted[s] = 1'b1;
      end
      if (known_i) begin
        conflict[i] = source_i[i*3+:3] != known_source_i || last_packet_i[i*8+:8] != known_last_i;
      end
      for (int unsigned j = 0; j < i; j++) begin
        if (accept[j]) begin
          if (source_i[i*3+:3] != source_i[j*3+:3] ||
              last_packet_i[i*8+:8] != last_packet_i[j*8+:8]) begin
            conflict[i] = 1'b1;
          end
          if (packet_i[i*8+:8] == packet_i[j*8+:8]) there[i] = 1'b1;
        end
      end
      if (head_i[i]) begin
        if (bad_i[i])         expected[i*3+:3] = polycast_pkg::BroadcastEventBadPacket;
        else if (stale_i[i])  expected[i*3+:3] = polycast_pkg::BroadcastEventStale;
        else if (later_i[i])  expected[i*3+:3] = polycast_pkg::BroadcastEventEarly;
        else if (conflict[i]) expected[i*3+:3] = polycast_pkg::BroadcastEventConflict;
        else if (there[i])    expected[i*3+:3] = polycast_pkg::BroadcastEventDuplicate;
      end
    end
  end

  always_comb begin
    if (!known_i) assume (have_i == '0);
    for (int unsigned i = 0; i < NumInputs; i++) begin
      // See polycast_broadcast_header.
      if (!bad_i[i]) begin
        assume (32'(last_packet_i[i*8+:8]) < NumSlots && packet_i[i*8+:8] <= last_packet_i[i*8+:8]);
      end
      for (int unsigned j = 0; j < i; j++) begin
        if (source_i[i*3+:3] == source_i[j*3+:3]) assume (at_source_i[i] == at_source_i[j]);
      end
      if (known_i && source_i[i*3+:3] == known_source_i) begin
        assume (at_source_i[i] == known_at_source_i);
      end
    end
  end

  always_comb begin
    assert (code == expected);
    assert (known == (known_i || accept != '0));
    assert (have == (have_i | accepted) && (have_i & accepted) == '0);
    for (int unsigned i = 0; i < NumInputs; i++) begin
      assert (accept[i] == (head_i[i] && expected[i*3+:3] == '0));
      assert (duplicate[i] == (expected[i*3+:3] == polycast_pkg::BroadcastEventDuplicate));
      if (accept[i]) begin
        assert (source_i[i*3+:3] == known_source && last_packet_i[i*8+:8] == known_last &&
            at_source_i[i] == known_at_source);
        for (int unsigned j = 0; j < i; j++) begin
          if (accept[j]) assert (packet_i[i*8+:8] != packet_i[j*8+:8]);
        end
      end
    end
    if (known_i) begin
      assert (known_source == known_source_i && known_last == known_last_i &&
          known_at_source == known_at_source_i);
    end
    cover (accept == '1);
    cover (!known_i && accept[1] && conflict[2] && duplicate[3] && head_i[0] && !accept[0]);
    cover (have_i != '0 && have == '1 && duplicate[0]);
  end

endmodule

`default_nettype wire
