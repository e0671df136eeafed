// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Packets that are complete, in the order of receipt: several of a cycle in the order of their
/// inputs.
module polycast_broadcast_order #(
  /// Inputs.
  parameter int unsigned NumInputs = 7,
  /// Packets of a message.
  parameter int unsigned NumSlots  = 32,
  /// Bits of a slot; derived, do not set.
  parameter int unsigned SlotBits  = NumSlots > 1 ? $clog2(NumSlots) : 1,
  /// Bits of a number of packets; derived, do not set.
  parameter int unsigned CountBits = $clog2(NumSlots + 1)
) (
  /// Clock.
  input  wire logic                          clk_i,
  /// Asynchronous reset, active low: no packet is complete.
  input  wire logic                          rst_ni,
  /// The round ends: no packet is complete.
  input  wire logic                          clear_i,
  /// A packet of this input becomes complete.
  input  wire logic [NumInputs-1:0]          tail_i,
  /// Its slot.
  input  wire logic [NumInputs*SlotBits-1:0] slot_i,
  /// Slots of the packets, the first in the lowest bits; registered like all that follow.
  output logic      [NumSlots*SlotBits-1:0]  order_o,
  /// Packets that are complete.
  output logic      [CountBits-1:0]          count_o,
  /// The same, bit s for slot s.
  output logic      [NumSlots-1:0]           complete_o
);

  typedef struct packed { logic [NumSlots-1:0][SlotBits-1:0] at; } slot_slots_t;
  typedef struct packed { logic [NumInputs-1:0][SlotBits-1:0] at; } input_slots_t;

  slot_slots_t order_d;
  input_slots_t slot;

  assign slot = slot_i;

  logic [CountBits-1:0]         count_d;
  logic [NumSlots-1:0]          complete_d;

  always_comb begin
    order_d    = order_o;
    count_d    = count_o;
    complete_d = complete_o;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      if (tail_i[i]) begin
        order_d.at[count_d]    = slot.at[i];
        count_d                = count_d + CountBits'(1);
        complete_d[slot.at[i]] = 1'b1;
      end
    end
    if (clear_i) begin
      count_d    = '0;
      complete_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_o    <= '0;
      count_o    <= '0;
      complete_o <= '0;
    end else begin
      order_o    <= order_d;
      count_o    <= count_d;
      complete_o <= complete_d;
    end
  end

`ifndef SYNTHESIS
  EveryPacketOnce:
      assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(count_o) ==
          $countones(complete_o))
    else $error("a packet is twice in the order of receipt");
  NothingComesAtTheEnd:
      assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |-> tail_i == '0)
    else $error("a packet becomes complete while its round ends");
`endif

endmodule

`default_nettype wire
