/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of this host: cut into packets, which are fetched from host memory a few ahead of the link. */
#ifndef POLYCAST_NI_SEND_H
#define POLYCAST_NI_SEND_H

#include "state.h"

/* Arguments of transfers: what they were for (bits 27..26). 0 is messages.h's. */
enum {
    COOKIE_KIND_SHIFT = 26,
    COOKIE_RECEIVE = 0,
    COOKIE_FETCH = 1,
    COOKIE_ACKNOWLEDGE = 2,
    COOKIE_SLOT_MASK = 0xfffff
};

/* A free entry, which counts for the process; the caller has looked at its quota. */
struct send* send_allocate(struct ni_firmware* fw, uint32_t process);

/* Its entry, plus one. */
static inline uint16_t send_number(const struct ni_firmware* fw, const struct send* send) {
    return (uint16_t)(send - fw->sends + 1);
}

/* A send that has not begun ends with its status. */
void send_give_up(struct ni_firmware* fw, struct send* send);

/* Puts it behind the others of its queue. */
void send_begin(struct ni_firmware* fw, struct send* send);

/* A queue whose first send waits, if it does, looks whether it still has to. */
void send_wake(struct ni_firmware* fw, uint32_t queue);

/* The send, the first of its queue or wholly fetched, ends with `status`; what is not fetched yet stays. */
void send_fail(struct ni_firmware* fw, struct send* send, enum ni_status status);

/* Starts the transfer of one packet. Returns false if none can be started now. */
bool send_fetch(struct ni_firmware* fw);

/* A transfer has ended, or was refused: remembers that for send_fetched(). */
void send_note(struct ni_firmware* fw, uint32_t slot, bool refused);

/* Takes all packets of `fetched` to their copies. */
void send_fetched(struct ni_firmware* fw);

/* Reports the first send of `ended` and frees its entry. */
void send_end(struct ni_firmware* fw);

#endif
