// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Chooses the next packet of an output: first a virtual lane, in turn or by weights, then of its
/// candidates one input lane. Step 3 of hw/chips/vl_switch/vl_switch.md.
///
/// Input lanes are numbered input * NumVls + lane.
module polycast_vl_arbiter #(
  /// Ports of the switch.
  parameter int unsigned NumPorts   = 8,
  /// Virtual lanes.
  parameter int unsigned NumVls     = 2,
  /// There are tables of virtual lane arbitration.
  parameter bit          Weighted   = 1'b0,
  /// Entries of each.
  parameter int unsigned Entries    = polycast_vl_pkg::TableEntries,
  /// Bits of a length in units of 64 bytes.
  parameter int unsigned UnitBits   = 21,
  /// Input lanes; derived, do not set.
  parameter int unsigned InputVls   = NumPorts * NumVls,
  /// Bits of the number of an input lane; derived, do not set.
  parameter int unsigned HolderBits = $clog2(InputVls)
) (
  /// Clock.
  input  wire logic                                    clk_i,
  /// Asynchronous reset, active low: all pointers go to 0, tables to their first entries.
  input  wire logic                                    rst_ni,
  /// Of a lane's candidates the lowest wins and its pointer stays.
  input  wire logic                                    fixed_i,
  /// Lanes are chosen by the tables, not in turn.
  input  wire logic                                    weighted_i,
  /// Table of high priority.
  input  wire logic [Entries*polycast_vl_pkg::EntryBits-1:0] high_i,
  /// Table of low priority.
  input  wire logic [Entries*polycast_vl_pkg::EntryBits-1:0] low_i,
  /// What high packets may send before a low one: 4096 bytes each; 255: without end.
  input  wire logic [polycast_vl_pkg::HighLimitBits-1:0] high_limit_i,
  /// A packet may be chosen: the output is not held.
  input  wire logic                                    free_i,
  /// Input lanes with a packet for this output that it has not been granted, registered.
  input  wire logic [InputVls-1:0]                     waiting_i,
  /// Lane on which each would leave; of use where it waits.
  input  wire logic [InputVls*polycast_vl_pkg::VlBits-1:0] vl_i,
  /// Lanes that have credits for the longest packet, registered.
  input  wire logic [NumVls-1:0]                       usable_i,
  /// The input lane that is granted in this cycle, one-hot; zero if none is.
  output logic      [InputVls-1:0]                     gnt_o,
  /// Lane on which its packet leaves, one-hot; zero if none is granted.
  output logic      [NumVls-1:0]                       gnt_vl_o,
  /// The packet that holds the output, or is granted in this cycle, ends in it.
  input  wire logic                                    tail_i,
  /// Its length.
  input  wire logic [UnitBits-1:0]                     units_i
);

  localparam int unsigned VlBits    = polycast_vl_pkg::VlBits;
  localparam int unsigned IndexBits = NumVls > 1 ? $clog2(NumVls) : 1;

  typedef struct packed { logic [InputVls-1:0][VlBits-1:0] at; } input_vls_t;
  typedef struct packed { logic [NumVls-1:0][HolderBits-1:0] at; } vl_pointers_t;

  input_vls_t vl;
  // Where the search of each lane begins.
  vl_pointers_t pointer_q;

  assign vl = vl_i;

  logic [NumVls-1:0]     candidates, in_turn, turn_q, turn_behind, chosen;
  logic [InputVls-1:0]   requests, mask, behind;
  logic [IndexBits-1:0]  chosen_number;
  logic [HolderBits-1:0] start, number;

  // Lanes with a candidate.
  always_comb begin
    candidates = '0;
    if (free_i && waiting_i != '0) begin
      for (int unsigned l = 0; l < InputVls; l++) begin
        for (int unsigned w = 0; w < NumVls; w++) begin
          if (waiting_i[l] && vl.at[l] == VlBits'(w)) candidates[w] = usable_i[w];
        end
      end
    end
  end

  // The lane.
  polycast_rr_pick #(
    .NumReq(NumVls)
  ) i_turn (
    .mask_i  (turn_q),
    .req_i   (candidates),
    .gnt_o   (in_turn),
    .behind_o(turn_behind)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                               turn_q <= '0;
    else if (candidates != '0 && !weighted_i)  turn_q <= turn_behind;
  end

  if (Weighted) begin : gen_weighted
    localparam int unsigned LimitBits  = polycast_vl_pkg::HighLimitBits;
    localparam int unsigned BudgetBits = LimitBits + 6;

    logic [NumVls-1:0]     high_vl, low_vl;
    logic                  take_high, take_low, is_high, high_q;
    logic [BudgetBits-1:0] budget, used_q;
    logic [UnitBits:0]     sum;

    // What is used of the high packets' budget is counted, not what is left of it.
    assign budget    = high_limit_i == '0 ? BudgetBits'(1) : {high_limit_i, 6'd0};
    assign take_high = weighted_i && high_vl != '0 &&
        (used_q < budget || high_limit_i == '1 || low_vl == '0);
    assign take_low  = weighted_i && low_vl != '0 && !take_high;
    assign chosen    = !weighted_i ? in_turn : take_high ? high_vl : low_vl;
    assign is_high   = take_high || (!take_low && high_q);
    assign sum       = (UnitBits+1)'(used_q) + (UnitBits+1)'(units_i);

    polycast_vl_weights #(
      .NumVls  (NumVls),
      .Entries (Entries),
      .UnitBits(UnitBits)
    ) i_high (
      .clk_i,
      .rst_ni,
      .entries_i   (high_i),
      .candidates_i(weighted_i ? candidates : '0),
      .take_i      (take_high),
      .tail_i      (weighted_i && tail_i && is_high),
      .units_i,
      .vl_o        (high_vl)
    );

    polycast_vl_weights #(
      .NumVls  (NumVls),
      .Entries (Entries),
      .UnitBits(UnitBits)
    ) i_low (
      .clk_i,
      .rst_ni,
      .entries_i   (low_i),
      .candidates_i(weighted_i ? candidates : '0),
      .take_i      (take_low),
      .tail_i      (weighted_i && tail_i && !is_high),
      .units_i,
      .vl_o        (low_vl)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        used_q <= '0;
        high_q <= 1'b0;
      end else if (weighted_i) begin
        high_q <= is_high;
        if (tail_i) begin
          if (!is_high)                           used_q <= '0;
          else if (sum < (UnitBits+1)'(budget))   used_q <= BudgetBits'(sum);
          else                                    used_q <= budget;
        end
      end
    end
  end else begin : gen_in_turn
    logic unused;
    assign unused = ^{high_i, low_i, high_limit_i, tail_i, units_i};
    assign chosen = in_turn;
  end

  // The input lane.
  always_comb begin
    chosen_number = '0;
    for (int unsigned w = 0; w < NumVls; w++) begin
      if (chosen[w]) chosen_number = IndexBits'(w);
    end
  end

  always_comb begin
    requests = '0;
    if (chosen != '0) begin
      for (int unsigned l = 0; l < InputVls; l++) begin
        requests[l] = waiting_i[l] && vl.at[l] == VlBits'(chosen_number);
      end
    end
  end

  // Without a pointer the lowest is the first.
  assign start = pointer_q.at[chosen_number];
  assign mask  = fixed_i ? '0 : ~((InputVls'(1) << start) - InputVls'(1));

  polycast_rr_pick #(
    .NumReq(InputVls)
  ) i_pick (
    .mask_i  (mask),
    .req_i   (requests),
    .gnt_o,
    .behind_o(behind)
  );

  logic unused_behind;
  assign unused_behind = ^behind;

  always_comb begin
    number = '0;
    if (gnt_o != '0) begin
      for (int unsigned l = 0; l < InputVls; l++) begin
        if (gnt_o[l]) number = HolderBits'(l);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pointer_q <= '0;
    end else if (gnt_o != '0 && !fixed_i) begin
      pointer_q.at[chosen_number] <=
          number == HolderBits'(InputVls - 1) ? '0 : number + HolderBits'(1);
    end
  end

  assign gnt_vl_o = chosen;

`ifndef SYNTHESIS
  GrantIsOneHot: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(gnt_o) && $onehot0(gnt_vl_o) && (gnt_o == '0) == (gnt_vl_o == '0))
    else $error("an output grants two packets, or one without a lane");
  GrantWasRequested: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (gnt_o & ~waiting_i) == '0 && (gnt_o == '0 || free_i))
    else $error("an output grants a packet that does not wait for it, or while it is held");
  GrantHasCredits: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (gnt_vl_o & ~usable_i) == '0)
    else $error("a packet is granted without credits for all of it");
`endif

endmodule

`default_nettype wire
