// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// An output of the unit: which packets are due, what is seen of the neighbour, choice of a packet
/// and its flits one after the other, output register. Steps 3 to 5 of
/// hw/chips/broadcast/broadcast_unit.md.
module polycast_broadcast_output #(
  /// Packets of a message.
  parameter int unsigned NumSlots      = 32,
  /// Flits of a slot.
  parameter int unsigned SlotFlits     = 8,
  /// Bits of a flit.
  parameter int unsigned FlitBits      = 128,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// The port leads to the host: there are credits, and no neighbour.
  parameter bit          Host          = 1'b0,
  /// Bits of a slot; derived, do not set.
  parameter int unsigned SlotBits      = NumSlots > 1 ? $clog2(NumSlots) : 1,
  /// Bits of the number of a flit in a slot; derived, do not set.
  parameter int unsigned PlaceBits     = SlotFlits > 1 ? $clog2(SlotFlits) : 1,
  /// Bits of a number of packets; derived, do not set.
  parameter int unsigned CountBits     = $clog2(NumSlots + 1),
  /// Bits of a round on the side wires; derived, do not set.
  parameter int unsigned SideRoundBits = 2
) (
  /// Clock.
  input  wire logic                         clk_i,
  /// Asynchronous reset, active low: nothing is due or leaving, the side wires were zero.
  input  wire logic                         rst_ni,
  /// The round ends.
  input  wire logic                         clear_i,
  /// The port is one of the unit, or the host's.
  input  wire logic                         used_i,
  /// Packets that are accepted and will be due here.
  input  wire logic [NumSlots-1:0]          set_i,
  /// Packets that came again, from here.
  input  wire logic [NumSlots-1:0]          drop_i,
  /// Packets that are complete, and their order.
  input  wire logic [NumSlots-1:0]          complete_i,
  input  wire logic [NumSlots*SlotBits-1:0] order_i,
  input  wire logic [CountBits-1:0]         count_i,
  /// The last due packet goes first.
  input  wire logic                         reverse_i,
  /// Packets may begin to leave: the message is whole, or this node is not its source.
  input  wire logic                         begin_i,
  /// What a neighbour has is not sent to it.
  input  wire logic                         maps_i,
  /// Round of the unit, as side wires show it.
  input  wire logic [SideRoundBits-1:0]     round_i,
  /// Side wires of the neighbour.
  input  wire logic [NumSlots-1:0]          side_have_i,
  input  wire logic [SideRoundBits-1:0]     side_round_i,
  /// The router takes the port in this cycle.
  input  wire logic                         taken_i,
  /// There is a credit; not read but at the host port.
  input  wire logic                         credit_left_i,
  /// A flit goes.
  output logic                              send_o,
  /// Its slot.
  output logic      [SlotBits-1:0]          slot_o,
  /// Its number there.
  output logic      [PlaceBits-1:0]         place_o,
  /// It is the last of its packet.
  input  wire logic                         tail_i,
  /// The flit.
  input  wire logic [FlitBits-1:0]          data_i,
  /// Header of its packet, where that goes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]     header_i,
  /// A flit leaves, registered, and what it is; zero where none does.
  output logic                              flit_valid_o,
  output logic                              flit_head_o,
  output logic                              flit_tail_o,
  output logic      [FlitBits-1:0]          flit_data_o,
  output logic      [HeaderPinBits-1:0]     flit_header_o,
  /// Packets that are due, registered.
  output logic      [NumSlots-1:0]          due_o,
  /// A packet has begun to leave, registered.
  output logic                              leaving_o,
  /// There is no neighbour that lags behind, registered.
  output logic                              level_o,
  /// Nothing is in the output register.
  output logic                              empty_o
);

  typedef struct packed { logic [NumSlots-1:0][SlotBits-1:0] at; } slot_slots_t;

  slot_slots_t order;

  assign order = order_i;

  // Of every packet that is owed here the flits follow, as soon as it is complete.
  logic [NumSlots-1:0]  owed_q, going, seen, sendable;
  logic                 leaving_q, chosen, same_round;
  logic [SlotBits-1:0]  slot_q, choice, candidate;
  logic [PlaceBits-1:0] place_q;

  assign due_o     = owed_q & complete_i;
  assign leaving_o = leaving_q;

  if (Host) begin : gen_host
    assign same_round = 1'b1;
    assign seen       = '0;
    assign level_o    = 1'b1;

    logic unused;
    assign unused = ^{used_i, maps_i, round_i, side_have_i, side_round_i};
  end else begin : gen_neighbour
    logic [NumSlots-1:0]      have_q;
    logic [SideRoundBits-1:0] round_q;
    logic                     next_round;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        have_q  <= '0;
        round_q <= '0;
      end else begin
        have_q  <= side_have_i;
        round_q <= side_round_i;
      end
    end

    assign same_round = round_q == round_i;
    assign next_round = round_q == round_i + SideRoundBits'(1);
    assign seen       = next_round ? '1 : (same_round && maps_i) ? have_q : '0;
    assign level_o    = !used_i || same_round || next_round;
  end

  assign sendable = (same_round && begin_i) ? due_o & ~seen : '0;

  // The first, or the last, in the order of receipt that may go.
  always_comb begin
    chosen    = 1'b0;
    choice    = '0;
    candidate = '0;
    if (sendable != '0) begin
      for (int unsigned k = 0; k < NumSlots; k++) begin
        candidate = order.at[k];
        if (CountBits'(k) < count_i && sendable[candidate] && (reverse_i || !chosen)) begin
          chosen = 1'b1;
          choice = candidate;
        end
      end
    end
  end

  assign slot_o  = leaving_q ? slot_q : choice;
  assign place_o = leaving_q ? place_q : '0;
  assign send_o  = (leaving_q || chosen) && !taken_i && (!Host || credit_left_i);

  always_comb begin
    going = '0;
    if (send_o && !leaving_q) going[choice] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q    <= '0;
      leaving_q <= 1'b0;
      slot_q    <= '0;
      place_q   <= '0;
    end else begin
      owed_q <= clear_i ? '0 : (owed_q | set_i) & ~drop_i & ~going & ~(seen & complete_i);
      if (send_o) begin
        leaving_q <= !tail_i;
        slot_q    <= slot_o;
        place_q   <= tail_i ? '0 : place_o + PlaceBits'(1);
      end
    end
  end

  polycast_pipe #(
    .Width (3 + FlitBits + HeaderPinBits),
    .Stages(1)
  ) i_register (
    .clk_i,
    .rst_ni,
    .data_i (send_o ? {1'b1, !leaving_q, tail_i, data_i, leaving_q ? '0 : header_i} : '0),
    .data_o ({flit_valid_o, flit_head_o, flit_tail_o, flit_data_o, flit_header_o}),
    .empty_o
  );

  if (!Host) begin : gen_no_credits
    logic unused;
    assign unused = credit_left_i;
  end

`ifndef SYNTHESIS
  OnlyDueBegins: assert property (@(posedge clk_i) disable iff (!rst_ni)
      send_o && !leaving_q |-> (going & ~(due_o & ~seen)) == '0)
    else $error("a packet goes that is not due");
  NothingIsForgotten:
      assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> due_o == '0 && !leaving_q)
    else $error("a round ends while a packet is due");
  OneSetAtOnce:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (set_i & (owed_q | complete_i)) == '0)
    else $error("a packet is accepted that is there");
`endif

endmodule

`default_nettype wire
