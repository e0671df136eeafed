// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The flits of a link end that are not acknowledged, or not sent yet: a ring whose places count to
/// twice its size, so that full and empty differ. A frame that is being repeated may be read on
/// after it was freed: it is read one flit a cycle from before the free, and written no faster.
module polycast_link_ring #(
  /// Bytes of a flit's data.
  parameter int unsigned FlitBytes  = 16,
  /// Bits of a flit with its marks and header.
  parameter int unsigned FlitBits   = 134,
  /// Flits.
  parameter int unsigned RingFlits  = 64,
  /// Code of a flit, `polycast_pkg::Protection...`.
  parameter int unsigned ProtectRings = 32'(polycast_pkg::ProtectionNone),
  /// Bits of a place; derived, do not set.
  parameter int unsigned PlaceBits  = $clog2(2 * RingFlits)
) (
  /// Clock.
  input  wire logic                 clk_i,
  /// Asynchronous reset, active low: it is empty.
  input  wire logic                 rst_ni,
  /// Flits that may be here, at most as many as there are places.
  input  wire logic [polycast_link_pkg::TimeBits-1:0] limit_i,
  /// Sent flits are freed at once.
  input  wire logic                 unlisted_i,
  // In the order in which they act:
  /// Drops everything.
  input  wire logic                 flush_i,
  /// The oldest unsent flit is sent.
  input  wire logic                 send_i,
  /// A flit of the chip, not while full.
  input  wire logic                 write_i,
  input  wire logic [FlitBits-1:0]  flit_i,
  input  wire logic                 begins_unit_i,
  input  wire logic                 begins_packet_i,
  /// All before `free_to_i` is acknowledged.
  input  wire logic                 free_i,
  input  wire logic [PlaceBits-1:0] free_to_i,
  /// Behind all that a bit flips: of which flit, counted from the oldest one, and which bit, with
  /// data first, then head, tail, channel, header, whether it begins a unit, and its code.
  input  wire logic                 upset_i,
  input  wire logic [23:0]          upset_index_i,
  input  wire logic [23:0]          upset_bit_i,
  /// The place to be read: of a flit sent before, or of the oldest unsent one.
  input  wire logic                 copy_i,
  input  wire logic [PlaceBits-1:0] place_i,
  output logic      [FlitBits-1:0]  flit_o,
  output logic                      begins_unit_o,
  /// Its code finds flips, and has corrected them or not.
  output logic                      corrected_o,
  output logic                      failed_o,
  /// There is no unsent flit.
  output logic                      all_sent_o,
  /// The place behind what is sent, this cycle's flit included.
  output logic      [PlaceBits-1:0] sent_to_o,
  /// There is no room for a flit of the chip.
  output logic                      full_o,
  /// Flits, with the one that is written in this cycle.
  output logic      [PlaceBits-1:0] most_o,
  /// Flits, and packets of which no flit is sent.
  output logic      [PlaceBits-1:0] flits_o,
  output logic      [PlaceBits-1:0] packets_o,
  /// A flit was sent and is not acknowledged.
  output logic                      outstanding_o
);

  localparam int unsigned IndexBits = RingFlits > 1 ? $clog2(RingFlits) : 1;
  localparam logic [PlaceBits-1:0] Last = PlaceBits'(2 * RingFlits - 1);

  localparam int unsigned WordBits = FlitBits + 1;
  localparam int unsigned StoredBits = WordBits +
      (ProtectRings == 32'(polycast_pkg::ProtectionParity) ? (WordBits + 7) / 8 :
       ProtectRings == 32'(polycast_pkg::ProtectionSecded) ? (WordBits + 31) / 32 * 7 : 0);

  // A packet that begins only counts among those dropped: it is outside the code.
  typedef struct packed {
    logic                  begins_packet;
    logic [StoredBits-1:0] word;
  } entry_t;

  logic [StoredBits:0]  mem_q [RingFlits];
  entry_t               read;
  logic [PlaceBits-1:0] first_q, next_q, end_q, packets_q;
  logic [PlaceBits-1:0] first_sent, next_sent, next_behind, end_behind, place, used;
  logic [IndexBits-1:0] read_index, write_index;

  assign place       = copy_i ? place_i : next_q;
  assign read_index  = IndexBits'(32'(place) < RingFlits ? 32'(place) : 32'(place) - RingFlits);
  assign write_index = IndexBits'(32'(end_q) < RingFlits ? 32'(end_q) : 32'(end_q) - RingFlits);
  assign read        = mem_q[read_index];

  polycast_memory_decode #(
    .Width      (WordBits),
    .Protection (ProtectRings)
  ) u_decode (
    .stored_i    (read.word),
    .data_o      ({begins_unit_o, flit_o}),
    .corrected_o (corrected_o),
    .failed_o    (failed_o)
  );

  assign all_sent_o    = next_q == end_q;
  assign next_behind   = next_q == Last ? '0 : next_q + PlaceBits'(1);
  assign end_behind    = end_q == Last ? '0 : end_q + PlaceBits'(1);
  assign next_sent     = flush_i ? end_q : send_i ? next_behind : next_q;
  assign first_sent    = flush_i ? end_q : send_i && unlisted_i ? next_behind : first_q;
  assign sent_to_o     = next_sent;

  // Flits between two places.
  assign used          = end_q >= first_sent ? end_q - first_sent :
      PlaceBits'(32'(end_q) + 2 * RingFlits - 32'(first_sent));
  assign full_o        = 32'(used) == limit_i;
  assign most_o        = used + PlaceBits'(write_i);
  assign flits_o       = end_q >= first_q ? end_q - first_q :
      PlaceBits'(32'(end_q) + 2 * RingFlits - 32'(first_q));
  assign packets_o     = packets_q;
  assign outstanding_o = first_q != next_q;

  entry_t               written;
  logic [PlaceBits-1:0] first_behind, end_now;

  assign written.begins_packet = begins_packet_i;
  polycast_memory_encode #(
    .Width      (WordBits),
    .Protection (ProtectRings)
  ) u_encode (
    .data_i   ({begins_unit_i, flit_i}),
    .stored_o (written.word)
  );
  assign first_behind = free_i ? free_to_i : first_sent;
  assign end_now      = write_i ? end_behind : end_q;

  if (polycast_link_pkg::Upsets) begin : gen_upsets
    // Here data come behind marks and channel, in registers before them.
    localparam logic [23:0] DataBits = 24'(8 * FlitBytes);
    entry_t               upset_entry;
    logic [StoredBits-1:0] upset_mask;
    logic [23:0]          bit_here;
    logic [PlaceBits-1:0] held, upset_place;
    logic [IndexBits-1:0] upset_index;
    logic                 upset;
    assign bit_here    = upset_bit_i < DataBits ? upset_bit_i + 24'd6 :
        upset_bit_i < DataBits + 24'd6 ? upset_bit_i - DataBits : upset_bit_i;
    assign upset_mask  = upset_i ? StoredBits'(1) << bit_here : '0;
    assign held        = end_now >= first_behind ? end_now - first_behind :
        PlaceBits'(32'(end_now) + 2 * RingFlits - 32'(first_behind));
    assign upset       = upset_mask != '0 && 32'(upset_index_i) < 32'(held);
    assign upset_place = PlaceBits'((32'(first_behind) + 32'(upset_index_i)) % (2 * RingFlits));
    assign upset_index =
        IndexBits'(32'(upset_place) < RingFlits ? 32'(upset_place) : 32'(upset_place) - RingFlits);
    assign upset_entry = write_i && upset_index == write_index ? written : mem_q[upset_index];
    always_ff @(posedge clk_i) begin
      if (write_i) mem_q[write_index] <= written;
      if (upset) mem_q[upset_index] <= upset_entry ^ {1'b0, upset_mask};
    end
  end else begin : gen_no_upsets
    always_ff @(posedge clk_i) begin
      if (write_i) mem_q[write_index] <= written;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q   <= '0;
      next_q    <= '0;
      end_q     <= '0;
      packets_q <= '0;
    end else begin
      first_q <= first_behind;
      next_q  <= next_sent;
      end_q   <= end_now;
      packets_q <= (flush_i ? '0 : packets_q - PlaceBits'(send_i && read.begins_packet)) +
          PlaceBits'(write_i && begins_packet_i);
    end
  end

`ifndef SYNTHESIS
  RoomForAll: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(write_i && (full_o || 32'(used) == RingFlits)))
    else $error("a flit is written into a full ring");
  SendsWhatIsThere: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(send_i && all_sent_o))
    else $error("a flit is sent that is not there");
`endif

endmodule

`default_nettype wire
