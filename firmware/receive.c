/* SPDX-License-Identifier: Apache-2.0 */
#include "receive.h"

#include "aborts.h"
#include "control.h"
#include "counters.h"
#include "groups.h"
#include "incoming.h"
#include "job_ids.h"
#include "jobs.h"
#include "messages.h"
#include "outgoing.h"
#include "packet.h"
#include "rails.h"
#include "report.h"
#include "trains.h"
#include "windows.h"

/* What is to be done with a packet. */
struct plan {
    struct message* message; /* that it is delivered to, or NULL */
    uint32_t entry;          /* of its group */
    uint32_t list;
    uint32_t children; /* that it goes on to */
    uint32_t train;    /* in which it does, plus one; 0: to all at once */
    bool loop;         /* it has no hops left, but children to go to */
};

static enum ni_status bad_status(uint32_t status) {
    if ((status & (STATUS_INCOMPLETE | STATUS_CUT | STATUS_KIND)) != 0) return NI_STATUS_MALFORMED;
    if ((status & STATUS_CHECK) != 0) return NI_STATUS_CHECK;
    return (status & STATUS_NOT_MINE) != 0 ? NI_STATUS_NOT_MINE : NI_STATUS_MALFORMED;
}

static bool payload_multiple(const struct ni_firmware* fw, uint32_t offset) {
    return (fw->payload_mask != 0 ? offset & fw->payload_mask : offset % fw->payload) == 0;
}

static bool control_good(const struct ni_firmware* fw, struct packet* packet) {
    packet->reliable = false;
    /* An ABORT may be a worm. */
    if (packet->kind > KIND_PATH || packet->source >= fw->hosts || packet->source == fw->host) return false;
    if ((packet->group & CONTROL_WORD_MASK) != CONTROL_RECEIPT) return packet->length == 1;
    return packet->length != 0 && packet->length <= fw->payload && packet->length % (4 * RECEIPT_WORDS) == 0;
}

/* A packet that is acknowledged, or belongs to a reliable message. */
static enum ni_status read_marks(const struct ni_firmware* fw, uint32_t op, struct packet* packet) {
    const bool others = packet->source < fw->hosts && packet->source != fw->host;
    packet->reliable = packet->control = (op & OP_RELIABLE) != 0;
    packet->acknowledge = !packet->control && packet->kind == KIND_UNICAST && packet->group == NO_GROUP && others;
    return packet->control && !others ? NI_STATUS_MALFORMED : NI_STATUS_OK;
}

/* Reads the header; nothing in it is trusted. */
static enum ni_status read_packet(const struct ni_firmware* fw, uint32_t slot, struct packet* packet) {
    const uint32_t address = slot_address(fw, slot);
    const uint32_t kind = load(fw, address + SLOT_KIND);
    const uint32_t op = load(fw, address + SLOT_OP);
    const uint32_t group = load(fw, address + SLOT_GROUP);
    const uint32_t status = load(fw, address + SLOT_STATUS) & STATUS_ANY;
    packet->slot = slot;
    packet->kind = kind & KIND_MASK;
    packet->length = kind >> 16;
    packet->source = load(fw, address + SLOT_SOURCE) & NO_HOST;
    packet->process = op >> 8 & 0xff;
    packet->source_process = op >> 16 & 0xff;
    packet->group = group & NO_GROUP;
    packet->hops = group >> 16;
    packet->message = load(fw, address + SLOT_MESSAGE);
    packet->offset = load(fw, address + SLOT_OFFSET);
    packet->total = load(fw, address + SLOT_TOTAL);
    packet->tag = load(fw, address + SLOT_TAG);
    packet->control = (op & OP_MASK) == OP_CONTROL;
    packet->acknowledge = false;
    if (status != 0) return bad_status(status);
    if (packet->control) return control_good(fw, packet) ? NI_STATUS_OK : NI_STATUS_MALFORMED;
    if (packet->offset >= packet->total) return NI_STATUS_MALFORMED; /* so there is at least a byte */
    const uint32_t left = packet->total - packet->offset;
    const bool good =
        packet->kind <= KIND_PATH && (op & OP_MASK) == OP_DATA && packet->source < fw->hosts + fw->units &&
        packet->length == (left < fw->payload ? left : fw->payload) && payload_multiple(fw, packet->offset);
    if (!good) return NI_STATUS_MALFORMED;
    if ((op & (OP_ACKNOWLEDGE | OP_RELIABLE)) != 0) return read_marks(fw, op, packet);
    return NI_STATUS_OK;
}

