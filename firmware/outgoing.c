/* SPDX-License-Identifier: Apache-2.0 */
#include "outgoing.h"

#include "clock.h"
#include "control.h"
#include "flows.h"
#include "groups.h"
#include "repairs.h"
#include "report.h"
#include "routes.h"
#include "send_queue.h"

static struct outgoing* outgoing_of(struct ni_firmware* fw, const struct send* send) {
    return &fw->reliable.outgoing[send_number(fw, send) - 1];
}

static struct outflow* flow_of(struct ni_firmware* fw, const struct outgoing* out) {
    return &fw->reliable.outflow[out->flow];
}

/* One bit for each that acknowledges: the children in the tree of receipts, or the receiver. */
static uint32_t everybody(const struct outgoing* out) {
    return (1u << out->children) - 1;
}

static bool acknowledged(const struct outgoing* out) {
    return (out->have & everybody(out)) == everybody(out);
}

/* ---- begin ---- */

struct outflow* outgoing_flow(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t group) {
    return outflow_get(fw, process, group != NO_GROUP ? 0 : to, group);
}

static void start(struct ni_firmware* fw, struct outflow* flow, struct send* send) {
    send->message = flow->next++;
    flow->sends[send->message % FLOW_WINDOW] = (uint8_t)send_number(fw, send);
    send_begin(fw, send);
}

void outgoing_begin(struct ni_firmware* fw, struct send* send, struct outflow* flow, uint32_t receipts,
                    uint32_t patience) {
    struct outgoing* const out = outgoing_of(fw, send);
    const uint32_t timeout = load(fw, NI_RELIABLE_TIMEOUT);
    const uint32_t children = receipts != GROUP_NONE ? receipts_children(fw, receipts) : 1;
    *out = (struct outgoing){.given = send->message,
                             .timeout = timeout < (uint32_t)CLOCK_MOST >> patience ? timeout << patience : CLOCK_MOST,
                             .receipts = receipts,
                             .culprit = NO_HOST,
                             .flow = (uint8_t)(flow - fw->reliable.outflow),
                             .state = OUT_SENDING,
                             .children = (uint8_t)children};
    send->ties |= TIE_RELIABLE;
    send->op |= OP_RELIABLE;
    if (flow->waiting.head == 0 && outflow_open(flow))
        start(fw, flow, send);
    else
        send_append(fw, &flow->waiting, send);
}

/* The flow needs to know no more of the message: others may begin. */
static void leave(struct ni_firmware* fw, const struct send* send, const struct outgoing* out) {
    struct outflow* const flow = flow_of(fw, out);
    outflow_close(flow, send->message);
    repairs_end(fw, send);
    while (flow->waiting.head != 0 && outflow_open(flow)) {
        struct send* const first = &fw->sends[flow->waiting.head - 1];
        flow->waiting.head = first->next;
        start(fw, flow, first);
    }
}

/* ---- receipts ---- */

static void restart(struct ni_firmware* fw, struct outgoing* out) {
    out->asked = 0;
    if (out->state == OUT_SENT) out->deadline = clock_alarm(fw, out->timeout);
}

static void acknowledge(struct ni_firmware* fw, struct send* send, struct outgoing* out, uint32_t child) {
    if ((out->have >> child & 1) != 0) return;
    out->have |= 1u << child;
    if (out->state == OUT_SENT && acknowledged(out)) {
        leave(fw, send, out);
        out->state = OUT_ENDED;
        reliable_wake(fw);
    } else {
        restart(fw, out);
    }
}

/* The send that a control packet is about, if receipts matter to it; NULL: none. */
static struct send* send_of(struct ni_firmware* fw, const struct packet* packet, uint32_t number) {
    const uint32_t process = packet->total >> 24;
    const uint32_t group = packet->tag & NO_GROUP;
    const uint32_t to = group != NO_GROUP ? 0 : packet->source | (packet->tag >> 16 & 0xff) << 24;
    const struct outflow* const flow = outflow_find(fw, process, to, group);
    if (flow == NULL || number - flow->lowest >= flow->next - flow->lowest) return NULL;
    const uint32_t entry = flow->sends[number % FLOW_WINDOW];
    return entry != 0 ? &fw->sends[entry - 1] : NULL;
}

static bool take_entry(struct ni_firmware* fw, const struct packet* packet, uint32_t address) {
    const uint32_t member = load(fw, address + 4 * RECEIPT_MEMBER);
    struct send* const send = send_of(fw, packet, load(fw, address + 4 * RECEIPT_MESSAGE));
    if (send == NULL) return true; /* it has ended */
    struct outgoing* const out = outgoing_of(fw, send);
    const uint32_t child = out->receipts != GROUP_NONE ? receipts_child(fw, out->receipts, packet->source) : 0;
    if (child == GROUP_NONE) return false;
    const struct lack lack = {.member = member & NO_HOST,
                              .missing = load(fw, address + 4 * RECEIPT_MISSING),
                              .bitmap = load(fw, address + 4 * RECEIPT_BITMAP),
                              .via = child,
                              .asked = (member & RECEIPT_ASKED) != 0};
    if (lack.member >= fw->hosts || (out->receipts == GROUP_NONE && lack.member != packet->source)) return false;
    out->heard |= 1u << child;
    if (lack.missing == RECEIPT_ALL)
        acknowledge(fw, send, out, child);
    else if (repair_note(fw, send, &lack) && lack.missing != RECEIPT_NONE)
        restart(fw, out);
    return true;
}

