/* SPDX-License-Identifier: Apache-2.0 */
/* What receivers of reliable messages say: receipts to the source, or to the parent in the group's tree of receipts,
 * which merges them; that they do not take a message; questions of the source on their way down the tree. Sayings wait
 * in a table; one that finds no room is lost, and the source asks again. */
#ifndef POLYCAST_NI_RECEIPTS_H
#define POLYCAST_NI_RECEIPTS_H

#include "state.h"

/* Entry of the group table with this host's place in the tree of receipts, GROUP_NONE: the flow has no group, or this
 * host is no member any more. */
uint32_t receipts_of(const struct ni_firmware* fw, const struct inflow* flow);

/* Adds something to say, or replaces what was to be said by the same member about the same message. `saying->flow` is
 * set here. */
void saying_add(struct ni_firmware* fw, struct inflow* flow, struct saying saying);

/* True if a child has said something about a message that waits here. */
bool saying_from(const struct ni_firmware* fw, const struct inflow* flow, uint32_t message, uint32_t child);

/* Receipts of the flow go out now, or after the delay. */
void receipts_now(struct ni_firmware* fw, struct inflow* flow);
void receipts_later(struct ni_firmware* fw, struct inflow* flow);

/* Makes one control packet of what is to be said; receipts only of flows with FLUSH_NOW. */
enum progress receipts_say(struct ni_firmware* fw);

#endif
