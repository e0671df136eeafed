/* SPDX-License-Identifier: Apache-2.0 */
/* Messages under way that are reliable: they are found by their flow, and end when their last transfer has ended. */
#ifndef POLYCAST_NI_ARRIVALS_H
#define POLYCAST_NI_ARRIVALS_H

#include "messages.h"

/* Gives a packet's message the next buffer of the process; NULL: there is none, or it is too small, see `status`. */
struct message* arrival_begin(struct ni_firmware* fw, const struct packet* packet, uint32_t process,
                              enum ni_status* status);

/* Notes that the packet is there. */
enum ni_status arrival_note(struct ni_firmware* fw, struct message* message, const struct packet* packet);

/* Frees the entry of a message whose end has been reported. */
void arrival_end(struct ni_firmware* fw, struct message* message);

/* Reports that the rest of it does not come. */
void arrival_give_up(struct ni_firmware* fw, struct message* message);

/* Argument of the transfer of one of its packets, and the message of one that has ended; NULL: it has ended before. */
uint32_t arrival_cookie(const struct ni_firmware* fw, const struct message* message);
struct message* arrival_of(struct ni_firmware* fw, uint32_t cookie);

#endif