bool outgoing_receipt(struct ni_firmware* fw, const struct packet* packet) {
    const uint32_t address = slot_address(fw, packet->slot) + SLOT_PAYLOAD;
    for (uint32_t at = 0; at < packet->length; at += 4 * RECEIPT_WORDS)
        if (!take_entry(fw, packet, address + at)) return false;
    return true;
}

/* ---- failure ---- */

static void give_up(struct ni_firmware* fw, const struct send* send, struct outgoing* out) {
    leave(fw, send, out);
    out->state = OUT_FORGET;
    out->cursor = 0;
    reliable_wake(fw);
}

void outgoing_fail(struct ni_firmware* fw, struct send* send, enum ni_status status) {
    struct outgoing* const out = outgoing_of(fw, send);
    if (send->status != NI_STATUS_OK || out->state > OUT_SENT) return;
    if (out->state == OUT_SENDING && (send->in_flight != 0 || send->fetched != send->length)) {
        out->state = OUT_DECLINED;
        out->failing = (uint8_t)status;
        reliable_wake(fw);
        return;
    }
    send->status = (uint8_t)status;
    ++fw->statistics[NI_STATISTIC_STATUS + status];
    if (out->state == OUT_SENT) give_up(fw, send, out); /* else it is in `sent`, or will be */
}

bool outgoing_declined(struct ni_firmware* fw, const struct packet* packet) {
    struct send* const send = send_of(fw, packet, packet->message);
    if (send == NULL || send->fetched == 0) return true; /* it has ended; or nobody can have seen it */
    struct outgoing* const out = outgoing_of(fw, send);
    if (packet->offset == NI_STATUS_OK || packet->offset >= NI_STATUSES) return false;
    if (send->status != NI_STATUS_OK || out->state > OUT_SENT) return true;
    out->culprit = packet->source;
    out->why = (uint8_t)packet->offset;
    outgoing_fail(fw, send, NI_STATUS_DECLINED);
    return true;
}

struct send* outgoing_to_stop(struct ni_firmware* fw, enum ni_status* status) {
    for (uint32_t i = 0; i < fw->sends_touched; ++i) {
        struct outgoing* const out = &fw->reliable.outgoing[i];
        if (out->state != OUT_DECLINED) continue;
        out->state = OUT_SENDING;
        *status = (enum ni_status)out->failing;
        if (fw->sends[i].status == NI_STATUS_OK) return &fw->sends[i];
    }
    return NULL;
}

enum progress outgoing_sent(struct ni_firmware* fw) {
    if (fw->reliable.sent.head == 0) return PROGRESS_NONE;
    struct send* const send = &fw->sends[fw->reliable.sent.head - 1];
    struct outgoing* const out = outgoing_of(fw, send);
    fw->reliable.sent.head = send->next;
    if (send->status != NI_STATUS_OK) {
        give_up(fw, send, out);
    } else if (acknowledged(out)) {
        leave(fw, send, out);
        out->state = OUT_ENDED;
    } else {
        out->state = OUT_SENT;
        out->deadline = clock_alarm(fw, out->timeout);
    }
    return PROGRESS_MADE;
}

/* ---- time ---- */

/* Nobody answers any more, or nothing that is new. */
static void unreachable(struct ni_firmware* fw, struct send* send, struct outgoing* out) {
    send->status = NI_STATUS_UNREACHABLE;
    ++fw->statistics[NI_STATISTIC_STATUS + NI_STATUS_UNREACHABLE];
    out->state = OUT_LACKING;
    out->cursor = 0;
    reliable_wake(fw);
}

void outgoing_due(struct ni_firmware* fw, uint32_t index) {
    struct outgoing* const out = &fw->reliable.outgoing[index];
    struct send* const send = &fw->sends[index];
    if (out->repair == REPAIR_LATER && clock_look(fw, out->at)) {
        out->repair = REPAIR_NOW;
        reliable_wake(fw);
    }
    if (out->state != OUT_SENT || !clock_look(fw, out->deadline)) return;
    if (out->asked == load(fw, NI_RELIABLE_ATTEMPTS)) {
        unreachable(fw, send, out);
        return;
    }
    ++out->asked;
    out->heard = 0;
    out->asking = true;
    out->cursor = 0;
    repairs_age(fw, send);
    const uint32_t most = (uint32_t)CLOCK_MOST >> (out->asked < 30 ? out->asked : 30);
    out->deadline = clock_alarm(fw, out->timeout < most ? out->timeout << out->asked : CLOCK_MOST);
    reliable_wake(fw);
}

/* ---- what is said to receivers, and about them ---- */

