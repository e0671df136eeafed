/* SPDX-License-Identifier: Apache-2.0 */
#include "incoming.h"

#include "arrivals.h"
#include "bitmaps.h"
#include "clock.h"
#include "control.h"
#include "flows.h"
#include "groups.h"
#include "jobs.h"
#include "receipts.h"
#include "report.h"

/* ---- flows ---- */

static uint32_t place_in(uint32_t number) {
    return number % FLOW_WINDOW;
}

static bool in_window(const struct inflow* flow, uint32_t number) {
    return number - flow->lowest < FLOW_WINDOW;
}

/* True of a number below the lowest: it is finished, or its source has given it up. */
static bool passed(const struct inflow* flow, uint32_t number) {
    return (int32_t)(number - flow->lowest) < 0;
}

static bool is_group(const struct inflow* flow) {
    return (flow->to & NO_GROUP) != NO_GROUP;
}

/* One bit for each child in the tree of receipts. */
static uint32_t all_below(const struct ni_firmware* fw, const struct inflow* flow) {
    return (1u << receipts_children(fw, receipts_of(fw, flow))) - 1;
}

static void say_all(struct ni_firmware* fw, struct inflow* flow, uint32_t number) {
    saying_add(fw, flow,
               (struct saying){.what = SAYING_RECEIPT, .member = fw->host, .message = number, .missing = RECEIPT_ALL});
    receipts_now(fw, flow);
}

static void say_no(struct ni_firmware* fw, struct inflow* flow, uint32_t number, uint32_t why) {
    saying_add(fw, flow,
               (struct saying){.what = SAYING_DECLINE, .member = fw->host, .message = number, .why = (uint8_t)why});
}

static void leave_lowest(struct inflow* flow) {
    const uint32_t place = place_in(flow->lowest++);
    flow->state[place] = FLOW_OPEN;
    flow->message[place] = 0;
    flow->have[place] = 0;
    flow->asked &= ~(1u << place);
}

static bool whole(const struct inflow* flow, uint32_t place, uint32_t below) {
    return flow->state[place] == FLOW_FINISHED && (flow->have[place] & below) == below;
}

/* The message may be finished, here and below. That is said once. */
static void settle(struct ni_firmware* fw, struct inflow* flow, uint32_t number) {
    const uint32_t below = all_below(fw, flow);
    if (!whole(flow, place_in(number), below)) return;
    say_all(fw, flow, number);
    while (whole(flow, place_in(flow->lowest), below)) leave_lowest(flow);
}

/* The source has ended the message, or will never hear that it is declined: nothing of it comes any more. */
static void forget(struct ni_firmware* fw, struct inflow* flow, uint32_t number) {
    const uint32_t place = place_in(number);
    if (flow->message[place] != 0) {
        struct message* const message = &fw->messages[flow->message[place] - 1];
        /* What is all there lands, though its source does not know. */
        if (message->state == MESSAGE_RELIABLE && message->received != message->total) arrival_give_up(fw, message);
        flow->message[place] = 0;
    }
    flow->state[place] = FLOW_FINISHED;
    flow->have[place] = 0xffffffffu;
}

/* The source has ended all messages below `floor`. */
static void raise_floor(struct ni_firmware* fw, struct inflow* flow, uint32_t floor) {
    if ((int32_t)(floor - flow->floor) <= 0) return;
    flow->floor = floor;
    for (uint32_t i = 0; i < FLOW_WINDOW && (int32_t)(floor - flow->lowest) > 0; ++i) {
        forget(fw, flow, flow->lowest);
        leave_lowest(flow);
    }
    if ((int32_t)(floor - flow->lowest) > 0) flow->lowest = floor; /* the source was started anew */
    const uint32_t below = all_below(fw, flow);
    while (whole(flow, place_in(flow->lowest), below)) leave_lowest(flow);
}

/* ---- packets ---- */

/* No entry remembers the message, so its packet becomes the answer. */
static void decline_at_once(struct ni_firmware* fw, const struct packet* packet, uint32_t to) {
    const uint32_t address = slot_address(fw, packet->slot);
    const uint32_t source = packet->source | packet->source_process << 24;
    store(fw, address + SLOT_KIND, KIND_UNICAST | 1u << 16);
    store(fw, address + SLOT_OP, OP_CONTROL);
    store(fw, address + SLOT_OFFSET, NI_STATUS_TABLE_FULL);
    store(fw, address + SLOT_TOTAL, source);
    store(fw, address + SLOT_TAG, to);
    control_answer(fw, packet->slot, packet->source, CONTROL_DECLINED);
    fw->handover = packet->slot + 1;
}

