/* SPDX-License-Identifier: Apache-2.0 */
#include "send.h"

#include "control.h"
#include "counters.h"
#include "groups.h"
#include "hardware.h"
#include "jobs.h"
#include "report.h"
#include "routes.h"
#include "send_queue.h"
#include "ties.h"
#include "trains.h"
#include "windows.h"

/* ---- packets ---- */

static inline void write_header(struct ni_firmware* fw, const struct send* send, uint32_t slot, uint32_t length) {
    const bool group = send->operation == NI_COMMAND_SEND_GROUP || (send->op & (OP_OPERAND | OP_RELIABLE)) != 0;
    const uint32_t address = slot_address(fw, slot);
    store(fw, address + SLOT_KIND, send->kind | length << 16);
    store(fw, address + SLOT_SOURCE, fw->host);
    store(fw, address + SLOT_OP, send->op | (send->to >> 24) << 8 | (uint32_t)send->process << 16);
    store(fw, address + SLOT_GROUP, group ? send->group & NO_GROUP : NO_GROUP);
    store(fw, address + SLOT_MESSAGE, send->message);
    store(fw, address + SLOT_OFFSET, send->fetched);
    store(fw, address + SLOT_TOTAL, send->length);
    store(fw, address + SLOT_TAG, send->tag);
}

static void write_statistics(struct ni_firmware* fw, const struct send* send, uint32_t slot, uint32_t length) {
    const uint32_t address = slot_address(fw, slot) + SLOT_PAYLOAD;
    for (uint32_t byte = 0; byte < length; byte += 4)
        store(fw, address + byte, fw->statistics[(send->fetched + byte) / 4]);
}

/* Bytes of a message in one packet; whole words of statistics. */
static uint32_t part(const struct ni_firmware* fw, const struct send* send) {
    const uint32_t left = send->length - send->fetched;
    uint32_t most = fw->payload;
    if (send->operation == NI_COMMAND_STATISTICS) most = most < 4 ? 4 : most & ~3u;
    return left < most ? left : most;
}

/* True if the next packet of a gated send may go. Else whatever it waits for wakes its queue. */
static bool may_go(struct ni_firmware* fw, struct send* send) {
    const uint32_t length = part(fw, send);
    if (send->fetched + length > send->allowed) {
        send->allowed = counters_allow(fw, send);
        if (send->fetched + length > send->allowed) return false;
    }
    return send->limit == 0 || window_open(fw, send, length);
}

/* The send whose turn it is, or NULL. */
static struct send* whose_turn(struct ni_firmware* fw) {
    while (fw->send_first != 0) {
        struct send_queue* const queue = &fw->queues[fw->send_first - 1];
        if (queue->sends.head != 0) {
            struct send* const send = &fw->sends[queue->sends.head - 1];
            if (!send->gated || may_go(fw, send)) return send;
        }
        queue->has_turn = false; /* its sends have failed, or the first one waits */
        fw->send_first = queue->next;
    }
    return NULL;
}

/* The next queue's turn comes. */
static void end_turn(struct ni_firmware* fw, struct send* send) {
    const uint32_t number = fw->send_first - 1u;
    struct send_queue* const queue = &fw->queues[number];
    fw->send_first = queue->next;
    queue->has_turn = false;
    if (send->fetched == send->length) queue->sends.head = send->next;
    send_wake(fw, number);
}

/* Somebody has found no slot: messages in turn that need more of them than there are must not wait for any. */
static RARE bool relieve(struct ni_firmware* fw) {
    fw->slots_short = false;
    train_flush_own(fw);
    return true;
}

