/* SPDX-License-Identifier: Apache-2.0 */
/* What the firmware is to whoever runs it: on the interface's processor the start-up code, on a host build the model.
 */
#ifndef POLYCAST_NI_FIRMWARE_H
#define POLYCAST_NI_FIRMWARE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hardware as a host build reaches it; the target accesses addresses directly. Addresses as on the target, always
 * whole words. Loads have their effects at once. Stores to memory (below 0x40000000) and to the group registers
 * (GROUP_ROOT, GROUP_NUMBER, GROUP_FREE), which only choose what the next load sees, take effect at once, too. All
 * other stores to registers may wait, in their order, until the time of the operation is over. */
struct ni_hardware {
    void* context;
    uint32_t (*load)(void* context, uint32_t address);
    void (*store)(void* context, uint32_t address, uint32_t value);
};

/* What one call of ni_firmware_step() did; written to the register MARK by the main loop, and what a table of costs is
 * indexed by. */
enum ni_operation {
    NI_OPERATION_IDLE = 0,    /* nothing to do until the next event */
    NI_OPERATION_KEEP = 1,    /* book-keeping: commands, ended transfers, errors */
    NI_OPERATION_RECEIVE = 2, /* one packet looked at and its transfer to the host begun: t_nr */
    NI_OPERATION_SEND = 3,    /* one copy of one packet given to the link: t_ns */
    NI_OPERATION_COMMAND = 4, /* one command taken up */
    NI_OPERATIONS = 5
};

/* Sides of the firmware that a step may work for. A model with one processor asks for both. One whose receiving side
 * costs the sending side nothing (the papers' model) has two that each ask for one. Either may then take events off the
 * queue that are for the other, which keeps them, so whenever an event is there or one of the two ends an operation,
 * both are asked if they are free, RECEIVE first, until both say IDLE. What a RECEIVE operation leaves for the sending
 * side is there for it at the next step that asks for RECEIVE, which is when the time of that operation is over. */
enum ni_role { NI_ROLE_SEND = 1, NI_ROLE_RECEIVE = 2, NI_ROLE_ALL = NI_ROLE_SEND | NI_ROLE_RECEIVE };

/* Reasons for the register PANIC. */
enum ni_panic {
    NI_PANIC_EXCEPTION = 0x100, /* plus mcause: the processor took an exception */
    NI_PANIC_STACK = 0x200,     /* the guard word under the stack was overwritten */
    NI_PANIC_SIZES = 0x300,     /* more than 64 processes or 4,096 command entries, or a payload of 0 */
    NI_PANIC_HUNG = 0x500,      /* not firmware's: the watchdog has expired */
    NI_PANIC_MEMORY = 0x600     /* nor this: packet memory holds what its code cannot correct */
};

/* All state of one interface's firmware. */
struct ni_firmware;

/* Bytes of struct ni_firmware, for a host build to allocate. Alignment 8. Little of it is touched in most runs. */
size_t ni_firmware_size(void);

/* Sets everything up; the memory was all zero before (calloc: pages that are not used cost nothing). `hardware` is
 * copied; NULL on the target. */
void ni_firmware_start(struct ni_firmware* firmware, const struct ni_hardware* hardware);

/* Does at most one operation, and does not wait: IDLE means that there is nothing to do before the next event. An
 * operation reads registers before it writes them, except for the group registers. */
enum ni_operation ni_firmware_step(struct ni_firmware* firmware, unsigned roles);

/* What a shared library with a host build exports under the name polycast_firmware. */
struct ni_firmware_interface {
    uint32_t version; /* NI_FIRMWARE_VERSION */
    size_t (*size)(void);
    void (*start)(struct ni_firmware* firmware, const struct ni_hardware* hardware);
    enum ni_operation (*step)(struct ni_firmware* firmware, unsigned roles);
};
#define NI_FIRMWARE_VERSION 2u

#ifdef __cplusplus
}
#endif
#endif
