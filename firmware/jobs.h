/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of packets that are to be copied to the link. A packet holds one reference to its slot for each copy. A
 * copy's target is a host, or the address of a worm's route, which is larger than any host's number. */
#ifndef POLYCAST_NI_JOBS_H
#define POLYCAST_NI_JOBS_H

#include "state.h"

/* Queues a packet whose words SLOT_LINK, SLOT_CURSOR and SLOT_JOB are set. */
void job_begin(struct ni_firmware* fw, uint32_t slot);

/* Words for a packet to `left` children of `list`, which it holds; `train` (plus one) is 0 where the packet is to go to
 * every child at once (FPFS). `job` is made of JOB_OWN and JOB_WINDOW. */
void job_to_group(struct ni_firmware* fw, uint32_t slot, uint32_t list, uint32_t train, uint32_t left, uint32_t hops,
                  uint32_t job);

#endif
