// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_vl_front: packets come to the front in the order of their decisions, from the cycle
/// after they were routed or after the one before has left, whichever is later; branches wait until
/// they are granted, or until the packet has been at the front for `hoq_life_i` cycles, and those
/// that are granted go on; a packet none of whose branches was granted in that time is read by
/// reader 0. What replication_buffer.sv assumes of packets that lose readers is asserted here.
///
/// Assumed: no more packets than the buffer has chunks; only branches that wait are granted; only
/// those that hold an output read a tail, once; the buffer says when all readers have read it
/// (replication_buffer.sv proves that).
module harness #(
  parameter int unsigned NumPorts   = 2,
  parameter int unsigned NumChunks  = 3,
  parameter int unsigned HeaderBits = 0,
  parameter int unsigned PinBits    = HeaderBits > 0 ? HeaderBits : 1
) (
  input wire logic                                            clk_i,
  input wire logic                                            rst_ni,
  input wire logic                                            routed_i,
  input wire logic [NumPorts-1:0]                             ports_i,
  input wire logic [polycast_pkg::SlBits-1:0]                 sl_i,
  input wire logic [PinBits-1:0]                              header_i,
  input wire logic [NumPorts*polycast_vl_pkg::VlBits-1:0]     vl_i,
  input wire logic [NumPorts-1:0]                             gnt_i,
  input wire logic [NumPorts-1:0]                             tail_i,
  input wire logic                                            drained_i
);

  localparam int unsigned SlBits     = polycast_pkg::SlBits;
  localparam int unsigned VlBits     = polycast_vl_pkg::VlBits;
  localparam int unsigned LifeBits   = polycast_vl_pkg::HoqLifeBits;
  localparam int unsigned ReaderBits = $clog2(NumPorts + 1);
  localparam int unsigned RouteBits  = NumPorts + SlBits + HeaderBits;
  localparam int unsigned Bits       = $clog2(2 * NumChunks) + 1;
  localparam int unsigned PtrBits    = $clog2(NumChunks);

  // Configuration: any, and constant.
  (* anyconst *) logic [LifeBits-1:0] life;

  logic                       load, draining, empty, done;
  logic [ReaderBits-1:0]      load_readers;
  logic [SlBits-1:0]          load_sl;
  logic [NumPorts-1:0]        waiting, reading, lost, stay;
  logic [NumPorts*VlBits-1:0] vl;
  logic [PinBits-1:0]         header;

  polycast_vl_front #(
    .NumPorts(NumPorts), .NumChunks(NumChunks), .HeaderBits(HeaderBits)
  ) dut (
    .clk_i, .rst_ni, .hoq_life_i(life), .routed_i, .routed_ports_i(ports_i), .routed_sl_i(sl_i),
    .routed_header_i(header_i), .load_o(load), .load_readers_o(load_readers), .load_sl_o(load_sl),
    .load_vl_i(vl_i), .gnt_i, .tail_i, .done_i(done), .waiting_o(waiting), .reading_o(reading),
    .vl_o(vl), .draining_o(draining), .header_o(header), .lost_o(lost), .stay_o(stay),
    .empty_o(empty)
  );

  (* probe = "dut.age_q" *) wire [LifeBits-1:0] dut_age;
  (* probe = "dut.granted_q" *) wire [NumPorts-1:0] dut_granted;
  (* probe = "dut.i_routes.mem_q", words = "NumChunks" *) wire [NumChunks*RouteBits-1:0] words;
  (* probe = "dut.i_routes.write_q" *) wire [PtrBits-1:0] dut_write;
  (* probe = "dut.i_routes.read_q" *) wire [PtrBits-1:0] dut_read;
  (* probe = "dut.i_routes.count_q" *) wire [$clog2(NumChunks+1)-1:0] dut_count;

  // ---- What has happened, told from the pins alone. Decisions that wait, the oldest first.
  logic [Bits-1:0]                queued_q;
  logic [NumChunks*RouteBits-1:0] queue_q;
  // The packet at the front: cycles there so far, what each branch does, readers that the buffer
  // counts, and those that have read the tail; whether a branch of it has been given up.
  logic                           front_q, dropped_q, lost_q;
  logic [LifeBits-1:0]            age_q;
  logic [NumPorts-1:0]            waiting_q, reading_q, granted_q, readers_q, over_q;
  logic [NumPorts*VlBits-1:0]     vl_q;
  logic [RouteBits-1:0]           route_q;

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;

  // ---- What has to happen in this cycle.
  logic [RouteBits-1:0] routed, next;
  logic [NumPorts-1:0]  granted_now, waits_now, lost_now, stay_now, over_now;
  logic                 left_now, load_now;

  if (HeaderBits > 0) begin : gen_header
    assign routed = {header_i, sl_i, ports_i};
  end else begin : gen_no_header
    assign routed = {sl_i, ports_i};
  end

  always_comb begin
    granted_now = granted_q | gnt_i;
    waits_now   = waiting_q & ~gnt_i;
    over_now    = over_q | tail_i;
    if (dropped_q && drained_i) over_now[0] = 1'b1;
    lost_now    = '0;
    if (front_q && life != '0 && age_q + LifeBits'(1) == life) lost_now = waits_now;
    stay_now = readers_q;
    if (lost_now != '0) stay_now = granted_now != '0 ? granted_now : NumPorts'(1);
    left_now = front_q && (stay_now & ~over_now) == '0;
    load_now = (!front_q || left_now) && (queued_q != '0 || routed_i);
    next     = queued_q != '0 ? queue_q[RouteBits-1:0] : routed;
    done     = front_q && (readers_q & ~over_now) == '0;
  end

  // ---- The rules.
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (routed_i) assume (queued_q + Bits'(front_q) < Bits'(NumChunks));
    assume ((gnt_i & ~waiting_q) == '0);
    assume ((tail_i & ~(reading_q | gnt_i)) == '0);
  end

  // ---- The next state of all that.
  logic [NumChunks*RouteBits-1:0] queue_d;
  always_comb begin
    queue_d = queue_q;
    if (load_now && queued_q != '0) queue_d = queue_q >> RouteBits;
    for (int unsigned i = 0; i < NumChunks; i++) begin
      if (routed_i && queued_q == Bits'(i) + Bits'(load_now && queued_q != '0)) begin
        queue_d[i*RouteBits+:RouteBits] = routed;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    queue_q  <= queue_d;
    queued_q <= queued_q + Bits'(routed_i) - Bits'(load_now);
    if (load_now) begin
      front_q   <= 1'b1;
      age_q     <= '0;
      lost_q    <= 1'b0;
      route_q   <= next;
      vl_q      <= vl_i;
      waiting_q <= next[NumPorts-1:0];
      reading_q <= '0;
      granted_q <= '0;
      over_q    <= '0;
      readers_q <= next[NumPorts-1:0] == '0 ? NumPorts'(1) : next[NumPorts-1:0];
      dropped_q <= next[NumPorts-1:0] == '0;
    end else begin
      if (left_now) front_q <= 1'b0;
      if (age_q != '1) age_q <= age_q + 1'b1;
      lost_q    <= lost_q || lost_now != '0;
      waiting_q <= left_now ? '0 : waits_now & ~lost_now;
      reading_q <= left_now ? '0 : (reading_q | gnt_i) & ~tail_i;
      granted_q <= left_now ? '0 : granted_now;
      over_q    <= over_now;
      readers_q <= stay_now;
      dropped_q <= !left_now && (dropped_q || (lost_now != '0 && granted_now == '0));
    end
    if (!rst_ni) begin
      queued_q  <= '0;
      front_q   <= 1'b0;
      lost_q    <= 1'b0;
      dropped_q <= 1'b0;
      waiting_q <= '0;
      reading_q <= '0;
      granted_q <= '0;
      over_q    <= '0;
      readers_q <= '0;
    end
  end

  // ---- What counts.
  logic [ReaderBits-1:0] readers;
  always_comb begin
    readers = ReaderBits'(next[NumPorts-1:0] == '0);
    for (int unsigned p = 0; p < NumPorts; p++) readers = readers + ReaderBits'(next[p]);

    if (!first_q && rst_ni) begin
      assert (load == load_now && empty == !front_q);
      if (load) assert (load_readers == readers && load_sl == next[NumPorts+:SlBits]);
      assert (waiting == waiting_q && reading == reading_q && draining == dropped_q);
      if (front_q) assert (vl == vl_q);
      if (front_q && HeaderBits > 0) assert (header == PinBits'(route_q >> (NumPorts + SlBits)));
      assert (lost == lost_now);
      // Nobody waits for longer than that.
      if (life != '0 && waiting != '0) assert (age_q < life);
      // What replication_buffer.sv assumes: who is lost has read nothing and is not reading,
      // reader 0 comes only where nobody has read; somebody stays.
      if (lost != '0) begin
        assert (stay == stay_now && stay != '0);
        assert ((readers_q & ~stay & granted_now) == '0);
        if ((stay & ~readers_q) != '0) assert (granted_now == '0);
        assert ((readers_q & ~granted_now) != '0 && !dropped_q);
      end
      // A packet at the front has a reader that has not read its tail.
      if (front_q) assert ((readers_q & ~over_q) != '0);

      cover (lost != '0 && granted_now == '0);
      cover (lost != '0 && left_now && load && queued_q != '0);
      cover (lost != '0 && reading_q != '0 && !left_now);
      cover (dropped_q && lost_q && left_now);
      cover (dropped_q && !lost_q && left_now && load && queued_q == '0);
      cover (queued_q == Bits'(NumChunks - 1) && front_q);
    end
  end

  // ---- What holds the induction together.
  always_comb begin
    if (!first_q && rst_ni) begin
      assert (queued_q + Bits'(front_q) <= Bits'(NumChunks) && (front_q || queued_q == '0));
      assert (Bits'(dut_count) == queued_q && Bits'(dut_read) < Bits'(NumChunks) &&
          Bits'(dut_write) < Bits'(NumChunks));
      assert (Bits'(dut_write) == Bits'(dut_read) + queued_q ||
          Bits'(dut_write) + Bits'(NumChunks) == Bits'(dut_read) + queued_q);
      for (int unsigned i = 0; i < NumChunks; i++) begin
        for (int unsigned w = 0; w < NumChunks; w++) begin
          if (Bits'(i) < queued_q && (Bits'(dut_read) + Bits'(i) == Bits'(w) ||
              Bits'(dut_read) + Bits'(i) == Bits'(w + NumChunks))) begin
            assert (words[w*RouteBits+:RouteBits] == queue_q[i*RouteBits+:RouteBits]);
          end
        end
      end
      assert (dut_granted == granted_q);
      if (front_q) begin
        assert (dut_age == age_q);
        if (dropped_q) begin
          assert (waiting_q == '0 && reading_q == '0 && granted_q == '0 && over_q == '0);
          assert (readers_q == NumPorts'(1));
        end else begin
          assert (readers_q == (waiting_q | granted_q) && (waiting_q & granted_q) == '0);
          assert (granted_q == (reading_q | over_q) && (reading_q & over_q) == '0);
          if (lost_q) assert (waiting_q == '0);
        end
      end else begin
        assert (waiting_q == '0 && reading_q == '0 && granted_q == '0 && !dropped_q);
      end
    end
  end

endmodule

`default_nettype wire
