/* SPDX-License-Identifier: Apache-2.0 */
#include "windows.h"

#include "control.h"
#include "jobs.h"
#include "messages.h"
#include "send_queue.h"

bool window_open(struct ni_firmware* fw, struct send* send, uint32_t bytes) {
    if (bytes <= send->limit - send->under_way) return true;
    if (send->waiting) return false;
    send->waiting = true;
    send->tick = fw->tick;
    half_received(fw);
    return false;
}

void window_end_wait(struct ni_firmware* fw, struct send* send) {
    if (!send->waiting) return;
    send->waiting = false;
    --fw->half;
}

static bool is_of(const struct packet* packet, const struct send* send) {
    return send->limit != 0 && send->to == (packet->source | packet->process << 24) &&
           send->message == packet->message && packet->offset < send->fetched;
}

/* Takes bytes that are not under way any more off their send, if that still has any to fetch. */
static void acknowledged(struct ni_firmware* fw, const struct packet* packet) {
    if (packet->source_process >= fw->processes) return;
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t queue = 2 * packet->source_process + i;
        const uint16_t entry = fw->queues[queue].sends.head;
        if (entry == 0 || !is_of(packet, &fw->sends[entry - 1])) continue;
        struct send* const send = &fw->sends[entry - 1];
        /* Not the last one: that is not fetched yet. */
        send->under_way = send->under_way > fw->payload ? send->under_way - fw->payload : 0;
        window_end_wait(fw, send);
        send_wake(fw, queue);
        return;
    }
}

bool window_control(struct ni_firmware* fw, const struct packet* packet) {
    if ((packet->group & CONTROL_WORD_MASK) != CONTROL_ACKNOWLEDGE) return false;
    acknowledged(fw, packet);
    slot_release(fw, packet->slot);
    return true;
}

/* The slot becomes the acknowledgement of its packet. */
static void turn_round(struct ni_firmware* fw, uint32_t slot) {
    const uint32_t kind = slot_load(fw, slot, SLOT_KIND) & 0xff;
    const uint32_t processes = slot_load(fw, slot, SLOT_OP) & 0xffff00;
    slot_store(fw, slot, SLOT_KIND, kind | 1u << 16);
    slot_store(fw, slot, SLOT_OP, OP_CONTROL | processes);
    control_answer(fw, slot, slot_load(fw, slot, SLOT_SOURCE) & NO_HOST, CONTROL_ACKNOWLEDGE);
}

uint32_t window_cookie(struct ni_firmware* fw, uint32_t slot, uint32_t cookie) {
    slot_store(fw, slot, SLOT_LINK, cookie);
    return NI_DMA_PUSH_NOTIFY_MASK | (uint32_t)COOKIE_ACKNOWLEDGE << COOKIE_KIND_SHIFT | slot;
}

void window_note(struct ni_firmware* fw, uint32_t slot, bool refused) {
    if (refused) message_refused(fw, slot_load(fw, slot, SLOT_LINK));
    turn_round(fw, slot);
    job_begin(fw, slot);
}

void window_dropped(struct ni_firmware* fw, uint32_t slot) {
    turn_round(fw, slot);
    fw->handover = slot + 1;
}
