/* SPDX-License-Identifier: Apache-2.0 */
#include "repairs.h"

#include "clock.h"
#include "control.h"
#include "groups.h"
#include "jobs.h"
#include "routes.h"
#include "send_queue.h"

#define TO_ALL 0xffffffffu /* instead of a member: the worm again */

static struct outgoing* outgoing_of(struct ni_firmware* fw, const struct send* send) {
    return &fw->reliable.outgoing[send_number(fw, send) - 1];
}

static bool is_worm(const struct send* send) {
    return (send->kind & KIND_MASK) != KIND_UNICAST;
}

/* ---- who lacks what ---- */

/* Packets from `missing` on that are to be sent again. */
static uint32_t left_of(const struct ni_firmware* fw, const struct send* send, const struct lack* lack) {
    if (lack->missing >= send->fetched || lack->missing % fw->payload != 0) return 0; /* RECEIPT_NONE, too */
    uint32_t left = ~(lack->bitmap << 1);
    if (!lack->asked && lack->bitmap != 0) { /* what is behind the last one that is there may be on its way */
        uint32_t below = lack->bitmap << 1 | 1;
        for (uint32_t shift = 1; shift < 32; shift *= 2) below |= below >> shift;
        left &= below;
    }
    const uint32_t packets = (send->fetched - lack->missing + fw->payload - 1) / fw->payload;
    return packets < 32 ? left & ((1u << packets) - 1) : left;
}

/* The entry of a member, or one that is free, or of what matters least; NULL: there is none. */
static struct repair* entry_for(struct ni_firmware* fw, uint8_t send, uint32_t member, bool* known) {
    struct repair* free = NULL;
    struct repair* old = NULL;
    for (uint32_t i = 0; i < REPAIRS; ++i) {
        struct repair* const one = &fw->reliable.repairs[i];
        if (one->send == send && one->member == member) {
            *known = true;
            return one;
        }
        if (one->send == 0)
            free = one;
        else if (one->old && one->left == 0)
            old = one;
    }
    return free != NULL ? free : old;
}

static void forget(struct ni_firmware* fw, uint8_t send, uint32_t member) {
    for (uint32_t i = 0; i < REPAIRS; ++i)
        if (fw->reliable.repairs[i].send == send && fw->reliable.repairs[i].member == member)
            fw->reliable.repairs[i].send = 0;
}

bool repair_note(struct ni_firmware* fw, struct send* send, const struct lack* lack) {
    const uint8_t number = (uint8_t)send_number(fw, send);
    struct outgoing* const out = outgoing_of(fw, send);
    bool known = false;
    if (lack->missing == RECEIPT_OWN) {
        forget(fw, number, lack->member);
        return false;
    }
    struct repair* const place = entry_for(fw, number, lack->member, &known);
    if (place == NULL) return false; /* it is asked again */
    /* Without a place of its own a member's answers would seem to be new for ever. */
    const bool news = known ? place->missing != lack->missing || place->bitmap != lack->bitmap : place->send == 0;
    place->old = false;
    if (known && (lack->missing == RECEIPT_NONE || (!news && (!lack->asked || place->left != 0)))) return false;
    *place = (struct repair){.member = lack->member,
                             .missing = lack->missing,
                             .bitmap = lack->bitmap,
                             .left = left_of(fw, send, lack),
                             .send = number,
                             .via = (uint8_t)lack->via,
                             .ask = news};
    if (place->left == 0) {
        place->ask = false;
    } else if (out->repair == REPAIR_NONE) {
        out->repair = is_worm(send) ? REPAIR_LATER : REPAIR_NOW;
        if (is_worm(send)) out->at = clock_alarm(fw, load(fw, NI_RELIABLE_ACK_DELAY));
    }
    reliable_wake(fw);
    return news;
}

void repairs_end(struct ni_firmware* fw, const struct send* send) {
    for (uint32_t i = 0; i < REPAIRS; ++i)
        if (fw->reliable.repairs[i].send == send_number(fw, send)) fw->reliable.repairs[i].send = 0;
}

void repairs_age(struct ni_firmware* fw, const struct send* send) {
    for (uint32_t i = 0; i < REPAIRS; ++i) {
        struct repair* const one = &fw->reliable.repairs[i];
        if (one->send == send_number(fw, send)) one->old = true;
    }
}

