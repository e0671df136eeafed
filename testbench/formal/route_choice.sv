// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_route_choice: from any random number, for any loads, credits and possible ports, a
/// packet takes the port of the page; random numbers begin and go on as the page says, and only for
/// packets with several possible ports. The seed changes only in reset.
module harness #(
  parameter int unsigned NumPorts   = 3,
  parameter int unsigned NumVcs     = 2,
  parameter int unsigned Number     = 2,
  parameter int unsigned CreditBits = 2,
  parameter int unsigned LoadBits   = 2
) (
  input wire logic                                  clk_i,
  input wire logic                                  rst_ni,
  input wire logic                                  least_loaded_i,
  input wire logic                                  valid_i,
  input wire logic [NumPorts-1:0]                   possible_i,
  input wire logic [NumPorts*NumVcs-1:0]            want_i,
  input wire logic [NumPorts*LoadBits-1:0]          load_i,
  input wire logic [NumPorts*NumVcs*CreditBits-1:0] credits_i
);

  localparam int unsigned SumBits = CreditBits + 4;

  (* anyconst *) logic [15:0] seed;
  logic [NumPorts-1:0]        taken;

  polycast_route_choice #(
    .NumPorts(NumPorts), .NumVcs(NumVcs), .Number(Number), .CreditBits(CreditBits),
    .LoadBits(LoadBits)
  ) dut (
    .clk_i, .rst_ni, .seed_i(seed), .least_loaded_i, .valid_i, .possible_i, .want_i, .load_i,
    .credits_i,
    .output_o(taken)
  );

  (* probe = "dut.random" *) wire [15:0] random;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb if (first_q) assume (!rst_ni);

  // Ports than which no other is better, each compared with each.
  logic [NumPorts*SumBits-1:0] sums;
  logic [NumPorts-1:0]         stays;
  logic [NumPorts-1:0]         below;
  logic [SumBits-1:0]          sum;
  always_comb begin
    sums = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      sum = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        sum = sum + (want_i[p*NumVcs+v] ? SumBits'(credits_i[(p*NumVcs+v)*CreditBits+:CreditBits]) :
            '0);
      end
      sums[p*SumBits+:SumBits] = sum;
    end
    stays = possible_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned q = 0; q < NumPorts; q++) begin
        if (least_loaded_i && possible_i[q] &&
            (load_i[q*LoadBits+:LoadBits] < load_i[p*LoadBits+:LoadBits] ||
             (load_i[q*LoadBits+:LoadBits] == load_i[p*LoadBits+:LoadBits] &&
              sums[q*SumBits+:SumBits] > sums[p*SumBits+:SumBits]))) begin
          stays[p] = 1'b0;
        end
      end
    end
  end

  // Its place among them is the one that the random number falls in.
  logic [23:0]         count, place, scaled;
  logic [NumPorts-1:0] expected;
  always_comb begin
    count = '0;
    for (int unsigned p = 0; p < NumPorts; p++) count = count + 24'(stays[p]);
    scaled   = '0;
    for (int unsigned p = 0; p < NumPorts; p++) if (stays[p]) scaled = scaled + 24'(random);
    place    = '0;
    expected = '0;
    below    = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      expected[p] = stays[p] && scaled >= place << 16 && scaled < (place + 24'd1) << 16;
      below[p]    = place != '0;
      place       = place + 24'(stays[p]);
    end
  end

  // The number behind the one before, bit by bit of the recurrence: a later bit has a lower place.
  logic        steps, stepped_q, was_reset_q;
  logic [15:0] before_q;
  logic [23:0] bits;
  logic [31:0] start;
  logic [7:0]  ports;
  always_comb begin
    bits = {before_q, 8'd0};
    for (int k = 7; k >= 0; k--) bits[k] = bits[k+16] ^ bits[k+15] ^ bits[k+13] ^ bits[k+4];
    ports = '0;
    for (int unsigned p = 0; p < NumPorts; p++) ports = ports + 8'(possible_i[p]);
  end
  assign steps = valid_i && ports > 8'd1;
  assign start = 32'd1 + (32'(seed) + 32'd40503 * Number) % 32'd65535;
  always_ff @(posedge clk_i) begin
    was_reset_q <= !rst_ni;
    stepped_q   <= steps;
    before_q    <= random;
  end

  always_comb begin
    if (!first_q) begin
      assert (random != '0);
      if (was_reset_q || !rst_ni) assert (random == start[15:0]);
      else                        assert (random == (stepped_q ? bits[15:0] : before_q));
      if (rst_ni) begin
        assert (taken == expected);
        assert ((taken == '0) == (possible_i == '0));
        cover (steps && least_loaded_i && count == 24'd2 && (taken & below) != '0 && !was_reset_q);
        cover (steps && !least_loaded_i && count == 24'(NumPorts) && taken[1] && stepped_q);
        cover (valid_i && !steps && possible_i != '0 && stepped_q);
      end
    end
  end

endmodule

`default_nettype wire
