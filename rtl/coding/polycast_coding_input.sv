// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The port's input: framing and a buffer for each virtual channel (step 1 of
/// hw/chips/coding/coding_unit.md), and the choice of the flit that is taken (step 2).
module polycast_coding_input #(
  /// Virtual channels.
  parameter int unsigned NumVcs        = 4,
  /// Flits of the buffer of each.
  parameter int unsigned VcFlits       = 8,
  /// Bits of a flit.
  parameter int unsigned FlitBits      = 128,
  /// Bits that are kept of the header pins.
  parameter int unsigned HeaderBits    = 1,
  /// Bits of the number of a flit in its packet.
  parameter int unsigned FlitCountBits = 17,
  /// Bits of the number of a virtual channel; derived, do not set.
  parameter int unsigned VcBits        = NumVcs > 1 ? $clog2(NumVcs) : 1
) (
  /// Clock.
  input  wire logic                         clk_i,
  /// Asynchronous reset, active low.
  input  wire logic                         rst_ni,
  /// A flit comes in.
  input  wire logic                         flit_valid_i,
  /// It is the first of its packet.
  input  wire logic                         flit_head_i,
  /// It is the last of its packet.
  input  wire logic                         flit_tail_i,
  /// Its virtual channel; not read where there is one.
  input  wire logic [3:0]                   flit_vc_i,
  /// Its data.
  input  wire logic [FlitBits-1:0]          flit_data_i,
  /// What is kept of the header of its packet, where it comes beside the head flit.
  input  wire logic [HeaderBits-1:0]        flit_header_i,
  /// Longest packet in flits.
  input  wire logic [FlitCountBits-1:0]     packet_limit_i,
  /// There is a slot for another packet, registered.
  input  wire logic                         slot_free_i,
  /// A flit is taken.
  output logic                              take_o,
  /// Its virtual channel.
  output logic      [VcBits-1:0]            take_vc_o,
  /// It is the first of its packet.
  output logic                              take_head_o,
  /// It is the last of its packet.
  output logic                              take_tail_o,
  /// Its data.
  output logic      [FlitBits-1:0]          take_data_o,
  /// What was kept beside it; of use with a head.
  output logic      [HeaderBits-1:0]        take_header_o,
  /// Errors of this cycle.
  output logic      [polycast_pkg::NumErrors-1:0] error_o,
  /// No flit, no packet begun or being discarded, registered.
  output logic                              idle_o,
  /// Flits in each buffer, registered.
  output logic      [NumVcs*16-1:0]         occupied_o,
  /// State of each: 0 empty, 1 there are flits, 2 a packet has been taken in part.
  output logic      [NumVcs*2-1:0]          state_o
);

  localparam int unsigned CountBits   = $clog2(VcFlits + 1);
  localparam int unsigned PtrBits     = VcFlits > 1 ? $clog2(VcFlits) : 1;
  localparam int unsigned NumEntries  = NumVcs * VcFlits;
  localparam int unsigned AddressBits = NumEntries > 1 ? $clog2(NumEntries) : 1;

  typedef struct packed { logic [NumVcs-1:0][AddressBits-1:0] at; } vc_addresses_t;
  typedef struct packed { logic [NumVcs-1:0][15:0] at; } vc_counts_t;
  typedef struct packed { logic [NumVcs-1:0][1:0] at; } vc_states_t;
  typedef struct packed {
    logic [HeaderBits-1:0] header;
    logic                  tail;
    logic [FlitBits-1:0]   data;
  } entry_t;

  vc_addresses_t write_address, read_address;
  vc_counts_t occupied;
  vc_states_t state;
  entry_t entry;

  assign occupied_o = occupied;
  assign state_o = state;

  logic [HeaderBits+FlitBits:0] mem_q [NumEntries];
  logic [NumVcs-1:0]            valid, store, store_tail, overflow, missing_head, missing_tail,
      too_long;
  logic [NumVcs-1:0]            in_packet, filled, expects_head, request, taken, mask_q, mask_d,
      behind;
  logic [AddressBits-1:0]       write_now, read_now;
  logic                         bad_vc;

  if (NumVcs == 1) begin : gen_one_vc
    logic unused;
    assign unused = ^flit_vc_i;
    assign valid  = flit_valid_i;
    assign bad_vc = 1'b0;
  end else begin : gen_vcs
    always_comb begin
      valid = '0;
      for (int unsigned v = 0; v < NumVcs; v++) valid[v] = flit_valid_i && flit_vc_i == 4'(v);
    end
    assign bad_vc = flit_valid_i && valid == '0;
  end

  for (genvar v = 0; v < NumVcs; v++) begin : gen_vc
    logic [CountBits-1:0]     count_q;
    logic [PtrBits-1:0]       write_q, read_q;
    logic                     expects_head_q;
    logic [FlitCountBits-1:0] index;

    polycast_packet_framer #(
      .ChunkCountBits(CountBits),
      .FlitCountBits (FlitCountBits)
    ) i_framer (
      .clk_i,
      .rst_ni,
      .valid_i       (valid[v]),
      .head_i        (valid[v] && flit_head_i),
      .tail_i        (valid[v] && flit_tail_i),
      .chunk_start_i (1'b1),
      .occupied_i    (count_q),
      .usable_i      (CountBits'(VcFlits)),
      .packet_limit_i,
      .store_o       (store[v]),
      .store_tail_o  (store_tail[v]),
      .index_o       (index),
      .inside_o      (in_packet[v]),
      .overflow_o    (overflow[v]),
      .missing_head_o(missing_head[v]),
      .missing_tail_o(missing_tail[v]),
      .too_long_o    (too_long[v])
    );

    // Packets are whole in the buffer: behind a tail comes a head.
    logic unused;
    assign unused = ^index;

    assign filled[v]           = count_q != '0;
    assign state.at[v]         = expects_head[v] ? 2'(filled[v]) : 2'd2;
    assign expects_head[v]     = expects_head_q;
    assign write_address.at[v] = AddressBits'(v * VcFlits + 32'(write_q));
    assign read_address.at[v]  = AddressBits'(v * VcFlits + 32'(read_q));
    assign occupied.at[v]      = 16'(count_q);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_q        <= '0;
        write_q        <= '0;
        read_q         <= '0;
        expects_head_q <= 1'b1;
      end else begin
        if (store[v]) write_q <= write_q == PtrBits'(VcFlits - 1) ? '0 : write_q + PtrBits'(1);
        if (taken[v]) begin
          read_q         <= read_q == PtrBits'(VcFlits - 1) ? '0 : read_q + PtrBits'(1);
          expects_head_q <= take_tail_o;
        end
        if (store[v] && !taken[v]) count_q <= count_q + CountBits'(1);
        if (taken[v] && !store[v]) count_q <= count_q - CountBits'(1);
      end
    end

