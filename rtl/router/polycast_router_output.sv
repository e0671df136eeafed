// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One output port of the router: its virtual channels, crossbar and output registers.
module polycast_router_output #(
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 16,
  /// Pipeline registers in the crossbar, before the output register.
  parameter int unsigned XbarStages    = 0,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits    = 16,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Bits of the number of an input virtual channel.
  parameter int unsigned HolderBits    = 6,
  /// Code of credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned Protection    = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a credit counter with its code.
  parameter int unsigned CounterBits   = CreditBits
) (
  /// Clock.
  input  wire logic                         clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                         rst_ni,
  /// Flits of each virtual channel's buffer at the other end; 0: the port is open.
  input  wire logic [CreditBits-1:0]        credits_i,
  /// The line above is being configured.
  input  wire logic                         credits_we_i,
  /// Credits that a virtual channel must have to be given to a packet.
  input  wire logic [CreditBits-1:0]        reserve_i,
  /// A flit is read for this output.
  input  wire logic                         read_i,
  /// It is the head of its packet.
  input  wire logic                         read_head_i,
  /// Virtual channels that it may take.
  input  wire logic [NumVcs-1:0]            read_want_i,
  /// It is the last of its packet.
  input  wire logic                         read_tail_i,
  /// The input virtual channel that it comes from.
  input  wire logic [HolderBits-1:0]        read_holder_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]       read_data_i,
  /// The header of its packet, where that goes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]     read_header_i,
  /// The virtual channel that it takes, one-hot.
  output logic      [NumVcs-1:0]            read_vc_o,
  /// Virtual channels that may be given to a packet, registered.
  output logic      [NumVcs-1:0]            usable_o,
  /// Virtual channels with a credit left, registered.
  output logic      [NumVcs-1:0]            credit_left_o,
  /// The output register takes a flit.
  output logic                              next_valid_o,
  /// A flit leaves.
  output logic                              flit_valid_o,
  /// It is the first of its packet.
  output logic                              flit_head_o,
  /// It is the last of its packet.
  output logic                              flit_tail_o,
  /// Its virtual channel.
  output logic      [polycast_pkg::VcPinBits-1:0]         flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]       flit_data_o,
  /// The header of its packet, where that goes beside the head flit.
  output logic      [HeaderPinBits-1:0]     flit_header_o,
  /// A flit has left a buffer at the other end.
  input  wire logic                         credit_i,
  /// The virtual channel of that buffer.
  input  wire logic [polycast_pkg::VcPinBits-1:0]         credit_vc_i,
  /// Bits of each credit counter that flip at the end of the cycle; in simulation only.
  input  wire logic [NumVcs*CounterBits-1:0] upset_credits_i,
  /// A credit counter is corrected in this cycle.
  output logic                              corrected_o,
  /// Errors in this cycle.
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  /// Nothing is in the crossbar and output registers.
  output logic                              empty_o,
  /// Virtual channels that are held, registered.
  output logic      [NumVcs-1:0]            held_o,
  /// The input virtual channel that holds each; zero where none does.
  output logic      [NumVcs*8-1:0]          probe_holder_o,
  /// Credits left of each, registered.
  output logic      [NumVcs*CreditBits-1:0] probe_credits_o
);

  localparam int unsigned FlitBits = FlitBytes * 8;
  localparam int unsigned PipeBits = 3 + polycast_pkg::VcPinBits + FlitBits + HeaderPinBits;

  logic [NumVcs-1:0]    credit_vc;
  logic [NumVcs*HolderBits-1:0] holder;
  logic [NumVcs*CreditBits-1:0] outstanding;
  logic [polycast_pkg::VcPinBits-1:0] vc;
  logic [PipeBits-1:0]  pipe_in, register_in;
  logic                 pipe_empty, register_empty, bad_vc, credit_overflow, counter_failed;

  if (NumVcs == 1) begin : gen_one_vc
    logic unused;
    assign unused    = ^credit_vc_i;
    assign credit_vc = 1'b1;
    assign bad_vc    = 1'b0;
  end else begin : gen_vcs
    for (genvar v = 0; v < NumVcs; v++) begin : gen_credit_vc
      assign credit_vc[v] = credit_vc_i == polycast_pkg::VcPinBits'(v);
    end
    assign bad_vc = credit_i && credit_vc == '0;
  end

  polycast_output_vcs #(
    .NumVcs     (NumVcs),
    .CreditBits (CreditBits),
    .HolderBits (HolderBits),
    .Protection (Protection),
    .CounterBits(CounterBits)
  ) i_vcs (
    .clk_i,
    .rst_ni,
    .credits_i,
    .credits_we_i,
    .reserve_i,
    .read_i,
    .head_i           (read_head_i),
    .tail_i           (read_tail_i),
    .want_i           (read_want_i),
    .holder_i         (read_holder_i),
    .credit_i,
    .credit_vc_i      (credit_vc),
    .upset_i          (upset_credits_i),
    .vc_o             (read_vc_o),
    .usable_o,
    .left_o           (credit_left_o),
    .credit_overflow_o(credit_overflow),
    .corrected_o,
    .failed_o         (counter_failed),
    .held_o,
    .holder_o         (holder),
    .outstanding_o    (outstanding)
  );

  for (genvar v = 0; v < NumVcs; v++) begin : gen_probe
    assign probe_holder_o[v*8+:8] = 8'(holder[v*HolderBits+:HolderBits]);
    assign probe_credits_o[v*CreditBits+:CreditBits] =
        credits_i - outstanding[v*CreditBits+:CreditBits];
  end

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorCreditOverflow] = credit_overflow;
    error_o[polycast_pkg::ErrorBadVc]          = bad_vc;
    error_o[polycast_pkg::ErrorSoftError]      = counter_failed;
  end

  // What says nothing is zero.
  always_comb begin
    vc = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (read_vc_o[v]) vc = polycast_pkg::VcPinBits'(v);
    end
    pipe_in = '0;
    if (read_i) begin
      pipe_in = {1'b1, read_head_i, read_tail_i, vc, read_data_i, read_head_i ? read_header_i : '0};
    end
  end

  if (XbarStages == 0) begin : gen_no_pipe
    assign register_in = pipe_in;
    assign pipe_empty  = 1'b1;
  end else begin : gen_pipe
    polycast_pipe #(
      .Width (PipeBits),
      .Stages(XbarStages)
    ) i_pipe (
      .clk_i,
      .rst_ni,
      .data_i (pipe_in),
      .data_o (register_in),
      .empty_o(pipe_empty)
    );
  end

  assign next_valid_o = register_in[PipeBits-1];

  polycast_pipe #(
    .Width (PipeBits),
    .Stages(1)
  ) i_register (
    .clk_i,
    .rst_ni,
    .data_i (register_in),
    .data_o ({flit_valid_o, flit_head_o, flit_tail_o, flit_vc_o, flit_data_o, flit_header_o}),
    .empty_o(register_empty)
  );

  assign empty_o = pipe_empty && register_empty;

`ifndef SYNTHESIS
  SilentIsZero: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (flit_valid_o || (!flit_head_o && !flit_tail_o && flit_vc_o == '0 && flit_data_o == '0)) &&
      (flit_head_o || flit_header_o == '0))
    else $error("an output that says nothing is not zero");
`endif

endmodule

`default_nettype wire
