/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYCAST_NI_EVENTS_H
#define POLYCAST_NI_EVENTS_H

#include "state.h"

/* Takes the next event and remembers what it says; writes no register. Returns false if there is none. */
bool event_note(struct ni_firmware* fw);

/* From now on events come from event_interrupt() only. */
void event_use_interrupts(struct ni_firmware* fw);

/* The interrupt handler: moves events to the ring in data memory until there are none or the ring is full. */
void event_interrupt(struct ni_firmware* fw);

#endif
