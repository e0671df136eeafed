// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One virtual channel of an input port: framing, places in the buffer, decisions about the packets
/// in it, branches of the one at the front.
module polycast_input_vc #(
  /// Ports of the router.
  parameter int unsigned NumPorts      = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Flits of the buffer.
  parameter int unsigned VcFlits       = 8,
  /// Ports that lead to dimensions.
  parameter int unsigned Directions    = 4,
  /// A packet may have several branches.
  parameter bit          Copies        = 1'b1,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits = 16,
  /// Bits of a decision: outputs, sides, three sets of virtual channels.
  parameter int unsigned RouteBits     = 21,
  /// Bits of a place in the buffer; derived, do not set.
  parameter int unsigned SlotBits      = VcFlits > 1 ? $clog2(VcFlits) : 1,
  /// Bits of a number of flits; derived, do not set.
  parameter int unsigned CountBits     = $clog2(VcFlits + 1)
) (
  /// Clock.
  input  wire logic                       clk_i,
  /// Asynchronous reset, active low: nothing is inside.
  input  wire logic                       rst_ni,
  /// A flit of this channel comes in.
  input  wire logic                       flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                       flit_head_i,
  /// It is the last of its packet.
  input  wire logic                       flit_tail_i,
  /// Longest packet in flits.
  input  wire logic [FlitCountBits-1:0]   packet_limit_i,
  /// The flit is stored.
  output logic                            store_o,
  /// It is stored as the last of its packet.
  output logic                            store_tail_o,
  /// Its number in the packet, from 0.
  output logic      [FlitCountBits-1:0]   index_o,
  /// Its place in the buffer.
  output logic      [SlotBits-1:0]        write_slot_o,
  /// There was no room.
  output logic                            overflow_o,
  /// A body flit came outside a packet.
  output logic                            missing_head_o,
  /// A head flit came inside a packet.
  output logic                            missing_tail_o,
  /// The packet reached its limit without a tail.
  output logic                            too_long_o,
  /// The next packet of those that are not routed yet is routed in this cycle.
  input  wire logic                       route_valid_i,
  /// The decision about it.
  input  wire logic [RouteBits-1:0]       route_i,
  /// Output virtual channels that may be given to a packet, registered.
  input  wire logic [NumPorts*NumVcs-1:0] usable_i,
  /// Output virtual channels with a credit left, registered.
  input  wire logic [NumPorts*NumVcs-1:0] credit_left_i,
  /// Branches of the packet at the front that can go.
  output logic      [NumPorts-1:0]        go_o,
  /// It is dropped, and can go.
  output logic                            drop_o,
  /// Of the branches that can go: the next flit is the head.
  output logic      [NumPorts-1:0]        head_o,
  /// Virtual channels that this flit may take.
  output logic      [NumPorts*NumVcs-1:0] want_o,
  /// Place of the flit that goes.
  output logic      [SlotBits-1:0]        read_slot_o,
  /// Branches that read it in this cycle.
  input  wire logic [NumPorts-1:0]        gnt_i,
  /// It is dropped in this cycle.
  input  wire logic                       drain_i,
  /// It is the last of its packet.
  input  wire logic                       read_tail_i,
  /// The output virtual channel that it takes at each of those outputs, one-hot.
  input  wire logic [NumPorts*NumVcs-1:0] vc_i,
  /// The oldest flit leaves the buffer.
  output logic                            free_o,
  /// Nothing is inside, registered.
  output logic                            idle_o,
  /// Flits in the buffer, registered.
  output logic      [CountBits-1:0]       occupied_o,
  /// State of the packet at the front, registered: 0 none, 1 not routed yet, 2 active, 3 dropped.
  output logic      [1:0]                 state_o,
  /// Outputs at which it has no virtual channel yet, registered.
  output logic      [NumPorts-1:0]        waiting_o,
  /// Outputs at which it holds one, registered.
  output logic      [NumPorts-1:0]        reading_o
);

  logic                  in_packet, routed, done;
  logic [CountBits-1:0]  position;
  logic [NumPorts-1:0]   outputs;
  logic [Directions-1:0] sides;
  logic [NumVcs-1:0]     before_set, behind_set, host_set;

  polycast_packet_framer #(
    .ChunkCountBits(CountBits),
    .FlitCountBits (FlitCountBits)
  ) i_packet_framer (
    .clk_i,
    .rst_ni,
    .valid_i      (flit_valid_i),
    .head_i       (flit_head_i),
    .tail_i       (flit_tail_i),
    .chunk_start_i(1'b1),
    .occupied_i   (occupied_o),
    .usable_i     (CountBits'(VcFlits)),
    .packet_limit_i,
    .store_o,
    .store_tail_o,
    .index_o,
    .inside_o     (in_packet),
    .overflow_o,
    .missing_head_o,
    .missing_tail_o,
    .too_long_o
  );

  polycast_vc_buffer #(
    .VcFlits(VcFlits)
  ) i_buffer (
    .clk_i,
    .rst_ni,
    .store_i   (store_o),
    .free_i    (free_o),
    .position_i(position),
    .write_slot_o,
    .read_slot_o,
    .occupied_o
  );

  // Every packet has a flit of the buffer for itself, so the queue never overflows.
  polycast_fifo #(
    .Width(RouteBits),
    .Depth(VcFlits > 1 ? VcFlits : 2)
  ) i_routes (
    .clk_i,
    .rst_ni,
    .push_i (route_valid_i),
    .data_i (route_i),
    .pop_i  (done),
    .valid_o(routed),
    .data_o ({host_set, behind_set, before_set, sides, outputs})
  );

  polycast_vc_branches #(
    .NumPorts  (NumPorts),
    .NumVcs    (NumVcs),
    .VcFlits   (VcFlits),
    .Directions(Directions),
    .Copies    (Copies)
  ) i_branches (
    .clk_i,
    .rst_ni,
    .routed_i    (routed),
    .outputs_i   (outputs),
    .sides_i     (sides),
    .before_set_i(before_set),
    .behind_set_i(behind_set),
    .host_set_i  (host_set),
    .occupied_i  (occupied_o),
    .usable_i,
    .credit_left_i,
    .go_o,
    .drop_o,
    .position_o  (position),
    .head_o,
    .want_o,
    .gnt_i,
    .drain_i,
    .tail_i      (read_tail_i),
    .vc_i,
    .free_o,
    .done_o      (done),
    .waiting_o,
    .reading_o
  );

  assign idle_o = occupied_o == '0 && !in_packet;

  always_comb begin
    if (!routed)             state_o = (occupied_o != '0) ? 2'd1 : 2'd0;
    else if (outputs == '0)  state_o = 2'd3;
    else                     state_o = 2'd2;
  end

`ifndef SYNTHESIS
  if (RouteBits != NumPorts + Directions + 3 * NumVcs) begin : gen_bad_parameters
    $error("polycast_input_vc: the decision is not as wide as its parts");
  end

  IdleHasNoPacket:
      assert property (@(posedge clk_i) disable iff (!rst_ni) idle_o |-> !routed && reading_o == '0)
    else $error("a virtual channel is idle, but a packet is at its front");
`endif

endmodule

`default_nettype wire
