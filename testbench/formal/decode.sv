// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_route_decode, polycast_port_select and a polycast_header_rewrite for each port: the copies of a packet share its header
/// out. Any header, tables, directions and load; the tables have the property of the loader's tables: restricted strings
/// of different down ports share no host, and together they are the total string.
///
/// Everything but the round-robin pointer is combinational: one step covers all cases. The pointer is free here (any
/// mask that rr_arbiter.sv proves possible).
module harness #(
  parameter int unsigned NumPorts   = 4,
  parameter int unsigned MaxHosts   = 11,
  parameter bit          HeaderFree = 1'b0,
  parameter int unsigned FreeBits   = polycast_pkg::CommonHeaderBits + polycast_pkg::DestinationBits +
      polycast_pkg::TransportBits + polycast_pkg::CheckBits
) (
  input wire logic                   clk_i,
  input wire logic                   valid_i,
  input wire logic                   short_i,
  input wire logic [3:0]             kind_i,
  input wire logic                   up_i,
  input wire logic [23:0]            field_i,
  input wire logic [NumPorts-1:0]    unicast_mask_i,
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
  localparam int unsigned StringFlit    = 10;  // the bit string begins with flit 10 of a one-byte header

  logic [NumPorts-1:0] candidates, copies, choice, branches;
  logic                drop, bad_kind, no_route, partial_route;

  polycast_route_decode #(.NumPorts(NumPorts), .MaxHosts(MaxHosts), .FieldBits(24), .WordBits(32)) decode (
    .valid_i, .short_i, .kind_i, .up_i, .field_i, .unicast_mask_i, .is_down_i, .is_up_i, .reach_total_i, .reach_port_i,
    .candidates_o(candidates), .branches_o(copies), .drop_o(drop), .bad_kind_o(bad_kind), .no_route_o(no_route),
    .partial_route_o(partial_route)
  );

  polycast_port_select #(.NumPorts(NumPorts), .CreditBits(3)) select (
    .clk_i, .rst_ni(1'b1), .selection_i, .candidates_i(candidates), .held_i, .outstanding_i, .choice_o(choice)
  );
  assign branches = choice | copies;

  (* probe = "select.i_round_robin.mask_q" *) wire [NumPorts-1:0] mask;

  logic [NumPorts*8-1:0]             data;
  logic [NumPorts*HeaderPinBits-1:0] header;
  logic                              tree;
  assign tree = kind_i == polycast_pkg::KindTree;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    polycast_header_rewrite #(
      .FlitBytes(1), .MaxHosts(MaxHosts), .HeaderFree(HeaderFree), .HeaderFlitsBits(12), .HeaderPinBits(HeaderPinBits)
    ) rewrite (
      .valid_i(1'b1), .index_i, .data_i, .header_i(header_i[HeaderPinBits-1:0]), .tree_i(tree), .is_up_i(is_up_i[p]),
      .is_down_i(is_down_i[p]), .reach_i(reach_port_i[p*32+:MaxHosts]), .tree_header_flits_i,
      .data_o(data[p*8+:8]), .header_o(header[p*HeaderPinBits+:HeaderPinBits])
    );
  end

  // ---- The rules. One host and one other port stand for all; the flit is the one that carries the host, or any other.
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
    goes_up      = up_i && beyond && is_up_i != '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      reach[p*MaxHosts+:MaxHosts] = reach_port_i[p*32+:MaxHosts];
      behind[p] = is_down_i[p] && reach_port_i[p*32+32'(host_i)];
    end

    assume ((~mask & (~mask + 1'b1)) == '0);
    assume ((is_down_i & is_up_i) == '0);
    assume (host_i < 4'(MaxHosts));
    assume (tree_header_flits_i != '0);
    // Every host of the total string lies behind exactly one down port.
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (is_down_i[p]) begin
        assume ((reach[p*MaxHosts+:MaxHosts] & ~total) == '0);
        for (int unsigned q = 0; q < p; q++) begin
          if (is_down_i[q]) assume ((reach[p*MaxHosts+:MaxHosts] & reach[q*MaxHosts+:MaxHosts]) == '0);
        end
      end
    end
    if (total[host_i]) assume (behind != '0);
    // What is decoded is what the header says.
    if (HeaderFree) assume (header_i[80+32'(host_i)] == hosts[host_i]);
    else if (tree && carried) assume (data_i[host_i[2:0]] == hosts[host_i]);
  end

  // ---- What leaves.
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      got[p]    = HeaderFree ? header[p*HeaderPinBits+(HeaderFree?80:0)+(HeaderFree?32'(host_i):0)] : data[p*8+32'(host_i[2:0])];
      up_bit[p] = HeaderFree ? header[p*HeaderPinBits+(HeaderFree?4:0)] : data[p*8+4];
    end
    lowest   = candidates & (~candidates + 1'b1);
    expected = (candidates & mask) != '0 ? (candidates & mask) & (~(candidates & mask) + 1'b1) : lowest;
  end

  logic decides;
  logic [2:0] load, other_load;
  assign decides = valid_i && !short_i;

  always_comb begin
    load       = outstanding_i[port_i*3+:3];
    other_load = outstanding_i[other_i*3+:3];

    // Only ports that lead somewhere; a packet is dropped or sent, never both.
    assert ((branches & ~(is_up_i | is_down_i)) == '0);
    assert (drop == (valid_i && branches == '0));
    assert (candidates == '0 || copies == '0);
    assert (bad_kind == (decides && kind_i > 4'd1));
    assert (no_route == (decides && !bad_kind && branches == '0));

    // Unicast: exactly one port of the table.
    if (decides && kind_i == polycast_pkg::KindUnicast) begin
      assert ((branches & (branches - 1'b1)) == '0 && (branches & ~unicast_mask_i) == '0 && !partial_route);
      if (!up_i) assert ((branches & ~is_down_i) == '0);
      assert ((branches == '0) == (field_i >= 24'(MaxHosts) ||
                                   (unicast_mask_i & (up_i ? is_up_i | is_down_i : is_down_i)) == '0));
    end

    // Tree: one up port, or the copies share the hosts out.
    if (decides && kind_i == polycast_pkg::KindTree) begin
      if (goes_up) assert ((branches & (branches - 1'b1)) == '0 && branches != '0 && (branches & ~is_up_i) == '0 && !partial_route);
      else begin
        assert ((branches & ~is_down_i) == '0);
        assert (partial_route == (beyond && branches != '0));
        // A host that lies behind a port is in a copy, behind no other port, and in no other copy.
        assert ((behind & (hosts[host_i] ? ~branches : '0)) == '0);
        if (carried) begin
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
          if (b != 4 && (b < 80 || b >= 80 + MaxHosts || !tree || !is_down_i[p])) begin
            assert (header[p*HeaderPinBits+b] == header_i[b]);
          end
        end
      end else begin
        if (index_i == '0) assert ((data[p*8+:8] | 8'h10) == (data_i | 8'h10));
        else if (!tree || !is_down_i[p] || index_i < 12'(StringFlit) || index_i >= tree_header_flits_i) begin
          assert (data[p*8+:8] == data_i);
        end
        if (index_i == 12'(StringFlit + 1)) assert (data[p*8+MaxHosts-8+:16-MaxHosts] == data_i[MaxHosts-8+:16-MaxHosts]);
        if (index_i > 12'(StringFlit + 1)) assert (data[p*8+:8] == data_i);
      end
    end

    // Selection.
    if (candidates != '0) begin
      assert ((choice & (choice - 1'b1)) == '0 && choice != '0 && (choice & ~candidates) == '0);
      if (selection_i == polycast_pkg::SelectionDeterministic) assert (choice == lowest);
      if (selection_i == polycast_pkg::SelectionRoundRobin)    assert (choice == expected);
      if (selection_i == polycast_pkg::SelectionLeastLoaded && choice[port_i] && candidates[other_i]) begin
        assert ({held_i[port_i], load, port_i} <= {held_i[other_i], other_load, other_i});
      end
    end

    cover (decides && tree && !goes_up && carried && (copies & (copies - 1'b1)) != '0 && got != '0 && partial_route);
    cover (decides && tree && goes_up && carried && got != '0);
    cover (decides && !tree && choice[NumPorts-1] && candidates[0] && selection_i == polycast_pkg::SelectionLeastLoaded);
    cover (no_route && up_i);
  end

endmodule

`default_nettype wire
