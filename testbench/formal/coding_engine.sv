// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_coding_engine with all in it, for any packets of two virtual channels mixed flit by
/// flit, any two contexts, any pauses of the pipe. One context and one place in the flits are
/// followed, any of them.
///
/// Proved of that context and place: what is sent is the XOR of exactly the two operands named,
/// both accepted in this round (decoding: or made in it), of the same length, with all flits in
/// order, once to each destination, in order; each pair once; nothing of another context, of an
/// earlier round or of a packet that was refused is in it. Operands are accepted and refused as the
/// page says, with the code of the first fault; a pair that is there is worked on; a context is
/// given up in the cycle after it expires and reports what did not come; when all contexts have
/// ended all slots are free.
module harness #(
  parameter int unsigned NumContexts = 2,
  parameter int unsigned NumSlots    = 4,
  parameter int unsigned SlotFlits   = 2,
  parameter int unsigned NumIndices  = 3,
  parameter int unsigned FlitBits    = 2,
  parameter int unsigned HeaderFlits = 1
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic                take_i,
  input wire logic                vc_i,
  input wire logic                tail_i,
  input wire logic                short_i,
  input wire logic                bad_i,
  input wire logic [FlitBits-1:0] data_i,
  input wire logic [1:0]          group_i,
  input wire logic                chain_i,
  input wire logic [1:0]          number_i,
  input wire logic [1:0]          crc_i,
  input wire logic                ready_i
);

  localparam int unsigned SlotBits     = $clog2(NumSlots);
  localparam int unsigned SlotFlitBits = $clog2(SlotFlits + 1);
  localparam int unsigned PacketBits   = $clog2(SlotFlits + HeaderFlits + 1);
  localparam int unsigned ContextBits  = $clog2(NumContexts);
  localparam int unsigned IndexBits    = $clog2(NumIndices);
  localparam int unsigned CountBits    = $clog2(NumIndices + 1);
  localparam int unsigned DestBits     = 2;
  // What is followed of an operand: length, CRC, the flit.
  localparam int unsigned OperandBits  = SlotFlitBits + 2 + FlitBits;
  // And of a packet: bad, group, chain, number.
  localparam int unsigned PacketInfo   = 1 + 2 + 1 + 2 + OperandBits;

  // Configuration: any that is allowed, and constant.
  (* anyconst *) logic [NumContexts*2-1:0]         mode;
  (* anyconst *) logic [NumContexts*CountBits-1:0] counts;
  (* anyconst *) logic [NumContexts*DestBits-1:0]  dests;
  (* anyconst *) logic [2:0]                       patience;
  // What is followed.
  (* anyconst *) logic [ContextBits-1:0]           followed;
  (* anyconst *) logic [SlotFlitBits-1:0]          place;

  logic                    slot_free, take_head, write, short, complete, send, head, tail;
  logic                    refuse, unequal, missing, idle;
  logic [SlotBits-1:0]     free_slot, slot;
  logic [SlotFlitBits-1:0] number;
  logic [ContextBits-1:0]  context_number, given_context, work_context;
  logic [PacketBits-1:0]   flit;
  logic [DestBits-1:0]     dest;
  logic [IndexBits-1:0]    index, unequal_index;
  logic [FlitBits-1:0]     data;
  logic [31:0]             crc, refuse_tag, missing_index;
  logic [15:0]             length, refuse_group;
  logic [3:0]              refuse_code;
  logic [23:0]             refuse_source, unequal_source;

  // ---- The packets of two virtual channels that are coming in.
  logic [1:0]              busy_q;
  logic [2*SlotBits-1:0]   slot_q;
  logic [2*SlotFlitBits-1:0] number_q;
  logic [2*FlitBits-1:0]   seen_q;
  logic [FlitBits-1:0]     seen;

  always_comb begin
    take_head = take_i && !busy_q[vc_i];
    slot      = busy_q[vc_i] ? slot_q[32'(vc_i)*SlotBits+:SlotBits] : free_slot;
    number    = busy_q[vc_i] ? number_q[32'(vc_i)*SlotFlitBits+:SlotFlitBits] : '0;
    write     = take_i && number < SlotFlitBits'(SlotFlits);
    short     = take_i && tail_i && short_i;
    complete  = take_i && tail_i && !short_i;
    seen      = number == place ? data_i : seen_q[32'(vc_i)*FlitBits+:FlitBits];
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      busy_q[vc_i] <= !tail_i;
      slot_q[32'(vc_i)*SlotBits+:SlotBits] <= slot;
      // Flits that do not fit are counted as one.
      number_q[32'(vc_i)*SlotFlitBits+:SlotFlitBits] <= write ? number + 1'b1 : number;
      seen_q[32'(vc_i)*FlitBits+:FlitBits] <= seen;
    end
    if (!rst_ni) busy_q <= '0;
  end

  polycast_coding_engine #(
    .NumContexts(NumContexts), .NumSlots(NumSlots), .SlotFlits(SlotFlits), .NumIndices(NumIndices),
    .FlitBits(FlitBits),
    .HeaderFlits(HeaderFlits), .DestBits(DestBits)
  ) dut (
    .clk_i, .rst_ni, .patience_i(32'(patience)), .slot_free_o(slot_free), .free_slot_o(free_slot),
    .take_head_i(take_head), .write_i(write), .take_slot_i(slot), .write_flit_i(number),
    .take_data_i(data_i),
    .short_i(short), .complete_i(complete),
    .code_i(bad_i || !write ? polycast_pkg::CodingEventCheck : polycast_pkg::CodingEventNone),
    .source_i('0),
    .group_i(16'(group_i)), .tag_i({chain_i, 29'd0, number_i}), .length_i(16'(number) + 16'd1),
    .flits_i(number + 1'b1),
    .crc_i(32'(crc_i)), .context_o(context_number),
    .encode_i(mode[32'(context_number)*2+:2] == polycast_pkg::CodingModeEncode),
    .decode_i(mode[32'(context_number)*2+:2] == polycast_pkg::CodingModeDecode),
    .count_i(counts[32'(context_number)*CountBits+:CountBits]), .given_context_o(given_context),
    .given_decode_i(mode[32'(given_context)*2+:2] == polycast_pkg::CodingModeDecode),
    .given_count_i(counts[32'(given_context)*CountBits+:CountBits]), .work_context_o(work_context),
    .work_decode_i(mode[32'(work_context)*2+:2] == polycast_pkg::CodingModeDecode),
    .work_count_i(counts[32'(work_context)*CountBits+:CountBits]),
    .work_destinations_i(dests[32'(work_context)*DestBits+:DestBits]), .ready_i, .send_o(send),
    .send_head_o(head),
    .send_tail_o(tail), .send_flit_o(flit), .send_destination_o(dest), .send_index_o(index),
    .send_data_o(data),
    .send_crc_o(crc), .send_length_o(length), .refuse_o(refuse), .refuse_code_o(refuse_code),
    .refuse_group_o(refuse_group), .refuse_tag_o(refuse_tag), .refuse_source_o(refuse_source),
    .unequal_o(unequal),
    .unequal_index_o(unequal_index), .unequal_source_o(unequal_source), .missing_o(missing),
    .missing_index_o(missing_index), .idle_o(idle)
  );

  (* probe = "dut.queue_pop" *) wire pop;
  (* probe = "dut.accept_packet" *) wire accept;
  (* probe = "dut.pair" *) wire pair;
  (* probe = "dut.made" *) wire made;
  (* probe = "dut.made_context" *) wire [ContextBits-1:0] made_context;
  (* probe = "dut.given_end" *) wire given_end;
  (* probe = "dut.giving_up" *) wire giving_up;
  (* probe = "dut.none_begun" *) wire none_begun;
  (* probe = "dut.all_free" *) wire all_free;
  (* probe = "dut.i_work.valid" *) wire working;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    if (first_q) assume (!rst_ni);
    if (take_head) assume (slot_free);
    assume (place < SlotFlitBits'(SlotFlits));
    for (int unsigned c = 0; c < NumContexts; c++) begin
      assume (mode[c*2+:2] != 2'd3 && counts[c*CountBits+:CountBits] >= CountBits'(2) &&
              counts[c*CountBits+:CountBits] <= CountBits'(NumIndices) &&
              dests[c*DestBits+:DestBits] != 2'd3);
    end
  end

`include "coding_engine_properties.svh"

endmodule

`default_nettype wire
