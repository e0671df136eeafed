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

/* A control packet has come. Returns false if it is no acknowledgement; else its slot is released. */
bool window_control(struct ni_firmware* fw, const struct packet* packet);

/* The transfer of a packet that is to be acknowledged: how DMA_PUSH ends it, and its argument. The message's cookie is
 * kept in the slot. */
uint32_t window_cookie(struct ni_firmware* fw, uint32_t slot, uint32_t cookie);

/* That transfer has ended, or was refused: the acknowledgement goes out. */
void window_note(struct ni_firmware* fw, uint32_t slot, bool refused);

/* The packet that is looked at is dropped: its slot is handed over as the acknowledgement. */
void window_dropped(struct ni_firmware* fw, uint32_t slot);

#endif
