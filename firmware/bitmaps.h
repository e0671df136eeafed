/* SPDX-License-Identifier: Apache-2.0 */
/* Which packets of a message are there that came long before their turn. */
#ifndef POLYCAST_NI_BITMAPS_H
#define POLYCAST_NI_BITMAPS_H

#include "state.h"

/* Notes packet number `index`. Returns NI_STATUS_OK, NI_STATUS_DUPLICATE or NI_STATUS_TABLE_FULL. */
enum ni_status bitmap_note(struct ni_firmware* fw, struct message* message, uint32_t index);

bool bitmap_has(struct ni_firmware* fw, struct message* message, uint32_t index);

/* Takes packet number `index` out. Returns false if it is not there. */
bool bitmap_take(struct ni_firmware* fw, struct message* message, uint32_t index);

/* Forgets all. */
void bitmap_clear(struct ni_firmware* fw, struct message* message);

#endif
