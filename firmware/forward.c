/* SPDX-License-Identifier: Apache-2.0 */
#include "forward.h"

#include "groups.h"
#include "routes.h"
#include "trains.h"

bool forward_ready(struct ni_firmware* fw) {
    return (fw->jobs.head != 0 || fw->ready.head != 0) && link_space(fw);
}

static void push(struct ni_firmware* fw, uint32_t slot, uint32_t target, uint32_t hops, bool own) {
    store(fw, target <= NO_HOST ? NI_LINK_DESTINATION : NI_LINK_ROUTE, target);
    store(fw, NI_LINK_HOPS, hops);
    store(fw, NI_LINK_PUSH, slot | (own ? NI_LINK_PUSH_SEAL_MASK : 0));
    space_use(fw, &fw->link);
    ++fw->statistics[own ? NI_STATISTIC_PACKETS_SENT : NI_STATISTIC_PACKETS_FORWARDED];
}

/* The first packet of the queue has been copied as often as it will be for now. */
static void end_job(struct ni_firmware* fw, uint32_t next, uint32_t job) {
    fw->jobs.head = next;
    ++fw->jobs_out;
    if ((job & JOB_WINDOW) != 0) --fw->window;
}

/* One copy of the oldest packet. All words are read before the push: the copy may be the slot's last reference. */
static void copy_packet(struct ni_firmware* fw) {
    const uint32_t slot = fw->jobs.head - 1;
    const uint32_t next = slot_load(fw, slot, SLOT_NEXT);
    const uint32_t job = slot_load(fw, slot, SLOT_JOB);
    const uint32_t hops = job >> JOB_HOPS_SHIFT;
    const bool own = (job & JOB_OWN) != 0;
    uint32_t place = slot_load(fw, slot, SLOT_CURSOR);
    switch ((enum job)(job & JOB_KIND)) {
        case JOB_TRAIN: {
            struct train* const train = &fw->trains[slot_load(fw, slot, SLOT_LINK)];
            if (train->state != TRAIN_FILLING) { /* it has been flushed meanwhile */
                train_leave(fw, train, slot);
                return;
            }
            push(fw, slot, group_child(fw, &place), hops, own);
            slot_store(fw, slot, SLOT_CURSOR, place);
            slot_store(fw, slot, SLOT_JOB, (job & ~(uint32_t)JOB_WINDOW) - JOB_LEFT);
            end_job(fw, next, job);
            train_append(fw, train, slot, place);
            break;
        }
        case JOB_GROUP: {
            const uint32_t list = slot_load(fw, slot, SLOT_LINK);
            push(fw, slot, group_child(fw, &place), hops, own);
            if ((job & JOB_LEFT_MASK) == JOB_LEFT) {
                end_job(fw, next, job);
                fw->served = list + 1;
            } else {
                slot_store(fw, slot, SLOT_CURSOR, place);
                slot_store(fw, slot, SLOT_JOB, job - JOB_LEFT);
            }
            break;
        }
        default: { /* JOB_ONE */
            const uint32_t link = slot_load(fw, slot, SLOT_LINK);
            push(fw, slot, place, hops, own);
            if (place > NO_HOST) route_release(fw, link);
            end_job(fw, next, job);
            break;
        }
    }
}

/* One copy of the oldest message that goes to one child after the other. */
static void copy_train(struct ni_firmware* fw) {
    struct train* const train = &fw->trains[fw->ready.head - 1];
    const struct train now = *train;
    train_advance(fw, train);
    push(fw, now.at, now.child, now.hops, now.own);
}

void forward_served(struct ni_firmware* fw) {
    const uint32_t list = fw->served - 1;
    fw->served = 0;
    group_release(fw, list);
}

/* True if the next copy is of a train; else the oldest packet is older than that. */
static inline bool train_next(const struct ni_firmware* fw) {
    return fw->ready.head != 0 && (int32_t)(fw->jobs_out - fw->trains[fw->ready.head - 1].ticket) >= 0;
}

uint32_t forward_copies(const struct ni_firmware* fw) {
    if (train_next(fw)) return fw->trains[fw->ready.head - 1].children;
    const uint32_t job = slot_load(fw, fw->jobs.head - 1, SLOT_JOB);
    return (job & JOB_KIND) == JOB_GROUP ? (job & JOB_LEFT_MASK) / JOB_LEFT : 1;
}

void forward_copy(struct ni_firmware* fw) {
    if (train_next(fw))
        copy_train(fw);
    else
        copy_packet(fw);
}
