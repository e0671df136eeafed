/* SPDX-License-Identifier: Apache-2.0 */
/* Reliable messages on their way out. Such a send ends when all receivers have acknowledged it, when one declines it,
 * or when some are silent or make no progress although they were asked, each time after twice the time. */
#ifndef POLYCAST_NI_OUTGOING_H
#define POLYCAST_NI_OUTGOING_H

#include "packet.h"
#include "state.h"

/* The flow of a send that is allowed; NULL: the process has as many as it may. `group` is NO_GROUP for a host. */
struct outflow* outgoing_flow(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t group);

/* Begins a send, or lets it wait until its flow has room. `receipts`: entry with the group's tree, or GROUP_NONE;
 * `patience` as in the command. */
void outgoing_begin(struct ni_firmware* fw, struct send* send, struct outflow* flow, uint32_t receipts,
                    uint32_t patience);

/* A RECEIPT or DECLINED about a message of this host has come. The caller releases the slot. Returns false if it makes
 * no sense. */
bool outgoing_receipt(struct ni_firmware* fw, const struct packet* packet);
bool outgoing_declined(struct ni_firmware* fw, const struct packet* packet);

/* The send is to fail, if it has not done so. */
void outgoing_fail(struct ni_firmware* fw, struct send* send, enum ni_status status);

/* All of the first send in `sent` is on its way, or it has failed. */
enum progress outgoing_sent(struct ni_firmware* fw);

/* Deadlines of entry `index` that have come. */
void outgoing_due(struct ni_firmware* fw, uint32_t index);

/* Asks a receiver, or reports one that lacks a message, or tells one that it is given up. */
enum progress outgoing_next(struct ni_firmware* fw);

/* A send that is to fail with `status` while packets of it are still to be sent, or NULL. */
struct send* outgoing_to_stop(struct ni_firmware* fw, enum ni_status* status);

/* Reports a send that has ended and frees its entry. `process` becomes that whose commands may go on. */
enum progress outgoing_end(struct ni_firmware* fw, uint32_t* process);

#endif