static bool deliver(struct ni_firmware* fw, const struct packet* packet, uint32_t process, struct plan* plan) {
    enum ni_status status = NI_STATUS_NO_PROCESS;
    if (process < fw->processes) plan->message = message_place(fw, packet, process, &status);
    if (plan->message == NULL) packet_error(fw, packet, status, process);
    return plan->message != NULL || status != NI_STATUS_DUPLICATE;
}

/* A packet to a multicast group: what this host's part of the group says. */
static bool plan_group(struct ni_firmware* fw, const struct packet* packet, struct plan* plan) {
    if (packet->source == fw->host) {
        packet_error(fw, packet, NI_STATUS_LOOP, 0);
        return false;
    }
    plan->entry = group_find(fw, packet->source, packet->group);
    plan->list = group_list(fw, plan->entry);
    if (plan->list == GROUP_NONE) {
        packet_error(fw, packet, NI_STATUS_UNKNOWN_GROUP, 0);
        return false;
    }
    uint32_t flags = group_load(fw, plan->list, GROUP_FLAGS);
    const uint32_t process = packet->source_process;
    if ((flags >> NI_GROUP_PROCESS_SHIFT & 0xff) != process) {
        plan->list = group_list_of(fw, plan->entry, process);
        if (plan->list == GROUP_NONE) {
            packet_error(fw, packet, NI_STATUS_UNKNOWN_GROUP, 0);
            return false;
        }
        flags = group_load(fw, plan->list, GROUP_FLAGS);
    }
    const uint32_t children = group_load(fw, plan->list, GROUP_CHILDREN);
    if (children != 0 && packet->kind != group_kind(flags)) {
        packet_error(fw, packet, NI_STATUS_MALFORMED, process);
        return false;
    }
    plan->children = children;
    bool whole = true;
    if (plan->children != 0 && packet->hops == 0) {
        plan->loop = true; /* told of only after the transfer, for which there is a place */
        plan->children = 0;
        whole = false;
    }
    if ((flags & NI_GROUP_DELIVER) == 0) return whole;
    if (!deliver(fw, packet, process, plan)) plan->children = 0; /* the children have it, too */
    return whole && plan->message != NULL;
}

/* The transfer to the host, which takes one reference off the slot unless that goes back as an acknowledgement, and
 * what tells of it. */
static void transfer(struct ni_firmware* fw, const struct packet* packet, struct message* message) {
    store(fw, NI_DMA_WINDOW, message->window | (uint32_t)message->process << NI_DMA_WINDOW_PROCESS_SHIFT);
    store(fw, NI_DMA_OFFSET, message->offset + packet->offset);
    store(fw, NI_DMA_ADDRESS, slot_address(fw, packet->slot) + SLOT_PAYLOAD);
    store(fw, NI_DMA_LENGTH, packet->length);
    const uint32_t cookie = message_cookie(fw, message);
    store(fw, NI_DMA_PUSH,
          NI_DMA_PUSH_TO_HOST_MASK |
              (packet->acknowledge ? window_cookie(fw, packet->slot, cookie) : NI_DMA_PUSH_RELEASE_SLOT_MASK | cookie));
    space_use(fw, &fw->dma);
    if (message->step != 0) counters_go_on(fw, message);
    if (message->received != message->total) return;
    ++fw->statistics[NI_STATISTIC_MESSAGES_RECEIVED];
    struct completion completion = packet_facts(packet);
    completion.kind = NI_COMPLETION_RECEIVED;
    completion.cookie = message->cookie;
    report(fw, message->process, &completion);
    message_end(fw, message);
}

/* First child first served: all packets of a message go to the children that it began with. */
static void plan_train(struct ni_firmware* fw, const struct packet* packet, struct plan* plan) {
    if ((group_load(fw, plan->list, GROUP_FLAGS) & NI_GROUP_FCFS) == 0 || packet->length == packet->total) return;
    plan->train = train_of_packet(fw, plan->list, plan->children, packet);
    if (plan->train != 0) plan->children = fw->trains[plan->train - 1].children + 1u;
}

/* The copies to the children, which the sending side makes. */
static void hand_over(struct ni_firmware* fw, const struct packet* packet, const struct plan* plan) {
    job_to_group(fw, packet->slot, plan->list, plan->train, plan->children, packet->hops - 1, 0);
    fw->handover = packet->slot + 1;
}

