// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// What arrived: the flits of the frame that arrives, and of good frames what has not left yet, in
/// order, with messages in places of their own. All open packets can be cut at a place between.
module polycast_link_store #(
  /// Bits of a place: a flit with its marks and header.
  parameter int unsigned FlitBits = 134,
  /// Places.
  parameter int unsigned Depth    = 16,
  /// Bits of a place with what it is; derived, do not set.
  parameter int unsigned Width    = FlitBits + 2
) (
  /// Clock.
  input  wire logic             clk_i,
  /// Asynchronous reset, active low: it is empty.
  input  wire logic             rst_ni,
  /// A flit of the frame that arrives.
  input  wire logic             store_i,
  input  wire logic [Width-1:0] flit_i,
  /// The frame before this flit is no frame.
  input  wire logic             restart_i,
  /// The frame, with this flit, was not accepted.
  input  wire logic             abandon_i,
  /// It was.
  input  wire logic             commit_i,
  /// It was a message, which takes one place.
  input  wire logic             message_i,
  input  wire logic [Width-1:0] message_word_i,
  /// All open packets are cut behind what was accepted before this cycle.
  input  wire logic             cut_i,
  /// There is something, which came in this cycle or before.
  output logic                  valid_o,
  output logic      [Width-1:0] front_o,
  /// All open packets are cut before it, or at the end if there is nothing: taken by that.
  output logic                  cut_o,
  /// Takes it.
  input  wire logic             pop_i,
  /// Nothing waits, nor is there a place to cut.
  output logic                  empty_o,
  /// No flit is here.
  output logic                  idle_o
);

  localparam int unsigned PtrBits   = $clog2(Depth);
  localparam int unsigned CountBits = $clog2(Depth + 1);

  logic [Width-1:0]     mem_q [Depth];
  logic [Depth-1:0]     cut_q, cut_d;
  logic [PtrBits-1:0]   read_q, commit_q, write_q, write_from, write_at, write_behind;
  logic [CountBits-1:0] waiting_q, waiting_d, arrived_q, arrived;
  logic                 we;
  logic [Width-1:0]     write_word;

  assign we           = store_i || message_i;
  assign write_from   = restart_i ? commit_q : write_q;
  assign arrived      = restart_i ? '0 : arrived_q;
  assign write_at     = message_i ? commit_q : write_from;
  assign write_word   = message_i ? message_word_i : flit_i;
  assign write_behind = write_at == PtrBits'(Depth - 1) ? '0 : write_at + PtrBits'(1);

  assign valid_o = waiting_q != '0 || commit_i || message_i;
  assign front_o = we && write_at == read_q ? write_word : mem_q[read_q];
  assign cut_o   = cut_q[read_q] || (cut_i && waiting_q == '0);

  always_comb begin
    waiting_d = waiting_q;
    if (message_i) begin
      waiting_d = waiting_q + CountBits'(1);
    end else if (commit_i) begin
      waiting_d = waiting_q + arrived + CountBits'(store_i);
    end
    if (pop_i) waiting_d = waiting_d - CountBits'(1);
  end

  // A cut at the front acts in this cycle.
  always_comb begin
    cut_d = cut_q;
    if (cut_i) cut_d[commit_q] = 1'b1;
    cut_d[read_q] = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (we) mem_q[write_at] <= write_word;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cut_q     <= '0;
      read_q    <= '0;
      commit_q  <= '0;
      write_q   <= '0;
      waiting_q <= '0;
      arrived_q <= '0;
    end else begin
      cut_q <= cut_d;
      if (pop_i) read_q <= read_q == PtrBits'(Depth - 1) ? '0 : read_q + PtrBits'(1);
      waiting_q <= waiting_d;
      if (message_i || commit_i) begin
        commit_q  <= we ? write_behind : write_from;
        write_q   <= we ? write_behind : write_from;
        arrived_q <= '0;
      end else if (abandon_i) begin
        write_q   <= commit_q;
        arrived_q <= '0;
      end else begin
        write_q   <= store_i ? write_behind : write_from;
        arrived_q <= arrived + CountBits'(store_i);
      end
    end
  end

  assign empty_o = waiting_d == '0 && cut_d == '0;
  assign idle_o  = waiting_q == '0 && arrived_q == '0;

`ifndef SYNTHESIS
  RoomForAll: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(store_i && waiting_q + arrived == CountBits'(Depth)))
    else $error("a flit without a place");
  PopsWhatIsThere: assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !valid_o))
    else $error("pop from an empty store");
`endif

endmodule

`default_nettype wire
