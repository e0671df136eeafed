// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One output of the VL switch: arbitration, hold until the tail, credits of each virtual lane,
/// crossbar and output registers. Steps 3, 4 and 6 of hw/chips/vl_switch/vl_switch.md.
module polycast_vl_output #(
  /// Ports of the switch.
  parameter int unsigned NumPorts      = 8,
  /// Virtual lanes.
  parameter int unsigned NumVls        = 2,
  /// Bytes of a flit.
  parameter int unsigned FlitBytes     = 1,
  /// Pipeline registers in the crossbar, before the output register.
  parameter int unsigned XbarStages    = 0,
  /// There are tables of virtual lane arbitration.
  parameter bit          Weighted      = 1'b0,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits = 20,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits    = 16,
  /// Bits of the header pins.
  parameter int unsigned HeaderPinBits = 1,
  /// Input lanes; derived, do not set.
  parameter int unsigned InputVls      = NumPorts * NumVls
) (
  /// Clock.
  input  wire logic                                     clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                                     rst_ni,
  /// Which packet of a lane to take.
  input  wire logic [polycast_pkg::ArbitrationBits-1:0] arbitration_i,
  /// Lanes are chosen by the tables, not in turn.
  input  wire logic                                     weighted_i,
  /// Table of high priority.
  input  wire logic [polycast_vl_pkg::TableBits-1:0]     high_i,
  /// Table of low priority.
  input  wire logic [polycast_vl_pkg::TableBits-1:0]     low_i,
  /// What high packets may send before a low one.
  input  wire logic [polycast_vl_pkg::HighLimitBits-1:0] high_limit_i,
  /// Chunks of each lane's buffer at the other end; 0: there is no such lane.
  input  wire logic [NumVls*CreditBits-1:0]             credits_i,
  /// The line above is being configured.
  input  wire logic [NumVls-1:0]                        credits_we_i,
  /// Chunks of the longest packet.
  input  wire logic [CreditBits-1:0]                    reserve_i,
  /// Input lanes with a packet for this output that it has not been granted, registered.
  input  wire logic [InputVls-1:0]                      waiting_i,
  /// Lane on which each would leave; of use where it waits.
  input  wire logic [InputVls*polycast_vl_pkg::VlBits-1:0] vl_i,
  /// The input lane granted in this cycle, one-hot.
  output logic      [InputVls-1:0]                      gnt_o,
  /// A flit is read for this output in this cycle.
  input  wire logic                                     read_i,
  /// It is the last of its packet.
  input  wire logic                                     read_tail_i,
  /// It starts a chunk.
  input  wire logic                                     read_starts_chunk_i,
  /// Its data.
  input  wire logic [FlitBytes*8-1:0]                   read_data_i,
  /// Header of its packet, where that goes beside the head flit.
  input  wire logic [HeaderPinBits-1:0]                 read_header_i,
  /// A flit leaves.
  output logic                                          flit_valid_o,
  /// It is the first of its packet.
  output logic                                          flit_head_o,
  /// It is the last of its packet.
  output logic                                          flit_tail_o,
  /// Its lane.
  output logic      [polycast_vl_pkg::VlBits-1:0]       flit_vc_o,
  /// Its data.
  output logic      [FlitBytes*8-1:0]                   flit_data_o,
  /// The header of its packet, where that goes beside the head flit.
  output logic      [HeaderPinBits-1:0]                 flit_header_o,
  /// A chunk has become free at the other end.
  input  wire logic                                     credit_i,
  /// The lane of that chunk.
  input  wire logic [polycast_vl_pkg::VlBits-1:0]       credit_vc_i,
  /// A credit came while none was outstanding.
  output logic                                          credit_overflow_o,
  /// A credit came for a lane that does not exist.
  output logic                                          bad_vc_o,
  /// Nothing is in the crossbar and output registers.
  output logic                                          empty_o,
  /// Lane on which the output is held, registered, one-hot; zero while it is not.
  output logic      [NumVls-1:0]                        held_o,
  /// Number of the input whose packet holds it, registered; zero while none does.
  output logic      [7:0]                               holder_o,
  /// Chunks outstanding of each lane, registered.
  output logic      [NumVls*CreditBits-1:0]             outstanding_o
);

  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned VlBits     = polycast_vl_pkg::VlBits;
  localparam int unsigned PipeBits   = 3 + VlBits + FlitBits + HeaderPinBits;
  // A length in units of 64 bytes.
  localparam int unsigned UnitBits   = FlitCountBits + 1;

  typedef struct packed { logic [NumVls-1:0][CreditBits-1:0] at; } vl_credits_t;

  vl_credits_t credits, outstanding;

  assign credits       = credits_i;
  assign outstanding_o = outstanding;

  logic [NumVls-1:0]        held_q, gnt_vl, hold, usable, credit_vl, overflow;
  logic [7:0]               holder_q, holder_d;
  logic [FlitCountBits-1:0] index_q, index_d;
  logic [UnitBits-1:0]      units;
  logic                     head;
  logic [VlBits-1:0]        vl;
  logic [PipeBits-1:0]      pipe_in;

  polycast_vl_arbiter #(
    .NumPorts(NumPorts),
    .NumVls  (NumVls),
    .Weighted(Weighted),
    .UnitBits(UnitBits)
  ) i_arbiter (
    .clk_i,
    .rst_ni,
    .fixed_i (arbitration_i == polycast_pkg::ArbitrationFixed),
    .weighted_i,
    .high_i,
    .low_i,
    .high_limit_i,
    .free_i  (held_q == '0),
    .waiting_i,
    .vl_i,
    .usable_i(usable),
    .gnt_o,
    .gnt_vl_o(gnt_vl),
    .tail_i  (read_i && read_tail_i),
    .units_i (units)
  );

  // Held until its packet's tail, on one lane.
  assign hold     = held_q | gnt_vl;
  assign held_o   = held_q;
  assign holder_o = holder_q;

  // Number of the flit in its packet.
  assign head    = read_i && index_q == '0;
  assign index_d = !read_i ? index_q : read_tail_i ? '0 : index_q + FlitCountBits'(1);

  always_comb begin
    holder_d = '0;
    if (gnt_o != '0) begin
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (gnt_o[i*NumVls+:NumVls] != '0) holder_d = 8'(i);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= '0;
      holder_q <= '0;
      index_q  <= '0;
    end else begin
      index_q <= index_d;
      if (read_i && read_tail_i) begin
        held_q   <= '0;
        holder_q <= '0;
      end else if (gnt_vl != '0) begin
        held_q   <= gnt_vl;
        holder_q <= holder_d;
      end
    end
  end

  // Length of the packet with this flit, rounded up.
  if (Weighted) begin : gen_units
    localparam int unsigned BytesBits = FlitCountBits + 7;
    logic [BytesBits-1:0] bytes;
    assign bytes = (BytesBits'(index_q) + BytesBits'(1)) * BytesBits'(FlitBytes) + BytesBits'(63);
    assign units = bytes[BytesBits-1:6];

    logic unused;
    assign unused = ^bytes;
  end else begin : gen_no_units
    assign units = '0;
  end

  // Credits.
  if (NumVls == 1) begin : gen_one_vl
    logic unused;
    assign unused    = ^credit_vc_i;
    assign credit_vl = 1'b1;
    assign bad_vc_o  = 1'b0;
  end else begin : gen_vls
    for (genvar w = 0; w < NumVls; w++) begin : gen_credit_vl
      assign credit_vl[w] = credit_vc_i == VlBits'(w);
    end
    assign bad_vc_o = credit_i && credit_vl == '0;
  end

  for (genvar w = 0; w < NumVls; w++) begin : gen_vl
    logic left;

    polycast_credit_counter #(
      .CreditBits(CreditBits)
    ) i_credit_counter (
      .clk_i,
      .rst_ni,
      .clear_i      (credits_we_i[w]),
      .credits_i    (credits.at[w]),
      .spend_i      (read_i && read_starts_chunk_i && hold[w]),
      .credit_i     (credit_i && credit_vl[w]),
      .upset_i      ('0),
      .outstanding_o(outstanding.at[w]),
      .left_o       (left),
      .overflow_o   (overflow[w])
    );

    // Room for the longest packet, or no packet.
    assign usable[w] = credits.at[w] - outstanding.at[w] >= reserve_i;

`ifndef SYNTHESIS
    HeldOutputHasACredit: assert property (@(posedge clk_i) disable iff (!rst_ni)
        read_i && read_starts_chunk_i && hold[w] |-> left)
      else $error("a held output waits for a credit");
`else
    logic unused_left;
    assign unused_left = left;
`endif
  end

  assign credit_overflow_o = overflow != '0;

  // What says nothing is zero.
  always_comb begin
    vl = '0;
    for (int unsigned w = 0; w < NumVls; w++) begin
      if (hold[w]) vl = VlBits'(w);
    end
    pipe_in = '0;
    if (read_i) pipe_in = {1'b1, head, read_tail_i, vl, read_data_i, head ? read_header_i : '0};
  end

  polycast_pipe #(
    .Width (PipeBits),
    .Stages(XbarStages + 1)
  ) i_pipe (
    .clk_i,
    .rst_ni,
    .data_i (pipe_in),
    .data_o ({flit_valid_o, flit_head_o, flit_tail_o, flit_vc_o, flit_data_o, flit_header_o}),
    .empty_o
  );

`ifndef SYNTHESIS
  HeldOnOneLane: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(hold))
    else $error("an output is held on two lanes");
  ReadOnlyWhileHeld:
      assert property (@(posedge clk_i) disable iff (!rst_ni) read_i |-> hold != '0)
    else $error("a flit was read for an output that is not held");
  SilentIsZero: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (flit_valid_o || (!flit_head_o && !flit_tail_o && flit_vc_o == '0 && flit_data_o == '0)) &&
      (flit_head_o || flit_header_o == '0))
    else $error("an output that says nothing is not zero");
  ReserveIsConfigured:
      assert property (@(posedge clk_i) disable iff (!rst_ni) read_i |-> reserve_i != '0)
    else $error("packet_limit is zero");
`endif

endmodule

`default_nettype wire
