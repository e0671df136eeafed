/* SPDX-License-Identifier: Apache-2.0 */
/* Control packets: a word from one firmware to another, in bits 7..0 of the packet's group. The words of rails.h are 1
 * to 5. Those about reliable messages have the source of the flow in `total` (23..0 host, 31..24 process), its group
 * and receiving process in `tag` (as struct inflow's `to`); all but receipts the number in `message`:
 * - RECEIPT: entries of four words in the payload, see enum receipt_word.
 * - PROBE: the source wants to know about the message; `offset` is the lowest number that it has not ended, and bits
 *   15..10 say how many it has begun from there on.
 * - DECLINED: the receiver does not take the message; `offset` says why (ni_status).
 * An ABORT travels as the packets of its message do, from the source to all its receivers: the rest of the message does
 * not come. Its `tag` is their group, the other fields are theirs; `offset` says how many bytes have left. */
#ifndef POLYCAST_NI_CONTROL_H
#define POLYCAST_NI_CONTROL_H

#include "hardware.h"

enum control_word {
    CONTROL_ACKNOWLEDGE = 16,
    CONTROL_RECEIPT = 32,
    CONTROL_PROBE = 33,
    CONTROL_DECLINED = 34,
    CONTROL_ABORT = 35,
    CONTROL_WORD_MASK = 0xff,
    /* of a PROBE */
    CONTROL_ALONE = 0x100,  /* the receiver answers for itself only, not for those below it in the tree of receipts */
    CONTROL_FORGET = 0x200, /* the message is given up: whoever lacks it ends its part */
    CONTROL_BEGUN_SHIFT = 10
};

/* Words of an entry of a receipt. */
enum receipt_word {
    RECEIPT_MEMBER = 0, /* 23..0 host; 31: it was asked, so what it lacks is not on its way */
    RECEIPT_MESSAGE = 1,
    RECEIPT_MISSING = 2, /* offset of the first missing packet, or: */
    RECEIPT_BITMAP = 3,  /* bit b: the packet b + 1 places behind that is there */
    RECEIPT_WORDS = 4
};
#define RECEIPT_ASKED 0x80000000u
#define RECEIPT_ALL 0xfffffffeu  /* all is there, also at all below the sender; it may have forgotten the length */
#define RECEIPT_OWN 0xfffffffdu  /* all is there at this member; it waits for those below it */
#define RECEIPT_NONE 0xffffffffu /* no word from this member */

/* The slot of a packet from `to` goes back there as a control packet. The caller queues it (jobs.h). */
static inline void control_answer(struct ni_firmware* fw, uint32_t slot, uint32_t to, uint32_t word) {
    const uint32_t address = slot_address(fw, slot);
    store(fw, address + SLOT_SOURCE, fw->host);
    store(fw, address + SLOT_GROUP, word);
    store(fw, address + SLOT_SEQUENCE, fw->sequence++);
    store(fw, address + SLOT_CURSOR, to);
    store(fw, address + SLOT_JOB, JOB_ONE | JOB_OWN);
}

struct control {
    uint32_t word;
    uint32_t process; /* of this host, for which it acts */
    uint32_t length;  /* of the payload */
    uint32_t message;
    uint32_t offset;
    uint32_t total;
    uint32_t tag;
};

/* A control packet to `to` in a slot of this interface's own. Returns the slot for the caller to queue (jobs.h);
 * SLOT_NONE: there is none. */
static inline uint32_t control_make(struct ni_firmware* fw, uint32_t to, const struct control* what) {
    const uint32_t slot = slot_allocate(fw);
    if (slot == SLOT_NONE) return slot;
    const uint32_t address = slot_address(fw, slot);
    store(fw, address + SLOT_KIND, KIND_UNICAST | what->length << 16);
    /* It has no transfer, so the hardware takes its job from the process that it names. */
    store(fw, address + SLOT_OP, OP_CONTROL | (fw->job_ids ? what->process << 16 : 0));
    store(fw, address + SLOT_MESSAGE, what->message);
    store(fw, address + SLOT_OFFSET, what->offset);
    store(fw, address + SLOT_TOTAL, what->total);
    store(fw, address + SLOT_TAG, what->tag);
    control_answer(fw, slot, to, what->word);
    return slot;
}

#endif
