// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Pins of an instance.
module wires #(
  parameter int unsigned Width = 4
) (
  input  wire logic [Width-1:0] data_i,
  output logic      [Width-1:0] data_o
);
  assign data_o = data_i;
endmodule

/// Each form of packed types that the RTL uses, with the tools' own reading of it: `typed` and its
/// twin `sliced`, which has slices cut by hand, are equal. A form that Yosys reads wrongly without
/// a word is found here; one that it refuses is found by the size tables.
///
/// Forms: struct with an enum as port; concatenations assigned to structs and back; members read
/// and written; an array with two dimensions in a struct, its elements read and written at constant
/// and at variable places, by loops and by generate blocks, parts of them with constant bounds and
/// single bits, as pins of instances and as registers; elements of one bit; fields of
/// an element that is copied to a struct.
module typed #(
  parameter int unsigned Count = 3,
  parameter int unsigned Width = 4
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire polycast_pkg::header_t   header_i,
  output polycast_pkg::header_t        header_o,
  input  wire logic [103:0]            bits_i,
  output logic      [31:0]             fields_o,
  input  wire logic [Count*Width-1:0]  rows_i,
  input  wire logic [Count-1:0]        ones_i,
  input  wire logic [1:0]              place_i,
  output logic      [Count*Width-1:0]  turned_o,
  output logic      [Count*Width-1:0]  looped_o,
  output logic      [Count*Width-1:0]  passed_o,
  output logic      [Count*Width-1:0]  stored_o,
  output logic      [Width-1:0]        chosen_o,
  output logic      [Width-3:0]        part_o,
  output logic      [Count:0]          bits_o,
  output logic      [Count-1:0]        flags_o
);

  typedef struct packed { logic [Count-1:0][Width-1:0] at; } rows_t;
  typedef struct packed { logic [Count-1:0][0:0] at; } ones_t;
  typedef struct packed {
    logic [Width-3:0] high;
    logic             flag;
    logic             low;
  } row_t;

  rows_t rows, turned, looped, passed, stored_q;
  ones_t ones;
  row_t row;

  assign rows     = rows_i;
  assign ones     = ones_i;
  assign turned_o = turned;
  assign looped_o = looped;
  assign passed_o = passed;
  assign stored_o = stored_q;

  polycast_pkg::header_t           header;
  polycast_pkg::pipelined_header_t fields;

  assign {fields, header} = bits_i;
  assign fields_o = {header.vc_class, header.kind == polycast_pkg::KindPipelined, header.length,
      fields.round - header_i.kind, fields.last_packet};

  always_comb begin
    header_o        = header_i;
    header_o.kind   = polycast_pkg::KindPath;
    header_o.up     = header_i.kind == polycast_pkg::KindTree;
    header_o.source = header_i.source + 24'd1;
  end

  for (genvar r = 0; r < Count; r++) begin : gen_row
    assign turned.at[r] = rows.at[Count-1-r] + Width'(r);

    wires #(.Width(Width)) i_wires (.data_i(rows.at[r]), .data_o(passed.at[r]));
  end

  always_comb begin
    looped  = '0;
    bits_o  = '0;
    flags_o = '0;
    row     = '0;
    for (int unsigned r = 0; r < Count; r++) begin
      for (int unsigned b = 0; b < Count; b++) looped.at[r][b+:1] = rows.at[b][r+:1];
      if (rows.at[r] == rows.at[place_i]) bits_o[r] = 1'b1;
      bits_o[Count] = bits_o[Count] ^ ones.at[r];
      row        = rows.at[r];
      row.low    = row.flag;
      flags_o[r] = row.high == '0 && row.low;
    end
    chosen_o = rows.at[place_i];
    part_o   = rows.at[1][Width-1:2];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q <= '0;
    end else begin
      stored_q.at[place_i] <= rows.at[0];
      if (rows.at[1] == '0) stored_q.at[Count-1] <= stored_q.at[0];
    end
  end

endmodule

/// The same with slices; the header's fields from the places that the package says.
module sliced #(
  parameter int unsigned Count = 3,
  parameter int unsigned Width = 4
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic [79:0]             header_i,
  output logic      [79:0]             header_o,
  input  wire logic [103:0]            bits_i,
  output logic      [31:0]             fields_o,
  input  wire logic [Count*Width-1:0]  rows_i,
  input  wire logic [Count-1:0]        ones_i,
  input  wire logic [1:0]              place_i,
  output logic      [Count*Width-1:0]  turned_o,
  output logic      [Count*Width-1:0]  looped_o,
  output logic      [Count*Width-1:0]  stored_o,
  output logic      [Width-1:0]        chosen_o,
  output logic      [Width-3:0]        part_o,
  output logic      [Count:0]          bits_o,
  output logic      [Count-1:0]        flags_o
);

  localparam int unsigned KindAt   = polycast_pkg::KindOffset;
  localparam int unsigned SourceAt = polycast_pkg::SourceOffset;

  assign fields_o = {bits_i[polycast_pkg::VcClassOffset+:polycast_pkg::VcClassBits],
      bits_i[KindAt+:4] == 4'd5, bits_i[polycast_pkg::LengthOffset+:polycast_pkg::LengthBits],
      bits_i[polycast_pkg::RoundOffset+:polycast_pkg::RoundBits] - header_i[KindAt+:4],
      bits_i[polycast_pkg::LastPacketOffset+:polycast_pkg::LastPacketBits]};

  always_comb begin
    header_o                         = header_i;
    header_o[KindAt+:4]              = 4'd3;
    header_o[polycast_pkg::UpOffset] = header_i[KindAt+:4] == 4'd1;
    header_o[SourceAt+:24]           = header_i[SourceAt+:24] + 24'd1;
  end

  always_comb begin
    turned_o = '0;
    looped_o = '0;
    bits_o   = '0;
    flags_o  = '0;
    for (int unsigned r = 0; r < Count; r++) begin
      turned_o[r*Width+:Width] = rows_i[(Count-1-r)*Width+:Width] + Width'(r);
      for (int unsigned b = 0; b < Count; b++) looped_o[r*Width+b] = rows_i[b*Width+r];
      if (rows_i[r*Width+:Width] == rows_i[32'(place_i)*Width+:Width]) bits_o[r] = 1'b1;
      bits_o[Count] = bits_o[Count] ^ ones_i[r];
      flags_o[r]    = rows_i[r*Width+2+:Width-2] == '0 && rows_i[r*Width+1];
    end
    chosen_o = rows_i[32'(place_i)*Width+:Width];
    part_o   = rows_i[Width+2+:Width-2];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_o <= '0;
    end else begin
      stored_o[32'(place_i)*Width+:Width] <= rows_i[0+:Width];
      if (rows_i[Width+:Width] == '0) stored_o[(Count-1)*Width+:Width] <= stored_o[0+:Width];
    end
  end

endmodule

module harness #(
  parameter int unsigned Count = 3,
  parameter int unsigned Width = 4
) (
  input wire logic                    clk_i,
  input wire logic                    rst_ni,
  input wire logic [79:0]             header_i,
  input wire logic [103:0]            bits_i,
  input wire logic [Count*Width-1:0]  rows_i,
  input wire logic [Count-1:0]        ones_i,
  input wire logic [1:0]              place_i
);

  logic [79:0]            header, twin_header;
  logic [31:0]            fields, twin_fields;
  logic [Count*Width-1:0] turned, looped, passed, stored, twin_turned, twin_looped, twin_stored;
  logic [Width-1:0]       chosen, twin_chosen;
  logic [Width-3:0]       part, twin_part;
  logic [Count:0]         bits, twin_bits;
  logic [Count-1:0]       flags, twin_flags;

  typed #(.Count(Count), .Width(Width)) dut (
    .clk_i, .rst_ni, .header_i, .header_o(header), .bits_i, .fields_o(fields), .rows_i, .ones_i,
    .place_i, .turned_o(turned), .looped_o(looped), .passed_o(passed), .stored_o(stored),
    .chosen_o(chosen), .part_o(part), .bits_o(bits), .flags_o(flags)
  );

  sliced #(.Count(Count), .Width(Width)) twin (
    .clk_i, .rst_ni, .header_i, .header_o(twin_header), .bits_i, .fields_o(twin_fields), .rows_i,
    .ones_i, .place_i, .turned_o(twin_turned), .looped_o(twin_looped), .stored_o(twin_stored),
    .chosen_o(twin_chosen), .part_o(twin_part), .bits_o(twin_bits),
    .flags_o(twin_flags)
  );

  logic first_q = 1'b1;
  always @(posedge clk_i) first_q <= 1'b0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    // Places that there are: what comes of others is not defined.
    assume (32'(place_i) < Count);
  end

  always_comb begin
    assert (header == twin_header && fields == twin_fields);
    assert (turned == twin_turned && looped == twin_looped && passed == rows_i);
    assert (chosen == twin_chosen && part == twin_part && bits == twin_bits);
    assert (flags == twin_flags);
    if (!first_q) begin
      assert (stored == twin_stored);
      cover (rst_ni && stored[0+:Width] == Width'(5) && bits[0] && place_i == 2'd1 &&
          stored[(Count-1)*Width+:Width] == Width'(5));
    end
  end

endmodule

`default_nettype wire
