// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One virtual channel of a link end's receiver: the packet that is open, units that the chip has,
/// cuts.
module polycast_link_sink #(
  /// Code of the credit counters, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectCounters = 32'(polycast_pkg::ProtectionNone)
) (
  /// Clock.
  input  wire logic clk_i,
  /// Asynchronous reset, active low.
  input  wire logic rst_ni,
  /// Flits of a unit.
  input  wire logic [polycast_link_pkg::UnitBits-1:0] unit_i,
  /// The most units that a cc_update may repair.
  input  wire logic [polycast_link_pkg::NumberBits-1:0] repairable_i,
  // In the order in which they act:
  /// A cf_update is chosen.
  input  wire logic tell_i,
  /// The chip gives a unit back.
  input  wire logic credit_i,
  /// An open packet is cut, because all are.
  input  wire logic cut_all_i,
  /// A cut of this channel, or its cc_update with the number, is the oldest.
  input  wire logic cut_i,
  input  wire logic update_i,
  input  wire logic [polycast_link_pkg::NumberBits-1:0] number_i,
  /// A flit leaves.
  input  wire logic flit_i,
  input  wire logic tail_i,
  /// A poison tail leaves.
  input  wire logic poisoned_i,
  /// The init is answered.
  input  wire logic answer_i,
  /// Bits of R_CC and of R_CF that flip.
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_begun_i,
  input  wire logic [polycast_link_pkg::StoredBits-1:0] upset_freed_i,
  /// Units begun.
  output logic      [polycast_link_pkg::NumberBits-1:0] begun_o,
  /// Freed units to tell, and whether they are due, or asked for.
  output logic      [polycast_link_pkg::NumberBits-1:0] freed_o,
  output logic      due_o,
  output logic      forced_o,
  /// The credit was for no unit.
  output logic      credit_overflow_o,
  /// A packet is open behind the cuts of all; one that begins is dropped, because a cut waits.
  output logic      open_o,
  output logic      waits_o,
  /// A poison tail is due.
  output logic      poison_o,
  /// Units that the cc_update finds lost, or more than there may be.
  output logic      [polycast_link_pkg::NumberBits-1:0] leak_o,
  output logic      leak_error_o,
  /// Codes have found flips, and corrected them or not.
  output logic      corrected_o,
  output logic      failed_o,
  /// The chip has nothing and nothing is due.
  output logic      rest_o
);

  localparam int unsigned NumberBits = polycast_link_pkg::NumberBits;
  localparam int unsigned UnitBits   = polycast_link_pkg::UnitBits;

  logic                  open_q, own_q, waits_q, poison_q, forced_q;
  logic [UnitBits-1:0]   filled_q;
  logic [NumberBits-1:0] held_q, r_cc, r_cf, told_q;
  logic                  lost;

  assign begun_o           = r_cc;
  assign freed_o           = r_cf;
  assign due_o             = r_cf != told_q && !lost;
  assign forced_o          = forced_q && !lost;
  assign credit_overflow_o = credit_i && !own_q && held_q == '0;

  // The credit.
  logic                  own_credit, waits_credit, poison_credit, given;
  logic [NumberBits-1:0] held_credit, freed_credit;

  assign given         = credit_i && !own_q && held_q != '0;
  assign own_credit    = credit_i && own_q ? waits_q : own_q;
  assign waits_credit  = credit_i && own_q ? 1'b0 : waits_q;
  assign poison_credit = poison_q || (credit_i && own_q && waits_q);
  assign held_credit   = given ? held_q - NumberBits'(1) : held_q;
  assign freed_credit  = given ? r_cf + NumberBits'(1) : r_cf;

  // The cut of all, or one of this channel; there is no flit of it between them.
  logic cuts, full, own_cut, waits_cut, poison_cut;

  assign full       = filled_q == unit_i;
  assign cuts       = open_q && (cut_all_i || cut_i);
  assign open_o     = open_q && !cut_all_i;
  assign waits_cut  = waits_credit || (cuts && full && own_credit);
  assign own_cut    = own_credit || (cuts && full);
  assign poison_cut = poison_credit || (cuts && !(full && own_credit));
  assign waits_o    = waits_credit || (open_q && cut_all_i && full && own_credit);
  assign poison_o   = poison_cut;

  // The cc_update.
  logic repairs;

  assign leak_o       = number_i - r_cc;
  assign leak_error_o = update_i && (leak_o > repairable_i || lost);
  assign repairs      = update_i && !leak_error_o;

  // The flit.
  logic begins;

  assign begins = flit_i && (!open_o || full);
  assign rest_o = !own_cut && !(poison_cut && !poisoned_i) &&
      (held_credit == '0 && !begins);

  // The counters.
  logic [NumberBits-1:0] begun_d, freed_d;

  assign begun_d = answer_i ? '0 : repairs ? number_i : r_cc + NumberBits'(begins);
  assign freed_d = answer_i ? '0 : freed_credit + (repairs ? leak_o : '0);

  if (ProtectCounters == 32'(polycast_pkg::ProtectionNone)) begin : gen_plain
    logic [NumberBits-1:0] begun_q, freed_q, upset_begun, upset_freed;
    logic                  unused;

    assign unused      = ^{upset_begun_i, upset_freed_i};
    assign upset_begun = polycast_link_pkg::Upsets ? upset_begun_i[NumberBits-1:0] : '0;
    assign upset_freed = polycast_link_pkg::Upsets ? upset_freed_i[NumberBits-1:0] : '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        begun_q <= '0;
        freed_q <= '0;
      end else begin
        begun_q <= begun_d ^ upset_begun;
        freed_q <= freed_d ^ upset_freed;
      end
    end
    assign r_cc        = begun_q;
    assign r_cf        = freed_q;
    assign lost        = 1'b0;
    assign corrected_o = 1'b0;
    assign failed_o    = 1'b0;
  end else begin : gen_protected
    logic [1:0] counter_lost, corrected, failed;

    polycast_link_number #(.Protection(ProtectCounters)) u_begun (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .next_i      (begun_d),
      .clear_i     (answer_i),
      .upset_i     (upset_begun_i),
      .value_o     (r_cc),
      .lost_o      (counter_lost[0]),
      .corrected_o (corrected[0]),
      .failed_o    (failed[0])
    );
    polycast_link_number #(.Protection(ProtectCounters)) u_freed (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .next_i      (freed_d),
      .clear_i     (answer_i),
      .upset_i     (upset_freed_i),
      .value_o     (r_cf),
      .lost_o      (counter_lost[1]),
      .corrected_o (corrected[1]),
      .failed_o    (failed[1])
    );
    assign lost        = counter_lost != '0;
    assign corrected_o = corrected != '0;
    assign failed_o    = failed != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      own_q    <= 1'b0;
      waits_q  <= 1'b0;
      poison_q <= 1'b0;
      forced_q <= 1'b0;
      filled_q <= '0;
      held_q   <= '0;
      told_q   <= '0;
    end else begin
      open_q   <= flit_i ? !tail_i : open_q && !cuts;
      own_q    <= own_cut;
      waits_q  <= waits_cut;
      poison_q <= poison_cut && !poisoned_i;
      if (begins) begin
        filled_q <= UnitBits'(1);
      end else if (flit_i) begin
        filled_q <= filled_q + UnitBits'(1);
      end
      held_q <= held_credit + NumberBits'(begins);
      if (answer_i) begin
        told_q   <= '0;
        forced_q <= 1'b0;
      end else begin
        if (tell_i) told_q <= r_cf;
        forced_q <= repairs || (forced_q && !tell_i);
      end
    end
  end

`ifndef SYNTHESIS
  WaitsClosed: assert property (@(posedge clk_i) disable iff (!rst_ni) !(open_q && waits_q))
    else $error("a packet is open while the cut of the one before waits");
  OneCut: assert property (@(posedge clk_i) disable iff (!rst_ni) !(cuts && poison_credit))
    else $error("a packet is open while the tail of the one before is due");
`endif

endmodule

`default_nettype wire
