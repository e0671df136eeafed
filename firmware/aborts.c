/* SPDX-License-Identifier: Apache-2.0 */
#include "aborts.h"

#include "control.h"
#include "groups.h"
#include "jobs.h"
#include "messages.h"
#include "trains.h"

/* Where the packet goes on to, behind those of its message that wait for their turn. Returns the number of children. */
static uint32_t go_on(struct ni_firmware* fw, const struct packet* packet, uint32_t list) {
    const uint32_t flags = group_load(fw, list, GROUP_FLAGS);
    const uint32_t children = group_load(fw, list, GROUP_CHILDREN);
    const uint16_t train = train_of(fw, list, packet);
    const bool on = children != 0 && packet->hops != 0 && packet->kind == group_kind(flags);
    if (on) {
        slot_hold(fw, packet->slot, children - 1);
        job_to_group(fw, packet->slot, list, 0, children, packet->hops - 1, 0);
    }
    if (train != 0) {
        if (on) train_end_with(fw, train, packet->slot);
        train_flush(fw, train);
    } else if (on) {
        fw->handover = packet->slot + 1;
    }
    return on ? children : 0;
}

bool abort_control(struct ni_firmware* fw, const struct packet* packet) {
    const uint32_t group = packet->tag;
    uint32_t children = 0;
    if ((packet->group & CONTROL_WORD_MASK) != CONTROL_ABORT || group > NO_GROUP) return false;
    if (group == NO_GROUP) {
        if (packet->process >= fw->processes) return false;
        message_abort(fw, packet, packet->process);
    } else {
        const uint32_t entry = group_find(fw, packet->source, group);
        const uint32_t list = group_list_of(fw, entry, packet->source_process);
        if (list == GROUP_NONE) return false;
        const uint32_t flags = group_load(fw, list, GROUP_FLAGS);
        if ((flags & NI_GROUP_DELIVER) != 0) message_abort(fw, packet, packet->source_process);
        children = go_on(fw, packet, list);
        if ((flags & NI_GROUP_ONCE) != 0 && group_load(fw, list, GROUP_ONCE_LEFT) != 0 &&
            group_load(fw, list, GROUP_ONCE_MESSAGE) == packet->message)
            group_forget(fw, entry, list);
    }
    if (children == 0) slot_release(fw, packet->slot);
    return true;
}
