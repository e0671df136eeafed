/* SPDX-License-Identifier: Apache-2.0 */
/* Reservation of both ends of a rail: a message that asks for it is sent only when this interface and the receiving one
 * neither send nor receive another such message. Small control packets between the two firmwares ask, grant, refuse,
 * cancel and withdraw; they never touch the I/O bus.
 *
 * Of two requests that meet the older one wins, so no two interfaces wait for each other: one that has asked for a
 * younger message promises itself to the older, and gives back what it is granted afterwards. A refusal is final, so
 * nobody waits inside the firmware. A message that is refused again and again becomes urgent: an interface that has to
 * refuse it then keeps itself for the oldest of these, refusing younger ones, until that one is granted or withdrawn.
 * So the oldest message of the network always gets through: both of its ends come free in a finite time and stay free
 * for it. (Ages, and the older one winning: Rosenkrantz, Stearns, Lewis, "System level concurrency control for
 * distributed database systems", ACM TODS 1978.)
 *
 * How old a request is, its process says by its ticket, and firmware believes it only as far back as the last turn of
 * the process: the end of the last message that it sent so. Both ends see to that, the sending one for each of its
 * processes, the receiving one for each process of another host, in a table of 2^RAIL_OTHERS_BITS hash values (two that
 * meet there count as one). So processes take turns, whatever they say: a forged ticket wins until RAIL_LIFE cycles
 * after the other one asked, at most. Whoever has an end, or has it kept, and does not use it for RAIL_LIFE cycles
 * loses it as soon as another one asks, and has had its turn; so has a promise that is cancelled, or followed by the
 * next request. A turn ends: a message has at most NI_RESERVE_BYTES. */
#ifndef POLYCAST_NI_RAILS_H
#define POLYCAST_NI_RAILS_H

#include "packet.h"
#include "state.h"

/* What a control packet says: bits 7..0 of its group. The message is its `message` of `source_process`, `total` bytes
 * long, the ticket its `tag`, the number of the attempt its `offset`; GRANT, REFUSE and CANCEL give them back. */
enum rail_word { RAIL_REQUEST = 1, RAIL_GRANT = 2, RAIL_REFUSE = 3, RAIL_CANCEL = 4, RAIL_WITHDRAW = 5 };
enum rail_flag {
    RAIL_KEPT = 0x100,  /* REFUSE: the interface keeps itself for this message */
    RAIL_URGENT = 0x200 /* REQUEST: it is to */
};

/* Asks for both ends on behalf of a send that has not begun. It begins when they are granted, else its command fails
 * with NI_STATUS_BUSY, maybe at once. */
void rail_ask(struct ni_firmware* fw, struct send* send, bool urgent);

/* A control packet has come. Its slot goes back as the answer, or is released. Returns false if it makes no sense. */
bool rail_control(struct ni_firmware* fw, const struct packet* packet);

/* A packet of a message has come, wherever it goes: counts what is still to come of the one that was promised. */
void rail_arrived(struct ni_firmware* fw, const struct packet* packet);

/* A send has ended. */
void rail_sent(struct ni_firmware* fw, const struct send* send);

/* The process is not going to ask for its message with this ticket at this interface any more, nor at host `to`.
 * Returns false if there is no slot to say so. */
bool rail_withdraw(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t ticket);

/* Ends a request, a promise, or what is kept, for a host that has been silent for long. */
void rail_expire(struct ni_firmware* fw);

#endif
