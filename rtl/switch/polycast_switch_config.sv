// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Configuration registers and tables of routes of the switch behind the configuration bus; the map
/// is in hw/format/packet.yaml. Nothing here is reset: a switch keeps its configuration. Indexes
/// that do not exist are ignored.
module polycast_switch_config #(
  /// Ports of the switch.
  parameter int unsigned NumPorts        = 8,
  /// Longest bit string and size of the unicast tables.
  parameter int unsigned MaxHosts        = 32,
  /// Size of the tables of routes to switches.
  parameter int unsigned MaxSwitches     = 32,
  /// Bits of a number of chunks.
  parameter int unsigned ChunkCountBits  = 7,
  /// Bits of a packet limit.
  parameter int unsigned FlitCountBits   = 20,
  /// Bits of a number of header flits.
  parameter int unsigned HeaderFlitsBits = 12,
  /// Bits of a routing delay.
  parameter int unsigned DelayBits       = 4,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits      = 16,
  /// Bits of a bit string in whole configuration words.
  parameter int unsigned WordBits        = 32,
  /// Code of routes and bit strings, `polycast_pkg::Protection...`.
  parameter int unsigned Protection      = 32'(polycast_pkg::ProtectionNone),
  /// Sources in the table of who may send at which port; 0: there is none.
  parameter int unsigned MaxSources      = 0
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
  /// Which input an output takes.
  output logic      [polycast_pkg::ArbitrationBits-1:0] arbitration_o,
  /// Which of several equally good ports a packet takes.
  output logic      [polycast_pkg::SelectionBits-1:0]   selection_o,
  /// Which of several up ports a tree worm takes.
  output logic      [polycast_pkg::SelectionBits-1:0]   up_selection_o,
  /// Each copy of a tree worm keeps only the hosts behind its port.
  output logic                                          rewrite_o,
  /// Number of this switch in the headers of worms.
  output logic      [polycast_pkg::StopSwitchBits-1:0]  switch_number_o,
  /// Longest packet in flits.
  output logic      [FlitCountBits-1:0]                 packet_limit_o,
  /// Header flits of a tree worm.
  output logic      [HeaderFlitsBits-1:0]               tree_header_flits_o,
  /// Ports that lead down.
  output logic      [NumPorts-1:0]                      is_down_o,
  /// Ports that lead up.
  output logic      [NumPorts-1:0]                      is_up_o,
  /// Those of them that tree worms may take.
  output logic      [NumPorts-1:0]                      tree_up_o,
  /// Chunks of each input buffer that may be used.
  output logic      [NumPorts*ChunkCountBits-1:0]       usable_o,
  /// Chunks behind each output.
  output logic      [NumPorts*CreditBits-1:0]           credits_o,
  /// They are being written.
  output logic      [NumPorts-1:0]                      credits_we_o,
  /// Hosts that can be reached going down.
  output logic      [WordBits-1:0]                      reach_total_o,
  /// Hosts behind each port.
  output logic      [NumPorts*WordBits-1:0]             reach_port_o,
  /// Inputs that look a host up.
  input  wire logic [NumPorts-1:0]                      lookup_host_i,
  /// Inputs that look a switch up; none of those above.
  input  wire logic [NumPorts-1:0]                      lookup_switch_i,
  /// In the table of packets that may still go up, not in the other.
  input  wire logic [NumPorts-1:0]                      lookup_up_i,
  /// The host.
  input  wire logic [NumPorts*polycast_pkg::DestinationBits-1:0] lookup_destination_i,
  /// The switch.
  input  wire logic [NumPorts*polycast_pkg::StopSwitchBits-1:0] lookup_stop_i,
  /// Minimal next ports to it; zero for inputs that do not look up.
  output logic      [NumPorts*NumPorts-1:0]             lookup_mask_o,
  /// What an input looks up is corrected, or a bit string (of port 0: or the total).
  output logic      [NumPorts-1:0]                      corrected_o,
  /// Errors of each port in this cycle: it cannot be.
  output logic      [NumPorts*polycast_pkg::NumErrors-1:0] error_o,
  /// A header is complete at each input: may its source send here?
  input  wire logic [NumPorts-1:0]                      source_valid_i,
  /// Its source.
  input  wire logic [NumPorts*polycast_pkg::SourceBits-1:0] source_i,
  /// It may not.
  output logic      [NumPorts-1:0]                      foreign_o
);

  localparam int unsigned Words    = WordBits / 32;
  localparam int unsigned PortBits = $clog2(NumPorts);
  // Of the table of switches: what a whole configuration index says.
  localparam int unsigned SwitchIndexBits = 23;
  localparam bit          Protected       = Protection != 32'(polycast_pkg::ProtectionNone);
  localparam int unsigned CheckBits       =
      Protection == 32'(polycast_pkg::ProtectionParity) ? (NumPorts + 7) / 8 :
      Protection == 32'(polycast_pkg::ProtectionSecded) ? (NumPorts + 31) / 32 * 7 : 0;

  typedef struct packed {
    logic [NumPorts-1:0][polycast_pkg::DirectionBits-1:0] at;
  } port_directions_t;
  typedef struct packed { logic [NumPorts-1:0][ChunkCountBits-1:0] at; } port_chunk_counts_t;
  typedef struct packed { logic [NumPorts-1:0][CreditBits-1:0] at; } port_credits_t;
  typedef struct packed { logic [NumPorts-1:0][SwitchIndexBits-1:0] at; } port_switch_indices_t;
  typedef struct packed {
    logic [NumPorts-1:0][polycast_pkg::StopSwitchBits-1:0] at;
  } port_stop_switches_t;
  typedef struct packed { logic [Words-1:0][31:0] at; } reach_words_t;
  typedef struct packed { logic [NumPorts*Words-1:0][31:0] at; } port_reach_words_t;
  typedef struct packed {
    logic [31:0] high;
    logic [31:0] low;
  } port_set_words_t;

  port_directions_t direction_q;
  port_chunk_counts_t usable;
  port_credits_t credits;
  port_switch_indices_t lookup_switch_index;
  port_stop_switches_t lookup_stop;
  reach_words_t reach_total;
  port_reach_words_t reach_port;
  port_set_words_t tree_up_q;

  assign lookup_stop = lookup_stop_i;
  assign usable_o = usable;
  assign credits_o = credits;

  polycast_pkg::config_address_t address;
  polycast_pkg::reach_index_t    reach;

  logic                                        port_valid;
  logic [PortBits-1:0]                         port;
  logic [NumPorts*NumPorts-1:0]                host_up_mask, host_down_mask, switch_up_mask,
      switch_down_mask;

  // Of a table of routes a bit that flips.
  logic [polycast_pkg::DestinationBits-1:0]    upset_entry;
  logic [NumPorts+CheckBits-1:0]               upset_unicast_up, upset_unicast_down,
      upset_switch_up, upset_switch_down;
  logic [NumPorts-1:0] failed, host_up_corrected, host_up_failed, host_down_corrected,
      host_down_failed, switch_up_corrected, switch_up_failed, switch_down_corrected,
      switch_down_failed;

  assign address    = cfg_addr_i;
  assign reach      = address.index;
  assign port_valid = address.index < 24'(NumPorts);
  assign port       = PortBits'(address.index);

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i) begin
      unique case (address.region)
        polycast_pkg::CfgRegionGlobal: begin
          unique case (address.index)
            polycast_pkg::CfgGlobalRouteDelay:
                route_delay_o       <= cfg_data_i[DelayBits-1:0];
            polycast_pkg::CfgGlobalArbitration:
                arbitration_o       <= cfg_data_i[polycast_pkg::ArbitrationBits-1:0];
            polycast_pkg::CfgGlobalSelection:
                selection_o         <= cfg_data_i[polycast_pkg::SelectionBits-1:0];
            polycast_pkg::CfgGlobalPacketLimit:
                packet_limit_o      <= cfg_data_i[FlitCountBits-1:0];
            polycast_pkg::CfgGlobalTreeHeaderFlits:
                tree_header_flits_o <= cfg_data_i[HeaderFlitsBits-1:0];
            polycast_pkg::CfgGlobalUpSelection:
                up_selection_o      <= cfg_data_i[polycast_pkg::SelectionBits-1:0];
            polycast_pkg::CfgGlobalRewrite:         rewrite_o           <= cfg_data_i[0];
            polycast_pkg::CfgGlobalSwitchNumber:
                switch_number_o     <= cfg_data_i[polycast_pkg::StopSwitchBits-1:0];
            polycast_pkg::CfgGlobalTreeUpLow:       tree_up_q.low       <= cfg_data_i;
            polycast_pkg::CfgGlobalTreeUpHigh:      tree_up_q.high      <= cfg_data_i;
            default: ;
          endcase
        end
        polycast_pkg::CfgRegionPortDirection: begin
          if (port_valid) begin
            direction_q.at[port] <=
                cfg_data_i[polycast_pkg::DirectionBits-1:0];
          end
        end
        polycast_pkg::CfgRegionBufferChunks: begin
          if (port_valid) usable.at[port] <= cfg_data_i[ChunkCountBits-1:0];
        end
        polycast_pkg::CfgRegionCredits: begin
          if (port_valid) credits.at[port] <= cfg_data_i[CreditBits-1:0];
        end
        polycast_pkg::CfgRegionReachTotal: begin
          if (address.index < 24'(Words) && !Protected) begin
            reach_total.at[32'(address.index)] <= cfg_data_i;
          end
        end
        polycast_pkg::CfgRegionReachPort: begin
          if (reach.port < 8'(NumPorts) && reach.word < 16'(Words) && !Protected) begin
            reach_port.at[32'(reach.port)*Words+32'(reach.word)] <= cfg_data_i;
          end
        end
`ifndef SYNTHESIS
        polycast_pkg::CfgRegionUpset: begin
          if (cfg_data_i[31:24] == 8'(polycast_pkg::UpsetMemoryReach) && !Protected) begin
            if (address.index == '0) begin
              reach_total.at[32'(cfg_data_i[23:5])] <=
                  reach_total.at[32'(cfg_data_i[23:5])] ^ (32'd1 << cfg_data_i[4:0]);
            end else begin
              reach_port.at[(32'(address.index)-1)*Words+32'(cfg_data_i[23:5])] <=
                  reach_port.at[(32'(address.index)-1)*Words+32'(cfg_data_i[23:5])] ^
                  (32'd1 << cfg_data_i[4:0]);
            end
          end
        end
`endif
        default: ;
      endcase
    end
  end

`ifdef SYNTHESIS
  assign upset_entry        = '0;
  assign upset_unicast_up   = '0;
  assign upset_unicast_down = '0;
  assign upset_switch_up    = '0;
  assign upset_switch_down  = '0;
`else
  logic [NumPorts+CheckBits-1:0] upset_port;
  assign upset_entry = polycast_pkg::DestinationBits'(address.index[23:2]);
  assign upset_port  = cfg_valid_i && address.region == polycast_pkg::CfgRegionUpset &&
      cfg_data_i[31:24] == 8'(polycast_pkg::UpsetMemoryRoutes) ?
      (NumPorts + CheckBits)'(1) << cfg_data_i[23:0] : '0;
  assign upset_unicast_up   = address.index[1:0] == 2'd0 ? upset_port : '0;
  assign upset_unicast_down = address.index[1:0] == 2'd1 ? upset_port : '0;
  assign upset_switch_up    = address.index[1:0] == 2'd2 ? upset_port : '0;
  assign upset_switch_down  = address.index[1:0] == 2'd3 ? upset_port : '0;
`endif

  assign tree_up_o = NumPorts'(tree_up_q) & is_up_o;
  logic unused;
  assign unused = ^tree_up_q;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [polycast_pkg::DirectionBits-1:0] direction;
    assign direction       = direction_q.at[p];
    assign is_down_o[p]    = direction == polycast_pkg::DirectionDown;
    assign is_up_o[p]      = direction == polycast_pkg::DirectionUp;
    assign credits_we_o[p] = cfg_valid_i && address.region == polycast_pkg::CfgRegionCredits &&
        address.index == 24'(p);
  end

  polycast_port_table #(
    .NumPorts  (NumPorts),
    .NumEntries(MaxHosts),
    .IndexBits (polycast_pkg::DestinationBits),
    .Protection(Protection)
  ) i_unicast_up (
    .clk_i,
    .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionUnicastUp),
    .index_i       ({1'b0, address.index}),
    .data_i        (cfg_data_i),
    .upset_i       (upset_unicast_up),
    .upset_index_i (upset_entry),
    .lookup_i      (lookup_host_i & lookup_up_i),
    .lookup_index_i(lookup_destination_i),
    .mask_o        (host_up_mask),
    .corrected_o   (host_up_corrected),
    .failed_o      (host_up_failed)
  );

  polycast_port_table #(
    .NumPorts  (NumPorts),
    .NumEntries(MaxHosts),
    .IndexBits (polycast_pkg::DestinationBits),
    .Protection(Protection)
  ) i_unicast_down (
    .clk_i,
    .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionUnicastDown),
    .index_i       ({1'b0, address.index}),
    .data_i        (cfg_data_i),
    .upset_i       (upset_unicast_down),
    .upset_index_i (upset_entry),
    .lookup_i      (lookup_host_i & ~lookup_up_i),
    .lookup_index_i(lookup_destination_i),
    .mask_o        (host_down_mask),
    .corrected_o   (host_down_corrected),
    .failed_o      (host_down_failed)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_switch_index
    assign lookup_switch_index.at[p] =
        SwitchIndexBits'(lookup_stop.at[p]);
  end

  polycast_port_table #(
    .NumPorts  (NumPorts),
    .NumEntries(MaxSwitches),
    .IndexBits (SwitchIndexBits),
    .Protection(Protection)
  ) i_switch_up (
    .clk_i,
    .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionSwitchUp),
    .index_i       (address.index),
    .data_i        (cfg_data_i),
    .upset_i       (upset_switch_up),
    .upset_index_i (SwitchIndexBits'(upset_entry)),
    .lookup_i      (lookup_switch_i & lookup_up_i),
    .lookup_index_i(lookup_switch_index),
    .mask_o        (switch_up_mask),
    .corrected_o   (switch_up_corrected),
    .failed_o      (switch_up_failed)
  );

  polycast_port_table #(
    .NumPorts  (NumPorts),
    .NumEntries(MaxSwitches),
    .IndexBits (SwitchIndexBits),
    .Protection(Protection)
  ) i_switch_down (
    .clk_i,
    .we_i          (cfg_valid_i && address.region == polycast_pkg::CfgRegionSwitchDown),
    .index_i       (address.index),
    .data_i        (cfg_data_i),
    .upset_i       (upset_switch_down),
    .upset_index_i (SwitchIndexBits'(upset_entry)),
    .lookup_i      (lookup_switch_i & ~lookup_up_i),
    .lookup_index_i(lookup_switch_index),
    .mask_o        (switch_down_mask),
    .corrected_o   (switch_down_corrected),
    .failed_o      (switch_down_failed)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_error
    assign error_o[p*polycast_pkg::NumErrors+:polycast_pkg::NumErrors] =
        polycast_pkg::NumErrors'(failed[p]) << polycast_pkg::ErrorSoftError;
  end

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

  assign lookup_mask_o = host_up_mask | host_down_mask | switch_up_mask | switch_down_mask;

  if (Protected) begin : gen_protected
    logic unused_reach;
    assign unused_reach = ^{reach_total, reach_port};

    logic [NumPorts-1:0] string_corrected, string_failed;

    logic        write_total, write_port;
    logic [31:0] string_number, string_word;
    assign write_total   =
        cfg_valid_i && address.region == polycast_pkg::CfgRegionReachTotal;
    assign write_port    = cfg_valid_i && address.region == polycast_pkg::CfgRegionReachPort;
    assign string_number = write_total ? '0 : 32'(reach.port) + 1;
    assign string_word   = write_total ? 32'(address.index) : 32'(reach.word);

    polycast_protected_strings #(
      .NumPorts  (NumPorts),
      .Words     (Words),
      .Protection(Protection)
    ) i_strings (
      .clk_i,
      .we_i          (write_total || write_port),
      .string_i      (string_number),
      .word_i        (string_word),
      .data_i        (cfg_data_i),
      .upset_i       (cfg_valid_i && address.region == polycast_pkg::CfgRegionUpset &&
          cfg_data_i[31:24] == 8'(polycast_pkg::UpsetMemoryReach)),
      .upset_string_i(32'(address.index)),
      .upset_bit_i   (32'(cfg_data_i[23:0])),
      .upset_hosts_i (32'(MaxHosts)),
      .total_o       (reach_total_o),
      .port_o        (reach_port_o),
      .corrected_o   (string_corrected),
      .failed_o      (string_failed)
    );

    assign corrected_o = host_up_corrected | host_down_corrected | switch_up_corrected |
        switch_down_corrected | string_corrected;
    assign failed      = host_up_failed | host_down_failed | switch_up_failed |
        switch_down_failed | string_failed;
  end else begin : gen_plain
    assign reach_total_o = reach_total;
    assign reach_port_o  = reach_port;
    assign corrected_o   = '0;
    assign failed        = '0;
    logic unused_codes;
    assign unused_codes = ^{host_up_corrected, host_up_failed, host_down_corrected,
        host_down_failed, switch_up_corrected, switch_up_failed, switch_down_corrected,
        switch_down_failed};
  end

`ifndef SYNTHESIS
  DownIsNotUp:
      assert property (@(posedge clk_i) (is_down_o & is_up_o) == '0 && (tree_up_o & ~is_up_o) == '0)
    else $error("a port leads up and down, or tree worms go up a port that does not");
  OneTableEach: assert property (@(posedge clk_i) (lookup_host_i & lookup_switch_i) == '0)
    else $error("an input looks up a host and a switch at once");
`endif

endmodule

`default_nettype wire
