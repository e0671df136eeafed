// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Separable allocation, inputs first, in iterations: inputs that lost take another channel, for an
/// output that is left. Step 3 of hw/chips/router/router.md. Combinational.
module polycast_separable_allocator #(
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
  /// The virtual channel that each input reads, one-hot or zero: bit i * NumVcs + v.
  output logic      [NumPorts*NumVcs-1:0]          read_vc_o,
  /// Outputs that read it: bit i * NumPorts + o; none where the flit is dropped.
  output logic      [NumPorts*NumPorts-1:0]        gnt_o,
  /// The pointers afterwards.
  output logic      [NumPorts*NumVcs-1:0]          vc_mask_o,
  /// The pointers afterwards.
  output logic      [NumPorts*NumPorts-1:0]        output_mask_o
);

  typedef struct packed {
    logic [MostIterations-1:0][NumPorts*NumVcs-1:0] at;
  } most_iteration_ports_vcs_t;
  typedef struct packed {
    logic [MostIterations-1:0][NumPorts*NumPorts-1:0] at;
  } most_iteration_ports_ports_t;

  most_iteration_ports_vcs_t vc;
  most_iteration_ports_ports_t gnt;

  // Of each iteration. Pointers move in the first one only.
  most_iteration_ports_vcs_t   vc_mask;
  most_iteration_ports_ports_t output_mask;

  for (genvar k = 0; k < MostIterations; k++) begin : gen_iteration
    // Signals of its own for what is free before it and after it: a vector for all iterations would
    // look like a loop.
    logic [NumPorts-1:0]          inputs, outputs, inputs_left, outputs_left;
    logic [NumPorts*NumVcs-1:0]   read;
    logic [NumPorts*NumPorts-1:0] granted;

    if (k == 0) begin : gen_first
      assign inputs  = '1;
      assign outputs = '1;
    end else begin : gen_next
      assign inputs  = (IterationBits'(k) < iterations_i) ? gen_iteration[k-1].inputs_left : '0;
      assign outputs = gen_iteration[k-1].outputs_left;
    end

    polycast_separable_iteration #(
      .NumPorts(NumPorts),
      .NumVcs  (NumVcs)
    ) i_iteration (
      .go_i,
      .drop_i,
      .inputs_i     (inputs),
      .outputs_i    (outputs),
      .vc_mask_i,
      .output_mask_i,
      .vc_o         (read),
      .gnt_o        (granted),
      .vc_mask_o    (vc_mask.at[k]),
      .output_mask_o(output_mask.at[k])
    );

    assign vc.at[k]  = read;
    assign gnt.at[k] = granted;

    always_comb begin
      inputs_left  = inputs;
      outputs_left = outputs;
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (read[i*NumVcs+:NumVcs] != '0) inputs_left[i] = 1'b0;
        outputs_left = outputs_left & ~granted[i*NumPorts+:NumPorts];
      end
    end

    logic unused_left;
    assign unused_left = ^{inputs_left, outputs_left};
  end

  always_comb begin
    read_vc_o = '0;
    gnt_o     = '0;
    for (int unsigned k = 0; k < MostIterations; k++) begin
      read_vc_o = read_vc_o | vc.at[k];
      gnt_o     = gnt_o | gnt.at[k];
    end
  end

  assign vc_mask_o     = vc_mask.at[0];
  assign output_mask_o = output_mask.at[0];

  logic unused;
  assign unused = ^{vc_mask, output_mask};

endmodule

`default_nettype wire
