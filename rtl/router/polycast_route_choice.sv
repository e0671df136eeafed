// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Which of several ports of its route a packet of an input takes: the section on choice of
/// hw/chips/router/router.md. The output is decided in the cycle in which the packet is routed;
/// what is
/// kept is the random number of the input.
module polycast_route_choice #(
  /// Ports of the router.
  parameter int unsigned NumPorts   = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs     = 4,
  /// Number of the input port.
  parameter int unsigned Number     = 0,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16,
  /// Bits of a load.
  parameter int unsigned LoadBits   = 8
) (
  /// Clock.
  input  wire logic                                  clk_i,
  /// Asynchronous reset, active low: random numbers begin again.
  input  wire logic                                  rst_ni,
  /// Where they begin.
  input  wire logic [15:0]                           seed_i,
  /// Packets choose by load and credits before they do at random.
  input  wire logic                                  least_loaded_i,
  /// A packet is routed in this cycle, and takes one of several ports.
  input  wire logic                                  valid_i,
  /// Its possible ports.
  input  wire logic [NumPorts-1:0]                   possible_i,
  /// Virtual channels that it may take at each, whether they are free or not.
  input  wire logic [NumPorts*NumVcs-1:0]            want_i,
  /// Packets on their way to each output, registered.
  input  wire logic [NumPorts*LoadBits-1:0]          load_i,
  /// Credits left of each output virtual channel, registered.
  input  wire logic [NumPorts*NumVcs*CreditBits-1:0] credits_i,
  /// The port that it takes, one-hot; zero where none is possible. Whether or not there is a
  /// packet.
  output logic      [NumPorts-1:0]                   output_o
);

  localparam int unsigned RandomBits = 16;
  localparam int unsigned SumBits    = CreditBits + $clog2(NumVcs);
  localparam int unsigned RankBits   = LoadBits + SumBits;
  localparam int unsigned CountBits  = $clog2(NumPorts + 1);
  // What the number of the input adds to the seed; both modulo 2^16 - 1.
  localparam int unsigned Period     = (1 << RandomBits) - 1;
  localparam int unsigned Offset     = 40503 * Number % Period;

  typedef struct packed { logic [NumPorts*NumVcs-1:0][CreditBits-1:0] at; } ports_vc_credits_t;
  typedef struct packed { logic [NumPorts-1:0][RankBits-1:0] at; } port_ranks_t;
  typedef struct packed { logic [NumPorts-1:0][LoadBits-1:0] at; } port_loads_t;

  ports_vc_credits_t in_credits;
  port_ranks_t rank;
  port_loads_t load;

  assign in_credits = credits_i;
  assign load = load_i;

  logic                             started_q;
  logic [RandomBits-1:0]            random_q, first, random, stepped, fraction;
  logic [RandomBits:0]              sum;
  logic [RankBits-1:0]              best;
  logic [SumBits-1:0]               credits;
  logic [NumPorts-1:0]              left;
  logic [CountBits-1:0]             count, number, skipped;

  // Few packets before many, then many credits before few: the greater the better.
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      credits = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (want_i[p*NumVcs+v]) credits = credits + SumBits'(in_credits.at[p*NumVcs+v]);
      end
      rank.at[p] = least_loaded_i ? {~load.at[p], credits} : '0;
    end
  end

  always_comb begin
    best = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (possible_i[p] && rank.at[p] > best) best = rank.at[p];
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_left
    assign left[p] = possible_i[p] && rank.at[p] == best;
  end

  // The random one of those that are left.
  always_comb begin
    count = '0;
    for (int unsigned p = 0; p < NumPorts; p++) count = count + CountBits'(left[p]);
  end

  assign {number, fraction} =
      (RandomBits + CountBits)'(random) * (RandomBits + CountBits)'(count);

  logic unused;
  assign unused = ^fraction;

  always_comb begin
    output_o = '0;
    skipped  = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      output_o[p] = left[p] && skipped == number;
      skipped     = skipped + CountBits'(left[p]);
    end
  end

  // Random numbers: x^16 + x^15 + x^13 + x^4 + 1, eight shifts at a time.
  assign sum   = {1'b0, seed_i} + (RandomBits + 1)'(Offset);
  assign first = (sum >= (RandomBits + 1)'(Period)) ? RandomBits'(sum + (RandomBits + 1)'(2)) :
      RandomBits'(sum + 1'b1);
  assign random = started_q ? random_q : first;

  always_comb begin
    stepped = random;
    for (int unsigned shift = 0; shift < 8; shift++) begin
      stepped = {stepped[14:0], stepped[15] ^ stepped[14] ^ stepped[12] ^ stepped[3]};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      random_q  <= '0;
    end else if (valid_i && (possible_i & (possible_i - NumPorts'(1))) != '0) begin
      started_q <= 1'b1;
      random_q  <= stepped;
    end
  end

`ifndef SYNTHESIS
  TakesAPossiblePort: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i |-> $onehot0(output_o) && (output_o & ~possible_i) == '0 &&
          (output_o == '0) == (possible_i == '0))
    else $error("a packet takes a port that is not possible, several, or none");
  RandomIsNeverZero:
      assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> random != '0)
    else $error("the random numbers of an input have stopped");
`endif

endmodule

`default_nettype wire
