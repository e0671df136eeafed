// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The port's output: virtual channel and credits of what leaves the XOR pipe (steps 6 and 7 of
/// hw/chips/coding/coding_unit.md), output register.
module polycast_coding_output #(
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Bits of a flit.
  parameter int unsigned FlitBits      = 128,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits    = 16
) (
  /// Clock.
  input  wire logic                       clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                       rst_ni,
  /// Flits of each buffer at the other end.
  input  wire logic [CreditBits-1:0]      credits_i,
  /// They are being configured.
  input  wire logic                       credits_we_i,
  /// Credits that a virtual channel must have to be given to a packet.
  input  wire logic [CreditBits-1:0]      reserve_i,
  /// A flit is in the last stage of the pipe.
  input  wire logic                       valid_i,
  /// It is the first of its packet.
  input  wire logic                       head_i,
  /// It is the last of its packet.
  input  wire logic                       tail_i,
  /// Virtual channels that its packet may take; of use with a head.
  input  wire logic [NumVcs-1:0]          vc_set_i,
  /// Its data.
  input  wire logic [FlitBits-1:0]        data_i,
  /// Header pins beside it; zero if it is no head.
  input  wire logic [HeaderPinBits-1:0]   header_i,
  /// It leaves, or there is none: the pipe moves.
  output logic                            move_o,
  /// A credit comes.
  input  wire logic                       credit_valid_i,
  /// Its virtual channel; not read where there is one.
  input  wire logic [3:0]                 credit_vc_i,
  /// Output pins.
  output logic                            flit_valid_o,
  output logic                            flit_head_o,
  output logic                            flit_tail_o,
  output logic      [3:0]                 flit_vc_o,
  output logic      [FlitBits-1:0]        flit_data_o,
  output logic      [HeaderPinBits-1:0]   flit_header_o,
  /// A credit came while none was outstanding.
  output logic                            credit_overflow_o,
  /// A credit came of a virtual channel that does not exist.
  output logic                            bad_vc_o,
  /// The virtual channel that a packet is leaving in, one-hot, registered.
  output logic      [NumVcs-1:0]          held_o,
  /// Credits left of each, registered.
  output logic      [NumVcs*16-1:0]       credits_left_o
);

  typedef struct packed { logic [NumVcs-1:0][15:0] at; } vc_counts_t;

  vc_counts_t credits_left;

  assign credits_left_o = credits_left;

  logic [NumVcs-1:0] credited, left, enough, overflow, candidates, chosen, behind, mask_q, vc_q, vc,
      spend;
  logic              leaves;
  logic [3:0]        number;

  if (NumVcs == 1) begin : gen_one_vc
    logic unused;
    assign unused   = ^credit_vc_i;
    assign credited = credit_valid_i;
    assign bad_vc_o = 1'b0;
  end else begin : gen_vcs
    always_comb begin
      credited = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        credited[v] = credit_valid_i && credit_vc_i == 4'(v);
      end
    end
    assign bad_vc_o = credit_valid_i && credited == '0;
  end

  for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
    logic [CreditBits-1:0] outstanding, rest;

    polycast_credit_counter #(
      .CreditBits(CreditBits)
    ) i_credit_counter (
      .clk_i,
      .rst_ni,
      .clear_i      (credits_we_i),
      .credits_i,
      .spend_i      (spend[v]),
      .credit_i     (credited[v]),
      .upset_i      ('0),
      .outstanding_o(outstanding),
      .left_o       (left[v]),
      .overflow_o   (overflow[v])
    );
    assign rest               = credits_i - outstanding;
    assign enough[v]          = rest >= reserve_i;
    assign credits_left.at[v] = 16'(rest);
  end

  assign candidates = vc_set_i & enough;

  polycast_rr_pick #(
    .NumReq(NumVcs)
  ) i_pick (
    .mask_i  (mask_q),
    .req_i   (candidates),
    .gnt_o   (chosen),
    .behind_o(behind)
  );

  assign held_o            = vc_q;
  assign vc                = head_i ? chosen : vc_q;
  assign leaves            = valid_i && (head_i ? candidates != '0 : (vc_q & left) != '0);
  assign move_o            = leaves || !valid_i;
  assign spend             = leaves ? vc : '0;
  assign credit_overflow_o = overflow != '0;

  always_comb begin
    number = '0;
    for (int unsigned v = 0; v < NumVcs; v++) if (spend[v]) number = number | 4'(v);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mask_q        <= '0;
      vc_q          <= '0;
      flit_valid_o  <= 1'b0;
      flit_head_o   <= 1'b0;
      flit_tail_o   <= 1'b0;
      flit_vc_o     <= '0;
      flit_data_o   <= '0;
      flit_header_o <= '0;
    end else begin
      if (leaves) vc_q <= tail_i ? '0 : vc;
      if (leaves && head_i) mask_q <= behind;
      flit_valid_o  <= leaves;
      flit_head_o   <= leaves && head_i;
      flit_tail_o   <= leaves && tail_i;
      flit_vc_o     <= number;
      flit_data_o   <= leaves ? data_i : '0;
      flit_header_o <= leaves && head_i ? header_i : '0;
    end
  end

`ifndef SYNTHESIS
  OneVc:
      assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(spend) &&
          (leaves == (spend != '0)))
    else $error("a flit leaves in no virtual channel, or in two");
  BodiesFollowAHead: assert property (@(posedge clk_i) disable iff (!rst_ni) 
      valid_i |-> head_i == (vc_q == '0))
    else $error("a body flit without a head, or a head inside a packet");
  SilentIsZero: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (flit_valid_o || (!flit_head_o && !flit_tail_o && flit_vc_o == '0 && flit_data_o == '0)) &&
      (flit_head_o || flit_header_o == '0))
    else $error("an output that says nothing is not zero");
`endif

endmodule

`default_nettype wire
