// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Configuration registers of the broadcast unit behind the configuration bus; the map is in
/// hw/format/packet.yaml. Nothing here is reset. Indexes that do not exist are ignored.
module polycast_broadcast_config #(
  /// Ports.
  parameter int unsigned NumPorts   = 7,
  /// Dimensions.
  parameter int unsigned Dimensions = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix      = 8,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits = 16,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits  = $clog2(Radix),
  /// Bits of the number of a dimension; derived, do not set.
  parameter int unsigned DimBits    = Dimensions > 1 ? $clog2(Dimensions) : 1
) (
  /// Clock.
  input  wire logic                            clk_i,
  /// Writes a register.
  input  wire logic                            cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                     cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                     cfg_data_i,
  /// Coordinates of this node.
  output logic      [Dimensions*CoordBits-1:0] own_o,
  /// Dimensions of the community.
  output logic      [Dimensions-1:0]           dims_o,
  /// Packets go along trees, not colours.
  output logic                                 trees_o,
  /// What a neighbour has is not sent to it.
  output logic                                 maps_o,
  /// Ports that send the last packet first, at the source.
  output logic      [NumPorts-1:0]             reverse_o,
  /// Ports that do so at all other nodes.
  output logic      [NumPorts-1:0]             relay_reverse_o,
  /// Ports with a neighbour.
  output logic      [NumPorts-1:0]             open_o,
  /// Those of them that the unit uses.
  output logic      [NumPorts-1:0]             ports_o,
  /// Dimension of each port.
  output logic      [NumPorts*DimBits-1:0]     dimension_o,
  /// Coordinate of the neighbour there.
  output logic      [NumPorts*CoordBits-1:0]   there_o,
  /// Flits of the host's buffer.
  output logic      [CreditBits-1:0]           host_credits_o,
  /// They are being written.
  output logic                                 host_credits_we_o
);

  localparam int unsigned PortBits = $clog2(NumPorts);

  typedef struct packed { logic [NumPorts-1:0][CoordBits-1:0] at; } port_coords_t;
  typedef struct packed { logic [NumPorts-1:0][DimBits-1:0] at; } port_dims_t;

  port_coords_t there;
  port_dims_t dimension;

  assign there_o = there;
  assign dimension_o = dimension;

  polycast_pkg::config_address_t address;
  polycast_pkg::neighbour_t      neighbour;

  logic [PortBits-1:0]                      port;
  logic [polycast_pkg::DestinationBits-1:0] node_q, unit;

  assign address   = cfg_addr_i;
  assign neighbour = cfg_data_i;
  assign port      = PortBits'(address.index);

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i) begin
      unique case (address.region)
        polycast_pkg::CfgRegionGlobal: begin
          if (address.index == polycast_pkg::CfgGlobalNode) begin
            node_q <= cfg_data_i[polycast_pkg::DestinationBits-1:0];
          end
        end
        polycast_pkg::CfgRegionBroadcast: begin
          unique case (address.index)
            polycast_pkg::BroadcastRegisterDims:
                dims_o          <= cfg_data_i[Dimensions-1:0];
            polycast_pkg::BroadcastRegisterAlgorithm:
                trees_o         <= cfg_data_i[0] == polycast_pkg::BroadcastAlgorithmTrees;
            polycast_pkg::BroadcastRegisterMaps:         maps_o          <= cfg_data_i[0];
            polycast_pkg::BroadcastRegisterReverse:
                reverse_o       <= cfg_data_i[NumPorts-1:0];
            polycast_pkg::BroadcastRegisterOpen:
                open_o          <= cfg_data_i[NumPorts-1:0];
            polycast_pkg::BroadcastRegisterHostCredits:
                host_credits_o  <= cfg_data_i[CreditBits-1:0];
            polycast_pkg::BroadcastRegisterRelayReverse:
                relay_reverse_o <= cfg_data_i[NumPorts-1:0];
            default: ;
          endcase
        end
        polycast_pkg::CfgRegionNeighbour: begin
          if (address.index < 24'(NumPorts)) begin
            there.at[port]     <= CoordBits'(neighbour.coordinate);
            dimension.at[port] <= DimBits'(neighbour.dimension);
          end
        end
        default: ;
      endcase
    end
  end

  assign host_credits_we_o = cfg_valid_i && address.region == polycast_pkg::CfgRegionBroadcast &&
      address.index == polycast_pkg::BroadcastRegisterHostCredits;

  polycast_coordinates #(
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .NumberBits(polycast_pkg::DestinationBits)
  ) i_coordinates (
    .number_i     (node_q),
    .coordinates_o(own_o),
    .unit_o       (unit)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [Dimensions-1:0] across;
    assign across     = Dimensions'(1) << dimension.at[p];
    assign ports_o[p] = open_o[p] && (across & dims_o) != '0;
  end

  logic unused;
  assign unused = ^{unit, cfg_data_i};

endmodule

`default_nettype wire
