// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Configuration registers and route table of the router behind the configuration bus; the map is
/// in hw/format/packet.yaml. Nothing here is reset: a router keeps its configuration. Indexes that
/// do not exist are ignored.
module polycast_router_config #(
  /// Ports of the router.
  parameter int unsigned NumPorts      = 5,
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Flits of the buffer of a virtual channel.
  parameter int unsigned VcFlits       = 8,
  /// Dimensions.
  parameter int unsigned Dimensions    = 2,
  /// Nodes of a dimension.
  parameter int unsigned Radix         = 8,
  /// Entries of the route table; 0: there is none.
  parameter int unsigned MaxNodes      = 0,
  /// Packets may choose among the ports of a route.
  parameter bit          Adaptive      = 1'b0,
  /// Bits of a packet limit.
  parameter int unsigned FlitCountBits = 16,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits     = 4,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits    = 16,
  /// Bits of a number of iterations.
  parameter int unsigned IterationBits = 3,
  /// Code of the route table, `polycast_pkg::Protection...`.
  parameter int unsigned Protection    = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a credit counter with its code.
  parameter int unsigned CounterBits   = CreditBits,
  /// Sources in the table of who may send at which port; 0: there is none.
  parameter int unsigned MaxSources    = 0,
  /// Bits of a coordinate; derived, do not set.
  parameter int unsigned CoordBits     = $clog2(Radix),
  /// Bits of the sets of virtual channels; derived, do not set.
  parameter int unsigned SetTableBits  = 2 * NumVcs << polycast_pkg::VcClassBits
) (
  /// Clock.
  input  wire logic                                         clk_i,
  /// Writes a register.
  input  wire logic                                         cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                                  cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                                  cfg_data_i,
  /// Coordinates of this node.
  output logic      [Dimensions*CoordBits-1:0]              own_o,
  /// Their sum is even.
  output logic                                              even_o,
  /// Dimensions that are rings.
  output logic      [Dimensions-1:0]                        wrap_o,
  /// Routes come from the table.
  output logic                                              table_o,
  /// Cycles of routing.
  output logic      [DelayBits-1:0]                         route_delay_o,
  /// How inputs and outputs find each other.
  output logic      [polycast_pkg::RouterAllocatorBits-1:0] allocator_o,
  /// Iterations of iSLIP.
  output logic      [IterationBits-1:0]                     iterations_o,
  /// Credits that a virtual channel must have to be given to a packet.
  output logic      [CreditBits-1:0]                        reserve_o,
  /// Longest packet in flits.
  output logic      [FlitCountBits-1:0]                     packet_limit_o,
  /// How a packet's virtual channel is chosen.
  output logic      [polycast_pkg::VcPolicyBits-1:0]        policy_o,
  /// Packets choose among the ports of a route.
  output logic                                              choose_o,
  /// By load and credits before they do at random.
  output logic                                              least_loaded_o,
  /// Where the random numbers of the choice begin.
  output logic      [15:0]                                  seed_o,
  /// Flits of each virtual channel's buffer behind each output.
  output logic      [NumPorts*CreditBits-1:0]               credits_o,
  /// They are being written.
  output logic      [NumPorts-1:0]                          credits_we_o,
  /// Ports that are not open.
  output logic      [NumPorts-1:0]                          connected_o,
  /// Some bit of the router flips at the end of the cycle. This and what follows: in simulation.
  output logic                                              upset_o,
  /// It is in the buffers of this port.
  output logic      [NumPorts-1:0]                          upset_buffer_o,
  /// Where the flit is in the memory of its port.
  output logic      [23:0]                                  upset_place_o,
  /// The bit.
  output logic      [23:0]                                  upset_bit_o,
  /// Bits of each credit counter that flip.
  output logic      [NumPorts*NumVcs*CounterBits-1:0]       upset_credits_o,
  /// Set of virtual channels of class c and side s is word 2 * c + s.
  output logic      [SetTableBits-1:0]                      vc_sets_o,
  /// Inputs that look a node up.
  input  wire logic [NumPorts-1:0]                          lookup_i,
  /// The node.
  input  wire logic [NumPorts*polycast_pkg::DestinationBits-1:0] lookup_destination_i,
  /// Ports that lead to it; zero for inputs that do not look up.
  output logic      [NumPorts*NumPorts-1:0]                 lookup_mask_o,
  /// What an input looks up is corrected.
  output logic      [NumPorts-1:0]                          corrected_o,
  /// It cannot be.
  output logic      [NumPorts-1:0]                          failed_o,
  /// A header is complete at each input: may its source send here?
  input  wire logic [NumPorts-1:0]                          source_valid_i,
  /// Its source.
  input  wire logic [NumPorts*polycast_pkg::SourceBits-1:0] source_i,
  /// It may not.
  output logic      [NumPorts-1:0]                          foreign_o
);

  localparam int unsigned PortBits = $clog2(NumPorts);
  localparam int unsigned Sets     = 2 << polycast_pkg::VcClassBits;
  localparam int unsigned SetBits  = $clog2(Sets);

  typedef struct packed { logic [NumPorts-1:0][CreditBits-1:0] at; } port_credits_t;
  typedef struct packed { logic [16-1:0][NumVcs-1:0] at; } count_vcs_t;

  port_credits_t credits;
  count_vcs_t vc_sets;

  assign credits_o = credits;
  assign vc_sets_o = vc_sets;

  polycast_pkg::config_address_t address;

  logic [PortBits-1:0]                       port;
  logic [polycast_pkg::DestinationBits-1:0]  node_q, unit;

  assign address = cfg_addr_i;
  assign port    = PortBits'(address.index);

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i) begin
      unique case (address.region)
        polycast_pkg::CfgRegionGlobal: begin
          unique case (address.index)
            polycast_pkg::CfgGlobalRouteDelay:  route_delay_o  <= cfg_data_i[DelayBits-1:0];
            polycast_pkg::CfgGlobalPacketLimit: packet_limit_o <= cfg_data_i[FlitCountBits-1:0];
            polycast_pkg::CfgGlobalNode:
                node_q         <= cfg_data_i[polycast_pkg::DestinationBits-1:0];
            polycast_pkg::CfgGlobalWrap:        wrap_o         <= cfg_data_i[Dimensions-1:0];
            polycast_pkg::CfgGlobalTable:       table_o        <= cfg_data_i[0];
            polycast_pkg::CfgGlobalAllocator:
                allocator_o    <= cfg_data_i[polycast_pkg::RouterAllocatorBits-1:0];
            polycast_pkg::CfgGlobalIterations:  iterations_o   <= cfg_data_i[IterationBits-1:0];
            polycast_pkg::CfgGlobalReserve:     reserve_o      <= cfg_data_i[CreditBits-1:0];
            polycast_pkg::CfgGlobalPolicy:
                policy_o       <= cfg_data_i[polycast_pkg::VcPolicyBits-1:0];
            default: ;
          endcase
        end
        polycast_pkg::CfgRegionCredits: begin
          if (address.index < 24'(NumPorts)) credits.at[port] <= cfg_data_i[CreditBits-1:0];
        end
        polycast_pkg::CfgRegionVcSet: begin
          if (address.index < 24'(Sets)) begin
            vc_sets.at[SetBits'(address.index)] <= cfg_data_i[NumVcs-1:0];
          end
        end
        default: ;
      endcase
    end
  end

  polycast_coordinates #(
    .Dimensions(Dimensions),
    .Radix     (Radix),
    .NumberBits(polycast_pkg::DestinationBits)
  ) i_coordinates (
    .number_i     (node_q),
    .coordinates_o(own_o),
    .unit_o       (unit)
  );

  always_comb begin
    even_o = 1'b1;
    for (int unsigned d = 0; d < Dimensions; d++) even_o = even_o ^ own_o[d*CoordBits];
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign connected_o[p]  = credits.at[p] != '0;
    assign credits_we_o[p] = cfg_valid_i && address.region == polycast_pkg::CfgRegionCredits &&
        address.index == 24'(p);
  end

  polycast_chip_upset #(
    .NumPorts   (NumPorts),
    .NumFlits   (NumVcs * VcFlits),
    .NumCounters(NumVcs),
    .CounterBits(CounterBits)
  ) i_upset (
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .upset_o,
    .buffer_o (upset_buffer_o),
    .credits_o(upset_credits_o),
    .place_o  (upset_place_o),
    .bit_o    (upset_bit_o)
  );

  polycast_source_door #(
    .NumPorts  (NumPorts),
    .MaxSources(MaxSources)
  ) i_door (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .valid_i  (source_valid_i),
    .source_i,
    .foreign_o
  );

  if (MaxNodes > 0) begin : gen_table
    localparam int unsigned StoredBits = NumPorts +
        (Protection == 32'(polycast_pkg::ProtectionParity) ? (NumPorts + 7) / 8 :
         Protection == 32'(polycast_pkg::ProtectionSecded) ? (NumPorts + 31) / 32 * 7 : 0);

    logic [StoredBits-1:0] upset_ports;

    assign upset_ports =
        upset_o && cfg_data_i[31:24] == 8'(polycast_pkg::UpsetMemoryRoutes) ?
        StoredBits'(1) << upset_bit_o : '0;

    polycast_port_table #(
      .NumPorts  (NumPorts),
      .NumEntries(MaxNodes),
      .IndexBits (polycast_pkg::DestinationBits),
      .Protection(Protection)
    ) i_routes (
      .clk_i,
      .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionNodeRoute),
      .index_i       ({address.index, 1'b0}),
      .data_i        (cfg_data_i),
      .upset_i       (upset_ports),
      .upset_index_i (polycast_pkg::DestinationBits'(address.index)),
      .lookup_i,
      .lookup_index_i(lookup_destination_i),
      .mask_o        (lookup_mask_o),
      .corrected_o,
      .failed_o
    );
  end else begin : gen_no_table
    logic unused_lookup;
    assign unused_lookup = ^{lookup_i, lookup_destination_i};
    assign lookup_mask_o = '0;
    assign corrected_o   = '0;
    assign failed_o      = '0;
  end

  if (Adaptive) begin : gen_choice
    logic [polycast_pkg::RouteSelectBits-1:0] select_q;

    always_ff @(posedge clk_i) begin
      if (cfg_valid_i && address.region == polycast_pkg::CfgRegionGlobal) begin
        if (address.index == polycast_pkg::CfgGlobalSelect) begin
          select_q <= cfg_data_i[polycast_pkg::RouteSelectBits-1:0];
        end
        if (address.index == polycast_pkg::CfgGlobalSeed)   seed_o   <= 16'(cfg_data_i);
      end
    end

    assign choose_o       = table_o && select_q != polycast_pkg::RouteSelectLowest;
    assign least_loaded_o = select_q == polycast_pkg::RouteSelectLeastLoaded;
  end else begin : gen_no_choice
    assign choose_o       = 1'b0;
    assign least_loaded_o = 1'b0;
    assign seed_o         = '0;
  end

  logic unused;
  assign unused = ^{unit, cfg_data_i};

`ifndef SYNTHESIS
  if (MaxNodes == 0) begin : gen_no_table_rule
    NoLookupWithoutATable: assert property (@(posedge clk_i) lookup_i == '0)
      else $error("table routing without a table");
  end
`endif

endmodule

`default_nettype wire
