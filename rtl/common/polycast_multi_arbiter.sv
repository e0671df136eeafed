// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Serves up to NumGrants of several requests in the same cycle: the first ones at or after a
/// pointer, cyclic. The pointer moves past the last one served, if one was served.
module polycast_multi_arbiter #(
  /// Requesters, 2 or more.
  parameter int unsigned NumReq    = 8,
  /// Requests served in one cycle, 1..NumReq-1.
  parameter int unsigned NumGrants = 1
) (
  /// Clock.
  input  wire logic                        clk_i,
  /// Asynchronous reset, active low: the pointer goes to requester 0.
  input  wire logic                        rst_ni,
  /// Requests.
  input  wire logic [NumReq-1:0]           req_i,
  /// The requests that are served.
  output logic      [NumReq-1:0]           gnt_o,
  /// Who has which of the NumGrants places: bit g * NumReq + r is request r on place g, one-hot or
  /// zero for each g.
  output logic      [NumGrants*NumReq-1:0] place_o
);

  localparam int unsigned PtrBits  = $clog2(NumReq);
  localparam int unsigned CountBits = $clog2(NumGrants + 1);

  logic [PtrBits-1:0]   ptr_q, ptr_d;
  logic [CountBits-1:0] count;

  // Two rounds over the requesters with constant numbers: positions from the pointer on in the
  // first, below it in the second.
  always_comb begin
    gnt_o   = '0;
    place_o = '0;
    ptr_d   = ptr_q;
    count   = '0;
    for (int unsigned pos = 0; pos < 2 * NumReq; pos++) begin
      if (req_i[pos % NumReq] && count != CountBits'(NumGrants) &&
          ((pos < NumReq) == (PtrBits'(pos % NumReq) >= ptr_q))) begin
        gnt_o[pos % NumReq] = 1'b1;
        for (int unsigned g = 0; g < NumGrants; g++) begin
          if (count == CountBits'(g)) place_o[g * NumReq + pos % NumReq] = 1'b1;
        end
        count = count + CountBits'(1);
        ptr_d = (pos % NumReq == NumReq - 1) ? '0 : PtrBits'(pos % NumReq + 1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ptr_q <= '0;
    else         ptr_q <= ptr_d;
  end

`ifndef SYNTHESIS
  GrantWasRequested: assert property (@(posedge clk_i) disable iff (!rst_ni) (gnt_o & ~req_i) == '0)
    else $error("grant without a request");
  GrantsAreFew:
      assert property (@(posedge clk_i) disable iff (!rst_ni) $countones(gnt_o) <= int'(NumGrants))
    else $error("more grants than places");
  NoPlaceIsWasted: assert property (@(posedge clk_i) disable iff (!rst_ni)
      gnt_o == req_i || $countones(gnt_o) == int'(NumGrants))
    else $error("a request waits beside a free place");
  EveryGrantHasOnePlace:
      assert property (@(posedge clk_i) disable iff (!rst_ni) $countones(place_o) ==
          $countones(gnt_o))
    else $error("grants and places differ");
`endif

endmodule

`default_nettype wire