/* What becomes of a packet here. */
enum fate { FATE_DROPPED = 0, FATE_TAKEN = 1, FATE_ANSWERED = 2 /* its slot is gone */ };

/* Finds or begins the packet's message in its flow; NULL: declined, or not now. */
static struct message* message_in(struct ni_firmware* fw, struct inflow* flow, const struct packet* packet) {
    const uint32_t place = place_in(packet->message);
    if (flow->state[place] != FLOW_OPEN) {
        if (flow->state[place] == FLOW_FINISHED && !is_group(flow)) say_all(fw, flow, packet->message);
        return NULL;
    }
    if (flow->message[place] != 0) return &fw->messages[flow->message[place] - 1];
    enum ni_status status = NI_STATUS_OK;
    struct message* const message = arrival_begin(fw, packet, flow->process, &status);
    if (message == NULL) {
        packet_error(fw, packet, status, flow->process);
        flow->state[place] = (uint8_t)status;
        say_no(fw, flow, packet->message, status);
        return NULL;
    }
    message->counter = (uint8_t)(flow - fw->reliable.inflow);
    flow->message[place] = message_number(fw, message);
    return message;
}

static enum fate take(struct ni_firmware* fw, const struct packet* packet, uint32_t process,
                      struct message** delivered) {
    const uint32_t source = packet->source | packet->source_process << 24;
    const uint32_t to = inflow_to(packet->group, process);
    struct inflow* flow = inflow_find(fw, source, to);
    if (flow == NULL) {
        uint32_t lowest;
        if (!inflow_guess(fw, packet->message, &lowest)) return FATE_DROPPED; /* the source will say */
        flow = inflow_get(fw, source, to, process, lowest);
        if (flow == NULL) {
            packet_error(fw, packet, NI_STATUS_TABLE_FULL, process);
            decline_at_once(fw, packet, to);
            return FATE_ANSWERED;
        }
    }
    if (!in_window(flow, packet->message)) {
        if (passed(flow, packet->message) && !is_group(flow)) say_all(fw, flow, packet->message);
        return FATE_DROPPED;
    }
    struct message* const message = message_in(fw, flow, packet);
    if (message == NULL || message->state != MESSAGE_RELIABLE) return FATE_DROPPED;
    const enum ni_status status = arrival_note(fw, message, packet);
    if (status == NI_STATUS_MALFORMED) packet_error(fw, packet, status, process);
    if (status != NI_STATUS_OK) return FATE_DROPPED; /* what finds no room is repaired later */
    const bool gap = message->ahead != 0 || message->bitmaps != 0;
    if (gap && message->counted != message->in_order + 1) receipts_later(fw, flow);
    *delivered = message;
    return FATE_TAKEN;
}

/* The transfer to the host, which takes one reference off the slot. */
static void transfer(struct ni_firmware* fw, const struct packet* packet, const struct message* message) {
    const bool last = message->received == message->total;
    store(fw, NI_DMA_WINDOW, message->window | (uint32_t)message->process << NI_DMA_WINDOW_PROCESS_SHIFT);
    store(fw, NI_DMA_OFFSET, message->offset + packet->offset);
    store(fw, NI_DMA_ADDRESS, slot_address(fw, packet->slot) + SLOT_PAYLOAD);
    store(fw, NI_DMA_LENGTH, packet->length);
    store(fw, NI_DMA_PUSH,
          NI_DMA_PUSH_TO_HOST_MASK | NI_DMA_PUSH_RELEASE_SLOT_MASK | (last ? NI_DMA_PUSH_NOTIFY_MASK : 0) |
              arrival_cookie(fw, message));
    space_use(fw, &fw->dma);
}

static void drop(struct ni_firmware* fw, const struct packet* packet) {
    ++fw->statistics[NI_STATISTIC_DROPPED];
    slot_release(fw, packet->slot);
}

