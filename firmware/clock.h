/* SPDX-License-Identifier: Apache-2.0 */
/* The interface has one timer. It makes the ticks of what is half-received (messages.h) and, while reliable messages
 * have deadlines, runs out at the earliest of these as well. As long as there is no deadline, nothing but ticks uses
 * it, and nobody reads the time. Times are TIME_LOW, modulo 2^32. */
#ifndef POLYCAST_NI_CLOCK_H
#define POLYCAST_NI_CLOCK_H

#include "hardware.h"

/* Deadlines are looked at in this order: sends, then inflows. */
enum { CLOCK_MOST = 1 << 30 /* cycles to a deadline */, LOOKED = SENDS + FLOWS };

static inline uint32_t clock_now(const struct ni_firmware* fw) {
    return load(fw, NI_TIME_LOW);
}

/* True if a time has come. */
static inline bool clock_past(uint32_t now, uint32_t at) {
    return (int32_t)(now - at) >= 0;
}

/* There is something to do about reliable messages, which step.c then asks for. */
void reliable_wake(struct ni_firmware* fw);

/* There is a deadline in `cycles`. Returns its time. */
uint32_t clock_alarm(struct ni_firmware* fw, uint32_t cycles);

/* The timer has run out: a tick, or `to_look` deadlines are to be looked at. */
void clock_ran_out(struct ni_firmware* fw);

/* One of the deadlines that are looked at. Returns true if its time has come. */
bool clock_look(struct ni_firmware* fw, uint32_t deadline);

/* All deadlines have been looked at. */
void clock_looked(struct ni_firmware* fw);

/* All that is half-received has been looked at since the last tick. */
void clock_swept(struct ni_firmware* fw);

#endif
