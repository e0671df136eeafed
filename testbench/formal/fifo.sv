// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_fifo: exact count, data in order, if nobody pushes while it is full or pops while it is
/// empty. One entry, pushed at any time and with any value, is followed on its way to the front.
module harness #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 3
) (
  input wire logic             clk_i,
  input wire logic             rst_ni,
  input wire logic             push_i,
  input wire logic             pop_i,
  input wire logic             follow_i,
  input wire logic [Width-1:0] data_i
);

  localparam int unsigned Bits    = $clog2(2 * Depth) + 1;
  localparam int unsigned PtrBits = $clog2(Depth);

  logic             valid;
  logic [Width-1:0] data;

  polycast_fifo #(.Width(Width), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .push_i, .data_i, .pop_i, .valid_o(valid), .data_o(data)
  );

  (* probe = "dut.mem_q", words = "Depth" *) wire [Depth*Width-1:0] words;
  (* probe = "dut.write_q" *) wire [PtrBits-1:0] write;
  (* probe = "dut.read_q" *) wire [PtrBits-1:0] read;
  (* probe = "dut.count_q" *) wire [$clog2(Depth+1)-1:0] count;

  // Entries that are really there, and the one that is followed: entries before it, its value.
  logic [Bits-1:0]  truth_q, ahead_q, place;
  logic [Width-1:0] value_q;
  logic             following_q;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (rst_ni && push_i) assume (truth_q < Bits'(Depth));
    if (rst_ni && pop_i) assume (truth_q != '0);
  end

  always_ff @(posedge clk_i) begin
    truth_q <= truth_q + Bits'(push_i) - Bits'(pop_i);
    if (following_q) begin
      if (pop_i) ahead_q <= ahead_q - 1'b1;
      if (pop_i && ahead_q == '0) following_q <= 1'b0;
    end else if (push_i && follow_i) begin
      following_q <= 1'b1;
      ahead_q     <= truth_q - Bits'(pop_i);
      value_q     <= data_i;
    end
    if (!rst_ni) begin
      truth_q     <= '0;
      following_q <= 1'b0;
    end
  end

  always_comb place = (Bits'(read) + ahead_q >= Bits'(Depth)) ?
      Bits'(read) + ahead_q - Bits'(Depth) :
                                                                    Bits'(read) + ahead_q;

  always_comb begin
    if (!first_q && rst_ni) begin
      // What holds the induction together: pointers and count fit, the followed entry is where it
      // should be.
      assert (Bits'(read) < Bits'(Depth) && Bits'(write) < Bits'(Depth) && truth_q <= Bits'(Depth));
      assert (Bits'(count) == truth_q);
      assert (Bits'(write) == Bits'(read) + truth_q || Bits'(write) + Bits'(Depth) == Bits'(read) +
          truth_q);
      if (following_q) begin
        assert (ahead_q < truth_q);
        for (int unsigned w = 0; w < Depth; w++) begin
          if (place == Bits'(w)) assert (words[w*Width+:Width] == value_q);
        end
      end
      // What counts.
      assert (valid == (truth_q != '0));
      if (following_q && ahead_q == '0) assert (valid && data == value_q);
      cover (truth_q == Bits'(Depth) && following_q && ahead_q == Bits'(Depth - 1));
      cover (following_q && ahead_q == '0 && pop_i && push_i && read == PtrBits'(Depth - 1));
    end
  end

endmodule

`default_nettype wire
