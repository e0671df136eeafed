/* SPDX-License-Identifier: Apache-2.0 */
/* Flows of reliable messages: what one process sends reliably to one process of another host, or to one group. The
 * firmware of the source numbers the messages of a flow from 0; 2^20 times as often as its processor was started anew,
 * so that no number comes twice. A receiver remembers the lowest number that is not finished and, for 32 numbers from
 * there on, which are; the source begins no message 32 or more above the lowest that is not acknowledged. So every
 * message is received exactly once, however often its packets come, as long as both remember the flow: entries are
 * never given up. A receiver whose processor was started anew has forgotten which messages it had finished, so it
 * takes none that had begun by then: it waits for the source's question, and declines them. */
#ifndef POLYCAST_NI_FLOWS_H
#define POLYCAST_NI_FLOWS_H

#include "state.h"

enum { FLOW_START_SHIFT = 20 };

/* The flow of a process to `to` (as in struct outflow) and `group`, which may be a new one; NULL: it has as many as it
 * may. */
struct outflow* outflow_get(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t group);

/* The same flow if there is one. */
struct outflow* outflow_find(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t group);

/* True if the next message may begin. */
static inline bool outflow_open(const struct outflow* flow) {
    return flow->next - flow->lowest < FLOW_WINDOW;
}

/* Message `number` is acknowledged, or given up. */
void outflow_close(struct outflow* flow, uint32_t number);

/* `to` of the inflow of a group, or of a process. */
static inline uint32_t inflow_to(uint32_t group, uint32_t process) {
    return group != NO_GROUP ? group : NO_GROUP | process << 16;
}

/* The flow from `source` (23..0 host, 31..24 process), or NULL. */
struct inflow* inflow_find(struct ni_firmware* fw, uint32_t source, uint32_t to);

/* The same, or a new one for `process`, whose first number is `lowest`; NULL: the process has as many as it may. */
struct inflow* inflow_get(struct ni_firmware* fw, uint32_t source, uint32_t to, uint32_t process, uint32_t lowest);

/* True if a flow that is not known may begin with message `number`, the first packet of which has come; then `lowest`
 * is the flow's first number. Else its source has to say. */
bool inflow_guess(const struct ni_firmware* fw, uint32_t number, uint32_t* lowest);

#endif
