// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_broadcast_input, with an injection buffer or without, any flits on the pins: what it
/// takes is whole packets, a head, then flits up to a tail, at most SlotFlits of them; those of an
/// accepted packet go into its slot one behind the other, those of any other nowhere. That is what
/// broadcast_round has in its place. Without a buffer a flit is taken in the cycle in which it
/// comes; out of the buffer in the order of coming, unchanged, as soon as the packet need not wait
/// for its round.
module harness #(
  parameter int unsigned NumSlots    = 4,
  parameter int unsigned SlotFlits   = 3,
  parameter int unsigned BufferFlits = 0,
  parameter int unsigned FlitBits    = 2
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic                flit_valid_i,
  input wire logic                flit_head_i,
  input wire logic                flit_tail_i,
  input wire logic [FlitBits-1:0] flit_data_i,
  input wire logic [103:0]        flit_header_i,
  input wire logic [3:0]          round_i,
  input wire logic                accept_i,
  input wire logic                follow_i
);

  localparam int unsigned SlotBits  = NumSlots > 1 ? $clog2(NumSlots) : 1;
  localparam int unsigned PlaceBits = SlotFlits > 1 ? $clog2(SlotFlits) : 1;

  localparam int unsigned EntryBits = 104 + 2 + FlitBits;
  localparam int unsigned PtrBits   = BufferFlits > 2 ? $clog2(BufferFlits) : 1;

  logic                 head, write, write_head, write_tail, freed, idle;
  logic [103:0]         head_header, write_header;
  logic [SlotBits-1:0]  head_slot, write_slot;
  logic [PlaceBits-1:0] write_place;
  logic [FlitBits-1:0]  write_data;
  logic [polycast_pkg::NumErrors-1:0] error;
  logic [15:0]          occupied;
  logic [1:0]           state;

  polycast_broadcast_input #(
    .NumSlots(NumSlots), .SlotFlits(SlotFlits), .BufferFlits(BufferFlits), .FlitBits(FlitBits),
    .HeaderPinBits(104), .HeaderFree(1'b1),
    .HeaderBits(104)
  ) dut (
    .clk_i, .rst_ni, .flit_valid_i, .flit_head_i, .flit_tail_i, .flit_data_i, .flit_header_i,
    .round_i, .head_o(head),
    .head_header_o(head_header), .head_slot_o(head_slot), .accept_i, .write_o(write),
    .write_head_o(write_head),
    .write_tail_o(write_tail), .write_slot_o(write_slot), .write_place_o(write_place),
    .write_data_o(write_data),
    .write_header_o(write_header), .free_o(freed), .error_o(error), .idle_o(idle),
    .occupied_o(occupied), .state_o(state)
  );

  (* probe = "dut.take" *) wire take;
  (* probe = "dut.take_tail" *) wire take_tail;
  (* probe = "dut.store" *) wire store;
  (* probe = "dut.store_tail" *) wire store_tail;
  (* probe = "dut.place_q" *) wire [PlaceBits-1:0] place;
  (* probe = "dut.slot_q" *) wire [SlotBits-1:0] slot;
  (* probe = "dut.i_framer.count_q" *) wire [1:0] framed;
  (* probe = "dut.i_framer.in_packet_q" *) wire in_packet;
  (* probe = "dut.i_framer.discard_q" *) wire cut;

  (* probe = "dut.gen_buffer.i_fifo.mem_q", words = "BufferFlits", only = "BufferFlits" *)
  wire [(BufferFlits > 0 ? BufferFlits : 1)*EntryBits-1:0] entries;
  (* probe = "dut.gen_buffer.i_fifo.read_q", only = "BufferFlits" *) wire [PtrBits-1:0] read;
  (* probe = "dut.gen_buffer.i_fifo.write_q", only = "BufferFlits" *) wire [PtrBits-1:0] next;
  (* probe = "dut.gen_buffer.i_fifo.count_q",
      only = "BufferFlits" *) wire [$clog2((BufferFlits > 0 ? BufferFlits : 1)+1)-1:0] count;

  // Flits taken of the packet that is being taken, and its slot; flits in the buffer, and places
  // and tails of them, the oldest first.
  logic                     first_q = 1'b1;
  logic [1:0]               taken_q, after;
  logic [SlotBits-1:0]      slot_q;
  logic [15:0]              there_q;
  logic [BufferFlits:0]     tails_q, tails_d;
  // A flit that is followed through the buffer: how many are before it, and what it is.
  logic                     following_q;
  logic [15:0]              before_q;
  logic [FlitBits+104-1:0]  followed_q;

  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (flit_valid_i || !(flit_head_i || flit_tail_i));
    assume (head || !accept_i);
  end

  always_comb begin
    tails_d = take ? tails_q >> 1 : tails_q;
    for (int unsigned k = 0; k < BufferFlits; k++) begin
      if (store && there_q - 16'(take) == 16'(k)) tails_d[k] = store_tail;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) taken_q <= take_tail ? '0 : taken_q + 2'd1;
    if (head) slot_q <= head_slot;
    if (BufferFlits > 0) there_q <= there_q + 16'(store) - 16'(take);
    tails_q <= tails_d;
    if (take && following_q) begin
      before_q <= before_q - 16'd1;
      if (before_q == '0) following_q <= 1'b0;
    end else if (store && !following_q && follow_i) begin
      following_q <= 1'b1;
      before_q    <= there_q - 16'(take);
      followed_q  <= {flit_data_i, flit_header_i};
    end
    if (!rst_ni) begin
      taken_q     <= '0;
      there_q     <= '0;
      following_q <= 1'b0;
    end
  end

  logic [EntryBits-1:0] entry;
  logic [15:0]          at;
  always_comb begin
    after = taken_q;
    entry = '0;
    at    = '0;
    if (!first_q && rst_ni) begin
      // What is in the buffer continues what was taken, and ends where framing is; a packet is as
      // long as a slot at most.
      assert (32'(taken_q) < SlotFlits && 32'(framed) < SlotFlits && in_packet == (framed != '0) &&
          !(in_packet && cut));
      assert (there_q <= 16'(BufferFlits) && occupied == there_q);
      if (BufferFlits > 0) begin
        assert (16'(count) == there_q && 32'(read) < BufferFlits && 32'(next) < BufferFlits);
      end
      if (BufferFlits > 0) begin
        assert ((32'(next) + BufferFlits - 32'(read) - 32'(count)) % BufferFlits == 0);
      end
      for (int unsigned k = 0; k < BufferFlits; k++) begin
        if (16'(k) < there_q) begin
          at = 16'(read) + 16'(k) >= 16'(BufferFlits) ? 16'(read) + 16'(k) - 16'(BufferFlits) :
              16'(read) + 16'(k);
          for (int unsigned w = 0; w < BufferFlits; w++) begin
            if (at == 16'(w)) entry = entries[w*EntryBits+:EntryBits];
          end
          assert (entry[FlitBits+1:FlitBits] == {after == '0, tails_q[k]});
          if (following_q && before_q == 16'(k)) begin
            assert ({entry[FlitBits-1:0], entry[FlitBits+2+:104]} == followed_q);
          end
          if (32'(after) == SlotFlits - 1) assert (tails_q[k]);
          after = tails_q[k] ? '0 : after + 2'd1;
        end
      end
      assert (after == framed);
      if (state[0]) assert (32'(place) == 32'(taken_q) && slot == slot_q);
      // What counts.
      assert (state != 2'd3 && (state != '0) == (taken_q != '0));
      assert (head == (take && taken_q == '0));
      assert (write == (take && (head ? accept_i : state[0])));
      assert (write_head == (write && head) && write_tail == (write && take_tail));
      if (take && 32'(taken_q) == SlotFlits - 1) assert (take_tail);
      if (write) begin
        assert (32'(write_place) == 32'(taken_q) && write_slot == (head ? head_slot : slot_q));
        assert (head_slot == head_header[polycast_pkg::PacketOffset+:SlotBits]);
      end
      assert (!idle || (state == '0 && there_q == '0));
      assert (freed == (BufferFlits > 0 && take));
      if (BufferFlits == 0) begin
        assert (take == store && take_tail == store_tail && !error[polycast_pkg::ErrorOverflow]);
        if (take) begin
          assert (write_data == flit_data_i && write_header == flit_header_i &&
              head_header == flit_header_i);
        end
      end else begin
        assert (!take || there_q != '0);
        if (there_q != '0 && taken_q != '0) assert (take);
        if (following_q) assert (before_q < there_q);
        if (take && following_q && before_q == '0) begin
          assert ({write_data, write_header} == followed_q);
        end
        // A head of a later round waits, up to seven rounds; nothing else does.
        if (there_q != '0 && taken_q == '0) begin
          assert (take !=
              (head_header[polycast_pkg::KindOffset+:4] == polycast_pkg::KindPipelined &&
              head_header[polycast_pkg::RoundOffset+:4] - round_i >= 4'd1 &&
              head_header[polycast_pkg::RoundOffset+:4] - round_i <= 4'd7));
        end
      end
      cover (write_tail && 32'(write_place) == SlotFlits - 1);
      cover (cut && state == '0);
      cover (state[1] && (BufferFlits == 0 || (following_q && there_q != '0)));
    end
  end

endmodule

`default_nettype wire
