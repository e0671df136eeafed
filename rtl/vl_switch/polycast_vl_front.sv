// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The packet at the front of an input lane: its branches, those that an output has granted, those
/// that have read the tail, how long it has been there; and the decisions about packets behind it.
/// Steps 3, 5 and 7 of hw/chips/vl_switch/vl_switch.md.
module polycast_vl_front #(
  /// Ports of the switch.
  parameter int unsigned NumPorts   = 8,
  /// Chunks of the buffer: the most packets in it.
  parameter int unsigned NumChunks  = 80,
  /// Bits of the header that leaves with a copy; 0: headers are in the flits.
  parameter int unsigned HeaderBits = 0,
  /// Bits of the header pins; derived, do not set.
  parameter int unsigned PinBits    = HeaderBits > 0 ? HeaderBits : 1,
  /// Bits of a number of branches; derived, do not set.
  parameter int unsigned ReaderBits = $clog2(NumPorts + 1)
) (
  /// Clock.
  input  wire logic                                   clk_i,
  /// Asynchronous reset, active low: there is no packet.
  input  wire logic                                   rst_ni,
  /// Cycles after which branches that are not granted are given up; 0: never.
  input  wire logic [polycast_vl_pkg::HoqLifeBits-1:0]   hoq_life_i,
  /// The next packet of those that are not routed yet is routed in this cycle.
  input  wire logic                                   routed_i,
  /// Its branches; none: it is dropped.
  input  wire logic [NumPorts-1:0]                    routed_ports_i,
  /// Its service level.
  input  wire logic [polycast_pkg::SlBits-1:0]        routed_sl_i,
  /// Its free header.
  input  wire logic [PinBits-1:0]                     routed_header_i,
  /// A packet comes to the front: from the next cycle on it may be granted and read.
  output logic                                        load_o,
  /// Readers that it has, 1 or more; of use with `load_o`.
  output logic      [ReaderBits-1:0]                  load_readers_o,
  /// Its service level.
  output logic      [polycast_pkg::SlBits-1:0]        load_sl_o,
  /// Lanes that the service level has at the outputs.
  input  wire logic [NumPorts*polycast_vl_pkg::VlBits-1:0] load_vl_i,
  /// Outputs that grant the packet in this cycle.
  input  wire logic [NumPorts-1:0]                    gnt_i,
  /// Outputs that read its tail in this cycle.
  input  wire logic [NumPorts-1:0]                    tail_i,
  /// The packet has been read by all its readers with this cycle.
  input  wire logic                                   done_i,
  /// Branches that no output has granted, registered.
  output logic      [NumPorts-1:0]                    waiting_o,
  /// Branches that hold their output, registered.
  output logic      [NumPorts-1:0]                    reading_o,
  /// Lane on which each branch leaves.
  output logic      [NumPorts*polycast_vl_pkg::VlBits-1:0] vl_o,
  /// The packet is dropped: reader 0 reads it for nobody, registered.
  output logic                                        draining_o,
  /// The free header.
  output logic      [PinBits-1:0]                     header_o,
  /// Branches that are given up at the end of this cycle.
  output logic      [NumPorts-1:0]                    lost_o,
  /// Readers that stay then; reader 0 if no branch has been granted.
  output logic      [NumPorts-1:0]                    stay_o,
  /// There is no packet, registered.
  output logic                                        empty_o
);

  localparam int unsigned LifeBits   = polycast_vl_pkg::HoqLifeBits;
  localparam int unsigned RouteBits  = NumPorts + polycast_pkg::SlBits + HeaderBits;

  logic                                   valid_q, draining_q;
  // Not granted, and granted but not read to the tail; those that were granted, whether read or
  // not.
  logic [NumPorts-1:0]                    waiting_q, reading_q, granted_q, granted, waiting,
      reading;
  logic [NumPorts*polycast_vl_pkg::VlBits-1:0] vl_q;
  logic [LifeBits-1:0]                    age_q, age;
  logic                                   push, queued, over, given_up;
  logic [RouteBits-1:0]                   routed, oldest, route;
  logic [NumPorts-1:0]                    ports;

  // Decisions wait with their packets; every packet has a chunk, so there is room for all.
  polycast_fifo #(
    .Width(RouteBits),
    .Depth(NumChunks)
  ) i_routes (
    .clk_i,
    .rst_ni,
    .push_i (push),
    .data_i (routed),
    .pop_i  (load_o && queued),
    .valid_o(queued),
    .data_o (oldest)
  );

  assign route     = queued ? oldest : routed;
  assign ports     = NumPorts'(route);
  assign load_sl_o = route[NumPorts+:polycast_pkg::SlBits];
  assign load_o    = (!valid_q || over) && (queued || routed_i);
  assign push      = routed_i && !(load_o && !queued);

  always_comb begin
    load_readers_o = ReaderBits'(ports == '0);
    for (int unsigned p = 0; p < NumPorts; p++) begin
      load_readers_o = load_readers_o + ReaderBits'(ports[p]);
    end
  end

  // What is left with this cycle.
  assign granted  = granted_q | gnt_i;
  assign waiting  = waiting_q & ~gnt_i;
  assign reading  = (reading_q | gnt_i) & ~tail_i;
  assign age      = age_q + LifeBits'(1);
  assign given_up = hoq_life_i != '0 && waiting != '0 && age >= hoq_life_i;
  assign lost_o   = given_up ? waiting : '0;
  assign stay_o   = granted != '0 ? granted : NumPorts'(1);
  assign over     = done_i || (given_up && granted != '0 && reading == '0);

  assign waiting_o  = waiting_q;
  assign reading_o  = reading_q;
  assign vl_o       = vl_q;
  assign draining_o = draining_q;
  assign empty_o    = !valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      draining_q <= 1'b0;
      waiting_q  <= '0;
      reading_q  <= '0;
      granted_q  <= '0;
      age_q      <= '0;
    end else if (load_o) begin
      valid_q    <= 1'b1;
      draining_q <= ports == '0;
      waiting_q  <= ports;
      reading_q  <= '0;
      granted_q  <= '0;
      age_q      <= '0;
    end else if (over) begin
      valid_q    <= 1'b0;
      draining_q <= 1'b0;
      waiting_q  <= '0;
      reading_q  <= '0;
      granted_q  <= '0;
    end else if (valid_q) begin
      draining_q <= draining_q || (given_up && granted == '0);
      waiting_q  <= waiting & ~lost_o;
      reading_q  <= reading;
      granted_q  <= granted;
      age_q      <= (age == '0) ? age_q : age;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_o) vl_q <= load_vl_i;
  end

  if (HeaderBits > 0) begin : gen_free_header
    logic [PinBits-1:0] header_q;

    assign routed   = {routed_header_i, routed_sl_i, routed_ports_i};
    assign header_o = header_q;

    always_ff @(posedge clk_i) begin
      if (load_o) header_q <= route[RouteBits-1:NumPorts+polycast_pkg::SlBits];
    end
  end else begin : gen_no_free_header
    logic unused;
    assign unused   = ^routed_header_i;
    assign routed   = {routed_sl_i, routed_ports_i};
    assign header_o = '0;
  end

`ifndef SYNTHESIS
  GrantsWereAwaited:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_i & ~waiting_q) == '0)
    else $error("a grant to a branch that does not wait");
  TailsAreRead: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tail_i & ~(reading_q | gnt_i)) == '0)
    else $error("a tail is read by an output that does not hold the packet");
  DoneIsOver: assert property (@(posedge clk_i) disable iff (!rst_ni)
      done_i |-> valid_q && waiting == '0 && reading == '0)
    else $error("a packet is done, but a branch of it is not");
  DrainHasNoOutputs: assert property (@(posedge clk_i) disable iff (!rst_ni)
      draining_q |-> valid_q && waiting_q == '0 && reading_q == '0)
    else $error("a packet that is dropped has a branch");
  PacketIsRead: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_q |-> draining_q || waiting_q != '0 || reading_q != '0)
    else $error("a packet stays at the front, but nobody reads it");
`endif

endmodule

`default_nettype wire
