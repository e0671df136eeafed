// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "polycast_bind.svh"
`POLYCAST_BIND_LINK_END(polycast_link_end, "")

/// Two ends with a wire of one cycle in each direction, on which bits flip now and then.
module link_end_tb;
  localparam int unsigned NumVcs    = 2;
  localparam int unsigned FlitBytes = 16;
  localparam int unsigned FlitBits  = FlitBytes * 8;
  localparam int unsigned WireBits  = FlitBits + 9;
  localparam int unsigned Credits   = 8;

  bit clk = 1'b0, rst_n = 1'b0, on = 1'b0;
  bit cfg_valid = 1'b0;
  bit [31:0] cfg_addr = '0, cfg_data = '0;
  always #5 clk = !clk;

  logic [1:0] valid_in, head_in, tail_in, credit_in, valid_out, head_out, tail_out, credit_out;
  logic [1:0][3:0] vc_in, vc_out, credit_vc_in, credit_vc_out;
  logic [1:0][FlitBits-1:0] data_in, data_out;
  logic [1:0][WireBits-1:0] sent, wire_q;

  always_ff @(posedge clk) begin
    wire_q <= sent;
    for (int unsigned e = 0; e < 2; e++) begin
      if (on && $urandom_range(199) == 0) begin
        wire_q[e] <= sent[e] ^ (WireBits'(1) << $urandom_range(WireBits - 1));
      end
    end
  end

  for (genvar e = 0; e < 2; e++) begin : gen_end
    polycast_link_end #(
      .NumVcs(NumVcs), .FlitBytes(FlitBytes)
    ) i_dut (
      .clk_i(clk), .rst_ni(rst_n), .flit_valid_i(valid_in[e]), .flit_head_i(head_in[e]),
      .flit_tail_i(tail_in[e]), .flit_vc_i(vc_in[e]), .flit_data_i(data_in[e]),
      .flit_header_i('0), .credit_o(credit_out[e]), .credit_vc_o(credit_vc_out[e]),
      .flit_valid_o(valid_out[e]), .flit_head_o(head_out[e]), .flit_tail_o(tail_out[e]),
      .flit_vc_o(vc_out[e]), .flit_data_o(data_out[e]), .flit_header_o(),
      .credit_i(credit_in[e]), .credit_vc_i(credit_vc_in[e]), .wire_i(wire_q[1-e]),
      .signal_i(1'b1), .wire_o(sent[e]), .cfg_valid_i(cfg_valid), .cfg_addr_i(cfg_addr),
      .cfg_data_i(cfg_data), .error_o(), .idle_o(), .probe_tx_o(), .probe_counted_o(),
      .probe_rx_o(), .probe_cause_o(), .probe_next_o(), .probe_expected_o(),
      .probe_outstanding_o(), .probe_ring_o(), .probe_replays_o(), .probe_timer_on_o(),
      .probe_timer_o(), .probe_s_cc_o(), .probe_s_cf_o(), .probe_r_cc_o(), .probe_r_cf_o(),
      .probe_waits_o(), .probe_holds_o(), .counts_o()
    );
    traffic #(
      .FlitBytes(FlitBytes), .NumVcs(NumVcs), .Credits(Credits), .Port(e), .Hosts(2)
    ) i_traffic (
      .clk_i(clk), .rst_ni(rst_n), .on_i(on), .flit_valid_o(valid_in[e]),
      .flit_head_o(head_in[e]), .flit_tail_o(tail_in[e]), .flit_vc_o(vc_in[e]),
      .flit_data_o(data_in[e]), .credit_i(credit_out[e]), .credit_vc_i(credit_vc_out[e]),
      .flit_valid_i(valid_out[e]), .flit_tail_i(tail_out[e]), .flit_vc_i(vc_out[e]),
      .credit_o(credit_in[e]), .credit_vc_o(credit_vc_in[e])
    );
  end

  task automatic write(bit [7:0] region, bit [23:0] index, bit [31:0] data);
    cfg_valid = 1'b1;
    cfg_addr  = {region, index};
    cfg_data  = data;
    @(negedge clk);
  endtask

  task automatic configure();
    for (int unsigned vc = 0; vc < NumVcs; vc++) begin
      write(1, 24'(vc), Credits);  // far_credits
      write(2, 24'(vc), Credits);  // own_credits
    end
    write(0, 1, 8);      // frame
    write(0, 2, 19);     // window
    write(0, 3, 152);    // window_flits
    write(0, 4, 200);    // replay_timer
    write(0, 5, 8);      // replay_count
    write(0, 6, 16);     // ack_spacing
    write(0, 7, 8);      // credit_spacing
    write(0, 8, 1000);   // credit_timer
    write(0, 9, 4000);   // signal_timeout
    write(0, 10, 0);     // age_timeout
    write(0, 11, 0);     // lifetime
    write(0, 12, 0);     // init_action
    write(0, 13, 1);     // flush_action
    write(0, 14, 1);     // reinit
    write(0, 16, 1);     // far_unit
    write(0, 18, 16);    // ring
    write(0, 17, 1);     // own_unit
    write(0, 0, 2);      // layer: retry, from the next cycle on
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
    repeat (20) @(negedge clk);
    on = 1'b1;
    repeat (cycles) @(negedge clk);
    $display("no difference");
    $finish;
  end

endmodule

`default_nettype wire
