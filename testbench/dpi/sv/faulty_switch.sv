// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// A switch in which one bit of one flit that leaves can flip: `+flip_at` is the first cycle in
/// which it may, `+flip_bit` the bit, and `+flip_head` says that it is one of a head; else it is
/// one of a tail.
module faulty_switch #(
  parameter int unsigned NumPorts       = 4,
  parameter int unsigned FlitBytes      = 4,
  parameter int unsigned ChunkFlits     = 4,
  parameter int unsigned NumChunks      = 16,
  parameter int unsigned MaxHosts       = 8,
  parameter bit          HeaderFree     = 1'b0,
  parameter int unsigned ReadPorts      = NumPorts,
  parameter int unsigned XbarStages     = 0,
  parameter int unsigned MaxSwitches    = 4,
  parameter int unsigned HeaderPorts    = 8,
  parameter int unsigned HeaderStops    = 2,
  parameter int unsigned ProtectBuffers = 0,
  parameter int unsigned ProtectRoutes  = 0,
  parameter int unsigned ProtectCredits = 0,
  parameter int unsigned MaxSources     = 0
) (
  input  wire logic                            clk_i,
  input  wire logic                            rst_ni,
  input  wire logic [NumPorts-1:0]             flit_valid_i,
  input  wire logic [NumPorts-1:0]             flit_head_i,
  input  wire logic [NumPorts-1:0]             flit_tail_i,
  input  wire logic [NumPorts*FlitBytes*8-1:0] flit_data_i,
  input  wire logic [NumPorts-1:0]             flit_header_i,
  output logic      [NumPorts-1:0]             credit_o,
  output logic      [NumPorts-1:0]             flit_valid_o,
  output logic      [NumPorts-1:0]             flit_head_o,
  output logic      [NumPorts-1:0]             flit_tail_o,
  output logic      [NumPorts*FlitBytes*8-1:0] flit_data_o,
  output logic      [NumPorts-1:0]             flit_header_o,
  input  wire logic [NumPorts-1:0]             credit_i,
  input  wire logic                            cfg_valid_i,
  input  wire logic [31:0]                     cfg_addr_i,
  input  wire logic [31:0]                     cfg_data_i,
  output logic      [NumPorts*15-1:0]          error_o,
  output logic                                 idle_o,
  output logic      [NumPorts*16-1:0]          probe_occupied_o,
  output logic      [NumPorts*2-1:0]           probe_state_o,
  output logic      [NumPorts*NumPorts-1:0]    probe_waiting_o,
  output logic      [NumPorts*NumPorts-1:0]    probe_reading_o,
  output logic      [NumPorts-1:0]             probe_held_o,
  output logic      [NumPorts*8-1:0]           probe_holder_o,
  output logic      [NumPorts*16-1:0]          probe_credits_o,
  output logic      [NumPorts*16-1:0]          probe_corrected_o
);

  localparam int unsigned FlitBits = FlitBytes * 8;

  logic [NumPorts*FlitBits-1:0] data;

  polycast_switch #(
    .NumPorts(NumPorts), .FlitBytes(FlitBytes), .ChunkFlits(ChunkFlits), .NumChunks(NumChunks),
    .MaxHosts(MaxHosts), .HeaderFree(HeaderFree), .ReadPorts(ReadPorts), .XbarStages(XbarStages),
    .MaxSwitches(MaxSwitches), .HeaderPorts(HeaderPorts), .HeaderStops(HeaderStops),
    .ProtectBuffers(ProtectBuffers), .ProtectRoutes(ProtectRoutes),
    .ProtectCredits(ProtectCredits), .MaxSources(MaxSources)
  ) i_switch (
    .flit_data_o(data),
    .*
  );

  int unsigned cycle_q, flip_at, flip_bit;
  bit          flip, flip_head, flipped_q;
  initial begin
    cycle_q   = 0;
    flipped_q = 1'b0;
    flip      = $value$plusargs("flip_at=%d", flip_at) != 0;
    if ($value$plusargs("flip_bit=%d", flip_bit) == 0) flip_bit = 0;
    flip_head = $test$plusargs("flip_head") != 0;
  end

  logic [NumPorts-1:0] struck;
  always_comb begin
    flit_data_o = data;
    struck      = '0;
    if (flip && !flipped_q && cycle_q >= flip_at) begin
      struck = flit_valid_o & (flip_head ? flit_head_o : flit_tail_o & ~flit_head_o);
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (struck[p]) begin
          flit_data_o[p*FlitBits+flip_bit] = !data[p*FlitBits+flip_bit];
          break;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
    if (struck != '0) flipped_q <= 1'b1;
  end

endmodule

`default_nettype wire
