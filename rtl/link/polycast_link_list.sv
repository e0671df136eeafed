// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The frames of a link end that were sent and not acknowledged, in order.
module polycast_link_list #(
  /// Frames.
  parameter int unsigned WindowFrames = 16,
  /// Bits of a place in the ring.
  parameter int unsigned PlaceBits    = 7,
  /// Bits of a number of frames; derived, do not set.
  parameter int unsigned CountBits    = $clog2(WindowFrames + 1)
) (
  /// Clock.
  input  wire logic                 clk_i,
  /// Asynchronous reset, active low: it is empty.
  input  wire logic                 rst_ni,
  /// Now, as far as differences go.
  input  wire logic [polycast_link_pkg::TimeBits-1:0] now_i,
  // In the order in which they act:
  /// Drops everything.
  input  wire logic                 flush_i,
  /// A frame is sent: its flits, the place behind them, what it says if it is a message.
  input  wire logic                 push_i,
  input  wire logic [polycast_link_pkg::FrameBits-1:0] flits_i,
  input  wire logic [PlaceBits-1:0] place_i,
  input  wire logic [3:0]           kind_i,
  input  wire polycast_link_pkg::message_t message_i,
  /// So many are acknowledged; the place in the ring behind them.
  input  wire logic                 free_i,
  input  wire logic [CountBits-1:0] freed_i,
  output logic      [PlaceBits-1:0] free_to_o,
  /// Frames and their flits before this cycle.
  output logic      [CountBits-1:0] count_o,
  output logic      [polycast_link_pkg::TimeBits-1:0] flits_o,
  /// The frame with this number from the oldest on.
  input  wire logic [CountBits-1:0] which_i,
  output logic      [polycast_link_pkg::FrameBits-1:0] which_flits_o,
  output logic      [PlaceBits-1:0] which_place_o,
  output logic      [3:0]           which_kind_o,
  output polycast_link_pkg::message_t which_message_o,
  /// Cycles since the oldest was sent first.
  output logic      [polycast_link_pkg::TimeBits-1:0] age_o
);

  localparam int unsigned PtrBits   = WindowFrames > 1 ? $clog2(WindowFrames) : 1;
  localparam int unsigned FrameBits = polycast_link_pkg::FrameBits;
  localparam int unsigned TimeBits  = polycast_link_pkg::TimeBits;
  localparam int unsigned MessageBits = polycast_link_pkg::MessageBits;

  localparam int unsigned EntryBits = MessageBits + 4 + FrameBits;

  typedef struct packed {
    logic [MessageBits-1:0] message;
    logic [3:0]             kind;
    logic [FrameBits-1:0]   flits;
  } entry_t;

  logic [EntryBits-1:0] mem_q [WindowFrames];
  logic [PlaceBits-1:0] place_q [WindowFrames];
  logic [TimeBits-1:0]  sent_q [WindowFrames];
  // All flits of frames that were ever sent, when this one was the last.
  logic [TimeBits-1:0]  sum_at_q [WindowFrames];
  logic [PtrBits-1:0]   head_q, write_at, which_at, last_freed;
  logic [CountBits-1:0] count_q, count_pushed;
  logic [TimeBits-1:0]  sum_q, freed_sum_q, sum_pushed;
  logic                 frees_new;
  entry_t               which;

  // The place of a frame that is `from` behind the oldest.
  logic [31:0] head_wide, which_wide, write_wide, freed_wide;
  assign head_wide  = 32'(head_q);
  assign which_wide = head_wide + 32'(which_i);
  assign write_wide = head_wide + 32'(count_q);
  assign freed_wide = head_wide + 32'(freed_i) - 32'd1;

  assign write_at   = PtrBits'(write_wide < WindowFrames ? write_wide : write_wide - WindowFrames);
  assign last_freed = PtrBits'(freed_wide < WindowFrames ? freed_wide : freed_wide - WindowFrames);
  assign which_at   = PtrBits'(which_wide < WindowFrames ? which_wide : which_wide - WindowFrames);
  assign which      = mem_q[which_at];

  assign which_flits_o   = which.flits;
  assign which_place_o   = place_q[which_at];
  assign which_kind_o    = which.kind;
  assign which_message_o = which.message;

  assign count_o      = count_q;
  assign flits_o      = sum_q - freed_sum_q;
  assign age_o        = now_i - sent_q[head_q];
  assign sum_pushed   = sum_q + TimeBits'(flits_i);
  assign count_pushed = count_q + CountBits'(push_i);
  // An acknowledgement of the frame that ends in this cycle makes no sense, but it can be read.
  assign frees_new    = push_i && freed_i == count_pushed;

  assign free_to_o    = frees_new ? place_i : place_q[last_freed];

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      mem_q[write_at]    <= {message_i, kind_i, flits_i};
      place_q[write_at]  <= place_i;
      sent_q[write_at]   <= now_i;
      sum_at_q[write_at] <= sum_pushed;
    end
  end

  logic [31:0] head_freed;
  assign head_freed = head_wide + 32'(freed_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q      <= '0;
      count_q     <= '0;
      sum_q       <= '0;
      freed_sum_q <= '0;
    end else if (flush_i) begin
      head_q      <= '0;
      count_q     <= '0;
      freed_sum_q <= sum_q;
    end else begin
      if (push_i) sum_q <= sum_pushed;
      count_q <= count_pushed - (free_i ? freed_i : '0);
      if (free_i) begin
        head_q <= PtrBits'(head_freed < WindowFrames ? head_freed : head_freed - WindowFrames);
        freed_sum_q <= frees_new ? sum_pushed : sum_at_q[last_freed];
      end
    end
  end

`ifndef SYNTHESIS
  RoomForAll: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(push_i && count_q == CountBits'(WindowFrames)))
    else $error("a frame beyond the window");
  FreesWhatIsThere: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(free_i && (freed_i == '0 || freed_i > count_pushed)))
    else $error("more frames are acknowledged than there are");
`endif

endmodule

`default_nettype wire
