// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "polycast_bind.svh"
`POLYCAST_BIND_BROADCAST(polycast_broadcast_router, "")

/// Node 5 of a mesh of 4 x 4. Its host sends one pipelined broadcast after the other; its
/// neighbours have what it has some time later, and send other packets. Registers over the pins.
module broadcast_tb;
  localparam int unsigned NumPorts  = 5;
  localparam int unsigned Host      = 4;
  localparam int unsigned NumVcs    = 2;
  localparam int unsigned NumSlots  = 8;
  localparam int unsigned FlitBytes = 16;
  localparam int unsigned FlitBits  = FlitBytes * 8;
  localparam int unsigned VcFlits   = 8;
  localparam int unsigned Inject    = 8;
  localparam int unsigned Delay     = 24;

  bit clk = 1'b0, rst_n = 1'b0, on = 1'b0;
  bit cfg_valid = 1'b0;
  bit [31:0] cfg_addr = '0, cfg_data = '0;
  always #5 clk = !clk;

  logic [NumPorts-1:0] valid_in, head_in, tail_in, credit_in, valid_out, head_out, tail_out;
  logic [NumPorts-1:0] credit_out;
  logic [NumPorts*4-1:0] vc_in, vc_out, credit_vc_in, credit_vc_out;
  logic [NumPorts*FlitBits-1:0] data_in, data_out;
  logic [NumSlots-1:0] have;
  logic [1:0] round_of_unit;
  bit [Delay-1:0][NumSlots+1:0] mirror_q;

  always_ff @(posedge clk) mirror_q <= {mirror_q[Delay-2:0], {round_of_unit, have}};

  polycast_broadcast_router #(
    .NumPorts(NumPorts), .NumVcs(NumVcs), .VcFlits(VcFlits), .FlitBytes(FlitBytes), .Radix(4),
    .NumSlots(NumSlots), .InjectFlits(Inject)
  ) i_dut (
    .clk_i(clk), .rst_ni(rst_n), .flit_valid_i(valid_in), .flit_head_i(head_in),
    .flit_tail_i(tail_in), .flit_vc_i(vc_in), .flit_data_i(data_in), .flit_header_i('0),
    .credit_o(credit_out), .credit_vc_o(credit_vc_out), .flit_valid_o(valid_out),
    .flit_head_o(head_out), .flit_tail_o(tail_out), .flit_vc_o(vc_out), .flit_data_o(data_out),
    .flit_header_o(), .credit_i(credit_in), .credit_vc_i(credit_vc_in), .side_have_o(have),
    .side_round_o(round_of_unit), .side_have_i({NumPorts{mirror_q[Delay-1][NumSlots-1:0]}}),
    .side_round_i({NumPorts{mirror_q[Delay-1][NumSlots+:2]}}), .cfg_valid_i(cfg_valid),
    .cfg_addr_i(cfg_addr), .cfg_data_i(cfg_data), .error_o(), .event_valid_o(), .event_code_o(),
    .event_packet_o(), .idle_o(), .probe_occupied_o(), .probe_state_o(), .probe_waiting_o(),
    .probe_reading_o(), .probe_held_o(), .probe_holder_o(), .probe_credits_o()
  );

  for (genvar p = 0; p < Host; p++) begin : gen_port
    traffic #(
      .FlitBytes(FlitBytes), .NumVcs(NumVcs), .Credits(VcFlits), .Port(p), .Hosts(16)
    ) i_traffic (
      .clk_i(clk), .rst_ni(rst_n), .on_i(on), .flit_valid_o(valid_in[p]),
      .flit_head_o(head_in[p]), .flit_tail_o(tail_in[p]), .flit_vc_o(vc_in[p*4+:4]),
      .flit_data_o(data_in[p*FlitBits+:FlitBits]), .credit_i(credit_out[p]),
      .credit_vc_i(credit_vc_out[p*4+:4]), .flit_valid_i(valid_out[p]),
      .flit_tail_i(tail_out[p]), .flit_vc_i(vc_out[p*4+:4]), .credit_o(credit_in[p]),
      .credit_vc_o(credit_vc_in[p*4+:4])
    );
  end

  // The host: 4 packets of 3 flits in each round, then a pause in which the round ends.
  int unsigned credits, packet, index, round, pause, broadcasts;
  int unsigned owed[NumVcs+1];
  bit [FlitBits-1:0] header;
  always_comb begin
    header         = '0;
    header[3:0]    = 4'd5;
    header[31:8]   = 24'd5;
    header[63:32]  = round * 4 + packet;
    header[79:64]  = 16'd16;
    header[87:80]  = 8'(packet);
    header[95:88]  = 8'd3;
    header[99:96]  = 4'(packet % 2);
    header[103:100] = 4'(round);
  end
  initial begin
    credits = Inject;
    foreach (owed[v]) owed[v] = 0;
    {packet, index, round, pause, broadcasts} = '0;
  end
  always @(posedge clk) begin
    valid_in[Host]  <= 1'b0;
    head_in[Host]   <= 1'b0;
    tail_in[Host]   <= 1'b0;
    vc_in[Host*4+:4] <= '0;
    data_in[Host*FlitBits+:FlitBits] <= '0;
    credit_in[Host] <= 1'b0;
    credit_vc_in[Host*4+:4] <= '0;
    if (credit_out[Host]) credits++;
    if (pause != 0) begin
      pause--;
    end else if (on && credits != 0 && $urandom_range(3) != 0) begin
      credits--;
      valid_in[Host]   <= 1'b1;
      head_in[Host]    <= index == 0;
      tail_in[Host]    <= index == 2;
      vc_in[Host*4+:4] <= 4'(NumVcs);
      data_in[Host*FlitBits+:FlitBits] <= index == 0 ? header : {4{$urandom}};
      index = index == 2 ? 0 : index + 1;
      if (index == 0) packet++;
      if (packet == 4) begin
        packet = 0;
        round  = (round + 1) % 16;
        pause  = 300;
        broadcasts++;
      end
    end
    if (valid_out[Host]) owed[int'(vc_out[Host*4+:4])]++;
    for (int unsigned v = 0; v <= NumVcs; v++) begin
      if (owed[v] != 0) begin
        owed[v]--;
        credit_in[Host]         <= 1'b1;
        credit_vc_in[Host*4+:4] <= 4'(v);
        break;
      end
    end
  end

  task automatic write(bit [7:0] region, bit [23:0] register, bit [31:0] data);
    cfg_valid = 1'b1;
    cfg_addr  = {region, register};
    cfg_data  = data;
    @(negedge clk);
  endtask

  task automatic configure();
    write(0, 0, 1);    // route_delay
    write(0, 3, 64);   // packet_limit
    write(0, 10, 5);   // node
    write(0, 11, 0);   // wrap
    write(0, 12, 0);   // table
    write(0, 13, 0);   // allocator
    write(0, 14, 1);   // iterations
    write(0, 15, 1);   // reserve
    write(0, 16, 0);   // policy
    for (int unsigned p = 0; p < NumPorts; p++) write(3, 24'(p), 6);     // credits
    for (int unsigned set = 0; set < 16; set++) write(10, 24'(set), 3);  // vc_set
    write(12, 0, 3);     // dims
    write(12, 1, 0);     // algorithm
    write(12, 2, 1);     // maps
    write(12, 3, 0);     // reverse
    write(12, 4, 15);    // open
    write(12, 5, 8);     // host_credits
    write(12, 6, 0);     // relay_reverse
    for (int unsigned p = 0; p < NumPorts; p++)  // neighbour
      write(13, 24'(p), p == Host ? 0 : (p / 2) << 16 | (p % 2 == 0 ? 2 : 0));
    cfg_valid = 1'b0;
    @(negedge clk);
  endtask

  int unsigned cycles;
  initial begin
    if ($value$plusargs("cycles=%d", cycles) == 0) cycles = 5000;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    configure();
    on = 1'b1;
    repeat (cycles) @(negedge clk);
    if (broadcasts < 2) $fatal(1, "there were no broadcasts");
    $display("no difference");
    $finish;
  end

endmodule

`default_nettype wire
