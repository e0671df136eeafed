/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, slots and command entries, the same on the target and on a host build. */
#ifndef POLYCAST_NI_HARDWARE_H
#define POLYCAST_NI_HARDWARE_H

#include "ni_registers.h"
#include "state.h"

/* A function for what happens seldom: what happens often is compiled as if it were not there. */
#define RARE __attribute__((noinline, cold))
/* One that happens often and costs no call, though it is called elsewhere, too. */
#define OFTEN static inline __attribute__((always_inline))

static inline uint32_t load(const struct ni_firmware* fw, uint32_t address) {
#ifdef NI_TARGET
    (void)fw;
    return *(const volatile uint32_t*)address;
#else
    return fw->hardware.load(fw->hardware.context, address);
#endif
}

static inline void store(const struct ni_firmware* fw, uint32_t address, uint32_t value) {
#ifdef NI_TARGET
    (void)fw;
    *(volatile uint32_t*)address = value;
#else
    fw->hardware.store(fw->hardware.context, address, value);
#endif
}

/* Bytes from the start of a slot, see hw/ni/ni.md. */
enum slot_word {
    SLOT_KIND = 0x00, /* 3..0 enum packet_kind, 7..5 class of virtual channels, 31..16 length of the payload */
    SLOT_SOURCE = 0x04,
    SLOT_SEQUENCE = 0x08,
    SLOT_OP = 0x10,
    SLOT_GROUP = 0x14,
    SLOT_MESSAGE = 0x18,
    SLOT_OFFSET = 0x1c,
    SLOT_TOTAL = 0x20,
    SLOT_TAG = 0x24,
    SLOT_STATUS = 0x2c,
    /* firmware's own */
    SLOT_NEXT = 0x30,   /* in a slot_queue, plus one */
    SLOT_LINK = 0x34,   /* send while it is fetched; then command of a worm, children list or train; in a train the next
                           slot, plus one; the message's cookie of one that is acknowledged after its transfer */
    SLOT_CURSOR = 0x38, /* target (see jobs.h), or place of the next child */
    SLOT_JOB = 0x3c,    /* 31..16 hops, 15..4 copies left, 3..0 enum job */
    SLOT_PAYLOAD = 0x40
};

#define SLOT_NONE 0xffffffffu

enum slot_status {
    STATUS_INCOMPLETE = 1,
    STATUS_CHECK = 2,
    STATUS_CUT = 4,
    STATUS_KIND = 8,
    STATUS_NOT_MINE = 16,
    STATUS_ANY = 0xffff
};

enum packet_kind { KIND_UNICAST = 0, KIND_TREE = 1, KIND_SSR = 2, KIND_PATH = 3, KIND_MASK = 0xf };
enum transport_op {
    OP_DATA = 0,
    OP_CONTROL = 1,
    OP_OPERAND = 2,
    OP_MASK = 0xf,
    OP_ACKNOWLEDGE = 0x10,
    OP_RELIABLE = 0x20
};

/* What is to be done with a packet: bits 3..0 of SLOT_JOB. */
enum job {
    JOB_ONE = 0,    /* to the target in SLOT_CURSOR */
    JOB_GROUP = 1,  /* to children, one after the other */
    JOB_TRAIN = 2,  /* to the first child, then it waits for the rest of its message */
    JOB_KIND = 3,   /* mask */
    JOB_OWN = 4,    /* sent by this host: the check word is computed */
    JOB_WINDOW = 8, /* counts in WINDOW */
    JOB_LEFT = 0x10,
    JOB_LEFT_MASK = 0xfff0,
    JOB_HOPS_SHIFT = 16,
    JOB_REFUSED = 0xffff /* its transfer was refused (while it is in `fetched`) */
};

/* Arguments of transfers: bits 27..26 say what a transfer is for. The other bits of a received packet's transfer are
 * message_cookie()'s; of the other transfers, the slot. */
enum {
    COOKIE_KIND_SHIFT = 26,
    COOKIE_RECEIVE = 0,
    COOKIE_FETCH = 1,
    COOKIE_ACKNOWLEDGE = 2,
    COOKIE_RELIABLE = 3, /* COOKIE_REPAIR and a slot, or generation and entry of a message */
    COOKIE_REPAIR = 1 << 25,
    COOKIE_SLOT_MASK = 0xfffff
};

static inline uint32_t slot_address(const struct ni_firmware* fw, uint32_t slot) {
    return NI_PACKET_MEMORY_BASE + slot * fw->slot_bytes;
}

static inline uint32_t slot_load(const struct ni_firmware* fw, uint32_t slot, uint32_t word) {
    return load(fw, slot_address(fw, slot) + word);
}

static inline void slot_store(const struct ni_firmware* fw, uint32_t slot, uint32_t word, uint32_t value) {
    store(fw, slot_address(fw, slot) + word, value);
}

static inline uint32_t command_address(const struct ni_firmware* fw, uint32_t entry) {
    return NI_COMMAND_MEMORY_BASE + entry * fw->command_bytes;
}

/* A slot of this interface's own; SLOT_NONE: none is free, until an event tells. */
static inline uint32_t slot_allocate(struct ni_firmware* fw) {
    if (fw->slots_gone) return SLOT_NONE;
    const uint32_t slot = load(fw, NI_SLOT_ALLOCATE);
    if (slot == SLOT_NONE) fw->slots_gone = fw->slots_short = true;
    return slot;
}

/* Adds references to a slot that has one; `more` may be 0. */
static inline void slot_hold(const struct ni_firmware* fw, uint32_t slot, uint32_t more) {
    if (more != 0) store(fw, NI_SLOT_HOLD, slot | more << NI_SLOT_HOLD_REFERENCES_SHIFT);
}

static inline void slot_release(const struct ni_firmware* fw, uint32_t slot) {
    store(fw, NI_SLOT_RELEASE, slot);
}

static inline void slot_append(const struct ni_firmware* fw, struct slot_queue* queue, uint32_t slot) {
    slot_store(fw, slot, SLOT_NEXT, 0);
    if (queue->head == 0)
        queue->head = slot + 1;
    else
        slot_store(fw, queue->tail - 1, SLOT_NEXT, slot + 1);
    queue->tail = slot + 1;
}

/* Takes the first slot of a queue that is not empty. */
static inline uint32_t slot_take(const struct ni_firmware* fw, struct slot_queue* queue) {
    const uint32_t slot = queue->head - 1;
    queue->head = slot_load(fw, slot, SLOT_NEXT);
    return slot;
}

/* True if a push would find room. */
static inline bool space_there(const struct ni_firmware* fw, struct space* space, uint32_t address) {
    if (space->left != 0) return true;
    if (space->full) return false;
    const uint32_t read = load(fw, address);
    const uint32_t pending = space->pending[0] + space->pending[1];
    space->full = read == 0;
    space->left = read > pending ? read - pending : 0;
    return space->left != 0;
}

/* Counts a push for which space_there() has found room. */
static inline void space_use(const struct ni_firmware* fw, struct space* space) {
    --space->left;
    ++space->pending[fw->role];
}

static inline bool dma_space(struct ni_firmware* fw) {
    return space_there(fw, &fw->dma, NI_DMA_SPACE);
}

static inline bool link_space(struct ni_firmware* fw) {
    return space_there(fw, &fw->link, NI_LINK_SPACE);
}

#endif
