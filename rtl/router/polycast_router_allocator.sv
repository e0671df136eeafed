// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Which virtual channel each input reads, and by which outputs: step 3 of
/// hw/chips/router/router.md with
/// the pointers of both allocators. Which output virtual channel a head gets is the business of the
/// outputs.
module polycast_router_allocator #(
  /// Ports of the router.
  parameter int unsigned NumPorts      = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Bits of a number of iterations.
  parameter int unsigned IterationBits = 3
) (
  /// Clock.
  input  wire logic                                         clk_i,
  /// Asynchronous reset, active low: all pointers stand at 0.
  input  wire logic                                         rst_ni,
  /// How inputs and outputs find each other.
  input  wire logic [polycast_pkg::RouterAllocatorBits-1:0] allocator_i,
  /// Iterations of either, 1..4.
  input  wire logic [IterationBits-1:0]                     iterations_i,
  /// Branches that can go: bit (i * NumVcs + v) * NumPorts + o, from input i, virtual channel v, to
  /// output o.
  input  wire logic [NumPorts*NumVcs*NumPorts-1:0]          go_i,
  /// Bit i * NumVcs + v: a packet that is dropped can go. Such a channel has no branches.
  input  wire logic [NumPorts*NumVcs-1:0]                   drop_i,
  /// The virtual channel that each input reads, one-hot or zero: bit i * NumVcs + v.
  output logic      [NumPorts*NumVcs-1:0]                   read_vc_o,
  /// Outputs that read it: bit i * NumPorts + o; none where the flit is dropped.
  output logic      [NumPorts*NumPorts-1:0]                 gnt_o
);

  typedef struct packed { logic [NumPorts*NumVcs-1:0][NumPorts-1:0] at; } ports_vc_ports_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;

  ports_vc_ports_t go;
  port_vcs_t read_vc, drop;
  port_matrix_t gnt;

  assign go = go_i;
  assign drop = drop_i;
  assign read_vc_o = read_vc;
  assign gnt_o = gnt;

  logic [NumPorts*NumVcs-1:0]   vc_mask_q, vc_mask_d, separable_vc, separable_vc_mask, islip_vc,
      islip_vc_mask;
  logic [NumPorts*NumPorts-1:0] output_mask_q, output_mask_d, separable_gnt, separable_output_mask;
  logic [NumPorts*NumPorts-1:0] accept_mask_q, accept_mask_d, islip_gnt, islip_output_mask,
      islip_accept_mask;
  logic                         islip;

  assign islip = allocator_i == polycast_pkg::RouterAllocatorIslip;

  polycast_separable_allocator #(
    .NumPorts     (NumPorts),
    .NumVcs       (NumVcs),
    .IterationBits(IterationBits)
  ) i_separable (
    .iterations_i,
    .go_i,
    .drop_i,
    .vc_mask_i    (vc_mask_q),
    .output_mask_i(output_mask_q),
    .read_vc_o    (separable_vc),
    .gnt_o        (separable_gnt),
    .vc_mask_o    (separable_vc_mask),
    .output_mask_o(separable_output_mask)
  );

  polycast_islip_allocator #(
    .NumPorts     (NumPorts),
    .NumVcs       (NumVcs),
    .IterationBits(IterationBits)
  ) i_islip (
    .iterations_i,
    .go_i,
    .drop_i,
    .vc_mask_i    (vc_mask_q),
    .output_mask_i(output_mask_q),
    .accept_mask_i(accept_mask_q),
    .read_vc_o    (islip_vc),
    .gnt_o        (islip_gnt),
    .vc_mask_o    (islip_vc_mask),
    .output_mask_o(islip_output_mask),
    .accept_mask_o(islip_accept_mask)
  );

  assign read_vc     = islip ? islip_vc : separable_vc;
  assign gnt         = islip ? islip_gnt : separable_gnt;
  assign vc_mask_d     = islip ? islip_vc_mask : separable_vc_mask;
  assign output_mask_d = islip ? islip_output_mask : separable_output_mask;
  assign accept_mask_d = islip ? islip_accept_mask : accept_mask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      vc_mask_q     <= '0;
      output_mask_q <= '0;
      accept_mask_q <= '0;
    end else begin
      vc_mask_q     <= vc_mask_d;
      output_mask_q <= output_mask_d;
      accept_mask_q <= accept_mask_d;
    end
  end

`ifndef SYNTHESIS
  // Of each input: the branches of the channel that it reads, whether that is dropped; of each
  // output: its readers.
  logic granted_to_others, read_without_reader, read_twice, two_channels;
  logic [NumPorts-1:0] branches, seen;
  always_comb begin
    granted_to_others   = 1'b0;
    read_without_reader = 1'b0;
    read_twice          = 1'b0;
    two_channels        = 1'b0;
    seen                = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      branches = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (read_vc_o[i*NumVcs+v]) branches = branches | go.at[i*NumVcs+v];
      end
      if (!$onehot0(read_vc.at[i])) two_channels = 1'b1;
      if ((gnt.at[i] & ~branches) != '0) granted_to_others = 1'b1;
      if (read_vc.at[i] != '0 && gnt.at[i] == '0 &&
          (read_vc.at[i] & drop.at[i]) == '0) read_without_reader = 1'b1;
      if ((seen & gnt.at[i]) != '0) read_twice = 1'b1;
      seen = seen | gnt.at[i];
    end
  end

  GrantsToRequesters: assert property (@(posedge clk_i) disable iff (!rst_ni) !granted_to_others)
    else $error("an output reads a channel that has no branch for it");
  ReadsHaveAReason: assert property (@(posedge clk_i) disable iff (!rst_ni) !read_without_reader)
    else $error("a channel is read by nobody");
  OneChannelPerInput: assert property (@(posedge clk_i) disable iff (!rst_ni) !two_channels)
    else $error("two channels of an input are read");
  OneInputPerOutput: assert property (@(posedge clk_i) disable iff (!rst_ni) !read_twice)
    else $error("an output reads two inputs");
  IterationsAreConfigured: assert property (@(posedge clk_i) disable iff (!rst_ni)
      go_i != '0 |-> iterations_i >= IterationBits'(1) && iterations_i <= IterationBits'(4))
    else $error("iterations are not 1..4");
`endif

endmodule

`default_nettype wire