bool send_fetch(struct ni_firmware* fw) {
    if (fw->window == WINDOW) return false;
    if (fw->slots_gone) return fw->slots_short && relieve(fw);
    struct send* const send = whose_turn(fw);
    if (send == NULL || !dma_space(fw)) return false;
    const uint32_t slot = slot_allocate(fw);
    if (slot == SLOT_NONE) return relieve(fw);
    const bool statistics = send->operation == NI_COMMAND_STATISTICS;
    const uint32_t length = part(fw, send);
    if (statistics)
        write_statistics(fw, send, slot, length);
    else
        write_header(fw, send, slot, length);
    slot_store(fw, slot, SLOT_LINK, send_number(fw, send) - 1u);
    slot_store(fw, slot, SLOT_JOB, 0);
    store(fw, NI_DMA_WINDOW, send->window | (uint32_t)send->process << NI_DMA_WINDOW_PROCESS_SHIFT);
    store(fw, NI_DMA_OFFSET, send->offset + send->fetched);
    store(fw, NI_DMA_ADDRESS, slot_address(fw, slot) + SLOT_PAYLOAD);
    store(fw, NI_DMA_LENGTH, length);
    store(fw, NI_DMA_PUSH,
          (statistics ? NI_DMA_PUSH_TO_HOST_MASK : 0) | NI_DMA_PUSH_NOTIFY_MASK |
              (uint32_t)COOKIE_FETCH << COOKIE_KIND_SHIFT | slot);
    space_use(fw, &fw->dma);
    send->fetched += length;
    if (send->limit != 0) send->under_way += length;
    ++send->in_flight;
    ++fw->window;
    end_turn(fw, send);
    return true;
}

/* ---- ended transfers ---- */

void send_note(struct ni_firmware* fw, uint32_t slot, bool refused) {
    if (refused) slot_store(fw, slot, SLOT_JOB, JOB_REFUSED);
    slot_append(fw, &fw->fetched, slot);
}

void send_fail(struct ni_firmware* fw, struct send* send, enum ni_status status) {
    window_end_wait(fw, send);
    send->status = (uint8_t)status;
    ++fw->statistics[NI_STATISTIC_STATUS + status];
    if (send->fetched != send->length) {
        fw->queues[send_queue_of(send)].sends.head = send->next;
        send_wake(fw, send_queue_of(send));
    }
    if (send->train != 0) train_flush(fw, send->train);
    send->train = 0;
    if (send->in_flight == 0) send_finish(fw, send);
}

static inline void to_link(struct ni_firmware* fw, const struct send* send, uint32_t slot) {
    slot_store(fw, slot, SLOT_SEQUENCE, fw->sequence++);
    if (send->operation == NI_COMMAND_SEND_GROUP) {
        const uint32_t children =
            send->train != 0 ? fw->trains[send->train - 1].children + 1u : group_load(fw, send->list, GROUP_CHILDREN);
        if (send->train != 0) fw->trains[send->train - 1].assigned += slot_load(fw, slot, SLOT_KIND) >> 16;
        slot_hold(fw, slot, children - 1);
        job_to_group(fw, slot, send->list, send->train, children, send->group >> 16, JOB_OWN | JOB_WINDOW);
    } else {
        uint32_t target = send->to & NO_HOST;
        if (send->operation == NI_COMMAND_SEND_WORM) {
            route_hold(fw, send->command, route_holds(fw, send->command) + 1);
            slot_store(fw, slot, SLOT_LINK, send->command);
            target = command_address(fw, send->command) + 4 * NI_COMMAND_WORDS;
        }
        slot_store(fw, slot, SLOT_CURSOR, target);
        slot_store(fw, slot, SLOT_JOB, JOB_ONE | JOB_OWN | JOB_WINDOW);
    }
    job_begin(fw, slot);
}

/* A packet with its header becomes one that tells the receivers of those before it that no more come. */
static void make_abort(struct ni_firmware* fw, const struct send* send, uint32_t slot) {
    const uint32_t address = slot_address(fw, slot);
    store(fw, address + SLOT_KIND, send->kind | 1u << 16);
    store(fw, address + SLOT_OP, (load(fw, address + SLOT_OP) & 0xffff00) | OP_CONTROL);
    store(fw, address + SLOT_TAG, load(fw, address + SLOT_GROUP) & NO_GROUP);
    store(fw, address + SLOT_GROUP, CONTROL_ABORT);
}

/* The first packet of a send that could not be read tells so, if others have left. Reliable messages end in another
 * way. */
static RARE void tell(struct ni_firmware* fw, struct send* send, uint32_t slot) {
    if ((send->op & OP_RELIABLE) != 0 || send->operation == NI_COMMAND_STATISTICS) return;
    if (slot_load(fw, slot, SLOT_OFFSET) == 0) return;
    make_abort(fw, send, slot);
    if (send->train == 0) {
        to_link(fw, send, slot);
        return;
    }
    /* Not before what the other children lack. It takes no place among the packets that are fetched. */
    const uint32_t children = fw->trains[send->train - 1].children + 1u;
    --fw->window;
    slot_store(fw, slot, SLOT_SEQUENCE, fw->sequence++);
    slot_hold(fw, slot, children - 1);
    job_to_group(fw, slot, send->list, 0, children, send->group >> 16, JOB_OWN);
    train_end_with(fw, send->train, slot);
}

