// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Random legal traffic at one port of a chip: packets with a header of 13 bytes in their flits, as
/// far as credits allow, and a credit for each unit that has left, some time later. One virtual
/// channel after the other, each of which has credits of its own.
module traffic #(
  /// Bytes of a flit.
  parameter int unsigned FlitBytes = 4,
  /// Virtual channels.
  parameter int unsigned NumVcs    = 1,
  /// Flits of a unit of credit.
  parameter int unsigned Unit      = 1,
  /// Units of each virtual channel's buffer in the chip.
  parameter int unsigned Credits   = 8,
  /// Number of the port's host.
  parameter int unsigned Port      = 0,
  /// Destinations are below it.
  parameter int unsigned Hosts     = 4,
  /// `kind` of a header; 6: to a LID from 1 on.
  parameter int unsigned Kind      = 0,
  /// Flits behind the header, at most.
  parameter int unsigned Longest   = 8
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  /// Packets may begin.
  input  wire logic                   on_i,
  output bit                          flit_valid_o,
  output bit                          flit_head_o,
  output bit                          flit_tail_o,
  output bit        [3:0]             flit_vc_o,
  output bit        [FlitBytes*8-1:0] flit_data_o,
  input  wire logic                   credit_i,
  input  wire logic [3:0]             credit_vc_i,
  input  wire logic                   flit_valid_i,
  input  wire logic                   flit_tail_i,
  input  wire logic [3:0]             flit_vc_i,
  output bit                          credit_o,
  output bit        [3:0]             credit_vc_o
);

  localparam int unsigned HeaderFlits = (13 + FlitBytes - 1) / FlitBytes;

  int unsigned credits[NumVcs];
  int unsigned arrived[NumVcs];
  int unsigned owed[NumVcs];
  int unsigned vc, index, length, sequence_number;
  bit [HeaderFlits*FlitBytes*8-1:0] header;

  function automatic bit chance(int unsigned percent);
    return $urandom_range(99) < percent;
  endfunction

  initial begin
    foreach (credits[v]) credits[v] = Credits;
    foreach (arrived[v]) arrived[v] = 0;
    foreach (owed[v]) owed[v] = 0;
    {vc, index, length, sequence_number} = '0;
  end

  always @(posedge clk_i) begin
    flit_valid_o <= 1'b0;
    flit_head_o  <= 1'b0;
    flit_tail_o  <= 1'b0;
    flit_vc_o    <= '0;
    flit_data_o  <= '0;
    credit_o     <= 1'b0;
    credit_vc_o  <= '0;
    if (rst_ni) begin
      if (credit_i) credits[NumVcs > 1 ? int'(credit_vc_i) : 0]++;
      if (length == 0 && on_i && chance(60)) begin
        vc     = $urandom_range(NumVcs - 1);
        length = HeaderFlits + $urandom_range(Longest);
        index  = 0;
        header = '0;
        header[3:0]   = 4'(Kind);
        header[31:8]  = 24'(Port);
        header[63:32] = sequence_number;
        header[79:64] = 16'(length * FlitBytes);
        if (Kind == 6) begin
          header[95:80] = 16'(1 + $urandom_range(Hosts - 1));
        end else begin
          header[103:80] = 24'($urandom_range(Hosts - 1));
        end
        sequence_number++;
      end
      if (length != 0 && (index % Unit != 0 || credits[vc] != 0) && chance(80)) begin
        if (index % Unit == 0) credits[vc]--;
        flit_valid_o <= 1'b1;
        flit_head_o  <= index == 0;
        flit_tail_o  <= index == length - 1;
        flit_vc_o    <= NumVcs > 1 ? 4'(vc) : '0;
        for (int unsigned b = 0; b < FlitBytes; b++) flit_data_o[b*8+:8] <= 8'($urandom);
        if (index < HeaderFlits) flit_data_o <= header[index*FlitBytes*8+:FlitBytes*8];
        index++;
        if (index == length) length = 0;
      end
      if (flit_valid_i) begin
        automatic int unsigned to = NumVcs > 1 ? int'(flit_vc_i) : 0;
        // Others than these need no credits.
        if (to < NumVcs) begin
          arrived[to]++;
          if (arrived[to] == Unit || flit_tail_i) begin
            arrived[to] = 0;
            owed[to]++;
          end
        end
      end
      if (chance(70)) begin
        automatic int unsigned from = $urandom_range(NumVcs - 1);
        if (owed[from] != 0) begin
          owed[from]--;
          credit_o    <= 1'b1;
          credit_vc_o <= NumVcs > 1 ? 4'(from) : '0;
        end
      end
    end
  end

endmodule

`default_nettype wire
