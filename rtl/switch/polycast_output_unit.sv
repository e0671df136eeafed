// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One output of the switch: arbitration, hold until the tail, credits, header rewriting, crossbar
/// and output registers.
module polycast_output_unit #(
  /// Ports of the switch.
  parameter int unsigned NumPorts        = 8,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes       = 1,
  /// Longest bit string of a tree worm.
  parameter int unsigned MaxHosts        = 32,
  /// The header goes beside the head flit instead of in the first flits.
  parameter bit          HeaderFree      = 1'b0,
  /// Pipeline registers in the crossbar, before the output register.
  parameter int unsigned XbarStages      = 0,
  /// Bits of a number of header flits.
  parameter int unsigned HeaderFlitsBits = 12,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits      = 16,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits   = 1,
  /// Code of flits, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectBuffers  = 32'(polycast_pkg::ProtectionNone),
  /// Code of the credit counter.
  parameter int unsigned ProtectCredits  = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a flit with its code.
  parameter int unsigned StoredBits      = FlitBytes * 8,
  /// Bits of the credit counter with its code.
  parameter int unsigned CounterBits     = CreditBits
) (
  /// Clock.
  input  wire logic                                     clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                                     rst_ni,
  /// Which input to take.
  input  wire logic [polycast_pkg::ArbitrationBits-1:0] arbitration_i,
  /// The port leads up.
  input  wire logic                                     is_up_i,
  /// The port leads down.
  input  wire logic                                     is_down_i,
  /// Copies of tree worms keep only the hosts behind their port.
  input  wire logic                                     rewrite_i,
  /// Hosts behind the port.
  input  wire logic [MaxHosts-1:0]                      reach_i,
  /// Header flits of a tree worm.
  input  wire logic [HeaderFlitsBits-1:0]               tree_header_flits_i,
  /// Chunks of the buffer at the other end.
  input  wire logic [CreditBits-1:0]                    credits_i,
  /// The line above is being configured.
  input  wire logic                                     credits_we_i,
  /// Inputs with a packet that waits for this output, registered.
  input  wire logic [NumPorts-1:0]                      waiting_i,
  /// The input granted in this cycle, one-hot.
  output logic      [NumPorts-1:0]                      gnt_o,
  /// The input that holds the output, registered or granted in this cycle, one-hot.
  output logic      [NumPorts-1:0]                      hold_o,
  /// The input that holds the output, registered, one-hot.
  output logic      [NumPorts-1:0]                      holder_o,
  /// A credit is left, registered.
  output logic                                          credit_left_o,
  /// Chunks outstanding at the other end, registered.
  output logic      [CreditBits-1:0]                    outstanding_o,
  /// A flit is read for this output in this cycle.
  input  wire logic                                     read_i,
  /// It is the last of its packet.
  input  wire logic                                     read_tail_i,
  /// It starts a chunk.
  input  wire logic                                     read_starts_chunk_i,
  /// It is of the copy that goes on to the next stop of a path worm.
  input  wire logic                                     read_advance_i,
  /// Its data, as they are stored.
  input  wire logic [StoredBits-1:0]                    read_data_i,
  /// Its packet is a tree worm.
  input  wire logic                                     read_tree_i,
  /// Header of its packet.
  input  wire logic [HeaderPinBits-1:0]                 read_header_i,
  /// A flit leaves.
  output logic                                          flit_valid_o,
  /// It is the first of its packet.
  output logic                                          flit_head_o,
  /// It is the last of its packet.
  output logic                                          flit_tail_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]                   flit_data_o,
  /// The header of its packet, where that goes beside the head flit.
  output logic      [HeaderPinBits-1:0]                 flit_header_o,
  /// A chunk has become free at the other end.
  input  wire logic                                     credit_i,
  /// Bits of the credit counter that flip at the end of the cycle; in simulation only.
  input  wire logic [CounterBits-1:0]                   upset_credits_i,
  /// The flit or the counter is corrected.
  output logic                                          corrected_o,
  /// Errors in this cycle.
  output logic      [polycast_pkg::NumErrors-1:0]       error_o,
  /// Nothing is in the crossbar and output registers.
  output logic                                          empty_o
);

  localparam int unsigned FlitBits = FlitBytes * 8;
  localparam int unsigned PipeBits = 3 + FlitBits + HeaderPinBits;

  logic [NumPorts-1:0]        holder_q, holder_d;
  logic [HeaderFlitsBits-1:0] index_q, index_d;
  logic                       head;
  logic [FlitBits-1:0]        stored, data;
  logic [HeaderPinBits-1:0]   header;
  logic [PipeBits-1:0]        pipe_in;

  // Arbitration: an output that is not held takes a packet, with or without credits.
  polycast_rr_arbiter #(
    .NumReq(NumPorts)
  ) i_arbiter (
    .clk_i,
    .rst_ni,
    .fixed_i(arbitration_i == polycast_pkg::ArbitrationFixed),
    .req_i  ((holder_q == '0) ? waiting_i : '0),
    .gnt_o
  );

  assign hold_o   = holder_q | gnt_o;
  assign holder_o = holder_q;
  assign holder_d = read_tail_i ? '0 : hold_o;

  // Number of the flit in its packet, up to the highest value.
  assign head = read_i && index_q == '0;
  always_comb begin
    index_d = index_q;
    if (read_i) begin
      if (read_tail_i)         index_d = '0;
      else if (index_q != '1)  index_d = index_q + HeaderFlitsBits'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      holder_q <= '0;
      index_q  <= '0;
    end else begin
      holder_q <= holder_d;
      index_q  <= index_d;
    end
  end

  logic flit_corrected, flit_failed, counter_corrected, counter_failed, failed, credit_overflow;

  if (StoredBits > FlitBits || CounterBits > CreditBits) begin : gen_codes
    assign corrected_o = (read_i && flit_corrected) || counter_corrected;
    assign failed      = (read_i && flit_failed) || counter_failed;
  end else begin : gen_no_codes
    logic unused;
    assign unused      = ^{flit_corrected, flit_failed, counter_corrected, counter_failed};
    assign corrected_o = 1'b0;
    assign failed      = 1'b0;
  end

  polycast_protected_counter #(
    .CreditBits(CreditBits),
    .Protection(ProtectCredits)
  ) i_credit_counter (
    .clk_i,
    .rst_ni,
    .clear_i    (credits_we_i),
    .credits_i,
    .spend_i    (read_i && read_starts_chunk_i),
    .credit_i,
    .upset_i    (upset_credits_i),
    .outstanding_o,
    .left_o     (credit_left_o),
    .overflow_o (credit_overflow),
    .corrected_o(counter_corrected),
    .failed_o   (counter_failed)
  );

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorCreditOverflow] = credit_overflow;
    error_o[polycast_pkg::ErrorSoftError]      = failed;
  end

  // One flit is read at most: the code is looked at here, and not at every reader of every buffer.
  polycast_memory_decode #(
    .Width     (FlitBits),
    .Protection(ProtectBuffers)
  ) i_decode (
    .stored_i   (read_data_i),
    .data_o     (stored),
    .corrected_o(flit_corrected),
    .failed_o   (flit_failed)
  );

  polycast_header_rewrite #(
    .FlitBytes      (FlitBytes),
    .MaxHosts       (MaxHosts),
    .HeaderFree     (HeaderFree),
    .HeaderFlitsBits(HeaderFlitsBits),
    .HeaderPinBits  (HeaderPinBits)
  ) i_header_rewrite (
    .valid_i            (read_i),
    .index_i            (index_q),
    .data_i             (stored),
    .header_i           (read_header_i),
    .mask_i             (read_tree_i && rewrite_i),
    .advance_i          (read_advance_i),
    .is_up_i,
    .is_down_i,
    .reach_i,
    .tree_header_flits_i,
    .data_o             (data),
    .header_o           (header)
  );

  // What says nothing is zero.
  always_comb begin
    pipe_in = '0;
    if (read_i) pipe_in = {1'b1, head, read_tail_i, data, head ? header : '0};
  end

  polycast_pipe #(
    .Width (PipeBits),
    .Stages(XbarStages + 1)
  ) i_pipe (
    .clk_i,
    .rst_ni,
    .data_i (pipe_in),
    .data_o ({flit_valid_o, flit_head_o, flit_tail_o, flit_data_o, flit_header_o}),
    .empty_o
  );

`ifndef SYNTHESIS
  HolderIsOneHot: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(hold_o))
    else $error("an output is held twice");
  ReadOnlyWhileHeld:
      assert property (@(posedge clk_i) disable iff (!rst_ni) read_i |-> hold_o != '0)
    else $error("a flit was read for an output that is not held");
  TreeWormsHaveNoNextStop: assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_i |-> !(read_tree_i && read_advance_i))
    else $error("a tree worm goes on to the next stop of a list");
  SilentIsZero: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (flit_valid_o || (!flit_head_o && !flit_tail_o && flit_data_o == '0)) &&
          (flit_head_o || flit_header_o == '0))
    else $error("an output that says nothing is not zero");
`endif

endmodule

`default_nettype wire
