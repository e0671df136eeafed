// SPDX-License-Identifier: Apache-2.0

/// Sizes that the blocks of the VL switch share. Yosys does not read constants of one package in
/// another: those of the packet format are repeated here, and the top compares them.
package polycast_vl_pkg;

  /// Number of a virtual lane, on pins and in tables.
  localparam int unsigned VlBits = 4;
  /// Service levels of a row of SL to VL.
  localparam int unsigned Sls = 16;
  /// Multicast LIDs begin here.
  localparam logic [15:0] FirstMlid = 16'hc000;
  /// An entry of the unicast table.
  localparam int unsigned LftBits = 8;
  /// Cycles at the head of a queue.
  localparam int unsigned HoqLifeBits = 20;
  /// Entries of a table of virtual lane arbitration.
  localparam int unsigned TableEntries = 64;
  /// Weight of an entry, in units of 64 bytes.
  localparam int unsigned WeightBits = 8;
  /// What high packets may send before a low one, in units of 4096 bytes.
  localparam int unsigned HighLimitBits = 8;
  /// An entry, from bit 0: lane, weight.
  localparam int unsigned EntryBits = VlBits + WeightBits;
  /// A table of virtual lane arbitration, entry 0 in the lowest bits.
  localparam int unsigned TableBits = TableEntries * EntryBits;

endpackage
