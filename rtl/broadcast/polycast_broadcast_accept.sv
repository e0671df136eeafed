// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Judges the heads of a cycle one after the other, in the order of their inputs: step 2 of
/// hw/chips/broadcast/broadcast_unit.md. Combinational.
module polycast_broadcast_accept #(
  /// Inputs.
  parameter int unsigned NumInputs  = 7,
  /// Packets of a message.
  parameter int unsigned NumSlots   = 32,
  /// Bits of the index of a packet in headers.
  parameter int unsigned PacketBits = polycast_pkg::PacketBits,
  /// Bits of the number of a node.
  parameter int unsigned SourceBits = polycast_pkg::SourceBits,
  /// Bits of a slot; derived, do not set.
  parameter int unsigned SlotBits   = NumSlots > 1 ? $clog2(NumSlots) : 1
) (
  /// A head comes in.
  input  wire logic [NumInputs-1:0]            head_i,
  /// What its header says, see polycast_broadcast_header.
  input  wire logic [NumInputs-1:0]            bad_i,
  input  wire logic [NumInputs-1:0]            stale_i,
  input  wire logic [NumInputs-1:0]            later_i,
  input  wire logic [NumInputs*PacketBits-1:0] packet_i,
  input  wire logic [NumInputs*PacketBits-1:0] last_packet_i,
  input  wire logic [NumInputs*SourceBits-1:0] source_i,
  input  wire logic [NumInputs-1:0]            at_source_i,
  /// There has been a head of this round.
  input  wire logic                            known_i,
  /// Its source, whether that is this node, and its last index.
  input  wire logic [SourceBits-1:0]           known_source_i,
  input  wire logic                            known_at_source_i,
  input  wire logic [PacketBits-1:0]           known_last_i,
  /// Packets that are there or coming in.
  input  wire logic [NumSlots-1:0]             have_i,
  /// The same after this cycle.
  output logic                                 known_o,
  output logic      [SourceBits-1:0]           known_source_o,
  output logic                                 known_at_source_o,
  output logic      [PacketBits-1:0]           known_last_o,
  output logic      [NumSlots-1:0]             have_o,
  /// The packet is accepted.
  output logic      [NumInputs-1:0]            accept_o,
  /// It is there or coming in already.
  output logic      [NumInputs-1:0]            duplicate_o,
  /// What is reported of it: a `broadcast_event`, none for one that is accepted.
  output logic      [NumInputs*polycast_pkg::BroadcastEventBits-1:0] code_o
);

  typedef struct packed { logic [NumInputs-1:0][PacketBits-1:0] at; } input_packets_t;
  typedef struct packed { logic [NumInputs-1:0][SourceBits-1:0] at; } input_sources_t;
  typedef struct packed {
    logic [NumInputs-1:0][polycast_pkg::BroadcastEventBits-1:0] at;
  } input_broadcast_events_t;

  input_packets_t in_last_packet, packet;
  input_sources_t in_source;
  input_broadcast_events_t out_code;

  assign in_last_packet = last_packet_i;
  assign packet = packet_i;
  assign in_source = source_i;
  assign code_o = out_code;

  logic [polycast_pkg::BroadcastEventBits-1:0] code;
  logic [PacketBits-1:0]                       last_packet;
  logic [SourceBits-1:0]                       source;
  logic [SlotBits-1:0]                         slot;

  always_comb begin
    known_o           = known_i;
    known_source_o    = known_source_i;
    known_at_source_o = known_at_source_i;
    known_last_o      = known_last_i;
    have_o            = have_i;
    accept_o          = '0;
    duplicate_o       = '0;
    out_code            = '0;
    code              = '0;
    last_packet       = '0;
    source            = '0;
    slot              = '0;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      if (head_i[i]) begin
        last_packet = in_last_packet.at[i];
        source      = in_source.at[i];
        slot        = packet.at[i][SlotBits-1:0];
        if (bad_i[i])        code = polycast_pkg::BroadcastEventBadPacket;
        else if (stale_i[i]) code = polycast_pkg::BroadcastEventStale;
        else if (later_i[i]) code = polycast_pkg::BroadcastEventEarly;
        else if (known_o && (source != known_source_o || last_packet != known_last_o)) begin
          code = polycast_pkg::BroadcastEventConflict;
        end
        else if (have_o[slot]) code = polycast_pkg::BroadcastEventDuplicate;
        else                   code = polycast_pkg::BroadcastEventNone;
        out_code.at[i]              = code;
        duplicate_o[i]              = code == polycast_pkg::BroadcastEventDuplicate;
        accept_o[i]                 = code == polycast_pkg::BroadcastEventNone;
        if (accept_o[i]) begin
          have_o[slot]      = 1'b1;
          known_o           = 1'b1;
          known_source_o    = source;
          known_at_source_o = at_source_i[i];
          known_last_o      = last_packet;
        end
      end
    end
  end

`ifndef SYNTHESIS
  always_comb EverySlotOnce: assert final ($countones(have_o & ~have_i) == $countones(accept_o))
    else $error("two packets are accepted into one slot");
`endif

endmodule

`default_nettype wire