/* Where a packet goes on to, and to which process. Returns false if it goes nowhere. */
static bool route_in(struct ni_firmware* fw, const struct packet* packet, uint32_t* list, uint32_t* children,
                     uint32_t* process) {
    *children = 0;
    if (packet->group == NO_GROUP) {
        *process = packet->process;
        const bool good = packet->kind == KIND_UNICAST && *process < fw->processes;
        if (!good)
            packet_error(fw, packet, packet->kind == KIND_UNICAST ? NI_STATUS_NO_PROCESS : NI_STATUS_MALFORMED, 0);
        return good;
    }
    *list = group_list_of(fw, group_find(fw, packet->source, packet->group), packet->source_process);
    const uint32_t flags = *list != GROUP_NONE ? group_load(fw, *list, GROUP_FLAGS) : 0;
    const bool delivers = (flags & NI_GROUP_DELIVER) != 0;
    if (*list == GROUP_NONE || (delivers && (flags & NI_GROUP_RECEIPTS) == 0)) {
        packet_error(fw, packet, NI_STATUS_NOT_MEMBER, 0);
        return false;
    }
    *process = delivers ? packet->source_process : PROCESSES;
    /* Repairs have no hops: nobody forwards them. */
    if (packet->hops != 0) *children = group_load(fw, *list, GROUP_CHILDREN);
    if (*children == 0 || packet->kind == group_kind(flags)) return true;
    packet_error(fw, packet, NI_STATUS_MALFORMED, packet->source_process);
    return false;
}

void incoming_packet(struct ni_firmware* fw, const struct packet* packet) {
    uint32_t list = GROUP_NONE;
    uint32_t children;
    uint32_t process;
    struct message* message = NULL;
    if (!route_in(fw, packet, &list, &children, &process)) {
        drop(fw, packet);
        return;
    }
    const enum fate fate = process < fw->processes ? take(fw, packet, process, &message) : FATE_TAKEN;
    if (fate == FATE_ANSWERED) {
        ++fw->statistics[NI_STATISTIC_DROPPED];
        return;
    }
    const uint32_t references = fate == FATE_TAKEN ? children + (message != NULL) : 0; /* copies have gone on before */
    if (references == 0) {
        drop(fw, packet);
        return;
    }
    slot_hold(fw, packet->slot, references - 1);
    if (children != 0) {
        job_to_group(fw, packet->slot, list, 0, children, packet->hops - 1, 0);
        fw->handover = packet->slot + 1;
    }
    if (message != NULL) transfer(fw, packet, message);
}

/* ---- what is missing ---- */

/* Bit b: the packet b + 1 places behind the first missing one is there. */
static uint32_t bitmap_of(struct ni_firmware* fw, struct message* message) {
    const uint32_t bits = message->ahead >> 1;
    return message->bitmaps == 0 ? bits : bits | bitmap_bits(fw, message, message->in_order / fw->payload + 1);
}

/* What is missing of a message here, if it was asked for, or if there is a gap that was not reported. */
static void say_missing(struct ni_firmware* fw, struct inflow* flow, uint32_t number, bool asked) {
    const uint32_t place = place_in(number);
    struct saying saying = {.what = SAYING_RECEIPT, .member = fw->host, .message = number, .answered = asked};
    if (flow->message[place] != 0) {
        struct message* const message = &fw->messages[flow->message[place] - 1];
        const bool gap = message->ahead != 0 || message->bitmaps != 0;
        if (message->state != MESSAGE_RELIABLE || message->received == message->total) return; /* it is about to end */
        /* What came ahead is gone over in parts: else a packet that is there were said to be missing for ever. */
        if (message_behind(fw, message)) message_go_on(fw, message);
        if (!asked && (!gap || message->counted == message->in_order + 1)) return;
        message->counted = message->in_order + 1;
        saying.missing = message->in_order;
        saying.bitmap = bitmap_of(fw, message);
    } else if (!asked) {
        return;
    } else if (flow->state[place] == FLOW_FINISHED) {
        saying.missing = RECEIPT_OWN;
    } else if (flow->state[place] != FLOW_OPEN) {
        return;
    }
    saying_add(fw, flow, saying);
}

/* ---- control packets ---- */

/* The flow that a control packet is about; NULL: none, for now. Its sender is the source, or in the flow's group. */
static struct inflow* flow_of(struct ni_firmware* fw, const struct packet* packet, bool known, uint32_t lowest) {
    const uint32_t group = packet->tag & NO_GROUP;
    uint32_t process = packet->tag >> 16 & 0xff;
    if ((packet->total & NO_HOST) == fw->host) return NULL;
    if (group != NO_GROUP) {
        process = packet->total >> 24;
        const uint32_t entry = group_find(fw, packet->total & NO_HOST, group);
        if (group_receipts(fw, group_list_of(fw, entry, process)) == GROUP_NONE) {
            packet_error(fw, packet, NI_STATUS_NOT_MEMBER, 0);
            return NULL;
        }
    } else if (packet->source != (packet->total & NO_HOST)) {
        return NULL;
    }
    if (process >= fw->processes) return NULL;
    const uint32_t to = inflow_to(group, process);
    return known ? inflow_get(fw, packet->total, to, process, lowest) : inflow_find(fw, packet->total, to);
}