`ifndef SYNTHESIS
    NeverTooFull:
        assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= CountBits'(VcFlits))
      else $error("more flits than a buffer holds");
`endif
  end

  assign request = filled & ~(expects_head & {NumVcs{~slot_free_i}});

  polycast_rr_pick #(
    .NumReq(NumVcs)
  ) i_pick (
    .mask_i  (mask_q),
    .req_i   (request),
    .gnt_o   (taken),
    .behind_o(behind)
  );

  assign mask_d = take_o ? behind : mask_q;
  assign take_o = request != '0;

  always_comb begin
    take_vc_o = '0;
    write_now = '0;
    read_now  = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (taken[v]) begin
        take_vc_o = VcBits'(v);
        read_now  = read_address.at[v];
      end
      if (store[v]) write_now = write_address.at[v];
    end
  end

  assign entry         = mem_q[read_now];
  assign take_head_o   = (taken & expects_head) != '0;
  assign take_tail_o   = entry.tail;
  assign take_data_o   = entry.data;
  assign take_header_o = entry.header;

  always_ff @(posedge clk_i) begin
    if (store != '0) mem_q[write_now] <= {flit_header_i, store_tail != '0, flit_data_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mask_q <= '0;
    else         mask_q <= mask_d;
  end

  always_comb begin
    error_o = '0;
    error_o[polycast_pkg::ErrorOverflow]    = overflow != '0;
    error_o[polycast_pkg::ErrorMissingHead] = missing_head != '0;
    error_o[polycast_pkg::ErrorMissingTail] = missing_tail != '0;
    error_o[polycast_pkg::ErrorTooLong]     = too_long != '0;
    error_o[polycast_pkg::ErrorBadVc]       = bad_vc;
  end

  assign idle_o   = filled == '0 && in_packet == '0;

`ifndef SYNTHESIS
  OneFlitIsStored: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(store))
    else $error("a flit is stored in two buffers");
  HeadNeedsASlot:
      assert property (@(posedge clk_i) disable iff (!rst_ni) take_o && take_head_o |-> slot_free_i)
    else $error("a packet is taken without a slot");
`endif

endmodule

`default_nettype wire
