// SPDX-License-Identifier: Apache-2.0
// For link_delivery.sv: modules that stand for those of the RTL that are proved by themselves.

/// Stands for the module of this name: a frame that holds a spoilt flit is bad. The highest data
/// bit of a flit says that it is spoilt.
module polycast_link_frame_crc #(
  parameter int unsigned FlitBytes   = 8,
  parameter int unsigned HeaderBytes = 0,
  parameter int unsigned FlitBits    = 6 + 8 * (FlitBytes + HeaderBytes)
) (
  input  wire logic [31:0]         crc_i,
  input  wire logic [FlitBits-1:0] flit_i,
  output logic      [31:0]         crc_o
);
  assign crc_o = {31'h7fffffff, crc_i[0] && !flit_i[FlitBits-1]};
endmodule

/// Stands for the module of this name.
module polycast_crc_bytes #(
  parameter int unsigned NumBytes = 4
) (
  input  wire logic [31:0]           crc_i,
  input  wire logic [NumBytes*8-1:0] data_i,
  input  wire logic [NumBytes-1:0]   enable_i,
  output logic      [31:0]           crc_o
);
  assign crc_o = crc_i;
endmodule

/// Stands for the module of this name.
module polycast_link_set_crc (
  input  wire polycast_link_pkg::set_t set_i,
  output logic [15:0]                  crc_o
);
  assign crc_o = '0;
endmodule

/// Stands for the module of this name: messages are due at any time, a flit of the chip is written
/// unless the ring is full. Of the first channel it keeps the number of the last cf_update.
module polycast_link_sources #(
  parameter int unsigned NumVcs = 1,
  parameter int unsigned ProtectCounters = 0
) (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire polycast_link_pkg::registers_t registers_i,
  input  wire polycast_link_pkg::upset_t upset_i,
  input  wire logic [NumVcs*polycast_link_pkg::NumberBits-1:0] credits_i,
  input  wire logic       active_i,
  input  wire logic       flush_i,
  input  wire logic       send_i,
  input  wire logic       send_unit_i,
  input  wire logic [3:0] send_vc_i,
  input  wire logic       message_i,
  input  wire logic       flit_i,
  input  wire logic       head_i,
  input  wire logic       tail_i,
  input  wire logic [3:0] vc_i,
  input  wire logic       full_i,
  input  wire logic       discards_i,
  input  wire logic       refunds_i,
  input  wire logic       update_i,
  input  wire logic [3:0] update_vc_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] number_i,
  input  wire logic       echo_i,
  output logic            message_due_o,
  output logic            cut_o,
  output polycast_link_pkg::message_t message_o,
  output logic            unanswered_o,
  output logic            ignored_o,
  output logic            write_o,
  output logic            begins_unit_o,
  output logic            begins_packet_o,
  output logic            overflow_o,
  output logic            missing_head_o,
  output logic            bad_vc_o,
  output logic            discard_o,
  output logic            lifetime_discard_o,
  output logic            error_o,
  output logic            pulse_o,
  output logic      [3:0] pulse_vc_o,
  output logic      [polycast_link_pkg::NumberBits+3:0] beyond_o,
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] begun_o,
  output logic      [NumVcs*polycast_link_pkg::NumberBits-1:0] freed_o,
  output logic            begun_lost_o,
  output logic            lost_o,
  output logic            corrected_o,
  output logic            failed_o,
  output logic            idle_o
);
  (* anyseq *) logic due;

  logic [polycast_link_pkg::NumberBits-1:0] freed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      freed_q <= '0;
    end else if (update_i && update_vc_i == '0) begin
      freed_q <= number_i;
    end
  end

  assign message_due_o      = due;
  assign cut_o              = 1'b0;
  assign message_o          = '0;
  assign unanswered_o       = 1'b0;
  assign ignored_o          = 1'b0;
  assign write_o            = flit_i && !full_i;
  assign begins_unit_o      = 1'b0;
  assign begins_packet_o    = 1'b0;
  assign overflow_o         = flit_i && full_i;
  assign missing_head_o     = 1'b0;
  assign bad_vc_o           = 1'b0;
  assign discard_o          = 1'b0;
  assign lifetime_discard_o = 1'b0;
  assign error_o            = 1'b0;
  assign pulse_o            = 1'b0;
  assign pulse_vc_o         = '0;
  assign beyond_o           = '0;
  assign begun_o            = '0;
  assign freed_o            = (NumVcs*polycast_link_pkg::NumberBits)'(freed_q);
  assign begun_lost_o       = 1'b0;
  assign lost_o             = 1'b0;
  assign corrected_o        = 1'b0;
  assign failed_o           = 1'b0;
  assign idle_o             = 1'b0;
endmodule

/// Stands for the module of this name: all packets are open, nothing is cut; what is due and the
/// rest of the chip at any time. It counts the chip's credits.
module polycast_link_sink #(
  parameter int unsigned ProtectCounters = 0
) (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic [polycast_link_pkg::UnitBits-1:0] unit_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] repairable_i,
  input  wire logic tell_i,
  input  wire logic credit_i,
  input  wire logic cut_all_i,
  input  wire logic cut_i,
  input  wire logic update_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] number_i,
  input  wire logic flit_i,
  input  wire logic tail_i,
  input  wire logic poisoned_i,
  input  wire logic answer_i,
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_begun_i,
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_freed_i,
  output logic      [polycast_link_pkg::NumberBits-1:0] begun_o,
  output logic      [polycast_link_pkg::NumberBits-1:0] freed_o,
  output logic      due_o,
  output logic      forced_o,
  output logic      credit_overflow_o,
  output logic      open_o,
  output logic      waits_o,
  output logic      poison_o,
  output logic      [polycast_link_pkg::NumberBits-1:0] leak_o,
  output logic      leak_error_o,
  output logic      corrected_o,
  output logic      failed_o,
  output logic      rest_o
);
  (* anyseq *) logic due, rest;

  logic [polycast_link_pkg::NumberBits-1:0] freed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      freed_q <= '0;
    end else begin
      freed_q <= freed_q + polycast_link_pkg::NumberBits'(credit_i);
    end
  end

  assign begun_o           = '0;
  assign freed_o           = freed_q;
  assign due_o             = due;
  assign forced_o          = 1'b0;
  assign credit_overflow_o = 1'b0;
  assign open_o            = 1'b1;
  assign waits_o           = 1'b0;
  assign poison_o          = 1'b0;
  assign leak_o            = '0;
  assign leak_error_o      = 1'b0;
  assign corrected_o       = 1'b0;
  assign failed_o          = 1'b0;
  assign rest_o            = rest;
endmodule
