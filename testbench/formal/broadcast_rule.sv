// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_broadcast_rule is the rule of hw/workloads/broadcast/broadcast_rule.h, written down
/// with sets for
/// the last dimension that differs; and trees are what they are for: from its neighbours every node
/// but the source gets a packet of a tree exactly once, and no link carries two trees. Any node,
/// source, colour and neighbours; combinational, so that one step covers all cases.
module harness #(
  parameter int unsigned Dimensions = 3,
  parameter int unsigned CoordBits  = 2,
  parameter int unsigned NumPorts   = 2 * Dimensions + 2,
  parameter int unsigned DimBits    = Dimensions > 1 ? $clog2(Dimensions) : 1
) (
  input wire logic                            clk_i,
  input wire logic [Dimensions*CoordBits-1:0] own_i,
  input wire logic [Dimensions*CoordBits-1:0] source_i,
  input wire logic                            trees_i,
  input wire logic [3:0]                      colour_i,
  input wire logic [3:0]                      other_i,
  input wire logic [NumPorts*DimBits-1:0]     dimension_i,
  input wire logic [NumPorts*CoordBits-1:0]   there_i
);

  logic [NumPorts-1:0] ports, other_ports;
  logic [3:0]          first;

  polycast_broadcast_rule #(.NumPorts(NumPorts), .Dimensions(Dimensions),
      .CoordBits(CoordBits)) dut (
    .own_i, .source_i, .trees_i, .colour_i, .dimension_i, .there_i, .ports_o(ports)
  );
  polycast_broadcast_rule #(.NumPorts(NumPorts), .Dimensions(Dimensions),
      .CoordBits(CoordBits)) other (
    .own_i, .source_i, .trees_i(1'b1), .colour_i(other_i), .dimension_i, .there_i,
    .ports_o(other_ports)
  );

  // How far dimension `d` comes behind dimension `first`, in cyclic order.
  function automatic int unsigned behind(int unsigned d, int unsigned begin_at);
    behind = (d + Dimensions - begin_at) % Dimensions;
  endfunction

  assign first = trees_i ? colour_i / 4'd2 : colour_i;

  // The page's words: node and neighbour as sets of the dimensions in which they differ from the
  // source.
  logic [NumPorts-1:0]                 expected;
  logic [NumPorts*Dimensions-1:0]      of_neighbour;
  logic [Dimensions-1:0]               differs, there_differs;
  logic [Dimensions-1:0]               later, there_later;
  int unsigned                         dimension;

  always_comb begin
    expected      = '0;
    of_neighbour  = '0;
    dimension     = 0;
    there_differs = '0;
    later         = '0;
    there_later   = '0;
    for (int unsigned d = 0; d < Dimensions; d++) begin
      differs[d] = own_i[d*CoordBits+:CoordBits] != source_i[d*CoordBits+:CoordBits];
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      dimension     = 32'(dimension_i[p*DimBits+:DimBits]);
      there_differs = differs;
      for (int unsigned d = 0; d < Dimensions; d++) begin
        if (d == dimension) begin
          there_differs[d] = there_i[p*CoordBits+:CoordBits] != source_i[d*CoordBits+:CoordBits];
        end
      end
      of_neighbour[p*Dimensions+:Dimensions] = there_differs;
      for (int unsigned d = 0; d < Dimensions; d++) begin
        later[d]       = differs[d] && behind(d, 32'(first)) > behind(dimension, 32'(first));
        there_later[d] = there_differs[d] && behind(d, 32'(first)) > behind(dimension, 32'(first));
      end
      for (int unsigned c = 0; c < Dimensions; c++) begin
        if (32'(first) == c && !trees_i) begin
          if (differs == '0)         expected[p] = dimension == c;
          else if (!differs[c])      expected[p] = 1'b0;
          else if (later == '0)      expected[p] = 1'b1;
          else if (dimension == c)   expected[p] = !there_differs[c];
        end
        if (32'(first) == c && trees_i && p < 2 * Dimensions && there_differs != '0) begin
          if (!there_differs[c])     expected[p] = dimension == c && colour_i[0] != p[0];
          else if (there_later == '0) begin
            for (int unsigned d = 0; d < Dimensions; d++) begin
              if (d == dimension && there_differs[d]) expected[p] = colour_i[0] == p[0];
            end
          end
        end
      end
    end
  end

  // The neighbours of this node, and what they send it: neighbour p is one step down the direction
  // of port p, and sends by port p.
  logic [2*Dimensions-1:0] arrives;
  for (genvar p = 0; p < 2 * Dimensions; p++) begin : gen_neighbour
    logic [Dimensions*CoordBits-1:0] place;
    logic [NumPorts*CoordBits-1:0]   seen;
    logic [NumPorts*DimBits-1:0]     across;
    logic [NumPorts-1:0]             sends;
    always_comb begin
      place = own_i;
      place[p/2*CoordBits+:CoordBits] = p % 2 == 0 ? own_i[p/2*CoordBits+:CoordBits] - 1'b1 :
          own_i[p/2*CoordBits+:CoordBits] + 1'b1;
      seen = '0;
      seen[p*CoordBits+:CoordBits] = own_i[p/2*CoordBits+:CoordBits];
      across = '0;
      across[p*DimBits+:DimBits] = DimBits'(p / 2);
    end
    polycast_broadcast_rule #(.NumPorts(NumPorts), .Dimensions(Dimensions),
        .CoordBits(CoordBits)) neighbour (
      .own_i(place), .source_i, .trees_i(1'b1), .colour_i, .dimension_i(across), .there_i(seen),
      .ports_o(sends)
    );
    assign arrives[p] = sends[p];
  end

  always_comb begin
    assume (32'(first) < Dimensions && 32'(other_i) < 2 * Dimensions);
    for (int unsigned p = 0; p < NumPorts; p++) begin
      assume (32'(dimension_i[p*DimBits+:DimBits]) < Dimensions);
      if (p < 2 * Dimensions) assume (32'(dimension_i[p*DimBits+:DimBits]) == p / 2);
    end
    for (int unsigned d = 0; d < Dimensions; d++) begin
      // Neighbours on the torus.
      assume (there_i[2*d*CoordBits+:CoordBits] == CoordBits'(own_i[d*CoordBits+:CoordBits] +
          1'b1));
      assume (there_i[(2*d+1)*CoordBits+:CoordBits] == CoordBits'(own_i[d*CoordBits+:CoordBits] -
          1'b1));
    end
  end

  always_comb begin
    assert (ports == expected);
    if (trees_i) begin
      assert ((arrives & (arrives - 1'b1)) == '0);
      assert ((arrives != '0) == (differs != '0));
      if (colour_i != other_i) assert ((ports & other_ports) == '0);
    end
    cover (!trees_i && differs == '0 && ports != '0);
    cover (!trees_i && differs == '1 && ports[NumPorts-1]);
    cover (trees_i && differs == '0 && ports != '0 && 32'(colour_i) == 2 * Dimensions - 1);
    cover (trees_i && arrives != '0 && ports == '0);
  end

endmodule

`default_nettype wire
