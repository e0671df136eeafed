// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "polycast_bind.svh"
`POLYCAST_BIND_CODING(polycast_coding, "")

/// Operands for a context that encodes and for one that is off, some of them twice, too high, or
/// with a wrong check word. Registers over the pins.
module coding_tb;
  localparam int unsigned NumVcs    = 2;
  localparam int unsigned FlitBytes = 16;
  localparam int unsigned FlitBits  = FlitBytes * 8;
  localparam int unsigned VcFlits   = 8;
  localparam int unsigned MostBytes = 40;
  localparam int unsigned MostFlits = 1 + (24 + MostBytes + 4 + FlitBytes - 1) / FlitBytes;

  bit clk = 1'b0, rst_n = 1'b0, on = 1'b0;
  bit cfg_valid = 1'b0;
  bit [31:0] cfg_addr = '0, cfg_data = '0;
  always #5 clk = !clk;

  bit valid_in, head_in, tail_in, credit_in;
  bit [3:0] vc_in, credit_vc_in;
  bit [FlitBits-1:0] data_in;
  logic valid_out, head_out, tail_out, credit_out;
  logic [3:0] vc_out, credit_vc_out;
  logic [FlitBits-1:0] data_out;
  logic [2:0] event_valid;

  polycast_coding #(
    .NumVcs(NumVcs), .VcFlits(VcFlits), .FlitBytes(FlitBytes), .NumContexts(4), .NumSlots(8),
    .NumIndices(8), .NumDestinations(4), .MaxLatency(4)
  ) i_dut (
    .clk_i(clk), .rst_ni(rst_n), .flit_valid_i(valid_in), .flit_head_i(head_in),
    .flit_tail_i(tail_in), .flit_vc_i(vc_in), .flit_data_i(data_in), .flit_header_i('0),
    .credit_o(credit_out), .credit_vc_o(credit_vc_out), .flit_valid_o(valid_out),
    .flit_head_o(head_out), .flit_tail_o(tail_out), .flit_vc_o(vc_out), .flit_data_o(data_out),
    .flit_header_o(), .credit_i(credit_in), .credit_vc_i(credit_vc_in), .cfg_valid_i(cfg_valid),
    .cfg_addr_i(cfg_addr), .cfg_data_i(cfg_data), .error_o(), .event_valid_o(event_valid),
    .event_code_o(), .event_context_o(), .event_index_o(), .event_source_o(), .idle_o(),
    .probe_occupied_o(), .probe_state_o(), .probe_held_o(), .probe_credits_o()
  );

  typedef bit [MostFlits*FlitBits-1:0] packet_t;

  /// CRC-32C (hw/format/check_word.md), without what may change on the way.
  function automatic bit [31:0] check_of(packet_t packet, int unsigned length);
    bit [31:0] crc = '1;
    for (int unsigned b = 0; b < 10 + 24 + length; b++) begin
      bit [7:0] data = b < 10 ? packet[b*8+:8] : packet[(FlitBytes+b-10)*8+:8];
      if (b == 0) data[4] = 1'b0;              // up
      if (b == 10 + 6 || b == 10 + 7) data = '0;  // hops
      crc ^= 32'(data);
      for (int unsigned k = 0; k < 8; k++) crc = crc[0] ? (crc >> 1) ^ 32'h82f63b78 : crc >> 1;
    end
    return ~crc;
  endfunction

  function automatic packet_t operand(int unsigned number, int unsigned length);
    packet_t p = '0;
    localparam int unsigned Transport = FlitBits;
    p[31:8]  = 24'($urandom_range(3));
    p[63:32] = number;
    p[79:64] = 16'(length);
    p[Transport+:4]      = 4'd2;  // op
    p[Transport+32+:16]  = 16'($urandom_range(9) == 0);  // group
    p[Transport+160+:32] = $urandom_range(4);  // tag
    for (int unsigned b = 0; b < length; b++) p[Transport+(24+b)*8+:8] = 8'($urandom);
    p[Transport+(24+length)*8+:32] = check_of(p, length);
    if ($urandom_range(9) == 0) p[Transport+24*8+:8] = ~p[Transport+24*8+:8];
    return p;
  endfunction

  int unsigned credits[NumVcs], owed[NumVcs];
  int unsigned vc, index, flits, number, events, sent;
  packet_t packet;
  initial begin
    foreach (credits[v]) credits[v] = VcFlits;
    foreach (owed[v]) owed[v] = 0;
  end
  always @(posedge clk) begin
    valid_in  <= 1'b0;
    head_in   <= 1'b0;
    tail_in   <= 1'b0;
    vc_in     <= '0;
    data_in   <= '0;
    credit_in <= 1'b0;
    if (credit_out) credits[int'(credit_vc_out)]++;
    if (on && flits == 0) begin
      automatic int unsigned length = $urandom_range(9) == 0 ? MostBytes : 20;
      packet = operand(number, length);
      vc     = $urandom_range(NumVcs - 1);
      index  = 0;
      flits  = 1 + (24 + length + 4 + FlitBytes - 1) / FlitBytes;
      number++;
    end
    if (flits != 0 && credits[vc] != 0 && $urandom_range(3) != 0) begin
      credits[vc]--;
      valid_in <= 1'b1;
      head_in  <= index == 0;
      tail_in  <= index == flits - 1;
      vc_in    <= 4'(vc);
      data_in  <= packet[index*FlitBits+:FlitBits];
      index++;
      if (index == flits) flits = 0;
    end
    if (valid_out) begin
      owed[int'(vc_out)]++;
      sent++;
    end
    if (event_valid != '0) events++;
    if ($urandom_range(1) == 0) begin
      automatic int unsigned from = $urandom_range(NumVcs - 1);
      if (owed[from] != 0) begin
        owed[from]--;
        credit_in    <= 1'b1;
        credit_vc_in <= 4'(from);
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
    write(0, 0, 77);   // number
    write(0, 1, 2);    // latency
    write(0, 2, 150);  // patience
    write(0, 3, 8);    // credits
    write(0, 4, 1);    // reserve
    write(0, 5, 32);   // packet_limit
    for (int unsigned set = 0; set < 8; set++) write(1, 24'(set), 3);
    for (int unsigned entry = 0; entry < 4; entry++) write(3, 24'(entry), 10 + entry);
    for (int unsigned context_ = 0; context_ < 4; context_++)
      for (int unsigned which = 0; which < 12; which++) write(2, 24'(context_ << 4 | which), 0);
    write(2, 0, 1);  // mode: encode
    write(2, 1, 4);  // count
    write(2, 3, 2);  // destination_count
    write(2, 4, 2);  // op
    write(2, 8, 5);  // group
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
    if (sent == 0 || events == 0) $fatal(1, "nothing was coded, or nothing was wrong");
    $display("no difference");
    $finish;
  end

endmodule

`default_nettype wire
