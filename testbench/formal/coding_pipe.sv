// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_coding_pipe against a plain chain of stages that move as one: what comes out, and
/// whether it is empty, for any number of stages and any pauses.
module harness #(
  parameter int unsigned MaxLatency = 3
) (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       move_i,
  input wire logic       valid_i,
  input wire logic [1:0] data_i
);

  (* anyconst *) logic [1:0] latency;

  logic                    valid, empty;
  logic [1:0]              data;
  logic [MaxLatency-1:0]   stage_q;
  logic [2*MaxLatency-1:0] word_q;

  polycast_coding_pipe #(.MaxLatency(MaxLatency), .Width(2)) dut (
    .clk_i, .rst_ni, .latency_i(latency), .latency_we_i(1'b0), .move_i, .valid_i, .data_i,
    .valid_o(valid),
    .data_o(data), .empty_o(empty)
  );

  (* probe = "dut.gen_ring.mem_q", words = "MaxLatency" *) wire [2*MaxLatency-1:0] ring;
  (* probe = "dut.gen_ring.valid_q" *) wire [MaxLatency-1:0] ring_valid;
  (* probe = "dut.gen_ring.place_q" *) wire [1:0] place;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  // Stage 0 is the last one.
  always_ff @(posedge clk_i) begin
    if (move_i) begin
      for (int unsigned s = 0; s < MaxLatency; s++) begin
        if (s + 1 < 32'(latency)) begin
          stage_q[s]      <= stage_q[(s+1)%MaxLatency];
          word_q[2*s+:2]  <= word_q[(s+1)%MaxLatency*2+:2];
        end else if (s + 1 == 32'(latency)) begin
          stage_q[s]      <= valid_i;
          word_q[2*s+:2]  <= data_i;
        end
      end
    end
    if (!rst_ni) stage_q <= '0;
  end

  logic [2:0] at;
  always_comb begin
    at = '0;
    if (first_q) assume (!rst_ni);
    if (!first_q && rst_ni) begin
      if (latency == '0) assert (valid == valid_i && data == data_i && empty);
      else begin
        assert (valid == stage_q[0]);
        if (valid) assert (data == word_q[1:0]);
        assert (empty == (stage_q == '0));
      end

      // What holds the induction together: the ring from its place on is the chain.
      assert (latency == '0 ? place == '0 : place < latency);
      for (int unsigned s = 0; s < MaxLatency; s++) begin
        at = 3'(place) + 3'(s);
        if (at >= 3'(latency)) at = at - 3'(latency);
        if (s < 32'(latency)) begin
          assert (ring_valid[at[1:0]] == stage_q[s]);
          if (stage_q[s]) assert (ring[32'(at[1:0])*2+:2] == word_q[2*s+:2]);
        end else begin
          assert (!ring_valid[s] && !stage_q[s]);
        end
      end

      cover (stage_q == '1 && place == 2'd1 && !move_i);
      cover (latency == 2'd2 && stage_q[1:0] == 2'b01);
    end
  end

endmodule

`default_nettype wire
