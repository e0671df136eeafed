/* SPDX-License-Identifier: Apache-2.0 */
/* What is done next. Events are only noted, in queues that cannot overflow, so that whatever has no room now (link,
 * transfers, slots, completions) waits there while everything else goes on. */
#include "clock.h"
#include "commands.h"
#include "counters.h"
#include "events.h"
#include "forward.h"
#include "groups.h"
#include "hardware.h"
#include "jobs.h"
#include "messages.h"
#include "quotas.h"
#include "rails.h"
#include "receive.h"
#include "reliable.h"
#include "report.h"
#include "send.h"
#include "trains.h"

enum { SENDING = 0, RECEIVING = 1, SWEEP = 32 };

/* Kinds of work besides packets and new commands, in the order of their turns. */
enum other { OTHER_COUNTS, OTHER_COMMANDS, OTHER_TRAINS, OTHER_GROUPS, OTHER_LARGE, OTHER_RELIABLE, OTHERS };

size_t ni_firmware_size(void) {
    return sizeof(struct ni_firmware);
}

void ni_firmware_start(struct ni_firmware* firmware, const struct ni_hardware* hardware) {
    struct ni_firmware* const fw = firmware;
    if (hardware != NULL) fw->hardware = *hardware;
    fw->host = load(fw, NI_HOST);
    fw->hosts = load(fw, NI_HOSTS);
    fw->payload = load(fw, NI_PAYLOAD);
    fw->slot_bytes = load(fw, NI_SLOT_BYTES);
    fw->stop_bytes = load(fw, NI_STOP_BYTES);
    fw->stops = load(fw, NI_STOPS);
    fw->units = load(fw, NI_UNITS);
    fw->job_ids = (load(fw, NI_OPTIONS) & NI_OPTIONS_JOBS_MASK) != 0;
    fw->processes = load(fw, NI_PROCESSES);
    fw->command_bytes = load(fw, NI_COMMAND_BYTES);
    fw->command_entries = load(fw, NI_COMMAND_ENTRIES);
    const bool good = fw->payload != 0 && fw->processes != 0 && fw->processes <= PROCESSES &&
                      fw->command_entries != 0 && fw->command_entries <= COMMANDS / fw->processes;
    if (!good) {
        store(fw, NI_PANIC, NI_PANIC_SIZES);
        return;
    }
    if ((fw->payload & (fw->payload - 1)) == 0) fw->payload_mask = fw->payload - 1;
    fw->buffer_quota = MESSAGES / fw->processes;
    fw->send_quota = SENDS / fw->processes;
    fw->counter_quota = COUNTERS / fw->processes;
    fw->sweep = SWEPT;
    quota_set_up(&fw->bitmap_quota, BITMAPS, fw->processes);
    quota_set_up(&fw->train_quota, TRAINS, fw->processes);
    quota_set_up(&fw->group_quota, load(fw, NI_GROUP_ENTRIES), fw->processes);
}

/* Part of the look for what waits, half-received messages mostly, and is silent. */
static void sweep(struct ni_firmware* fw) {
    bool any = false; /* one that goes is enough */
    for (uint32_t i = 0; i < SWEEP && fw->sweep < SWEPT && !any; ++i, ++fw->sweep) {
        if (fw->sweep < MESSAGES)
            any = message_expire(fw, fw->sweep);
        else if (fw->sweep < MESSAGES + TRAINS)
            any = train_expire(fw, fw->sweep - MESSAGES);
        else
            any = send_expire(fw, fw->sweep - MESSAGES - TRAINS);
    }
    if (fw->sweep < SWEPT) return;
    rail_expire(fw);
    clock_swept(fw);
}

/* Ended transfers and copies: what others wait for. */
static enum ni_operation send_out(struct ni_firmware* fw) {
    fw->role = SENDING;
    if (fw->fetched.head != 0) send_fetched(fw);
    if (fw->reports[SENDING].count != 0 && report_flush(fw)) return NI_OPERATION_KEEP;
    if (fw->ended.head != 0 && report_room(fw)) {
        commands_go_on(fw, send_end(fw));
        return NI_OPERATION_KEEP;
    }
    if (forward_ready(fw)) {
        forward_copy(fw);
        return NI_OPERATION_SEND;
    }
    return NI_OPERATION_IDLE;
}

OFTEN enum ni_operation take_in(struct ni_firmware* fw) {
    fw->role = RECEIVING;
    if (fw->reports[RECEIVING].count != 0 && report_flush(fw)) return NI_OPERATION_KEEP;
    if (fw->arrived.head == 0 || !report_room(fw) || !dma_space(fw)) return NI_OPERATION_IDLE;
    receive_packet(fw, slot_take(fw, &fw->arrived));
    return NI_OPERATION_RECEIVE;
}

