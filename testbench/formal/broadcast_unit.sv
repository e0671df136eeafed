// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_broadcast_unit with all in it, any packets on all inputs, any registers that the page
/// allows, any neighbours and router: in a round a packet leaves a port at most once, only when it
/// is there, unchanged, not where it came from, and from the source only when the message is whole;
/// what neighbours are shown is what is there or coming in; a round ends only when all is there,
/// nothing is due or leaving, and no neighbour lags behind; nothing is there when the next begins.
module harness #(
  parameter int unsigned NumPorts   = 3,
  parameter int unsigned Dimensions = 1,
  parameter int unsigned NumSlots   = 2,
  parameter int unsigned SlotFlits  = 1,
  parameter int unsigned FlitBits   = 104
) (
  input wire logic                         clk_i,
  input wire logic                         rst_ni,
  input wire logic [NumPorts-1:0]          flit_valid_i,
  input wire logic [NumPorts-1:0]          flit_head_i,
  input wire logic [NumPorts-1:0]          flit_tail_i,
  input wire logic [NumPorts*FlitBits-1:0] flit_data_i,
  input wire logic                         credit_i,
  input wire logic [NumPorts-1:0]          taken_i,
  input wire logic                         credit_taken_i,
  input wire logic [NumPorts*NumSlots-1:0] side_have_i,
  input wire logic [NumPorts*2-1:0]        side_round_i,
  input wire logic                         cfg_valid_i,
  input wire logic [31:0]                  cfg_addr_i,
  input wire logic [31:0]                  cfg_data_i
);

  localparam int unsigned HostPort = 2 * Dimensions;

  logic                         credit, idle;
  logic [NumPorts-1:0]          valid, head, tail, event_valid, held;
  logic [NumPorts*FlitBits-1:0] data;
  logic [NumPorts-1:0]          header;
  logic [NumSlots-1:0]          have;
  logic [1:0]                   round;
  logic [NumPorts*polycast_pkg::NumErrors-1:0] error;
  logic [NumPorts*3-1:0]        code;
  logic [NumPorts*8-1:0]        packet;
  logic [NumPorts*16-1:0]       occupied, due_count;
  logic [NumPorts*2-1:0]        state;

  polycast_broadcast_unit #(
    .NumPorts(NumPorts), .FlitBytes(FlitBits / 8), .Dimensions(Dimensions), .Radix(4),
    .NumSlots(NumSlots), .SlotFlits(SlotFlits),
    .InjectFlits(2)
  ) dut (
    .clk_i, .rst_ni, .flit_valid_i, .flit_head_i, .flit_tail_i, .flit_data_i, .flit_header_i('0),
    .credit_o(credit),
    .flit_valid_o(valid), .flit_head_o(head), .flit_tail_o(tail), .flit_data_o(data),
    .flit_header_o(header), .credit_i, .taken_i,
    .credit_taken_i, .side_have_o(have), .side_round_o(round), .side_have_i, .side_round_i,
    .cfg_valid_i, .cfg_addr_i,
    .cfg_data_i, .error_o(error), .event_valid_o(event_valid), .event_code_o(code),
    .event_packet_o(packet), .idle_o(idle),
    .probe_occupied_o(occupied), .probe_state_o(state), .probe_held_o(held), .probe_due_o(due_count)
  );

  (* probe = "dut.open" *) wire [NumPorts-1:0] open;
  (* probe = "dut.ports" *) wire [NumPorts-1:0] ports;
  (* probe = "dut.dims" *) wire [Dimensions-1:0] dims;
  (* probe = "dut.dimension" *) wire [NumPorts-1:0] dimension;
  (* probe = "dut.accept" *) wire [NumPorts-1:0] accept;
  (* probe = "dut.duplicate" *) wire [NumPorts-1:0] duplicate;
  (* probe = "dut.write" *) wire [NumPorts-1:0] write;
  (* probe = "dut.write_tail" *) wire [NumPorts-1:0] write_tail;
  (* probe = "dut.write_data" *) wire [NumPorts*FlitBits-1:0] write_data;
  (* probe = "dut.packet" *) wire [NumPorts*8-1:0] head_packet;
  (* probe = "dut.last_packet" *) wire [NumPorts*8-1:0] head_last;
  (* probe = "dut.round_end" *) wire new_round;
  (* probe = "dut.at_source" *) wire [NumPorts-1:0] head_at_source;

  // What has come and gone in this round, from what was accepted and what is on the pins. `late`:
  // as it was when that was chosen which is on the output pins now.
  logic                         first_q = 1'b1;
  logic [NumPorts*NumSlots-1:0] came_q, came_late_q, sent_q, sent_d;
  logic [NumSlots-1:0]          accepted_q, whole_q, whole_late_q, all;
  logic [NumSlots*FlitBits-1:0] data_q;
  logic [NumPorts*2-1:0]        seen_q;
  logic [1:0]                   round_q;
  logic                         at_source_q, known_q, lags;
  logic [7:0]                   last_q;

  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    all = '0;
    for (int unsigned s = 0; s < NumSlots; s++) all[s] = 32'(last_q) >= s;
    lags = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (ports[p] && seen_q[p*2+:2] != round_q && seen_q[p*2+:2] != round_q + 2'd1) lags = 1'b1;
    end
    sent_d = sent_q;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (valid[p] && head[p] && 32'(data[p*FlitBits+polycast_pkg::PacketOffset+:8]) == s) begin
          sent_d[p*NumSlots+s] = 1'b1;
        end
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (!cfg_valid_i);
    assume (dims == '1 && dimension == '0 && !open[HostPort]);
    assume ((flit_head_i & ~flit_valid_i) == '0 && (flit_tail_i & ~flit_valid_i) == '0);
  end

  always_ff @(posedge clk_i) begin
    seen_q       <= side_round_i;
    came_late_q  <= came_q;
    whole_late_q <= whole_q;
    sent_q       <= sent_d;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (32'(head_packet[p*8+:8]) == s) begin
          if (accept[p]) begin
            accepted_q[s] <= 1'b1;
            data_q[s*FlitBits+:FlitBits] <= write_data[p*FlitBits+:FlitBits];
            if (write_tail[p]) whole_q[s] <= 1'b1;
          end
          if (accept[p] || duplicate[p]) came_q[p*NumSlots+s] <= 1'b1;
        end
      end
      if (accept[p]) begin
        known_q     <= 1'b1;
        last_q      <= head_last[p*8+:8];
        at_source_q <= head_at_source[p];
      end
    end
    // Forget what belonged to the last round.
    round_q <= round + 2'(new_round);
    if (new_round || !rst_ni) begin
      came_q     <= '0;
      sent_q     <= '0;
      accepted_q <= '0;
      whole_q    <= '0;
      known_q    <= 1'b0;
    end
    if (new_round || !rst_ni) came_late_q <= '0;
    if (!rst_ni) begin
      round_q <= '0;
      seen_q  <= '0;
    end
  end

  logic [NumSlots-1:0] is;
  logic [FlitBits-1:0] kept;
  always_comb begin
    if (!first_q && rst_ni) begin
      assert (have == accepted_q && (whole_q & ~have) == '0);
      assert (round == round_q);
      assert ((have & ~all) == '0 || !known_q);
      if (new_round) begin
        assert (known_q && have == all && whole_q == all && held == '0 && due_count == '0 && !lags);
        assert (accept == '0);
      end
      if (idle) begin
        assert (have == '0 && valid == '0 && held == '0 && event_valid == '0 && error == '0 &&
            !credit);
      end
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (accept[p]) assert (write[p] && 32'(head_packet[p*8+:8]) < NumSlots);
        if (valid[p] && head[p]) begin
          is   = '0;
          kept = '0;
          for (int unsigned s = 0; s < NumSlots; s++) begin
            if (32'(data[p*FlitBits+polycast_pkg::PacketOffset+:8]) == s) begin
              is[s] = 1'b1;
              kept  = data_q[s*FlitBits+:FlitBits];
            end
          end
          assert (is != '0 && (is & whole_late_q) != '0);
          assert ((is & sent_q[p*NumSlots+:NumSlots]) == '0);
          assert (data[p*FlitBits+:FlitBits] == kept);
          if (p != HostPort) assert (ports[p] && (is & came_late_q[p*NumSlots+:NumSlots]) == '0);
          if (at_source_q) assert (p != HostPort && whole_late_q == all);
        end else begin
          is   = '0;
          kept = '0;
        end
      end
      cover (new_round);
      cover (duplicate != '0 && accept != '0);
      cover (valid[HostPort] && valid[0] && idle == 1'b0 && tail[0]);
    end else begin
      is   = '0;
      kept = '0;
    end
  end

endmodule

`default_nettype wire
