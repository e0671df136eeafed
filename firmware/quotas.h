/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may have of the tables that all share. Receive buffers, sends and counters are divided evenly. In the
 * others each process has a guaranteed minimum, and whoever asks first gets more from a pool; a process that asks for
 * more than that is refused, alone. What the sender of messages may have of a receiver's buffers is in messages.c. */
#ifndef POLYCAST_NI_QUOTAS_H
#define POLYCAST_NI_QUOTAS_H

#include "state.h"

/* Half of `entries` is for the guaranteed minimum of all processes, as evenly as it goes. */
static inline void quota_set_up(struct quota* quota, uint32_t entries, uint32_t processes) {
    quota->least = (uint16_t)(entries / 2 / processes);
    quota->pool = (uint16_t)(entries - quota->least * processes);
}

/* What the process may still have. */
static inline uint32_t quota_left(const struct quota* quota, uint32_t process) {
    const uint32_t used = quota->used[process];
    return quota->pool + (used < quota->least ? quota->least - used : 0u);
}

/* Counts one more for the process. Returns false if it may have no more. */
static inline bool quota_take(struct quota* quota, uint32_t process) {
    if (quota->used[process] >= quota->least) {
        if (quota->pool == 0) return false;
        --quota->pool;
    }
    ++quota->used[process];
    return true;
}

static inline void quota_give(struct quota* quota, uint32_t process) {
    --quota->used[process];
    if (quota->used[process] >= quota->least) ++quota->pool;
}

#endif
