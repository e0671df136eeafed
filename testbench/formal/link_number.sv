// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_link_number, with up to two of its stored bits flipped in any cycle, whatever is
/// written: SECDED corrects one flip, so that the counter is what was written before. What cannot
/// be corrected is told once; the counter is then 0 until it is cleared.
module harness #(
  parameter int unsigned Protection = 2,
  parameter int unsigned CheckBits  = Protection == 1 ? 3 : 7
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [19:0] next_i,
  input wire logic        clear_i,
  // How many bits flip, and which.
  input wire logic [1:0]  flips_i,
  input wire logic [4:0]  first_i,
  input wire logic [4:0]  second_i
);

  localparam int unsigned StoredBits = 20 + CheckBits;

  logic [19:0] value;
  logic        lost, corrected, failed;

  polycast_link_number #(.Protection(Protection), .Upsets(1'b1)) dut (
    .clk_i, .rst_ni, .next_i, .clear_i, .upset_i(27'(flips)),
    .value_o(value), .lost_o(lost), .corrected_o(corrected), .failed_o(failed)
  );

  (* probe = "dut.stored_q" *) wire [StoredBits-1:0] stored;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  // What should be there, and what flipped behind it.
  logic [19:0]           truth_q;
  logic [1:0]            flips_q;
  logic [4:0]            first_bit_q, second_bit_q;
  logic [StoredBits-1:0] flips, flipped, coded;
  logic                  lost_q, wrong;

  always_comb begin
    flips   = '0;
    flipped = '0;
    if (flips_i != 2'd0) flips[first_i] = 1'b1;
    if (flips_i == 2'd2) flips[second_i] = 1'b1;
    if (flips_q != 2'd0) flipped[first_bit_q] = 1'b1;
    if (flips_q == 2'd2) flipped[second_bit_q] = 1'b1;
  end

  polycast_memory_encode #(.Width(20), .Protection(Protection)) i_encode (
    .data_i(truth_q), .stored_o(coded)
  );

  // Parity does not see two flips of a byte and its check bit.
  logic [2:0] odd;
  for (genvar b = 0; b < 3; b++) begin : gen_byte
    localparam int unsigned Bits = b == 2 ? 4 : 8;
    assign odd[b] = ^flipped[8*b+:Bits] ^ flipped[20+b];
  end
  assign wrong = Protection == 1 ? odd != '0 : flips_q == 2'd2;

  always_ff @(posedge clk_i) begin
    flips_q      <= flips_i;
    first_bit_q  <= first_i;
    second_bit_q <= second_i;
    truth_q      <= lost || clear_i ? '0 : next_i;
    lost_q       <= (lost_q || wrong) && !clear_i;
    if (!rst_ni) begin
      flips_q <= '0;
      truth_q <= '0;
      lost_q  <= 1'b0;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (flips_i != 2'd3 && first_i != second_i);
    assume (32'(first_i) < StoredBits && 32'(second_i) < StoredBits);
    if (!first_q && rst_ni) begin
      // What holds the induction together.
      assert (flips_q != 2'd3 && first_bit_q != second_bit_q);
      assert (32'(first_bit_q) < StoredBits && 32'(second_bit_q) < StoredBits);
      assert (stored == (coded ^ flipped));
      // What counts.
      assert (lost == (lost_q || wrong));
      assert (failed == (wrong && !lost_q));
      assert (corrected == (Protection == 2 && flips_q == 2'd1 && !lost_q));
      if (lost) assert (value == '0);
      if (!lost && (flips_q == 2'd0 || Protection == 2)) assert (value == truth_q);
      if (Protection == 2) cover (corrected && value == 20'd5);
      cover (failed);
      cover (lost_q && flips_q == 2'd1);
      cover (lost_q && clear_i);
    end
  end

endmodule

`default_nettype wire
