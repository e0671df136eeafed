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
  /// number of a switch
  localparam int unsigned StopSwitchOffset = 0;
  localparam int unsigned StopSwitchBits = 16;
  /// its ports that get a copy, bit p for port p; as long as the largest switch of the network has ports, in whole bytes
  localparam int unsigned StopPortsOffset = 16;
  /// Bits of the header that only network interfaces read.
  localparam int unsigned TransportBits = 192;
  /// Place in it: what the packet is for, a `transport_op`
  localparam int unsigned TransportOpOffset = 0;
  /// Place in it: 1: the receiving interface acknowledges the packet when it has left its memory; unicasts to a host only
  localparam int unsigned TransportAcknowledgeOffset = 4;
  /// Place in it: zero
  localparam int unsigned TransportReservedOffset = 5;
  /// Place in it: receiving process on the destination host
  localparam int unsigned TransportProcessOffset = 8;
  /// Place in it: sending process on the source host
  localparam int unsigned TransportSourceProcessOffset = 16;
  /// Place in it: rail or lane
  localparam int unsigned TransportLaneOffset = 24;
  /// Place in it: multicast group: its number at its root; 0xffff: none
  localparam int unsigned TransportGroupOffset = 32;
  /// Place in it: network interfaces that may still forward the packet; each that does takes one off, and at 0 none does
  localparam int unsigned TransportHopsOffset = 48;
  /// Place in it: number of the message at its source process
  localparam int unsigned TransportMessageOffset = 64;
  /// Place in it: where this packet's payload begins in its message, in bytes
  localparam int unsigned TransportOffsetOffset = 96;
  /// Place in it: length of the message in bytes
  localparam int unsigned TransportTotalOffset = 128;
  /// Place in it: for the receiving program
  localparam int unsigned TransportTagOffset = 160;
  /// CRC-32C over what is never rewritten: the common header (10 bytes, with up = 0), the transport header (24 bytes, with hops = 0) and the payload; ends the packet, or the header pins where the header is free
  localparam int unsigned CheckBits = 32;

  /// to one host
  localparam logic [3:0] KindUnicast = 4'd0;
  /// tree worm: to every host whose bit is set
  localparam logic [3:0] KindTree = 4'd1;
  /// single switch replication: to hosts of one switch, copied there
  localparam logic [3:0] KindSsr = 4'd2;
  /// multi-drop path worm: from switch to switch of a list, to hosts of each
  localparam logic [3:0] KindPath = 4'd3;
  /// to every node of a mesh or torus, along the dimension-order tree of its source; routers only
  localparam logic [3:0] KindBroadcast = 4'd4;
  /// one packet of a pipelined broadcast; broadcast units only (hw/chips/broadcast_unit.md)
  localparam logic [3:0] KindPipelined = 4'd5;

  /// Bits of: what a packet is for.
  localparam int unsigned TransportOpBits = 2;
  /// a part of a message
  localparam logic [1:0] TransportOpData = 2'd0;
  /// word between network interfaces
  localparam logic [1:0] TransportOpControl = 2'd1;
  /// for an XOR coding unit: `group` is the context, `tag` the index
  localparam logic [1:0] TransportOpOperand = 2'd2;

  /// Bits of: where a port leads.
  localparam int unsigned DirectionBits = 2;
  /// nowhere
  localparam logic [1:0] DirectionOpen = 2'd0;
  /// to a host, or to the lower end of a link
  localparam logic [1:0] DirectionDown = 2'd1;
  /// to the upper end of a link
  localparam logic [1:0] DirectionUp = 2'd2;

  /// Bits of: which input an output takes.
  localparam int unsigned ArbitrationBits = 1;
  /// the first at or after a pointer that moves past each winner
  localparam logic [0:0] ArbitrationRoundRobin = 1'd0;
  /// the lowest-numbered
  localparam logic [0:0] ArbitrationFixed = 1'd1;

  /// Bits of: which of several equally good output ports a packet takes.
  localparam int unsigned SelectionBits = 2;
  /// not held before held, then fewest chunks outstanding, then lowest port
  localparam logic [1:0] SelectionLeastLoaded = 2'd0;
  /// the first at or after a pointer per input that moves past each choice
  localparam logic [1:0] SelectionRoundRobin = 2'd1;
  /// the lowest port
  localparam logic [1:0] SelectionDeterministic = 2'd2;

  /// Bits of: how a router's inputs and outputs find each other.
  localparam int unsigned RouterAllocatorBits = 1;
  /// each input takes a virtual channel, then each output an input
  localparam logic [0:0] RouterAllocatorSeparable = 1'd0;
  /// outputs offer, inputs accept, several times
  localparam logic [0:0] RouterAllocatorIslip = 1'd1;

  /// Bits of: which virtual channel a packet gets.
  localparam int unsigned VcPolicyBits = 1;
  /// the first free one at or after a pointer
  localparam logic [0:0] VcPolicyAny = 1'd0;
  /// only the first one at or after the number that the packet has here
  localparam logic [0:0] VcPolicyKeep = 1'd1;

  /// Bits of: which of several ports of its route a packet takes.
  localparam int unsigned RouteSelectBits = 2;
  /// the lowest
  localparam logic [1:0] RouteSelectLowest = 2'd0;
  /// fewest packets on their way to it, then most credits, then at random
  localparam logic [1:0] RouteSelectLeastLoaded = 2'd1;
  /// one at random
  localparam logic [1:0] RouteSelectRandom = 2'd2;

  /// Bits of: what a context of a coding unit does.
  localparam int unsigned CodingModeBits = 2;
  /// nothing: its operands are of an unknown context
  localparam logic [1:0] CodingModeOff = 2'd0;
  /// sends the XOR of each pair of neighbours
  localparam logic [1:0] CodingModeEncode = 2'd1;
  /// recovers data from one plain operand and the chain
  localparam logic [1:0] CodingModeDecode = 2'd2;

  /// Bits of: what a coding unit reports on its event pins.
  localparam int unsigned CodingEventBits = 4;
  /// nothing
  localparam logic [3:0] CodingEventNone = 4'd0;
  /// a packet of another kind or op came; dropped
  localparam logic [3:0] CodingEventNotOperand = 4'd1;
  /// a packet does not hold what its length says, or does not fit a slot; dropped
  localparam logic [3:0] CodingEventBadLength = 4'd2;
  /// wrong check word; dropped
  localparam logic [3:0] CodingEventCheck = 4'd3;
  /// no such context, or it is off; dropped
  localparam logic [3:0] CodingEventUnknownContext = 4'd4;
  /// the context has no such index; dropped
  localparam logic [3:0] CodingEventBadIndex = 4'd5;
  /// the operand is there already; dropped
  localparam logic [3:0] CodingEventDuplicate = 4'd6;
  /// two operands of a pair have different lengths; their pair is left out
  localparam logic [3:0] CodingEventUnequal = 4'd7;
  /// an operand did not come; its context was given up
  localparam logic [3:0] CodingEventMissing = 4'd8;

  /// Bits of: along what a broadcast unit sends.
  localparam int unsigned BroadcastAlgorithmBits = 1;
  /// a colour's dimensions one after the other, every neighbour in each
  localparam logic [0:0] BroadcastAlgorithmColours = 1'd0;
  /// link-disjoint spanning trees of a torus, two for each dimension
  localparam logic [0:0] BroadcastAlgorithmTrees = 1'd1;

  /// Bits of: what a broadcast unit reports on its event pins.
  localparam int unsigned BroadcastEventBits = 3;
  /// nothing
  localparam logic [2:0] BroadcastEventNone = 3'd0;
  /// a packet that is there or coming in; dropped
  localparam logic [2:0] BroadcastEventDuplicate = 3'd1;
  /// a packet of a round that has ended here; dropped
  localparam logic [2:0] BroadcastEventStale = 3'd2;
  /// another kind, or fields out of range; dropped
  localparam logic [2:0] BroadcastEventBadPacket = 3'd3;
  /// a packet of a later round; dropped
  localparam logic [2:0] BroadcastEventEarly = 3'd4;
  /// another source or length than the round's first packet; dropped
  localparam logic [2:0] BroadcastEventConflict = 3'd5;

  /// one bit each on a chip's error pins, raised for one cycle, the cycle after the cause
  localparam int unsigned NumErrors = 10;
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

  // configuration bus: address = region << 24 | index, data 32 bits; written while the chip is idle, kept through reset
  /// index: see `globals`
  localparam logic [7:0] CfgRegionGlobal = 8'd0;
  /// index: port; a `direction`
  localparam logic [7:0] CfgRegionPortDirection = 8'd1;
  /// index: port; chunks of the input buffer that may be used, 1..NumChunks
  localparam logic [7:0] CfgRegionBufferChunks = 8'd2;
  /// index: port; chunks of the buffer at the other end of the link (routers: flits of each virtual channel's); also sets the credit counters
  localparam logic [7:0] CfgRegionCredits = 8'd3;
  /// index: destination * 2 + word; bit p of the 64-bit mask = port p is a minimal next port while up links are allowed
  localparam logic [7:0] CfgRegionUnicastUp = 8'd4;
  /// the same for packets that may only go down
  localparam logic [7:0] CfgRegionUnicastDown = 8'd5;
  /// index: word; bit string of the hosts that can be reached going down
  localparam logic [7:0] CfgRegionReachTotal = 8'd6;
  /// index: port << 16 | word; restricted bit string of a down port
  localparam logic [7:0] CfgRegionReachPort = 8'd7;
  /// index: switch * 2 + word; bit p of the 64-bit mask = port p is a minimal next port to the switch while up links are allowed
  localparam logic [7:0] CfgRegionSwitchUp = 8'd8;
  /// the same for packets that may only go down
  localparam logic [7:0] CfgRegionSwitchDown = 8'd9;
  /// index: class * 2 + side; bit v: packets of the class may take virtual channel v there (routers)
  localparam logic [7:0] CfgRegionVcSet = 8'd10;
  /// index: node; bit p = port p leads to it (routers)
  localparam logic [7:0] CfgRegionNodeRoute = 8'd11;
  /// index: see `broadcast` below (broadcast routers)
  localparam logic [7:0] CfgRegionBroadcast = 8'd12;
  /// index: port; coordinate of the neighbour there in bits 15..0, in the dimension in bits 17..16 (broadcast routers)
  localparam logic [7:0] CfgRegionNeighbour = 8'd13;
  /// cycles of routing, 1..15
  localparam logic [23:0] CfgGlobalRouteDelay = 24'd0;
  /// an `arbitration`
  localparam logic [23:0] CfgGlobalArbitration = 24'd1;
  /// a `selection`
  localparam logic [23:0] CfgGlobalSelection = 24'd2;
  /// longest packet in flits, header and trailer included
  localparam logic [23:0] CfgGlobalPacketLimit = 24'd3;
  /// flits that carry the header of a tree worm (header in the flits only)
  localparam logic [23:0] CfgGlobalTreeHeaderFlits = 24'd4;
  /// a `selection`: which up port a tree worm takes that has to go further up
  localparam logic [23:0] CfgGlobalUpSelection = 24'd5;
  /// 1: each copy of a tree worm keeps only the hosts behind its port; 0: all, so that hosts may get duplicates
  localparam logic [23:0] CfgGlobalRewrite = 24'd6;
  /// number of this switch in the headers of worms
  localparam logic [23:0] CfgGlobalSwitchNumber = 24'd7;
  /// up ports that tree worms may take, ports 0..31
  localparam logic [23:0] CfgGlobalTreeUpLow = 24'd8;
  /// ports 32..63
  localparam logic [23:0] CfgGlobalTreeUpHigh = 24'd9;
  /// number of this router
  localparam logic [23:0] CfgGlobalNode = 24'd10;
  /// bit d: dimension d is a ring (routers)
  localparam logic [23:0] CfgGlobalWrap = 24'd11;
  /// 1: routes come from `node_route`, 0: from dimension order (routers)
  localparam logic [23:0] CfgGlobalTable = 24'd12;
  /// a `router_allocator`
  localparam logic [23:0] CfgGlobalAllocator = 24'd13;
  /// of allocation, 1..4 (routers)
  localparam logic [23:0] CfgGlobalIterations = 24'd14;
  /// credits that a virtual channel must have to be given to a packet (routers)
  localparam logic [23:0] CfgGlobalReserve = 24'd15;
  /// a `vc_policy`
  localparam logic [23:0] CfgGlobalPolicy = 24'd16;
  /// a `route_select` (routers with choice)
  localparam logic [23:0] CfgGlobalSelect = 24'd17;
  /// of the random numbers of the choice, 16 bits (routers with choice)
  localparam logic [23:0] CfgGlobalSeed = 24'd18;

  // configuration bus of a coding unit: address = region << 24 | index, data 32 bits; written while the chip is idle, kept through reset
  /// index: see `globals`
  localparam logic [7:0] CodingRegionGlobal = 8'd0;
  /// index: class; bit v: packets of the class may take virtual channel v
  localparam logic [7:0] CodingRegionVcSet = 8'd1;
  /// index: context << 4 | register, see `context`
  localparam logic [7:0] CodingRegionContext = 8'd2;
  /// index: entry; terminal number
  localparam logic [7:0] CodingRegionDestination = 8'd3;
  /// own terminal number
  localparam logic [23:0] CodingGlobalNumber = 24'd0;
  /// stages of the XOR pipe
  localparam logic [23:0] CodingGlobalLatency = 24'd1;
  /// cycles without progress after which a context that has begun is given up; 0: none is
  localparam logic [23:0] CodingGlobalPatience = 24'd2;
  /// flits of each virtual channel's buffer at the other end; also sets the credit counters
  localparam logic [23:0] CodingGlobalCredits = 24'd3;
  /// credits that a virtual channel must have to be given to a packet
  localparam logic [23:0] CodingGlobalReserve = 24'd4;
  /// longest packet in flits
  localparam logic [23:0] CodingGlobalPacketLimit = 24'd5;
  /// a `coding_mode`
  localparam logic [3:0] CodingContextMode = 4'd0;
  /// operands of the chain
  localparam logic [3:0] CodingContextCount = 4'd1;
  /// its first entry of the destinations
  localparam logic [3:0] CodingContextFirstDestination = 4'd2;
  /// how many it has
  localparam logic [3:0] CodingContextDestinationCount = 4'd3;
  /// `transport_op` of the packets that it sends, as all that follow
  localparam logic [3:0] CodingContextOp = 4'd4;
  /// receiving process
  localparam logic [3:0] CodingContextProcess = 4'd5;
  /// sending process
  localparam logic [3:0] CodingContextSourceProcess = 4'd6;
  /// rail or lane
  localparam logic [3:0] CodingContextLane = 4'd7;
  /// multicast group, or context of the unit that they go to
  localparam logic [3:0] CodingContextGroup = 4'd8;
  /// number of the message, of index 0
  localparam logic [3:0] CodingContextMessage = 4'd9;
  /// tag, of index 0
  localparam logic [3:0] CodingContextTag = 4'd10;
  /// class of virtual channels, 0..7
  localparam logic [3:0] CodingContextVcClass = 4'd11;

  // registers of the broadcast unit: index in region `broadcast`
  /// bit d: dimension d is part of the community
  localparam logic [23:0] BroadcastRegisterDims = 24'd0;
  /// a `broadcast_algorithm`
  localparam logic [23:0] BroadcastRegisterAlgorithm = 24'd1;
  /// 1: packets that a neighbour has are not sent to it
  localparam logic [23:0] BroadcastRegisterMaps = 24'd2;
  /// bit p: at the source port p sends the last packet first
  localparam logic [23:0] BroadcastRegisterReverse = 24'd3;
  /// bit p: port p has a neighbour
  localparam logic [23:0] BroadcastRegisterOpen = 24'd4;
  /// flits of the host's buffer; also sets the credit counter; 0: nothing is given to the host
  localparam logic [23:0] BroadcastRegisterHostCredits = 24'd5;
  /// bit p: at all other nodes port p sends the last packet first
  localparam logic [23:0] BroadcastRegisterRelayReverse = 24'd6;

endpackage
