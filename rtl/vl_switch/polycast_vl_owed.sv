// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The credits that an input owes the other end of its link: chunks of several virtual lanes become
/// free in a cycle, but the pins carry one credit. Step 5 of hw/chips/vl_switch/vl_switch.md.
module polycast_vl_owed #(
  /// Virtual lanes.
  parameter int unsigned NumVls    = 2,
  /// Bits of a number of chunks.
  parameter int unsigned CountBits = 7
) (
  /// Clock.
  input  wire logic                        clk_i,
  /// Asynchronous reset, active low: nothing is owed, the pointer goes to lane 0.
  input  wire logic                        rst_ni,
  /// Chunks of each lane that become free in this cycle.
  input  wire logic [NumVls*CountBits-1:0] free_i,
  /// Lane whose credit leaves in this cycle, one-hot; zero if none is owed.
  output logic      [NumVls-1:0]           credit_o,
  /// Nothing is owed, registered.
  output logic                             empty_o
);

  typedef struct packed { logic [NumVls-1:0][CountBits-1:0] at; } lane_counts_t;

  lane_counts_t free, owed_q, owed_d;

  assign free = free_i;

  logic [NumVls-1:0] owing, mask_q, behind;

  polycast_rr_pick #(
    .NumReq(NumVls)
  ) i_pick (
    .mask_i  (mask_q),
    .req_i   (owing),
    .gnt_o   (credit_o),
    .behind_o(behind)
  );

  always_comb begin
    for (int unsigned v = 0; v < NumVls; v++) begin
      owing[v]     = owed_q.at[v] != '0 || free.at[v] != '0;
      owed_d.at[v] = owed_q.at[v] + free.at[v] - CountBits'(credit_o[v]);
    end
  end

  assign empty_o = owed_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= '0;
      mask_q <= '0;
    end else begin
      owed_q <= owed_d;
      if (owing != '0) mask_q <= behind;
    end
  end

`ifndef SYNTHESIS
  CreditWasOwed: assert property (@(posedge clk_i) disable iff (!rst_ni) (credit_o & ~owing) == '0)
    else $error("a credit leaves that is not owed");
  CreditIsNotHeldBack: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(credit_o) && (credit_o == '0) == (owing == '0))
    else $error("two credits leave at once, or none does while one is owed");
`endif

endmodule

`default_nettype wire
