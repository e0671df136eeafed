// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// Words and states of a link end; hw/chips/link/link.md describes them.
package polycast_link_pkg;

  /// Stored bits can flip: not in hardware, where it would cost a port of the memory.
`ifdef SYNTHESIS
  localparam bit Upsets = 1'b0;
`else
  localparam bit Upsets = 1'b1;
`endif
  /// Bits of sequence numbers on the wire and of the cyclic credit counters.
  localparam int unsigned NumberBits = 20;
  /// Bits of such a counter with the longest code.
  localparam int unsigned StoredBits = NumberBits + 7;
  /// Bits of spans of time, in cycles.
  localparam int unsigned TimeBits   = 32;
  /// Bits of a number of flits of a frame.
  localparam int unsigned FrameBits  = 9;
  /// Bits of a number of flits of a unit.
  localparam int unsigned UnitBits   = 16;
  /// Bits of a counter.
  localparam int unsigned CountBits  = 64;
  /// Bytes of a trailer and of an ordered set.
  localparam int unsigned WordBytes  = 8;
  /// Bits of a message.
  localparam int unsigned MessageBits = NumberBits + 4;
  /// Bytes that it takes on the wire.
  localparam int unsigned MessageBytes = 4;

  /// What a symbol is: two wires apart, so that one flip gives none of them.
  typedef enum logic [2:0] {
    KindIdle  = 3'b000,
    KindFlit  = 3'b011,
    KindCheck = 3'b101,
    KindSet   = 3'b110
  } kind_e;

  /// Kinds of frames.
  localparam logic [3:0] FrameData     = 4'd0;
  localparam logic [3:0] FrameCcUpdate = 4'd1;
  localparam logic [3:0] FrameCut      = 4'd2;

  /// Kinds of ordered sets.
  localparam logic [3:0] SetInit     = 4'd1;
  localparam logic [3:0] SetInitEcho = 4'd2;
  localparam logic [3:0] SetAck      = 4'd3;
  localparam logic [3:0] SetNack     = 4'd4;
  localparam logic [3:0] SetCfUpdate = 4'd5;

  /// The low half of a trailer; its CRC is the high half.
  typedef struct packed {
    logic [3:0]            kind;
    /// flits - 1
    logic [7:0]            count;
    logic [NumberBits-1:0] sequence_number;
  } trailer_t;

  /// An ordered set without its check.
  typedef struct packed {
    /// of a cf_update: last good sequence number
    logic [NumberBits-1:0] ack;
    logic [NumberBits-1:0] number;
    /// of a cf_update
    logic [3:0]            vc;
    logic [3:0]            kind;
  } set_t;

  /// What a message frame says.
  typedef struct packed {
    logic [NumberBits-1:0] number;
    logic [3:0]            vc;
  } message_t;

  typedef enum logic [2:0] {
    TxOff     = 3'd0,
    TxInit    = 3'd1,
    TxAdvance = 3'd2,
    TxReplay  = 3'd3,
    TxFlush   = 3'd4
  } tx_e;

  typedef enum logic [1:0] {
    RxOff      = 2'd0,
    RxSendAcks = 2'd1,
    RxSendNack = 2'd2,
    RxNackSent = 2'd3
  } rx_e;

  /// What FLUSH came from.
  typedef enum logic [2:0] {
    CauseNone        = 3'd0,
    CauseReplayLimit = 3'd1,
    CauseSignal      = 3'd2,
    CauseAge         = 3'd3,
    CauseUnanswered  = 3'd4,
    CauseStart       = 3'd5,
    CauseCounter     = 3'd6
  } cause_e;

  /// Registers of a link end.
  typedef struct packed {
    /// layer `check` or `retry`
    logic                  on;
    logic                  retry;
    logic [FrameBits-1:0]  frame;
    logic [NumberBits-1:0] window;
    logic [TimeBits-1:0]   window_flits;
    logic [TimeBits-1:0]   replay_timer;
    logic [7:0]            replay_count;
    logic [TimeBits-1:0]   ack_spacing;
    logic [TimeBits-1:0]   credit_spacing;
    logic [TimeBits-1:0]   credit_timer;
    logic [TimeBits-1:0]   signal_timeout;
    logic [TimeBits-1:0]   age_timeout;
    logic [TimeBits-1:0]   lifetime;
    logic                  init_discard;
    logic                  flush_discard;
    logic                  reinit;
    /// flits that may be in the ring
    logic [TimeBits-1:0]   ring;
    /// flits of a unit of the far buffer
    logic [UnitBits-1:0]   far_unit;
    /// flits of a unit of the own chip's buffer
    logic [UnitBits-1:0]   own_unit;
  } registers_t;

  /// A stored bit that flips at the end of the cycle, as register `upset` says.
  typedef struct packed {
    logic        counters;
    logic        ring;
    logic [23:0] index;
    logic [23:0] place;
  } upset_t;

  /// What the sending side counts, once for each bit in a cycle.
  typedef struct packed {
    logic init;
    logic echo_received;
    logic ack_received;
    logic nack_received;
    logic ok;
    logic replayed;
    logic number_error;
    logic cf_update_received;
    logic cc_update;
    logic resent;
    logic timeout;
    logic credit_error;
    logic lifetime_discard;
    logic corrected;
    logic soft_error;
  } tx_events_t;

  /// The same of the receiving side.
  typedef struct packed {
    logic echo;
    logic ack;
    logic nack;
    logic init_received;
    logic ok;
    logic bad;
    logic poisoned;
    logic expected_good;
    logic expected_bad;
    logic missing;
    logic duplicate;
    logic replay;
    logic cf_update;
    logic cc_update_received;
    logic bad_set;
    logic credit_error;
    logic corrected;
    logic soft_error;
  } rx_events_t;

endpackage

`default_nettype wire
