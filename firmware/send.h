/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of this host: cut into packets, which are fetched from host memory a few ahead of the link. */
#ifndef POLYCAST_NI_SEND_H
#define POLYCAST_NI_SEND_H

#include "state.h"

/* Starts the transfer of one packet. Returns false if none can be started now. */
bool send_fetch(struct ni_firmware* fw);

/* A transfer has ended, or was refused: remembers that for send_fetched(). */
void send_note(struct ni_firmware* fw, uint32_t slot, bool refused);

/* Takes all packets of `fetched` to their copies. */
void send_fetched(struct ni_firmware* fw);

/* A send, the first of its queue or wholly fetched, ends with `status`; what is not fetched yet stays. */
void send_fail(struct ni_firmware* fw, struct send* send, enum ni_status status);

/* Reports the first send of `ended` and frees its entry; one that is reliable goes to those that wait for receipts.
 * Returns its process, whose commands may go on. */
uint32_t send_end(struct ni_firmware* fw);

/* Ends the send of entry `index` if it has waited for long. Returns true if it had. */
bool send_expire(struct ni_firmware* fw, uint32_t index);

#endif
