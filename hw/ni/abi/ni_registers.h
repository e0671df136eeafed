/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from hw/ni/registers.rdl by `scripts/polycast generate`; do not edit. */
/* Registers of the network interface. NI_x is the address of register x as its processor sees it; NI_HOST_x an offset
 * from the start of the device as the host sees it, NI_HOST_PROCESS_x one from the start of a process's page,
 * NI_HOST_GRANT_x one from the start of what a process is granted, and NI_HOST_GRANT_WINDOW_x one from the start of a
 * window in that. NI_x_f_SHIFT and NI_x_f_MASK are those of field f, the mask in its place; a field that fills its
 * register has none. _ELEMENTS and _STRIDE (bytes) belong to arrays, _BASE and _SIZE (bytes) to memories. */
#ifndef POLYCAST_NI_REGISTERS_H
#define POLYCAST_NI_REGISTERS_H

enum ni_wait_mode {
    /* Waits with wfi, interrupts off: the line wakes the processor, nothing is taken. */
    NI_WAIT_MODE_SLEEP = 0,
    /* Reads EVENT without end. */
    NI_WAIT_MODE_POLL = 1,
    /* An interrupt handler moves events to a ring in data memory; wfi where it is empty. */
    NI_WAIT_MODE_INTERRUPT = 2
};

enum ni_event {
    /* The queue is empty. */
    NI_EVENT_NONE = 0,
    /* Link-in has put a packet into memory; argument: slot. The slot comes with one reference. */
    NI_EVENT_PACKET = 1,
    /* A host transfer with NOTIFY has ended; argument: its cookie. */
    NI_EVENT_DMA_DONE = 2,
    /* A host transfer was refused, nothing was moved; argument: its cookie. DMA_ERROR says why. */
    NI_EVENT_DMA_REFUSED = 3,
    /* A process rang its doorbell; argument: number of the command entry. */
    NI_EVENT_COMMAND = 4,
    /* Link-out has room again after LINK_SPACE was read as 0 or a push was refused. */
    NI_EVENT_LINK_READY = 5,
    /* The cycles written to TIMER are over. */
    NI_EVENT_TIMER = 6,
    /* The host transfer queue has room again after DMA_SPACE was read as 0 or a push was refused. */
    NI_EVENT_DMA_READY = 7,
    /* A send slot is free again after SLOT_ALLOCATE had none. */
    NI_EVENT_SLOT_READY = 8,
    /* A counter has gone up since it was last read; argument: its number. Comes once, however often it goes up until it is
     * read. */
    NI_EVENT_COUNTER = 9
};

enum ni_dma_error {
    /* No transfer was refused yet. */
    NI_DMA_ERROR_NONE = 0,
    /* No such process, or it is not enabled. */
    NI_DMA_ERROR_NO_PROCESS = 1,
    /* The manager has not granted the process this window. */
    NI_DMA_ERROR_NO_WINDOW = 2,
    /* The transfer would leave the window. */
    NI_DMA_ERROR_OUTSIDE = 3,
    /* The window does not allow this direction. */
    NI_DMA_ERROR_FORBIDDEN = 4,
    /* DMA_ADDRESS and DMA_LENGTH do not lie in one slot in use. */
    NI_DMA_ERROR_BAD_ADDRESS = 5,
    /* The completion queue was full or not set up; the entry is lost and counted. */
    NI_DMA_ERROR_COMPLETION_OVERFLOW = 6,
    /* What is to go to the host has flipped, and its code cannot correct it. */
    NI_DMA_ERROR_SOFT_ERROR = 7,
    /* The packet in the slot is of another job than the process. */
    NI_DMA_ERROR_OTHER_JOB = 8
};

/* --- NI as its processor sees it --- */
/* Words of 32 bits. Registers answer word accesses only; anything else, and every address without an entry, is a bus
 * error. */

/* All registers lie in here. */
#define NI_REGISTERS_BASE 0x40000000u
#define NI_REGISTERS_SIZE 0x00002500u

/* Code and constants, 64 KiB. The processor starts at 0x80; stores are bus errors. Read only. */
#define NI_INSTRUCTION_MEMORY_BASE 0x00000000u
#define NI_INSTRUCTION_MEMORY_SIZE 0x00010000u

/* Variables and stack, 192 KiB. Read/write. */
#define NI_DATA_MEMORY_BASE 0x10000000u
#define NI_DATA_MEMORY_SIZE 0x00030000u