static bool probe(struct ni_firmware* fw, const struct send* send, const struct outgoing* out, uint32_t flags) {
    const struct outflow* const flow = flow_of(fw, out);
    const uint32_t to =
        flow->group != NO_GROUP ? group_load(fw, out->receipts, RECEIPTS_FIRST + out->cursor) : send->to & NO_HOST;
    return repairs_ask(fw, flow, send->message, to, flags);
}

static enum progress ask(struct ni_firmware* fw, const struct send* send, struct outgoing* out) {
    while (out->cursor < out->children && (out->have >> out->cursor & 1) != 0) ++out->cursor;
    if (out->cursor == out->children) {
        out->asking = false;
        return PROGRESS_NONE;
    }
    if (!probe(fw, send, out, 0)) return PROGRESS_BLOCKED;
    ++out->cursor;
    return PROGRESS_MADE;
}

static enum progress let_forget(struct ni_firmware* fw, const struct send* send, struct outgoing* out) {
    if (out->cursor == out->children || send->fetched == 0) { /* nobody knows of it */
        out->state = OUT_ENDED;
        return PROGRESS_MADE;
    }
    if (!probe(fw, send, out, CONTROL_FORGET)) return PROGRESS_BLOCKED;
    ++out->cursor;
    return PROGRESS_MADE;
}

static struct completion facts(const struct send* send, const struct outgoing* out) {
    return (struct completion){.status = (enum ni_status)send->status,
                               .cookie = send->cookie,
                               .source = NO_HOST,
                               .message = out->given,
                               .length = send->length,
                               .tag = send->tag,
                               .group = send->group & NO_GROUP};
}

/* The next that lacks the message: children that have said nothing, then members that were reported; NO_HOST: none. */
static uint32_t next_lacking(struct ni_firmware* fw, const struct send* send, struct outgoing* out) {
    while (out->cursor < out->children) {
        const uint32_t child = out->cursor++;
        if (((out->have | out->heard) >> child & 1) != 0 && out->receipts != GROUP_NONE) continue;
        return out->receipts != GROUP_NONE ? group_load(fw, out->receipts, RECEIPTS_FIRST + child) : send->to & NO_HOST;
    }
    while (out->receipts != GROUP_NONE && out->cursor - out->children < REPAIRS) {
        const struct repair* const one = &fw->reliable.repairs[out->cursor++ - out->children];
        if (one->send == send_number(fw, send) && !one->old && (out->have >> one->via & 1) == 0) return one->member;
    }
    return NO_HOST;
}

static enum progress tell_lacking(struct ni_firmware* fw, const struct send* send, struct outgoing* out) {
    if (!report_room(fw)) return PROGRESS_BLOCKED;
    struct completion completion = facts(send, out);
    completion.kind = NI_COMPLETION_LACKS;
    completion.source = next_lacking(fw, send, out);
    if (completion.source == NO_HOST) {
        give_up(fw, send, out);
        return PROGRESS_MADE;
    }
    if (out->culprit == NO_HOST) out->culprit = completion.source;
    report(fw, send->process, &completion);
    return PROGRESS_MADE;
}

enum progress outgoing_next(struct ni_firmware* fw) {
    for (uint32_t i = 0; i < fw->sends_touched; ++i) {
        struct outgoing* const out = &fw->reliable.outgoing[i];
        const struct send* const send = &fw->sends[i];
        enum progress done = PROGRESS_NONE;
        if (out->state == OUT_SENT && out->asking) done = ask(fw, send, out);
        if (out->state == OUT_LACKING)
            done = tell_lacking(fw, send, out);
        else if (out->state == OUT_FORGET)
            done = let_forget(fw, send, out);
        if (done != PROGRESS_NONE) return done;
    }
    return PROGRESS_NONE;
}

enum progress outgoing_end(struct ni_firmware* fw, uint32_t* process) {
    for (uint32_t i = 0; i < fw->sends_touched; ++i) {
        struct outgoing* const out = &fw->reliable.outgoing[i];
        struct send* const send = &fw->sends[i];
        if (out->state != OUT_ENDED || out->fetching != 0) continue;
        if (!report_room(fw)) return PROGRESS_BLOCKED;
        const bool failed = send->status != NI_STATUS_OK;
        if (!failed) ++fw->statistics[NI_STATISTIC_MESSAGES_SENT];
        if (out->receipts != GROUP_NONE) group_release(fw, send->list);
        if (send->operation == NI_COMMAND_SEND_WORM) route_release(fw, send->command);
        struct completion completion = facts(send, out);
        completion.kind = failed ? NI_COMPLETION_FAILED : NI_COMPLETION_SENT;
        completion.source = out->culprit;
        completion.source_process = out->why;
        report(fw, send->process, &completion);
        out->state = OUT_NONE;
        --fw->process[send->process].sends_used;
        send->next = fw->sends_free;
        fw->sends_free = send_number(fw, send);
        *process = send->process;
        return PROGRESS_MADE;
    }
    return PROGRESS_NONE;
}
