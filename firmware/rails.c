/* SPDX-License-Identifier: Apache-2.0 */
#include "rails.h"

#include "clock.h"
#include "control.h"
#include "hardware.h"
#include "job_ids.h"
#include "jobs.h"
#include "messages.h"
#include "send_queue.h"

/* Who asks, and since when: the smaller ticket is older; they run modulo 2^32. */
struct asker {
    uint32_t who; /* 23..0 host, 31..24 process there */
    uint32_t ticket;
    uint32_t job_id; /* of that process: who forges another one's number is somebody else */
};

/* An end is kept for a process: its ticket counts from its last turn, which may have been meanwhile. */
static bool same(const struct asker* a, const struct asker* b) {
    return a->who == b->who && a->job_id == b->job_id;
}

static bool older(const struct asker* a, const struct asker* b) {
    if (a->ticket != b->ticket) return (int32_t)(a->ticket - b->ticket) < 0;
    const uint32_t left = a->who & NO_HOST;
    const uint32_t right = b->who & NO_HOST;
    return left != right ? left < right : a->who < b->who;
}

static struct asker kept_for(const struct ni_firmware* fw) {
    return (struct asker){fw->rail.kept_for, fw->rail.kept_ticket, fw->rail.kept_job_id};
}

/* ---- turns ---- */

/* A ticket as it counts: of no later time than now, and at most so old. */
static uint32_t counted(uint32_t now, uint32_t ticket, uint32_t most) {
    const uint32_t age = now - ticket;
    if (age > INT32_MAX) return now;
    return now - (age < most ? age : most);
}

static struct asker own_asker(const struct ni_firmware* fw, uint32_t process, uint32_t ticket) {
    const uint32_t now = clock_now(fw);
    return (struct asker){fw->host | process << 24, counted(now, ticket, now - fw->turns.own[process]),
                          job_id_of_process(fw, process)};
}

static uint32_t* turn_of_other(struct ni_firmware* fw, uint32_t who, uint32_t job_id) {
    return &fw->turns.others[(who ^ job_id * 0x85ebca6bu) * 0x9e3779b1u >> (32 - RAIL_OTHERS_BITS)];
}

/* Who sent a request. The other interface counts the ticket, too, but has seen the last turn end earlier. */
static struct asker other_asker(struct ni_firmware* fw, const struct packet* packet) {
    const uint32_t who = packet->source | packet->source_process << 24;
    const uint32_t now = clock_now(fw);
    const uint32_t job_id = job_id_of_slot(fw, packet->slot);
    const uint32_t since = now - *turn_of_other(fw, who, job_id);
    return (struct asker){who, counted(now, packet->tag, since < UINT32_MAX - RAIL_LIFE ? since + RAIL_LIFE : since),
                          job_id};
}

static void had_turn(struct ni_firmware* fw, uint32_t who, uint32_t job_id) {
    if ((who & NO_HOST) == fw->host)
        fw->turns.own[who >> 24] = clock_now(fw);
    else
        *turn_of_other(fw, who, job_id) = clock_now(fw);
}

/* ---- promises and what is kept ---- */

/* Both are given up after two to three ticks, and the ticks run while something is counted as half-received. */
static void begin_wait(struct ni_firmware* fw, uint8_t* tick) {
    *tick = fw->tick;
    half_received(fw);
}

static void unkeep(struct ni_firmware* fw) {
    if (!fw->rail.kept) return;
    fw->rail.kept = false;
    --fw->half;
}

/* Keeps the interface for `who` unless it is kept for somebody older. Returns true if it is kept for `who` now. */
static bool keep(struct ni_firmware* fw, const struct asker* who) {
    struct rail* const rail = &fw->rail;
    const struct asker now = kept_for(fw);
    if (rail->kept && !same(who, &now) && !older(who, &now)) return false;
    fw->turns.kept_at = clock_now(fw);
    if (!rail->kept) begin_wait(fw, &rail->kept_tick);
    rail->kept = true;
    rail->kept_for = who->who;
    rail->kept_ticket = who->ticket;
    rail->kept_job_id = who->job_id;
    rail->kept_tick = fw->tick;
    return true;
}

static bool kept_from(const struct ni_firmware* fw, const struct asker* who) {
    const struct asker now = kept_for(fw);
    return fw->rail.kept && !same(who, &now) && older(&now, who);
}

static void unkeep_for(struct ni_firmware* fw, const struct asker* who) {
    const struct asker now = kept_for(fw);
    if (same(who, &now)) unkeep(fw);
}

/* What is kept for another message of the process stays. */
static void withdraw(struct ni_firmware* fw, const struct asker* who) {
    if (fw->rail.kept_ticket == who->ticket) unkeep_for(fw, who);
}

/* The promise ends: its message has come, or does not come, or the next one takes its place. */
static void promise_used(struct ni_firmware* fw) {
    had_turn(fw, fw->rail.peer | fw->rail.promised_process << 24, fw->rail.promised_job_id);
    fw->rail.state = RAIL_IDLE;
    --fw->half;
}

