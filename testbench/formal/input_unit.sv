// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_input_unit as a whole, for any flits on the pins, any tables and any load: what
/// replication_buffer.sv assumes of the route stage and of the read arbitration holds, and every
/// packet that is done was wanted by all its branches.
///
/// Assumed of the outputs: they grant only what waits, hold from the grant until the tail has been
/// read, and never hold for two. The free header keeps the headers out of the flits: their contents
/// are any. The pins end after what the unit reads: what lies behind is stored like it.
module harness #(
  parameter int unsigned NumPorts   = 2,
  parameter int unsigned ReadPorts  = 2,
  parameter int unsigned ChunkFlits = 2,
  parameter int unsigned NumChunks  = 2,
  parameter int unsigned Stops      = 2,
  parameter int unsigned HeaderPinBits = 96 + 24 * Stops
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire logic                   valid_i,
  input wire logic                   head_i,
  input wire logic                   tail_i,
  input wire logic [7:0]             data_i,
  input wire logic [HeaderPinBits-1:0] header_i,
  input wire logic                   foreign_i,
  input wire logic [3:0]             delay_i,
  input wire logic [1:0]             selection_i,
  input wire logic [1:0]             up_selection_i,
  input wire logic                   rewrite_i,
  input wire logic [NumPorts-1:0]    is_down_i,
  input wire logic [NumPorts-1:0]    is_up_i,
  input wire logic [NumPorts-1:0]    tree_up_i,
  input wire logic [31:0]            reach_total_i,
  input wire logic [NumPorts*32-1:0] reach_port_i,
  input wire logic [NumPorts-1:0]    held_i,
  input wire logic [NumPorts*3-1:0]  outstanding_i,
  input wire logic [NumPorts-1:0]    lookup_mask_i,
  input wire logic [NumPorts-1:0]    gnt_i,
  input wire logic [NumPorts-1:0]    credit_left_i
);

  localparam int unsigned CountBits  = $clog2(NumChunks + 1);
  localparam int unsigned ReaderBits = $clog2(NumPorts + 1);

  logic [NumPorts-1:0]  waiting, read, read_tail, starts_chunk;
  logic                 free, idle, tree, source_valid;
  logic [23:0]          source;
  logic [8:0]           error;
  logic [CountBits-1:0] occupied;
  logic [1:0]           state;
  logic [NumPorts*8-1:0] data;
  logic [HeaderPinBits-1:0] header;
  logic                 lookup_host, lookup_switch, lookup_up;
  logic [15:0]          lookup_stop;
  logic [NumPorts-1:0]  advance;
  logic [23:0]          destination;
  logic [NumPorts-1:0]  hold_q;

  (* anyconst *) logic [CountBits-1:0] usable;
  (* anyconst *) logic [4:0]           packet_limit;
  (* anyconst *) logic [15:0]          switch_number;

  polycast_input_unit #(
    .NumPorts(NumPorts), .FlitBytes(1), .ChunkFlits(ChunkFlits), .NumChunks(NumChunks),
    .MaxHosts(2), .HeaderPorts(8),
    .HeaderStops(Stops), .HeaderFree(1'b1), .ReadPorts(ReadPorts), .FlitCountBits(5),
    .HeaderFlitsBits(4),
    .DelayBits(4), .CreditBits(3), .HeaderPinBits(HeaderPinBits), .HeaderBits(HeaderPinBits),
    .FieldOffset(80),
    .WordBits(32)
  ) dut (
    .clk_i, .rst_ni, .flit_valid_i(valid_i), .flit_head_i(head_i), .flit_tail_i(tail_i),
    .flit_data_i(data_i),
    .flit_header_i(header_i), .usable_i(usable), .packet_limit_i(packet_limit),
    .tree_header_flits_i(4'd1),
    .route_delay_i(delay_i), .selection_i, .up_selection_i, .rewrite_i,
    .switch_number_i(switch_number), .foreign_i(foreign_i && source_valid),
    .source_valid_o(source_valid), .source_o(source), .is_down_i,
    .is_up_i, .tree_up_i, .reach_total_i, .reach_port_i, .held_i, .outstanding_i,
    .lookup_host_o(lookup_host),
    .lookup_switch_o(lookup_switch), .lookup_up_o(lookup_up), .lookup_destination_o(destination),
    .lookup_stop_o(lookup_stop), .lookup_mask_i, .waiting_o(waiting), .gnt_i,
    .hold_i(hold_q | gnt_i), .credit_left_i, .upset_i(1'b0), .upset_place_i('0), .upset_bit_i('0),
    .read_o(read), .read_data_o(data), .read_tail_o(read_tail), .read_starts_chunk_o(starts_chunk),
    .read_advance_o(advance), .read_tree_o(tree), .read_header_o(header), .free_o(free),
    .error_o(error), .idle_o(idle),
    .occupied_o(occupied), .state_o(state)
  );

  (* probe = "dut.decide" *) wire start;
  (* probe = "dut.start_readers" *) wire [ReaderBits-1:0] start_readers;
  (* probe = "dut.branches" *) wire [NumPorts-1:0] branches;
  (* probe = "dut.drop" *) wire drop;
  (* probe = "dut.store" *) wire store;
  (* probe = "dut.done" *) wire done;
  (* probe = "dut.read" *) wire [NumPorts-1:0] buffer_read;
  (* probe = "dut.read_tail" *) wire [NumPorts-1:0] buffer_tail;
  (* probe = "dut.ready" *) wire [NumPorts-1:0] ready;
  (* probe = "dut.place" *) wire [ReadPorts*NumPorts-1:0] place;
  (* probe = "dut.candidates" *) wire [NumPorts-1:0] candidates;
  (* probe = "dut.choice" *) wire [NumPorts-1:0] choice;
  (* probe = "dut.decide_kind" *) wire [3:0] kind;
  (* probe = "dut.advance" *) wire advances;
  (* probe = "dut.queued" *) wire queued;
  (* probe = "dut.push" *) wire push;
  (* probe = "dut.i_header_queue.count_q" *) wire [CountBits-1:0] queue_count;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (valid_i || (!head_i && !tail_i));
    assume (usable != '0 && usable <= CountBits'(NumChunks));
    assume (packet_limit != '0 && packet_limit <= 5'(NumChunks * ChunkFlits));
    assume (delay_i != '0);
    assume ((is_down_i & is_up_i) == '0 && (tree_up_i & ~is_up_i) == '0);
    assume ((gnt_i & ~waiting) == '0);
  end

  // The packet at the front: its readers, and who has read the tail.
  logic                active_q;
  logic [NumPorts-1:0] readers_q, over_q, placed, advancing_q;
  logic [ReaderBits-1:0] wanted, reading;

  always_ff @(posedge clk_i) begin
    hold_q <= (hold_q | gnt_i) & ~read_tail;
    over_q <= over_q | (buffer_read & buffer_tail);
    if (done) active_q <= 1'b0;
    if (start) begin
      active_q  <= 1'b1;
      readers_q <= drop ? NumPorts'(1) : branches;
      over_q    <= '0;
      advancing_q <= advances ? choice : '0;
    end
    if (!rst_ni) begin
      hold_q   <= '0;
      active_q <= 1'b0;
    end
  end

  always_comb begin
    wanted  = '0;
    reading = '0;
    placed  = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      wanted  = wanted + ReaderBits'(drop ? p == 0 : branches[p]);
      reading = reading + ReaderBits'(buffer_read[p]);
    end
    for (int unsigned p = 0; p < ReadPorts; p++) placed = placed | place[p*NumPorts+:NumPorts];

    if (!first_q && rst_ni) begin
      // What the proof of the buffer assumes.
      if (start) assert (!active_q && (occupied != '0 || store));
      if (start) assert (start_readers == wanted && wanted != '0);
      assert ((buffer_read & ~(active_q ? readers_q & ~over_q & ready : '0)) == '0);
      assert (reading <= ReaderBits'(ReadPorts));
      if (ReadPorts != NumPorts) begin
        assert ((buffer_read & ~placed) == '0);
        for (int unsigned p = 0; p < ReadPorts; p++) begin
          assert ((place[p*NumPorts+:NumPorts] & (place[p*NumPorts+:NumPorts] - 1'b1)) == '0);
        end
      end
      // A decision looks at one table; tree worms that go up are chosen for by their own rule.
      assert (!(lookup_host && lookup_switch) && (start || !(lookup_host || lookup_switch)));
      if (start && (kind == 4'd1 ? up_selection_i : selection_i) ==
          polycast_pkg::SelectionDeterministic) begin
        assert (choice == (candidates & (~candidates + 1'b1)));
      end
      // The copy that goes on to the next stop is told from the others as long as it is read.
      if (read != '0) assert (advance == (read & advancing_q));
      else assert (advance == '0);
      // The queue of headers keeps its rules; credits are spent only where they are.
      if (push) assert (queue_count != CountBits'(NumChunks));
      assert (queue_count <= occupied);
      assert ((starts_chunk & ~credit_left_i) == '0);
      // The state says what goes on; nothing is left when the input is idle.
      assert (active_q == (state >= 2'd2));
      if (idle) assert (!active_q && !queued && hold_q == '0 && waiting == '0);
      if (done) assert (((readers_q & ~over_q) & ~(buffer_read & buffer_tail)) == '0);

      cover (done && readers_q == '1 && over_q[0] && idle == 1'b0);
      cover (done && drop == 1'b0 && state == 2'd3);
      cover (start && queued && delay_i == 4'd2);
      cover (done && advance != '0 && readers_q == '1);
    end
  end

endmodule

`default_nettype wire
