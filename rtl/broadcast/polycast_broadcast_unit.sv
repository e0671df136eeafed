// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The broadcast unit: takes packets of pipelined broadcasts from all ports at once, keeps each
/// once, and sends it on through every port that the broadcast rule names, to neighbours that do
/// not have it yet. hw/chips/broadcast/broadcast_unit.md describes it cycle by cycle.
///
/// Limits: a packet is sent on when it is complete, and a slot takes the longest one whole; a radix
/// that is no power of two costs dividers for every input.
module polycast_broadcast_unit #(
  /// Full-duplex ports, 4..16.
  parameter int unsigned NumPorts      = 7,
  /// Bytes of a flit, 13..64; 1..64 where the header is free.
  parameter int unsigned FlitBytes     = 16,
  /// The header comes beside the head flit instead of in it.
  parameter bit          HeaderFree    = 1'b0,
  /// Dimensions of the torus, 1..4; port 2 x dimensions leads to the host.
  parameter int unsigned Dimensions    = 2,
  /// Nodes of a dimension, 2..1024.
  parameter int unsigned Radix         = 8,
  /// Packets of a message, 1..64.
  parameter int unsigned NumSlots      = 32,
  /// Flits of a packet, 1..64.
  parameter int unsigned SlotFlits     = 8,
  /// Flits of the injection buffer, 1..64.
  parameter int unsigned InjectFlits   = 8,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Bits of a round on the side wires; derived, do not set.
  parameter int unsigned SideRoundBits = 2
) (
  /// Clock.
  input  wire logic                                 clk_i,
  /// Asynchronous reset, active low: drops the traffic, keeps the configuration.
  input  wire logic                                 rst_ni,

  /// A flit for the unit comes in.
  input  wire logic [NumPorts-1:0]                  flit_valid_i,
  /// It is the first of its packet.
  input  wire logic [NumPorts-1:0]                  flit_head_i,
  /// It is the last of its packet.
  input  wire logic [NumPorts-1:0]                  flit_tail_i,
  /// Its data.
  input  wire logic [NumPorts*FlitBytes*8-1:0]      flit_data_i,
  /// The header of its packet beside the head flit; ignored where headers are in the flits.
  input  wire logic [NumPorts*HeaderPinBits-1:0]    flit_header_i,
  /// A flit has left the injection buffer.
  output logic                                      credit_o,

  /// A flit leaves; registered, and zero where none does, like all that belongs to it.
  output logic      [NumPorts-1:0]                  flit_valid_o,
  /// It is the first of its packet.
  output logic      [NumPorts-1:0]                  flit_head_o,
  /// It is the last of its packet.
  output logic      [NumPorts-1:0]                  flit_tail_o,
  /// Its data.
  output logic      [NumPorts*FlitBytes*8-1:0]      flit_data_o,
  /// The header of its packet beside the head flit; zero where headers are in the flits.
  output logic      [NumPorts*HeaderPinBits-1:0]    flit_header_o,
  /// A flit has left the buffer of the host.
  input  wire logic                                 credit_i,

  /// The router puts a flit into the output register of the port.
  input  wire logic [NumPorts-1:0]                  taken_i,
  /// The router puts a credit into the credit register of the host port.
  input  wire logic                                 credit_taken_i,

  /// Packets that are there or coming in, and the round, for all neighbours.
  output logic      [NumSlots-1:0]                  side_have_o,
  output logic      [SideRoundBits-1:0]             side_round_o,
  /// The same of the neighbour at each port.
  input  wire logic [NumPorts*NumSlots-1:0]         side_have_i,
  input  wire logic [NumPorts*SideRoundBits-1:0]    side_round_i,

  /// Writes a configuration register; only while the unit is idle.
  input  wire logic                                 cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                          cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                          cfg_data_i,

  /// Errors of each port, `polycast_pkg::Error...`.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0]          error_o,
  /// An event at an input.
  output logic      [NumPorts-1:0]                                  event_valid_o,
  /// What it is, `polycast_pkg::BroadcastEvent...`.
  output logic      [NumPorts*polycast_pkg::BroadcastEventBits-1:0] event_code_o,
  /// Index of the packet.
  output logic      [NumPorts*polycast_pkg::PacketBits-1:0]         event_packet_o,
  /// Nothing is inside.
  output logic                                      idle_o,

  /// Flits in the buffer of each input.
  output logic      [NumPorts*16-1:0]               probe_occupied_o,
  /// The packet that each input takes: 0 none, 1 accepted, 2 discarded.
  output logic      [NumPorts*2-1:0]                probe_state_o,
  /// A packet is leaving.
  output logic      [NumPorts-1:0]                  probe_held_o,
  /// Packets that are due.
  output logic      [NumPorts*16-1:0]               probe_due_o
);

  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned CoordBits  = $clog2(Radix);
  localparam int unsigned DimBits    = Dimensions > 1 ? $clog2(Dimensions) : 1;
  localparam int unsigned SlotBits   = NumSlots > 1 ? $clog2(NumSlots) : 1;
  localparam int unsigned PlaceBits  = SlotFlits > 1 ? $clog2(SlotFlits) : 1;
  localparam int unsigned CountBits  = $clog2(NumSlots + 1);
  localparam int unsigned CreditBits = 16;
  localparam int unsigned HostPort   = 2 * Dimensions;
  localparam int unsigned HeaderBits = polycast_pkg::RoundOffset + polycast_pkg::RoundBits;
  localparam int unsigned PacketBits = polycast_pkg::PacketBits;
  localparam int unsigned SourceBits = polycast_pkg::SourceBits;
  localparam int unsigned EventBits  = polycast_pkg::BroadcastEventBits;
  localparam int unsigned NumErrors  = polycast_pkg::NumErrors;

  typedef struct packed { logic [NumPorts-1:0][FlitBits-1:0] at; } port_flits_t;
  typedef struct packed { logic [NumPorts-1:0][HeaderPinBits-1:0] at; } port_header_pins_t;
  typedef struct packed { logic [NumPorts-1:0][SlotBits-1:0] at; } port_slots_t;
  typedef struct packed { logic [NumPorts-1:0][PlaceBits-1:0] at; } port_places_t;
  typedef struct packed { logic [NumPorts-1:0][NumErrors-1:0] at; } port_errors_t;
  typedef struct packed { logic [NumPorts-1:0][15:0] at; } port_counts_t;
  typedef struct packed { logic [NumPorts-1:0][1:0] at; } port_states_t;
  typedef struct packed { logic [NumPorts-1:0][PacketBits-1:0] at; } port_packets_t;
  typedef struct packed { logic [NumPorts-1:0][SourceBits-1:0] at; } port_sources_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed { logic [NumPorts-1:0][NumSlots-1:0] at; } port_slot_sets_t;
  typedef struct packed { logic [NumPorts-1:0][SideRoundBits-1:0] at; } port_side_rounds_t;
  typedef struct packed { logic [NumPorts-1:0][EventBits-1:0] at; } port_events_t;

  port_flits_t in_flit_data, write_data, read_data, out_flit_data;
  port_header_pins_t in_flit_header, write_header, read_header, out_flit_header;
  port_slots_t head_slot, write_slot, read_slot;
  port_places_t write_place, read_place;
  port_errors_t input_error;
  port_counts_t probe_occupied, probe_due;
  port_states_t probe_state;
  port_packets_t packet, last_packet, event_packet;
  port_sources_t source;
  port_matrix_t rule_ports;
  port_slot_sets_t side_have, due, set, drop;
  port_side_rounds_t side_round;
  port_events_t event_code, code;

  assign {in_flit_data, in_flit_header} = {flit_data_i, flit_header_i};
  assign {side_have, side_round} = {side_have_i, side_round_i};
  assign {flit_data_o, flit_header_o} = {out_flit_data, out_flit_header};
  assign {probe_occupied_o, probe_due_o, probe_state_o} = {probe_occupied, probe_due, probe_state};
  assign {event_code_o, event_packet_o} = {event_code, event_packet};

  // Configuration.
  logic [Dimensions*CoordBits-1:0] own;
  logic [Dimensions-1:0]           dims;
  logic                            trees, maps, host_credits_we;
  logic [NumPorts-1:0]             reverse, relay_reverse, open, ports, receivers;
  logic [NumPorts*DimBits-1:0]     dimension;
  logic [NumPorts*CoordBits-1:0]   there;
  logic [CreditBits-1:0]           host_credits;

  // Heads of a cycle.
  logic [NumPorts-1:0]             known_input, valid, head, bad, stale, later, at_source, accept,
      duplicate;

  // Flits that go into slots.
  logic [NumPorts-1:0]               write, write_head, write_tail, input_idle, freed;
  logic [NumPorts*NumErrors-1:0]     error_d;

  // The round: its first head, and its packets.
  logic                                known_q, known_d, at_source_q, at_source_d, whole, round_end;
  logic [SourceBits-1:0]               source_q, source_d;
  logic [PacketBits-1:0]               last_q, last_d;
  logic [NumSlots-1:0]                 have_q, have_d, complete, head_slots;
  logic [polycast_pkg::RoundBits-1:0]  round_q;
  logic [NumSlots*SlotBits-1:0]        order;
  logic [CountBits-1:0]                count;

  // Outputs.
  logic [NumPorts-1:0]               send, read_tail, leaving, level, output_empty;
  logic                              credit_left, credit_overflow, credit_d;
  logic [CreditBits-1:0]             outstanding, waiting_q, waiting_d;

  polycast_broadcast_config #(
    .NumPorts  (NumPorts),
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .CreditBits(CreditBits)
  ) i_config (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .own_o            (own),
    .dims_o           (dims),
    .trees_o          (trees),
    .maps_o           (maps),
    .reverse_o        (reverse),
    .relay_reverse_o  (relay_reverse),
    .open_o           (open),
    .ports_o          (ports),
    .dimension_o      (dimension),
    .there_o          (there),
    .host_credits_o   (host_credits),
    .host_credits_we_o(host_credits_we)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_input
    logic [HeaderBits-1:0] header;

    // Behind the host port are bypass links and other host ports.
    assign known_input[p] = p <= HostPort || open[p];
    assign valid[p]       = flit_valid_i[p] && known_input[p];

    polycast_broadcast_input #(
      .NumSlots     (NumSlots),
      .SlotFlits    (SlotFlits),
      .BufferFlits  (p == HostPort ? InjectFlits : 0),
      .FlitBits     (FlitBits),
      .HeaderPinBits(HeaderPinBits),
      .HeaderFree   (HeaderFree),
      .HeaderBits   (HeaderBits)
    ) i_input (
      .clk_i,
      .rst_ni,
      .flit_valid_i  (valid[p]),
      .flit_head_i   (flit_head_i[p]),
      .flit_tail_i   (flit_tail_i[p]),
      .flit_data_i   (in_flit_data.at[p]),
      .flit_header_i (in_flit_header.at[p]),
      .round_i       (round_q),
      .head_o        (head[p]),
      .head_header_o (header),
      .head_slot_o   (head_slot.at[p]),
      .accept_i      (accept[p]),
      .write_o       (write[p]),
      .write_head_o  (write_head[p]),
      .write_tail_o  (write_tail[p]),
      .write_slot_o  (write_slot.at[p]),
      .write_place_o (write_place.at[p]),
      .write_data_o  (write_data.at[p]),
      .write_header_o(write_header.at[p]),
      .free_o        (freed[p]),
      .error_o       (input_error.at[p]),
      .idle_o        (input_idle[p]),
      .occupied_o    (probe_occupied.at[p]),
      .state_o       (probe_state.at[p])
    );

    polycast_broadcast_header #(
      .NumPorts  (NumPorts),
      .NumSlots  (NumSlots),
      .Dimensions(Dimensions),
      .Radix     (Radix),
      .HeaderBits(HeaderBits)
    ) i_header (
      .header_i     (header),
      .own_i        (own),
      .dims_i       (dims),
      .trees_i      (trees),
      .dimension_i  (dimension),
      .there_i      (there),
      .round_i      (round_q),
      .bad_o        (bad[p]),
      .stale_o      (stale[p]),
      .later_o      (later[p]),
      .packet_o     (packet.at[p]),
      .last_packet_o(last_packet.at[p]),
      .source_o     (source.at[p]),
      .at_source_o  (at_source[p]),
      .ports_o      (rule_ports.at[p])
    );
  end

  polycast_broadcast_accept #(
    .NumInputs(NumPorts),
    .NumSlots (NumSlots)
  ) i_accept (
    .head_i           (head),
    .bad_i            (bad),
    .stale_i          (stale),
    .later_i          (later),
    .packet_i         (packet),
    .last_packet_i    (last_packet),
    .source_i         (source),
    .at_source_i      (at_source),
    .known_i          (known_q),
    .known_source_i   (source_q),
    .known_at_source_i(at_source_q),
    .known_last_i     (last_q),
    .have_i           (have_q),
    .known_o          (known_d),
    .known_source_o   (source_d),
    .known_at_source_o(at_source_d),
    .known_last_o     (last_d),
    .have_o           (have_d),
    .accept_o         (accept),
    .duplicate_o      (duplicate),
    .code_o           (code)
  );

  polycast_broadcast_store #(
    .NumPorts     (NumPorts),
    .NumSlots     (NumSlots),
    .SlotFlits    (SlotFlits),
    .FlitBits     (FlitBits),
    .HeaderPinBits(HeaderPinBits),
    .HeaderFree   (HeaderFree)
  ) i_store (
    .clk_i,
    .write_i       (write),
    .write_head_i  (write_head),
    .write_tail_i  (write_tail),
    .write_slot_i  (write_slot),
    .write_place_i (write_place),
    .write_data_i  (write_data),
    .write_header_i(write_header),
    .read_slot_i   (read_slot),
    .read_place_i  (read_place),
    .read_tail_o   (read_tail),
    .read_data_o   (read_data),
    .read_header_o (read_header)
  );

  polycast_broadcast_order #(
    .NumInputs(NumPorts),
    .NumSlots (NumSlots)
  ) i_order (
    .clk_i,
    .rst_ni,
    .clear_i   (round_end),
    .tail_i    (write_tail),
    .slot_i    (write_slot),
    .order_o   (order),
    .count_o   (count),
    .complete_o(complete)
  );

  // Where accepted packets go, and where duplicates come from.
  always_comb begin
    set        = '0;
    drop       = '0;
    receivers  = '0;
    head_slots = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      head_slots          = NumSlots'(1) << head_slot.at[i];
      receivers           = rule_ports.at[i] & ports;
      receivers[i]        = 1'b0;
      receivers[HostPort] = !at_source[i] && host_credits != '0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (accept[i] && receivers[p]) set.at[p] = set.at[p] | head_slots;
      end
      if (duplicate[i] && ports[i]) drop.at[i] = head_slots;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_output
    polycast_broadcast_output #(
      .NumSlots     (NumSlots),
      .SlotFlits    (SlotFlits),
      .FlitBits     (FlitBits),
      .HeaderPinBits(HeaderPinBits),
      .Host         (p == HostPort)
    ) i_output (
      .clk_i,
      .rst_ni,
      .clear_i      (round_end),
      .used_i       (ports[p]),
      .set_i        (set.at[p]),
      .drop_i       (drop.at[p]),
      .complete_i   (complete),
      .order_i      (order),
      .count_i      (count),
      .reverse_i    (at_source_q ? reverse[p] : relay_reverse[p]),
      .begin_i      (whole || !at_source_q),
      .maps_i       (maps),
      .round_i      (side_round_o),
      .side_have_i  (side_have.at[p]),
      .side_round_i (side_round.at[p]),
      .taken_i      (taken_i[p]),
      .credit_left_i(credit_left),
      .send_o       (send[p]),
      .slot_o       (read_slot.at[p]),
      .place_o      (read_place.at[p]),
      .tail_i       (read_tail[p]),
      .data_i       (read_data.at[p]),
      .header_i     (read_header.at[p]),
      .flit_valid_o (flit_valid_o[p]),
      .flit_head_o  (flit_head_o[p]),
      .flit_tail_o  (flit_tail_o[p]),
      .flit_data_o  (out_flit_data.at[p]),
      .flit_header_o(out_flit_header.at[p]),
      .due_o        (due.at[p]),
      .leaving_o    (leaving[p]),
      .level_o      (level[p]),
      .empty_o      (output_empty[p])
    );

    assign probe_due.at[p] = 16'($countones(due.at[p]));
  end

  polycast_credit_counter #(
    .CreditBits(CreditBits)
  ) i_credit_counter (
    .clk_i,
    .rst_ni,
    .clear_i      (host_credits_we),
    .credits_i    (host_credits),
    .spend_i      (send[HostPort]),
    .credit_i,
    .upset_i      ('0),
    .outstanding_o(outstanding),
    .left_o       (credit_left),
    .overflow_o   (credit_overflow)
  );

  // Step 6.
  assign whole     = known_q && 32'(count) == 32'(last_q) + 1;
  assign round_end = whole && due == '0 && leaving == '0 && level == '1;

  // Step 7: credits of the injection buffer, those that wait included.
  assign waiting_d = waiting_q + CreditBits'(freed[HostPort]) - CreditBits'(credit_d);
  assign credit_d  = (waiting_q != '0 || freed[HostPort]) && !credit_taken_i;

  always_comb begin
    error_d = input_error;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (flit_valid_i[p] && !known_input[p]) error_d[p*NumErrors+polycast_pkg::ErrorBadVc] = 1'b1;
    end
    if (credit_overflow) error_d[HostPort*NumErrors+polycast_pkg::ErrorCreditOverflow] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q        <= 1'b0;
      at_source_q    <= 1'b0;
      source_q       <= '0;
      last_q         <= '0;
      have_q         <= '0;
      round_q        <= '0;
      waiting_q      <= '0;
      credit_o       <= 1'b0;
      error_o        <= '0;
      event_valid_o  <= '0;
      event_code     <= '0;
      event_packet   <= '0;
    end else begin
      known_q     <= known_d && !round_end;
      at_source_q <= at_source_d && !round_end;
      source_q    <= source_d;
      last_q      <= last_d;
      have_q      <= round_end ? '0 : have_d;
      round_q     <= round_q + polycast_pkg::RoundBits'(round_end);
      waiting_q   <= waiting_d;
      credit_o    <= credit_d;
      error_o     <= error_d;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        event_valid_o[p]   <= head[p] && !accept[p];
        event_code.at[p]   <= code.at[p];
        event_packet.at[p] <= (head[p] && !accept[p]) ? packet.at[p] : '0;
      end
    end
  end

  assign side_have_o  = have_q;
  assign side_round_o = round_q[SideRoundBits-1:0];
  assign probe_held_o = leaving;
  assign idle_o = input_idle == '1 && have_q == '0 && leaving == '0 && output_empty == '1 &&
      waiting_q == '0 && !credit_o && error_o == '0 && event_valid_o == '0;

  logic unused;
  assign unused = ^outstanding;

`ifndef SYNTHESIS
  if (NumPorts < 2 * Dimensions + 1 || NumPorts > 16 || NumSlots < 1 || NumSlots > 64 ||
      SlotFlits < 1 || SlotFlits > 64 || InjectFlits < 1 || InjectFlits > 64 ||
      (!HeaderFree && FlitBits < HeaderBits)) begin : gen_bad_parameters
    $error("polycast_broadcast_unit: a parameter is out of range");
  end

  int unsigned coming_in;
  always_comb begin
    coming_in = 0;
    for (int unsigned p = 0; p < NumPorts; p++) coming_in = coming_in + 32'(probe_state_o[p*2]);
  end

  HaveIsThereOrComingIn: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (complete & ~have_q) == '0 && 32'($countones(have_q)) == 32'(count) + coming_in)
    else $error("what neighbours are shown is not what is there or coming in");
  NothingBehindTheLast: assert property (@(posedge clk_i) disable iff (!rst_ni)
      have_q == '0 || (known_q && 32'(have_q >> last_q) <= 1))
    else $error("a packet is there behind the last");
  NothingIsAcceptedAtTheEnd:
      assert property (@(posedge clk_i) disable iff (!rst_ni) round_end |-> accept == '0)
    else $error("a packet is accepted while its round ends");
  IdleHoldsNothing:
      assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> due == '0 && count == '0)
    else $error("the unit is idle, but holds a packet");
`endif

endmodule

`default_nettype wire