/* ---- packets ---- */

static bool lacks(const struct ni_firmware* fw, const struct repair* one, uint32_t offset) {
    const uint32_t places = (offset - one->missing) / fw->payload;
    return offset >= one->missing && places < 32 && (one->left >> places & 1) != 0;
}

/* Takes the packet at `offset` off what a member lacks, or off what all of them lack that have said so. Returns how
 * many these are. */
static uint32_t take_off(struct ni_firmware* fw, const struct repair* only, uint8_t send, uint32_t offset, bool take) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < REPAIRS; ++i) {
        struct repair* const one = &fw->reliable.repairs[i];
        if (one->send != send || (only != NULL && one != only) || !lacks(fw, one, offset)) continue;
        if (take) one->left &= ~(1u << (offset - one->missing) / fw->payload);
        ++count;
    }
    return count;
}

static bool half_lack(struct ni_firmware* fw, const struct send* send, const struct outgoing* out, uint32_t offset) {
    if (!is_worm(send)) return false;
    const uint32_t members = group_load(fw, out->receipts, RECEIPTS_COUNT) >> 16;
    return 2 * take_off(fw, NULL, (uint8_t)send_number(fw, send), offset, false) > members;
}

static void write_header(struct ni_firmware* fw, const struct send* send, uint32_t slot, uint32_t offset,
                         uint32_t length, uint32_t to) {
    const uint32_t address = slot_address(fw, slot);
    const uint32_t kind = to == TO_ALL ? send->kind : (send->kind & ~(uint32_t)KIND_MASK) | KIND_UNICAST;
    store(fw, address + SLOT_KIND, kind | length << 16);
    store(fw, address + SLOT_SOURCE, fw->host);
    store(fw, address + SLOT_OP, send->op | (send->to >> 24) << 8 | (uint32_t)send->process << 16);
    store(fw, address + SLOT_GROUP, send->group & NO_GROUP);
    store(fw, address + SLOT_MESSAGE, send->message);
    store(fw, address + SLOT_OFFSET, offset);
    store(fw, address + SLOT_TOTAL, send->length);
    store(fw, address + SLOT_TAG, send->tag);
    store(fw, address + SLOT_LINK, send_number(fw, send) - 1u);
    store(fw, address + SLOT_CURSOR, to);
    store(fw, address + SLOT_JOB, 0);
}

/* Begins the transfer of the first packet that a member lacks. */
static enum progress fetch(struct ni_firmware* fw, struct repair* one, struct send* send, struct outgoing* out) {
    if (fw->reliable.fetching == REPAIR_WINDOW || !dma_space(fw)) return PROGRESS_BLOCKED;
    const uint32_t slot = slot_allocate(fw);
    if (slot == SLOT_NONE) return PROGRESS_BLOCKED;
    uint32_t place = 0;
    while ((one->left >> place & 1) == 0) ++place;
    const uint32_t offset = one->missing + place * fw->payload;
    const uint32_t left = send->length - offset;
    const uint32_t length = left < fw->payload ? left : fw->payload;
    const bool all = half_lack(fw, send, out, offset);
    take_off(fw, all ? NULL : one, one->send, offset, true);
    write_header(fw, send, slot, offset, length, all ? TO_ALL : one->member);
    store(fw, NI_DMA_WINDOW, send->window | (uint32_t)send->process << NI_DMA_WINDOW_PROCESS_SHIFT);
    store(fw, NI_DMA_OFFSET, send->offset + offset);
    store(fw, NI_DMA_ADDRESS, slot_address(fw, slot) + SLOT_PAYLOAD);
    store(fw, NI_DMA_LENGTH, length);
    store(fw, NI_DMA_PUSH,
          NI_DMA_PUSH_NOTIFY_MASK | (uint32_t)COOKIE_RELIABLE << COOKIE_KIND_SHIFT | (uint32_t)COOKIE_REPAIR | slot);
    space_use(fw, &fw->dma);
    ++out->fetching;
    ++fw->reliable.fetching;
    return PROGRESS_MADE;
}

