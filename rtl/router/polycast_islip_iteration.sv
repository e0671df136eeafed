// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One iteration of iSLIP: every output that is free offers itself to an input, every input with offers accepts those
/// for one of its virtual channels. Step 3 of hw/chips/router.md. Combinational.
module polycast_islip_iteration #(
  /// Ports of the router.
  parameter int unsigned NumPorts = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs   = 4
) (
  /// Branches that can go: bit (i * NumVcs + v) * NumPorts + o, from input i, virtual channel v, to output o.
  input  wire logic [NumPorts*NumVcs*NumPorts-1:0] go_i,
  /// Inputs that take part: they have accepted nothing yet.
  input  wire logic [NumPorts-1:0]                 inputs_i,
  /// Outputs that take part: they have granted nothing yet.
  input  wire logic [NumPorts-1:0]                 outputs_i,
  /// Pointer of each input over its virtual channels, a mask (`polycast_rr_pick`).
  input  wire logic [NumPorts*NumVcs-1:0]          vc_mask_i,
  /// Pointer of each output over the inputs.
  input  wire logic [NumPorts*NumPorts-1:0]        output_mask_i,
  /// Pointer of each input over the outputs.
  input  wire logic [NumPorts*NumPorts-1:0]        accept_mask_i,
  /// The virtual channel for which each input accepts, one-hot or zero: bit i * NumVcs + v.
  output logic      [NumPorts*NumVcs-1:0]          vc_o,
  /// Offers that are accepted: bit i * NumPorts + o.
  output logic      [NumPorts*NumPorts-1:0]        gnt_o,
  /// The pointers behind what was accepted; elsewhere as they were.
  output logic      [NumPorts*NumVcs-1:0]          vc_mask_o,
  /// The pointers behind what was accepted.
  output logic      [NumPorts*NumPorts-1:0]        output_mask_o,
  /// The pointers behind what was accepted.
  output logic      [NumPorts*NumPorts-1:0]        accept_mask_o
);

  logic [NumPorts*NumPorts-1:0] wanted_by_output, offer_by_output, offer_by_input;

  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumPorts-1:0] wanted, first, first_behind, accepted;
    logic [NumVcs-1:0]   asking, taken, taken_behind;

    always_comb begin
      wanted = '0;
      for (int unsigned v = 0; v < NumVcs; v++) wanted = wanted | go_i[(i*NumVcs+v)*NumPorts+:NumPorts];
    end

    for (genvar v = 0; v < NumVcs; v++) begin : gen_asking
      assign asking[v] = (go_i[(i*NumVcs+v)*NumPorts+:NumPorts] & first) != '0;
    end

    always_comb begin
      accepted = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (taken[v]) accepted = go_i[(i*NumVcs+v)*NumPorts+:NumPorts] & offer_by_input[i*NumPorts+:NumPorts];
      end
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
      assign wanted_by_output[o*NumPorts+i] = wanted[o] && inputs_i[i] && outputs_i[o];
      assign offer_by_input[i*NumPorts+o]   = offer_by_output[o*NumPorts+i];
    end

    polycast_rr_pick #(
      .NumReq(NumPorts)
    ) i_pick_output (
      .mask_i  (accept_mask_i[i*NumPorts+:NumPorts]),
      .req_i   (offer_by_input[i*NumPorts+:NumPorts]),
      .gnt_o   (first),
      .behind_o(first_behind)
    );

    polycast_rr_pick #(
      .NumReq(NumVcs)
    ) i_pick_vc (
      .mask_i  (vc_mask_i[i*NumVcs+:NumVcs]),
      .req_i   (asking),
      .gnt_o   (taken),
      .behind_o(taken_behind)
    );

    assign vc_o[i*NumVcs+:NumVcs]              = taken;
    assign gnt_o[i*NumPorts+:NumPorts]         = accepted;
    assign vc_mask_o[i*NumVcs+:NumVcs]         = (taken != '0) ? taken_behind : vc_mask_i[i*NumVcs+:NumVcs];
    assign accept_mask_o[i*NumPorts+:NumPorts] = (first != '0) ? first_behind : accept_mask_i[i*NumPorts+:NumPorts];
  end

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic [NumPorts-1:0] accepted, behind;

    polycast_rr_pick #(
      .NumReq(NumPorts)
    ) i_pick_input (
      .mask_i  (output_mask_i[o*NumPorts+:NumPorts]),
      .req_i   (wanted_by_output[o*NumPorts+:NumPorts]),
      .gnt_o   (offer_by_output[o*NumPorts+:NumPorts]),
      .behind_o(behind)
    );

    for (genvar i = 0; i < NumPorts; i++) begin : gen_accepted
      assign accepted[i] = gnt_o[i*NumPorts+o];
    end

    assign output_mask_o[o*NumPorts+:NumPorts] =
        (accepted != '0) ? behind : output_mask_i[o*NumPorts+:NumPorts];
  end

endmodule

`default_nettype wire
