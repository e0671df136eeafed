/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#include "bitmaps.h"
#include "hardware.h"
#include "order.h"
#include "report.h"

/* A transfer's argument. */
enum { GENERATION_SHIFT = 10, GENERATION_MASK = 0xff, ENTRY_MASK = 0x3ff };

struct message* arrival_begin(struct ni_firmware* fw, const struct packet* packet, uint32_t process,
                              enum ni_status* status) {
    struct queue* const buffers = &fw->process[process].buffers;
    struct message* const message = buffers->head != 0 ? &fw->messages[buffers->head - 1] : NULL;
    if (message == NULL || message->length < packet->total) {
        *status = message == NULL ? NI_STATUS_NO_BUFFER : NI_STATUS_BUFFER_TOO_SMALL;
        return NULL;
    }
    buffers->head = message->next;
    message->state = MESSAGE_RELIABLE;
    message->key = packet_key(packet, process);
    message->total = packet->total;
    message->tag = packet->tag;
    message->group = (uint16_t)packet->group;
    message->in_order = message->ahead = message->received = message->counted = 0;
    half_received(fw);
    return message;
}

enum ni_status arrival_note(struct ni_firmware* fw, struct message* message, const struct packet* packet) {
    if (packet->total != message->total) return NI_STATUS_MALFORMED;
    return order_note(fw, message, packet->offset, packet->length);
}

static void leave(struct ni_firmware* fw, struct message* message) {
    --fw->half;
    bitmap_clear(fw, message);
    ++message->generation;
}

void arrival_end(struct ni_firmware* fw, struct message* message) {
    leave(fw, message);
    message_counted(fw, message);
}

void arrival_give_up(struct ni_firmware* fw, struct message* message) {
    leave(fw, message);
    struct completion about = message_facts(message);
    report_error(fw, NI_STATUS_INCOMPLETE, message->process, &about);
    message_post_first(fw, message);
}

uint32_t arrival_cookie(const struct ni_firmware* fw, const struct message* message) {
    return (uint32_t)COOKIE_RELIABLE << COOKIE_KIND_SHIFT | (uint32_t)message->generation << GENERATION_SHIFT |
           (message_number(fw, message) - 1u);
}

struct message* arrival_of(struct ni_firmware* fw, uint32_t cookie) {
    struct message* const message = &fw->messages[cookie & ENTRY_MASK];
    const bool same = message->generation == (cookie >> GENERATION_SHIFT & GENERATION_MASK);
    return same && message->state == MESSAGE_RELIABLE ? message : NULL;
}
