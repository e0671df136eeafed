/* SPDX-License-Identifier: Apache-2.0 */
/* Sends with a window: the receiving interface acknowledges each of their packets when that has left its memory, and
 * only so many bytes are under way. The packet's own slot goes back as the acknowledgement, so that needs no memory and
 * no place in a queue that others wait for. A packet that is dropped is acknowledged, too. */
#ifndef POLYCAST_NI_WINDOWS_H
#define POLYCAST_NI_WINDOWS_H

#include "packet.h"
#include "state.h"

/* True if `bytes` more of the send may be under way. Else it waits for an acknowledgement. */
bool window_open(struct ni_firmware* fw, struct send* send, uint32_t bytes);

/* The send ends, or goes on. */
void window_end_wait(struct ni_firmware* fw, struct send* send);

/* A control packet: takes bytes that are not under way any more off their send, if that still has any to fetch. */
void window_acknowledged(struct ni_firmware* fw, const struct packet* packet);

/* The slot of a packet that is not needed any more becomes its acknowledgement, a packet to be queued. */
void window_acknowledge(struct ni_firmware* fw, uint32_t slot);

/* The transfer of a packet with the argument COOKIE_ACKNOWLEDGE has ended, or was refused. */
void window_note(struct ni_firmware* fw, uint32_t slot, bool refused);

/* Ends the send of entry `index` if it has waited for long. */
void window_expire(struct ni_firmware* fw, uint32_t index);

#endif
