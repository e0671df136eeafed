// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The virtual channels of an output: which packet holds each, how many credits are left, which one
/// a head gets. Steps 3, 4 and 6 of hw/chips/router/router.md.
module polycast_output_vcs #(
  /// Virtual channels.
  parameter int unsigned NumVcs     = 4,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16,
  /// Bits of the number of an input virtual channel.
  parameter int unsigned HolderBits = 6,
  /// Code of credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a credit counter with its code.
  parameter int unsigned CounterBits = CreditBits
) (
  /// Clock.
  input  wire logic                         clk_i,
  /// Asynchronous reset, active low: nothing is held, no flit is outstanding.
  input  wire logic                         rst_ni,
  /// Flits of each virtual channel's buffer at the other end; 0: the port is open.
  input  wire logic [CreditBits-1:0]        credits_i,
  /// The line above is being configured.
  input  wire logic                         credits_we_i,
  /// Credits that a virtual channel must have to be given to a packet, 1 or more.
  input  wire logic [CreditBits-1:0]        reserve_i,
  /// A flit goes to this output.
  input  wire logic                         read_i,
  /// It is the head of its packet.
  input  wire logic                         head_i,
  /// It is the last of its packet.
  input  wire logic                         tail_i,
  /// Virtual channels that it may take: of a head those of its set that may be given, else the one
  /// that it holds.
  input  wire logic [NumVcs-1:0]            want_i,
  /// The input virtual channel that it comes from.
  input  wire logic [HolderBits-1:0]        holder_i,
  /// A flit has left the buffers at the other end.
  input  wire logic                         credit_i,
  /// Its virtual channel, one-hot; zero if it does not exist.
  input  wire logic [NumVcs-1:0]            credit_vc_i,
  /// Bits of each credit counter that flip at the end of the cycle; in simulation only.
  input  wire logic [NumVcs*CounterBits-1:0] upset_i,
  /// The virtual channel that the flit takes, one-hot; zero if there is none.
  output logic      [NumVcs-1:0]            vc_o,
  /// Virtual channels that may be given to a packet, registered: free, with enough credits.
  output logic      [NumVcs-1:0]            usable_o,
  /// Virtual channels with a credit left, registered.
  output logic      [NumVcs-1:0]            left_o,
  /// A credit came while none was outstanding; it is ignored.
  output logic                              credit_overflow_o,
  /// A flip of a counter is corrected in this cycle.
  output logic                              corrected_o,
  /// One that cannot be corrected is found in this cycle.
  output logic                              failed_o,
  /// Virtual channels that are held, registered.
  output logic      [NumVcs-1:0]            held_o,
  /// The input virtual channel that holds each; zero where none does.
  output logic      [NumVcs*HolderBits-1:0] holder_o,
  /// Flits outstanding of each, registered.
  output logic      [NumVcs*CreditBits-1:0] outstanding_o
);

  typedef struct packed { logic [NumVcs-1:0][CreditBits-1:0] at; } vc_credits_t;
  typedef struct packed { logic [NumVcs-1:0][HolderBits-1:0] at; } vc_holders_t;

  vc_credits_t out_outstanding;
  vc_holders_t holder_q;

  assign outstanding_o = out_outstanding;

  logic [NumVcs-1:0]            held_q, mask_q, given, behind, spend, overflow, corrected, failed;

  assign held_o            = held_q;
  assign holder_o          = holder_q;
  assign credit_overflow_o = overflow != '0;
  assign corrected_o       = corrected != '0;
  assign failed_o          = failed != '0;

  // A head gets the first that it may take at or after the pointer.
  polycast_rr_pick #(
    .NumReq(NumVcs)
  ) i_pick (
    .mask_i  (mask_q),
    .req_i   (want_i),
    .gnt_o   (given),
    .behind_o(behind)
  );

  assign vc_o  = !read_i ? '0 : head_i ? given : want_i;
  assign spend = vc_o;

  for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
    logic [CreditBits-1:0] outstanding;

    polycast_protected_counter #(
      .CreditBits(CreditBits),
      .Protection(Protection)
    ) i_credit_counter (
      .clk_i,
      .rst_ni,
      .clear_i      (credits_we_i),
      .credits_i,
      .spend_i      (spend[v]),
      .credit_i     (credit_i && credit_vc_i[v]),
      .upset_i      (upset_i[v*CounterBits+:CounterBits]),
      .outstanding_o(outstanding),
      .left_o       (left_o[v]),
      .overflow_o   (overflow[v]),
      .corrected_o  (corrected[v]),
      .failed_o     (failed[v])
    );

    assign out_outstanding.at[v] = outstanding;
    // After an upset more may be outstanding than there are credits.
    assign usable_o[v]           = !held_q[v] && left_o[v] && credits_i - outstanding >= reserve_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= '0;
      holder_q <= '0;
      mask_q   <= '0;
    end else begin
      if (read_i && head_i) mask_q <= behind;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (vc_o[v]) begin
          held_q[v]      <= !tail_i;
          holder_q.at[v] <= tail_i ? '0 : holder_i;
        end
      end
    end
  end

`ifndef SYNTHESIS
  logic taken_from_others;
  always_comb begin
    taken_from_others = 1'b0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (vc_o[v] && (head_i ? !usable_o[v] : !held_q[v] || holder_q.at[v] != holder_i)) begin
        taken_from_others = 1'b1;
      end
    end
  end

  EveryFlitHasAVc: assert property (@(posedge clk_i) disable iff (!rst_ni) read_i |-> $onehot(vc_o))
    else $error("a flit goes out without a virtual channel, or on two");
  OnlyItsOwnVc: assert property (@(posedge clk_i) disable iff (!rst_ni) !taken_from_others)
    else begin
      $error("a head takes a virtual channel that is not free, or a body flit that of another");
    end
  ReserveIsConfigured:
      assert property (@(posedge clk_i) disable iff (!rst_ni) read_i |-> reserve_i != '0)
    else $error("reserve is zero");
`endif

endmodule

`default_nettype wire
