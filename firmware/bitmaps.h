/* SPDX-License-Identifier: Apache-2.0 */
/* Which packets of a message are there that came long before their turn. */
#ifndef POLYCAST_NI_BITMAPS_H
#define POLYCAST_NI_BITMAPS_H

#include "state.h"

/* Notes packet number `index`. Returns NI_STATUS_OK, NI_STATUS_DUPLICATE or NI_STATUS_TABLE_FULL: no block is left, or
 * the message has BITMAPS_EACH. */
enum ni_status bitmap_note(struct ni_firmware* fw, struct message* message, uint32_t index);

bool bitmap_has(struct ni_firmware* fw, struct message* message, uint32_t index);

/* Bit b: packet number `index` + b is there. */
uint32_t bitmap_bits(struct ni_firmware* fw, struct message* message, uint32_t index);

/* The same, up to the end of a word: those packets are taken out. */
uint32_t bitmap_take(struct ni_firmware* fw, struct message* message, uint32_t index);

/* Forgets all. */
void bitmap_clear(struct ni_firmware* fw, struct message* message);

#endif
