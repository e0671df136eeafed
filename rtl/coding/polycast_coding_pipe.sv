// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The XOR pipe: `latency_i` stages that move as one (step 6 of hw/chips/coding/coding_unit.md).
/// They lie
/// in a ring: what moves is the place at which the last stage is read and the first is written.
module polycast_coding_pipe #(
  /// Most stages.
  parameter int unsigned MaxLatency  = 64,
  /// Bits that travel beside `valid`.
  parameter int unsigned Width       = 8,
  /// Bits of a number of stages; derived, do not set.
  parameter int unsigned LatencyBits = MaxLatency > 0 ? $clog2(MaxLatency + 1) : 1
) (
  /// Clock.
  input  wire logic                   clk_i,
  /// Asynchronous reset, active low: it is empty.
  input  wire logic                   rst_ni,
  /// Stages; 0: what comes in goes out in the same cycle.
  input  wire logic [LatencyBits-1:0] latency_i,
  /// It is being configured.
  input  wire logic                   latency_we_i,
  /// All stages move.
  input  wire logic                   move_i,
  /// Something comes in, if they do.
  input  wire logic                   valid_i,
  input  wire logic [Width-1:0]       data_i,
  /// The last stage; undefined data where it is empty.
  output logic                        valid_o,
  output logic      [Width-1:0]       data_o,
  /// Nothing is inside, registered.
  output logic                        empty_o
);

  if (MaxLatency == 0) begin : gen_none
    logic unused;
    assign unused  = ^{clk_i, rst_ni, latency_i, latency_we_i, move_i};
    assign valid_o = valid_i;
    assign data_o  = data_i;
    assign empty_o = 1'b1;
  end else begin : gen_ring
    localparam int unsigned PlaceBits = MaxLatency > 1 ? $clog2(MaxLatency) : 1;

    logic [Width-1:0]      mem_q [MaxLatency];
    logic [MaxLatency-1:0] valid_q;
    logic [PlaceBits-1:0]  place_q;
    logic                  through, moves;

    assign through = latency_i == '0;
    assign moves   = move_i && !through;
    assign valid_o = through ? valid_i : valid_q[place_q];
    assign data_o  = through ? data_i : mem_q[place_q];
    assign empty_o = valid_q == '0;

    always_ff @(posedge clk_i) begin
      if (moves && valid_i) mem_q[place_q] <= data_i;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= '0;
        place_q <= '0;
      end else if (latency_we_i) begin
        place_q <= '0;
      end else if (moves) begin
        valid_q[place_q] <= valid_i;
        place_q          <= LatencyBits'(place_q) + LatencyBits'(1) == latency_i ? '0 :
            place_q + PlaceBits'(1);
      end
    end

`ifndef SYNTHESIS
    PlaceIsInTheRing: assert property (@(posedge clk_i) disable iff (!rst_ni)
        through ? valid_q == '0 : LatencyBits'(place_q) < latency_i)
      else $error("the pipe is read behind its last stage");
`endif
  end

endmodule

`default_nettype wire