OFTEN enum ni_operation keep_up(struct ni_firmware* fw) {
    fw->role = SENDING;
    if (report_room(fw)) {
        if (fw->failed.head != 0) {
            message_report_failed(fw);
            return NI_OPERATION_KEEP;
        }
        if (fw->commanding.first != 0 && commands_take(fw)) return NI_OPERATION_COMMAND;
        if (fw->sweep < SWEPT) {
            sweep(fw);
            return NI_OPERATION_KEEP;
        }
    }
    return fw->send_first != 0 && send_fetch(fw) ? NI_OPERATION_KEEP : NI_OPERATION_IDLE;
}

static enum ni_operation work(struct ni_firmware* fw, unsigned roles) {
    enum ni_operation done = NI_OPERATION_IDLE;
    /* A receiving side of its own does not wait for copies, so it must not find a group missing whose command does:
     * commands are taken up by whoever notes them. */
    if (roles != NI_ROLE_ALL && fw->commanding.first != 0) {
        fw->role = roles == NI_ROLE_RECEIVE ? RECEIVING : SENDING;
        if (report_room(fw) && commands_take(fw)) return NI_OPERATION_COMMAND;
    }
    if ((roles & NI_ROLE_SEND) != 0) done = send_out(fw);
    if (done == NI_OPERATION_IDLE && (roles & NI_ROLE_RECEIVE) != 0) done = take_in(fw);
    if (done == NI_OPERATION_IDLE && (roles & NI_ROLE_SEND) != 0) done = keep_up(fw);
    return done;
}

/* Something else than the next copy for a large group. */
static RARE enum ni_operation overtake(struct ni_firmware* fw) {
    if (fw->jobs.head == 0 && fw->ready.head == 0) {
        fw->large = false;
        --fw->counting;
        return NI_OPERATION_IDLE;
    }
    if (forward_copies(fw) <= LARGE_GROUP) return NI_OPERATION_IDLE;
    for (;;) {
        enum ni_operation done = take_in(fw);
        if (done == NI_OPERATION_IDLE) done = keep_up(fw);
        if (done != NI_OPERATION_IDLE || !event_note(fw)) return done;
    }
}

/* Something of one kind. */
static enum ni_operation other(struct ni_firmware* fw, uint32_t kind, unsigned roles) {
    bool any = false;
    const unsigned needed = kind == OTHER_COUNTS ? NI_ROLE_RECEIVE : NI_ROLE_SEND;
    if ((roles & needed) == 0) return NI_OPERATION_IDLE;
    fw->role = kind == OTHER_COUNTS ? RECEIVING : SENDING;
    switch ((enum other)kind) {
        case OTHER_COUNTS: any = counters_pay(fw); break;
        case OTHER_COMMANDS: any = commands_go_on_with(fw); break;
        case OTHER_TRAINS: any = train_go_on(fw); break;
        case OTHER_GROUPS: any = group_go_on(fw); break;
        case OTHER_LARGE: return fw->large && roles == NI_ROLE_ALL ? overtake(fw) : NI_OPERATION_IDLE;
        default: any = reliable_work(fw, roles); break;
    }
    return any ? NI_OPERATION_KEEP : NI_OPERATION_IDLE;
}

/* What has to wait for room, takes long, or is rare, in turn, so that none of these kinds holds up another. */
static enum ni_operation others(struct ni_firmware* fw, unsigned roles) {
    for (uint32_t tried = 0; tried < OTHERS; ++tried) {
        const uint32_t kind = fw->other_turn;
        fw->other_turn = (uint8_t)(kind + 1 == OTHERS ? 0 : kind + 1);
        const enum ni_operation done = other(fw, kind, roles);
        if (done != NI_OPERATION_IDLE) return done;
    }
    return NI_OPERATION_IDLE;
}

enum ni_operation ni_firmware_step(struct ni_firmware* firmware, unsigned roles) {
    struct ni_firmware* const fw = firmware;
    if ((roles & NI_ROLE_SEND) != 0) {
        fw->dma.pending[SENDING] = 0;
        fw->link.pending[SENDING] = 0;
        if (fw->served != 0) forward_served(fw);
    }
    if ((roles & NI_ROLE_RECEIVE) != 0) {
        fw->dma.pending[RECEIVING] = 0;
        if (fw->handover != 0) {
            job_begin(fw, fw->handover - 1);
            fw->handover = 0;
        }
    }
    if (fw->counting != 0) {
        if ((roles & NI_ROLE_SEND) != 0) counters_now_set(fw, SENDING);
        if ((roles & NI_ROLE_RECEIVE) != 0) counters_now_set(fw, RECEIVING);
        /* These and everything else take turns. */
        fw->pays = !fw->pays;
        if (fw->pays) {
            const enum ni_operation done = others(fw, roles);
            if (done != NI_OPERATION_IDLE) return done;
        }
    }
    for (;;) {
        const enum ni_operation done = work(fw, roles);
        if (done != NI_OPERATION_IDLE) return done;
        if (!event_note(fw)) return fw->counting != 0 ? others(fw, roles) : NI_OPERATION_IDLE;
    }
}
