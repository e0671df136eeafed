// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// iSLIP with virtual channels, branches and drops (McKeown, IEEE/ACM Transactions on Networking
/// 7(2), 1999). Step 3 of hw/chips/router/router.md. Combinational.
module polycast_islip_allocator #(
  /// Ports of the router.
  parameter int unsigned NumPorts       = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs         = 4,
  /// Most iterations.
  parameter int unsigned MostIterations = 4,
  /// Bits of a number of iterations.
  parameter int unsigned IterationBits  = 3
) (
  /// Iterations, 1..MostIterations.
  input  wire logic [IterationBits-1:0]            iterations_i,
  /// Branches that can go: bit (i * NumVcs + v) * NumPorts + o, from input i, virtual channel v, to
  /// output o.
  input  wire logic [NumPorts*NumVcs*NumPorts-1:0] go_i,
  /// Bit i * NumVcs + v: a packet that is dropped can go.
  input  wire logic [NumPorts*NumVcs-1:0]          drop_i,
  /// Pointer of each input over its virtual channels, a mask (`polycast_rr_pick`).
  input  wire logic [NumPorts*NumVcs-1:0]          vc_mask_i,
  /// Pointer of each output over the inputs.
  input  wire logic [NumPorts*NumPorts-1:0]        output_mask_i,
  /// Pointer of each input over the outputs.
  input  wire logic [NumPorts*NumPorts-1:0]        accept_mask_i,
  /// The virtual channel that each input reads, one-hot or zero: bit i * NumVcs + v.
  output logic      [NumPorts*NumVcs-1:0]          read_vc_o,
  /// Outputs that read it: bit i * NumPorts + o; none where the flit is dropped.
  output logic      [NumPorts*NumPorts-1:0]        gnt_o,
  /// The pointers afterwards.
  output logic      [NumPorts*NumVcs-1:0]          vc_mask_o,
  /// The pointers afterwards.
  output logic      [NumPorts*NumPorts-1:0]        output_mask_o,
  /// The pointers afterwards.
  output logic      [NumPorts*NumPorts-1:0]        accept_mask_o
);

  typedef struct packed { logic [NumPorts*NumVcs-1:0][NumPorts-1:0] at; } ports_vc_ports_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;
  typedef struct packed {
    logic [MostIterations-1:0][NumPorts*NumVcs-1:0] at;
  } most_iteration_ports_vcs_t;
  typedef struct packed {
    logic [MostIterations-1:0][NumPorts*NumPorts-1:0] at;
  } most_iteration_ports_ports_t;

  ports_vc_ports_t go;
  port_vcs_t in_vc_mask, drop, drained, drained_mask, first_vc_mask, out_vc_mask;
  most_iteration_ports_vcs_t vc;
  most_iteration_ports_ports_t gnt;

  assign go = go_i;
  assign in_vc_mask = vc_mask_i;
  assign drop = drop_i;
  assign vc_mask_o = out_vc_mask;

  // Inputs whose turn it is to drop a flit take no part.
  logic [NumPorts-1:0]        drains;

  for (genvar i = 0; i < NumPorts; i++) begin : gen_drain
    logic [NumVcs-1:0] able, first, behind;

    for (genvar v = 0; v < NumVcs; v++) begin : gen_able
      assign able[v] = go.at[i*NumVcs+v] != '0 || drop_i[i*NumVcs+v];
    end

    polycast_rr_pick #(
      .NumReq(NumVcs)
    ) i_pick_vc (
      .mask_i  (in_vc_mask.at[i]),
      .req_i   (able),
      .gnt_o   (first),
      .behind_o(behind)
    );

    assign drains[i]          = (first & drop.at[i]) != '0;
    assign drained.at[i]      = drains[i] ? first : '0;
    assign drained_mask.at[i] = behind;
  end

  // Of each iteration. Pointers move in the first one only.
  most_iteration_ports_vcs_t   vc_mask;
  most_iteration_ports_ports_t output_mask, accept_mask;

  for (genvar k = 0; k < MostIterations; k++) begin : gen_iteration
    // Signals of its own for what is free before it and after it: a vector for all iterations would
    // look like a loop.
    logic [NumPorts-1:0]          inputs, outputs, inputs_left, outputs_left;
    logic [NumPorts*NumPorts-1:0] accepted;

    if (k == 0) begin : gen_first
      assign inputs  = ~drains;
      assign outputs = '1;
    end else begin : gen_next
      assign inputs  = gen_iteration[k-1].inputs_left;
      // Without outputs nothing is offered.
      assign outputs = (IterationBits'(k) < iterations_i) ? gen_iteration[k-1].outputs_left : '0;
    end

    polycast_islip_iteration #(
      .NumPorts(NumPorts),
      .NumVcs  (NumVcs)
    ) i_iteration (
      .go_i,
      .inputs_i     (inputs),
      .outputs_i    (outputs),
      .vc_mask_i,
      .output_mask_i,
      .accept_mask_i,
      .vc_o         (vc.at[k]),
      .gnt_o        (accepted),
      .vc_mask_o    (vc_mask.at[k]),
      .output_mask_o(output_mask.at[k]),
      .accept_mask_o(accept_mask.at[k])
    );

    assign gnt.at[k] = accepted;

    always_comb begin
      inputs_left  = inputs;
      outputs_left = outputs;
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (accepted[i*NumPorts+:NumPorts] != '0) inputs_left[i] = 1'b0;
        outputs_left = outputs_left & ~accepted[i*NumPorts+:NumPorts];
      end
    end

    logic unused_left;
    assign unused_left = ^{inputs_left, outputs_left};
  end

  always_comb begin
    read_vc_o = drained;
    gnt_o     = '0;
    for (int unsigned k = 0; k < MostIterations; k++) begin
      read_vc_o = read_vc_o | vc.at[k];
      gnt_o     = gnt_o | gnt.at[k];
    end
    for (int unsigned i = 0; i < NumPorts; i++) begin
      out_vc_mask.at[i] = drains[i] ? drained_mask.at[i] : first_vc_mask.at[i];
    end
  end

  assign first_vc_mask = vc_mask.at[0];
  assign output_mask_o = output_mask.at[0];
  assign accept_mask_o = accept_mask.at[0];

  logic unused;
  assign unused = ^{vc_mask, output_mask, accept_mask};

endmodule

`default_nettype wire