static void answer_probe(struct ni_firmware* fw, struct inflow* flow, uint32_t number, bool alone) {
    const uint32_t place = place_in(number);
    if (!in_window(flow, number)) {
        if (passed(flow, number)) say_all(fw, flow, number);
        return;
    }
    if (flow->message[place] != 0) fw->messages[flow->message[place] - 1].tick = fw->tick;
    if (flow->state[place] != FLOW_OPEN && flow->state[place] != FLOW_FINISHED) {
        say_no(fw, flow, number, flow->state[place]);
        return;
    }
    const uint32_t below = all_below(fw, flow);
    if (whole(flow, place, below)) {
        say_all(fw, flow, number); /* it waits for a message before it */
        return;
    }
    if (alone || (flow->have[place] & below) == below) {
        say_missing(fw, flow, number, true);
        receipts_now(fw, flow);
        return;
    }
    flow->asked |= 1u << place;
    saying_add(fw, flow, (struct saying){.what = SAYING_ASK, .member = fw->host, .message = number});
    receipts_later(fw, flow);
}

/* The flow was not known: who was started anew may have finished any of the messages that had begun. */
static void disown_begun(const struct ni_firmware* fw, struct inflow* flow, uint32_t begun) {
    if (load(fw, NI_RESTARTS) == 0) return;
    for (uint32_t i = 0; i < begun; ++i) flow->state[place_in(flow->lowest + i)] = NI_STATUS_HUNG;
}

bool incoming_probe(struct ni_firmware* fw, const struct packet* packet) {
    const bool ended = (int32_t)(packet->message - packet->offset) < 0;
    const uint32_t begun = packet->group >> CONTROL_BEGUN_SHIFT;
    if ((ended && (packet->group & CONTROL_FORGET) == 0) || begun > FLOW_WINDOW) return false;
    const uint32_t known = fw->reliable.inflows;
    struct inflow* const flow = flow_of(fw, packet, true, packet->offset);
    if (flow == NULL) return true;
    if (fw->reliable.inflows != known) disown_begun(fw, flow, begun);
    raise_floor(fw, flow, packet->offset);
    if (flow->floor == packet->offset) flow->begun = flow->floor + begun;
    if ((packet->group & CONTROL_FORGET) == 0) {
        answer_probe(fw, flow, packet->message, (packet->group & CONTROL_ALONE) != 0);
        return true;
    }
    if (in_window(flow, packet->message)) {
        forget(fw, flow, packet->message);
        while (whole(flow, place_in(flow->lowest), all_below(fw, flow))) leave_lowest(flow);
    }
    saying_add(fw, flow, (struct saying){.what = SAYING_FORGET, .member = fw->host, .message = packet->message});
    return true;
}

bool incoming_receipt(struct ni_firmware* fw, const struct packet* packet) {
    struct inflow* flow = NULL;
    const uint32_t address = slot_address(fw, packet->slot) + SLOT_PAYLOAD;
    for (uint32_t at = 0; at < packet->length; at += 4 * RECEIPT_WORDS) {
        const uint32_t member = load(fw, address + at + 4 * RECEIPT_MEMBER);
        const uint32_t number = load(fw, address + at + 4 * RECEIPT_MESSAGE);
        const uint32_t missing = load(fw, address + at + 4 * RECEIPT_MISSING);
        uint32_t lowest = 0;
        if (flow == NULL) flow = flow_of(fw, packet, inflow_guess(fw, number, &lowest), lowest);
        if (flow == NULL || !is_group(flow)) return flow == NULL;
        const uint32_t child = receipts_child(fw, receipts_of(fw, flow), packet->source);
        if (child == GROUP_NONE) return false;
        if (!in_window(flow, number)) continue;
        if (missing == RECEIPT_ALL) {
            const uint32_t before = flow->have[place_in(number)];
            flow->have[place_in(number)] |= 1u << child;
            if (flow->have[place_in(number)] != before) settle(fw, flow, number);
            continue;
        }
        saying_add(fw, flow,
                   (struct saying){.what = SAYING_RECEIPT,
                                   .member = member & NO_HOST,
                                   .message = number,
                                   .missing = missing,
                                   .bitmap = load(fw, address + at + 4 * RECEIPT_BITMAP),
                                   .via = (uint8_t)(child + 1),
                                   .answered = (member & RECEIPT_ASKED) != 0});
        receipts_later(fw, flow);
    }
    return true;
}

