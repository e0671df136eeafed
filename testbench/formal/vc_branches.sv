// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_vc_branches: every branch reads every flit of its packet once and in order, only flits
/// that are there, the head only with a free virtual channel and the others only with a credit of
/// the one it holds; a flit is gone in the cycle in which the last branch reads it, the packet with
/// its tail. Any grants of branches that can go, any credits; packets follow each other, the flits
/// of the next may be in the buffer, and each has sets of its own: port 0 leads to a dimension,
/// with a set for each side, the others to hosts.
module harness #(
  parameter int unsigned NumPorts  = 2,
  parameter int unsigned NumVcs    = 2,
  parameter int unsigned VcFlits   = 2,
  parameter bit          Copies    = 1'b1,
  parameter int unsigned CountBits = $clog2(VcFlits + 1)
) (
  input wire logic                       clk_i,
  input wire logic                       rst_ni,
  input wire logic                       store_i,
  input wire logic                       routed_i,
  input wire logic [NumPorts-1:0]        outputs_i,
  input wire logic [2:0]                 length_i,
  input wire logic                       side_i,
  input wire logic [NumVcs-1:0]          before_i,
  input wire logic [NumVcs-1:0]          behind_i,
  input wire logic [NumVcs-1:0]          host_i,
  input wire logic [NumPorts*NumVcs-1:0] usable_i,
  input wire logic [NumPorts*NumVcs-1:0] credit_left_i,
  input wire logic [NumPorts-1:0]        gnt_i,
  input wire logic                       drain_i,
  input wire logic [NumPorts*NumVcs-1:0] vc_i
);

  localparam int unsigned Bits = 4;

  // Flits, counted from the head of the packet at the front: how many it has, how many have come
  // (those behind it, too), and are gone; and of each branch: read, virtual channel.
  logic [Bits-1:0]                length, come_q, gone_q;
  logic [NumPorts*Bits-1:0]       read_q;
  logic [NumPorts*NumVcs-1:0]     held_q;
  logic [NumPorts-1:0]            outputs_q;
  logic [NumVcs-1:0]              before_q, behind_q, host_q;
  logic                           side_q, routed_q, again_q, copied_q;

  logic [NumPorts-1:0]        go, head, waiting, reading;
  logic [NumPorts*NumVcs-1:0] want;
  logic [CountBits-1:0]       occupied, position;
  logic                       drop, free, done, tail;

  assign occupied = CountBits'(come_q - gone_q);
  assign tail     = gone_q + Bits'(position) + Bits'(1) == length;

  polycast_vc_branches #(.NumPorts(NumPorts), .NumVcs(NumVcs), .VcFlits(VcFlits), .Directions(1),
      .Copies(Copies)) dut (
    .clk_i, .rst_ni, .routed_i(routed_q), .outputs_i(outputs_q), .sides_i(side_q),
    .before_set_i(before_q),
    .behind_set_i(behind_q), .host_set_i(host_q), .occupied_i(occupied), .usable_i, .credit_left_i,
    .go_o(go),
    .drop_o(drop), .position_o(position), .head_o(head), .want_o(want), .gnt_i, .drain_i,
    .tail_i(tail), .vc_i,
    .free_o(free), .done_o(done), .waiting_o(waiting), .reading_o(reading)
  );

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (length_i != '0 && length_i < 3'd6);
    if (!Copies) assume ((outputs_i & (outputs_i - 1'b1)) == '0);
    if (rst_ni && store_i) assume (Bits'(occupied) < Bits'(VcFlits));
    // The allocator.
    assume ((gnt_i & ~go) == '0 && (!drain_i || (drop && gnt_i == '0)));
    for (int unsigned o = 0; o < NumPorts; o++) begin
      if (gnt_i[o]) assume (vc_i[o*NumVcs+:NumVcs] != '0 &&
          (vc_i[o*NumVcs+:NumVcs] & ~want[o*NumVcs+:NumVcs]) == '0 &&
          (vc_i[o*NumVcs+:NumVcs] & (vc_i[o*NumVcs+:NumVcs] - 1'b1)) == '0);
    end
  end

  always_ff @(posedge clk_i) begin
    come_q <= come_q + Bits'(store_i) - (done ? length : '0);
    gone_q <= done ? '0 : gone_q + Bits'(free);
    // The next packet may have been routed while it waited.
    if (!routed_q || done) begin
      routed_q  <= routed_i && Bits'(occupied) > Bits'(done);
      outputs_q <= outputs_i;
      side_q    <= side_i;
      before_q  <= before_i;
      behind_q  <= behind_i;
      host_q    <= host_i;
    end
    for (int unsigned o = 0; o < NumPorts; o++) begin
      if (gnt_i[o]) begin
        read_q[o*Bits+:Bits]      <= read_q[o*Bits+:Bits] + Bits'(1);
        held_q[o*NumVcs+:NumVcs] <= tail ? '0 : vc_i[o*NumVcs+:NumVcs];
      end
    end
    if (done) begin
      read_q   <= '0;
      held_q   <= '0;
      length   <= Bits'(length_i);
      again_q  <= 1'b1;
      copied_q <= outputs_q == '1;
    end
    if (!rst_ni) begin
      come_q   <= '0;
      gone_q   <= '0;
      read_q   <= '0;
      held_q   <= '0;
      routed_q <= 1'b0;
      again_q  <= 1'b0;
      length   <= Bits'(length_i);
    end
  end

  // Flits that all branches have read with this cycle.
  logic [Bits-1:0] read, least, lowest;
  logic [NumPorts-1:0] can;
  logic [NumVcs-1:0]   set;
  logic [NumPorts*NumVcs-1:0] wanted;
  always_comb begin
    least  = length;
    lowest = '1;
    read   = '0;
    can    = '0;
    set    = '0;
    wanted = '0;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      read = read_q[o*Bits+:Bits] + Bits'(gnt_i[o]);
      if (outputs_q[o] && read < least) least = read;
      set    = o != 0 ? host_q : side_q ? behind_q : before_q;
      wanted[o*NumVcs+:NumVcs] = held_q[o*NumVcs+:NumVcs] == '0 ? set & usable_i[o*NumVcs+:NumVcs] :
          held_q[o*NumVcs+:NumVcs] & credit_left_i[o*NumVcs+:NumVcs];
      can[o] = outputs_q[o] && routed_q && read_q[o*Bits+:Bits] < come_q &&
          read_q[o*Bits+:Bits] < length &&
          wanted[o*NumVcs+:NumVcs] != '0;
      if (can[o] && read_q[o*Bits+:Bits] < lowest) lowest = read_q[o*Bits+:Bits];
    end
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      for (int unsigned o = 0; o < NumPorts; o++) begin
        // Those that can go at the lowest position, no others; the flit is the one that the branch
        // has not read.
        assert (go[o] == (can[o] && read_q[o*Bits+:Bits] == lowest));
        if (go[o]) begin
          assert (gone_q + Bits'(position) == read_q[o*Bits+:Bits]);
          assert (want[o*NumVcs+:NumVcs] == wanted[o*NumVcs+:NumVcs]);
          assert (head[o] == (read_q[o*Bits+:Bits] == '0));
        end
        assert (waiting[o] == (routed_q && outputs_q[o] && read_q[o*Bits+:Bits] == '0));
        assert (reading[o] == (routed_q && outputs_q[o] && held_q[o*NumVcs+:NumVcs] != '0));
      end
      if (routed_q && outputs_q != '0) begin
        assert (free == (least > gone_q) && gone_q + Bits'(free) == least);
      end
      if (!routed_q) assert (!free && go == '0 && !drop);
      assert (free == (free && occupied != '0));
      assert (done == (free && gone_q + Bits'(1) == length));
      assert (drop == (routed_q && outputs_q == '0 && occupied != '0));
      cover (done && length == Bits'(4) && outputs_q == (Copies ? '1 : NumPorts'(1)));
      cover (done && length == Bits'(1) && !drain_i);
      cover (done && drain_i && length == Bits'(3));
      cover (done && again_q && length == Bits'(2) && outputs_q == (Copies ? '1 : NumPorts'(1)) &&
          copied_q == Copies);
      if (Copies) cover (go == NumPorts'(1) && position == CountBits'(1));
    end
  end

endmodule

`default_nettype wire
