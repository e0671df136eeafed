/* SPDX-License-Identifier: Apache-2.0 */
#include "receipts.h"

#include "clock.h"
#include "control.h"
#include "groups.h"
#include "jobs.h"

static uint8_t number_of(const struct ni_firmware* fw, const struct inflow* flow) {
    return (uint8_t)(flow - fw->reliable.inflow);
}

uint32_t receipts_of(const struct ni_firmware* fw, const struct inflow* flow) {
    const uint32_t group = flow->to & NO_GROUP;
    if (group == NO_GROUP) return GROUP_NONE;
    const uint32_t entry = group_find(fw, flow->source & NO_HOST, group);
    return group_receipts(fw, group_list_of(fw, entry, flow->source >> 24));
}

/* ---- what there is to say ---- */

void saying_add(struct ni_firmware* fw, struct inflow* flow, struct saying saying) {
    struct saying* place = NULL;
    saying.flow = number_of(fw, flow);
    for (uint32_t i = 0; i < SAYINGS; ++i) {
        struct saying* const one = &fw->reliable.sayings[i];
        if (one->what == SAYING_NONE) {
            if (place == NULL) place = one;
        } else if (one->flow == saying.flow && one->message == saying.message && one->what == saying.what &&
                   one->member == saying.member) {
            place = one;
            break;
        }
    }
    reliable_wake(fw);
    if (place != NULL) *place = saying;
}

bool saying_from(const struct ni_firmware* fw, const struct inflow* flow, uint32_t message, uint32_t child) {
    for (uint32_t i = 0; i < SAYINGS; ++i) {
        const struct saying* const one = &fw->reliable.sayings[i];
        if (one->what == SAYING_RECEIPT && one->flow == number_of(fw, flow) && one->message == message &&
            one->via == child + 1)
            return true;
    }
    return false;
}

void receipts_now(struct ni_firmware* fw, struct inflow* flow) {
    flow->flush |= FLUSH_NOW;
    reliable_wake(fw);
}

void receipts_later(struct ni_firmware* fw, struct inflow* flow) {
    if ((flow->flush & FLUSH_LATER) != 0) return;
    flow->flush |= FLUSH_LATER;
    flow->flush_at = clock_alarm(fw, load(fw, NI_RELIABLE_ACK_DELAY));
}

/* ---- packets ---- */

static bool say(struct ni_firmware* fw, const struct inflow* flow, uint32_t to, uint32_t word, uint32_t message,
                uint32_t offset) {
    const struct control what = {.word = word,
                                 .process = flow->process,
                                 .length = 1,
                                 .message = message,
                                 .offset = offset,
                                 .total = flow->source,
                                 .tag = flow->to};
    const uint32_t slot = control_make(fw, to, &what);
    if (slot == SLOT_NONE) return false;
    job_begin(fw, slot);
    return true;
}

/* A question goes on to those below that have not acknowledged the message. */
static enum progress pass_on(struct ni_firmware* fw, struct saying* saying, const struct inflow* flow) {
    const uint32_t receipts = receipts_of(fw, flow);
    const uint32_t children = receipts_children(fw, receipts);
    const bool forget = saying->what == SAYING_FORGET;
    while (saying->via < children) {
        const uint32_t child = saying->via;
        const bool open = saying->message - flow->lowest < FLOW_WINDOW;
        if (!forget && (!open || (flow->have[saying->message % FLOW_WINDOW] >> child & 1) != 0)) {
            ++saying->via;
            continue;
        }
        const uint32_t begun = flow->begun - flow->floor;
        if (!say(fw, flow, group_load(fw, receipts, RECEIPTS_FIRST + child),
                 CONTROL_PROBE | (forget ? (uint32_t)CONTROL_FORGET : 0) | begun << CONTROL_BEGUN_SHIFT,
                 saying->message, flow->floor))
            return PROGRESS_BLOCKED;
        ++saying->via;
        return PROGRESS_MADE;
    }
    saying->what = SAYING_NONE;
    return PROGRESS_NONE;
}

