// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Registers of the coding unit behind the configuration bus; the map is section `coding` of
/// hw/format/packet.yaml. Nothing here is reset: a unit keeps its configuration. Indexes that do
/// not exist are ignored.
module polycast_coding_config #(
  /// Virtual channels.
  parameter int unsigned NumVcs          = 4,
  /// Contexts.
  parameter int unsigned NumContexts     = 16,
  /// Longest chain.
  parameter int unsigned NumIndices      = 64,
  /// Destinations of all contexts together.
  parameter int unsigned NumDestinations = 64,
  /// Bits of a number of stages.
  parameter int unsigned LatencyBits     = 7,
  /// Bits of a number of credits.
  parameter int unsigned CreditBits      = 16,
  /// Bits of a packet limit.
  parameter int unsigned FlitCountBits   = 17,
  /// Bits of the number of a context; derived, do not set.
  parameter int unsigned ContextBits     = NumContexts > 1 ? $clog2(NumContexts) : 1,
  /// Bits of a number of operands; derived, do not set.
  parameter int unsigned CountBits       = $clog2(NumIndices + 1),
  /// Bits of a number of destinations, one more than there are included; derived, do not set.
  parameter int unsigned DestBits        = $clog2(NumDestinations + 2)
) (
  /// Clock.
  input  wire logic                       clk_i,
  /// Writes a register.
  input  wire logic                       cfg_valid_i,
  /// Region << 24 | index.
  input  wire logic [31:0]                cfg_addr_i,
  /// New value.
  input  wire logic [31:0]                cfg_data_i,
  /// Own number.
  output logic      [23:0]                number_o,
  /// Stages of the XOR pipe.
  output logic      [LatencyBits-1:0]     latency_o,
  /// They are being written.
  output logic                            latency_we_o,
  /// Cycles without progress after which a context is given up; 0: none is.
  output logic      [31:0]                patience_o,
  /// Flits of each virtual channel's buffer at the other end.
  output logic      [CreditBits-1:0]      credits_o,
  /// They are being written.
  output logic                            credits_we_o,
  /// Credits that a virtual channel must have to be given to a packet.
  output logic      [CreditBits-1:0]      reserve_o,
  /// Longest packet in flits.
  output logic      [FlitCountBits-1:0]   packet_limit_o,
  /// Virtual channels that packets of each class may take.
  output logic      [8*NumVcs-1:0]        vc_sets_o,
  /// A context that is looked at for accepting: it encodes, decodes, or is off; its operands.
  input  wire logic [ContextBits-1:0]     context_i,
  output logic                            encode_o,
  output logic                            decode_o,
  output logic      [CountBits-1:0]       count_o,
  /// One that is given up.
  input  wire logic [ContextBits-1:0]     given_context_i,
  output logic                            given_decode_o,
  output logic      [CountBits-1:0]       given_count_o,
  /// One that is worked on.
  input  wire logic [ContextBits-1:0]     work_context_i,
  output logic                            work_decode_o,
  output logic      [CountBits-1:0]       work_count_o,
  /// Its destinations, and of one of them the terminal number.
  output logic      [DestBits-1:0]        work_destinations_o,
  input  wire logic [DestBits-1:0]        work_destination_i,
  output logic      [23:0]                work_terminal_o,
  /// What its packets say, message and tag of index 0.
  output polycast_pkg::transport_t        work_transport_o,
  output logic      [polycast_pkg::VcClassBits-1:0] work_vc_class_o
);

  localparam int unsigned EntryBits = NumDestinations > 1 ? $clog2(NumDestinations) : 1;

  typedef struct packed { logic [8-1:0][NumVcs-1:0] at; } number_vcs_t;

  number_vcs_t vc_sets;

  assign vc_sets_o = vc_sets;

  polycast_pkg::config_address_t address;
  polycast_pkg::context_index_t  register;

  logic [ContextBits-1:0] written;
  logic                   context_we;
  logic [DestBits-1:0]    entries;
  logic [EntryBits-1:0]   entry;

  // Values out of range are kept as one: no mode, no operands, one destination more than there are.
  logic [polycast_pkg::CodingModeBits-1:0] mode_q [NumContexts];
  logic [CountBits-1:0]                    count_q [NumContexts];
  logic [DestBits-1:0]                     first_q [NumContexts];
  logic [DestBits-1:0]                     destinations_q [NumContexts];
  logic [3:0]                              op_q [NumContexts];
  logic [7:0]                              process_q [NumContexts];
  logic [7:0]                              source_process_q [NumContexts];
  logic [7:0]                              lane_q [NumContexts];
  logic [15:0]                             group_q [NumContexts];
  logic [31:0]                             message_q [NumContexts];
  logic [31:0]                             tag_q [NumContexts];
  logic [polycast_pkg::VcClassBits-1:0]    vc_class_q [NumContexts];
  logic [23:0]                             terminal_q [NumDestinations];

  assign address      = cfg_addr_i;
  assign register     = address.index;
  assign context_we   = cfg_valid_i && address.region == polycast_pkg::CodingRegionContext &&
      32'(register.number) < NumContexts;
  assign written      = ContextBits'(register.number);
  assign entries      = cfg_data_i <= NumDestinations ? DestBits'(cfg_data_i) :
      DestBits'(NumDestinations + 1);
  assign latency_we_o = cfg_valid_i && address.region == polycast_pkg::CodingRegionGlobal &&
      address.index == polycast_pkg::CodingGlobalLatency;
  assign credits_we_o = cfg_valid_i && address.region == polycast_pkg::CodingRegionGlobal &&
      address.index == polycast_pkg::CodingGlobalCredits;

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i) begin
      unique case (address.region)
        polycast_pkg::CodingRegionGlobal: begin
          unique case (address.index)
            polycast_pkg::CodingGlobalNumber:      number_o       <= 24'(cfg_data_i);
            polycast_pkg::CodingGlobalLatency:     latency_o      <= cfg_data_i[LatencyBits-1:0];
            polycast_pkg::CodingGlobalPatience:    patience_o     <= cfg_data_i;
            polycast_pkg::CodingGlobalCredits:     credits_o      <= cfg_data_i[CreditBits-1:0];
            polycast_pkg::CodingGlobalReserve:     reserve_o      <= cfg_data_i[CreditBits-1:0];
            polycast_pkg::CodingGlobalPacketLimit: packet_limit_o <= cfg_data_i[FlitCountBits-1:0];
            default: ;
          endcase
        end
        polycast_pkg::CodingRegionVcSet: begin
          if (address.index < 24'd8) vc_sets.at[3'(address.index)] <= cfg_data_i[NumVcs-1:0];
        end
        polycast_pkg::CodingRegionDestination: begin
          if (32'(address.index) < NumDestinations) begin
            terminal_q[EntryBits'(address.index)] <= 24'(cfg_data_i);
          end
        end
        default: ;
      endcase
    end
    if (context_we) begin
      unique case (register.which)
        polycast_pkg::CodingContextMode: mode_q[written] <=
            cfg_data_i <= 32'(polycast_pkg::CodingModeDecode) ?
            cfg_data_i[polycast_pkg::CodingModeBits-1:0] : polycast_pkg::CodingModeOff;
        polycast_pkg::CodingContextCount: count_q[written] <=
            cfg_data_i >= 32'd2 && cfg_data_i <= NumIndices ? CountBits'(cfg_data_i) : '0;
        polycast_pkg::CodingContextFirstDestination: first_q[written]          <= entries;
        polycast_pkg::CodingContextDestinationCount: destinations_q[written]   <= entries;
        polycast_pkg::CodingContextOp:               op_q[written]             <= 4'(cfg_data_i);
        polycast_pkg::CodingContextProcess:          process_q[written]        <= 8'(cfg_data_i);
        polycast_pkg::CodingContextSourceProcess:    source_process_q[written] <= 8'(cfg_data_i);
        polycast_pkg::CodingContextLane:             lane_q[written]           <= 8'(cfg_data_i);
        polycast_pkg::CodingContextGroup:            group_q[written]          <= 16'(cfg_data_i);
        polycast_pkg::CodingContextMessage:          message_q[written]        <= cfg_data_i;
        polycast_pkg::CodingContextTag:              tag_q[written]            <= cfg_data_i;
        polycast_pkg::CodingContextVcClass:
            vc_class_q[written]       <= cfg_data_i[polycast_pkg::VcClassBits-1:0];
        default: ;
      endcase
    end
  end

  logic on;
  always_comb begin
    on = count_q[context_i] != '0 &&
         {1'b0, first_q[context_i]} + {1'b0, destinations_q[context_i]} <=
         (DestBits+1)'(NumDestinations) &&
         vc_sets.at[32'(vc_class_q[context_i])] != '0;
    encode_o = on && mode_q[context_i] == polycast_pkg::CodingModeEncode;
    decode_o = on && mode_q[context_i] == polycast_pkg::CodingModeDecode;
  end

  assign count_o               = count_q[context_i];
  assign given_decode_o        = mode_q[given_context_i] == polycast_pkg::CodingModeDecode;
  assign given_count_o         = count_q[given_context_i];
  assign work_decode_o         = mode_q[work_context_i] == polycast_pkg::CodingModeDecode;
  assign work_count_o          = count_q[work_context_i];
  assign work_destinations_o   = destinations_q[work_context_i];
  assign entry                 = EntryBits'(first_q[work_context_i] + work_destination_i);
  assign work_terminal_o       = terminal_q[entry];
  assign work_vc_class_o       = vc_class_q[work_context_i];

  // What is the same in all packets of the context.
  always_comb begin
    work_transport_o                = '0;
    work_transport_o.op             = op_q[work_context_i];
    work_transport_o.process        = process_q[work_context_i];
    work_transport_o.source_process = source_process_q[work_context_i];
    work_transport_o.lane           = lane_q[work_context_i];
    work_transport_o.group          = group_q[work_context_i];
    work_transport_o.message        = message_q[work_context_i];
    work_transport_o.tag            = tag_q[work_context_i];
  end

endmodule

`default_nettype wire
