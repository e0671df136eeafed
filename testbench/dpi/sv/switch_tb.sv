// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "polycast_bind.svh"

// Ports to hosts 0..3. Registers are written over the pins, where the checker reads them, too.
`POLYCAST_BIND_SWITCH(faulty_switch, "")

module switch_tb;
  localparam int unsigned NumPorts  = 4;
  localparam int unsigned FlitBytes = 4;
  localparam int unsigned FlitBits  = FlitBytes * 8;
  localparam int unsigned Chunks    = 16;

  bit clk = 1'b0, rst_n = 1'b0, on = 1'b0;
  bit cfg_valid = 1'b0;
  bit [31:0] cfg_addr = '0, cfg_data = '0;
  always #5 clk = !clk;

  logic [NumPorts-1:0] valid_in, head_in, tail_in, credit_in, valid_out, head_out, tail_out;
  logic [NumPorts-1:0] credit_out;
  logic [NumPorts*FlitBits-1:0] data_in, data_out;

  faulty_switch #(
    .NumPorts(NumPorts), .FlitBytes(FlitBytes), .NumChunks(Chunks)
  ) i_dut (
    .clk_i(clk), .rst_ni(rst_n), .flit_valid_i(valid_in), .flit_head_i(head_in),
    .flit_tail_i(tail_in), .flit_data_i(data_in), .flit_header_i('0), .credit_o(credit_out),
    .flit_valid_o(valid_out), .flit_head_o(head_out), .flit_tail_o(tail_out),
    .flit_data_o(data_out), .flit_header_o(), .credit_i(credit_in), .cfg_valid_i(cfg_valid),
    .cfg_addr_i(cfg_addr), .cfg_data_i(cfg_data), .error_o(), .idle_o(), .probe_occupied_o(),
    .probe_state_o(), .probe_waiting_o(), .probe_reading_o(), .probe_held_o(), .probe_holder_o(),
    .probe_credits_o(), .probe_corrected_o()
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    traffic #(
      .FlitBytes(FlitBytes), .Unit(4), .Credits(Chunks), .Port(p), .Hosts(NumPorts)
    ) i_traffic (
      .clk_i(clk), .rst_ni(rst_n), .on_i(on), .flit_valid_o(valid_in[p]),
      .flit_head_o(head_in[p]), .flit_tail_o(tail_in[p]), .flit_vc_o(),
      .flit_data_o(data_in[p*FlitBits+:FlitBits]), .credit_i(credit_out[p]), .credit_vc_i('0),
      .flit_valid_i(valid_out[p]), .flit_tail_i(tail_out[p]), .flit_vc_i('0),
      .credit_o(credit_in[p]), .credit_vc_o()
    );
  end

  task automatic write(bit [7:0] region, bit [23:0] index, bit [31:0] data);
    cfg_valid = 1'b1;
    cfg_addr  = {region, index};
    cfg_data  = data;
    @(negedge clk);
  endtask

  task automatic configure();
    write(0, 0, 2);   // route_delay
    write(0, 1, 0);   // arbitration
    write(0, 2, 0);   // selection
    write(0, 3, 64);  // packet_limit
    write(0, 4, 3);   // tree_header_flits
    write(0, 5, 0);   // up_selection
    write(0, 6, 1);   // rewrite
    write(0, 7, 0);   // switch_number
    write(0, 8, '1);  // tree_up_low
    write(0, 9, '1);  // tree_up_high
    write(6, 0, 32'hf);  // reach_total
    for (int unsigned p = 0; p < NumPorts; p++) begin
      write(1, 24'(p), 1);          // port_direction: down
      write(2, 24'(p), Chunks);     // buffer_chunks
      write(3, 24'(p), 6);          // credits
      write(7, 24'(p << 16), 1 << p);  // reach_port
    end
    for (int unsigned host = 0; host < 8; host++)
      for (int unsigned region = 4; region < 6; region++)
        write(8'(region), 24'(host * 2), host < NumPorts ? 1 << host : 0);
    for (int unsigned number = 0; number < 4; number++)
      for (int unsigned region = 8; region < 10; region++) write(8'(region), 24'(number * 2), 0);
    cfg_valid = 1'b0;
    @(negedge clk);
  endtask

  int unsigned cycles;
  initial begin
    if ($value$plusargs("cycles=%d", cycles) == 0) cycles = 20000;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    configure();
    on = 1'b1;
    repeat (cycles) @(negedge clk);
    on = 1'b0;
    repeat (500) @(negedge clk);
    $display("no difference");
    $finish;
  end

endmodule

`default_nettype wire
