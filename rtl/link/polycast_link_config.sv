// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Registers of a link end behind the configuration bus; the map is section `link` of
/// hw/format/packet.yaml. Only `layer` is reset, when the power comes: an end keeps its
/// configuration, and is off until it is written. Indexes that do not exist are ignored.
module polycast_link_config #(
  /// Virtual channels.
  parameter int unsigned NumVcs = 1
) (
  /// Clock.
  input  wire logic        clk_i,
  /// Writes a register.
  input  wire logic        cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0] cfg_addr_i,
  /// New value.
  input  wire logic [31:0] cfg_data_i,
  /// The registers.
  output polycast_link_pkg::registers_t registers_o,
  /// Units of the buffer behind the other end, and of the own chip's, of each virtual channel.
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] far_credits_o,
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] own_credits_o,
  /// FLUSH is left.
  output logic             leave_flush_o,
  /// A stored bit flips; in simulation only.
  output polycast_link_pkg::upset_t upset_o
);

  localparam int unsigned NumberBits = polycast_link_pkg::NumberBits;
  localparam int unsigned FrameBits  = polycast_link_pkg::FrameBits;
  localparam int unsigned UnitBits   = polycast_link_pkg::UnitBits;

  typedef struct packed { logic [NumVcs-1:0][NumberBits-1:0] at; } numbers_t;

  polycast_pkg::config_address_t address;
  polycast_link_pkg::registers_t registers_q;
  numbers_t                      far_q, own_q;
  logic                          global_we;

  assign address       = cfg_addr_i;
  assign global_we     = cfg_valid_i && address.region == polycast_pkg::LinkRegionGlobal;
  assign leave_flush_o = global_we && address.index == polycast_pkg::LinkGlobalLeaveFlush;
  assign registers_o   = registers_q;

`ifdef SYNTHESIS
  assign upset_o = '0;
`else
  logic upset;
  assign upset            = cfg_valid_i && address.region == polycast_pkg::LinkRegionUpset;
  assign upset_o.counters = upset && cfg_data_i[31:24] == 8'd0;
  assign upset_o.ring     = upset && cfg_data_i[31:24] == 8'd1;
  assign upset_o.index    = address.index;
  assign upset_o.place    = cfg_data_i[23:0];
`endif

  assign far_credits_o = far_q;
  assign own_credits_o = own_q;

  initial begin
    registers_q.on = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (global_we) begin
      unique case (address.index)
        polycast_pkg::LinkGlobalLayer: begin
          registers_q.on    <= cfg_data_i != '0;
          registers_q.retry <= cfg_data_i[1];
        end
        polycast_pkg::LinkGlobalFrame:         registers_q.frame <= cfg_data_i[FrameBits-1:0];
        polycast_pkg::LinkGlobalWindow:        registers_q.window <= cfg_data_i[NumberBits-1:0];
        polycast_pkg::LinkGlobalWindowFlits:   registers_q.window_flits <= cfg_data_i;
        polycast_pkg::LinkGlobalReplayTimer:   registers_q.replay_timer <= cfg_data_i;
        polycast_pkg::LinkGlobalReplayCount:   registers_q.replay_count <= cfg_data_i[7:0];
        polycast_pkg::LinkGlobalAckSpacing:    registers_q.ack_spacing <= cfg_data_i;
        polycast_pkg::LinkGlobalCreditSpacing: registers_q.credit_spacing <= cfg_data_i;
        polycast_pkg::LinkGlobalCreditTimer:   registers_q.credit_timer <= cfg_data_i;
        polycast_pkg::LinkGlobalSignalTimeout: registers_q.signal_timeout <= cfg_data_i;
        polycast_pkg::LinkGlobalAgeTimeout:    registers_q.age_timeout <= cfg_data_i;
        polycast_pkg::LinkGlobalLifetime:      registers_q.lifetime <= cfg_data_i;
        polycast_pkg::LinkGlobalInitAction:    registers_q.init_discard <= cfg_data_i[0];
        polycast_pkg::LinkGlobalFlushAction:   registers_q.flush_discard <= cfg_data_i[0];
        polycast_pkg::LinkGlobalReinit:        registers_q.reinit <= cfg_data_i[0];
        polycast_pkg::LinkGlobalRing:          registers_q.ring <= cfg_data_i;
        polycast_pkg::LinkGlobalFarUnit:       registers_q.far_unit <= cfg_data_i[UnitBits-1:0];
        polycast_pkg::LinkGlobalOwnUnit:       registers_q.own_unit <= cfg_data_i[UnitBits-1:0];
        default: ;
      endcase
    end
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (cfg_valid_i && address.index == 24'(v)) begin
        if (address.region == polycast_pkg::LinkRegionFarCredits) begin
          far_q.at[v] <= cfg_data_i[NumberBits-1:0];
        end
        if (address.region == polycast_pkg::LinkRegionOwnCredits) begin
          own_q.at[v] <= cfg_data_i[NumberBits-1:0];
        end
      end
    end
  end

endmodule

`default_nettype wire
