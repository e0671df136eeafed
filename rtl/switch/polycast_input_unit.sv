// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One input of the switch: framing, buffer with a reader per output, header capture and queue,
/// route stage and decision, read arbitration where the buffer has fewer read ports than the switch
/// has outputs.
module polycast_input_unit #(
  /// Ports of the switch.
  parameter int unsigned NumPorts        = 8,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes       = 1,
  /// Flits of a chunk.
  parameter int unsigned ChunkFlits      = 8,
  /// Chunks of the buffer.
  parameter int unsigned NumChunks       = 80,
  /// Longest bit string of a tree worm and size of the tables of hosts.
  parameter int unsigned MaxHosts        = 32,
  /// Bits of a stop's string in headers.
  parameter int unsigned HeaderPorts     = 8,
  /// Longest list of a path worm.
  parameter int unsigned HeaderStops     = 8,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// The chip has a table of who may send at which port.
  parameter bit          AsksSource      = 1'b1,
  /// Outputs that may read in the same cycle.
  parameter int unsigned ReadPorts       = NumPorts,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits  = $clog2(NumChunks + 1),
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits   = 20,
  /// Bits of a number of header flits.
  parameter int unsigned HeaderFlitsBits = 12,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits       = 4,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits      = 16,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits   = 1,
  /// Bits of a header as `polycast_header_capture` gives it.
  parameter int unsigned HeaderBits      = 37,
  /// Place of the field in it, the destination first.
  parameter int unsigned FieldOffset     = 5,
  /// Bits of a bit string in whole configuration words.
  parameter int unsigned WordBits        = 32,
  /// Tables are read only where the packet's route follows from it: their codes are looked at.
  parameter bit          OnlyUsed        = 1'b0,
  /// Code of flits, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectBuffers  = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a flit with its code.
  parameter int unsigned StoredBits      = FlitBytes * 8
) (
  /// Clock.
  input  wire logic                                   clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                                   rst_ni,
  /// A flit comes in.
  input  wire logic                                   flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                                   flit_head_i,
  /// It is the last of its packet.
  input  wire logic                                   flit_tail_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]                 flit_data_i,
  /// The header of its packet, where it comes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]               flit_header_i,
  /// Chunks of the buffer that may be used.
  input  wire logic [ChunkCountBits-1:0]              usable_i,
  /// Longest packet in flits.
  input  wire logic [FlitCountBits-1:0]               packet_limit_i,
  /// Header flits of a tree worm.
  input  wire logic [HeaderFlitsBits-1:0]             tree_header_flits_i,
  /// Cycles of routing.
  input  wire logic [DelayBits-1:0]                   route_delay_i,
  /// How to choose among equally good ports.
  input  wire logic [polycast_pkg::SelectionBits-1:0] selection_i,
  /// How to choose the up port of a tree worm.
  input  wire logic [polycast_pkg::SelectionBits-1:0] up_selection_i,
  /// Copies of tree worms keep only the hosts behind their port.
  input  wire logic                                   rewrite_i,
  /// Number of this switch.
  input  wire logic [polycast_pkg::StopSwitchBits-1:0] switch_number_i,
  /// Ports that lead down.
  input  wire logic [NumPorts-1:0]                    is_down_i,
  /// Ports that lead up.
  input  wire logic [NumPorts-1:0]                    is_up_i,
  /// Those of them that tree worms may take.
  input  wire logic [NumPorts-1:0]                    tree_up_i,
  /// Hosts that can be reached going down.
  input  wire logic [WordBits-1:0]                    reach_total_i,
  /// Hosts behind each port.
  input  wire logic [NumPorts*WordBits-1:0]           reach_port_i,
  /// Outputs that are held by a packet, registered.
  input  wire logic [NumPorts-1:0]                    held_i,
  /// Chunks outstanding behind each output, registered.
  input  wire logic [NumPorts*CreditBits-1:0]         outstanding_i,
  /// The tables of hosts are to be read.
  output logic                                        lookup_host_o,
  /// The tables of switches are to be read.
  output logic                                        lookup_switch_o,
  /// The table for packets that may still go up, not the other.
  output logic                                        lookup_up_o,
  /// Host to look up.
  output logic      [polycast_pkg::DestinationBits-1:0] lookup_destination_o,
  /// Switch to look up.
  output logic      [polycast_pkg::StopSwitchBits-1:0] lookup_stop_o,
  /// What the table says.
  input  wire logic [NumPorts-1:0]                    lookup_mask_i,
  /// A header is complete: may its source send here?
  output logic                                        source_valid_o,
  /// Its source.
  output logic      [polycast_pkg::SourceBits-1:0]    source_o,
  /// It may not.
  input  wire logic                                   foreign_i,
  /// Outputs that have not granted the packet at the front yet, registered.
  output logic      [NumPorts-1:0]                    waiting_o,
  /// Outputs that grant this input in this cycle.
  input  wire logic [NumPorts-1:0]                    gnt_i,
  /// Outputs that this input holds, those granted in this cycle included.
  input  wire logic [NumPorts-1:0]                    hold_i,
  /// Outputs with a credit left.
  input  wire logic [NumPorts-1:0]                    credit_left_i,
  /// Outputs that a flit is read for in this cycle.
  output logic      [NumPorts-1:0]                    read_o,
  /// The flit of each such output, as it is stored; zero for the others.
  output logic      [NumPorts*StoredBits-1:0]         read_data_o,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]                    read_tail_o,
  /// It starts a chunk.
  output logic      [NumPorts-1:0]                    read_starts_chunk_o,
  /// It is of the copy that goes on to the next stop of a path worm.
  output logic      [NumPorts-1:0]                    read_advance_o,
  /// The packet is a tree worm.
  output logic                                        read_tree_o,
  /// Its free header; zero where there is none.
  output logic      [HeaderPinBits-1:0]               read_header_o,
  /// A bit of a flit in the buffer flips at the end of the cycle; in simulation only.
  input  wire logic                                   upset_i,
  /// Where the flit is in the ring.
  input  wire logic [23:0]                            upset_place_i,
  /// The bit.
  input  wire logic [23:0]                            upset_bit_i,
  /// A chunk becomes free in this cycle.
  output logic                                        free_o,
  /// Errors in this cycle.
  output logic      [polycast_pkg::NumErrors-1:0]     error_o,
  /// Nothing is inside, registered.
  output logic                                        idle_o,
  /// Chunks in use, registered.
  output logic      [ChunkCountBits-1:0]              occupied_o,
  /// State of the route stage, registered.
  output logic      [1:0]                             state_o
);

  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned ReaderBits = $clog2(NumPorts + 1);
  localparam int unsigned ViewBits   = polycast_pkg::StopSwitchBits + NumPorts + 4;
  localparam int unsigned HostBits   =
      MaxHosts > polycast_pkg::DestinationBits ? MaxHosts : polycast_pkg::DestinationBits;

  logic [StoredBits-1:0]         store_data;
  logic [FlitCountBits-1:0]      index;
  logic                          store, store_tail, store_starts_chunk, in_packet, overflow,
      missing_head, missing_tail, too_long, complete, short, push, pop, queued, queued_short,
      decide, decide_short, drop, bad_kind, no_route, partial_route, decide_stop, advance, done,
      draining;
  logic [HeaderBits-1:0]         complete_header, queued_header, decide_header, header;
  logic [NumPorts-1:0]           candidates, choice, copies, branches, advancing, advancing_now;
  logic [polycast_pkg::KindBits-1:0] decide_kind;
  logic [HeaderBits-FieldOffset-1:0] decide_field;
  logic [ViewBits-1:0]           view;
  logic [ReaderBits-1:0]         start_readers;
  logic [NumPorts-1:0]           ready, starts_chunk, can_read, served, read, read_tail;
  logic [ReadPorts*NumPorts-1:0] place;
  logic [ChunkCountBits-1:0]     freed;

  polycast_packet_framer #(
    .ChunkCountBits(ChunkCountBits),
    .FlitCountBits (FlitCountBits)
  ) i_packet_framer (
    .clk_i,
    .rst_ni,
    .valid_i       (flit_valid_i),
    .head_i        (flit_head_i),
    .tail_i        (flit_tail_i),
    .chunk_start_i (store_starts_chunk),
    .occupied_i    (occupied_o),
    .usable_i,
    .packet_limit_i,
    .store_o       (store),
    .store_tail_o  (store_tail),
    .index_o       (index),
    .inside_o      (in_packet),
    .overflow_o    (overflow),
    .missing_head_o(missing_head),
    .missing_tail_o(missing_tail),
    .too_long_o    (too_long)
  );

  polycast_header_capture #(
    .NumPorts       (NumPorts),
    .FlitBytes      (FlitBytes),
    .MaxHosts       (MaxHosts),
    .HeaderPorts    (HeaderPorts),
    .HeaderStops    (HeaderStops),
    .HeaderFree     (HeaderFree),
    .AsksSource     (AsksSource),
    .FlitCountBits  (FlitCountBits),
    .HeaderFlitsBits(HeaderFlitsBits),
    .HeaderPinBits  (HeaderPinBits),
    .HeaderBits     (HeaderBits)
  ) i_header_capture (
    .clk_i,
    .store_i            (store),
    .tail_i             (store_tail),
    .index_i            (index),
    .data_i             (flit_data_i),
    .header_i           (flit_header_i),
    .tree_header_flits_i,
    .switch_number_i,
    .foreign_i,
    .source_valid_o,
    .source_o,
    .complete_o         (complete),
    .short_o            (short),
    .header_o           (complete_header)
  );

  // Every packet has a chunk of its own, so the queue never overflows.
  polycast_fifo #(
    .Width(HeaderBits + 1),
    .Depth(NumChunks)
  ) i_header_queue (
    .clk_i,
    .rst_ni,
    .push_i (push),
    .data_i ({short, complete_header}),
    .pop_i  (pop),
    .valid_o(queued),
    .data_o ({queued_short, queued_header})
  );

  polycast_route_stage #(
    .NumPorts  (NumPorts),
    .HeaderBits(HeaderBits),
    .DelayBits (DelayBits)
  ) i_route_stage (
    .clk_i,
    .rst_ni,
    .route_delay_i,
    .complete_i       (complete),
    .complete_short_i (short),
    .complete_header_i(complete_header),
    .queued_i         (queued),
    .queued_short_i   (queued_short),
    .queued_header_i  (queued_header),
    .push_o           (push),
    .pop_o            (pop),
    .decide_o         (decide),
    .decide_header_o  (decide_header),
    .decide_short_o   (decide_short),
    .drop_i           (drop),
    .branches_i       (branches),
    .advancing_i      (advancing_now),
    .gnt_i,
    .done_i           (done),
    .state_o,
    .waiting_o,
    .advancing_o      (advancing),
    .header_o         (header)
  );

  // Decision.
  assign decide_kind          = decide_header[polycast_pkg::KindOffset+:polycast_pkg::KindBits];
  assign decide_field         = decide_header[HeaderBits-1:FieldOffset];
  assign decide_stop          =
      decide && (decide_kind == polycast_pkg::KindSsr || decide_kind == polycast_pkg::KindPath);
  assign lookup_host_o        = decide && decide_kind == polycast_pkg::KindUnicast &&
      !(OnlyUsed && decide_short);
  assign lookup_switch_o      = decide_stop && !(OnlyUsed && (decide_short || view[ViewBits-1] ||
      (view[ViewBits-3] && !view[ViewBits-2])));
  assign lookup_up_o          = decide_header[polycast_pkg::UpOffset];
  assign lookup_stop_o        = polycast_pkg::StopSwitchBits'(view);
  assign lookup_destination_o = polycast_pkg::DestinationBits'(decide_field);

  logic unused_bits;
  assign unused_bits = ^{decide_field, freed};

  // The view of the stop has come with the header, or is made from the whole of it.
  if (HeaderFree) begin : gen_view
    localparam int unsigned StopBits = polycast_pkg::StopPortsOffset + HeaderPorts;
    localparam int unsigned ListBits =
        polycast_pkg::PathListOffset - polycast_pkg::CommonHeaderBits + HeaderStops * StopBits;

    logic                                    path;
    logic [polycast_pkg::PathStopsBits-1:0]  stops;
    logic [polycast_pkg::PathNextBits-1:0]   next;
    logic [StopBits-1:0]                     stop;
    logic [polycast_pkg::StopSwitchBits-1:0] following_switch;

    assign path = decide_kind == polycast_pkg::KindPath;

    polycast_stop_list #(
      .HeaderPorts(HeaderPorts),
      .HeaderStops(HeaderStops)
    ) i_stop_list (
      .valid_i           (decide_stop),
      .path_i            (path),
      .field_i           (ListBits'(decide_field)),
      .stops_o           (stops),
      .next_o            (next),
      .stop_o            (stop),
      .following_switch_o(following_switch)
    );

    polycast_stop_view #(
      .NumPorts   (NumPorts),
      .HeaderPorts(HeaderPorts),
      .HeaderStops(HeaderStops)
    ) i_stop_view (
      .path_i            (path),
      .stops_i           (stops),
      .next_i            (next),
      .stop_i            (stop),
      .following_switch_i(following_switch),
      .switch_number_i,
      .view_o            (view)
    );
  end else begin : gen_captured_view
    assign view = ViewBits'(decide_field);
  end

  polycast_route_decode #(
    .NumPorts (NumPorts),
    .MaxHosts (MaxHosts),
    .FieldBits(HostBits),
    .WordBits (WordBits)
  ) i_route_decode (
    .valid_i        (decide),
    .short_i        (decide_short),
    .kind_i         (decide_kind),
    .up_i           (decide_header[polycast_pkg::UpOffset]),
    .field_i        (HostBits'(decide_field)),
    .view_i         (view),
    .table_mask_i   (lookup_mask_i),
    .rewrite_i,
    .is_down_i,
    .is_up_i,
    .tree_up_i,
    .reach_total_i,
    .reach_port_i,
    .candidates_o   (candidates),
    .branches_o     (copies),
    .advance_o      (advance),
    .drop_o         (drop),
    .bad_kind_o     (bad_kind),
    .no_route_o     (no_route),
    .partial_route_o(partial_route)
  );

  polycast_port_select #(
    .NumPorts  (NumPorts),
    .CreditBits(CreditBits)
  ) i_port_select (
    .clk_i,
    .rst_ni,
    .selection_i  (decide_kind == polycast_pkg::KindTree ? up_selection_i : selection_i),
    .candidates_i (candidates),
    .held_i,
    .outstanding_i,
    .choice_o     (choice)
  );

  assign branches      = choice | copies;
  assign advancing_now = advance ? choice : '0;

  // A packet that is dropped has one reader, the drain, which uses the place of output 0.
  always_comb begin
    start_readers = ReaderBits'(drop);
    if (decide) begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        start_readers = start_readers + ReaderBits'(branches[p]);
      end
    end
  end

  // Reading.
  assign draining = state_o == 2'd3;
  assign can_read = hold_i & ready & (~starts_chunk | credit_left_i);

  if (ReadPorts == NumPorts) begin : gen_read_all
    assign served = can_read;
    assign place  = '0;
  end else begin : gen_read_arbiter
    logic [ReadPorts*NumPorts-1:0] served_place;

    polycast_multi_arbiter #(
      .NumReq   (NumPorts),
      .NumGrants(ReadPorts)
    ) i_read_arbiter (
      .clk_i,
      .rst_ni,
      .req_i  (can_read),
      .gnt_o  (served),
      .place_o(served_place)
    );
    assign place = served_place | (ReadPorts * NumPorts)'(draining);
  end

  assign read = served | NumPorts'(draining && ready[0]);  // nobody else reads while it drains

  polycast_memory_encode #(
    .Width     (FlitBits),
    .Protection(ProtectBuffers)
  ) i_encode (
    .data_i  (flit_data_i),
    .stored_o(store_data)
  );

  polycast_replication_buffer #(
    .NumReaders(NumPorts),
    .ReadPorts (ReadPorts),
    .FlitBits  (StoredBits),
    .ChunkFlits(ChunkFlits),
    .NumChunks (NumChunks)
  ) i_buffer (
    .clk_i,
    .rst_ni,
    .store_i             (store),
    .store_tail_i        (store_tail),
    .store_data_i        (store_data),
    .upset_i,
    .upset_place_i,
    .upset_bit_i,
    .store_starts_chunk_o(store_starts_chunk),
    .occupied_o,
    .start_i             (decide),
    .start_readers_i     (start_readers),
    .lose_i              (1'b0),
    .stay_i              ('0),
    .ready_o             (ready),
    .starts_chunk_o      (starts_chunk),
    .read_i              (read),
    .place_i             (place),
    .data_o              (read_data_o),
    .tail_o              (read_tail),
    .free_o,
    .freed_o             (freed),
    .done_o              (done)
  );

  assign read_o              = served;
  assign read_tail_o         = read_tail & served;
  assign read_starts_chunk_o = starts_chunk & served;
  assign read_advance_o      = advancing & served;
  assign read_tree_o         = header[polycast_pkg::KindOffset+:polycast_pkg::KindBits] ==
      polycast_pkg::KindTree;

  if (HeaderFree) begin : gen_free_header
    assign read_header_o = header;
  end else begin : gen_no_free_header
    logic unused;
    assign unused        = ^header;
    assign read_header_o = '0;
  end

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorOverflow]     = overflow;
    error_o[polycast_pkg::ErrorMissingHead]  = missing_head;
    error_o[polycast_pkg::ErrorMissingTail]  = missing_tail;
    error_o[polycast_pkg::ErrorTooLong]      = too_long;
    error_o[polycast_pkg::ErrorShortHeader]  = complete & short & ~foreign_i;
    error_o[polycast_pkg::ErrorBadSource]    = foreign_i;
    error_o[polycast_pkg::ErrorBadKind]      = bad_kind;
    error_o[polycast_pkg::ErrorNoRoute]      = no_route;
    error_o[polycast_pkg::ErrorPartialRoute] = partial_route;
  end

  assign idle_o = occupied_o == '0 && !in_packet;

`ifndef SYNTHESIS
  DrainHasNoOutputs:
      assert property (@(posedge clk_i) disable iff (!rst_ni) draining |-> hold_i == '0)
    else $error("an output is held by a packet that is dropped");
  HoldOnlyWhileActive:
      assert property (@(posedge clk_i) disable iff (!rst_ni) hold_i != '0 |-> state_o == 2'd2)
    else $error("an output is held by an input without an active packet");
  OnlyPathWormsAdvance:
      assert property (@(posedge clk_i) disable iff (!rst_ni) read_advance_o != '0 |->
      header[polycast_pkg::KindOffset+:polycast_pkg::KindBits] == polycast_pkg::KindPath &&
          $onehot(advancing))
    else $error("a packet without a list goes on to the next stop of it, or by several ports");
  IdleHasNoPacket:
      assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> state_o == 2'd0 && !queued)
    else $error("an input is idle, but its route stage is not");
`endif

endmodule

`default_nettype wire
