// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The bit strings of reachability of a switch with a code beside each 32 bits. They are read and
/// written anew in every cycle: a flip that SECDED corrects lasts for one; a string with one that
/// cannot be corrected is empty from then on. Not reset.
module polycast_protected_strings #(
  /// Ports of the switch.
  parameter int unsigned NumPorts   = 8,
  /// Words of 32 bits of a string.
  parameter int unsigned Words      = 1,
  /// The code, `polycast_pkg::Protection...`, not none.
  parameter int unsigned Protection = 32'(polycast_pkg::ProtectionSecded)
) (
  /// Clock.
  input  wire logic                           clk_i,
  /// Writes a word of a string.
  input  wire logic                           we_i,
  /// String 0 is the total, then come the ports.
  input  wire logic [31:0]                    string_i,
  /// The word.
  input  wire logic [31:0]                    word_i,
  /// Its value.
  input  wire logic [31:0]                    data_i,
  /// A bit of a string flips at the end of the cycle; in simulation only.
  input  wire logic                           upset_i,
  /// The string, numbered likewise.
  input  wire logic [31:0]                    upset_string_i,
  /// The bit: of check bits those behind all data bits.
  input  wire logic [31:0]                    upset_bit_i,
  /// Data bits for which there are check bits of their own: hosts.
  input  wire logic [31:0]                    upset_hosts_i,
  /// Hosts that can be reached going down.
  output logic      [32*Words-1:0]            total_o,
  /// Hosts behind each port.
  output logic      [NumPorts*Words*32-1:0]   port_o,
  /// A flip is corrected in a port's string, or for port 0 in the total.
  output logic      [NumPorts-1:0]            corrected_o,
  /// One that cannot be corrected is found there.
  output logic      [NumPorts-1:0]            failed_o
);

  localparam int unsigned CheckBits = Protection == 32'(polycast_pkg::ProtectionParity) ? 4 : 7;
  localparam int unsigned Strings   = NumPorts + 1;

  logic [Strings*Words*32-1:0] strings;
  logic [Strings-1:0]          corrected, failed;

  for (genvar s = 0; s < Strings; s++) begin : gen_string
    logic [Words-1:0] word_corrected, word_failed;
    assign corrected[s] = word_corrected != '0 && !failed[s];
    assign failed[s]    = word_failed != '0;

    for (genvar w = 0; w < Words; w++) begin : gen_word
      logic [31:0]             data, data_d;
      logic [32+CheckBits-1:0] stored_q, stored_d, upset;

      polycast_memory_decode #(
        .Width     (32),
        .Protection(Protection)
      ) i_decode (
        .stored_i   (stored_q),
        .data_o     (data),
        .corrected_o(word_corrected[w]),
        .failed_o   (word_failed[w])
      );

      assign strings[32*(Words*s+w)+:32] = failed[s] ? '0 : data;

      always_comb begin
        data_d = strings[32*(Words*s+w)+:32];
        if (we_i && string_i == 32'(s) && word_i == 32'(w)) data_d = data_i;
      end

      polycast_memory_encode #(
        .Width     (32),
        .Protection(Protection)
      ) i_encode (
        .data_i  (data_d),
        .stored_o(stored_d)
      );

`ifdef SYNTHESIS
      assign upset = '0;
`else
      always_comb begin
        upset = '0;
        if (upset_i && upset_string_i == 32'(s)) begin
          if (upset_bit_i < upset_hosts_i) begin
            if (upset_bit_i / 32 == 32'(w)) upset[upset_bit_i % 32] = 1'b1;
          end else if ((upset_bit_i - upset_hosts_i) / CheckBits == 32'(w)) begin
            upset[32 + (upset_bit_i - upset_hosts_i) % CheckBits] = 1'b1;
          end
        end
      end
`endif

      always_ff @(posedge clk_i) stored_q <= stored_d ^ upset;
    end
  end

`ifdef SYNTHESIS
  logic unused_upset;
  assign unused_upset = ^{upset_i, upset_string_i, upset_bit_i, upset_hosts_i};
`endif

  assign total_o     = strings[32*Words-1:0];
  assign port_o      = strings[Strings*Words*32-1:32*Words];
  assign corrected_o = corrected[Strings-1:1] | NumPorts'(corrected[0]);
  assign failed_o    = failed[Strings-1:1] | NumPorts'(failed[0]);

endmodule

`default_nettype wire
