// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_coding_output with its credit counters, for any flits in the last stage of the pipe,
/// any sets of virtual channels and any credits.
///
/// Proved: a flit leaves in the very cycle in which it can (a head: a virtual channel of its set
/// has `reserve` credits; others: theirs has one), and the pipe moves then, or if there is none: it
/// never waits for anything else. It leaves unchanged, in a channel of its set, the packet all in
/// one; no credit is spent that is not there; the first channel at or after a pointer that moves
/// behind each choice is taken.
module harness #(
  parameter int unsigned NumVcs     = 3,
  parameter int unsigned CreditBits = 3
) (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic              valid_i,
  input wire logic              tail_i,
  input wire logic [NumVcs-1:0] set_i,
  input wire logic [1:0]        data_i,
  input wire logic              header_i,
  input wire logic              credit_i,
  input wire logic [3:0]        credit_vc_i
);

  (* anyconst *) logic [CreditBits-1:0] credits;
  (* anyconst *) logic [CreditBits-1:0] reserve;

  logic                     move, flit_valid, flit_head, flit_tail, flit_header, overflow, bad_vc,
      head;
  logic [3:0]               flit_vc;
  logic [1:0]               flit_data;
  logic [NumVcs-1:0]        held;
  logic [NumVcs*16-1:0]     left;

  // What has happened: credits spent, the channel of the packet that is leaving, the pointer.
  logic [NumVcs*CreditBits-1:0] spent_q;
  logic                         inside_q;
  logic [1:0]                   vc_q, pointer_q;

  assign head = !inside_q;

  polycast_coding_output #(.NumVcs(NumVcs), .FlitBits(2), .HeaderPinBits(1),
      .CreditBits(CreditBits)) dut (
    .clk_i, .rst_ni, .credits_i(credits), .credits_we_i(1'b0), .reserve_i(reserve), .valid_i,
    .head_i(head), .tail_i,
    .vc_set_i(set_i), .data_i, .header_i(header_i), .move_o(move), .credit_valid_i(credit_i),
    .credit_vc_i,
    .flit_valid_o(flit_valid), .flit_head_o(flit_head), .flit_tail_o(flit_tail),
    .flit_vc_o(flit_vc),
    .flit_data_o(flit_data), .flit_header_o(flit_header), .credit_overflow_o(overflow),
    .bad_vc_o(bad_vc),
    .held_o(held), .credits_left_o(left)
  );

  (* probe = "dut.mask_q" *) wire [NumVcs-1:0] mask;
  (* probe = "dut.gen_vc[0].i_credit_counter.outstanding_q" *) wire [CreditBits-1:0] outstanding_0;
  (* probe = "dut.gen_vc[1].i_credit_counter.outstanding_q" *) wire [CreditBits-1:0] outstanding_1;
  (* probe = "dut.gen_vc[2].i_credit_counter.outstanding_q" *) wire [CreditBits-1:0] outstanding_2;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  // What ought to happen.
  logic       can;
  logic [1:0] chosen, at;
  always_comb begin
    can    = 1'b0;
    chosen = vc_q;
    at     = '0;
    for (int unsigned i = 0; i < NumVcs; i++) begin
      at = 2'((32'(pointer_q) + NumVcs - 1 - i) % NumVcs);
      if (head && set_i[at] && credits - spent_q[32'(at)*CreditBits+:CreditBits] >= reserve) begin
        can    = 1'b1;
        chosen = at;
      end
    end
    if (!head) can = spent_q[32'(vc_q)*CreditBits+:CreditBits] != credits;
    can = can && valid_i;
  end

  logic       was_q, was_head_q, was_tail_q, was_header_q;
  logic [1:0] was_data_q, was_vc_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVcs; v++) begin
      spent_q[v*CreditBits+:CreditBits] <= spent_q[v*CreditBits+:CreditBits] +
          CreditBits'(can && chosen == 2'(v)) -
          CreditBits'(credit_i && credit_vc_i == 4'(v) && spent_q[v*CreditBits+:CreditBits] != '0);
    end
    if (can) begin
      inside_q <= !tail_i;
      vc_q     <= chosen;
      if (head) pointer_q <= chosen == 2'(NumVcs - 1) ? '0 : chosen + 1'b1;
    end
    was_q        <= can;
    was_head_q   <= head;
    was_tail_q   <= tail_i;
    was_header_q <= header_i;
    was_data_q   <= data_i;
    was_vc_q     <= chosen;
    if (!rst_ni) begin
      spent_q   <= '0;
      inside_q  <= 1'b0;
      pointer_q <= '0;
      was_q     <= 1'b0;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (reserve != '0);
    if (!first_q && rst_ni) begin
      assert (move == (can || !valid_i));
      assert (flit_valid == was_q);
      if (was_q) begin
        assert (flit_head == was_head_q && flit_tail == was_tail_q && flit_vc == 4'(was_vc_q) &&
                flit_data == was_data_q);
        assert (flit_header == (was_header_q && was_head_q));
      end else begin
        assert (!flit_head && !flit_tail && flit_vc == '0 && flit_data == '0 && !flit_header);
      end
      for (int unsigned v = 0; v < NumVcs; v++) begin
        assert (spent_q[v*CreditBits+:CreditBits] <= credits);
        assert (left[v*16+:16] == 16'(credits - spent_q[v*CreditBits+:CreditBits]));
        assert (held[v] == (inside_q && vc_q == 2'(v)));
      end
      assert (bad_vc == (credit_i && credit_vc_i >= 4'(NumVcs)));

      // What holds the induction together.
      assert ({outstanding_2, outstanding_1, outstanding_0} == spent_q);
      assert (pointer_q < 2'(NumVcs) && (!inside_q || vc_q < 2'(NumVcs)));
      // The pointer as a mask of the channels from it on; none is all.
      for (int unsigned v = 0; v < NumVcs; v++) begin
        assert (mask[v] == (mask != '0 && 2'(v) >= pointer_q));
      end
      assert (mask != '0 || pointer_q == '0);

      cover (can && head && chosen == 2'd2 && !tail_i && reserve == CreditBits'(2));
      cover (valid_i && !head && !can);
      cover (overflow);
    end
  end

endmodule

`default_nettype wire
