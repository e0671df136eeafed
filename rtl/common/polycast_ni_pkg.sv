// SPDX-License-Identifier: Apache-2.0
// Generated from hw/ni/registers.rdl by `scripts/polycast generate`; do not edit.

/// Registers of the network interface. XAddr is the address of register x as its processor sees it;
/// HostXAddr an offset from the start of the device as the host sees it, HostProcessXAddr one from
/// the start of a process's page, HostProcessWindowXAddr one from the start of a window in that
/// page. A mask is in its place; a field that fills its register has none.
package polycast_ni_pkg;
  // The package describes the whole map; no module looks at every register of it.
  // verilator lint_off UNUSEDPARAM

  /// Waits with wfi, interrupts off: the line wakes the processor, nothing is taken.
  localparam logic [1:0] WaitModeSleep = 2'd0;
  /// Reads EVENT without end.
  localparam logic [1:0] WaitModePoll = 2'd1;
  /// An interrupt handler moves events to a ring in data memory; wfi where it is empty.
  localparam logic [1:0] WaitModeInterrupt = 2'd2;

  /// The queue is empty.
  localparam logic [3:0] EventNone = 4'd0;
  /// Link-in has put a packet into memory; argument: slot. The slot comes with one reference.
  localparam logic [3:0] EventPacket = 4'd1;
  /// A host transfer with NOTIFY has ended; argument: its cookie.
  localparam logic [3:0] EventDmaDone = 4'd2;
  /// A host transfer was refused, nothing was moved; argument: its cookie. DMA_ERROR says why.
  localparam logic [3:0] EventDmaRefused = 4'd3;
  /// A process rang its doorbell; argument: number of the command entry.
  localparam logic [3:0] EventCommand = 4'd4;
  /// Link-out has room again after LINK_SPACE was read as 0 or a push was refused.
  localparam logic [3:0] EventLinkReady = 4'd5;
  /// The cycles written to TIMER are over.
  localparam logic [3:0] EventTimer = 4'd6;
  /// The host transfer queue has room again after DMA_SPACE was read as 0 or a push was refused.
  localparam logic [3:0] EventDmaReady = 4'd7;
  /// A send slot is free again after SLOT_ALLOCATE had none.
  localparam logic [3:0] EventSlotReady = 4'd8;
  /// A counter has gone up since it was last read; argument: its number. Comes once, however often
  /// it goes up until it is read.
  localparam logic [3:0] EventCounter = 4'd9;

  /// No transfer was refused yet.
  localparam logic [3:0] DmaErrorNone = 4'd0;
  /// No such process, or it is not enabled.
  localparam logic [3:0] DmaErrorNoProcess = 4'd1;
  /// The manager has not granted the process this window.
  localparam logic [3:0] DmaErrorNoWindow = 4'd2;
  /// The transfer would leave the window.
  localparam logic [3:0] DmaErrorOutside = 4'd3;
  /// The window does not allow this direction.
  localparam logic [3:0] DmaErrorForbidden = 4'd4;
  /// DMA_ADDRESS and DMA_LENGTH do not lie in one slot in use.
  localparam logic [3:0] DmaErrorBadAddress = 4'd5;
  /// The completion queue was full or not set up; the entry is lost and counted.
  localparam logic [3:0] DmaErrorCompletionOverflow = 4'd6;
  /// What is to go to the host has flipped, and its code cannot correct it.
  localparam logic [3:0] DmaErrorSoftError = 4'd7;
  /// The packet in the slot is of another job than the process.
  localparam logic [3:0] DmaErrorOtherJob = 4'd8;

  // --- NI as its processor sees it ---

  /// All registers lie in here.
  localparam logic [31:0] RegistersBase = 32'h4000_0000;
  localparam logic [31:0] RegistersSize = 32'h0000_2500;

  /// Code and constants, 64 KiB. The processor starts at 0x80; stores are bus errors. Read only.
  localparam logic [31:0] InstructionMemoryBase = 32'h0000_0000;
  localparam logic [31:0] InstructionMemorySize = 32'h0001_0000;

  /// Variables and stack, 192 KiB. Read/write.
  localparam logic [31:0] DataMemoryBase = 32'h1000_0000;
  localparam logic [31:0] DataMemorySize = 32'h0003_0000;

  /// Slots of SLOT_BYTES bytes, see the slot layout in ni.md. At most 16 MiB. Read/write.
  localparam logic [31:0] PacketMemoryBase = 32'h2000_0000;
  localparam logic [31:0] PacketMemorySize = 32'h0100_0000;

  /// Commands from hosts, COMMAND_BYTES each: entry e of process p is number p * COMMAND_ENTRIES +
  /// e. Read/write.
  localparam logic [31:0] CommandMemoryBase = 32'h3000_0000;
  localparam logic [31:0] CommandMemorySize = 32'h0100_0000;

  /// GROUP_ENTRIES entries of 128 bytes: word 0 root and word 1 group (written by the hardware at
  /// allocation), the rest belongs to firmware. Read/write.
  localparam logic [31:0] GroupMemoryBase = 32'h3800_0000;
  localparam logic [31:0] GroupMemorySize = 32'h0004_0000;

  /// Word s: JobID of the packet in slot s, of a received packet the one that it came with. Stores
  /// are bus errors. All zero unless packets carry jobs (OPTIONS). Read only.
  localparam logic [31:0] SlotJobsBase = 32'h3c00_0000;
  localparam logic [31:0] SlotJobsSize = 32'h0010_0000;

  /// Number of this host. Read only.
  localparam logic [31:0] HostAddr = 32'h4000_0000;
  /// Host number.
  localparam int unsigned HostHostShift = 0;
  localparam int unsigned HostHostBits = 24;
  localparam logic [31:0] HostHostMask = 32'h00ff_ffff;

  /// Hosts in the network. Read only.
  localparam logic [31:0] HostsAddr = 32'h4000_0004;

  /// Longest payload of a packet in bytes. Read only.
  localparam logic [31:0] PayloadAddr = 32'h4000_0008;

  /// Size of a packet slot in bytes: header area of 64, payload; a multiple of 4. Read only.
  localparam logic [31:0] SlotBytesAddr = 32'h4000_000c;

  /// Host processes that share the interface. Read only.
  localparam logic [31:0] ProcessesAddr = 32'h4000_0010;

  /// Size of an entry of the command memory in bytes. Read only.
  localparam logic [31:0] CommandBytesAddr = 32'h4000_0014;

  /// Commands that one process may have outstanding. Read only.
  localparam logic [31:0] CommandEntriesAddr = 32'h4000_0018;

  /// Entries of the group table. Read only.
  localparam logic [31:0] GroupEntriesAddr = 32'h4000_001c;

  /// Options that the host chose. Read only.
  localparam logic [31:0] OptionsAddr = 32'h4000_0020;
  /// How firmware waits for events.
  localparam int unsigned OptionsWaitModeShift = 0;
  localparam int unsigned OptionsWaitModeBits = 2;
  localparam logic [31:0] OptionsWaitModeMask = 32'h0000_0003;
  /// 1: packets carry the JobID of a process, and firmware acts for a process only by packets of
  /// its job.
  localparam int unsigned OptionsJobsShift = 2;
  localparam int unsigned OptionsJobsBits = 1;
  localparam logic [31:0] OptionsJobsMask = 32'h0000_0004;

  /// Bytes of a stop in the headers of SSR and path worms. Read only.
  localparam logic [31:0] StopBytesAddr = 32'h4000_0024;

  /// Longest list of a path worm; 0: the network has no worms. Read only.
  localparam logic [31:0] StopsAddr = 32'h4000_0028;

  /// Coding units in the network: they have the numbers from HOSTS on. Read only.
  localparam logic [31:0] UnitsAddr = 32'h4000_002c;

  /// Reliable messages: cycles after which a source asks those that have not acknowledged a
  /// message; the first of several times, each twice as long. Read only.
  localparam logic [31:0] ReliableTimeoutAddr = 32'h4000_0030;

  /// How often it asks without progress before it gives the message up. Read only.
  localparam logic [31:0] ReliableAttemptsAddr = 32'h4000_0034;
  /// Count.
  localparam int unsigned ReliableAttemptsAttemptsShift = 0;
  localparam int unsigned ReliableAttemptsAttemptsBits = 8;
  localparam logic [31:0] ReliableAttemptsAttemptsMask = 32'h0000_00ff;

  /// Cycles for which a receiver waits with the report of a gap, and with what it merges. Read
  /// only.
  localparam logic [31:0] ReliableAckDelayAddr = 32'h4000_0038;

  /// How often this processor was started anew without a reset of the interface: 2^20 times this is
  /// the first number of its flows of reliable messages. Read only.
  localparam logic [31:0] RestartsAddr = 32'h4000_003c;
  /// Count.
  localparam int unsigned RestartsCountShift = 0;
  localparam int unsigned RestartsCountBits = 12;
  localparam logic [31:0] RestartsCountMask = 32'h0000_0fff;

  /// Takes the oldest event out of the queue. Events of all kinds share one queue, in the order of
  /// what they tell. Read only, reading has an effect.
  localparam logic [31:0] EventAddr = 32'h4000_0040;
  /// About what.
  localparam int unsigned EventArgumentShift = 0;
  localparam int unsigned EventArgumentBits = 28;
  localparam logic [31:0] EventArgumentMask = 32'h0fff_ffff;
  /// What happened.
  localparam int unsigned EventKindShift = 28;
  localparam int unsigned EventKindBits = 4;
  localparam logic [31:0] EventKindMask = 32'hf000_0000;

  /// Events in the queue. Read only.
  localparam logic [31:0] EventCountAddr = 32'h4000_0044;

  /// The interrupt line is high while the event queue is not empty and this is set. Read/write.
  localparam logic [31:0] InterruptEnableAddr = 32'h4000_0048;
  /// 1: on.
  localparam int unsigned InterruptEnableEnableShift = 0;
  localparam int unsigned InterruptEnableEnableBits = 1;
  localparam logic [31:0] InterruptEnableEnableMask = 32'h0000_0001;

  /// Ends an operation of firmware that began at the last write: for charts, waves and cost tables.
  /// Write only.
  localparam logic [31:0] MarkAddr = 32'h4000_004c;
  /// Number of the operation, see hw/ni/abi/ni_firmware.h.
  localparam int unsigned MarkOperationShift = 0;
  localparam int unsigned MarkOperationBits = 8;
  localparam logic [31:0] MarkOperationMask = 32'h0000_00ff;

  /// Takes a free send slot, with one reference. Read only, reading has an effect.
  localparam logic [31:0] SlotAllocateAddr = 32'h4000_0060;

  /// Adds references to a slot that has at least one. Write only.
  localparam logic [31:0] SlotHoldAddr = 32'h4000_0064;
  /// Slot.
  localparam int unsigned SlotHoldSlotShift = 0;
  localparam int unsigned SlotHoldSlotBits = 20;
  localparam logic [31:0] SlotHoldSlotMask = 32'h000f_ffff;
  /// References to add.
  localparam int unsigned SlotHoldReferencesShift = 20;
  localparam int unsigned SlotHoldReferencesBits = 12;
  localparam logic [31:0] SlotHoldReferencesMask = 32'hfff0_0000;

  /// Takes one reference off a slot; at none it is free. Write only.
  localparam logic [31:0] SlotReleaseAddr = 32'h4000_0068;
  /// Slot.
  localparam int unsigned SlotReleaseSlotShift = 0;
  localparam int unsigned SlotReleaseSlotBits = 20;
  localparam logic [31:0] SlotReleaseSlotMask = 32'h000f_ffff;

  /// Slots in use, send and receive. Read only.
  localparam logic [31:0] SlotsUsedAddr = 32'h4000_006c;

  /// Receiving host of the next LINK_PUSH; unicasts only. Read/write.
  localparam logic [31:0] LinkDestinationAddr = 32'h4000_0080;
  /// Host number, or a unit's.
  localparam int unsigned LinkDestinationHostShift = 0;
  localparam int unsigned LinkDestinationHostBits = 24;
  localparam logic [31:0] LinkDestinationHostMask = 32'h00ff_ffff;

  /// `hops` field of the next LINK_PUSH. Read/write.
  localparam logic [31:0] LinkHopsAddr = 32'h4000_0084;
  /// NIs that may still forward.
  localparam int unsigned LinkHopsHopsShift = 0;
  localparam int unsigned LinkHopsHopsBits = 16;
  localparam logic [31:0] LinkHopsHopsMask = 32'h0000_ffff;

  /// Queues a packet for the link. Every push takes one reference off the slot when the tail has
  /// left. Refused when the queue is full: look at LINK_SPACE. Write only.
  localparam logic [31:0] LinkPushAddr = 32'h4000_0088;
  /// Slot.
  localparam int unsigned LinkPushSlotShift = 0;
  localparam int unsigned LinkPushSlotBits = 20;
  localparam logic [31:0] LinkPushSlotMask = 32'h000f_ffff;
  /// 1: compute the check word (own packets); 0: send the stored one (forwarded packets).
  localparam int unsigned LinkPushSealShift = 20;
  localparam int unsigned LinkPushSealBits = 1;
  localparam logic [31:0] LinkPushSealMask = 32'h0010_0000;

  /// Free places of the link-out queue. Reading 0 asks for an event link_ready. Read only.
  localparam logic [31:0] LinkSpaceAddr = 32'h4000_008c;

  /// Where the route of the next LINK_PUSH lies, of any kind but a unicast: what follows the common
  /// header (bit string, SSR stop, or number of stops, next stop and stops of a path). Copied by
  /// LINK_PUSH, as long as the packet's kind says. Read/write.
  localparam logic [31:0] LinkRouteAddr = 32'h4000_0090;

  /// Process and window of the next DMA_PUSH. Read/write.
  localparam logic [31:0] DmaWindowAddr = 32'h4000_00a0;
  /// Window of the process.
  localparam int unsigned DmaWindowWindowShift = 0;
  localparam int unsigned DmaWindowWindowBits = 8;
  localparam logic [31:0] DmaWindowWindowMask = 32'h0000_00ff;
  /// Process on whose behalf the transfer is made: only its windows are reachable.
  localparam int unsigned DmaWindowProcessShift = 8;
  localparam int unsigned DmaWindowProcessBits = 8;
  localparam logic [31:0] DmaWindowProcessMask = 32'h0000_ff00;

  /// Byte offset in the window. Read/write.
  localparam logic [31:0] DmaOffsetAddr = 32'h4000_00a4;

  /// Address in packet memory, any alignment. Read/write.
  localparam logic [31:0] DmaAddressAddr = 32'h4000_00a8;

  /// Length in bytes, 0..65535. Read/write.
  localparam logic [31:0] DmaLengthAddr = 32'h4000_00ac;
  /// Bytes.
  localparam int unsigned DmaLengthLengthShift = 0;
  localparam int unsigned DmaLengthLengthBits = 16;
  localparam logic [31:0] DmaLengthLengthMask = 32'h0000_ffff;

  /// Queues a transfer. With RELEASE it takes one reference off the slot that DMA_ADDRESS lies in
  /// when it has ended. Refused when the queue is full: look at DMA_SPACE. Write only.
  localparam logic [31:0] DmaPushAddr = 32'h4000_00b0;
  /// Argument of the event.
  localparam int unsigned DmaPushCookieShift = 0;
  localparam int unsigned DmaPushCookieBits = 28;
  localparam logic [31:0] DmaPushCookieMask = 32'h0fff_ffff;
  /// 1: release the slot at the end, refused or not.
  localparam int unsigned DmaPushReleaseSlotShift = 29;
  localparam int unsigned DmaPushReleaseSlotBits = 1;
  localparam logic [31:0] DmaPushReleaseSlotMask = 32'h2000_0000;
  /// 1: an event dma_done when it has ended. dma_refused comes always.
  localparam int unsigned DmaPushNotifyShift = 30;
  localparam int unsigned DmaPushNotifyBits = 1;
  localparam logic [31:0] DmaPushNotifyMask = 32'h4000_0000;
  /// 1: NI to host; 0: host to NI.
  localparam int unsigned DmaPushToHostShift = 31;
  localparam int unsigned DmaPushToHostBits = 1;
  localparam logic [31:0] DmaPushToHostMask = 32'h8000_0000;

  /// Free places of the host transfer queue, shared with completions. Reading 0 asks for an event
  /// dma_ready. Read only.
  localparam logic [31:0] DmaSpaceAddr = 32'h4000_00b4;

  /// Why the last refused transfer was refused. Read only.
  localparam logic [31:0] DmaErrorAddr = 32'h4000_00b8;
  /// Reason.
  localparam int unsigned DmaErrorReasonShift = 0;
  localparam int unsigned DmaErrorReasonBits = 4;
  localparam logic [31:0] DmaErrorReasonMask = 32'h0000_000f;

  /// Words of the next completion entry, see hw/ni/abi/ni_host.h; word 7 is the hardware's.
  /// Read/write.
  localparam logic [31:0] CompletionAddr = 32'h4000_00c0;
  localparam logic [31:0] CompletionStride = 32'h0000_0004;
  localparam int unsigned CompletionElements = 7;

  /// Queues the entry for the completion queue of a process, behind the host transfers already
  /// queued. Takes a place of the host transfer queue. Write only.
  localparam logic [31:0] CompletionPushAddr = 32'h4000_00dc;
  /// Process.
  localparam int unsigned CompletionPushProcessShift = 0;
  localparam int unsigned CompletionPushProcessBits = 8;
  localparam logic [31:0] CompletionPushProcessMask = 32'h0000_00ff;

  /// Gives a command entry back to its process. Write only.
  localparam logic [31:0] CommandDoneAddr = 32'h4000_00e0;
  /// Number of the entry, as in the event.
  localparam int unsigned CommandDoneEntryShift = 0;
  localparam int unsigned CommandDoneEntryBits = 28;
  localparam logic [31:0] CommandDoneEntryMask = 32'h0fff_ffff;

  /// Firmware has dropped a control packet that would act for a process of another job: counts it
  /// for that process, as the hardware does with the packets that it drops itself. Write only.
  localparam logic [31:0] JobRefusedAddr = 32'h4000_00e4;
  /// Process; one that there is not counts for none.
  localparam int unsigned JobRefusedProcessShift = 0;
  localparam int unsigned JobRefusedProcessBits = 8;
  localparam logic [31:0] JobRefusedProcessMask = 32'h0000_00ff;

  /// Root of the group to look for. Read/write.
  localparam logic [31:0] GroupRootAddr = 32'h4000_0100;
  /// Host number.
  localparam int unsigned GroupRootRootShift = 0;
  localparam int unsigned GroupRootRootBits = 24;
  localparam logic [31:0] GroupRootRootMask = 32'h00ff_ffff;

  /// Its number at the root; writing it looks the group up. Read/write.
  localparam logic [31:0] GroupNumberAddr = 32'h4000_0104;
  /// Group number.
  localparam int unsigned GroupNumberNumberShift = 0;
  localparam int unsigned GroupNumberNumberBits = 16;
  localparam logic [31:0] GroupNumberNumberMask = 32'h0000_ffff;

  /// What was found. Read only.
  localparam logic [31:0] GroupEntryAddr = 32'h4000_0108;

  /// Takes a free entry for GROUP_ROOT and GROUP_NUMBER; with the number 0xffff one that no look-up
  /// finds (continuation of a long child list). Read only, reading has an effect.
  localparam logic [31:0] GroupAllocateAddr = 32'h4000_010c;

  /// Frees an entry. Write only.
  localparam logic [31:0] GroupFreeAddr = 32'h4000_0110;

  /// Cycles since reset, low word; reading it holds the high word. Read only, reading has an
  /// effect.
  localparam logic [31:0] TimeLowAddr = 32'h4000_0120;

  /// High word. Read only.
  localparam logic [31:0] TimeHighAddr = 32'h4000_0124;

  /// An event `timer` comes this many cycles after the write; 0 takes a pending one back.
  /// Read/write.
  localparam logic [31:0] TimerAddr = 32'h4000_0128;

  /// What went wrong in the hardware since it was last cleared; writing ones clears. Read/write,
  /// ones clear.
  localparam logic [31:0] ErrorsAddr = 32'h4000_0140;
  /// Event queue overflow: cannot happen with the default sizes.
  localparam int unsigned ErrorsEventOverflowShift = 0;
  localparam int unsigned ErrorsEventOverflowBits = 1;
  localparam logic [31:0] ErrorsEventOverflowMask = 32'h0000_0001;
  /// A push to a full link-out queue.
  localparam int unsigned ErrorsLinkFullShift = 1;
  localparam int unsigned ErrorsLinkFullBits = 1;
  localparam logic [31:0] ErrorsLinkFullMask = 32'h0000_0002;
  /// A push to a full host transfer queue.
  localparam int unsigned ErrorsDmaFullShift = 2;
  localparam int unsigned ErrorsDmaFullBits = 1;
  localparam logic [31:0] ErrorsDmaFullMask = 32'h0000_0004;
  /// A slot was held, released, sent or transferred that is not in use.
  localparam int unsigned ErrorsBadSlotShift = 3;
  localparam int unsigned ErrorsBadSlotBits = 1;
  localparam logic [31:0] ErrorsBadSlotMask = 32'h0000_0008;
  /// A completion was lost.
  localparam int unsigned ErrorsCompletionLostShift = 4;
  localparam int unsigned ErrorsCompletionLostBits = 1;
  localparam logic [31:0] ErrorsCompletionLostMask = 32'h0000_0010;
  /// A group entry out of range or not in use was freed.
  localparam int unsigned ErrorsBadGroupShift = 5;
  localparam int unsigned ErrorsBadGroupBits = 1;
  localparam logic [31:0] ErrorsBadGroupMask = 32'h0000_0020;
  /// A packet longer than a slot was cut.
  localparam int unsigned ErrorsPacketCutShift = 6;
  localparam int unsigned ErrorsPacketCutBits = 1;
  localparam logic [31:0] ErrorsPacketCutMask = 32'h0000_0040;
  /// A command entry that was not outstanding was given back.
  localparam int unsigned ErrorsBadCommandShift = 7;
  localparam int unsigned ErrorsBadCommandBits = 1;
  localparam logic [31:0] ErrorsBadCommandMask = 32'h0000_0080;
  /// LINK_PUSH of a packet that cannot be sent: kind, length, destination or route out of range.
  localparam int unsigned ErrorsBadPacketShift = 8;
  localparam int unsigned ErrorsBadPacketBits = 1;
  localparam logic [31:0] ErrorsBadPacketMask = 32'h0000_0100;
  /// COUNTER_PUSH to an interface that the host does not have.
  localparam int unsigned ErrorsBadCounterShift = 9;
  localparam int unsigned ErrorsBadCounterBits = 1;
  localparam logic [31:0] ErrorsBadCounterMask = 32'h0000_0200;
  /// A word of packet memory was read that its code could not correct. The interface goes down, as
  /// at PANIC.
  localparam int unsigned ErrorsSoftErrorShift = 10;
  localparam int unsigned ErrorsSoftErrorBits = 1;
  localparam logic [31:0] ErrorsSoftErrorMask = 32'h0000_0400;

  /// Writes a character to the simulator's log. Write only.
  localparam logic [31:0] ConsoleAddr = 32'h4000_0144;
  /// Character.
  localparam int unsigned ConsoleCharacterShift = 0;
  localparam int unsigned ConsoleCharacterBits = 8;
  localparam logic [31:0] ConsoleCharacterMask = 32'h0000_00ff;

  /// Firmware gives up: the processor stops and the run fails with this reason. Write only.
  localparam logic [31:0] PanicAddr = 32'h4000_0148;

  /// Queues an increment by one of a counter of an interface of this host, its own or another one,
  /// behind the host transfers already queued: what those have written is there before the counter
  /// tells of it. Takes a place of the host transfer queue. Write only.
  localparam logic [31:0] CounterPushAddr = 32'h4000_0160;
  /// Counter, 0..255.
  localparam int unsigned CounterPushCounterShift = 0;
  localparam int unsigned CounterPushCounterBits = 8;
  localparam logic [31:0] CounterPushCounterMask = 32'h0000_00ff;
  /// Number of the interface in its host.
  localparam int unsigned CounterPushInterfaceShift = 8;
  localparam int unsigned CounterPushInterfaceBits = 6;
  localparam logic [31:0] CounterPushInterfaceMask = 32'h0000_3f00;

  /// A counter, modulo 2^32. Reading it makes the next increment an event again; writing sets it.
  /// Read/write, reading has an effect.
  localparam logic [31:0] CounterAddr = 32'h4000_1000;
  localparam logic [31:0] CounterStride = 32'h0000_0004;
  localparam int unsigned CounterElements = 256;

  /// What the manager of the host lets each process do: RIGHTS of its grant. Read only.
  localparam logic [31:0] RightsAddr = 32'h4000_2000;
  localparam logic [31:0] RightsStride = 32'h0000_0004;
  localparam int unsigned RightsElements = 64;
  /// 1: enabled.
  localparam int unsigned RightsEnableShift = 0;
  localparam int unsigned RightsEnableBits = 1;
  localparam logic [31:0] RightsEnableMask = 32'h0000_0001;
  /// 1: may read the counters of the whole interface.
  localparam int unsigned RightsObserveShift = 1;
  localparam int unsigned RightsObserveBits = 1;
  localparam logic [31:0] RightsObserveMask = 32'h0000_0002;

  /// JobID of each process: JOB of its grant. Read only.
  localparam logic [31:0] JobAddr = 32'h4000_2400;
  localparam logic [31:0] JobStride = 32'h0000_0004;
  localparam int unsigned JobElements = 64;

  // --- NI as the host sees it ---

  /// Bytes of the device.
  localparam logic [31:0] HostSize = 32'h0004_9000;

  /// What this is. Read only.
  localparam logic [31:0] HostIdAddr = 32'h0000_0000;
  localparam logic [31:0] HostIdReset = 32'h706f_6c79;

  /// Version of this register map. Read only.
  localparam logic [31:0] HostVersionAddr = 32'h0000_0004;
  localparam logic [31:0] HostVersionReset = 32'h0000_0002;

  /// Process pages. Read only.
  localparam logic [31:0] HostProcessCountAddr = 32'h0000_0008;

  /// Host number. Read only.
  localparam logic [31:0] HostHostNumberAddr = 32'h0000_000c;

  /// Errors of the hardware, as ERRORS of the processor. Read only.
  localparam logic [31:0] HostDeviceErrorsAddr = 32'h0000_0010;

  /// Reason of firmware's PANIC, or that the watchdog has expired (hw/ni/abi/ni_firmware.h). 0:
  /// running. Read only.
  localparam logic [31:0] HostDevicePanicAddr = 32'h0000_0014;

  /// Cycles after which the watchdog expires: there is an event or an operation under way, and no
  /// write to MARK. Then, and at PANIC, the interface is down: packets that come are dropped,
  /// doorbells ignored, all that was under way is gone. Read/write.
  localparam logic [31:0] HostWatchdogAddr = 32'h0000_0018;

  /// Cycles from then until the processor starts anew, with empty tables. Read/write.
  localparam logic [31:0] HostRestartAddr = 32'h0000_001c;
  localparam logic [31:0] HostRestartReset = 32'h0000_0001;

  /// Restarts by the watchdog so far. Read only.
  localparam logic [31:0] HostDeviceRestartsAddr = 32'h0000_0020;

  /// Packets in the NI's memory, of all processes and of none. Read only.
  localparam logic [31:0] HostDeviceActivityAddr = 32'h0000_0024;
  /// Packets of hosts of this NI: on their way from host memory to the link.
  localparam int unsigned HostDeviceActivitySendingShift = 0;
  localparam int unsigned HostDeviceActivitySendingBits = 16;
  localparam logic [31:0] HostDeviceActivitySendingMask = 32'h0000_ffff;
  /// Packets that came from the link, or are coming: on their way to host memory or on to others.
  localparam int unsigned HostDeviceActivityReceivingShift = 16;
  localparam int unsigned HostDeviceActivityReceivingBits = 16;
  localparam logic [31:0] HostDeviceActivityReceivingMask = 32'hffff_0000;

  /// Packets of other jobs than the process that they were for, dropped so far, modulo 2^32. Read
  /// only.
  localparam logic [31:0] HostDeviceJobsRefusedAddr = 32'h0000_0028;

  /// The page of one host process: what it may see and do itself. Windows and queue are the
  /// manager's to set up, see GRANT; commands name windows by number.
  localparam logic [31:0] HostProcessBase = 32'h0000_1000;
  localparam logic [31:0] HostProcessStride = 32'h0000_1000;
  localparam int unsigned HostProcessElements = 64;

  /// Command buffer. Read/write.
  localparam logic [31:0] HostProcessCommandBufferBase = 32'h0000_0800;
  localparam logic [31:0] HostProcessCommandBufferSize = 32'h0000_0800;

  /// Submits the command in the buffer. Write only.
  localparam logic [31:0] HostProcessDoorbellAddr = 32'h0000_0000;
  /// Its length in bytes, a multiple of 4, 32..COMMAND_BYTES.
  localparam int unsigned HostProcessDoorbellLengthShift = 0;
  localparam int unsigned HostProcessDoorbellLengthBits = 16;
  localparam logic [31:0] HostProcessDoorbellLengthMask = 32'h0000_ffff;

  /// Commands that may still be submitted; 0 while the process is not enabled. A doorbell without
  /// space is ignored and counted. Read only.
  localparam logic [31:0] HostProcessCommandSpaceAddr = 32'h0000_0004;

  /// Doorbells ignored so far: no space, a bad length, or the process is not enabled. Read only.
  localparam logic [31:0] HostProcessCommandsRefusedAddr = 32'h0000_0008;

  /// Entries the process has read, modulo 2^32. Read/write.
  localparam logic [31:0] HostProcessQueueReadAddr = 32'h0000_001c;

  /// Entries the NI has written, modulo 2^32. Read only.
  localparam logic [31:0] HostProcessQueueWrittenAddr = 32'h0000_0020;

  /// Completions lost: the queue was full, its memory refused, or the process was not enabled. Read
  /// only.
  localparam logic [31:0] HostProcessQueueLostAddr = 32'h0000_0024;

  /// Raises the process's interrupt while QUEUE_WRITTEN and QUEUE_READ differ. Read/write.
  localparam logic [31:0] HostProcessQueueInterruptAddr = 32'h0000_0028;
  /// 1: on.
  localparam int unsigned HostProcessQueueInterruptEnableShift = 0;
  localparam int unsigned HostProcessQueueInterruptEnableBits = 1;
  localparam logic [31:0] HostProcessQueueInterruptEnableMask = 32'h0000_0001;

  /// Packets of this process in the NI's memory. Read only.
  localparam logic [31:0] HostProcessActivityAddr = 32'h0000_002c;
  /// Packets whose bytes come from its windows, on their way to the link.
  localparam int unsigned HostProcessActivitySendingShift = 0;
  localparam int unsigned HostProcessActivitySendingBits = 16;
  localparam logic [31:0] HostProcessActivitySendingMask = 32'h0000_ffff;
  /// Packets that came from the link for it: on their way to its windows.
  localparam int unsigned HostProcessActivityReceivingShift = 16;
  localparam int unsigned HostProcessActivityReceivingBits = 16;
  localparam logic [31:0] HostProcessActivityReceivingMask = 32'hffff_0000;

  /// What the manager of the host (its kernel) grants one process. Like the device page, these
  /// pages are the manager's alone.
  localparam logic [31:0] HostGrantBase = 32'h0004_1000;
  localparam logic [31:0] HostGrantStride = 32'h0000_0200;
  localparam int unsigned HostGrantElements = 64;

  /// What the process may do. Read/write.
  localparam logic [31:0] HostGrantRightsAddr = 32'h0000_0000;
  /// 1: enabled. Else its doorbells are ignored and counted, transfers on its behalf are refused
  /// and its completions lost.
  localparam int unsigned HostGrantRightsEnableShift = 0;
  localparam int unsigned HostGrantRightsEnableBits = 1;
  localparam logic [31:0] HostGrantRightsEnableMask = 32'h0000_0001;
  /// 1: may read the counters of the whole interface, which tell of all processes (command
  /// STATISTICS).
  localparam int unsigned HostGrantRightsObserveShift = 1;
  localparam int unsigned HostGrantRightsObserveBits = 1;
  localparam logic [31:0] HostGrantRightsObserveMask = 32'h0000_0002;

  /// JobID of the process. Where packets carry jobs, its packets leave with this one, and only
  /// packets of this one reach it. Read/write.
  localparam logic [31:0] HostGrantJobAddr = 32'h0000_0004;

  /// Packets of other jobs that were for this process, dropped so far, modulo 2^32. Read only.
  localparam logic [31:0] HostGrantJobsRefusedAddr = 32'h0000_0008;

  /// Completion queue: address in host memory, low word. Read/write.
  localparam logic [31:0] HostGrantQueueLowAddr = 32'h0000_0010;

  /// High word. Read/write.
  localparam logic [31:0] HostGrantQueueHighAddr = 32'h0000_0014;

  /// Entries of 32 bytes; writing it starts the queue anew. Read/write.
  localparam logic [31:0] HostGrantQueueEntriesAddr = 32'h0000_0018;

  /// A window: host memory that the NI may reach on behalf of this process.
  localparam logic [31:0] HostGrantWindowBase = 32'h0000_0100;
  localparam logic [31:0] HostGrantWindowStride = 32'h0000_0010;
  localparam int unsigned HostGrantWindowElements = 16;

  /// First address in host memory, low word. Read/write.
  localparam logic [31:0] HostGrantWindowLowAddr = 32'h0000_0000;

  /// High word. Read/write.
  localparam logic [31:0] HostGrantWindowHighAddr = 32'h0000_0004;

  /// Bytes. Read/write.
  localparam logic [31:0] HostGrantWindowBytesAddr = 32'h0000_0008;

  /// What the NI may do. Read/write.
  localparam logic [31:0] HostGrantWindowAllowAddr = 32'h0000_000c;
  /// NI may read.
  localparam int unsigned HostGrantWindowAllowReadShift = 0;
  localparam int unsigned HostGrantWindowAllowReadBits = 1;
  localparam logic [31:0] HostGrantWindowAllowReadMask = 32'h0000_0001;
  /// NI may write.
  localparam int unsigned HostGrantWindowAllowWriteShift = 1;
  localparam int unsigned HostGrantWindowAllowWriteBits = 1;
  localparam logic [31:0] HostGrantWindowAllowWriteMask = 32'h0000_0002;

  // verilator lint_on UNUSEDPARAM
endpackage
