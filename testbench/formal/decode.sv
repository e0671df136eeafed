// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_route_decode, polycast_port_select and a polycast_header_rewrite for each port, before
/// them polycast_stop_view and, where the header is free, polycast_stop_list: the copies of a
/// packet share its header out, and one of a path worm's goes on to its next stop. Any header,
/// tables, directions and load; the tables have the property of the loader's tables: restricted
/// strings of different down ports share no host, and together they are the total string.
///
/// Everything but the round-robin pointer is combinational: one step covers all cases. The pointer
/// is free here (any mask that rr_arbiter.sv proves possible).
module harness #(
  parameter int unsigned NumPorts   = 4,
  parameter int unsigned MaxHosts   = 11,
  parameter bit          HeaderFree = 1'b0,
  parameter int unsigned Ports      = 8,
  parameter int unsigned Stops      = 2,
  parameter int unsigned StopBits   = 16 + Ports,
  parameter int unsigned FreeBits   = polycast_pkg::CommonHeaderBits + 16 + Stops * StopBits +
      polycast_pkg::TransportBits + polycast_pkg::CheckBits
) (
  input wire logic                   clk_i,
  input wire logic                   valid_i,
  input wire logic                   short_i,
  input wire logic [3:0]             kind_i,
  input wire logic                   up_i,
  input wire logic [23:0]            field_i,
  input wire logic [7:0]             stops_i,
  input wire logic [7:0]             next_i,
  input wire logic [StopBits-1:0]    stop_i,
  input wire logic [15:0]            following_switch_i,
  input wire logic [15:0]            switch_number_i,
  input wire logic                   rewrite_i,
  input wire logic [NumPorts-1:0]    tree_up_i,
  input wire logic [NumPorts-1:0]    table_mask_i,
  input wire logic [NumPorts-1:0]    is_down_i,
  input wire logic [NumPorts-1:0]    is_up_i,
  input wire logic [31:0]            reach_total_i,
  input wire logic [NumPorts*32-1:0] reach_port_i,
  input wire logic [1:0]             selection_i,
  input wire logic [NumPorts-1:0]    held_i,
  input wire logic [NumPorts*3-1:0]  outstanding_i,
  input wire logic [3:0]             host_i,
  input wire logic [$clog2(NumPorts)-1:0] port_i,
  input wire logic [$clog2(NumPorts)-1:0] other_i,
  input wire logic [11:0]            index_i,
  input wire logic [7:0]             data_i,
  input wire logic [FreeBits-1:0]    header_i,
  input wire logic [11:0]            tree_header_flits_i
);

  localparam int unsigned HeaderPinBits = HeaderFree ? FreeBits : 1;
  // The bit string begins with flit 10 of a one-byte header
  localparam int unsigned StringFlit    = 10;

  localparam int unsigned ViewBits      = 16 + NumPorts + 4;

  logic [NumPorts-1:0] candidates, copies, choice, branches, advancing;
  logic                advance, drop, bad_kind, no_route, partial_route;
  logic [ViewBits-1:0] view;
  logic                path, ssr;
  logic [7:0]          stops, next;
  logic [StopBits-1:0] stop;
  logic [15:0]         following_switch;

  assign path = kind_i == polycast_pkg::KindPath;
  assign ssr  = kind_i == polycast_pkg::KindSsr;

  if (HeaderFree) begin : gen_list
    polycast_stop_list #(.HeaderPorts(Ports), .HeaderStops(Stops)) list (
      .valid_i(valid_i && (path || ssr)), .path_i(path), .field_i(header_i[80+:16+Stops*StopBits]),
      .stops_o(stops),
      .next_o(next), .stop_o(stop), .following_switch_o(following_switch)
    );
  end else begin : gen_stop
    assign {stops, next, stop, following_switch} = {stops_i, next_i, stop_i, following_switch_i};
  end

  polycast_stop_view #(.NumPorts(NumPorts), .HeaderPorts(Ports), .HeaderStops(Stops)) stop_view (
    .path_i(path), .stops_i(stops), .next_i(next), .stop_i(stop),
    .following_switch_i(following_switch),
    .switch_number_i, .view_o(view)
  );

  polycast_route_decode #(.NumPorts(NumPorts), .MaxHosts(MaxHosts), .FieldBits(24),
      .WordBits(32)) decode (
    .valid_i, .short_i, .kind_i, .up_i, .field_i, .view_i(view), .table_mask_i, .rewrite_i,
    .is_down_i, .is_up_i,
    .tree_up_i, .reach_total_i, .reach_port_i, .candidates_o(candidates), .branches_o(copies),
    .advance_o(advance),
    .drop_o(drop), .bad_kind_o(bad_kind), .no_route_o(no_route), .partial_route_o(partial_route)
  );

  polycast_port_select #(.NumPorts(NumPorts), .CreditBits(3)) select (
    .clk_i, .rst_ni(1'b1), .selection_i, .candidates_i(candidates), .held_i, .outstanding_i,
    .choice_o(choice)
  );
  assign branches  = choice | copies;
  assign advancing = advance ? choice : '0;

  (* probe = "select.i_round_robin.mask_q" *) wire [NumPorts-1:0] mask;

  logic [NumPorts*8-1:0]             data;
  logic [NumPorts*HeaderPinBits-1:0] header;
  logic                              tree;
  assign tree = kind_i == polycast_pkg::KindTree;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    polycast_header_rewrite #(
      .FlitBytes(1), .MaxHosts(MaxHosts), .HeaderFree(HeaderFree), .HeaderFlitsBits(12),
      .HeaderPinBits(HeaderPinBits)
    ) rewrite (
      .valid_i(1'b1), .index_i, .data_i, .header_i(header_i[HeaderPinBits-1:0]),
      .mask_i(tree && rewrite_i),
      .advance_i(advancing[p]), .is_up_i(is_up_i[p]),
      .is_down_i(is_down_i[p]), .reach_i(reach_port_i[p*32+:MaxHosts]), .tree_header_flits_i,
      .data_o(data[p*8+:8]), .header_o(header[p*HeaderPinBits+:HeaderPinBits])
    );
  end

  // ---- The rules. One host and one other port stand for all; the flit is the one that carries the
  // host, or any other.
  logic [MaxHosts-1:0]               hosts, total;
  logic [NumPorts*MaxHosts-1:0]      reach;
  logic [NumPorts-1:0]               behind, got, up_bit, lowest, expected;
  logic                              beyond, carried, goes_up;
  logic [11:0]                       string_index;

  always_comb begin
    hosts        = field_i[MaxHosts-1:0];
    total        = reach_total_i[MaxHosts-1:0];
    string_index = StringFlit + (12'(host_i) >> 3);
    carried      = HeaderFree || (index_i == string_index && index_i < tree_header_flits_i);
    beyond       = (hosts & ~total) != '0;
    goes_up      = up_i && beyond && tree_up_i != '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      reach[p*MaxHosts+:MaxHosts] = reach_port_i[p*32+:MaxHosts];
      behind[p] = is_down_i[p] && reach_port_i[p*32+32'(host_i)];
    end

    assume ((~mask & (~mask + 1'b1)) == '0);
    assume ((is_down_i & is_up_i) == '0 && (tree_up_i & ~is_up_i) == '0);
    assume (host_i < 4'(MaxHosts));
    assume (tree_header_flits_i != '0);
    // Every host of the total string lies behind exactly one down port.
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (is_down_i[p]) begin
        assume ((reach[p*MaxHosts+:MaxHosts] & ~total) == '0);
        for (int unsigned q = 0; q < p; q++) begin
          if (is_down_i[q]) begin
            assume ((reach[p*MaxHosts+:MaxHosts] & reach[q*MaxHosts+:MaxHosts]) == '0);
          end
        end
      end
    end
    if (total[host_i]) assume (behind != '0);
    // What is decoded is what the header says.
    if (HeaderFree && tree) assume (header_i[80+32'(host_i)] == hosts[host_i]);
    else if (tree && carried) assume (data_i[host_i[2:0]] == hosts[host_i]);
  end

  // ---- What leaves.
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      got[p]    = HeaderFree ?
          header[p*HeaderPinBits+(HeaderFree?80:0)+(HeaderFree?32'(host_i):0)] :
                               data[p*8+32'(host_i[2:0])];
      up_bit[p] = HeaderFree ? header[p*HeaderPinBits+(HeaderFree?4:0)] : data[p*8+4];
    end
    lowest   = candidates & (~candidates + 1'b1);
    expected = (candidates & mask) != '0 ? (candidates & mask) & (~(candidates & mask) + 1'b1) :
        lowest;
  end

  logic decides;
  logic [2:0] load, other_load;
  assign decides = valid_i && !short_i;

  // What the list says, as the page puts it: from the header's bytes where it is free.
  logic [7:0]          said_stops, said_next, string;
  logic [15:0]         said_switch, said_following;
  logic                bad_list, here, more;
  logic [NumPorts-1:0] leading, local;

  always_comb begin
    {said_stops, said_next, string, said_switch, said_following} =
        {stops_i, next_i, stop_i[16+:Ports], stop_i[15:0], following_switch_i};
    if (HeaderFree) begin
      said_stops     = header_i[80+:8];
      said_next      = header_i[88+:8];
      said_switch    = path ? (said_next == 8'd0 ? header_i[96+:16] : header_i[96+StopBits+:16]) :
          header_i[80+:16];
      string         = path ? (said_next == 8'd0 ? header_i[112+:8] : header_i[112+StopBits+:8]) :
          header_i[96+:8];
      said_following = header_i[96+StopBits+:16];
    end
    bad_list = path && (said_stops > 8'(Stops) || said_next >= said_stops);
    here     = said_switch == switch_number_i;
    more     = path && !bad_list && said_next + 8'd1 < said_stops;
    leading  = table_mask_i & (up_i ? is_up_i | is_down_i : is_down_i);
    local    = string[NumPorts-1:0] & is_down_i;
  end

  always_comb begin
    load       = outstanding_i[port_i*3+:3];
    other_load = outstanding_i[other_i*3+:3];

    // Only ports that lead somewhere; a packet is dropped or sent, never both.
    assert ((branches & ~(is_up_i | is_down_i)) == '0);
    assert (drop == (valid_i && branches == '0));
    assert (candidates == '0 || copies == '0 || path);
    assert (bad_kind == (decides && kind_i > 4'd3));
    assert (advancing == '0 || (decides && path));
    assert (no_route == (decides && !bad_kind && branches == '0));

    // Unicast: exactly one port of the table.
    if (decides && kind_i == polycast_pkg::KindUnicast) begin
      assert ((branches & (branches - 1'b1)) == '0 && (branches & ~table_mask_i) == '0 &&
          !partial_route);
      if (!up_i) assert ((branches & ~is_down_i) == '0);
      assert ((branches == '0) == (field_i >= 24'(MaxHosts) || leading == '0));
    end

    // SSR and path worms: to the stop's switch by one port; there to the ports of the string that
    // are down, and on to the next stop.
    if (decides && (ssr || path) && bad_list) assert (no_route && !partial_route);
    if (decides && (ssr || path) && !bad_list) begin
      if (!here || more) assert (view[15:0] == (here ? said_following : said_switch));
      if (!here) begin
        assert ((branches & (branches - 1'b1)) == '0 && (branches & ~leading) == '0 &&
                (branches == '0) == (leading == '0));
        assert (!partial_route && advancing == '0);
      end else begin
        assert ((local & ~branches) == '0 && (branches & ~local & ~advancing) == '0);
        assert ((advancing & (advancing - 1'b1)) == '0 && (advancing & ~leading) == '0);
        assert ((advancing == '0) == (!more || leading == '0));
        assert (partial_route ==
            (branches != '0 && (string != 8'(local) || (more && leading == '0))));
      end
    end

    // Tree: one up port, or the copies share the hosts out.
    if (decides && kind_i == polycast_pkg::KindTree) begin
      if (goes_up) begin
        assert ((branches & (branches - 1'b1)) == '0 && branches != '0 && (branches & ~tree_up_i) ==
            '0 &&
                !partial_route);
      end else begin
        assert ((branches & ~is_down_i) == '0);
        assert (partial_route == (beyond && branches != '0 && (up_i || rewrite_i)));
        // A host that lies behind a port is in a copy, behind no other port, and in no other copy.
        assert ((behind & (hosts[host_i] ? ~branches : '0)) == '0);
        if (carried && !rewrite_i) assert ((got & branches) == (hosts[host_i] ? branches : '0));
        if (carried && rewrite_i) begin
          assert ((got & branches) == (hosts[host_i] ? behind : '0));
          assert ((got & branches & ((got & branches) - 1'b1)) == '0);
          assert (((got & branches) != '0) == (hosts[host_i] && total[host_i]));
        end
        // No copy is empty: some host of the packet lies behind its port.
        if (branches[port_i]) assert ((hosts & reach[32'(port_i)*MaxHosts+:MaxHosts]) != '0);
      end
      if (carried && goes_up && branches[port_i]) assert (got[port_i] == hosts[host_i]);
    end

    // The up bit says where the port leads, and nothing else changes.
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (HeaderFree || index_i == '0) assert (up_bit[p] == is_up_i[p]);
      if (HeaderFree) begin
        assert (data[p*8+:8] == data_i);
        for (int unsigned b = 0; b < HeaderPinBits; b++) begin
          if (b != 4 && (b < 80 || b >= 80 + MaxHosts || !tree || !rewrite_i || !is_down_i[p]) &&
              (b < 88 || b >= 96 || !advancing[p])) begin
            assert (header[p*HeaderPinBits+b] == header_i[b]);
          end
        end
        if (advancing[p]) begin
          assert (header[p*HeaderPinBits+(HeaderFree?88:0)+:(HeaderFree?8:1)] ==
                  header_i[(HeaderFree?88:0)+:(HeaderFree?8:1)] + 1'b1);
        end
      end else begin
        if (index_i == '0) assert ((data[p*8+:8] | 8'h10) == (data_i | 8'h10));
        else if (index_i == 12'd11 && advancing[p]) assert (data[p*8+:8] == data_i + 8'd1);
        else if (!tree || !rewrite_i || !is_down_i[p] || index_i < 12'(StringFlit) ||
                 index_i >= tree_header_flits_i) begin
          assert (data[p*8+:8] == data_i);
        end
        if (index_i == 12'(StringFlit + 1) && !advancing[p]) begin
          assert (data[p*8+MaxHosts-8+:16-MaxHosts] == data_i[MaxHosts-8+:16-MaxHosts]);
        end
        if (index_i > 12'(StringFlit + 1)) assert (data[p*8+:8] == data_i);
      end
    end

    // Selection.
    if (candidates != '0) begin
      assert ((choice & (choice - 1'b1)) == '0 && choice != '0 && (choice & ~candidates) == '0);
      if (selection_i == polycast_pkg::SelectionDeterministic) assert (choice == lowest);
      if (selection_i == polycast_pkg::SelectionRoundRobin)    assert (choice == expected);
      if (selection_i == polycast_pkg::SelectionLeastLoaded && choice[port_i] &&
          candidates[other_i]) begin
        assert ({held_i[port_i], load, port_i} <= {held_i[other_i], other_load, other_i});
      end
    end

    cover (decides && tree && !goes_up && carried && (copies & (copies - 1'b1)) != '0 &&
        got != '0 && partial_route);
    cover (decides && tree && goes_up && carried && got != '0);
    cover (decides && !tree && choice[NumPorts-1] && candidates[0] &&
           selection_i == polycast_pkg::SelectionLeastLoaded);
    cover (no_route && up_i);
    cover (decides && path && (copies & (copies - 1'b1)) != '0 && (advancing & ~copies) != '0 &&
        !partial_route);
    cover (decides && path && (advancing & copies) != '0 && partial_route);
    cover (decides && ssr && !here && choice != '0);
    cover (decides && tree && !rewrite_i && (copies & (copies - 1'b1)) != '0 && beyond &&
        !partial_route);
  end

endmodule

`default_nettype wire
