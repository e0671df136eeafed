// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Cover points of a credit counter.
module polycast_credit_counter_cover (
  /// Clock.
  input wire logic clk_i,
  /// Asynchronous reset, active low.
  input wire logic rst_ni,
  /// Pins of polycast_credit_counter, here and below.
  input wire logic spend_i,
  input wire logic credit_i,
  input wire logic left_o,
  input wire logic overflow_o
);

  NoneLeft: cover property (@(posedge clk_i) disable iff (!rst_ni) !left_o);
  ComesWhileNoneIsLeft: cover property (@(posedge clk_i) disable iff (!rst_ni) credit_i && !left_o);
  SpentWhileOneComes: cover property (@(posedge clk_i) disable iff (!rst_ni) spend_i && credit_i);
  TooMany: cover property (@(posedge clk_i) disable iff (!rst_ni) overflow_o);

endmodule

bind polycast_credit_counter polycast_credit_counter_cover i_cover (
  .*
);

`default_nettype wire
