// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One input port of the VL switch: its lanes, headers and routes, read arbitration, the credits
/// that it owes. Steps 1, 2, 4, 5 and 7 of hw/chips/vl_switch/vl_switch.md.
module polycast_vl_input #(
  /// Ports of the switch.
  parameter int unsigned NumPorts       = 8,
  /// Virtual lanes.
  parameter int unsigned NumVls         = 2,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes      = 1,
  /// Flits of a chunk.
  parameter int unsigned ChunkFlits     = 8,
  /// Chunks of the buffer of each lane.
  parameter int unsigned NumChunks      = 80,
  /// The header comes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree     = 1'b0,
  /// Outputs that may read in the same cycle.
  parameter int unsigned ReadPorts      = NumPorts,
  /// Number of this port.
  parameter int unsigned Number         = 0,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits = $clog2(NumChunks + 1),
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits  = 20,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits      = 4,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits  = 1,
  /// Bits of the number of a port; derived, do not set.
  parameter int unsigned PortBits       = $clog2(NumPorts),
  /// Bits of the lanes at all outputs; derived, do not set.
  parameter int unsigned RowBits        = NumPorts * polycast_vl_pkg::VlBits
) (
  /// Clock.
  input  wire logic                                 clk_i,
  /// Asynchronous reset, active low: nothing is inside.
  input  wire logic                                 rst_ni,
  /// A flit comes in.
  input  wire logic                                 flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                                 flit_head_i,
  /// It is the last of its packet.
  input  wire logic                                 flit_tail_i,
  /// Its lane.
  input  wire logic [polycast_pkg::VcPinBits-1:0]   flit_vc_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]               flit_data_i,
  /// The header of its packet, where it comes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]             flit_header_i,
  /// Chunks of each lane's buffer that may be used.
  input  wire logic [NumVls*ChunkCountBits-1:0]     usable_i,
  /// Longest packet in flits.
  input  wire logic [FlitCountBits-1:0]             packet_limit_i,
  /// Cycles of routing.
  input  wire logic [DelayBits-1:0]                 route_delay_i,
  /// Cycles after which branches that are not granted are given up; 0: never.
  input  wire logic [polycast_vl_pkg::HoqLifeBits-1:0] hoq_life_i,
  /// Writes lanes of service levels.
  input  wire logic                                 sl_we_i,
  /// The output.
  input  wire logic [PortBits-1:0]                  sl_output_i,
  /// Service levels 8 to 15.
  input  wire logic                                 sl_upper_i,
  /// The lanes.
  input  wire logic [31:0]                          sl_data_i,
  /// Lanes that exist behind each output; port 0 in the lowest bits.
  input  wire logic [NumPorts*NumVls-1:0]           exists_i,
  /// The unicast table is read.
  output logic                                      lookup_lft_o,
  /// The multicast table is read.
  output logic                                      lookup_mft_o,
  /// Where.
  output logic      [polycast_pkg::DlidBits-1:0]    lookup_index_o,
  /// Entry of the unicast table.
  input  wire logic [polycast_vl_pkg::LftBits-1:0]  lft_i,
  /// Entry of the multicast table.
  input  wire logic [NumPorts-1:0]                  mft_i,
  /// A header is complete: may its source send here?
  output logic                                      source_valid_o,
  /// Its source.
  output logic      [polycast_pkg::SourceBits-1:0]  source_o,
  /// It may not.
  input  wire logic                                 foreign_i,
  /// Outputs that have not granted the packet at the front of each lane, registered; lane 0 in the
  /// lowest bits.
  output logic      [NumVls*NumPorts-1:0]           waiting_o,
  /// Outputs that it holds, registered.
  output logic      [NumVls*NumPorts-1:0]           reading_o,
  /// Lane on which it leaves by each.
  output logic      [NumVls*RowBits-1:0]            vl_o,
  /// Outputs that grant it in this cycle.
  input  wire logic [NumVls*NumPorts-1:0]           gnt_i,
  /// Outputs that a flit is read for in this cycle.
  output logic      [NumPorts-1:0]                  read_o,
  /// The flit of each such output; zero for the others, as all that follow.
  output logic      [NumPorts*FlitBytes*8-1:0]      read_data_o,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]                  read_tail_o,
  /// It starts a chunk.
  output logic      [NumPorts-1:0]                  read_starts_chunk_o,
  /// The header of its packet, where that goes beside the head flit.
  output logic      [NumPorts*HeaderPinBits-1:0]    read_header_o,
  /// Outputs for which a packet waits in this cycle, unless they read.
  output logic      [NumPorts-1:0]                  stalled_o,
  /// Outputs of branches that are given up in this cycle.
  output logic      [NumPorts-1:0]                  lost_o,
  /// Lane whose credit leaves, one-hot; zero if none does.
  output logic      [NumVls-1:0]                    credit_o,
  /// Errors in this cycle.
  output logic      [polycast_pkg::NumErrors-1:0]   error_o,
  /// Nothing is inside, registered.
  output logic                                      idle_o,
  /// Chunks in use of each lane, registered.
  output logic      [NumVls*ChunkCountBits-1:0]     occupied_o,
  /// State of the packet at the front of each lane, registered.
  output logic      [NumVls*2-1:0]                  state_o
);

  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned VlBits     = NumVls > 1 ? $clog2(NumVls) : 1;
  localparam int unsigned SlBits     = polycast_pkg::SlBits;
  localparam int unsigned HeaderBits =
      polycast_pkg::CommonHeaderBits + polycast_pkg::DestinationBits;
  localparam int unsigned FreeBits   = HeaderFree ? HeaderPinBits : 0;
  // A decision: branches, service level, errors, lane, free header.
  localparam int unsigned ErrorBits  = 5;
  localparam int unsigned RouteBits  = NumPorts + SlBits + ErrorBits + VlBits + FreeBits;

  typedef struct packed { logic [NumVls-1:0][ChunkCountBits-1:0] at; } vl_chunks_t;
  typedef struct packed { logic [NumVls-1:0][FlitCountBits-1:0] at; } vl_flit_counts_t;
  typedef struct packed { logic [NumVls-1:0][NumPorts-1:0] at; } vl_ports_t;
  typedef struct packed { logic [NumVls-1:0][RowBits-1:0] at; } vl_rows_t;
  typedef struct packed { logic [NumVls-1:0][NumPorts*FlitBits-1:0] at; } vl_flits_t;
  typedef struct packed { logic [NumVls-1:0][HeaderPinBits-1:0] at; } vl_header_pins_t;
  typedef struct packed { logic [NumVls-1:0][1:0] at; } vl_states_t;
  typedef struct packed { logic [NumPorts-1:0][HeaderPinBits-1:0] at; } port_header_pins_t;

  vl_chunks_t usable, occupied, freed;
  vl_flit_counts_t vl_index;
  vl_ports_t waiting, reading, gnt, can_read, served, vl_tail, vl_starts, vl_stalled, vl_lost;
  vl_rows_t vl, load_vl;
  vl_flits_t vl_data;
  vl_header_pins_t vl_header;
  vl_states_t state;
  port_header_pins_t read_header;

  assign usable        = usable_i;
  assign gnt           = gnt_i;
  assign waiting_o     = waiting;
  assign reading_o     = reading;
  assign vl_o          = vl;
  assign occupied_o    = occupied;
  assign state_o       = state;
  assign read_header_o = read_header;

  logic                          bad_vc;
  logic [VlBits-1:0]             write_vl, routed_vl;
  logic [NumVls-1:0]             vl_valid, vl_store, vl_store_tail, overflow, missing_head,
      missing_tail, too_long, vl_idle, load;
  logic [NumVls*SlBits-1:0]      load_sl;
  logic                          store, store_tail, complete, short;
  logic [FlitCountBits-1:0]      index;
  logic [HeaderBits-1:0]         header;
  logic [SlBits-1:0]             sl, routed_sl;
  logic [RowBits-1:0]            row;
  logic [NumPorts-1:0]           ports, routed_ports;
  logic                          bad_kind, no_route, partial_route, looping, vl_dropped;
  logic                          routed, delay_empty, owed_empty;
  logic [ErrorBits-1:0]          routed_errors;
  logic [HeaderPinBits-1:0]      routed_header;
  logic [RouteBits-1:0]          route_in, route_out;
  logic [ReadPorts*NumPorts-1:0] place;
  logic [NumPorts-1:0]           able;

  // The lane of the flit that comes in.
  if (NumVls == 1) begin : gen_one_vl
    logic unused;
    assign unused   = ^flit_vc_i;
    assign bad_vc   = 1'b0;
    assign write_vl = '0;
  end else begin : gen_vls
    assign bad_vc   = flit_valid_i && {1'b0, flit_vc_i} >= (polycast_pkg::VcPinBits + 1)'(NumVls);
    assign write_vl = flit_vc_i[VlBits-1:0];
  end

  for (genvar v = 0; v < NumVls; v++) begin : gen_vl
    assign vl_valid[v] = flit_valid_i && !bad_vc && write_vl == VlBits'(v);

    polycast_vl_lane #(
      .NumPorts      (NumPorts),
      .FlitBytes     (FlitBytes),
      .ChunkFlits    (ChunkFlits),
      .NumChunks     (NumChunks),
      .ReadPorts     (ReadPorts),
      .ChunkCountBits(ChunkCountBits),
      .FlitCountBits (FlitCountBits),
      .HeaderBits    (FreeBits)
    ) i_lane (
      .clk_i,
      .rst_ni,
      .flit_valid_i       (vl_valid[v]),
      .flit_head_i        (vl_valid[v] && flit_head_i),
      .flit_tail_i        (vl_valid[v] && flit_tail_i),
      .flit_data_i,
      .usable_i           (usable.at[v]),
      .packet_limit_i,
      .hoq_life_i,
      .store_o            (vl_store[v]),
      .store_tail_o       (vl_store_tail[v]),
      .index_o            (vl_index.at[v]),
      .overflow_o         (overflow[v]),
      .missing_head_o     (missing_head[v]),
      .missing_tail_o     (missing_tail[v]),
      .too_long_o         (too_long[v]),
      .routed_i           (routed && routed_vl == VlBits'(v)),
      .routed_ports_i     (routed_ports),
      .routed_sl_i        (routed_sl),
      .routed_header_i    (routed_header),
      .load_o             (load[v]),
      .load_sl_o          (load_sl[v*SlBits+:SlBits]),
      .load_vl_i          (load_vl.at[v]),
      .waiting_o          (waiting.at[v]),
      .reading_o          (reading.at[v]),
      .vl_o               (vl.at[v]),
      .gnt_i              (gnt.at[v]),
      .can_read_o         (can_read.at[v]),
      .served_i           (served.at[v]),
      .place_i            (place),
      .read_data_o        (vl_data.at[v]),
      .read_tail_o        (vl_tail.at[v]),
      .read_starts_chunk_o(vl_starts.at[v]),
      .read_header_o      (vl_header.at[v]),
      .stalled_o          (vl_stalled.at[v]),
      .lost_o             (vl_lost.at[v]),
      .freed_o            (freed.at[v]),
      .idle_o             (vl_idle[v]),
      .occupied_o         (occupied.at[v]),
      .state_o            (state.at[v])
    );
  end

  // Routing.
  assign store      = vl_store != '0;
  assign store_tail = vl_store_tail != '0;

  always_comb begin
    index = '0;
    for (int unsigned v = 0; v < NumVls; v++) begin
      if (vl_store[v]) index = vl_index.at[v];
    end
  end

  polycast_router_header #(
    .NumVcs       (NumVls),
    .FlitBytes    (FlitBytes),
    .HeaderFree   (HeaderFree),
    .Lids         (1'b1),
    .FlitCountBits(FlitCountBits),
    .HeaderPinBits(HeaderPinBits),
    .VcBits       (VlBits)
  ) i_header (
    .clk_i,
    .store_i   (store),
    .vc_i      (write_vl),
    .tail_i    (store_tail),
    .index_i   (index),
    .data_i    (flit_data_i),
    .header_i  (flit_header_i),
    .complete_o(complete),
    .short_o   (short),
    .header_o  (header)
  );

  logic [polycast_pkg::KindBits-1:0] kind;
  assign kind           = header[polycast_pkg::KindOffset+:polycast_pkg::KindBits];
  assign source_valid_o = complete && !short && kind == polycast_pkg::KindLid;
  assign source_o       = header[polycast_pkg::SourceOffset+:polycast_pkg::SourceBits];

  polycast_vl_decode #(
    .NumPorts  (NumPorts),
    .NumVls    (NumVls),
    .Number    (Number),
    .HeaderBits(HeaderBits)
  ) i_decode (
    .valid_i        (complete),
    .short_i        (short || foreign_i),
    .header_i       (header),
    .exists_i,
    .lookup_lft_o,
    .lookup_mft_o,
    .lookup_index_o,
    .lft_i,
    .mft_i,
    .sl_o           (sl),
    .vl_i           (row),
    .ports_o        (ports),
    .bad_kind_o     (bad_kind),
    .no_route_o     (no_route),
    .partial_route_o(partial_route),
    .looping_o      (looping),
    .vl_dropped_o   (vl_dropped)
  );

  // A row for the header that is complete, and one for each lane whose next packet comes to the
  // front.
  polycast_vl_sl_table #(
    .NumPorts(NumPorts),
    .NumReads(NumVls + 1)
  ) i_sl_table (
    .clk_i,
    .we_i    (sl_we_i),
    .output_i(sl_output_i),
    .upper_i (sl_upper_i),
    .data_i  (sl_data_i),
    .sl_i    ({sl, load_sl}),
    .row_o   ({row, load_vl})
  );

  if (HeaderFree) begin : gen_free_header
    assign route_in = {flit_header_i, write_vl, bad_kind, no_route, partial_route, looping,
        vl_dropped, sl, ports};
    assign routed_header = route_out[RouteBits-1-:HeaderPinBits];
  end else begin : gen_no_free_header
    assign route_in = {write_vl, bad_kind, no_route, partial_route, looping, vl_dropped, sl, ports};
    assign routed_header = '0;
  end

  polycast_route_delay #(
    .Width    (RouteBits),
    .DelayBits(DelayBits)
  ) i_route_delay (
    .clk_i,
    .rst_ni,
    .delay_i(route_delay_i),
    .valid_i(complete),
    .data_i (route_in),
    .valid_o(routed),
    .data_o (route_out),
    .empty_o(delay_empty)
  );

  assign {routed_vl, routed_errors, routed_sl, routed_ports} = (RouteBits-FreeBits)'(route_out);

  // Reading.
  always_comb begin
    able = '0;
    for (int unsigned v = 0; v < NumVls; v++) able = able | can_read.at[v];
  end

  if (ReadPorts == NumPorts) begin : gen_read_all
    assign read_o = able;
    assign place  = '0;
  end else begin : gen_read_arbiter
    polycast_multi_arbiter #(
      .NumReq   (NumPorts),
      .NumGrants(ReadPorts)
    ) i_read_arbiter (
      .clk_i,
      .rst_ni,
      .req_i  (able),
      .gnt_o  (read_o),
      .place_o(place)
    );
  end

  always_comb begin
    read_data_o         = '0;
    read_tail_o         = '0;
    read_starts_chunk_o = '0;
    read_header         = '0;
    stalled_o           = '0;
    lost_o              = '0;
    for (int unsigned v = 0; v < NumVls; v++) begin
      served.at[v] = can_read.at[v] & read_o;
      stalled_o    = stalled_o | vl_stalled.at[v];
      lost_o       = lost_o | vl_lost.at[v];
      if (can_read.at[v] != '0) begin
        read_data_o         = read_data_o | vl_data.at[v];
        read_tail_o         = read_tail_o | vl_tail.at[v];
        read_starts_chunk_o = read_starts_chunk_o | vl_starts.at[v];
        for (int unsigned p = 0; p < NumPorts; p++) begin
          if (can_read.at[v][p+:1]) read_header.at[p] = vl_header.at[v];
        end
      end
    end
  end

  polycast_vl_owed #(
    .NumVls   (NumVls),
    .CountBits(ChunkCountBits)
  ) i_owed (
    .clk_i,
    .rst_ni,
    .free_i  (freed),
    .credit_o,
    .empty_o (owed_empty)
  );

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorBadVc]        = bad_vc;
    error_o[polycast_pkg::ErrorOverflow]     = overflow != '0;
    error_o[polycast_pkg::ErrorMissingHead]  = missing_head != '0;
    error_o[polycast_pkg::ErrorMissingTail]  = missing_tail != '0;
    error_o[polycast_pkg::ErrorTooLong]      = too_long != '0;
    error_o[polycast_pkg::ErrorShortHeader]  = complete && short;
    error_o[polycast_pkg::ErrorBadSource]    = foreign_i;
    if (routed) begin
      {error_o[polycast_pkg::ErrorBadKind], error_o[polycast_pkg::ErrorNoRoute],
      error_o[polycast_pkg::ErrorPartialRoute], error_o[polycast_pkg::ErrorLooping],
      error_o[polycast_pkg::ErrorVlDropped]} = routed_errors;
    end
  end

  assign idle_o = vl_idle == '1 && owed_empty;

  logic unused_load;
  assign unused_load = ^load;

`ifndef SYNTHESIS
  HeadAndTailAreValid:
      assert property (@(posedge clk_i) disable iff (!rst_ni) flit_valid_i ||
          !(flit_head_i || flit_tail_i))
    else $error("head or tail without a flit");
  IdleRoutesNothing: assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> delay_empty)
    else $error("an input is idle, but a packet is being routed");

  logic [NumPorts-1:0] seen, twice;
  always_comb begin
    seen  = '0;
    twice = '0;
    for (int unsigned v = 0; v < NumVls; v++) begin
      twice = twice | (seen & can_read.at[v]);
      seen  = seen | can_read.at[v];
    end
  end
  OneLanePerOutput: assert property (@(posedge clk_i) disable iff (!rst_ni) twice == '0)
    else $error("an output is held by two lanes of an input");
`endif

endmodule

`default_nettype wire