bool repairs_ask(struct ni_firmware* fw, const struct outflow* flow, uint32_t number, uint32_t to, uint32_t flags) {
    const bool group = flow->group != NO_GROUP;
    const struct control what = {.word = CONTROL_PROBE | flags | (flow->next - flow->lowest) << CONTROL_BEGUN_SHIFT,
                                 .process = flow->process,
                                 .length = 1,
                                 .message = number,
                                 .offset = flow->lowest,
                                 .total = fw->host | (uint32_t)flow->process << 24,
                                 .tag = group ? flow->group : NO_GROUP | (flow->to >> 24) << 16};
    const uint32_t slot = control_make(fw, to, &what);
    if (slot == SLOT_NONE) return false;
    job_begin(fw, slot);
    return true;
}

/* The member says whether it has all now: the question follows the repairs. */
static enum progress ask(struct ni_firmware* fw, struct repair* one, const struct send* send,
                         const struct outgoing* out) {
    const struct outflow* const flow = &fw->reliable.outflow[out->flow];
    if (!repairs_ask(fw, flow, send->message, one->member, CONTROL_ALONE)) return PROGRESS_BLOCKED;
    one->ask = false;
    return PROGRESS_MADE;
}

static bool any_left(const struct ni_firmware* fw, uint8_t send) {
    for (uint32_t i = 0; i < REPAIRS; ++i)
        if (fw->reliable.repairs[i].send == send && fw->reliable.repairs[i].left != 0) return true;
    return false;
}

enum progress repair_next(struct ni_firmware* fw) {
    for (uint32_t i = 0; i < REPAIRS; ++i) {
        struct repair* const one = &fw->reliable.repairs[i];
        if (one->send == 0) continue;
        struct send* const send = &fw->sends[one->send - 1];
        struct outgoing* const out = outgoing_of(fw, send);
        if (out->repair != REPAIR_NOW) continue;
        if (one->left != 0) return fetch(fw, one, send, out);
        if (one->ask && out->fetching == 0) return ask(fw, one, send, out);
        if (!one->ask && !any_left(fw, one->send) && out->fetching == 0) out->repair = REPAIR_NONE;
    }
    return PROGRESS_NONE;
}

void repair_note_fetched(struct ni_firmware* fw, uint32_t slot, bool refused) {
    if (refused) slot_store(fw, slot, SLOT_JOB, JOB_REFUSED);
    slot_append(fw, &fw->reliable.fetched, slot);
    reliable_wake(fw);
}

static void worm_to_link(struct ni_firmware* fw, const struct send* send, uint32_t slot) {
    if (send->operation == NI_COMMAND_SEND_WORM) {
        route_hold(fw, send->command, route_holds(fw, send->command) + 1);
        slot_store(fw, slot, SLOT_LINK, send->command);
        slot_store(fw, slot, SLOT_CURSOR, command_address(fw, send->command) + 4 * NI_COMMAND_WORDS);
        slot_store(fw, slot, SLOT_JOB, JOB_ONE | JOB_OWN);
    } else {
        const uint32_t children = group_load(fw, send->list, GROUP_CHILDREN);
        slot_hold(fw, slot, children - 1);
        job_to_group(fw, slot, send->list, 0, children, 0, JOB_OWN);
    }
}

enum progress repair_fetched(struct ni_firmware* fw, struct send** refused) {
    if (fw->reliable.fetched.head == 0) return PROGRESS_NONE;
    const uint32_t slot = slot_take(fw, &fw->reliable.fetched);
    struct send* const send = &fw->sends[slot_load(fw, slot, SLOT_LINK)];
    struct outgoing* const out = outgoing_of(fw, send);
    const bool was_refused = slot_load(fw, slot, SLOT_JOB) == JOB_REFUSED;
    --out->fetching;
    --fw->reliable.fetching;
    if (was_refused || out->state > OUT_SENT) {
        slot_release(fw, slot);
        if (was_refused) *refused = send;
        return PROGRESS_MADE;
    }
    slot_store(fw, slot, SLOT_SEQUENCE, fw->sequence++);
    if (slot_load(fw, slot, SLOT_CURSOR) == TO_ALL)
        worm_to_link(fw, send, slot);
    else
        slot_store(fw, slot, SLOT_JOB, JOB_ONE | JOB_OWN);
    job_begin(fw, slot);
    return PROGRESS_MADE;
}
