// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "polycast_bind.svh"
`POLYCAST_BIND_VL_SWITCH(polycast_vl_switch, "")

/// LIDs 1 to 4 behind ports 1 to 4; odd inputs leave on lane 1. Registers over the pins.
module vl_switch_tb;
  localparam int unsigned NumPorts  = 4;
  localparam int unsigned NumVls    = 2;
  localparam int unsigned FlitBytes = 4;
  localparam int unsigned FlitBits  = FlitBytes * 8;
  localparam int unsigned Chunks    = 16;

  bit clk = 1'b0, rst_n = 1'b0, on = 1'b0;
  bit cfg_valid = 1'b0;
  bit [31:0] cfg_addr = '0, cfg_data = '0;
  always #5 clk = !clk;

  logic [NumPorts-1:0] valid_in, head_in, tail_in, credit_in, valid_out, head_out, tail_out;
  logic [NumPorts-1:0] credit_out;
  logic [NumPorts*4-1:0] vc_in, vc_out, credit_vc_in, credit_vc_out;
  logic [NumPorts*FlitBits-1:0] data_in, data_out;

  polycast_vl_switch #(
    .NumPorts(NumPorts), .NumVls(NumVls), .FlitBytes(FlitBytes), .ChunkFlits(4),
    .NumChunks(Chunks), .MaxLids(8), .MaxGroups(4)
  ) i_dut (
    .clk_i(clk), .rst_ni(rst_n), .flit_valid_i(valid_in), .flit_head_i(head_in),
    .flit_tail_i(tail_in), .flit_vc_i(vc_in), .flit_data_i(data_in), .flit_header_i('0),
    .credit_o(credit_out), .credit_vc_o(credit_vc_out), .flit_valid_o(valid_out),
    .flit_head_o(head_out), .flit_tail_o(tail_out), .flit_vc_o(vc_out), .flit_data_o(data_out),
    .flit_header_o(), .credit_i(credit_in), .credit_vc_i(credit_vc_in), .cfg_valid_i(cfg_valid),
    .cfg_addr_i(cfg_addr), .cfg_data_i(cfg_data), .error_o(), .xmit_wait_o(), .idle_o(),
    .probe_occupied_o(), .probe_state_o(), .probe_waiting_o(), .probe_reading_o(),
    .probe_held_o(), .probe_holder_o(), .probe_credits_o()
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    traffic #(
      .FlitBytes(FlitBytes), .NumVcs(NumVls), .Unit(4), .Credits(Chunks), .Port(p), .Hosts(4),
      .Kind(6)
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
    write(0, 0, 2);    // route_delay
    write(0, 1, 0);    // arbitration
    write(0, 3, 16);   // packet_limit
    write(0, 19, 0);   // hoq_life
    write(0, 20, 0);   // vl_policy
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned vl = 0; vl < NumVls; vl++) begin
        write(15, 24'(p << 8 | vl), Chunks);  // vl_chunks
        write(16, 24'(p << 8 | vl), 6);       // vl_credits
      end
      for (int unsigned out = 0; out < NumPorts; out++)
        for (int unsigned half = 0; half < 2; half++)  // sl2vl
          write(19, 24'(p << 9 | out << 1 | half), p % 2 == 0 ? '0 : 32'h11111111);
    end
    for (int unsigned lid = 0; lid < 8; lid++)  // lft
      write(17, 24'(lid), lid >= 1 && lid <= NumPorts ? lid : 255);
    for (int unsigned word = 0; word < 8; word++) write(18, 24'(word), 0);  // mft
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
