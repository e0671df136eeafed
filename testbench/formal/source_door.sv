// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// polycast_source_door: a packet of any source may come in at any port if the register of the
/// source says so, as it was last written, and never from behind the end of the table. One port
/// looks at one source all the time; a look changes nothing, so this is any look of any port.
module harness #(
  parameter int unsigned NumPorts   = 3,
  parameter int unsigned MaxSources = 5
) (
  input wire logic                clk_i,
  input wire logic                cfg_valid_i,
  input wire logic [31:0]         cfg_addr_i,
  input wire logic [31:0]         cfg_data_i,
  input wire logic [NumPorts-1:0] others_valid_i,
  input wire logic [NumPorts*24-1:0] others_i
);

  (* anyconst *) logic [23:0]         watched;
  (* anyconst *) logic [NumPorts-1:0] at;

  logic [NumPorts-1:0]    valid, foreign;
  logic [NumPorts*24-1:0] source;

  polycast_source_door #(.NumPorts(NumPorts), .MaxSources(MaxSources)) dut (
    .clk_i, .cfg_valid_i, .cfg_addr_i, .cfg_data_i, .valid_i(valid), .source_i(source),
    .foreign_o(foreign)
  );

  assign valid = others_valid_i | at;
  for (genvar p = 0; p < NumPorts; p++) begin : gen_source
    assign source[p*24+:24] = at[p] ? watched : others_i[p*24+:24];
  end

  logic known_q = 1'b0;
  logic let_in_q;
  logic written;
  logic [63:0] port;

  assign port    = 64'(at);
  assign written = cfg_valid_i && cfg_addr_i == {8'd22, watched[22:0], port[63:32] != '0} &&
      watched < 24'(MaxSources);

  always_ff @(posedge clk_i) begin
    if (written) begin
      known_q  <= 1'b1;
      let_in_q <= (cfg_data_i & (port[31:0] | port[63:32])) != '0;
    end
  end

  always_comb begin
    assume (at != '0 && (at & (at - NumPorts'(1))) == '0);

    if (watched >= 24'(MaxSources)) assert ((foreign & at) != '0);
    if (known_q) assert (((foreign & at) == '0) == let_in_q);
    assert ((foreign & ~valid) == '0);
    cover (known_q && let_in_q && written);
    cover (known_q && !let_in_q && foreign != at);
  end

endmodule

`default_nettype wire
