// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_vc_buffer: exact count; a flit, stored at any time, is read from the place where it was
/// put, whatever has left before it, and no other flit is put there meanwhile.
module harness #(
  parameter int unsigned VcFlits   = 3,
  parameter int unsigned SlotBits  = VcFlits > 1 ? $clog2(VcFlits) : 1,
  parameter int unsigned CountBits = $clog2(VcFlits + 1)
) (
  input wire logic                 clk_i,
  input wire logic                 rst_ni,
  input wire logic                 store_i,
  input wire logic                 free_i,
  input wire logic                 follow_i,
  input wire logic [CountBits-1:0] position_i
);

  localparam int unsigned Bits = CountBits + 2;

  logic [SlotBits-1:0]  write_slot, read_slot;
  logic [CountBits-1:0] occupied;

  polycast_vc_buffer #(.VcFlits(VcFlits)) dut (
    .clk_i, .rst_ni, .store_i, .free_i, .position_i, .write_slot_o(write_slot),
    .read_slot_o(read_slot),
    .occupied_o(occupied)
  );

  (* probe = "dut.oldest_q" *) wire [SlotBits-1:0] oldest;

  // Flits that are really there, and the one that is followed: flits before it, its place.
  logic [Bits-1:0]     truth_q, ahead_q, sum;
  logic [SlotBits-1:0] slot_q;
  logic                following_q;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (rst_ni && store_i) assume (truth_q < Bits'(VcFlits));
    if (rst_ni && free_i) assume (truth_q != '0);
  end

  always_ff @(posedge clk_i) begin
    truth_q <= truth_q + Bits'(store_i) - Bits'(free_i);
    if (following_q) begin
      if (free_i) ahead_q <= ahead_q - 1'b1;
      if (free_i && ahead_q == '0) following_q <= 1'b0;
    end else if (store_i && follow_i) begin
      following_q <= 1'b1;
      ahead_q     <= truth_q - Bits'(free_i);
      slot_q      <= write_slot;
    end
    if (!rst_ni) begin
      truth_q     <= '0;
      following_q <= 1'b0;
    end
  end

  always_comb begin
    sum = Bits'(oldest) + ahead_q;
    if (!first_q && rst_ni) begin
      // What holds the induction together.
      assert (Bits'(oldest) < Bits'(VcFlits) && Bits'(write_slot) < Bits'(VcFlits) &&
          truth_q <= Bits'(VcFlits));
      assert (Bits'(write_slot) == Bits'(oldest) + truth_q ||
              Bits'(write_slot) + Bits'(VcFlits) == Bits'(oldest) + truth_q);
      if (following_q) begin
        assert (ahead_q < truth_q);
        assert (Bits'(slot_q) < Bits'(VcFlits));
        assert (Bits'(slot_q) == sum || Bits'(slot_q) + Bits'(VcFlits) == sum);
      end
      // What counts.
      assert (Bits'(occupied) == truth_q);
      if (following_q && Bits'(position_i) == ahead_q) assert (read_slot == slot_q);
      if (following_q && store_i) assert (write_slot != slot_q);
      cover (truth_q == Bits'(VcFlits) && following_q && ahead_q == Bits'(VcFlits - 1));
      cover (following_q && free_i && store_i && Bits'(oldest) == Bits'(VcFlits - 1));
    end
  end

endmodule

`default_nettype wire
