/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that count what is there of them at counters of this host's interfaces, and sends that follow such counts:
 * triggered operations as in Portals 4 (Underwood et al., "Enabling flexible collective communication offload with
 * triggered operations", Hot Interconnects 2011). A process reaches its own counters only. */
#ifndef POLYCAST_NI_COUNTERS_H
#define POLYCAST_NI_COUNTERS_H

#include "state.h"

/* The number of a process's counter `counter` among all of the interface. */
uint8_t counter_of(const struct ni_firmware* fw, uint32_t process, uint32_t counter);

/* More of a message that counts is on its way to host memory: makes its counts, or queues them. */
void counters_go_on(struct ni_firmware* fw, struct message* message);

/* Makes counts that are owed, a few at a time. Returns false if none can be made now. */
bool counters_pay(struct ni_firmware* fw);

/* Bytes of a send that may be sent; reads its counter, whose next increment is an event again. */
uint32_t counters_allow(const struct ni_firmware* fw, const struct send* send);

/* The counter has gone up: who follows it looks again. */
void counters_note(struct ni_firmware* fw, uint32_t counter);

/* A counter becomes `value`, at the latest when the operation is over; then the second function is called. Until then
 * nobody reads it. */
void counters_set(struct ni_firmware* fw, uint32_t counter, uint32_t value);
void counters_now_set(struct ni_firmware* fw, unsigned role);

#endif
