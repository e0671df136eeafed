// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Finds the branches of a packet from its header: section "Route" of
/// hw/chips/vl_switch/vl_switch.md. Combinational.
module polycast_vl_decode #(
  /// Ports of the switch.
  parameter int unsigned NumPorts   = 8,
  /// Virtual lanes.
  parameter int unsigned NumVls     = 2,
  /// Number of this input.
  parameter int unsigned Number     = 0,
  /// Bits of a header.
  parameter int unsigned HeaderBits = polycast_pkg::CommonHeaderBits + polycast_pkg::DlidBits + 8
) (
  /// There is a header to decode; otherwise all outputs are zero.
  input  wire logic                                     valid_i,
  /// The packet ended before its header.
  input  wire logic                                     short_i,
  /// The header.
  input  wire logic [HeaderBits-1:0]                    header_i,
  /// Lanes that exist behind each output; port 0 in the lowest bits.
  input  wire logic [NumPorts*NumVls-1:0]               exists_i,
  /// The unicast table is read.
  output logic                                          lookup_lft_o,
  /// The multicast table is read.
  output logic                                          lookup_mft_o,
  /// The LID, or the number of the group.
  output logic      [polycast_pkg::DlidBits-1:0]        lookup_index_o,
  /// Entry of the unicast table.
  input  wire logic [polycast_vl_pkg::LftBits-1:0]      lft_i,
  /// Entry of the multicast table; zero where there is none.
  input  wire logic [NumPorts-1:0]                      mft_i,
  /// The service level.
  output logic      [polycast_pkg::SlBits-1:0]          sl_o,
  /// Lanes that it has at the outputs.
  input  wire logic [NumPorts*polycast_vl_pkg::VlBits-1:0] vl_i,
  /// Branches; none: the packet is dropped.
  output logic      [NumPorts-1:0]                      ports_o,
  /// There is no such kind of packet.
  output logic                                          bad_kind_o,
  /// No port leads to the destination.
  output logic                                          no_route_o,
  /// Some ports of a group are open; they get no copy.
  output logic                                          partial_route_o,
  /// The route goes back to the port of arrival.
  output logic                                          looping_o,
  /// Some ports do not have the lane; they get no copy.
  output logic                                          vl_dropped_o
);

  localparam int unsigned VlBits = polycast_vl_pkg::VlBits;

  polycast_pkg::header_t     common;
  polycast_pkg::lid_header_t lid;

  assign {lid, common} = header_i;

  logic                decode, multicast;
  logic [NumPorts-1:0] open, here, wanted, left, with_lane;

  assign decode    = valid_i && !short_i && common.kind == polycast_pkg::KindLid;
  assign multicast = lid.dlid >= polycast_vl_pkg::FirstMlid;
  assign here      = NumPorts'(1) << Number;

  assign lookup_lft_o   = decode && !multicast;
  assign lookup_mft_o   = decode && multicast;
  assign lookup_index_o = multicast ? lid.dlid - polycast_vl_pkg::FirstMlid : lid.dlid;
  assign sl_o           = lid.sl;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [(1<<VlBits)-1:0] lanes;

    assign lanes        = (1<<VlBits)'(exists_i[p*NumVls+:NumVls]);
    assign open[p]      = exists_i[p*NumVls+:NumVls] == '0;
    assign with_lane[p] = lanes[vl_i[p*VlBits+:VlBits]];
  end

  always_comb begin
    wanted          = '0;
    left            = '0;
    no_route_o      = 1'b0;
    partial_route_o = 1'b0;
    looping_o       = 1'b0;
    if (decode) begin
      if (multicast) begin
        wanted          = mft_i & ~here;
        left            = wanted & ~open;
        no_route_o      = mft_i == '0;
        partial_route_o = wanted != left;
      end else begin
        for (int unsigned p = 0; p < NumPorts; p++) begin
          wanted[p] = lft_i == polycast_vl_pkg::LftBits'(p + 1) && !open[p];
        end
        no_route_o = wanted == '0;
        looping_o  = wanted == here;
        left       = wanted & ~here;
      end
    end
    ports_o      = left & with_lane;
    vl_dropped_o = ports_o != left;
    bad_kind_o   = valid_i && !short_i && common.kind != polycast_pkg::KindLid;
  end

  logic unused;
  assign unused = ^{common, lid};

`ifndef SYNTHESIS
  always_comb NeverBack:
      assert final (!ports_o[Number])
      else $error("a packet goes back by the port of its arrival");
`endif

endmodule

`default_nettype wire
