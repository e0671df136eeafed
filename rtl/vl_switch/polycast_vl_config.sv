// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Configuration registers and tables of the VL switch behind the configuration bus; the map is in
/// hw/format/packet.yaml. SL to VL is kept at the inputs. Nothing here is reset: a switch keeps its
/// configuration. Indexes that do not exist are ignored.
module polycast_vl_config #(
  /// Ports of the switch.
  parameter int unsigned NumPorts       = 8,
  /// Virtual lanes.
  parameter int unsigned NumVls         = 2,
  /// Flits of a chunk.
  parameter int unsigned ChunkFlits     = 8,
  /// LIDs of the unicast table.
  parameter int unsigned MaxLids        = 64,
  /// Groups of the multicast table; 0: there is none.
  parameter int unsigned MaxGroups      = 16,
  /// There are tables of virtual lane arbitration.
  parameter bit          Weighted       = 1'b0,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits = 7,
  /// Bits of a packet limit.
  parameter int unsigned FlitCountBits  = 20,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits      = 4,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits     = 16,
  /// Sources in the table of who may send at which port; 0: there is none.
  parameter int unsigned MaxSources     = 0,
  /// Bits of the number of a port; derived, do not set.
  parameter int unsigned PortBits       = $clog2(NumPorts)
) (
  /// Clock.
  input  wire logic                                     clk_i,
  /// Writes a register.
  input  wire logic                                     cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                              cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                              cfg_data_i,
  /// Cycles of routing.
  output logic      [DelayBits-1:0]                     route_delay_o,
  /// Which packet of a lane an output takes.
  output logic      [polycast_pkg::ArbitrationBits-1:0] arbitration_o,
  /// Outputs choose lanes by their tables, not in turn.
  output logic                                          weighted_o,
  /// Longest packet in flits.
  output logic      [FlitCountBits-1:0]                 packet_limit_o,
  /// Its chunks.
  output logic      [CreditBits-1:0]                    reserve_o,
  /// Cycles after which branches that are not granted are given up; 0: never.
  output logic      [polycast_vl_pkg::HoqLifeBits-1:0]  hoq_life_o,
  /// Chunks of each lane of each input that may be used; port 0 in the lowest bits.
  output logic      [NumPorts*NumVls*ChunkCountBits-1:0] usable_o,
  /// Chunks of each lane behind each output.
  output logic      [NumPorts*NumVls*CreditBits-1:0]    credits_o,
  /// They are being written.
  output logic      [NumPorts*NumVls-1:0]               credits_we_o,
  /// They are not zero.
  output logic      [NumPorts*NumVls-1:0]               exists_o,
  /// Table of high priority of each output.
  output logic      [NumPorts*polycast_vl_pkg::TableBits-1:0] high_o,
  /// Table of low priority.
  output logic      [NumPorts*polycast_vl_pkg::TableBits-1:0] low_o,
  /// What high packets may send before a low one.
  output logic      [NumPorts*polycast_vl_pkg::HighLimitBits-1:0] high_limit_o,
  /// Inputs whose lanes of service levels are written.
  output logic      [NumPorts-1:0]                      sl_we_o,
  /// At this output.
  output logic      [PortBits-1:0]                      sl_output_o,
  /// Service levels 8 to 15.
  output logic                                          sl_upper_o,
  /// Inputs that read the unicast table.
  input  wire logic [NumPorts-1:0]                      lookup_lft_i,
  /// Inputs that read the multicast table.
  input  wire logic [NumPorts-1:0]                      lookup_mft_i,
  /// The LID, or the number of the group.
  input  wire logic [NumPorts*polycast_pkg::DlidBits-1:0] lookup_index_i,
  /// Entries of the unicast table.
  output logic      [NumPorts*polycast_vl_pkg::LftBits-1:0] lft_o,
  /// Entries of the multicast table; zero where there is none.
  output logic      [NumPorts*NumPorts-1:0]             mft_o,
  /// A header is complete at each input: may its source send here?
  input  wire logic [NumPorts-1:0]                      source_valid_i,
  /// Its source.
  input  wire logic [NumPorts*polycast_pkg::SourceBits-1:0] source_i,
  /// It may not.
  output logic      [NumPorts-1:0]                      foreign_o
);

  localparam int unsigned PortVls = NumPorts * NumVls;

  typedef struct packed { logic [PortVls-1:0][ChunkCountBits-1:0] at; } port_vl_chunks_t;
  typedef struct packed { logic [PortVls-1:0][CreditBits-1:0] at; } port_vl_credits_t;

  port_vl_chunks_t usable;
  port_vl_credits_t credits;

  assign usable_o  = usable;
  assign credits_o = credits;

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

  polycast_pkg::config_address_t address;
  polycast_pkg::vl_index_t       lane;
  polycast_pkg::sl2vl_index_t    sl;
  logic [polycast_pkg::VlPolicyBits-1:0] policy_q;

  assign address = cfg_addr_i;
  assign lane    = address.index;
  assign sl      = address.index;

  logic unused_index;
  assign unused_index = ^{lane, sl, cfg_data_i};

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i && address.region == polycast_pkg::CfgRegionGlobal) begin
      unique case (address.index)
        polycast_pkg::CfgGlobalRouteDelay:  route_delay_o <= cfg_data_i[DelayBits-1:0];
        polycast_pkg::CfgGlobalArbitration:
            arbitration_o <= cfg_data_i[polycast_pkg::ArbitrationBits-1:0];
        polycast_pkg::CfgGlobalPacketLimit: begin
          packet_limit_o <= cfg_data_i[FlitCountBits-1:0];
          reserve_o      <= CreditBits'((32'(cfg_data_i[FlitCountBits-1:0]) + ChunkFlits - 1) /
              ChunkFlits);
        end
        polycast_pkg::CfgGlobalHoqLife:
            hoq_life_o    <= cfg_data_i[polycast_vl_pkg::HoqLifeBits-1:0];
        polycast_pkg::CfgGlobalVlPolicy:
            policy_q      <= cfg_data_i[polycast_pkg::VlPolicyBits-1:0];
        default: ;
      endcase
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    for (genvar v = 0; v < NumVls; v++) begin : gen_vl
      localparam int unsigned L = p * NumVls + v;
      logic here;

      assign here            = cfg_valid_i && lane.port == 8'(p) && lane.vl == 8'(v);
      assign credits_we_o[L] = here && address.region == polycast_pkg::CfgRegionVlCredits;
      assign exists_o[L]     = credits.at[L] != '0;

      always_ff @(posedge clk_i) begin
        if (here && address.region == polycast_pkg::CfgRegionVlChunks) begin
          usable.at[L] <= cfg_data_i[ChunkCountBits-1:0];
        end
        if (credits_we_o[L]) credits.at[L] <= cfg_data_i[CreditBits-1:0];
      end
    end
  end

  polycast_vl_lft #(
    .NumPorts(NumPorts),
    .MaxLids (MaxLids)
  ) i_lft (
    .clk_i,
    .we_i        (cfg_valid_i && address.region == polycast_pkg::CfgRegionLft),
    .index_i     (address.index),
    .data_i      (cfg_data_i[polycast_vl_pkg::LftBits-1:0]),
    .lookup_i    (lookup_lft_i),
    .lookup_lid_i(lookup_index_i),
    .entry_o     (lft_o)
  );

  if (MaxGroups > 0) begin : gen_mft
    logic [NumPorts-1:0] unused_corrected, unused_failed;

    polycast_port_table #(
      .NumPorts  (NumPorts),
      .NumEntries(MaxGroups),
      .IndexBits (polycast_pkg::DlidBits)
    ) i_mft (
      .clk_i,
      .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionMft &&
          address.index[23:polycast_pkg::DlidBits+1] == '0),
      .index_i       (address.index[polycast_pkg::DlidBits:0]),
      .data_i        (cfg_data_i),
      .upset_i       ('0),
      .upset_index_i ('0),
      .lookup_i      (lookup_mft_i),
      .lookup_index_i(lookup_index_i),
      .mask_o        (mft_o),
      .corrected_o   (unused_corrected),
      .failed_o      (unused_failed)
    );
  end else begin : gen_no_mft
    logic unused_lookup;
    assign unused_lookup = ^lookup_mft_i;
    assign mft_o         = '0;
  end

  // SL to VL.
  assign sl_output_o = PortBits'(sl.port);
  assign sl_upper_o  = sl.half;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_sl
    assign sl_we_o[p] = cfg_valid_i && address.region == polycast_pkg::CfgRegionSl2vl &&
        sl.in == 8'(p) && sl.port < 8'(NumPorts);
  end

  // Arbitration of lanes.
  polycast_pkg::vl_entry_index_t entry;
  assign entry = address.index;

  logic unused_entry;
  assign unused_entry = ^entry;

  if (Weighted) begin : gen_weighted
    localparam int unsigned EntryBits = polycast_vl_pkg::EntryBits;
    localparam int unsigned TableBits = polycast_vl_pkg::TableBits;
    localparam int unsigned LimitBits = polycast_vl_pkg::HighLimitBits;

    assign weighted_o = policy_q == polycast_pkg::VlPolicyWeighted;

    for (genvar p = 0; p < NumPorts; p++) begin : gen_port
      logic here;

      assign here = cfg_valid_i && address.region == polycast_pkg::CfgRegionVlArbitration &&
          entry.port == 8'(p);

      for (genvar e = 0; e < polycast_vl_pkg::TableEntries; e++) begin : gen_entry
        always_ff @(posedge clk_i) begin
          if (here && entry.entry == 6'(e)) begin
            if (entry.low) low_o[p*TableBits+e*EntryBits+:EntryBits] <= EntryBits'(cfg_data_i);
            else           high_o[p*TableBits+e*EntryBits+:EntryBits] <= EntryBits'(cfg_data_i);
          end
        end
      end

      always_ff @(posedge clk_i) begin
        if (cfg_valid_i && address.region == polycast_pkg::CfgRegionVlHighLimit &&
            address.index == 24'(p)) begin
          high_limit_o[p*LimitBits+:LimitBits] <= LimitBits'(cfg_data_i);
        end
      end
    end
  end else begin : gen_in_turn
    logic unused_policy;
    assign unused_policy = ^policy_q;
    assign weighted_o    = 1'b0;
    assign high_o        = '0;
    assign low_o         = '0;
    assign high_limit_o  = '0;
  end

endmodule

`default_nettype wire
