/* SPDX-License-Identifier: Apache-2.0 */
/* Control packets: a word from one firmware to another, in bits 7..0 of the packet's group. The words of rails.h are 1
 * to 5. */
#ifndef POLYCAST_NI_CONTROL_H
#define POLYCAST_NI_CONTROL_H

#include "hardware.h"

enum control_word { CONTROL_ACKNOWLEDGE = 16, CONTROL_WORD_MASK = 0xff };

/* The slot of a packet from `to` goes back there as a control packet. The caller queues it (jobs.h). */
static inline void control_answer(struct ni_firmware* fw, uint32_t slot, uint32_t to, uint32_t word) {
    const uint32_t address = slot_address(fw, slot);
    store(fw, address + SLOT_SOURCE, fw->host);
    store(fw, address + SLOT_GROUP, word);
    store(fw, address + SLOT_SEQUENCE, fw->sequence++);
    store(fw, address + SLOT_CURSOR, to);
    store(fw, address + SLOT_JOB, JOB_ONE | JOB_OWN);
}

#endif
