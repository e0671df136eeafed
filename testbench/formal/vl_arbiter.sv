// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_vl_arbiter with its tables: at most one grant, of a packet that waits, on its lane,
/// with credits, only while the output is free; where one may be granted one is; the lane is the
/// page's, in turn and by weights, and so is the input lane. No lane starves: in turn it waits for
/// at most NumVls - 1 grants; by weights of 1, without a high budget, a lane of the low table for
/// at most Entries packets of that table, with one high packet before each.
module harness #(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned NumVls   = 2,
  parameter int unsigned Entries  = 3,
  parameter int unsigned UnitBits = 14
) (
  input wire logic                         clk_i,
  input wire logic                         rst_ni,
  input wire logic [NumPorts*NumVls-1:0]   waiting_i,
  input wire logic [NumPorts*NumVls*4-1:0] vl_i,
  input wire logic [NumVls-1:0]            usable_i,
  input wire logic                         tail_i,
  input wire logic [UnitBits-1:0]          units_i
);

  localparam int unsigned InputVls    = NumPorts * NumVls;
  localparam int unsigned EntryBits   = polycast_vl_pkg::EntryBits;
  localparam int unsigned WeightBits  = polycast_vl_pkg::WeightBits;
  localparam int unsigned IndexBits   = $clog2(Entries);
  localparam int unsigned PlaceBits   = IndexBits + 2;
  localparam int unsigned HolderBits  = $clog2(InputVls);
  localparam int unsigned BudgetBits  = polycast_vl_pkg::HighLimitBits + 6;

  // Registers: any, and constant.
  (* anyconst *) logic                                      fixed, weighted;
  (* anyconst *) logic [Entries*EntryBits-1:0]              high, low;
  (* anyconst *) logic [polycast_vl_pkg::HighLimitBits-1:0] limit;

  logic                held_q;
  logic [InputVls-1:0] gnt;
  logic [NumVls-1:0]   gnt_vl;

  polycast_vl_arbiter #(
    .NumPorts(NumPorts), .NumVls(NumVls), .Weighted(1'b1), .Entries(Entries), .UnitBits(UnitBits)
  ) dut (
    .clk_i, .rst_ni, .fixed_i(fixed), .weighted_i(weighted), .high_i(high), .low_i(low),
    .high_limit_i(limit), .free_i(!held_q), .waiting_i, .vl_i, .usable_i, .gnt_o(gnt),
    .gnt_vl_o(gnt_vl), .tail_i, .units_i
  );

  (* probe = "dut.turn_q" *) wire [NumVls-1:0] turn;
  (* probe = "dut.pointer_q" *) wire [NumVls*HolderBits-1:0] pointer;
  (* probe = "dut.gen_weighted.used_q" *) wire [BudgetBits-1:0] dut_budget;
  (* probe = "dut.gen_weighted.high_q" *) wire dut_high;
  (* probe = "dut.gen_weighted.i_high.current_q" *) wire [IndexBits-1:0] dut_high_current;
  (* probe = "dut.gen_weighted.i_high.used_q" *) wire [WeightBits-1:0] dut_high_used;
  (* probe = "dut.gen_weighted.i_low.current_q" *) wire [IndexBits-1:0] dut_low_current;
  (* probe = "dut.gen_weighted.i_low.used_q" *) wire [WeightBits-1:0] dut_low_used;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb if (first_q) assume (!rst_ni);

  // ---- The page in numbers: of each table (0 high, 1 low) the current entry and what is left of
  // its weight; what is left of the high budget.
  logic [2*IndexBits-1:0]  current_q;
  logic [2*WeightBits-1:0] left_q;
  logic [BudgetBits-1:0]   budget_q, full;
  logic                    serves_low_q;

  logic [NumVls-1:0]           candidates, expected_vl;
  logic [InputVls-1:0]         requests, expected;
  logic [2*IndexBits-1:0]      next;
  logic [2*NumVls-1:0]         next_vl;
  logic [1:0]                  some;
  logic [PlaceBits-1:0]        start, place, best;
  logic [EntryBits-1:0]        entry;
  logic [Entries*EntryBits-1:0] entries;
  logic                        serves_low;
  logic [HolderBits:0]         from, holder_place, holder_best;

  always_comb begin
    candidates = '0;
    for (int unsigned l = 0; l < InputVls; l++) begin
      for (int unsigned w = 0; w < NumVls; w++) begin
        if (!held_q && waiting_i[l] && vl_i[l*4+:4] == 4'(w) && usable_i[w]) candidates[w] = 1'b1;
      end
    end
    // What each table offers: of all entries with a candidate that with the least distance.
    next    = '0;
    next_vl = '0;
    some    = '0;
    for (int unsigned t = 0; t < 2; t++) begin
      entries = (t == 0) ? high : low;
      start   = PlaceBits'(current_q[t*IndexBits+:IndexBits]);
      if (left_q[t*WeightBits+:WeightBits] == '0) start = start + 1'b1;
      best = '1;
      for (int unsigned e = 0; e < Entries; e++) begin
        entry = entries[e*EntryBits+:EntryBits];
        place = PlaceBits'(e) >= start ? PlaceBits'(e) - start :
            PlaceBits'(e) + PlaceBits'(Entries) - start;
        for (int unsigned w = 0; w < NumVls; w++) begin
          if (candidates[w] && entry[3:0] == 4'(w) && entry[4+:WeightBits] != '0 && place < best)
          begin
            best                            = place;
            some[t]                         = 1'b1;
            next[t*IndexBits+:IndexBits]    = IndexBits'(e);
            next_vl[t*NumVls+:NumVls]       = NumVls'(1) << w;
          end
        end
      end
    end
    full       = limit == '0 ? BudgetBits'(1) : {limit, 6'd0};
    serves_low = some[1] && !(some[0] && (budget_q != '0 || limit == '1));
    // In turn: the pointer is the lowest bit of the mask.
    expected_vl = '0;
    if (weighted) begin
      if (serves_low)   expected_vl = next_vl[NumVls+:NumVls];
      else if (some[0]) expected_vl = next_vl[0+:NumVls];
    end else begin
      for (int w = NumVls - 1; w >= 0; w--) if (candidates[w]) expected_vl = NumVls'(1) << w;
      for (int w = NumVls - 1; w >= 0; w--) begin
        if (candidates[w] && turn[w]) expected_vl = NumVls'(1) << w;
      end
    end
    // The input lane.
    requests = '0;
    from     = '0;
    for (int unsigned w = 0; w < NumVls; w++) begin
      if (expected_vl[w]) begin
        if (!fixed) from = (HolderBits+1)'(pointer[w*HolderBits+:HolderBits]);
        for (int unsigned l = 0; l < InputVls; l++) begin
          if (waiting_i[l] && vl_i[l*4+:4] == 4'(w)) requests[l] = 1'b1;
        end
      end
    end
    expected    = '0;
    holder_best = '1;
    for (int unsigned l = 0; l < InputVls; l++) begin
      holder_place = (HolderBits+1)'(l) >= from ? (HolderBits+1)'(l) - from :
          (HolderBits+1)'(l) + (HolderBits+1)'(InputVls) - from;
      if (requests[l] && holder_place < holder_best) begin
        holder_best = holder_place;
        expected    = InputVls'(1) << l;
      end
    end
  end

  // The packet that holds the output, or begins in this cycle, ends.
  always_comb begin
    if (tail_i) assume (held_q || gnt != '0);
    assume (units_i != '0);
  end

  logic [2*WeightBits-1:0] left;
  logic [2*IndexBits-1:0]  current;
  logic                    low_now;
  always_comb begin
    current = current_q;
    left    = left_q;
    low_now = gnt != '0 ? serves_low : serves_low_q;
    for (int unsigned t = 0; t < 2; t++) begin
      if (weighted && gnt != '0 && serves_low == 1'(t)) begin
        current[t*IndexBits+:IndexBits] = next[t*IndexBits+:IndexBits];
        if (next[t*IndexBits+:IndexBits] != current_q[t*IndexBits+:IndexBits] ||
            left_q[t*WeightBits+:WeightBits] == '0) begin
          for (int unsigned e = 0; e < Entries; e++) begin
            if (next[t*IndexBits+:IndexBits] == IndexBits'(e)) begin
              left[t*WeightBits+:WeightBits] = t == 0 ? high[e*EntryBits+4+:WeightBits] :
                  low[e*EntryBits+4+:WeightBits];
            end
          end
        end
      end
      if (weighted && tail_i && low_now == 1'(t)) begin
        left[t*WeightBits+:WeightBits] =
            UnitBits'(left[t*WeightBits+:WeightBits]) > units_i ?
            left[t*WeightBits+:WeightBits] - WeightBits'(units_i) : '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    current_q    <= current;
    left_q       <= left;
    serves_low_q <= low_now;
    held_q       <= (held_q || gnt != '0) && !tail_i;
    if (weighted && tail_i) begin
      if (low_now)                                     budget_q <= full;
      else if (budget_q > BudgetBits'(units_i))        budget_q <= budget_q - BudgetBits'(units_i);
      else                                             budget_q <= '0;
    end
    if (!rst_ni) begin
      current_q    <= '0;
      left_q       <= {low[4+:WeightBits], high[4+:WeightBits]};
      budget_q     <= full;
      held_q       <= 1'b0;
      serves_low_q <= 1'b0;
    end
  end

  // ---- One lane, any, that has a candidate in every cycle in which the output is free: grants of
  // others that it has waited for, and its distance.
  localparam int unsigned CountBits = PlaceBits + 2;
  (* anyconst *) logic [NumVls-1:0]    who;
  (* anyconst *) logic [IndexBits-1:0] where;
  logic [CountBits-1:0] in_turn_q, lows_q, highs_q, low_distance;
  logic                 light, passed;

  always_comb begin
    assume (who != '0 && (who & (who - 1'b1)) == '0 && PlaceBits'(where) < PlaceBits'(Entries));
    // Weights of 0 and 1 in the low table, no budget, and the lane in an entry of it.
    light = limit == '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (low[e*EntryBits+4+:WeightBits] > WeightBits'(1)) light = 1'b0;
      if (where == IndexBits'(e)) begin
        if (low[e*EntryBits+4+:WeightBits] == '0) light = 1'b0;
        for (int unsigned w = 0; w < NumVls; w++) begin
          if (who[w] && low[e*EntryBits+:4] != 4'(w)) light = 1'b0;
        end
      end
    end
    low_distance = CountBits'(where) >= CountBits'(current_q[IndexBits+:IndexBits]) ?
        CountBits'(where) - CountBits'(current_q[IndexBits+:IndexBits]) :
        CountBits'(where) + CountBits'(Entries) - CountBits'(current_q[IndexBits+:IndexBits]);
    if (low_distance == '0 && left_q[WeightBits+:WeightBits] == '0) begin
      low_distance = CountBits'(Entries);
    end
    passed = gnt != '0 && (gnt_vl & who) == '0;
  end

  always_ff @(posedge clk_i) begin
    if (passed && (candidates & who) != '0) begin
      in_turn_q <= in_turn_q + 1'b1;
      lows_q    <= lows_q + CountBits'(serves_low);
      highs_q   <= serves_low ? '0 : highs_q + 1'b1;
    end
    if (!rst_ni || (!held_q && (candidates & who) == '0) || (gnt_vl & who) != '0) begin
      in_turn_q <= '0;
      lows_q    <= '0;
      highs_q   <= '0;
    end
  end

  logic [CountBits-1:0] turn_start, turn_who;
  always_comb begin
    turn_start = '0;
    turn_who   = '0;
    for (int w = NumVls - 1; w >= 0; w--) begin
      if (turn[w]) turn_start = CountBits'(w);
      if (who[w])  turn_who   = CountBits'(w);
    end
  end

  always_comb begin
    if (!first_q && rst_ni) begin
      assert ((gnt & (gnt - 1'b1)) == '0 && (gnt & ~waiting_i) == '0);
      assert ((gnt_vl & ~usable_i) == '0 && (held_q ? gnt == '0 : 1'b1));
      assert (gnt_vl == expected_vl && gnt == expected);
      if (!weighted && candidates != '0) assert (gnt != '0);
      // State.
      assert ((~turn & (~turn + 1'b1)) == '0);
      for (int unsigned w = 0; w < NumVls; w++) begin
        assert ((HolderBits+1)'(pointer[w*HolderBits+:HolderBits]) < (HolderBits+1)'(InputVls));
      end
      if (weighted) begin
        assert (dut_budget == full - budget_q && budget_q <= full);
        assert ({dut_low_current, dut_high_current} == current_q);
        assert (PlaceBits'(dut_low_current) < PlaceBits'(Entries) &&
            PlaceBits'(dut_high_current) < PlaceBits'(Entries));
        if (held_q) assert (dut_high == !serves_low_q);
        // An entry is chosen with something left of its weight.
        if (held_q && serves_low_q)  assert (left_q[WeightBits+:WeightBits] != '0);
        if (held_q && !serves_low_q) assert (left_q[0+:WeightBits] != '0);
        for (int unsigned e = 0; e < Entries; e++) begin
          if (dut_high_current == IndexBits'(e)) begin
            assert (dut_high_used == high[e*EntryBits+4+:WeightBits] - left_q[0+:WeightBits] &&
                left_q[0+:WeightBits] <= high[e*EntryBits+4+:WeightBits]);
          end
          if (dut_low_current == IndexBits'(e)) begin
            assert (dut_low_used ==
                low[e*EntryBits+4+:WeightBits] - left_q[WeightBits+:WeightBits] &&
                left_q[WeightBits+:WeightBits] <= low[e*EntryBits+4+:WeightBits]);
          end
        end
      end
      // No starvation.
      if (!weighted) begin
        assert (in_turn_q < CountBits'(NumVls));
        if (in_turn_q != '0) begin
          assert (in_turn_q + (turn_who >= turn_start ? turn_who - turn_start :
              turn_who + CountBits'(NumVls) - turn_start) < CountBits'(NumVls));
        end
      end
      if (weighted && light) begin
        assert (highs_q <= CountBits'(1) && lows_q <= CountBits'(Entries));
        if (highs_q != '0 && !held_q) assert (budget_q == '0);
        if (highs_q != '0 && held_q)  assert (!serves_low_q);
        // What is sent for this entry is of this lane; what was sent has used its entry's weight.
        if (lows_q != '0) begin
          if (held_q && serves_low_q) assert (where != current_q[IndexBits+:IndexBits]);
          else                        assert (left_q[WeightBits+:WeightBits] == '0);
        end
        if (lows_q != '0) begin
          assert (lows_q + low_distance <= CountBits'(Entries));
        end
      end
      cover (weighted && light && lows_q == CountBits'(Entries - 1) && highs_q == CountBits'(1) &&
          (gnt_vl & who) != '0);
      cover (!weighted && in_turn_q == CountBits'(NumVls - 1) && (gnt_vl & who) != '0);
      cover (weighted && budget_q == '0 && some == 2'b11 && !serves_low && limit == '1);
    end
  end

endmodule

`default_nettype wire