/* Slots of SLOT_BYTES bytes, see the slot layout in ni.md. At most 16 MiB. Read/write. */
#define NI_PACKET_MEMORY_BASE 0x20000000u
#define NI_PACKET_MEMORY_SIZE 0x01000000u

/* Commands from hosts, COMMAND_BYTES each: entry e of process p is number p * COMMAND_ENTRIES + e. Read/write. */
#define NI_COMMAND_MEMORY_BASE 0x30000000u
#define NI_COMMAND_MEMORY_SIZE 0x01000000u

/* GROUP_ENTRIES entries of 128 bytes: word 0 root and word 1 group (written by the hardware at allocation), the rest
 * belongs to firmware. Read/write. */
#define NI_GROUP_MEMORY_BASE 0x38000000u
#define NI_GROUP_MEMORY_SIZE 0x00040000u

/* Word s: JobID of the packet in slot s, of a received packet the one that it came with. Stores are bus errors. All
 * zero unless packets carry jobs (OPTIONS). Read only. */
#define NI_SLOT_JOBS_BASE 0x3c000000u
#define NI_SLOT_JOBS_SIZE 0x00100000u

/* Number of this host. Read only. */
#define NI_HOST 0x40000000u
/* Host number. */
#define NI_HOST_HOST_SHIFT 0u
#define NI_HOST_HOST_MASK 0x00ffffffu

/* Hosts in the network. Read only. */
#define NI_HOSTS 0x40000004u

/* Longest payload of a packet in bytes. Read only. */
#define NI_PAYLOAD 0x40000008u

/* Size of a packet slot in bytes: header area of 64, payload; a multiple of 4. Read only. */
#define NI_SLOT_BYTES 0x4000000cu

/* Host processes that share the interface. Read only. */
#define NI_PROCESSES 0x40000010u

/* Size of an entry of the command memory in bytes. Read only. */
#define NI_COMMAND_BYTES 0x40000014u

/* Commands that one process may have outstanding. Read only. */
#define NI_COMMAND_ENTRIES 0x40000018u

/* Entries of the group table. Read only. */
#define NI_GROUP_ENTRIES 0x4000001cu

/* Options that the host chose. Read only. */
#define NI_OPTIONS 0x40000020u
/* How firmware waits for events. */
#define NI_OPTIONS_WAIT_MODE_SHIFT 0u
#define NI_OPTIONS_WAIT_MODE_MASK 0x00000003u
/* 1: packets carry the JobID of a process, and firmware acts for a process only by packets of its job. */
#define NI_OPTIONS_JOBS_SHIFT 2u
#define NI_OPTIONS_JOBS_MASK 0x00000004u

/* Bytes of a stop in the headers of SSR and path worms. Read only. */
#define NI_STOP_BYTES 0x40000024u

/* Longest list of a path worm; 0: the network has no worms. Read only. */
#define NI_STOPS 0x40000028u

/* Coding units in the network: they have the numbers from HOSTS on. Read only. */
#define NI_UNITS 0x4000002cu

/* Reliable messages: cycles after which a source asks those that have not acknowledged a message; the first of several
 * times, each twice as long. Read only. */
#define NI_RELIABLE_TIMEOUT 0x40000030u

/* How often it asks without progress before it gives the message up. Read only. */
#define NI_RELIABLE_ATTEMPTS 0x40000034u
/* Count. */
#define NI_RELIABLE_ATTEMPTS_ATTEMPTS_SHIFT 0u
#define NI_RELIABLE_ATTEMPTS_ATTEMPTS_MASK 0x000000ffu

/* Cycles for which a receiver waits with the report of a gap, and with what it merges. Read only. */
#define NI_RELIABLE_ACK_DELAY 0x40000038u

/* How often this processor was started anew without a reset of the interface: 2^20 times this is the first number of
 * its flows of reliable messages. Read only. */
#define NI_RESTARTS 0x4000003cu
/* Count. */
#define NI_RESTARTS_COUNT_SHIFT 0u
#define NI_RESTARTS_COUNT_MASK 0x00000fffu

/* Takes the oldest event out of the queue. Events of all kinds share one queue, in the order of what they tell. Read
 * only, reading has an effect. */
#define NI_EVENT 0x40000040u
/* About what. */
#define NI_EVENT_ARGUMENT_SHIFT 0u
#define NI_EVENT_ARGUMENT_MASK 0x0fffffffu
/* What happened. */
#define NI_EVENT_KIND_SHIFT 28u
#define NI_EVENT_KIND_MASK 0xf0000000u

