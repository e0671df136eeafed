// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of the framer: the states in which flits are dropped without an error of their own.
module polycast_packet_framer_cover (
  /// Clock.
  input wire logic clk_i,
  /// Asynchronous reset, active low.
  input wire logic rst_ni,
  /// Signals of polycast_packet_framer, here and below.
  input wire logic valid_i,
  input wire logic head_i,
  input wire logic tail_i,
  input wire logic discard_q,
  input wire logic dead_q
);

  DropsWhileDead: cover property (@(posedge clk_i) disable iff (!rst_ni) valid_i && dead_q);
  DropsRestOfLongPacket:
      cover property (@(posedge clk_i) disable iff (!rst_ni) valid_i && discard_q && !tail_i);
  RestOfLongPacketEnds:
      cover property (@(posedge clk_i) disable iff (!rst_ni) valid_i && discard_q && tail_i);
  HeadInRestOfLongPacket:
      cover property (@(posedge clk_i) disable iff (!rst_ni) valid_i && discard_q && head_i);

endmodule

bind polycast_packet_framer polycast_packet_framer_cover i_cover (
  .*
);

`default_nettype wire
