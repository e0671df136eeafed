// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_stream_source and polycast_stream_sink, one behind the other, with a register for the
/// wire each way: for any stream and any reader, every transfer comes out once, in the order of its
/// channel, unchanged, with its packet's end and its header; what is offered stays until it is
/// taken; the credits fit. One transfer, of any channel, is followed on its way.
module harness #(
  parameter int unsigned NumVcs     = 2,
  parameter int unsigned ChunkFlits = 2,
  parameter int unsigned NumChunks  = 2
) (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       valid_i,
  input wire logic       ready_i,
  input wire logic       follow_i,
  input wire logic       last_i,
  input wire logic       user_i,
  input wire logic [3:0] dest_i,
  input wire logic [7:0] data_i
);

  localparam int unsigned Bits = $clog2(NumChunks * ChunkFlits + 4) + 1;

  logic       ready, flit_valid, flit_head, flit_tail, flit_header, credit, source_error, source_idle;
  logic       valid, last, user, sink_error, sink_idle;
  logic [3:0] flit_vc, credit_vc, dest;
  logic [7:0] flit_data, data;

  // The wires.
  logic       wire_valid_q, wire_head_q, wire_tail_q, wire_header_q, wire_credit_q;
  logic [3:0] wire_vc_q, wire_credit_vc_q;
  logic [7:0] wire_data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wire_valid_q  <= 1'b0;
      wire_credit_q <= 1'b0;
    end else begin
      wire_valid_q  <= flit_valid;
      wire_credit_q <= credit;
    end
  end
  always_ff @(posedge clk_i) begin
    wire_head_q      <= flit_head;
    wire_tail_q      <= flit_tail;
    wire_header_q    <= flit_header;
    wire_vc_q        <= flit_vc;
    wire_data_q      <= flit_data;
    wire_credit_vc_q <= credit_vc;
  end

  polycast_stream_source #(
    .NumVcs(NumVcs), .ChunkFlits(ChunkFlits), .CreditBits(4)
  ) i_source (
    .clk_i, .rst_ni, .credits_i(4'(NumChunks)),
    .tvalid_i(valid_i), .tready_o(ready), .tdata_i(data_i), .tlast_i(last_i), .tuser_i(user_i),
    .tdest_i(dest_i),
    .flit_valid_o(flit_valid), .flit_head_o(flit_head), .flit_tail_o(flit_tail),
    .flit_vc_o(flit_vc), .flit_data_o(flit_data), .flit_header_o(flit_header),
    .credit_i(wire_credit_q), .credit_vc_i(wire_credit_vc_q), .error_o(source_error),
    .idle_o(source_idle)
  );

  polycast_stream_sink #(
    .NumVcs(NumVcs), .ChunkFlits(ChunkFlits), .NumChunks(NumChunks)
  ) i_sink (
    .clk_i, .rst_ni,
    .flit_valid_i(wire_valid_q), .flit_head_i(wire_head_q), .flit_tail_i(wire_tail_q),
    .flit_vc_i(wire_vc_q), .flit_data_i(wire_data_q), .flit_header_i(wire_header_q),
    .credit_o(credit), .credit_vc_o(credit_vc),
    .tvalid_o(valid), .tready_i(ready_i), .tdata_o(data), .tlast_o(last), .tuser_o(user),
    .tdest_o(dest), .error_o(sink_error), .idle_o(sink_idle)
  );

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (NumVcs > 1) assume (32'(dest_i) < NumVcs);
    else assume (dest_i == '0);
  end

  // Transfers on their way in each channel; the followed one: those before it, and what it says.
  logic [NumVcs*Bits-1:0] under_way_q;
  logic [NumVcs-1:0]      inside_q;
  logic                   following_q, followed_last_q, followed_user_q, taken, given, begins;
  logic [Bits-1:0]        ahead_q, before;
  logic [3:0]             followed_dest_q;
  logic [7:0]             followed_data_q;

  assign taken = valid_i && ready;
  assign given = valid && ready_i;

  always_comb begin
    before = '0;
    begins = 1'b0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (dest_i == 4'(v)) before = under_way_q[v*Bits+:Bits];
      if (dest_i == 4'(v)) begins = !inside_q[v];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVcs; v++) begin
      under_way_q[v*Bits+:Bits] <= under_way_q[v*Bits+:Bits] +
          Bits'(taken && dest_i == 4'(v)) - Bits'(given && dest == 4'(v));
      if (taken && dest_i == 4'(v)) inside_q[v] <= !last_i;
    end
    if (following_q) begin
      if (given && dest == followed_dest_q) begin
        ahead_q <= ahead_q - 1'b1;
        if (ahead_q == '0) following_q <= 1'b0;
      end
    end else if (taken && follow_i) begin
      following_q     <= 1'b1;
      ahead_q         <= before - Bits'(given && dest == dest_i);
      followed_last_q <= last_i;
      followed_user_q <= user_i && begins;
      followed_dest_q <= dest_i;
      followed_data_q <= data_i;
    end
    if (!rst_ni) begin
      under_way_q <= '0;
      inside_q    <= '0;
      following_q <= 1'b0;
    end
  end

  // What is offered in the cycle before, and was not taken.
  logic        stays_q;
  logic [13:0] offered_q;
  always_ff @(posedge clk_i) begin
    stays_q   <= rst_ni && valid && !ready_i;
    offered_q <= {last, user, dest, data};
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      assert (!source_error && !sink_error);
      if (stays_q) assert (valid && {last, user, dest, data} == offered_q);
      if (valid) begin
        assert (32'(dest) < NumVcs);
        for (int unsigned v = 0; v < NumVcs; v++) begin
          if (dest == 4'(v)) assert (under_way_q[v*Bits+:Bits] != '0);
        end
      end else assert ({last, user, dest, data} == '0);
      if (following_q && ahead_q == '0 && valid && dest == followed_dest_q)
        assert (last == followed_last_q && user == followed_user_q && data == followed_data_q);
      // Nothing is left behind: idle ends exactly with the last credit.
      if (source_idle) assert (under_way_q == '0 && inside_q == '0);
      cover (following_q && ahead_q == Bits'(2) && followed_last_q);
      cover (following_q && ahead_q == '0 && given && dest == followed_dest_q && user && !last);
      cover (valid_i && !ready);
    end
  end

endmodule

`default_nettype wire
