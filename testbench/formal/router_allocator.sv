// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_router_allocator against step 3 of hw/chips/router/router.md, written down with
/// pointers that
/// are numbers, for both allocators and 1 to 4 iterations: what is read, who reads it, and where
/// every pointer stands in the next cycle. And what follows for anybody: grants are for branches of
/// the one channel that an input reads, at most one input for each output; what is read has a
/// reader or is dropped; something goes if something can.
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
    .clk_i, .rst_ni, .allocator_i(islip_i), .iterations_i, .go_i, .drop_i, .read_vc_o(read_vc),
    .gnt_o(gnt)
  );

  (* probe = "dut.vc_mask_q" *) wire [NumPorts*NumVcs-1:0] vc_mask;
  (* probe = "dut.output_mask_q" *) wire [NumPorts*NumPorts-1:0] output_mask;
  (* probe = "dut.accept_mask_q" *) wire [NumPorts*NumPorts-1:0] accept_mask;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  localparam int unsigned P = NumPorts;
  localparam int unsigned V = NumVcs;
  // Bits of a pointer, and of a sum of two.
  localparam int unsigned B = $clog2(NumPorts + NumVcs);

  // The pointers as the page has them, and what it says of this cycle.
  logic [P*B-1:0] vc_ptr_q, vc_ptr, output_ptr_q, output_ptr, accept_ptr_q, accept_ptr, first_vc;
  logic [P-1:0]   able, took, granted;
  logic [P*V-1:0] read_page;
  logic [P*P-1:0] gnt_page, offers;
  logic [B-1:0]   at, chosen;
  logic           found, found_vc;

  always_comb begin
    vc_ptr     = vc_ptr_q;
    output_ptr = output_ptr_q;
    accept_ptr = accept_ptr_q;
    first_vc   = '0;
    able       = '0;
    took       = '0;
    granted    = '0;
    read_page  = '0;
    gnt_page   = '0;
    offers     = '0;
    at         = '0;
    chosen     = '0;
    found      = 1'b0;
    found_vc   = 1'b0;
    for (int unsigned i = 0; i < P; i++) begin
      for (int unsigned k = 0; k < V; k++) begin
        at = vc_ptr_q[i*B+:B] + B'(k);
        if (at >= B'(V)) at = at - B'(V);
        if (!able[i] && (go_i[(i*V+32'(at))*P+:P] != '0 || drop_i[i*V+32'(at)])) begin
          able[i]          = 1'b1;
          first_vc[i*B+:B] = at;
        end
      end
    end
    if (!islip_i) begin
      for (int unsigned n = 0; n < 4; n++) begin
        if (3'(n) < iterations_i) begin
          able   = '0;
          offers = '0;
          for (int unsigned i = 0; i < P; i++) begin
            for (int unsigned k = 0; k < V; k++) begin
              at = vc_ptr_q[i*B+:B] + B'(k);
              if (at >= B'(V)) at = at - B'(V);
              if (!took[i] && !able[i] &&
                  ((go_i[(i*V+32'(at))*P+:P] & ~granted) != '0 || drop_i[i*V+32'(at)])) begin
                able[i]          = 1'b1;
                first_vc[i*B+:B] = at;
              end
            end
          end
          for (int unsigned o = 0; o < P; o++) begin
            found = granted[o];
            for (int unsigned k = 0; k < P; k++) begin
              at = output_ptr_q[o*B+:B] + B'(k);
              if (at >= B'(P)) at = at - B'(P);
              if (!found && able[at] && go_i[(32'(at)*V+32'(first_vc[32'(at)*B+:B]))*P+o]) begin
                found               = 1'b1;
                offers[32'(at)*P+o] = 1'b1;
                if (n == 0) output_ptr[o*B+:B] = at == B'(P - 1) ? '0 : at + 1'b1;
              end
            end
          end
          for (int unsigned i = 0; i < P; i++) begin
            at = first_vc[i*B+:B];
            if (able[i] && (offers[i*P+:P] != '0 || drop_i[i*V+32'(at)])) begin
              took[i]                = 1'b1;
              read_page[i*V+32'(at)] = 1'b1;
              gnt_page[i*P+:P]       = offers[i*P+:P];
              granted                = granted | offers[i*P+:P];
              if (n == 0) vc_ptr[i*B+:B] = at == B'(V - 1) ? '0 : at + 1'b1;
            end
          end
        end
      end
    end else begin
      for (int unsigned i = 0; i < P; i++) begin
        at = first_vc[i*B+:B];
        if (able[i] && drop_i[i*V+32'(at)]) begin
          took[i]                = 1'b1;
          read_page[i*V+32'(at)] = 1'b1;
          vc_ptr[i*B+:B]         = at == B'(V - 1) ? '0 : at + 1'b1;
        end
      end
      for (int unsigned n = 0; n < 4; n++) begin
        if (3'(n) < iterations_i) begin
          offers = '0;
          for (int unsigned o = 0; o < P; o++) begin
            found = granted[o];
            for (int unsigned k = 0; k < P; k++) begin
              at = output_ptr_q[o*B+:B] + B'(k);
              if (at >= B'(P)) at = at - B'(P);
              for (int unsigned v = 0; v < V; v++) begin
                if (!found && !took[at] && go_i[(32'(at)*V+v)*P+o]) begin
                  found               = 1'b1;
                  offers[32'(at)*P+o] = 1'b1;
                end
              end
            end
          end
          for (int unsigned i = 0; i < P; i++) begin
            found = 1'b0;
            for (int unsigned k = 0; k < P; k++) begin
              at = accept_ptr_q[i*B+:B] + B'(k);
              if (at >= B'(P)) at = at - B'(P);
              if (!found && offers[i*P+32'(at)]) begin
                found  = 1'b1;
                chosen = at;
              end
            end
            found_vc = 1'b0;
            for (int unsigned k = 0; k < V; k++) begin
              at = vc_ptr_q[i*B+:B] + B'(k);
              if (at >= B'(V)) at = at - B'(V);
              if (found && !found_vc && go_i[(i*V+32'(at))*P+32'(chosen)]) begin
                found_vc               = 1'b1;
                took[i]                = 1'b1;
                read_page[i*V+32'(at)] = 1'b1;
                gnt_page[i*P+:P]       = offers[i*P+:P] & go_i[(i*V+32'(at))*P+:P];
                granted                = granted | gnt_page[i*P+:P];
                if (n == 0) begin
                  vc_ptr[i*B+:B]     = at == B'(V - 1) ? '0 : at + 1'b1;
                  accept_ptr[i*B+:B] = chosen == B'(P - 1) ? '0 : chosen + 1'b1;
                  for (int unsigned o = 0; o < P; o++) begin
                    if (gnt_page[i*P+o]) output_ptr[o*B+:B] = B'((i + 1) % P);
                  end
                end
              end
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    vc_ptr_q     <= rst_ni ? vc_ptr : '0;
    output_ptr_q <= rst_ni ? output_ptr : '0;
    accept_ptr_q <= rst_ni ? accept_ptr : '0;
  end

  always_comb begin
    // From any pointers, those of the page and of the block the same; a reset in the first cycle is
    // the start.
    if (first_q) begin
      assume (vc_at == vc_ptr_q && output_at == output_ptr_q && accept_at == accept_ptr_q && runs);
    end
    assume (iterations_i >= 3'd1 && iterations_i <= 3'd4);
    // A channel whose packet is dropped has no branches.
    for (int unsigned c = 0; c < NumPorts * NumVcs; c++) begin
      if (drop_i[c]) assume (go_i[c*NumPorts+:NumPorts] == '0);
    end
  end

  // Pointers of the block as numbers, zero and all ones are both 0; they are runs of ones at the
  // top.
  logic [P*B-1:0] vc_at, output_at, accept_at;
  logic           runs;
  always_comb begin
    vc_at     = '0;
    output_at = '0;
    accept_at = '0;
    runs      = 1'b1;
    for (int unsigned i = 0; i < P; i++) begin
      runs = runs && (~vc_mask[i*V+:V] & (~vc_mask[i*V+:V] + 1'b1)) == '0 &&
          (~output_mask[i*P+:P] & (~output_mask[i*P+:P] + 1'b1)) == '0 &&
          (~accept_mask[i*P+:P] & (~accept_mask[i*P+:P] + 1'b1)) == '0;
      for (int unsigned v = 1; v < V; v++) begin
        if (vc_mask[i*V+v] && !vc_mask[i*V+v-1]) vc_at[i*B+:B] = B'(v);
      end
      for (int unsigned o = 1; o < P; o++) begin
        if (output_mask[i*P+o] && !output_mask[i*P+o-1]) output_at[i*B+:B] = B'(o);
        if (accept_mask[i*P+o] && !accept_mask[i*P+o-1]) accept_at[i*B+:B] = B'(o);
      end
    end
  end

  // Branches of the channel that an input reads; outputs that have a reader.
  logic [P-1:0] own, seen;
  logic [V-1:0] vcs;

  always_comb begin
    own  = '0;
    seen = '0;
    vcs  = '0;
    // The step: what it did to the pointers shows a cycle later, in which it could begin again.
    if (!first_q && rst_ni) begin
      assert (vc_at == vc_ptr_q && output_at == output_ptr_q && accept_at == accept_ptr_q && runs);
    end
    if (first_q && rst_ni) begin
      assert (read_vc == read_page);
      assert (gnt == gnt_page);
      for (int unsigned i = 0; i < P; i++) begin
        vcs = read_vc[i*V+:V];
        own = '0;
        for (int unsigned v = 0; v < V; v++) if (vcs[v]) own = go_i[(i*V+v)*P+:P];
        assert ((vcs & (vcs - 1'b1)) == '0);
        assert ((gnt[i*P+:P] & ~own) == '0);
        if (vcs != '0) assert (gnt[i*P+:P] != '0 || (vcs & drop_i[i*V+:V]) != '0);
        assert ((seen & gnt[i*P+:P]) == '0);
        seen = seen | gnt[i*P+:P];
      end
      if (go_i != '0 || drop_i != '0) assert (read_vc != '0);
      cover (seen == '1 && islip_i && iterations_i == 3'd3);
      cover (gnt[P-1:0] == '1 && !islip_i);
      cover (seen == '1 && !islip_i && iterations_i == 3'd3 && go_i[P-1:0] == go_i[V*P+:P] &&
          go_i[P-1:0] == go_i[2*V*P+:P] && vc_at == '0);
      cover (read_vc != '0 && gnt == '0);
    end
  end

endmodule

`default_nettype wire
