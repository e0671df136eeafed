// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One iteration of separable allocation, inputs first: each input takes one of its virtual
/// channels, then each output one of the inputs whose channel wants it. Step 3 of
/// hw/chips/router/router.md. Combinational.
module polycast_separable_iteration #(
  /// Ports of the router.
  parameter int unsigned NumPorts = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs   = 4
) (
  /// Branches that can go: bit (i * NumVcs + v) * NumPorts + o, from input i, virtual channel v, to
  /// output o.
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

  typedef struct packed { logic [NumPorts*NumVcs-1:0][NumPorts-1:0] at; } ports_vc_ports_t;
  typedef struct packed { logic [NumPorts-1:0][NumVcs-1:0] at; } port_vcs_t;
  typedef struct packed { logic [NumPorts-1:0][NumPorts-1:0] at; } port_matrix_t;

  ports_vc_ports_t go;
  port_vcs_t in_vc_mask, drop, vc, out_vc_mask;
  port_matrix_t wanted_by_input, gnt, in_output_mask, wanted_by_output, gnt_by_output,
      out_output_mask;

  assign go = go_i;
  assign in_vc_mask = vc_mask_i;
  assign drop = drop_i;
  assign in_output_mask = output_mask_i;
  assign gnt_o = gnt;
  assign vc_o = vc;
  assign vc_mask_o = out_vc_mask;
  assign output_mask_o = out_output_mask;


  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    logic [NumVcs-1:0]   able, taken, behind;
    logic [NumPorts-1:0] wanted;
    logic                read;

    for (genvar v = 0; v < NumVcs; v++) begin : gen_able
      assign able[v] = inputs_i[i] &&
          ((go.at[i*NumVcs+v] & outputs_i) != '0 || drop_i[i*NumVcs+v]);
    end

    polycast_rr_pick #(
      .NumReq(NumVcs)
    ) i_pick_vc (
      .mask_i  (in_vc_mask.at[i]),
      .req_i   (able),
      .gnt_o   (taken),
      .behind_o(behind)
    );

    always_comb begin
      wanted = '0;
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (taken[v]) wanted = go.at[i*NumVcs+v] & outputs_i;
      end
    end

    for (genvar o = 0; o < NumPorts; o++) begin : gen_matrix
      assign wanted_by_output.at[o][i+:1] = wanted_by_input.at[i][o+:1];
      assign gnt.at[i][o+:1]              = gnt_by_output.at[o][i+:1];
    end

    assign wanted_by_input.at[i] = wanted;
    assign read                  = gnt.at[i] != '0 || (taken & drop.at[i]) != '0;
    assign vc.at[i]              = read ? taken : '0;
    assign out_vc_mask.at[i]     = read ? behind : in_vc_mask.at[i];
  end

  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic [NumPorts-1:0] behind;

    polycast_rr_pick #(
      .NumReq(NumPorts)
    ) i_pick_input (
      .mask_i  (in_output_mask.at[o]),
      .req_i   (wanted_by_output.at[o]),
      .gnt_o   (gnt_by_output.at[o]),
      .behind_o(behind)
    );

    assign out_output_mask.at[o] =
        (gnt_by_output.at[o] != '0) ? behind : in_output_mask.at[o];
  end

endmodule

`default_nettype wire
