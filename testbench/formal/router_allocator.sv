// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_router_allocator: grants are for branches of the one channel that an input reads, at most one input for each output;
/// what is read has a reader or is dropped; nothing stays idle beside a flit that could go; a pointer moves only with a read,
/// behind what was read; whoever stands at both pointers is served.
module harness #(
  parameter int unsigned NumPorts = 3,
  parameter int unsigned NumVcs   = 2
) (
  input wire logic                                clk_i,
  input wire logic                                rst_ni,
  input wire logic                                islip_i,
  input wire logic [2:0]                          iterations_i,
  input wire logic [NumPorts*NumVcs*NumPorts-1:0] go_i,
  input wire logic [NumPorts*NumVcs-1:0]          drop_i
);

  logic [NumPorts*NumVcs-1:0]   read_vc;
  logic [NumPorts*NumPorts-1:0] gnt;

  polycast_router_allocator #(.NumPorts(NumPorts), .NumVcs(NumVcs)) dut (
    .clk_i, .rst_ni, .allocator_i(islip_i), .iterations_i, .go_i, .drop_i, .read_vc_o(read_vc), .gnt_o(gnt)
  );

  (* probe = "dut.vc_mask_q" *) wire [NumPorts*NumVcs-1:0] vc_mask;
  (* probe = "dut.output_mask_q" *) wire [NumPorts*NumPorts-1:0] output_mask;
  (* probe = "dut.accept_mask_q" *) wire [NumPorts*NumPorts-1:0] accept_mask;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  // What stood there a cycle ago.
  logic                         reset_q;
  logic [NumPorts*NumVcs-1:0]   vc_mask_q, read_vc_q;
  logic [NumPorts*NumPorts-1:0] output_mask_q, accept_mask_q, gnt_q;
  always_ff @(posedge clk_i) begin
    reset_q       <= !rst_ni;
    vc_mask_q     <= vc_mask;
    output_mask_q <= output_mask;
    accept_mask_q <= accept_mask;
    read_vc_q     <= rst_ni ? read_vc : '0;
    gnt_q         <= rst_ni ? gnt : '0;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (iterations_i >= 3'd1 && iterations_i <= 3'd4);
    // A channel whose packet is dropped has no branches.
    for (int unsigned c = 0; c < NumPorts * NumVcs; c++) if (drop_i[c]) assume (go_i[c*NumPorts+:NumPorts] == '0);
  end

  // Of each input: branches and drop of the channel that is read, branches of all; of each output: its readers.
  logic [NumPorts-1:0] own, all, seen, column, last_column;
  logic [NumVcs-1:0]   vcs, last_vcs;
  logic                any;

  always_comb begin
    own         = '0;
    all         = '0;
    seen        = '0;
    column      = '0;
    last_column = '0;
    vcs         = '0;
    last_vcs    = '0;
    any         = 1'b0;
    if (!first_q && rst_ni) begin
      for (int unsigned i = 0; i < NumPorts; i++) begin
        vcs = read_vc[i*NumVcs+:NumVcs];
        own = '0;
        all = '0;
        for (int unsigned v = 0; v < NumVcs; v++) begin
          if (vcs[v]) own = go_i[(i*NumVcs+v)*NumPorts+:NumPorts];
          all = all | go_i[(i*NumVcs+v)*NumPorts+:NumPorts];
        end
        assert ((vcs & (vcs - 1'b1)) == '0);
        assert ((gnt[i*NumPorts+:NumPorts] & ~own) == '0);
        if (vcs != '0) assert (gnt[i*NumPorts+:NumPorts] != '0 || (vcs & drop_i[i*NumVcs+:NumVcs]) != '0);
        assert ((seen & gnt[i*NumPorts+:NumPorts]) == '0);
        seen = seen | gnt[i*NumPorts+:NumPorts];
        any  = any || all != '0 || drop_i[i*NumVcs+:NumVcs] != '0;
        // At the pointer of its input, and of an output (iSLIP: the accept pointer, too): nobody comes before it. Pointers at 0.
        if (vc_mask[i*NumVcs+:NumVcs] == '0 && go_i[i*NumVcs*NumPorts] && i == 0 && output_mask[NumPorts-1:0] == '0 &&
            accept_mask[NumPorts-1:0] == '0) assert (gnt[0]);
      end
      // Something goes if something can.
      if (any && !islip_i) assert (read_vc != '0);
      if (any && islip_i && drop_i == '0) assert (read_vc != '0);
      // Pointers are runs of ones at the top, and move with a read only, behind it.
      for (int unsigned i = 0; i < NumPorts; i++) begin
        last_vcs    = read_vc_q[i*NumVcs+:NumVcs];
        column      = '0;
        last_column = '0;
        for (int unsigned o = 0; o < NumPorts; o++) last_column[o] = gnt_q[o*NumPorts+i];
        if (!reset_q) begin
          assert (vc_mask[i*NumVcs+:NumVcs] == vc_mask_q[i*NumVcs+:NumVcs] ||
              (last_vcs != '0 && vc_mask[i*NumVcs+:NumVcs] == ~(last_vcs | (last_vcs - 1'b1))));
          assert (output_mask[i*NumPorts+:NumPorts] == output_mask_q[i*NumPorts+:NumPorts] ||
              (last_column != '0 && output_mask[i*NumPorts+:NumPorts] == ~(last_column | (last_column - 1'b1))));
          assert (accept_mask[i*NumPorts+:NumPorts] == accept_mask_q[i*NumPorts+:NumPorts] ||
              gnt_q[i*NumPorts+:NumPorts] != '0);
        end
        assert ((~vc_mask[i*NumVcs+:NumVcs] & (~vc_mask[i*NumVcs+:NumVcs] + 1'b1)) == '0);
        assert ((~output_mask[i*NumPorts+:NumPorts] & (~output_mask[i*NumPorts+:NumPorts] + 1'b1)) == '0);
        assert ((~accept_mask[i*NumPorts+:NumPorts] & (~accept_mask[i*NumPorts+:NumPorts] + 1'b1)) == '0);
      end
      cover (seen == '1 && islip_i && iterations_i == 3'd3);
      cover (gnt[NumPorts-1:0] == '1 && !islip_i);
      cover (read_vc != '0 && gnt == '0);
    end
  end

endmodule

`default_nettype wire
