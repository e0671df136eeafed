// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// What a link end counts, by the public names, in the order of hw/chips/link/link_counters.h.
module polycast_link_counters #(
  /// Bits of a place in the ring.
  parameter int unsigned PlaceBits  = 7,
  /// Bits of a number of frames.
  parameter int unsigned FramesBits = 5,
  /// Some memory has a code.
  parameter bit          Codes      = 1'b0,
  /// Counters; derived, do not set.
  parameter int unsigned NumCounts  = 36
) (
  /// Clock.
  input  wire logic clk_i,
  /// Asynchronous reset, active low: all are zero.
  input  wire logic rst_ni,
  /// What happens in this cycle, and how much of it.
  input  wire polycast_link_pkg::tx_events_t tx_i,
  input  wire polycast_link_pkg::rx_events_t rx_i,
  input  wire logic [PlaceBits-1:0]  discarded_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] repaired_i,
  /// Units beyond the wire, and that one more is sent.
  input  wire logic [polycast_link_pkg::NumberBits+3:0] beyond_i,
  input  wire logic                  begun_i,
  /// Flits in the ring where one is written; outstanding frames where one is sent.
  input  wire logic                  wrote_i,
  input  wire logic [PlaceBits-1:0]  ring_i,
  input  wire logic                  pushed_i,
  input  wire logic [FramesBits-1:0] outstanding_i,
  /// The counters, the first in the lowest bits.
  output logic      [NumCounts*polycast_link_pkg::CountBits-1:0] counts_o
);

  localparam int unsigned CountBits = polycast_link_pkg::CountBits;

  // Behind them what codes found.
  localparam int unsigned Plain = NumCounts - 2;

  typedef struct packed { logic [Plain-1:0][CountBits-1:0] at; } counts_t;

  counts_t              counts_q, counts_d, add;
  logic [CountBits-1:0] beyond_begun;

  assign beyond_begun = CountBits'(beyond_i) + CountBits'(begun_i);

  always_comb begin
    add        = '0;
    add.at[0]  = CountBits'(tx_i.init);
    add.at[1]  = CountBits'(rx_i.echo);
    add.at[2]  = CountBits'(rx_i.ack);
    add.at[3]  = CountBits'(rx_i.nack);
    add.at[4]  = CountBits'(rx_i.init_received);
    add.at[5]  = CountBits'(tx_i.echo_received);
    add.at[6]  = CountBits'(tx_i.ack_received);
    add.at[7]  = CountBits'(tx_i.nack_received);
    add.at[8]  = CountBits'(discarded_i);
    add.at[9]  = CountBits'(tx_i.ok);
    add.at[10] = CountBits'(tx_i.replayed);
    add.at[11] = CountBits'(rx_i.ok);
    add.at[12] = CountBits'(rx_i.bad);
    add.at[13] = CountBits'(rx_i.poisoned);
    add.at[14] = CountBits'(rx_i.expected_good);
    add.at[15] = CountBits'(rx_i.expected_bad);
    add.at[16] = CountBits'(rx_i.missing);
    add.at[17] = CountBits'(rx_i.duplicate);
    add.at[18] = CountBits'(rx_i.replay);
    add.at[19] = CountBits'(tx_i.number_error);
    add.at[20] = CountBits'(rx_i.cf_update);
    add.at[21] = CountBits'(tx_i.cf_update_received);
    add.at[22] = CountBits'(tx_i.cc_update);
    add.at[23] = CountBits'(rx_i.cc_update_received);
    add.at[26] = CountBits'(tx_i.resent);
    add.at[27] = CountBits'(tx_i.timeout);
    add.at[28] = CountBits'(rx_i.bad_set);
    add.at[29] = CountBits'(tx_i.credit_error) + CountBits'(rx_i.credit_error);
    add.at[30] = CountBits'(repaired_i);
    add.at[31] = CountBits'(tx_i.lifetime_discard);
    for (int unsigned c = 0; c < Plain; c++) counts_d.at[c] = counts_q.at[c] + add.at[c];
    counts_d.at[24] = '0;  // a level
    if (begun_i && beyond_begun > counts_q.at[25]) counts_d.at[25] = beyond_begun;
    if (pushed_i && CountBits'(outstanding_i) > counts_q.at[32]) begin
      counts_d.at[32] = CountBits'(outstanding_i);
    end
    if (wrote_i && CountBits'(ring_i) > counts_q.at[33]) counts_d.at[33] = CountBits'(ring_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counts_q <= '0;
    end else begin
      counts_q <= counts_d;
    end
  end

  counts_t counts;
  always_comb begin
    counts        = counts_q;
    counts.at[24] = CountBits'(beyond_i);
  end
  assign counts_o[Plain*CountBits-1:0] = counts;

  if (Codes) begin : gen_codes
    logic [CountBits-1:0] corrected_q, soft_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        corrected_q <= '0;
        soft_q      <= '0;
      end else begin
        corrected_q <= corrected_q + CountBits'(tx_i.corrected || rx_i.corrected);
        soft_q      <= soft_q + CountBits'(tx_i.soft_error || rx_i.soft_error);
      end
    end
    assign counts_o[Plain*CountBits+:2*CountBits] = {soft_q, corrected_q};
  end else begin : gen_no_codes
    logic unused;
    assign unused = ^{tx_i.corrected, rx_i.corrected, tx_i.soft_error, rx_i.soft_error};
    assign counts_o[Plain*CountBits+:2*CountBits] = '0;
  end

endmodule

`default_nettype wire
