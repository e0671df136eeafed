// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_route_delay: what goes in comes out delay - 1 cycles later, unchanged, for every delay;
/// nothing else comes out.
module harness #(
  parameter int unsigned Width     = 2,
  parameter int unsigned DelayBits = 2
) (
  input wire logic             clk_i,
  input wire logic             rst_ni,
  input wire logic             valid_i,
  input wire logic [Width-1:0] data_i
);

  localparam int unsigned Most = (1 << DelayBits) - 1;

  (* anyconst *) logic [DelayBits-1:0] delay;
  logic                                valid, empty;
  logic [Width-1:0]                    data;

  polycast_route_delay #(.Width(Width), .DelayBits(DelayBits)) dut (
    .clk_i, .rst_ni, .delay_i(delay), .valid_i, .data_i, .valid_o(valid), .data_o(data),
    .empty_o(empty)
  );

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (delay != '0);
  end

  // The cycles before: word k is what went in k cycles ago.
  logic [(Most+1)*(Width+1)-1:0] past;
  logic [Most*(Width+1)-1:0]     past_q;
  assign past = {past_q, rst_ni && valid_i, data_i};
  always_ff @(posedge clk_i) past_q <= rst_ni ? past[Most*(Width+1)-1:0] : '0;

  logic [Width:0] due;
  logic           on_its_way;
  always_comb begin
    due        = '0;
    on_its_way = 1'b0;
    for (int unsigned k = 0; k < Most; k++) begin
      if (delay == DelayBits'(k + 1)) due = past[k*(Width+1)+:Width+1];
      if (k != 0 && DelayBits'(k) < delay && past[k*(Width+1)+Width]) on_its_way = 1'b1;
    end
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      assert (valid == due[Width]);
      if (valid) assert (data == due[Width-1:0]);
      assert (empty == !on_its_way);
      cover (valid && valid_i && delay == '1 && on_its_way);
      cover (valid && delay == DelayBits'(1));
    end
  end

endmodule

`default_nettype wire
