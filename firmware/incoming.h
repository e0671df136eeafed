/* SPDX-License-Identifier: Apache-2.0 */
/* Reliable messages on their way in. A message is finished when its last transfer has ended, and only then
 * acknowledged. A receiver that cannot take a message declines it, for good. */
#ifndef POLYCAST_NI_INCOMING_H
#define POLYCAST_NI_INCOMING_H

#include "packet.h"
#include "state.h"

/* A packet of a reliable message has come: to be delivered, forwarded, both, or dropped. */
void incoming_packet(struct ni_firmware* fw, const struct packet* packet);

/* A PROBE, or a RECEIPT from below, has come. The caller releases the slot. Returns false if it makes no sense. */
bool incoming_probe(struct ni_firmware* fw, const struct packet* packet);
bool incoming_receipt(struct ni_firmware* fw, const struct packet* packet);

/* A transfer of a reliable message's packet has ended, the last one, or was refused. */
void incoming_note(struct ni_firmware* fw, uint32_t cookie, bool refused);

/* Ends the first message of `landed`, if there is one; makes a completion. */
enum progress incoming_end(struct ni_firmware* fw);

/* Looks at the deadline of receipts of entry `index`, and at its messages: those that are half-received and silent are
 * declined. */
void incoming_due(struct ni_firmware* fw, uint32_t index);

#endif
