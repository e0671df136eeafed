// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_output_vcs: a head gets a free virtual channel with the reserve, of those it may take
/// the first at or after the pointer; only its holder sends on it, to its tail; credits are exact
/// for each virtual channel. Its surroundings keep to `want_i`, and change credits and reserve only
/// while nothing is inside.
module harness #(
  parameter int unsigned NumVcs     = 3,
  parameter int unsigned CreditBits = 3
) (
  input wire logic                         clk_i,
  input wire logic                         rst_ni,
  input wire logic                         configure_i,
  input wire logic [CreditBits-1:0]        new_credits_i,
  input wire logic [CreditBits-1:0]        new_reserve_i,
  input wire logic                         read_i,
  input wire logic                         head_i,
  input wire logic                         tail_i,
  input wire logic [NumVcs-1:0]            want_i,
  input wire logic [1:0]                   holder_i,
  input wire logic                         credit_i,
  input wire logic [NumVcs-1:0]            credit_vc_i
);

  logic [CreditBits-1:0]        credits_q, reserve_q;
  logic [NumVcs-1:0]            vc, usable, left, held;
  logic [NumVcs*2-1:0]          holder;
  logic [NumVcs*CreditBits-1:0] outstanding;
  logic                         overflow;

  polycast_output_vcs #(.NumVcs(NumVcs), .CreditBits(CreditBits), .HolderBits(2)) dut (
    .clk_i, .rst_ni, .credits_i(credits_q), .credits_we_i(configure_i), .reserve_i(reserve_q),
    .read_i, .head_i,
    .tail_i, .want_i, .holder_i, .credit_i, .credit_vc_i, .upset_i('0), .vc_o(vc),
    .usable_o(usable), .left_o(left),
    .credit_overflow_o(overflow), .held_o(held), .holder_o(holder), .outstanding_o(outstanding)
  );

  (* probe = "dut.mask_q" *) wire [NumVcs-1:0] mask;

  // Each of four senders has a packet on one virtual channel at most: whose packets are really
  // under way, and where.
  logic [4*NumVcs-1:0]              under_way_q;
  logic [NumVcs*(CreditBits+1)-1:0] truth_q;
  logic [NumVcs-1:0]                own, taken_by_others, first;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    own             = '0;
    taken_by_others = '0;
    for (int unsigned s = 0; s < 4; s++) begin
      if (holder_i == 2'(s)) own = under_way_q[s*NumVcs+:NumVcs];
      else                   taken_by_others = taken_by_others | under_way_q[s*NumVcs+:NumVcs];
    end
    // The page: the first at or after the pointer, cyclic. The pointer is the lowest bit of the
    // mask.
    first = '0;
    for (int v = NumVcs - 1; v >= 0; v--) if (want_i[v]) first = NumVcs'(1) << v;
    for (int v = NumVcs - 1; v >= 0; v--) if (want_i[v] && mask[v]) first = NumVcs'(1) << v;
  end

  always_comb begin
    if (first_q) assume (!rst_ni && configure_i);
    assume ((credit_vc_i & (credit_vc_i - 1'b1)) == '0);
    if (configure_i) assume (!read_i && !credit_i && under_way_q == '0 && new_reserve_i != '0);
    if (rst_ni && read_i) begin
      // A branch that can go, see polycast_vc_branches.
      assume (head_i == (own == '0));
      assume (want_i != '0 && (want_i & ~(head_i ? usable : own & left)) == '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (configure_i) begin
      credits_q <= new_credits_i;
      reserve_q <= new_reserve_i;
    end
    for (int unsigned s = 0; s < 4; s++) begin
      if (read_i && holder_i == 2'(s)) under_way_q[s*NumVcs+:NumVcs] <= tail_i ? '0 : vc;
    end
    for (int unsigned v = 0; v < NumVcs; v++) begin
      truth_q[v*(CreditBits+1)+:CreditBits+1] <= truth_q[v*(CreditBits+1)+:CreditBits+1] +
          (CreditBits+1)'(read_i && vc[v]) -
          (CreditBits+1)'(credit_i && credit_vc_i[v] && truth_q[v*(CreditBits+1)+:CreditBits+1] !=
          '0);
    end
    if (!rst_ni || configure_i) truth_q <= '0;
    if (!rst_ni) under_way_q <= '0;
  end

  always_comb begin
    if (!first_q) assert (reserve_q != '0);
    if (!first_q && rst_ni) begin
      assert ((vc & (vc - 1'b1)) == '0);
      assert ((vc != '0) == read_i);
      if (read_i) begin
        assert ((vc & ~want_i) == '0 && (vc & taken_by_others) == '0);
        if (head_i) assert (vc == first && (vc & held) == '0);
        else        assert (vc == own);
      end
      for (int unsigned v = 0; v < NumVcs; v++) begin
        assert ({1'b0, outstanding[v*CreditBits+:CreditBits]} ==
            truth_q[v*(CreditBits+1)+:CreditBits+1]);
        assert (outstanding[v*CreditBits+:CreditBits] <= credits_q);
        assert (left[v] == (outstanding[v*CreditBits+:CreditBits] != credits_q));
        assert (usable[v] == (!held[v] &&
            {1'b0, outstanding[v*CreditBits+:CreditBits]} + {1'b0, reserve_q} <= {1'b0,
            credits_q}));
        assert (held[v] == (under_way_q[v] || under_way_q[NumVcs+v] ||
                            under_way_q[2*NumVcs+v] || under_way_q[3*NumVcs+v]));
        for (int unsigned s = 0; s < 4; s++) begin
          if (under_way_q[s*NumVcs+v]) assert (holder[v*2+:2] == 2'(s));
        end
      end
      // Nobody holds two, and nothing is held twice; the mask is a run of ones at the top.
      for (int unsigned s = 0; s < 4; s++) begin
        assert ((under_way_q[s*NumVcs+:NumVcs] & (under_way_q[s*NumVcs+:NumVcs] - 1'b1)) == '0);
      end
      assert ((~mask & (~mask + 1'b1)) == '0);
      assert (overflow == (credit_i && ((credit_vc_i[0] && truth_q[CreditBits:0] == '0) ||
          (credit_vc_i[1] && truth_q[CreditBits+1+:CreditBits+1] == '0) ||
          (credit_vc_i[2] && truth_q[2*(CreditBits+1)+:CreditBits+1] == '0))));
      cover (held == '1);
      cover (read_i && head_i && tail_i && reserve_q == CreditBits'(2) && usable != '1 &&
          held == '0);
      cover (read_i && !head_i && mask[0] == 1'b0 && vc[0]);
    end
  end

endmodule

`default_nettype wire
