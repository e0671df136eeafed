// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_header_capture with headers in the flits, and polycast_stop_view in it: the header of
/// each packet is complete with its last flit, once, or short with the tail, and what goes on is
/// what the bytes say. Any flits, any pauses, any contents.
module harness #(
  parameter int unsigned FlitBytes = 5,
  parameter int unsigned NumPorts  = 3,
  parameter int unsigned MaxHosts  = 26,
  parameter int unsigned Ports     = 8,
  parameter int unsigned Stops     = 2
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire logic                   store_i,
  input wire logic                   tail_i,
  input wire logic                   foreign_i,
  input wire logic [FlitBytes*8-1:0] data_i
);

  localparam int unsigned FlitBits   = FlitBytes * 8;
  localparam int unsigned StopBits   = 16 + Ports;
  localparam int unsigned ViewBits   = 16 + NumPorts + 4;
  localparam int unsigned FieldBits  = MaxHosts > ViewBits ? MaxHosts : ViewBits;
  localparam int unsigned CountBits  = 5;
  // The longest header, in whole flits.
  localparam int unsigned Longest    = 96 + Stops * StopBits;
  localparam int unsigned Flits      = (Longest + FlitBits - 1) / FlitBits;

  (* anyconst *) logic [3:0]  tree_header_flits;
  (* anyconst *) logic [15:0] switch_number;

  logic                   complete, short, source_valid;
  logic [23:0]            source;
  logic [FieldBits+4:0]   header;
  logic [CountBits-1:0]   count_q;
  logic                   done_q;
  logic [Flits*FlitBits-1:0] bytes_q, bytes;

  polycast_header_capture #(
    .NumPorts(NumPorts), .FlitBytes(FlitBytes), .MaxHosts(MaxHosts), .HeaderPorts(Ports),
    .HeaderStops(Stops),
    .HeaderFree(1'b0), .FlitCountBits(CountBits), .HeaderFlitsBits(4), .HeaderPinBits(1),
    .HeaderBits(FieldBits + 5)
  ) dut (
    .clk_i, .store_i, .tail_i, .index_i(count_q), .data_i, .header_i(1'b0),
    .tree_header_flits_i(tree_header_flits),
    .switch_number_i(switch_number), .foreign_i,
    .source_valid_o(source_valid), .source_o(source), .complete_o(complete), .short_o(short),
    .header_o(header)
  );

  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;

  // The flits of the packet so far, this one included; zero behind them.
  always_comb begin
    bytes = count_q == '0 ? '0 : bytes_q;
    if (store_i && count_q < CountBits'(Flits)) bytes[32'(count_q)*FlitBits+:FlitBits] = data_i;
  end

  always_ff @(posedge clk_i) begin
    bytes_q <= bytes;
    if (store_i) begin
      count_q <= tail_i ? '0 : count_q + CountBits'(1);
      done_q  <= !tail_i && (done_q || complete);
    end
    if (!rst_ni) begin
      count_q <= '0;
      done_q  <= 1'b0;
    end
  end

  logic [3:0]           kind;
  logic [7:0]           stops, next;
  logic                 path, bad, here, known, over;
  logic [7:0]           needed, stored;
  logic [StopBits-1:0]  stop;
  logic [15:0]          following;
  logic [FieldBits-1:0] field;

  always_comb begin
    if (first_q) assume (!rst_ni);
    assume (tree_header_flits != '0);
    assume (count_q != '1);
    // Only who is asked says that a packet may not come in.
    if (foreign_i) assume (source_valid);

    kind  = bytes[3:0];
    stops = bytes[80+:8];
    next  = bytes[88+:8];
    path  = kind == 4'd3;
    // Bytes of the header, and of what is stored.
    stored = (8'(count_q) + 8'd1) * 8'(FlitBytes);
    known  = !path || stored > 8'd10;
    needed = 8'd1;
    if (kind == 4'd0) needed = 8'd13;
    if (kind == 4'd1) needed = 8'(tree_header_flits) * 8'(FlitBytes);
    if (kind == 4'd2) needed = 8'd10 + 8'(StopBits / 8);
    if (path)         needed = stops > 8'(Stops) ? 8'd12 : 8'd12 + stops * 8'(StopBits / 8);
    over = known && stored >= needed;

    stop      = kind == 4'd2 ? bytes[80+:StopBits] : next == 8'd0 ? bytes[96+:StopBits] :
        bytes[96+StopBits+:StopBits];
    following = bytes[96+StopBits+:16];
    bad       = path && (stops > 8'(Stops) || next >= stops);
    here      = stop[15:0] == switch_number;
  end

  always_comb begin
    if (!first_q && rst_ni && store_i) begin
      // Once for each packet, with the last flit of the header or the tail.
      assert (complete == (!done_q && (over || tail_i)));
      if (complete) assert (short == (!over || foreign_i));
      // Whoever has a source is asked about it, and no cut header.
      assert (source_valid == (complete && over && kind <= 4'd3));
      if (source_valid) assert (source == bytes[8+:24]);

      if (complete && over) begin
        assert (header[4:0] == bytes[4:0]);
        if (kind == 4'd0) assert (header[5+:24] == bytes[80+:24]);
        if (kind == 4'd1) assert (header[5+:MaxHosts] == bytes[80+:MaxHosts]);
        if (path) assert (header[5+16+NumPorts+3] == bad);
        if ((kind == 4'd2 || path) && !bad) begin
          assert (header[5+16+NumPorts+1] == here);
          assert (header[5+16+:NumPorts] == stop[16+:NumPorts]);
          assert (header[5+16+NumPorts] == (stop[16+NumPorts+:Ports-NumPorts] != '0));
          assert (header[5+16+NumPorts+2] == (path && next + 8'd1 < stops));
          if (!here) assert (header[5+:16] == stop[15:0]);
          if (here && path && next + 8'd1 < stops) assert (header[5+:16] == following);
        end
      end
      cover (complete && !short && path && stops == 8'd2 && next == 8'd0 && here &&
          following == 16'h1234);
      cover (complete && !short && path && bad && stops == 8'd3);
      cover (complete && !short && path && stops == 8'd2 && next == 8'd1 && stop == 24'h563412);
      cover (complete && !short && kind == 4'd2 && here && stop[16+:Ports] == 8'hff);
      cover (complete && short && path && 32'(count_q) + 2 == Flits);
      cover (done_q && tail_i);
      cover (foreign_i && kind == 4'd1);
    end
    if (!first_q && rst_ni && !store_i) assert (!complete);
  end

endmodule

`default_nettype wire
