// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "polycast_bind.svh"
`POLYCAST_BIND_ROUTER(polycast_router, "")

/// Node 5 of a mesh of 4 x 4, one host, registers over the pins.
module router_tb;
  localparam int unsigned NumPorts  = 5;
  localparam int unsigned NumVcs    = 2;
  localparam int unsigned FlitBytes = 16;
  localparam int unsigned FlitBits  = FlitBytes * 8;
  localparam int unsigned VcFlits   = 8;

  bit clk = 1'b0, rst_n = 1'b0, on = 1'b0;
  bit cfg_valid = 1'b0;
  bit [31:0] cfg_addr = '0, cfg_data = '0;
  always #5 clk = !clk;

  logic [NumPorts-1:0] valid_in, head_in, tail_in, credit_in, valid_out, head_out, tail_out;
  logic [NumPorts-1:0] credit_out;
  logic [NumPorts*4-1:0] vc_in, vc_out, credit_vc_in, credit_vc_out;
  logic [NumPorts*FlitBits-1:0] data_in, data_out;

  polycast_router #(
    .NumPorts(NumPorts), .NumVcs(NumVcs), .VcFlits(VcFlits), .FlitBytes(FlitBytes), .Radix(4)
  ) i_dut (
    .clk_i(clk), .rst_ni(rst_n), .flit_valid_i(valid_in), .flit_head_i(head_in),
    .flit_tail_i(tail_in), .flit_vc_i(vc_in), .flit_data_i(data_in), .flit_header_i('0),
    .credit_o(credit_out), .credit_vc_o(credit_vc_out), .flit_valid_o(valid_out),
    .flit_head_o(head_out), .flit_tail_o(tail_out), .flit_vc_o(vc_out), .flit_data_o(data_out),
    .flit_header_o(), .credit_i(credit_in), .credit_vc_i(credit_vc_in), .next_valid_o(),
    .next_credit_o(), .cfg_valid_i(cfg_valid), .cfg_addr_i(cfg_addr), .cfg_data_i(cfg_data),
    .error_o(), .idle_o(), .probe_occupied_o(), .probe_state_o(), .probe_waiting_o(),
    .probe_reading_o(), .probe_held_o(), .probe_holder_o(), .probe_credits_o(),
    .probe_corrected_o()
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
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

  task automatic write(bit [7:0] region, bit [23:0] index, bit [31:0] data);
    cfg_valid = 1'b1;
    cfg_addr  = {region, index};
    cfg_data  = data;
    @(negedge clk);
  endtask

  task automatic configure();
    write(0, 0, 1);    // route_delay
    write(0, 3, 64);   // packet_limit
    write(0, 10, 5);   // node
    write(0, 11, 0);   // wrap
    write(0, 12, 0);   // table
    write(0, 13, 1);   // allocator
    write(0, 14, 2);   // iterations
    write(0, 15, 1);   // reserve
    write(0, 16, 0);   // policy
    for (int unsigned p = 0; p < NumPorts; p++) write(3, 24'(p), 6);    // credits
    for (int unsigned set = 0; set < 16; set++) write(10, 24'(set), 3);  // vc_set
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
    $display("no difference");
    $finish;
  end

endmodule

`default_nettype wire