/* A group for one message goes when all of that has come. */
static void count_once(struct ni_firmware* fw, const struct packet* packet, const struct plan* plan) {
    if ((group_load(fw, plan->list, GROUP_FLAGS) & NI_GROUP_ONCE) == 0) return;
    uint32_t left = group_load(fw, plan->list, GROUP_ONCE_LEFT);
    if (left == 0) {
        left = packet->total;
        group_store(fw, plan->list, GROUP_ONCE_MESSAGE, packet->message);
    } else if (group_load(fw, plan->list, GROUP_ONCE_MESSAGE) != packet->message) {
        return;
    }
    left = left > packet->length ? left - packet->length : 0;
    group_store(fw, plan->list, GROUP_ONCE_LEFT, left);
    if (left == 0) group_forget(fw, plan->entry, plan->list);
}

static bool about_reliable(struct ni_firmware* fw, const struct packet* packet) {
    const bool mine = (packet->total & NO_HOST) == fw->host;
    switch (packet->group & CONTROL_WORD_MASK) {
        case CONTROL_RECEIPT: return mine ? outgoing_receipt(fw, packet) : incoming_receipt(fw, packet);
        case CONTROL_PROBE: return !mine && incoming_probe(fw, packet);
        case CONTROL_DECLINED: return mine && outgoing_declined(fw, packet);
        default: return false;
    }
}

/* The process of this host for which a control packet acts, as it says; PROCESSES: for none, or rails.c sees to it. */
static uint32_t acts_for(const struct ni_firmware* fw, const struct packet* packet) {
    switch (packet->group & CONTROL_WORD_MASK) {
        case CONTROL_ACKNOWLEDGE: return packet->source_process;
        case CONTROL_RECEIPT:
        case CONTROL_PROBE:
        case CONTROL_DECLINED: /* the members of a group are processes with the number of its source's */
            return (packet->total & NO_HOST) == fw->host || (packet->tag & NO_GROUP) != NO_GROUP
                       ? packet->total >> 24
                       : packet->tag >> 16 & 0xff;
        case CONTROL_ABORT: return packet->tag == NO_GROUP ? packet->process : packet->source_process;
        default: return PROCESSES;
    }
}

/* A control packet of another job than the process that it acts for: nobody is told, nor its sender answered. */
static RARE bool other_job(struct ni_firmware* fw, const struct packet* packet) {
    const uint32_t process = acts_for(fw, packet);
    if (job_id_fits(fw, packet->slot, process)) return false;
    ++fw->statistics[NI_STATISTIC_DROPPED];
    store(fw, NI_JOB_REFUSED, process);
    slot_release(fw, packet->slot);
    return true;
}

/* A control packet, or a part of a reliable message. Returns false if it makes no sense. */
static bool special(struct ni_firmware* fw, const struct packet* packet) {
    if (packet->reliable) {
        incoming_packet(fw, packet);
        return true;
    }
    if (fw->job_ids && other_job(fw, packet)) return true;
    const bool unicast = packet->kind == KIND_UNICAST;
    if (unicast && (window_control(fw, packet) || rail_control(fw, packet))) return true;
    if (!unicast || !about_reliable(fw, packet)) return abort_control(fw, packet); /* the rarest, and maybe a worm */
    slot_release(fw, packet->slot);
    return true;
}

void receive_packet(struct ni_firmware* fw, uint32_t slot) {
    struct packet packet;
    struct plan plan = {.message = NULL, .list = GROUP_NONE};
    ++fw->statistics[NI_STATISTIC_PACKETS_RECEIVED];
    enum ni_status status = read_packet(fw, slot, &packet);
    if (status == NI_STATUS_OK && packet.control) {
        if (special(fw, &packet)) return;
        status = NI_STATUS_MALFORMED;
    }
    bool whole = true;
    if (status == NI_STATUS_OK) rail_arrived(fw, &packet);
    if (status != NI_STATUS_OK)
        packet_error(fw, &packet, status, 0);
    else if (packet.group != NO_GROUP)
        whole = plan_group(fw, &packet, &plan);
    else
        deliver(fw, &packet, packet.process, &plan);
    if (plan.children > 1) plan_train(fw, &packet, &plan);
    const uint32_t references = plan.children + (plan.message != NULL);
    if (!whole || references == 0) ++fw->statistics[NI_STATISTIC_DROPPED];
    if (references == 0) {
        if (packet.acknowledge)
            window_dropped(fw, slot);
        else
            slot_release(fw, slot);
    } else {
        /* Those who take a reference away are told only now. */
        slot_hold(fw, slot, references - 1);
        if (plan.children != 0) hand_over(fw, &packet, &plan);
        if (plan.message != NULL) transfer(fw, &packet, plan.message);
    }
    if (plan.loop) { /* of the process's job, as all of a group; the slot may be gone */
        struct completion about = packet_facts(&packet);
        report_error(fw, NI_STATUS_LOOP, packet.source_process, &about);
    }
    if (plan.list != GROUP_NONE && references != 0) count_once(fw, &packet, &plan);
}
