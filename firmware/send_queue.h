/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of this host that are being sent: their table, the two queues of each process, and whose turn it is. */
#ifndef POLYCAST_NI_SEND_QUEUE_H
#define POLYCAST_NI_SEND_QUEUE_H

#include "state.h"

/* Puts it behind the others of a list. */
void send_append(struct ni_firmware* fw, struct queue* queue, struct send* send);

/* A free entry, which counts for the process; the caller has looked at its quota. */
struct send* send_allocate(struct ni_firmware* fw, uint32_t process);

/* Its entry, plus one. */
static inline uint16_t send_number(const struct ni_firmware* fw, const struct send* send) {
    return (uint16_t)(send - fw->sends + 1);
}

/* The queue that it belongs to. */
static inline uint32_t send_queue_of(const struct send* send) {
    return 2u * send->process + send->queue;
}

/* Puts it behind the others of its queue. */
void send_begin(struct ni_firmware* fw, struct send* send);

/* A queue whose first send waits, if it does, looks whether it still has to. */
void send_wake(struct ni_firmware* fw, uint32_t queue);

/* Puts a send that is in no queue among the ended ones, with its status. */
void send_finish(struct ni_firmware* fw, struct send* send);

#endif