/* ---- own messages ---- */

/* Who has asked on behalf of a send, whose ticket is as it counts. */
static struct asker asker_of(const struct ni_firmware* fw, const struct send* send) {
    return (struct asker){fw->host | (uint32_t)send->process << 24, send->group, job_id_of_process(fw, send->process)};
}

static void fail(struct ni_firmware* fw, struct send* send, bool kept) {
    send->status = NI_STATUS_BUSY;
    send->kept = kept;
    ++fw->statistics[NI_STATISTIC_STATUS + NI_STATUS_BUSY];
    send_finish(fw, send);
}

static struct send* asking(struct ni_firmware* fw) {
    return &fw->sends[fw->rail.send - 1];
}

/* The own request comes to nothing. */
static void give_up(struct ni_firmware* fw, bool kept) {
    struct send* const send = asking(fw);
    const struct asker own = asker_of(fw, send);
    if (fw->rail.urgent) kept |= keep(fw, &own);
    fw->rail.state = RAIL_IDLE;
    --fw->half;
    fail(fw, send, kept);
}

/* Whoever has this end, or has it kept, and has not used it for long, has had its turn. */
static void lapse(struct ni_firmware* fw, bool unused, bool kept_in_vain) {
    struct rail* const rail = &fw->rail;
    if (unused && rail->state == RAIL_PROMISED) promise_used(fw);
    if (unused && rail->state == RAIL_ASKING) {
        const struct asker own = asker_of(fw, asking(fw));
        had_turn(fw, own.who, own.job_id);
        rail->urgent = false;
        give_up(fw, false);
    }
    if (kept_in_vain && rail->kept) {
        had_turn(fw, rail->kept_for, rail->kept_job_id);
        unkeep(fw);
    }
}

/* Somebody else asks. */
static void lapse_for_other(struct ni_firmware* fw) {
    const uint32_t now = clock_now(fw);
    lapse(fw, now - fw->turns.used_at > RAIL_LIFE, now - fw->turns.kept_at > RAIL_LIFE);
}

/* Sends a control packet. Returns false if no slot is free. */
static bool say(struct ni_firmware* fw, uint32_t to, uint32_t word, const struct send* send, const struct asker* own) {
    const uint32_t slot = slot_allocate(fw);
    if (slot == SLOT_NONE) return false;
    const uint32_t address = slot_address(fw, slot);
    store(fw, address + SLOT_KIND, KIND_UNICAST | 1u << 16);
    store(fw, address + SLOT_SOURCE, fw->host);
    store(fw, address + SLOT_OP, OP_CONTROL | own->who >> 24 << 16);
    store(fw, address + SLOT_GROUP, word);
    store(fw, address + SLOT_MESSAGE, send != NULL ? send->message : 0);
    store(fw, address + SLOT_OFFSET, fw->rail.attempt);
    store(fw, address + SLOT_TOTAL, send != NULL ? send->length : 0);
    store(fw, address + SLOT_TAG, own->ticket);
    store(fw, address + SLOT_SEQUENCE, fw->sequence++);
    store(fw, address + SLOT_CURSOR, to);
    store(fw, address + SLOT_JOB, JOB_ONE | JOB_OWN);
    job_begin(fw, slot);
    return true;
}

void rail_ask(struct ni_firmware* fw, struct send* send, bool urgent) {
    struct rail* const rail = &fw->rail;
    const struct asker own = own_asker(fw, send->process, send->group);
    send->group = own.ticket;
    lapse_for_other(fw);
    if (rail->state != RAIL_IDLE || kept_from(fw, &own)) {
        fail(fw, send, urgent && keep(fw, &own));
        return;
    }
    ++rail->attempt;
    if (!say(fw, send->to & NO_HOST, RAIL_REQUEST | (urgent ? RAIL_URGENT : 0u), send, &own)) {
        fail(fw, send, false);
        return;
    }
    fw->turns.used_at = clock_now(fw);
    begin_wait(fw, &rail->tick);
    rail->state = RAIL_ASKING;
    rail->urgent = urgent;
    rail->peer = send->to & NO_HOST;
    rail->send = send_number(fw, send);
}

void rail_sent(struct ni_firmware* fw, const struct send* send) {
    struct rail* const rail = &fw->rail;
    if (rail->state != RAIL_SENDING || rail->send != send_number(fw, send)) return;
    const struct asker own = asker_of(fw, send);
    rail->state = RAIL_IDLE;
    had_turn(fw, own.who, own.job_id);
    /* What is missing of a message that failed would be waited for. Without a slot the promise ends by itself. */
    if (send->status != NI_STATUS_OK) say(fw, rail->peer, RAIL_CANCEL, send, &own);
}

