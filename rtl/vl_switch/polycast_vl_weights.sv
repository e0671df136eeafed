// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// One table of virtual lane arbitration, high or low: the entry whose lane is next, and how much
/// of its weight is left. Step 3 of hw/chips/vl_switch/vl_switch.md.
///
/// What the current entry has used is counted, not what is left: reset needs no load.
module polycast_vl_weights #(
  /// Virtual lanes.
  parameter int unsigned NumVls   = 2,
  /// Entries of the table.
  parameter int unsigned Entries  = polycast_vl_pkg::TableEntries,
  /// Bits of a length in units of 64 bytes.
  parameter int unsigned UnitBits = 15
) (
  /// Clock.
  input  wire logic                                 clk_i,
  /// Asynchronous reset, active low: entry 0 is the current one, with all of its weight.
  input  wire logic                                 rst_ni,
  /// The entries, 0 in the lowest bits.
  input  wire logic [Entries*polycast_vl_pkg::EntryBits-1:0] entries_i,
  /// Lanes with a candidate.
  input  wire logic [NumVls-1:0]                    candidates_i,
  /// The entry that is offered is taken: it becomes the current one.
  input  wire logic                                 take_i,
  /// The packet of this table ends.
  input  wire logic                                 tail_i,
  /// Its length.
  input  wire logic [UnitBits-1:0]                  units_i,
  /// Lane of the entry that is offered, one-hot; zero if none has a candidate.
  output logic      [NumVls-1:0]                    vl_o
);

  localparam int unsigned EntryBits  = $clog2(Entries);
  localparam int unsigned WeightBits = polycast_vl_pkg::WeightBits;
  localparam int unsigned VlBits     = polycast_vl_pkg::VlBits;

  typedef struct packed { logic [Entries-1:0][WeightBits+VlBits-1:0] at; } entries_t;

  // From bit 0: lane, weight.
  entries_t entries;

  assign entries = entries_i;

  logic [Entries-1:0]    wanted, mask, offered, behind;
  logic [EntryBits-1:0]  current_q, current_d, offered_index;
  logic [WeightBits-1:0] used_q, used_d, weight, weight_d;
  logic [VlBits-1:0]     vl, offered_vl, vl_d;
  logic [UnitBits:0]     sum;
  logic                  some_left, again;

  assign {weight, vl} = entries.at[current_q];
  assign some_left    = used_q < weight;

  // The current entry comes first while some of its weight is left, else last.
  assign mask = some_left ? ~((Entries'(1) << current_q) - Entries'(1)) :
      ~(((Entries'(2) << current_q)) - Entries'(1));

  always_comb begin
    wanted = '0;
    if (candidates_i != '0) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        for (int unsigned v = 0; v < NumVls; v++) begin
          if (candidates_i[v] && entries.at[e][VlBits-1:0] == VlBits'(v) &&
              entries.at[e][VlBits+:WeightBits] != '0) begin
            wanted[e] = 1'b1;
          end
        end
      end
    end
  end

  polycast_rr_pick #(
    .NumReq(Entries)
  ) i_pick (
    .mask_i  (mask),
    .req_i   (wanted),
    .gnt_o   (offered),
    .behind_o(behind)
  );

  logic unused;
  assign unused = ^{behind, vl, vl_d};

  always_comb begin
    offered_index = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (offered[e]) offered_index = EntryBits'(e);
    end
    offered_vl = VlBits'(entries.at[offered_index]);
    for (int unsigned v = 0; v < NumVls; v++) begin
      vl_o[v] = offered != '0 && offered_vl == VlBits'(v);
    end
  end

  always_comb begin
    again     = offered_index == current_q && some_left;
    current_d = take_i ? offered_index : current_q;
    used_d    = take_i && !again ? '0 : used_q;
    {weight_d, vl_d} = entries.at[current_d];
    sum       = (UnitBits+1)'(used_d) + (UnitBits+1)'(units_i);
    if (tail_i) used_d = sum < (UnitBits+1)'(weight_d) ? WeightBits'(sum) : weight_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q <= '0;
      used_q    <= '0;
    end else begin
      current_q <= current_d;
      used_q    <= used_d;
    end
  end

`ifndef SYNTHESIS
  OffersACandidate: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(vl_o) && (vl_o & ~candidates_i) == '0)
    else $error("a table offers a lane without a candidate");
  TakesWhatIsOffered: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> vl_o != '0)
    else $error("an entry is taken that was not offered");
`endif

endmodule

`default_nettype wire
