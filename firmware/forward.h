/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of packets to the link: own ones and forwarded ones. A packet holds one reference to its slot for each copy. A
 * copy's target is a host, or the address of a worm's route, which is larger than any host's number. */
#ifndef POLYCAST_NI_FORWARD_H
#define POLYCAST_NI_FORWARD_H

#include "groups.h"
#include "packet.h"

/* Queues a packet whose words SLOT_LINK, SLOT_CURSOR and SLOT_JOB are set. */
void forward_begin(struct ni_firmware* fw, uint32_t slot);

/* True if there is a copy to make and room for it in the link's queue. */
bool forward_ready(struct ni_firmware* fw);

/* Makes one copy. */
void forward_copy(struct ni_firmware* fw);

/* The operation that made the last copy is over: link-out has read the route, so its list may go. */
void forward_served(struct ni_firmware* fw);

/* Words for a packet to `left` children of `list`, which it holds; `train` (plus one) is 0 where the packet is to go to
 * every child at once (FPFS). `job` is made of JOB_OWN and JOB_WINDOW. */
void forward_to_group(struct ni_firmware* fw, uint32_t slot, uint32_t list, uint32_t train, uint32_t left,
                      uint32_t hops, uint32_t job);

#endif