/* Events in the queue. Read only. */
#define NI_EVENT_COUNT 0x40000044u

/* The interrupt line is high while the event queue is not empty and this is set. Read/write. */
#define NI_INTERRUPT_ENABLE 0x40000048u
/* 1: on. */
#define NI_INTERRUPT_ENABLE_ENABLE_SHIFT 0u
#define NI_INTERRUPT_ENABLE_ENABLE_MASK 0x00000001u

/* Ends an operation of firmware that began at the last write: for charts, waves and cost tables. Write only. */
#define NI_MARK 0x4000004cu
/* Number of the operation, see hw/ni/abi/ni_firmware.h. */
#define NI_MARK_OPERATION_SHIFT 0u
#define NI_MARK_OPERATION_MASK 0x000000ffu

/* Takes a free send slot, with one reference. Read only, reading has an effect. */
#define NI_SLOT_ALLOCATE 0x40000060u

/* Adds references to a slot that has at least one. Write only. */
#define NI_SLOT_HOLD 0x40000064u
/* Slot. */
#define NI_SLOT_HOLD_SLOT_SHIFT 0u
#define NI_SLOT_HOLD_SLOT_MASK 0x000fffffu
/* References to add. */
#define NI_SLOT_HOLD_REFERENCES_SHIFT 20u
#define NI_SLOT_HOLD_REFERENCES_MASK 0xfff00000u

/* Takes one reference off a slot; at none it is free. Write only. */
#define NI_SLOT_RELEASE 0x40000068u
/* Slot. */
#define NI_SLOT_RELEASE_SLOT_SHIFT 0u
#define NI_SLOT_RELEASE_SLOT_MASK 0x000fffffu

/* Slots in use, send and receive. Read only. */
#define NI_SLOTS_USED 0x4000006cu

/* Receiving host of the next LINK_PUSH; unicasts only. Read/write. */
#define NI_LINK_DESTINATION 0x40000080u
/* Host number, or a unit's. */
#define NI_LINK_DESTINATION_HOST_SHIFT 0u
#define NI_LINK_DESTINATION_HOST_MASK 0x00ffffffu

/* `hops` field of the next LINK_PUSH. Read/write. */
#define NI_LINK_HOPS 0x40000084u
/* NIs that may still forward. */
#define NI_LINK_HOPS_HOPS_SHIFT 0u
#define NI_LINK_HOPS_HOPS_MASK 0x0000ffffu

/* Queues a packet for the link. Every push takes one reference off the slot when the tail has left. Refused when the
 * queue is full: look at LINK_SPACE. Write only. */
#define NI_LINK_PUSH 0x40000088u
/* Slot. */
#define NI_LINK_PUSH_SLOT_SHIFT 0u
#define NI_LINK_PUSH_SLOT_MASK 0x000fffffu
/* 1: compute the check word (own packets); 0: send the stored one (forwarded packets). */
#define NI_LINK_PUSH_SEAL_SHIFT 20u
#define NI_LINK_PUSH_SEAL_MASK 0x00100000u

/* Free places of the link-out queue. Reading 0 asks for an event link_ready. Read only. */
#define NI_LINK_SPACE 0x4000008cu

/* Where the route of the next LINK_PUSH lies, of any kind but a unicast: what follows the common header (bit string,
 * SSR stop, or number of stops, next stop and stops of a path). Copied by LINK_PUSH, as long as the packet's kind
 * says. Read/write. */
#define NI_LINK_ROUTE 0x40000090u

/* Process and window of the next DMA_PUSH. Read/write. */
#define NI_DMA_WINDOW 0x400000a0u
/* Window of the process. */
#define NI_DMA_WINDOW_WINDOW_SHIFT 0u
#define NI_DMA_WINDOW_WINDOW_MASK 0x000000ffu
/* Process on whose behalf the transfer is made: only its windows are reachable. */
#define NI_DMA_WINDOW_PROCESS_SHIFT 8u
#define NI_DMA_WINDOW_PROCESS_MASK 0x0000ff00u

/* Byte offset in the window. Read/write. */
#define NI_DMA_OFFSET 0x400000a4u

/* Address in packet memory, any alignment. Read/write. */
#define NI_DMA_ADDRESS 0x400000a8u