/* ---- due receipts ---- */

/* Children that were asked and have said nothing. */
static void say_silent(struct ni_firmware* fw, struct inflow* flow, uint32_t number) {
    const uint32_t receipts = receipts_of(fw, flow);
    const uint32_t children = receipts_children(fw, receipts);
    for (uint32_t child = 0; child < children; ++child) {
        if ((flow->have[place_in(number)] >> child & 1) != 0 || saying_from(fw, flow, number, child)) continue;
        saying_add(fw, flow,
                   (struct saying){.what = SAYING_RECEIPT,
                                   .member = group_load(fw, receipts, RECEIPTS_FIRST + child),
                                   .message = number,
                                   .missing = RECEIPT_NONE,
                                   .via = (uint8_t)(child + 1),
                                   .answered = true});
    }
}

/* Receipts go out, with what is missing here. */
static void flush(struct ni_firmware* fw, struct inflow* flow) {
    for (uint32_t i = 0; i < FLOW_WINDOW; ++i) {
        const uint32_t number = flow->lowest + i;
        const bool asked = (flow->asked >> place_in(number) & 1) != 0;
        say_missing(fw, flow, number, asked);
        if (asked && is_group(flow)) say_silent(fw, flow, number);
    }
    flow->asked = 0;
    flow->flush &= (uint8_t)~FLUSH_LATER;
    receipts_now(fw, flow);
}

/* ---- ends ---- */

void incoming_note(struct ni_firmware* fw, uint32_t cookie, bool refused) {
    struct message* const message = arrival_of(fw, cookie);
    if (message == NULL) return; /* not the first refusal */
    struct queue* const landed = &fw->reliable.landed;
    message->state = refused ? MESSAGE_BARRED : MESSAGE_LANDED;
    message->next = 0;
    if (landed->head == 0)
        landed->head = message_number(fw, message);
    else
        fw->messages[landed->tail - 1].next = message_number(fw, message);
    landed->tail = message_number(fw, message);
    reliable_wake(fw);
}

enum progress incoming_end(struct ni_firmware* fw) {
    if (fw->reliable.landed.head == 0) return PROGRESS_NONE;
    if (!report_room(fw)) return PROGRESS_BLOCKED;
    struct message* const message = &fw->messages[fw->reliable.landed.head - 1];
    struct inflow* const flow = &fw->reliable.inflow[message->counter];
    const uint32_t number = message->key.number;
    const bool landed = message->state == MESSAGE_LANDED;
    fw->reliable.landed.head = message->next;
    struct completion completion = message_facts(message);
    completion.kind = landed ? NI_COMPLETION_RECEIVED : NI_COMPLETION_FAILED;
    completion.status = landed ? NI_STATUS_OK : NI_STATUS_REFUSED;
    completion.cookie = message->cookie;
    ++fw->statistics[landed ? NI_STATISTIC_MESSAGES_RECEIVED : NI_STATISTIC_STATUS + NI_STATUS_REFUSED];
    report(fw, message->process, &completion);
    if (in_window(flow, number) && flow->message[place_in(number)] == message_number(fw, message)) {
        flow->message[place_in(number)] = 0;
        flow->state[place_in(number)] = landed ? FLOW_FINISHED : NI_STATUS_REFUSED;
        if (landed)
            settle(fw, flow, number);
        else
            say_no(fw, flow, number, NI_STATUS_REFUSED);
    }
    arrival_end(fw, message);
    return PROGRESS_MADE;
}

/* The message of `number`, if it is half-received and silent, is declined. */
static void expire(struct ni_firmware* fw, struct inflow* flow, uint32_t number) {
    const uint32_t place = place_in(number);
    if (flow->message[place] == 0) return;
    struct message* const message = &fw->messages[flow->message[place] - 1];
    if (message->state != MESSAGE_RELIABLE || (uint8_t)(fw->tick - message->tick) < 2) return;
    if (message->received == message->total) return; /* its last transfer is under way */
    arrival_give_up(fw, message);
    flow->message[place] = 0;
    flow->state[place] = NI_STATUS_INCOMPLETE;
    say_no(fw, flow, number, NI_STATUS_INCOMPLETE);
}

void incoming_due(struct ni_firmware* fw, uint32_t index) {
    struct inflow* const flow = &fw->reliable.inflow[index];
    for (uint32_t i = 0; i < FLOW_WINDOW; ++i) expire(fw, flow, flow->lowest + i);
    if ((flow->flush & FLUSH_LATER) != 0 && clock_look(fw, flow->flush_at)) flush(fw, flow);
}
