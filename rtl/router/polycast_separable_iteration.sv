// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One iteration of separable allocation, inputs first: each input takes one of its virtual channels, then each output
/// one of the inputs whose channel wants it. Step 3 of hw/chips/router.md. Combinational.
module polycast_separable_iteration #(
  /// Ports of the router.
  parameter int unsigned NumPorts = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs   = 4
) (
  /// Branches that can go: bit (i * NumVcs + v) * NumPorts + o, from input i, virtual channel v, to output o.
  input  wire logic [NumPorts*NumVcs*NumPorts-1:0] go_i,
  /// Bit i * NumVcs + v: a packet that is dropped can go.
  input  wire logic [NumPorts*NumVcs-1:0]          drop_i,
  /// Inputs that take part: they have read nothing yet.
  input  wire logic [NumPorts-1:0]                 inputs_i,
  /// Outputs that take part: they have granted nothing yet.
  input  wire logic [NumPorts-1:0]                 outputs_i,
  /// Pointer of each input over its virtual channels, a mask (`polycast_rr_pick`).
  input  wire logic [NumPorts*NumVcs-1:0]          vc_mask_i,
  /// Pointer of each output over the inputs.
  input  wire logic [NumPorts*NumPorts-1:0]        output_mask_i,
  /// The virtual channel that each input reads, one-hot or zero: bit i * NumVcs + v.
  output logic      [NumPorts*NumVcs-1:0]          vc_o,
  /// Outputs that read it: bit i * NumPorts + o; none where the flit is dropped.
  output logic      [NumPorts*NumPorts-1:0]        gnt_o,
  /// The pointers behind what was read; elsewhere as they were.
  output logic      [NumPorts*NumVcs-1:0]          vc_mask_o,
  /// The pointers behind what was read.
  output logic      [NumPorts*NumPorts-1:0]        output_mask_o
);

  logic [NumPorts*NumPorts-1:0] wanted_by_input, wanted_by_output, gnt_by_output;

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumVcs-1:0]   able, taken, behind;
    logic [NumPorts-1:0] wanted;
    logic                read;

    for (genvar v = 0; v < NumVcs; v++) begin : gen_able
      assign able[v] = inputs_i[i] &&
          ((go_i[(i*NumVcs+v)*NumPorts+:NumPorts] & outputs_i) != '0 || drop_i[i*NumVcs+v]);
    end

    polycast_rr_pick #(
      .NumReq(NumVcs)
    ) i_pick_vc (
      .mask_i  (vc_mask_i[i*NumVcs+:NumVcs]),
      .req_i   (able),
      .gnt_o   (taken),
      .behind_o(behind)
    );

    always_comb begin
      wanted = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (taken[v]) wanted = go_i[(i*NumVcs+v)*NumPorts+:NumPorts] & outputs_i;
      end
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
      assign wanted_by_output[o*NumPorts+i] = wanted_by_input[i*NumPorts+o];
      assign gnt_o[i*NumPorts+o]            = gnt_by_output[o*NumPorts+i];
    end

    assign wanted_by_input[i*NumPorts+:NumPorts] = wanted;
    assign read = gnt_o[i*NumPorts+:NumPorts] != '0 || (taken & drop_i[i*NumVcs+:NumVcs]) != '0;
    assign vc_o[i*NumVcs+:NumVcs] = read ? taken : '0;
    assign vc_mask_o[i*NumVcs+:NumVcs] = read ? behind : vc_mask_i[i*NumVcs+:NumVcs];
  end

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic [NumPorts-1:0] behind;

    polycast_rr_pick #(
      .NumReq(NumPorts)
    ) i_pick_input (
      .mask_i  (output_mask_i[o*NumPorts+:NumPorts]),
      .req_i   (wanted_by_output[o*NumPorts+:NumPorts]),
      .gnt_o   (gnt_by_output[o*NumPorts+:NumPorts]),
      .behind_o(behind)
    );

    assign output_mask_o[o*NumPorts+:NumPorts] =
        (gnt_by_output[o*NumPorts+:NumPorts] != '0) ? behind : output_mask_i[o*NumPorts+:NumPorts];
  end

endmodule

`default_nettype wire