/* Length in bytes, 0..65535. Read/write. */
#define NI_DMA_LENGTH 0x400000acu
/* Bytes. */
#define NI_DMA_LENGTH_LENGTH_SHIFT 0u
#define NI_DMA_LENGTH_LENGTH_MASK 0x0000ffffu

/* Queues a transfer. With RELEASE it takes one reference off the slot that DMA_ADDRESS lies in when it has ended.
 * Refused when the queue is full: look at DMA_SPACE. Write only. */
#define NI_DMA_PUSH 0x400000b0u
/* Argument of the event. */
#define NI_DMA_PUSH_COOKIE_SHIFT 0u
#define NI_DMA_PUSH_COOKIE_MASK 0x0fffffffu
/* 1: release the slot at the end, refused or not. */
#define NI_DMA_PUSH_RELEASE_SLOT_SHIFT 29u
#define NI_DMA_PUSH_RELEASE_SLOT_MASK 0x20000000u
/* 1: an event dma_done when it has ended. dma_refused comes always. */
#define NI_DMA_PUSH_NOTIFY_SHIFT 30u
#define NI_DMA_PUSH_NOTIFY_MASK 0x40000000u
/* 1: NI to host; 0: host to NI. */
#define NI_DMA_PUSH_TO_HOST_SHIFT 31u
#define NI_DMA_PUSH_TO_HOST_MASK 0x80000000u

/* Free places of the host transfer queue, shared with completions. Reading 0 asks for an event dma_ready. Read only. */
#define NI_DMA_SPACE 0x400000b4u

/* Why the last refused transfer was refused. Read only. */
#define NI_DMA_ERROR 0x400000b8u
/* Reason. */
#define NI_DMA_ERROR_REASON_SHIFT 0u
#define NI_DMA_ERROR_REASON_MASK 0x0000000fu

/* Words of the next completion entry, see hw/ni/abi/ni_host.h; word 7 is the hardware's. Read/write. */
#define NI_COMPLETION 0x400000c0u
#define NI_COMPLETION_STRIDE 0x00000004u
#define NI_COMPLETION_ELEMENTS 7u

/* Queues the entry for the completion queue of a process, behind the host transfers already queued. Takes a place of
 * the host transfer queue. Write only. */
#define NI_COMPLETION_PUSH 0x400000dcu
/* Process. */
#define NI_COMPLETION_PUSH_PROCESS_SHIFT 0u
#define NI_COMPLETION_PUSH_PROCESS_MASK 0x000000ffu

/* Gives a command entry back to its process. Write only. */
#define NI_COMMAND_DONE 0x400000e0u
/* Number of the entry, as in the event. */
#define NI_COMMAND_DONE_ENTRY_SHIFT 0u
#define NI_COMMAND_DONE_ENTRY_MASK 0x0fffffffu

/* Firmware has dropped a control packet that would act for a process of another job: counts it for that process, as
 * the hardware does with the packets that it drops itself. Write only. */
#define NI_JOB_REFUSED 0x400000e4u
/* Process; one that there is not counts for none. */
#define NI_JOB_REFUSED_PROCESS_SHIFT 0u
#define NI_JOB_REFUSED_PROCESS_MASK 0x000000ffu

/* Root of the group to look for. Read/write. */
#define NI_GROUP_ROOT 0x40000100u
/* Host number. */
#define NI_GROUP_ROOT_ROOT_SHIFT 0u
#define NI_GROUP_ROOT_ROOT_MASK 0x00ffffffu

/* Its number at the root; writing it looks the group up. Read/write. */
#define NI_GROUP_NUMBER 0x40000104u
/* Group number. */
#define NI_GROUP_NUMBER_NUMBER_SHIFT 0u
#define NI_GROUP_NUMBER_NUMBER_MASK 0x0000ffffu

/* What was found. Read only. */
#define NI_GROUP_ENTRY 0x40000108u

/* Takes a free entry for GROUP_ROOT and GROUP_NUMBER; with the number 0xffff one that no look-up finds (continuation
 * of a long child list). Read only, reading has an effect. */
#define NI_GROUP_ALLOCATE 0x4000010cu

/* Frees an entry. Write only. */
#define NI_GROUP_FREE 0x40000110u

/* Cycles since reset, low word; reading it holds the high word. Read only, reading has an effect. */
#define NI_TIME_LOW 0x40000120u