static enum progress decline(struct ni_firmware* fw, struct saying* saying, const struct inflow* flow) {
    if (!say(fw, flow, flow->source & NO_HOST, CONTROL_DECLINED, saying->message, saying->why)) return PROGRESS_BLOCKED;
    saying->what = SAYING_NONE;
    return PROGRESS_MADE;
}

/* Entries for a packet with room for `most` of them. Returns how many there are. */
static uint32_t entries_of(const struct ni_firmware* fw, uint32_t flow, uint32_t most) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SAYINGS && count < most; ++i)
        if (fw->reliable.sayings[i].what == SAYING_RECEIPT && fw->reliable.sayings[i].flow == flow) ++count;
    return count;
}

static void write_entries(struct ni_firmware* fw, uint32_t flow, uint32_t slot, uint32_t count) {
    uint32_t address = slot_address(fw, slot) + SLOT_PAYLOAD;
    for (uint32_t i = 0; i < SAYINGS && count != 0; ++i) {
        struct saying* const one = &fw->reliable.sayings[i];
        if (one->what != SAYING_RECEIPT || one->flow != flow) continue;
        store(fw, address + 4 * RECEIPT_MEMBER, one->member | (one->answered ? RECEIPT_ASKED : 0));
        store(fw, address + 4 * RECEIPT_MESSAGE, one->message);
        store(fw, address + 4 * RECEIPT_MISSING, one->missing);
        store(fw, address + 4 * RECEIPT_BITMAP, one->bitmap);
        address += 4 * RECEIPT_WORDS;
        one->what = SAYING_NONE;
        --count;
    }
}

/* The flow's receipts, as many as one packet holds. */
static enum progress send_receipts(struct ni_firmware* fw, struct inflow* flow) {
    const uint32_t number = number_of(fw, flow);
    const bool group = (flow->to & NO_GROUP) != NO_GROUP;
    const uint32_t receipts = receipts_of(fw, flow);
    const uint32_t count = entries_of(fw, number, fw->payload / (4 * RECEIPT_WORDS));
    if (count == 0) {
        flow->flush &= (uint8_t)~FLUSH_NOW;
        return PROGRESS_NONE;
    }
    if (group && receipts == GROUP_NONE) { /* a member no more: nobody to say it to */
        for (uint32_t i = 0; i < SAYINGS; ++i)
            if (fw->reliable.sayings[i].flow == number) fw->reliable.sayings[i].what = SAYING_NONE;
        return PROGRESS_MADE;
    }
    const uint32_t to = group ? group_load(fw, receipts, RECEIPTS_PARENT) : flow->source & NO_HOST;
    const struct control what = {.word = CONTROL_RECEIPT,
                                 .process = flow->process,
                                 .length = 4 * RECEIPT_WORDS * count,
                                 .total = flow->source,
                                 .tag = flow->to};
    const uint32_t slot = control_make(fw, to, &what);
    if (slot == SLOT_NONE) return PROGRESS_BLOCKED;
    write_entries(fw, number, slot, count);
    job_begin(fw, slot);
    return PROGRESS_MADE;
}

enum progress receipts_say(struct ni_firmware* fw) {
    for (uint32_t i = 0; i < SAYINGS; ++i) {
        struct saying* const one = &fw->reliable.sayings[i];
        const struct inflow* const flow = &fw->reliable.inflow[one->flow];
        enum progress done = PROGRESS_NONE;
        if (one->what == SAYING_ASK || one->what == SAYING_FORGET) done = pass_on(fw, one, flow);
        if (one->what == SAYING_DECLINE) done = decline(fw, one, flow);
        if (done != PROGRESS_NONE) return done;
    }
    for (uint32_t i = 0; i < fw->reliable.inflows; ++i) {
        struct inflow* const flow = &fw->reliable.inflow[i];
        if ((flow->flush & FLUSH_NOW) == 0) continue;
        const enum progress done = send_receipts(fw, flow);
        if (done != PROGRESS_NONE) return done;
    }
    return PROGRESS_NONE;
}
