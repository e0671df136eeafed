// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The branches of the packet at the front of a virtual channel: how far each has read, which
/// output virtual channel it holds, which of them can go, and when a flit is gone. Steps 3 to 5 of
/// hw/chips/router/router.md.
module polycast_vc_branches #(
  /// Ports of the router.
  parameter int unsigned NumPorts   = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs     = 4,
  /// Flits of the buffer.
  parameter int unsigned VcFlits    = 8,
  /// Ports that lead to dimensions.
  parameter int unsigned Directions = 4,
  /// A packet may have several branches.
  parameter bit          Copies     = 1'b1,
  /// Bits of a number of flits; derived, do not set.
  parameter int unsigned CountBits  = $clog2(VcFlits + 1)
) (
  /// Clock.
  input  wire logic                       clk_i,
  /// Asynchronous reset, active low: nothing has been read, nothing is held.
  input  wire logic                       rst_ni,
  /// There is a packet at the front, and it has been routed, registered.
  input  wire logic                       routed_i,
  /// Its branches; none: it is dropped.
  input  wire logic [NumPorts-1:0]        outputs_i,
  /// Bit p: the branch to port p is on side 1.
  input  wire logic [Directions-1:0]      sides_i,
  /// Virtual channels that it may take on side 0.
  input  wire logic [NumVcs-1:0]          before_set_i,
  /// On side 1.
  input  wire logic [NumVcs-1:0]          behind_set_i,
  /// At the other ports.
  input  wire logic [NumVcs-1:0]          host_set_i,
  /// Flits in the buffer, registered.
  input  wire logic [CountBits-1:0]       occupied_i,
  /// Output virtual channels that may be given to a packet, registered; port 0 in the lowest bits.
  input  wire logic [NumPorts*NumVcs-1:0] usable_i,
  /// Output virtual channels with a credit left, registered.
  input  wire logic [NumPorts*NumVcs-1:0] credit_left_i,
  /// Branches that can go, those at the lowest position.
  output logic      [NumPorts-1:0]        go_o,
  /// A packet that is dropped can go.
  output logic                            drop_o,
  /// The flit that goes, counted from the oldest.
  output logic      [CountBits-1:0]       position_o,
  /// Of the branches that can go: the next flit is the head.
  output logic      [NumPorts-1:0]        head_o,
  /// Virtual channels that this flit may take: for a head those that are free, else the one that is
  /// held.
  output logic      [NumPorts*NumVcs-1:0] want_o,
  /// Branches that read the flit in this cycle, some of those that can go.
  input  wire logic [NumPorts-1:0]        gnt_i,
  /// The flit is dropped.
  input  wire logic                       drain_i,
  /// It is the last of its packet.
  input  wire logic                       tail_i,
  /// The output virtual channel that it takes at each of those outputs, one-hot.
  input  wire logic [NumPorts*NumVcs-1:0] vc_i,
  /// The oldest flit leaves the buffer: all branches have read it.
  output logic                            free_o,
  /// It is the last of its packet.
  output logic                            done_o,
  /// Outputs at which the packet has no virtual channel yet, registered.
  output logic      [NumPorts-1:0]        waiting_o,
  /// Outputs at which it holds one, registered.
  output logic      [NumPorts-1:0]        reading_o
);

  typedef struct packed { logic [NumPorts-1:0][CountBits-1:0] at; } port_counts_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;

  port_counts_t position;
  port_vcs_t held, want, usable, credit_left, vc;

  assign usable = usable_i;
  assign credit_left = credit_left_i;
  assign vc = vc_i;
  assign want_o = want;

  // For each branch: the virtual channel that it holds (one-hot or zero), the flits that it has
  // read of those in the buffer, and whether it has read the tail.
  logic [NumPorts-1:0]           finished;

  logic [NumPorts-1:0]           left, able, at_oldest;
  logic [NumVcs-1:0]             set;

  always_comb begin
    left      = routed_i ? outputs_i & ~finished : '0;
    able      = '0;
    at_oldest = '0;
    head_o    = '0;
    want    = '0;
    set       = '0;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      if (o >= Directions)              set = host_set_i;
      else if (sides_i[o%Directions])   set = behind_set_i;
      else                              set = before_set_i;
      if (left[o]) begin
        at_oldest[o] = position.at[o] == '0;
        head_o[o]    = held.at[o] == '0;
        want.at[o]   = head_o[o] ? set & usable.at[o] :
            held.at[o] & credit_left.at[o];
        able[o] = position.at[o] < occupied_i && want.at[o] != '0;
      end
    end
  end

  if (Copies) begin : gen_copies
    always_comb begin
      position_o = '0;
      go_o       = '0;
      for (int unsigned o = 0; o < NumPorts; o++) begin
        if (able[o] && (go_o == '0 || position.at[o] <= position_o)) begin
          if (position.at[o] < position_o) go_o = '0;
          position_o = position.at[o];
          go_o[o]    = 1'b1;
        end
      end
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_branch
      logic [NumVcs-1:0]    held_q;
      logic [CountBits-1:0] position_q;
      logic                 finished_q;

      assign held.at[o]     = held_q;
      assign position.at[o] = position_q;
      assign finished[o]    = finished_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          held_q     <= '0;
          position_q <= '0;
          finished_q <= 1'b0;
        end else if (done_o) begin
          held_q     <= '0;
          position_q <= '0;
          finished_q <= 1'b0;
        end else begin
          if (gnt_i[o]) held_q <= tail_i ? '0 : vc.at[o];
          if (gnt_i[o] && tail_i) finished_q <= 1'b1;
          if (left[o] && gnt_i[o] && !free_o) position_q <= position_q + CountBits'(1);
          if (left[o] && !gnt_i[o] && free_o) position_q <= position_q - CountBits'(1);
        end
      end
    end
  end else begin : gen_one_branch
    logic [NumVcs-1:0] held_q, taken;

    assign held       = {NumPorts{held_q}};
    assign position   = '0;
    assign finished   = '0;
    assign position_o = '0;
    assign go_o       = able;

    always_comb begin
      taken = '0;
      for (int unsigned o = 0; o < NumPorts; o++) begin
        if (gnt_i[o]) taken = vc.at[o];
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)           held_q <= '0;
      else if (gnt_i != '0)  held_q <= tail_i ? '0 : taken;
    end

`ifndef SYNTHESIS
    OneBranch:
        assert property (@(posedge clk_i) disable iff (!rst_ni) routed_i |-> $onehot0(outputs_i))
      else $error("a packet has several branches where packets are not copied");
`endif
  end

  assign drop_o    = routed_i && outputs_i == '0 && occupied_i != '0;
  assign free_o    = drain_i || (gnt_i != '0 && (at_oldest & ~gnt_i) == '0);
  assign done_o    = free_o && tail_i;
  assign waiting_o = left & head_o;
  assign reading_o = left & ~head_o;

`ifndef SYNTHESIS
  GrantsCanGo:
      assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_i & ~go_o) == '0 &&
          (!drain_i || drop_o))
    else $error("a flit is read that cannot go");
  SomeBranchIsAtTheOldest: assert property (@(posedge clk_i) disable iff (!rst_ni)
      routed_i && outputs_i != '0 |-> (left & at_oldest) != '0)
    else $error("a flit stays in the buffer that all branches have read");
  NoBranchIsAhead:
      assert property (@(posedge clk_i) disable iff (!rst_ni) go_o != '0 |->
          position_o < occupied_i)
    else $error("a flit goes that has not come");
`endif

endmodule

`default_nettype wire