/* High word. Read only. */
#define NI_TIME_HIGH 0x40000124u

/* An event `timer` comes this many cycles after the write; 0 takes a pending one back. Read/write. */
#define NI_TIMER 0x40000128u

/* What went wrong in the hardware since it was last cleared; writing ones clears. Read/write, ones clear. */
#define NI_ERRORS 0x40000140u
/* Event queue overflow: cannot happen with the default sizes. */
#define NI_ERRORS_EVENT_OVERFLOW_SHIFT 0u
#define NI_ERRORS_EVENT_OVERFLOW_MASK 0x00000001u
/* A push to a full link-out queue. */
#define NI_ERRORS_LINK_FULL_SHIFT 1u
#define NI_ERRORS_LINK_FULL_MASK 0x00000002u
/* A push to a full host transfer queue. */
#define NI_ERRORS_DMA_FULL_SHIFT 2u
#define NI_ERRORS_DMA_FULL_MASK 0x00000004u
/* A slot was held, released, sent or transferred that is not in use. */
#define NI_ERRORS_BAD_SLOT_SHIFT 3u
#define NI_ERRORS_BAD_SLOT_MASK 0x00000008u
/* A completion was lost. */
#define NI_ERRORS_COMPLETION_LOST_SHIFT 4u
#define NI_ERRORS_COMPLETION_LOST_MASK 0x00000010u
/* A group entry out of range or not in use was freed. */
#define NI_ERRORS_BAD_GROUP_SHIFT 5u
#define NI_ERRORS_BAD_GROUP_MASK 0x00000020u
/* A packet longer than a slot was cut. */
#define NI_ERRORS_PACKET_CUT_SHIFT 6u
#define NI_ERRORS_PACKET_CUT_MASK 0x00000040u
/* A command entry that was not outstanding was given back. */
#define NI_ERRORS_BAD_COMMAND_SHIFT 7u
#define NI_ERRORS_BAD_COMMAND_MASK 0x00000080u
/* LINK_PUSH of a packet that cannot be sent: kind, length, destination or route out of range. */
#define NI_ERRORS_BAD_PACKET_SHIFT 8u
#define NI_ERRORS_BAD_PACKET_MASK 0x00000100u
/* COUNTER_PUSH to an interface that the host does not have. */
#define NI_ERRORS_BAD_COUNTER_SHIFT 9u
#define NI_ERRORS_BAD_COUNTER_MASK 0x00000200u
/* A word of packet memory was read that its code could not correct. The interface goes down, as at PANIC. */
#define NI_ERRORS_SOFT_ERROR_SHIFT 10u
#define NI_ERRORS_SOFT_ERROR_MASK 0x00000400u

/* Writes a character to the simulator's log. Write only. */
#define NI_CONSOLE 0x40000144u
/* Character. */
#define NI_CONSOLE_CHARACTER_SHIFT 0u
#define NI_CONSOLE_CHARACTER_MASK 0x000000ffu

/* Firmware gives up: the processor stops and the run fails with this reason. Write only. */
#define NI_PANIC 0x40000148u

/* Queues an increment by one of a counter of an interface of this host, its own or another one, behind the host
 * transfers already queued: what those have written is there before the counter tells of it. Takes a place of the host
 * transfer queue. Write only. */
#define NI_COUNTER_PUSH 0x40000160u
/* Counter, 0..255. */
#define NI_COUNTER_PUSH_COUNTER_SHIFT 0u
#define NI_COUNTER_PUSH_COUNTER_MASK 0x000000ffu
/* Number of the interface in its host. */
#define NI_COUNTER_PUSH_INTERFACE_SHIFT 8u
#define NI_COUNTER_PUSH_INTERFACE_MASK 0x00003f00u

/* A counter, modulo 2^32. Reading it makes the next increment an event again; writing sets it. Read/write, reading has
 * an effect. */
#define NI_COUNTER 0x40001000u
#define NI_COUNTER_STRIDE 0x00000004u
#define NI_COUNTER_ELEMENTS 256u

/* What the manager of the host lets each process do: RIGHTS of its grant. Read only. */
#define NI_RIGHTS 0x40002000u
#define NI_RIGHTS_STRIDE 0x00000004u
#define NI_RIGHTS_ELEMENTS 64u
/* 1: enabled. */
#define NI_RIGHTS_ENABLE_SHIFT 0u
#define NI_RIGHTS_ENABLE_MASK 0x00000001u
/* 1: may read the counters of the whole interface. */
#define NI_RIGHTS_OBSERVE_SHIFT 1u
#define NI_RIGHTS_OBSERVE_MASK 0x00000002u

