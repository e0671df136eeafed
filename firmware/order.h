/* SPDX-License-Identifier: Apache-2.0 */
/* Which packets of a message are there, in whatever order they come. */
#ifndef POLYCAST_NI_ORDER_H
#define POLYCAST_NI_ORDER_H

#include "bitmaps.h"

/* Notes a packet that came before its turn. */
static inline enum ni_status order_ahead(struct ni_firmware* fw, struct message* message, uint32_t offset) {
    const uint32_t places = (offset - message->in_order) / fw->payload;
    const uint32_t index = offset / fw->payload;
    if (places >= 32) return bitmap_note(fw, message, index);
    const uint32_t bit = 1u << places;
    if ((message->ahead & bit) != 0) return NI_STATUS_DUPLICATE;
    if (message->bitmaps != 0 && bitmap_has(fw, message, index)) return NI_STATUS_DUPLICATE;
    message->ahead |= bit;
    return NI_STATUS_OK;
}

static inline void order_run(const struct ni_firmware* fw, struct message* message) {
    for (; (message->ahead & 1) != 0; message->ahead >>= 1) {
        const uint32_t left = message->total - message->in_order;
        message->in_order += left < fw->payload ? left : fw->payload;
    }
}

/* Goes on behind the packets that are there without a gap. Of those in bitmaps one word is looked at, so that this does
 * not take long; the next packet, whatever it is, goes on behind that. */
static inline void order_go_on(struct ni_firmware* fw, struct message* message) {
    order_run(fw, message);
    if (message->bitmaps == 0) return;
    message->ahead |= bitmap_take(fw, message, message->in_order / fw->payload);
    order_run(fw, message);
}

/* The packet whose turn it is is there, and has not been gone over yet. */
static inline bool order_behind(struct ni_firmware* fw, struct message* message) {
    return message->bitmaps != 0 && bitmap_has(fw, message, message->in_order / fw->payload);
}

/* Notes that a packet is there, whose offset is a multiple of the payload. */
static inline enum ni_status order_note(struct ni_firmware* fw, struct message* message, uint32_t offset,
                                        uint32_t length) {
    if (offset < message->in_order) return NI_STATUS_DUPLICATE;
    if (offset > message->in_order) {
        const enum ni_status status = order_ahead(fw, message, offset);
        if (status != NI_STATUS_OK) return status;
    } else {
        if (order_behind(fw, message)) return NI_STATUS_DUPLICATE;
        message->in_order += length;
        message->ahead >>= 1;
    }
    order_go_on(fw, message);
    message->received += length;
    if (message->received == message->total) message->in_order = message->total;
    message->tick = fw->tick;
    return NI_STATUS_OK;
}

#endif
