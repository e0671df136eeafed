// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One iteration of iSLIP: every output that is free offers itself to an input, every input with
/// offers accepts those for one of its virtual channels. Step 3 of hw/chips/router/router.md.
/// Combinational.
module polycast_islip_iteration #(
  /// Ports of the router.
  parameter int unsigned NumPorts = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs   = 4
) (
  /// Branches that can go: bit (i * NumVcs + v) * NumPorts + o, from input i, virtual channel v, to
  /// output o.
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

  typedef struct packed { logic [NumPorts*NumVcs-1:0][NumPorts-1:0] at; } ports_vc_ports_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;

  ports_vc_ports_t go;
  port_matrix_t offer_by_input, in_accept_mask, gnt, out_accept_mask, in_output_mask,
      wanted_by_output, offer_by_output, out_output_mask;
  port_vcs_t in_vc_mask, vc, out_vc_mask;

  assign go = go_i;
  assign in_accept_mask = accept_mask_i;
  assign in_vc_mask = vc_mask_i;
  assign in_output_mask = output_mask_i;
  assign vc_o = vc;
  assign gnt_o = gnt;
  assign vc_mask_o = out_vc_mask;
  assign accept_mask_o = out_accept_mask;
  assign output_mask_o = out_output_mask;


  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumPorts-1:0] wanted, first, first_behind, accepted;
    logic [NumVcs-1:0]   asking, taken, taken_behind;

    always_comb begin
      wanted = '0;
      for (int unsigned v = 0; v < NumVcs; v++) wanted = wanted | go.at[i*NumVcs+v];
    end

    for (genvar v = 0; v < NumVcs; v++) begin : gen_asking
      assign asking[v] = (go.at[i*NumVcs+v] & first) != '0;
    end

    always_comb begin
      accepted = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (taken[v]) accepted = go.at[i*NumVcs+v] & offer_by_input.at[i];
      end
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
      assign wanted_by_output.at[o][i+:1] = wanted[o] && inputs_i[i] && outputs_i[o];
      assign offer_by_input.at[i][o+:1]   = offer_by_output.at[o][i+:1];
    end

    polycast_rr_pick #(
      .NumReq(NumPorts)
    ) i_pick_output (
      .mask_i  (in_accept_mask.at[i]),
      .req_i   (offer_by_input.at[i]),
      .gnt_o   (first),
      .behind_o(first_behind)
    );

    polycast_rr_pick #(
      .NumReq(NumVcs)
    ) i_pick_vc (
      .mask_i  (in_vc_mask.at[i]),
      .req_i   (asking),
      .gnt_o   (taken),
      .behind_o(taken_behind)
    );

    assign vc.at[i]              = taken;
    assign gnt.at[i]             = accepted;
    assign out_vc_mask.at[i]     = (taken != '0) ? taken_behind : in_vc_mask.at[i];
    assign out_accept_mask.at[i] = (first != '0) ? first_behind : in_accept_mask.at[i];
  end

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic [NumPorts-1:0] accepted, behind;

    polycast_rr_pick #(
      .NumReq(NumPorts)
    ) i_pick_input (
      .mask_i  (in_output_mask.at[o]),
      .req_i   (wanted_by_output.at[o]),
      .gnt_o   (offer_by_output.at[o]),
      .behind_o(behind)
    );

    for (genvar i = 0; i < NumPorts; i++) begin : gen_accepted
      assign accepted[i] = gnt.at[i][o+:1];
    end

    assign out_output_mask.at[o] =
        (accepted != '0) ? behind : in_output_mask.at[o];
  end

endmodule

`default_nettype wire