/* JobID of each process: JOB of its grant. Read only. */
#define NI_JOB 0x40002400u
#define NI_JOB_STRIDE 0x00000004u
#define NI_JOB_ELEMENTS 64u

/* --- NI as the host sees it --- */
/* A page of 4 KiB for the device, then one page for each process, which an operating system can map into it, then what
 * each process is granted. Device page and grants are for the manager of the host (its kernel or driver) only. Words
 * of 32 bits, little endian; the command buffer takes accesses of any size. */

/* Bytes of the device. */
#define NI_HOST_SIZE 0x00049000u

/* What this is. Read only. */
#define NI_HOST_ID 0x00000000u
#define NI_HOST_ID_RESET 0x706f6c79u

/* Version of this register map. Read only. */
#define NI_HOST_VERSION 0x00000004u
#define NI_HOST_VERSION_RESET 0x00000002u

/* Process pages. Read only. */
#define NI_HOST_PROCESS_COUNT 0x00000008u

/* Host number. Read only. */
#define NI_HOST_HOST_NUMBER 0x0000000cu

/* Errors of the hardware, as ERRORS of the processor. Read only. */
#define NI_HOST_DEVICE_ERRORS 0x00000010u

/* Reason of firmware's PANIC, or that the watchdog has expired (hw/ni/abi/ni_firmware.h). 0: running. Read only. */
#define NI_HOST_DEVICE_PANIC 0x00000014u

/* Cycles after which the watchdog expires: there is an event or an operation under way, and no write to MARK. Then,
 * and at PANIC, the interface is down: packets that come are dropped, doorbells ignored, all that was under way is
 * gone. Read/write. */
#define NI_HOST_WATCHDOG 0x00000018u

/* Cycles from then until the processor starts anew, with empty tables. Read/write. */
#define NI_HOST_RESTART 0x0000001cu
#define NI_HOST_RESTART_RESET 0x00000001u

/* Restarts by the watchdog so far. Read only. */
#define NI_HOST_DEVICE_RESTARTS 0x00000020u

/* Packets in the NI's memory, of all processes and of none. Read only. */
#define NI_HOST_DEVICE_ACTIVITY 0x00000024u
/* Packets of hosts of this NI: on their way from host memory to the link. */
#define NI_HOST_DEVICE_ACTIVITY_SENDING_SHIFT 0u
#define NI_HOST_DEVICE_ACTIVITY_SENDING_MASK 0x0000ffffu
/* Packets that came from the link, or are coming: on their way to host memory or on to others. */
#define NI_HOST_DEVICE_ACTIVITY_RECEIVING_SHIFT 16u
#define NI_HOST_DEVICE_ACTIVITY_RECEIVING_MASK 0xffff0000u

/* Packets of other jobs than the process that they were for, dropped so far, modulo 2^32. Read only. */
#define NI_HOST_DEVICE_JOBS_REFUSED 0x00000028u

/* The page of one host process: what it may see and do itself. Windows and queue are the manager's to set up, see
 * GRANT; commands name windows by number. */
#define NI_HOST_PROCESS_BASE 0x00001000u
#define NI_HOST_PROCESS_STRIDE 0x00001000u
#define NI_HOST_PROCESS_ELEMENTS 64u

/* Command buffer. Read/write. */
#define NI_HOST_PROCESS_COMMAND_BUFFER_BASE 0x00000800u
#define NI_HOST_PROCESS_COMMAND_BUFFER_SIZE 0x00000800u

/* Submits the command in the buffer. Write only. */
#define NI_HOST_PROCESS_DOORBELL 0x00000000u
/* Its length in bytes, a multiple of 4, 32..COMMAND_BYTES. */
#define NI_HOST_PROCESS_DOORBELL_LENGTH_SHIFT 0u
#define NI_HOST_PROCESS_DOORBELL_LENGTH_MASK 0x0000ffffu

/* Commands that may still be submitted; 0 while the process is not enabled. A doorbell without space is ignored and
 * counted. Read only. */
#define NI_HOST_PROCESS_COMMAND_SPACE 0x00000004u

/* Doorbells ignored so far: no space, a bad length, or the process is not enabled. Read only. */
#define NI_HOST_PROCESS_COMMANDS_REFUSED 0x00000008u

