/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs of reliable messages, which their source makes from its window: unicasts to the members that lack a packet,
 * or, where that was a worm's and more than half of the members lack it, the worm again. They have no hops left, so
 * nobody forwards them. */
#ifndef POLYCAST_NI_REPAIRS_H
#define POLYCAST_NI_REPAIRS_H

#include "state.h"

/* What a receipt says about a message of this host. */
struct lack {
    uint32_t member;
    uint32_t missing;
    uint32_t bitmap;
    uint32_t via; /* child that the receipt came from */
    bool asked;   /* nothing is on its way */
};

/* Notes what a member lacks. Returns true if that is something else than it was before. */
bool repair_note(struct ni_firmware* fw, struct send* send, const struct lack* lack);

/* Forgets what members of a send lack. */
void repairs_end(struct ni_firmware* fw, const struct send* send);

/* Members are asked: what they have said is old. */
void repairs_age(struct ni_firmware* fw, const struct send* send);

/* Begins one packet, or asks a member that has been repaired. */
enum progress repair_next(struct ni_firmware* fw);

/* The transfer of a packet has ended, or was refused: remembers that for repair_fetched(). */
void repair_note_fetched(struct ni_firmware* fw, uint32_t slot, bool refused);

/* Takes the first packet that was fetched to its copies. `refused` becomes its send if it was refused. */
enum progress repair_fetched(struct ni_firmware* fw, struct send** refused);

/* Asks host `to` about message `number`, or has it forgotten; `flags` of a PROBE. Returns false if there is no slot. */
bool repairs_ask(struct ni_firmware* fw, const struct outflow* flow, uint32_t number, uint32_t to, uint32_t flags);

#endif
