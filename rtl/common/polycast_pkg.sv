// SPDX-License-Identifier: Apache-2.0
// Generated from hw/format/packet.yaml by `scripts/polycast generate`; do not edit.

/// Packet format, error bits and configuration map shared by all chips.
package polycast_pkg;

  /// Bits of the header that every kind of packet starts with.
  localparam int unsigned CommonHeaderBits = 80;
  /// how the rest of the header is read, see `kinds`; set by the source
  localparam int unsigned KindOffset = 0;
  localparam int unsigned KindBits = 4;
  /// 1 while the packet may still take an up link; set by the source, rewritten by every switch
  localparam int unsigned UpOffset = 4;
  localparam int unsigned UpBits = 1;
  /// class of virtual channels in which routers carry it; set by the source, no matter to switches
  localparam int unsigned VcClassOffset = 5;
  localparam int unsigned VcClassBits = 3;
  /// number of the sending host
  localparam int unsigned SourceOffset = 8;
  localparam int unsigned SourceBits = 24;
  /// number of the packet among all packets of its source, from 0; copies of a multicast share it
  localparam int unsigned SequenceOffset = 32;
  localparam int unsigned SequenceBits = 32;
  /// payload length in bytes, 1..65535; the transport header is not counted
  localparam int unsigned LengthOffset = 64;
  localparam int unsigned LengthBits = 16;
  /// number of the receiving host
  localparam int unsigned DestinationOffset = 80;
  localparam int unsigned DestinationBits = 24;
  /// one bit per host, bit h for host h; each copy keeps only the hosts that lie behind its port
  localparam int unsigned DestinationsOffset = 80;
  /// the switch, see `stop`
  localparam int unsigned SsrStopOffset = 80;
  /// length of the list
  localparam int unsigned PathStopsOffset = 80;
  localparam int unsigned PathStopsBits = 8;
  /// the stop that the packet is on its way to, from 0; rewritten by switches
  localparam int unsigned PathNextOffset = 88;
  localparam int unsigned PathNextBits = 8;
  /// the stops one after the other, see `stop`
  localparam int unsigned PathListOffset = 96;
  /// which of a node's host ports gets it, from 0
  localparam int unsigned BroadcastPortOffset = 80;
  localparam int unsigned BroadcastPortBits = 8;
  /// its index in the message, from 0
  localparam int unsigned PacketOffset = 80;
  localparam int unsigned PacketBits = 8;
  /// index of the last packet of the message
  localparam int unsigned LastPacketOffset = 88;
  localparam int unsigned LastPacketBits = 8;
  /// colour, or tree, along which it goes
  localparam int unsigned ColourOffset = 96;
  localparam int unsigned ColourBits = 4;
  /// number of the broadcast in its community, from 0, modulo 16
  localparam int unsigned RoundOffset = 100;
  localparam int unsigned RoundBits = 4;
  /// destination LID; from 0xC000 on a multicast group
  localparam int unsigned DlidOffset = 80;
  localparam int unsigned DlidBits = 16;
  /// service level
  localparam int unsigned SlOffset = 96;
  localparam int unsigned SlBits = 4;
  /// zero
  localparam int unsigned LidZeroOffset = 100;
  localparam int unsigned LidZeroBits = 4;
  /// number of a switch
  localparam int unsigned StopSwitchOffset = 0;
  localparam int unsigned StopSwitchBits = 16;
  /// its ports that get a copy, bit p for port p; as long as the largest switch of the network has
  /// ports, in whole bytes
  localparam int unsigned StopPortsOffset = 16;
  /// Bits of the header that only network interfaces read.
  localparam int unsigned TransportBits = 192;
  /// Place in it: op.
  localparam int unsigned TransportOpOffset = 0;
  /// Place in it: acknowledge.
  localparam int unsigned TransportAcknowledgeOffset = 4;
  /// Place in it: reliable.
  localparam int unsigned TransportReliableOffset = 5;
  /// Place in it: reserved.
  localparam int unsigned TransportReservedOffset = 6;
  /// Place in it: process.
  localparam int unsigned TransportProcessOffset = 8;
  /// Place in it: source_process.
  localparam int unsigned TransportSourceProcessOffset = 16;
  /// Place in it: lane.
  localparam int unsigned TransportLaneOffset = 24;
  /// Place in it: group.
  localparam int unsigned TransportGroupOffset = 32;
  /// Place in it: hops.
  localparam int unsigned TransportHopsOffset = 48;
  /// Place in it: message.
  localparam int unsigned TransportMessageOffset = 64;
  /// Place in it: offset.
  localparam int unsigned TransportOffsetOffset = 96;
  /// Place in it: total.
  localparam int unsigned TransportTotalOffset = 128;
  /// Place in it: tag.
  localparam int unsigned TransportTagOffset = 160;
  /// CRC-32C over what a `check_cover` names, see hw/format/check_word.md; ends the packet, or the
  /// header pins where the header is free
  localparam int unsigned CheckBits = 32;
  /// the number of a virtual channel on the pins of a link
  localparam int unsigned VcPinBits = 4;

  /// Kind of a packet.
  typedef enum logic [3:0] {
    /// to one host
    KindUnicast = 4'd0,
    /// tree worm: to every host whose bit is set
    KindTree = 4'd1,
    /// single switch replication: to hosts of one switch, copied there
    KindSsr = 4'd2,
    /// multi-drop path worm: from switch to switch of a list, to hosts of each
    KindPath = 4'd3,
    /// to every node of a mesh or torus, along the dimension-order tree of its source; routers only
    KindBroadcast = 4'd4,
    /// one packet of a pipelined broadcast; broadcast units only
    /// (hw/chips/broadcast/broadcast_unit.md)
    KindPipelined = 4'd5,
    /// to a LID; VL switches only
    KindLid = 4'd6
  } packet_kind_e;

  /// Bits of: what check words cover of a packet, the same in all of a network.
  localparam int unsigned CheckCoverBits = 1;

  /// What check words cover of a packet, the same in all of a network.
  typedef enum logic [0:0] {
    /// all but what switches and forwarding interfaces rewrite: `up`, the route, `hops`
    CheckCoverPayload = 1'd0,
    /// also `hops`, and of the route what no switch rewrites
    CheckCoverRoute = 1'd1
  } check_cover_e;

  /// Bits of: what a packet is for.
  localparam int unsigned TransportOpBits = 2;

  /// What a packet is for.
  typedef enum logic [1:0] {
    /// a part of a message
    TransportOpData = 2'd0,
    /// word between network interfaces
    TransportOpControl = 2'd1,
    /// for an XOR coding unit: `group` is the context, `tag` the index
    TransportOpOperand = 2'd2
  } transport_op_e;

  /// Bits of: where a port leads.
  localparam int unsigned DirectionBits = 2;

  /// Where a port leads.
  typedef enum logic [1:0] {
    /// nowhere
    DirectionOpen = 2'd0,
    /// to a host, or to the lower end of a link
    DirectionDown = 2'd1,
    /// to the upper end of a link
    DirectionUp = 2'd2
  } direction_e;

  /// Bits of: which input an output takes.
  localparam int unsigned ArbitrationBits = 1;

  /// Which input an output takes.
  typedef enum logic [0:0] {
    /// the first at or after a pointer that moves past each winner
    ArbitrationRoundRobin = 1'd0,
    /// the lowest-numbered
    ArbitrationFixed = 1'd1
  } arbitration_e;

  /// Bits of: which of several equally good output ports a packet takes.
  localparam int unsigned SelectionBits = 2;

  /// Which of several equally good output ports a packet takes.
  typedef enum logic [1:0] {
    /// not held before held, then fewest chunks outstanding, then lowest port
    SelectionLeastLoaded = 2'd0,
    /// the first at or after a pointer per input that moves past each choice
    SelectionRoundRobin = 2'd1,
    /// the lowest port
    SelectionDeterministic = 2'd2
  } selection_e;

  /// Bits of: how outputs choose a lane.
  localparam int unsigned VlPolicyBits = 1;

  /// How outputs choose a lane.
  typedef enum logic [0:0] {
    /// in turn
    VlPolicyRoundRobin = 1'd0,
    /// by tables
    VlPolicyWeighted = 1'd1
  } vl_policy_e;

  /// Bits of: how a router's inputs and outputs find each other.
  localparam int unsigned RouterAllocatorBits = 1;

  /// How a router's inputs and outputs find each other.
  typedef enum logic [0:0] {
    /// each input takes a virtual channel, then each output an input
    RouterAllocatorSeparable = 1'd0,
    /// outputs offer, inputs accept, several times
    RouterAllocatorIslip = 1'd1
  } router_allocator_e;

  /// Bits of: which virtual channel a packet gets.
  localparam int unsigned VcPolicyBits = 1;

  /// Which virtual channel a packet gets.
  typedef enum logic [0:0] {
    /// the first free one at or after a pointer
    VcPolicyAny = 1'd0,
    /// only the first one at or after the number that the packet has here
    VcPolicyKeep = 1'd1
  } vc_policy_e;

  /// Bits of: which of several ports of its route a packet takes.
  localparam int unsigned RouteSelectBits = 2;

  /// Which of several ports of its route a packet takes.
  typedef enum logic [1:0] {
    /// the lowest
    RouteSelectLowest = 2'd0,
    /// fewest packets on their way to it, then most credits, then at random
    RouteSelectLeastLoaded = 2'd1,
    /// one at random
    RouteSelectRandom = 2'd2
  } route_select_e;

  /// Bits of: memory of a chip in which a bit can flip.
  localparam int unsigned UpsetMemoryBits = 2;

  /// Memory of a chip in which a bit can flip.
  typedef enum logic [1:0] {
    /// data of flits in input buffers
    UpsetMemoryBuffer = 2'd0,
    /// tables of ports by destination
    UpsetMemoryRoutes = 2'd1,
    /// hosts that can be reached going down
    UpsetMemoryReach = 2'd2,
    /// counters of what is outstanding behind outputs
    UpsetMemoryCredits = 2'd3
  } upset_memory_e;

  /// Bits of: code of the words of a memory, see hw/format/memory_code.md.
  localparam int unsigned ProtectionBits = 2;

  /// Code of the words of a memory, see hw/format/memory_code.md.
  typedef enum logic [1:0] {
    /// none
    ProtectionNone = 2'd0,
    /// a bit for each byte: finds an odd number of flips in it
    ProtectionParity = 2'd1,
    /// 7 bits for each 32: corrects one flip, finds two
    ProtectionSecded = 2'd2
  } protection_e;

  /// Bits of: what a context of a coding unit does.
  localparam int unsigned CodingModeBits = 2;

  /// What a context of a coding unit does.
  typedef enum logic [1:0] {
    /// nothing: its operands are of an unknown context
    CodingModeOff = 2'd0,
    /// sends the XOR of each pair of neighbours
    CodingModeEncode = 2'd1,
    /// recovers data from one plain operand and the chain
    CodingModeDecode = 2'd2
  } coding_mode_e;

  /// Bits of: what a coding unit reports on its event pins.
  localparam int unsigned CodingEventBits = 4;

  /// What a coding unit reports on its event pins.
  typedef enum logic [3:0] {
    /// nothing
    CodingEventNone = 4'd0,
    /// a packet of another kind or op came; dropped
    CodingEventNotOperand = 4'd1,
    /// a packet does not hold what its length says, or does not fit a slot; dropped
    CodingEventBadLength = 4'd2,
    /// wrong check word; dropped
    CodingEventCheck = 4'd3,
    /// no such context, or it is off; dropped
    CodingEventUnknownContext = 4'd4,
    /// the context has no such index; dropped
    CodingEventBadIndex = 4'd5,
    /// the operand is there already; dropped
    CodingEventDuplicate = 4'd6,
    /// two operands of a pair have different lengths; their pair is left out
    CodingEventUnequal = 4'd7,
    /// an operand did not come; its context was given up
    CodingEventMissing = 4'd8
  } coding_event_e;

  /// Bits of: along what a broadcast unit sends.
  localparam int unsigned BroadcastAlgorithmBits = 1;

  /// Along what a broadcast unit sends.
  typedef enum logic [0:0] {
    /// a colour's dimensions one after the other, every neighbour in each
    BroadcastAlgorithmColours = 1'd0,
    /// link-disjoint spanning trees of a torus, two for each dimension
    BroadcastAlgorithmTrees = 1'd1
  } broadcast_algorithm_e;

  /// Bits of: what a broadcast unit reports on its event pins.
  localparam int unsigned BroadcastEventBits = 3;

  /// What a broadcast unit reports on its event pins.
  typedef enum logic [2:0] {
    /// nothing
    BroadcastEventNone = 3'd0,
    /// a packet that is there or coming in; dropped
    BroadcastEventDuplicate = 3'd1,
    /// a packet of a round that has ended here; dropped
    BroadcastEventStale = 3'd2,
    /// another kind, or fields out of range; dropped
    BroadcastEventBadPacket = 3'd3,
    /// a packet of a later round; dropped
    BroadcastEventEarly = 3'd4,
    /// another source or length than the round's first packet; dropped
    BroadcastEventConflict = 3'd5
  } broadcast_event_e;

  /// The header that every kind of packet starts with.
  typedef struct packed {
    /// payload length in bytes, 1..65535; the transport header is not counted
    logic [15:0] length;
    /// number of the packet among all packets of its source, from 0; copies of a multicast share it
    logic [31:0] sequence_number;
    /// number of the sending host
    logic [23:0] source;
    /// class of virtual channels in which routers carry it; set by the source, no matter to
    /// switches
    logic [2:0] vc_class;
    /// 1 while the packet may still take an up link; set by the source, rewritten by every switch
    logic up;
    /// how the rest of the header is read, see `kinds`; set by the source
    packet_kind_e kind;
  } header_t;

  /// What follows in the header of kind `unicast`, as far as its size is fixed.
  typedef struct packed {
    /// number of the receiving host
    logic [23:0] destination;
  } unicast_header_t;

  /// What follows in the header of kind `path`, as far as its size is fixed.
  typedef struct packed {
    /// the stop that the packet is on its way to, from 0; rewritten by switches
    logic [7:0] path_next;
    /// length of the list
    logic [7:0] path_stops;
  } path_header_t;

  /// What follows in the header of kind `broadcast`, as far as its size is fixed.
  typedef struct packed {
    /// which of a node's host ports gets it, from 0
    logic [7:0] broadcast_port;
  } broadcast_header_t;

  /// What follows in the header of kind `pipelined`, as far as its size is fixed.
  typedef struct packed {
    /// number of the broadcast in its community, from 0, modulo 16
    logic [3:0] round;
    /// colour, or tree, along which it goes
    logic [3:0] colour;
    /// index of the last packet of the message
    logic [7:0] last_packet;
    /// its index in the message, from 0
    logic [7:0] packet;
  } pipelined_header_t;

  /// What follows in the header of kind `lid`, as far as its size is fixed.
  typedef struct packed {
    /// zero
    logic [3:0] lid_zero;
    /// service level
    logic [3:0] sl;
    /// destination LID; from 0xC000 on a multicast group
    logic [15:0] dlid;
  } lid_header_t;

  /// The header that only network interfaces read.
  typedef struct packed {
    /// for the receiving program
    logic [31:0] tag;
    /// length of the message in bytes
    logic [31:0] total;
    /// where this packet's payload begins in its message, in bytes
    logic [31:0] offset;
    /// number of the message at its source process
    logic [31:0] message;
    /// network interfaces that may still forward the packet; each that does takes one off, and at 0
    /// none does
    logic [15:0] hops;
    /// multicast group: its number at its root; 0xffff: none
    logic [15:0] group;
    /// rail or lane
    logic [7:0] lane;
    /// sending process on the source host
    logic [7:0] source_process;
    /// receiving process on the destination host
    logic [7:0] process;
    /// zero
    logic [1:0] reserved;
    /// 1: a part of a reliable message: `message` is its number in its flow (firmware/README.md),
    /// and receivers send receipts
    logic reliable;
    /// 1: the receiving interface acknowledges the packet when it has left its memory; unicasts to
    /// a host only
    logic acknowledge;
    /// what the packet is for, a `transport_op`
    logic [3:0] op;
  } transport_t;

  /// SECDED (39,32) after M. Y. Hsiao, A Class of Optimal Minimum Odd-weight-column SEC-DED Codes,
  /// IBM J. Res. Dev. 14 (1970): data bits of each check bit, 32 for each, the first in the lowest
  /// bits
  localparam logic [223:0] SecdedRows =
      224'hfffc0000_f803fe00_878381f8_446071c7_225a4d36_11352aad_088c965b;

  /// one bit each on a chip's error pins, raised for one cycle, the cycle after the cause
  localparam int unsigned NumErrors = 15;
  /// a flit came without a free chunk; the input is dead until reset
  localparam int unsigned ErrorOverflow = 0;
  /// a body flit came outside a packet; dropped
  localparam int unsigned ErrorMissingHead = 1;
  /// a head flit came inside a packet; taken as a body flit
  localparam int unsigned ErrorMissingTail = 2;
  /// a packet passed the packet limit; cut there, the rest is dropped
  localparam int unsigned ErrorTooLong = 3;
  /// a packet ended before its header; dropped
  localparam int unsigned ErrorShortHeader = 4;
  /// no such packet kind; dropped
  localparam int unsigned ErrorBadKind = 5;
  /// no output port leads to any destination; dropped
  localparam int unsigned ErrorNoRoute = 6;
  /// some destinations of a worm lie behind no port; they get no copy
  localparam int unsigned ErrorPartialRoute = 7;
  /// more credits came back than were spent; ignored
  localparam int unsigned ErrorCreditOverflow = 8;
  /// a flit or a credit of a virtual channel that does not exist; dropped (routers only)
  localparam int unsigned ErrorBadVc = 9;
  /// a route leads back to the port of arrival; dropped (VL switches only)
  localparam int unsigned ErrorLooping = 10;
  /// an output does not have the lane; it gets no copy (VL switches only)
  localparam int unsigned ErrorVlDropped = 11;
  /// a packet waited too long for this output; it gets no copy (VL switches only)
  localparam int unsigned ErrorHoqDropped = 12;
  /// bits of a protected memory have flipped that its code does not correct
  localparam int unsigned ErrorSoftError = 13;
  /// packets of this source may not come in here; dropped
  localparam int unsigned ErrorBadSource = 14;

  /// The error pins of a port.
  typedef struct packed {
    /// packets of this source may not come in here; dropped
    logic bad_source;
    /// bits of a protected memory have flipped that its code does not correct
    logic soft_error;
    /// a packet waited too long for this output; it gets no copy (VL switches only)
    logic hoq_dropped;
    /// an output does not have the lane; it gets no copy (VL switches only)
    logic vl_dropped;
    /// a route leads back to the port of arrival; dropped (VL switches only)
    logic looping;
    /// a flit or a credit of a virtual channel that does not exist; dropped (routers only)
    logic bad_vc;
    /// more credits came back than were spent; ignored
    logic credit_overflow;
    /// some destinations of a worm lie behind no port; they get no copy
    logic partial_route;
    /// no output port leads to any destination; dropped
    logic no_route;
    /// no such packet kind; dropped
    logic bad_kind;
    /// a packet ended before its header; dropped
    logic short_header;
    /// a packet passed the packet limit; cut there, the rest is dropped
    logic too_long;
    /// a head flit came inside a packet; taken as a body flit
    logic missing_tail;
    /// a body flit came outside a packet; dropped
    logic missing_head;
    /// a flit came without a free chunk; the input is dead until reset
    logic overflow;
  } errors_t;

  /// Configuration bus: address = region << 24 | index, data 32 bits; written while the chip is
  /// idle, kept through reset: regions.
  typedef enum logic [7:0] {
    /// index: see `globals`
    CfgRegionGlobal = 8'd0,
    /// index: port; a `direction`
    CfgRegionPortDirection = 8'd1,
    /// index: port; chunks of the input buffer that may be used, 1..NumChunks
    CfgRegionBufferChunks = 8'd2,
    /// index: port; chunks of the buffer at the other end of the link (routers: flits of each
    /// virtual channel's); also sets the credit counters
    CfgRegionCredits = 8'd3,
    /// index: destination * 2 + word; bit p of the 64-bit mask = port p is a minimal next port
    /// while up links are allowed
    CfgRegionUnicastUp = 8'd4,
    /// the same for packets that may only go down
    CfgRegionUnicastDown = 8'd5,
    /// index: word; bit string of the hosts that can be reached going down
    CfgRegionReachTotal = 8'd6,
    /// index: port << 16 | word; restricted bit string of a down port
    CfgRegionReachPort = 8'd7,
    /// index: switch * 2 + word; bit p of the 64-bit mask = port p is a minimal next port to the
    /// switch while up links are allowed
    CfgRegionSwitchUp = 8'd8,
    /// the same for packets that may only go down
    CfgRegionSwitchDown = 8'd9,
    /// index: class * 2 + side; bit v: packets of the class may take virtual channel v there
    /// (routers)
    CfgRegionVcSet = 8'd10,
    /// index: node; bit p = port p leads to it (routers)
    CfgRegionNodeRoute = 8'd11,
    /// index: see `broadcast` below (broadcast routers)
    CfgRegionBroadcast = 8'd12,
    /// index: port; coordinate of the neighbour there in bits 15..0, in the dimension in bits
    /// 17..16 (broadcast routers)
    CfgRegionNeighbour = 8'd13,
    /// an `upset_memory` << 24 | bit: a bit of the word with this index flips at the end of the
    /// cycle (switches, routers); at any time, in simulation only
    CfgRegionUpset = 8'd14,
    /// index: port << 8 | lane; chunks of the buffer that may be used (VL switches)
    CfgRegionVlChunks = 8'd15,
    /// index: port << 8 | lane; chunks of the buffer at the other end (VL switches)
    CfgRegionVlCredits = 8'd16,
    /// index: LID (VL switches)
    CfgRegionLft = 8'd17,
    /// index: group * 2 + word (VL switches)
    CfgRegionMft = 8'd18,
    /// index: in << 8 | out << 1 | half (VL switches)
    CfgRegionSl2vl = 8'd19,
    /// index: port << 8 | table << 6 | entry; VL | weight << 4 (VL switches)
    CfgRegionVlArbitration = 8'd20,
    /// index: port (VL switches)
    CfgRegionVlHighLimit = 8'd21,
    /// index: source * 2 + word; bit p of the 64-bit mask = packets of the source may come in at
    /// port p (chips with max_sources)
    CfgRegionSourcePorts = 8'd22
  } config_region_e;

  /// Configuration bus: address = region << 24 | index, data 32 bits; written while the chip is
  /// idle, kept through reset: globals.
  typedef enum logic [23:0] {
    /// cycles of routing, 1..15
    CfgGlobalRouteDelay = 24'd0,
    /// an `arbitration`
    CfgGlobalArbitration = 24'd1,
    /// a `selection`
    CfgGlobalSelection = 24'd2,
    /// longest packet in flits, header and trailer included
    CfgGlobalPacketLimit = 24'd3,
    /// flits that carry the header of a tree worm (header in the flits only)
    CfgGlobalTreeHeaderFlits = 24'd4,
    /// a `selection`: which up port a tree worm takes that has to go further up
    CfgGlobalUpSelection = 24'd5,
    /// 1: each copy of a tree worm keeps only the hosts behind its port; 0: all, so that hosts may
    /// get duplicates
    CfgGlobalRewrite = 24'd6,
    /// number of this switch in the headers of worms
    CfgGlobalSwitchNumber = 24'd7,
    /// up ports that tree worms may take, ports 0..31
    CfgGlobalTreeUpLow = 24'd8,
    /// ports 32..63
    CfgGlobalTreeUpHigh = 24'd9,
    /// number of this router
    CfgGlobalNode = 24'd10,
    /// bit d: dimension d is a ring (routers)
    CfgGlobalWrap = 24'd11,
    /// 1: routes come from `node_route`, 0: from dimension order (routers)
    CfgGlobalTable = 24'd12,
    /// a `router_allocator`
    CfgGlobalAllocator = 24'd13,
    /// of allocation, 1..4 (routers)
    CfgGlobalIterations = 24'd14,
    /// credits that a virtual channel must have to be given to a packet (routers)
    CfgGlobalReserve = 24'd15,
    /// a `vc_policy`
    CfgGlobalPolicy = 24'd16,
    /// a `route_select` (routers with choice)
    CfgGlobalSelect = 24'd17,
    /// of the random numbers of the choice, 16 bits (routers with choice)
    CfgGlobalSeed = 24'd18,
    /// cycles (VL switches)
    CfgGlobalHoqLife = 24'd19,
    /// a `vl_policy`
    CfgGlobalVlPolicy = 24'd20
  } config_global_e;

  /// Configuration bus of a coding unit: address = region << 24 | index, data 32 bits; written
  /// while the chip is idle, kept through reset: regions.
  typedef enum logic [7:0] {
    /// index: see `globals`
    CodingRegionGlobal = 8'd0,
    /// index: class; bit v: packets of the class may take virtual channel v
    CodingRegionVcSet = 8'd1,
    /// index: context << 4 | register, see `context`
    CodingRegionContext = 8'd2,
    /// index: entry; terminal number
    CodingRegionDestination = 8'd3
  } coding_region_e;

  /// Configuration bus of a coding unit: address = region << 24 | index, data 32 bits; written
  /// while the chip is idle, kept through reset: globals.
  typedef enum logic [23:0] {
    /// own terminal number
    CodingGlobalNumber = 24'd0,
    /// stages of the XOR pipe
    CodingGlobalLatency = 24'd1,
    /// cycles without progress after which a context that has begun is given up; 0: none is
    CodingGlobalPatience = 24'd2,
    /// flits of each virtual channel's buffer at the other end; also sets the credit counters
    CodingGlobalCredits = 24'd3,
    /// credits that a virtual channel must have to be given to a packet
    CodingGlobalReserve = 24'd4,
    /// longest packet in flits
    CodingGlobalPacketLimit = 24'd5
  } coding_global_e;

  /// Configuration bus of a coding unit: address = region << 24 | index, data 32 bits; written
  /// while the chip is idle, kept through reset: context.
  typedef enum logic [3:0] {
    /// a `coding_mode`
    CodingContextMode = 4'd0,
    /// operands of the chain
    CodingContextCount = 4'd1,
    /// its first entry of the destinations
    CodingContextFirstDestination = 4'd2,
    /// how many it has
    CodingContextDestinationCount = 4'd3,
    /// `transport_op` of the packets that it sends, as all that follow
    CodingContextOp = 4'd4,
    /// receiving process
    CodingContextProcess = 4'd5,
    /// sending process
    CodingContextSourceProcess = 4'd6,
    /// rail or lane
    CodingContextLane = 4'd7,
    /// multicast group, or context of the unit that they go to
    CodingContextGroup = 4'd8,
    /// number of the message, of index 0
    CodingContextMessage = 4'd9,
    /// tag, of index 0
    CodingContextTag = 4'd10,
    /// class of virtual channels, 0..7
    CodingContextVcClass = 4'd11
  } coding_context_e;

  /// Configuration bus of a link end: address = region << 24 | index, data 32 bits; written at any
  /// time, kept through reset; the end is off until `layer` is written: regions.
  typedef enum logic [7:0] {
    /// index: see `globals`
    LinkRegionGlobal = 8'd0,
    /// index: virtual channel; units of the buffer behind the other end
    LinkRegionFarCredits = 8'd1,
    /// index: virtual channel; units of the own chip's buffer as the other end counts them
    LinkRegionOwnCredits = 8'd2,
    /// memory << 24 | bit: a stored bit flips at the end of the cycle. Memory 0: counters, index:
    /// virtual channel << 2 | 0 S_CC, 1 S_CF, 2 R_CC, 3 R_CF. Memory 1: ring, index: flits behind
    /// the oldest one; bits: data, head, tail, virtual channel, free header, whether it begins a
    /// unit
    LinkRegionUpset = 8'd3
  } link_region_e;

  /// Configuration bus of a link end: address = region << 24 | index, data 32 bits; written at any
  /// time, kept through reset; the end is off until `layer` is written: globals.
  typedef enum logic [23:0] {
    /// 0: off, 1: check, 2: retry
    LinkGlobalLayer = 24'd0,
    /// flits of a frame, 1..FrameFlits
    LinkGlobalFrame = 24'd1,
    /// outstanding frames, 1..WindowFrames
    LinkGlobalWindow = 24'd2,
    /// outstanding flits: the window's bytes over those of a flit
    LinkGlobalWindowFlits = 24'd3,
    /// cycles, as all that follow but counts, actions and units
    LinkGlobalReplayTimer = 24'd4,
    /// starts of a replay without progress, 1..255
    LinkGlobalReplayCount = 24'd5,
    /// between acks and nacks
    LinkGlobalAckSpacing = 24'd6,
    /// between cf_updates
    LinkGlobalCreditSpacing = 24'd7,
    /// after which a cc_update is due
    LinkGlobalCreditTimer = 24'd8,
    /// of low `signal`; 0: never, as the next two
    LinkGlobalSignalTimeout = 24'd9,
    /// of an outstanding frame
    LinkGlobalAgeTimeout = 24'd10,
    /// of a virtual channel without credit
    LinkGlobalLifetime = 24'd11,
    /// 1: what comes before the link is up is discarded
    LinkGlobalInitAction = 24'd12,
    /// 1: what comes while it is down is discarded
    LinkGlobalFlushAction = 24'd13,
    /// 1: FLUSH lasts one cycle; 0: until `leave_flush` is written
    LinkGlobalReinit = 24'd14,
    /// any value: FLUSH is left
    LinkGlobalLeaveFlush = 24'd15,
    /// flits of a unit of the buffer behind the other end
    LinkGlobalFarUnit = 24'd16,
    /// flits of a unit of the own chip's buffer
    LinkGlobalOwnUnit = 24'd17,
    /// flits that may be in the ring, 1..RingFlits
    LinkGlobalRing = 24'd18
  } link_global_e;

  /// Registers of the broadcast unit: index in region `broadcast`: registers.
  typedef enum logic [23:0] {
    /// bit d: dimension d is part of the community
    BroadcastRegisterDims = 24'd0,
    /// a `broadcast_algorithm`
    BroadcastRegisterAlgorithm = 24'd1,
    /// 1: packets that a neighbour has are not sent to it
    BroadcastRegisterMaps = 24'd2,
    /// bit p: at the source port p sends the last packet first
    BroadcastRegisterReverse = 24'd3,
    /// bit p: port p has a neighbour
    BroadcastRegisterOpen = 24'd4,
    /// flits of the host's buffer; also sets the credit counter; 0: nothing is given to the host
    BroadcastRegisterHostCredits = 24'd5,
    /// bit p: at all other nodes port p sends the last packet first
    BroadcastRegisterRelayReverse = 24'd6
  } broadcast_register_e;

  /// Address on the configuration bus.
  typedef struct packed {
    /// a `config_region`, or `coding_region`
    logic [7:0] region;
    /// what of it, see the region
    logic [23:0] index;
  } config_address_t;

  /// Index in region `reach_port`.
  typedef struct packed {
    /// the down port
    logic [7:0] port;
    /// 32 hosts of the restricted bit string
    logic [15:0] word;
  } reach_index_t;

  /// Index in regions `vl_chunks` and `vl_credits`.
  typedef struct packed {
    /// zero
    logic [7:0] vl_index_zero;
    /// the port
    logic [7:0] port;
    /// the lane
    logic [7:0] vl;
  } vl_index_t;

  /// Index in region `sl2vl`.
  typedef struct packed {
    /// zero
    logic [6:0] sl2vl_zero;
    /// the input
    logic [7:0] in;
    /// the output
    logic [7:0] port;
    /// service levels 8 to 15
    logic half;
  } sl2vl_index_t;

  /// Index in region `vl_arbitration`.
  typedef struct packed {
    /// zero
    logic [8:0] vl_entry_zero;
    /// the port
    logic [7:0] port;
    /// the table of low priority
    logic low;
    /// of the table
    logic [5:0] entry;
  } vl_entry_index_t;

  /// Index in region `context` of a coding unit.
  typedef struct packed {
    /// number of the context
    logic [19:0] number;
    /// register of the context, see `context`
    logic [3:0] which;
  } context_index_t;

  /// Data in region `neighbour`.
  typedef struct packed {
    /// dimension in which it lies
    logic [15:0] dimension;
    /// coordinate of the neighbour
    logic [15:0] coordinate;
  } neighbour_t;

endpackage