/* Entries the process has read, modulo 2^32. Read/write. */
#define NI_HOST_PROCESS_QUEUE_READ 0x0000001cu

/* Entries the NI has written, modulo 2^32. Read only. */
#define NI_HOST_PROCESS_QUEUE_WRITTEN 0x00000020u

/* Completions lost: the queue was full, its memory refused, or the process was not enabled. Read only. */
#define NI_HOST_PROCESS_QUEUE_LOST 0x00000024u

/* Raises the process's interrupt while QUEUE_WRITTEN and QUEUE_READ differ. Read/write. */
#define NI_HOST_PROCESS_QUEUE_INTERRUPT 0x00000028u
/* 1: on. */
#define NI_HOST_PROCESS_QUEUE_INTERRUPT_ENABLE_SHIFT 0u
#define NI_HOST_PROCESS_QUEUE_INTERRUPT_ENABLE_MASK 0x00000001u

/* Packets of this process in the NI's memory. Read only. */
#define NI_HOST_PROCESS_ACTIVITY 0x0000002cu
/* Packets whose bytes come from its windows, on their way to the link. */
#define NI_HOST_PROCESS_ACTIVITY_SENDING_SHIFT 0u
#define NI_HOST_PROCESS_ACTIVITY_SENDING_MASK 0x0000ffffu
/* Packets that came from the link for it: on their way to its windows. */
#define NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT 16u
#define NI_HOST_PROCESS_ACTIVITY_RECEIVING_MASK 0xffff0000u

/* What the manager of the host (its kernel) grants one process. Like the device page, these pages are the manager's
 * alone. */
#define NI_HOST_GRANT_BASE 0x00041000u
#define NI_HOST_GRANT_STRIDE 0x00000200u
#define NI_HOST_GRANT_ELEMENTS 64u

/* What the process may do. Read/write. */
#define NI_HOST_GRANT_RIGHTS 0x00000000u
/* 1: enabled. Else its doorbells are ignored and counted, transfers on its behalf are refused and its completions
 * lost. */
#define NI_HOST_GRANT_RIGHTS_ENABLE_SHIFT 0u
#define NI_HOST_GRANT_RIGHTS_ENABLE_MASK 0x00000001u
/* 1: may read the counters of the whole interface, which tell of all processes (command STATISTICS). */
#define NI_HOST_GRANT_RIGHTS_OBSERVE_SHIFT 1u
#define NI_HOST_GRANT_RIGHTS_OBSERVE_MASK 0x00000002u

/* JobID of the process. Where packets carry jobs, its packets leave with this one, and only packets of this one reach
 * it. Read/write. */
#define NI_HOST_GRANT_JOB 0x00000004u

/* Packets of other jobs that were for this process, dropped so far, modulo 2^32. Read only. */
#define NI_HOST_GRANT_JOBS_REFUSED 0x00000008u

/* Completion queue: address in host memory, low word. Read/write. */
#define NI_HOST_GRANT_QUEUE_LOW 0x00000010u

/* High word. Read/write. */
#define NI_HOST_GRANT_QUEUE_HIGH 0x00000014u

/* Entries of 32 bytes; writing it starts the queue anew. Read/write. */
#define NI_HOST_GRANT_QUEUE_ENTRIES 0x00000018u

/* A window: host memory that the NI may reach on behalf of this process. */
#define NI_HOST_GRANT_WINDOW_BASE 0x00000100u
#define NI_HOST_GRANT_WINDOW_STRIDE 0x00000010u
#define NI_HOST_GRANT_WINDOW_ELEMENTS 16u

/* First address in host memory, low word. Read/write. */
#define NI_HOST_GRANT_WINDOW_LOW 0x00000000u

/* High word. Read/write. */
#define NI_HOST_GRANT_WINDOW_HIGH 0x00000004u

/* Bytes. Read/write. */
#define NI_HOST_GRANT_WINDOW_BYTES 0x00000008u

/* What the NI may do. Read/write. */
#define NI_HOST_GRANT_WINDOW_ALLOW 0x0000000cu
/* NI may read. */
#define NI_HOST_GRANT_WINDOW_ALLOW_READ_SHIFT 0u
#define NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK 0x00000001u
/* NI may write. */
#define NI_HOST_GRANT_WINDOW_ALLOW_WRITE_SHIFT 1u
#define NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK 0x00000002u

#endif