bool rail_withdraw(struct ni_firmware* fw, uint32_t process, uint32_t to, uint32_t ticket) {
    const struct asker own = own_asker(fw, process, ticket);
    if (!say(fw, to, RAIL_WITHDRAW, NULL, &own)) return false;
    withdraw(fw, &own);
    return true;
}

/* ---- requests of others ---- */

static void promise(struct ni_firmware* fw, const struct packet* packet) {
    struct rail* const rail = &fw->rail;
    fw->turns.used_at = clock_now(fw);
    begin_wait(fw, &rail->tick);
    rail->state = RAIL_PROMISED;
    rail->peer = packet->source;
    rail->promised_attempt = packet->offset;
    rail->promised_process = packet->source_process;
    rail->promised_message = packet->message;
    rail->promised_job_id = job_id_of_slot(fw, packet->slot);
    rail->left = packet->total;
}

/* The rail is promised to the sender of the packet, who has the job that the request had. */
static bool promised_to(const struct ni_firmware* fw, const struct packet* packet) {
    const struct rail* const rail = &fw->rail;
    return rail->state == RAIL_PROMISED && rail->peer == packet->source &&
           job_id_of_slot(fw, packet->slot) == rail->promised_job_id;
}

/* The word that answers a request. */
static uint32_t decide(struct ni_firmware* fw, const struct packet* packet) {
    struct rail* const rail = &fw->rail;
    lapse_for_other(fw);
    if (promised_to(fw, packet)) {
        if ((int32_t)(packet->offset - rail->promised_attempt) < 0) return RAIL_REFUSE; /* overtaken by a later one */
        promise_used(fw); /* though not all of its message is here */
    }
    const struct asker other = other_asker(fw, packet);
    bool busy = rail->state != RAIL_IDLE || kept_from(fw, &other);
    if (rail->state == RAIL_ASKING) {
        const struct asker own = asker_of(fw, asking(fw));
        busy = older(&own, &other); /* for whoever it is kept meanwhile is younger than both */
        if (!busy) give_up(fw, false);
    }
    if (busy) {
        const bool kept = (packet->group & RAIL_URGENT) != 0 && keep(fw, &other);
        return RAIL_REFUSE | (kept ? RAIL_KEPT : 0u);
    }
    unkeep_for(fw, &other);
    promise(fw, packet);
    return RAIL_GRANT;
}

/* The slot of a control packet goes back to its sender with another word. */
static void answer(struct ni_firmware* fw, const struct packet* packet, uint32_t word) {
    control_answer(fw, packet->slot, packet->source, word);
    fw->handover = packet->slot + 1;
}

static bool answers_mine(const struct ni_firmware* fw, const struct packet* packet) {
    const struct rail* const rail = &fw->rail;
    return rail->state == RAIL_ASKING && rail->peer == packet->source && rail->attempt == packet->offset &&
           job_id_fits(fw, packet->slot, fw->sends[rail->send - 1].process);
}

static void granted(struct ni_firmware* fw) {
    struct send* const send = asking(fw);
    const struct asker own = asker_of(fw, send);
    unkeep_for(fw, &own);
    fw->rail.state = RAIL_SENDING;
    --fw->half;
    send_begin(fw, send);
}

bool rail_control(struct ni_firmware* fw, const struct packet* packet) {
    struct rail* const rail = &fw->rail;
    switch (packet->group & CONTROL_WORD_MASK) {
        case RAIL_REQUEST:
            if (packet->total == 0 || packet->total > NI_RESERVE_BYTES) return false;
            answer(fw, packet, decide(fw, packet));
            return true;
        case RAIL_GRANT:
            if (!answers_mine(fw, packet)) {
                answer(fw, packet, RAIL_CANCEL); /* it was given up meanwhile */
                return true;
            }
            granted(fw);
            break;
        case RAIL_REFUSE:
            if (answers_mine(fw, packet)) give_up(fw, (packet->group & RAIL_KEPT) != 0);
            break;
        case RAIL_CANCEL:
            if (promised_to(fw, packet) && rail->promised_attempt == packet->offset) promise_used(fw);
            break;
        case RAIL_WITHDRAW: {
            const struct asker other = other_asker(fw, packet);
            withdraw(fw, &other);
            break;
        }
        default: return false;
    }
    slot_release(fw, packet->slot);
    return true;
}

void rail_arrived(struct ni_firmware* fw, const struct packet* packet) {
    struct rail* const rail = &fw->rail;
    if (!promised_to(fw, packet) || rail->promised_message != packet->message ||
        rail->promised_process != packet->source_process)
        return;
    rail->tick = fw->tick;
    fw->turns.used_at = clock_now(fw);
    rail->left = rail->left > packet->length ? rail->left - packet->length : 0;
    if (rail->left == 0) promise_used(fw);
}

void rail_expire(struct ni_firmware* fw) {
    const struct rail* const rail = &fw->rail;
    lapse(fw, (uint8_t)(fw->tick - rail->tick) >= 2, (uint8_t)(fw->tick - rail->kept_tick) >= 2);
}