bool send_expire(struct ni_firmware* fw, uint32_t index) {
    struct send* const send = &fw->sends[index];
    if (!send->waiting || (uint8_t)(fw->tick - send->tick) < 2) return false;
    send_fail(fw, send, NI_STATUS_INCOMPLETE);
    const uint32_t slot = slot_allocate(fw);
    if (slot == SLOT_NONE) return true; /* the receiver has to find out by itself */
    write_header(fw, send, slot, 1);
    make_abort(fw, send, slot);
    slot_store(fw, slot, SLOT_SEQUENCE, fw->sequence++);
    slot_store(fw, slot, SLOT_CURSOR, send->to & NO_HOST);
    slot_store(fw, slot, SLOT_JOB, JOB_ONE | JOB_OWN);
    job_begin(fw, slot);
    return true;
}

/* A packet that does not leave, unless it has become one that tells why. */
static void drop(struct ni_firmware* fw, uint32_t slot, bool refused) {
    if (refused && slot_load(fw, slot, SLOT_JOB) != JOB_REFUSED) return;
    slot_release(fw, slot);
    --fw->window;
}

/* The first of its send. */
static RARE void refuse(struct ni_firmware* fw, struct send* send, uint32_t slot) {
    tell(fw, send, slot);
    send_fail(fw, send, NI_STATUS_REFUSED);
}

static void fetched_one(struct ni_firmware* fw, uint32_t slot) {
    struct send* const send = &fw->sends[slot_load(fw, slot, SLOT_LINK)];
    const bool refused = slot_load(fw, slot, SLOT_JOB) == JOB_REFUSED;
    if (refused && send->status == NI_STATUS_OK) refuse(fw, send, slot);
    --send->in_flight;
    if (send->status != NI_STATUS_OK || send->operation == NI_COMMAND_STATISTICS)
        drop(fw, slot, refused);
    else
        to_link(fw, send, slot);
    if (send->in_flight != 0 || (send->fetched != send->length && send->status == NI_STATUS_OK)) return;
    send->train = 0; /* it goes on alone */
    send_finish(fw, send);
}

void send_fetched(struct ni_firmware* fw) {
    while (fw->fetched.head != 0) fetched_one(fw, slot_take(fw, &fw->fetched));
}

uint32_t send_end(struct ni_firmware* fw) {
    struct send* const send = &fw->sends[fw->ended.head - 1];
    fw->ended.head = send->next;
    if (send->ties != 0 && tied(fw, send)) return send->process;
    const bool statistics = send->operation == NI_COMMAND_STATISTICS;
    if (send->operation == NI_COMMAND_SEND_GROUP) {
        const uint32_t entry = group_find(fw, fw->host, send->group & NO_GROUP);
        const bool once = (group_load(fw, send->list, GROUP_FLAGS) & NI_GROUP_ONCE) != 0;
        if (once && group_list_of(fw, entry, send->process) == send->list) group_forget(fw, entry, send->list);
        group_release(fw, send->list);
    }
    if (send->operation == NI_COMMAND_SEND_WORM) route_release(fw, send->command);
    const bool failed = send->status != NI_STATUS_OK;
    if (!failed && !statistics) ++fw->statistics[NI_STATISTIC_MESSAGES_SENT];
    const struct completion completion = {
        .kind = failed       ? NI_COMPLETION_FAILED
                : statistics ? NI_COMPLETION_STATISTICS
                             : NI_COMPLETION_SENT,
        .status = (enum ni_status)send->status,
        .cookie = send->cookie,
        .source = NO_HOST,
        .message = send->message,
        .length = send->length,
        .tag = send->tag,
        .group = send->status == NI_STATUS_BUSY             ? send->kept
                 : send->operation == NI_COMMAND_SEND_GROUP ? send->group & NO_GROUP
                                                            : NO_GROUP,
    };
    report(fw, send->process, &completion);
    --fw->process[send->process].sends_used;
    send->next = fw->sends_free;
    fw->sends_free = send_number(fw, send);
    return send->process;
}
