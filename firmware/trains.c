/* SPDX-License-Identifier: Apache-2.0 */
#include "trains.h"

#include "jobs.h"
#include "messages.h"
#include "quotas.h"

enum { AT_A_TIME = 16 /* packets that one operation sends on */ };

static uint16_t number_of(const struct ni_firmware* fw, const struct train* train) {
    return (uint16_t)(train - fw->trains + 1);
}

static struct train* allocate(struct ni_firmware* fw, uint32_t list, uint32_t children) {
    uint16_t entry = fw->trains_free;
    const uint32_t process = group_owner(fw, list);
    if (!quota_take(&fw->train_quota, process)) return NULL;
    if (entry != 0)
        fw->trains_free = fw->trains[entry - 1].next;
    else
        entry = (uint16_t)++fw->trains_touched; /* the quotas together are as many as there are */
    struct train* const train = &fw->trains[entry - 1];
    *train = (struct train){.list = (uint16_t)list, .children = (uint16_t)(children - 1), .state = TRAIN_FILLING};
    train->tick = fw->tick;
    train->process = (uint8_t)process;
    return train;
}

static void release(struct ni_firmware* fw, struct train* train) {
    quota_give(&fw->train_quota, train->process);
    train->state = TRAIN_FREE;
    train->next = fw->trains_free;
    fw->trains_free = number_of(fw, train);
}

/* No more packets come. */
static void filled(struct ni_firmware* fw, struct train* train) {
    if (train->own) return;
    --fw->half;
    const uint16_t number = number_of(fw, train);
    uint32_t first = group_load(fw, train->list, GROUP_TRAINS);
    if (first == number) {
        group_store(fw, train->list, GROUP_TRAINS, train->next);
        return;
    }
    while (fw->trains[first - 1].next != number) first = fw->trains[first - 1].next;
    fw->trains[first - 1].next = train->next;
}

uint16_t train_of_send(struct ni_firmware* fw, uint32_t list, uint32_t children, uint32_t hops, uint32_t total) {
    struct train* const train = allocate(fw, list, children);
    if (train == NULL) return 0;
    train->own = true;
    train->hops = hops;
    train->total = total;
    return number_of(fw, train);
}

uint16_t train_of(const struct ni_firmware* fw, uint32_t list, const struct packet* packet) {
    const struct message_key key = packet_key(packet, 0);
    uint32_t number = group_load(fw, list, GROUP_TRAINS);
    while (number != 0 && !same_message(&fw->trains[number - 1].key, &key)) number = fw->trains[number - 1].next;
    return (uint16_t)number;
}

uint16_t train_of_packet(struct ni_firmware* fw, uint32_t list, uint32_t children, const struct packet* packet) {
    const uint16_t number = train_of(fw, list, packet);
    if (number != 0) {
        struct train* const train = &fw->trains[number - 1];
        train->tick = fw->tick;
        if (train->total != packet->total || packet->length > train->total - train->assigned) return 0;
        train->assigned += packet->length;
        return number;
    }
    struct train* const train = allocate(fw, list, children);
    if (train == NULL) return 0;
    train->key = packet_key(packet, 0);
    train->total = packet->total;
    train->assigned = packet->length;
    train->hops = packet->hops - 1;
    train->next = (uint16_t)group_load(fw, list, GROUP_TRAINS);
    group_store(fw, list, GROUP_TRAINS, number_of(fw, train));
    half_received(fw);
    return number_of(fw, train);
}

/* Puts a slot behind those that the first child has. */
static void join(struct ni_firmware* fw, struct train* train, uint32_t slot) {
    slot_store(fw, slot, SLOT_LINK, 0);
    if (train->head == 0)
        train->head = slot + 1;
    else
        slot_store(fw, train->tail - 1, SLOT_LINK, slot + 1);
    train->tail = slot + 1;
}

/* Puts a train behind those of a queue. */
static void enqueue(struct ni_firmware* fw, struct queue* queue, struct train* train) {
    const uint16_t number = number_of(fw, train);
    train->next = 0;
    if (queue->head == 0)
        queue->head = number;
    else
        fw->trains[queue->tail - 1].next = number;
    queue->tail = number;
}

void train_append(struct ni_firmware* fw, struct train* train, uint32_t slot, uint32_t place) {
    join(fw, train, slot);
    train->copied += slot_load(fw, slot, SLOT_KIND) >> 16;
    if (train->copied != train->total) {
        if (train->own && fw->slots_gone) train_flush_own(fw);
        return;
    }
    filled(fw, train);
    train->state = TRAIN_READY;
    train->cursor = place;
    train->child = group_child(fw, &train->cursor);
    train->at = train->head - 1;
    train->ticket = fw->jobs_in;
    enqueue(fw, &fw->ready, train);
}

void train_advance(struct ni_firmware* fw, struct train* train) {
    const uint32_t next = slot_load(fw, train->at, SLOT_LINK);
    if (train->children == 1) fw->served = train->list + 1u;
    if (next != 0) {
        train->at = next - 1;
        return;
    }
    if (--train->children == 0) {
        fw->ready.head = train->next;
        release(fw, train);
        return;
    }
    train->at = train->head - 1;
    train->child = group_child(fw, &train->cursor);
}

/* A packet of a train becomes one that goes to every child at once. */
static void convert(struct ni_firmware* fw, uint32_t slot, uint32_t list) {
    const uint32_t job = slot_load(fw, slot, SLOT_JOB);
    slot_store(fw, slot, SLOT_JOB, (job & ~(uint32_t)JOB_KIND) | JOB_GROUP);
    slot_store(fw, slot, SLOT_LINK, list);
}

void train_flush(struct ni_firmware* fw, uint16_t number) {
    struct train* const train = &fw->trains[number - 1];
    ++fw->statistics[NI_STATISTIC_FLUSHED];
    filled(fw, train);
    train->state = TRAIN_FLUSHED;
    enqueue(fw, &fw->flushed, train);
    ++fw->counting;
}

bool train_go_on(struct ni_firmware* fw) {
    if (fw->flushed.head == 0) return false;
    struct train* const train = &fw->trains[fw->flushed.head - 1];
    for (uint32_t i = 0; i < AT_A_TIME && train->head != 0; ++i) {
        const uint32_t slot = train->head - 1;
        train->head = slot_load(fw, slot, SLOT_LINK);
        convert(fw, slot, train->list);
        job_begin(fw, slot);
    }
    if (train->head != 0) return true;
    fw->flushed.head = train->next;
    --fw->counting;
    train->state = TRAIN_LEAVING;
    if (train->copied == train->assigned) release(fw, train);
    return true;
}

void train_leave(struct ni_firmware* fw, struct train* train, uint32_t slot) {
    convert(fw, slot, train->list);
    train->copied += slot_load(fw, slot, SLOT_KIND) >> 16;
    if (train->state == TRAIN_LEAVING && train->copied == train->assigned) release(fw, train);
}

void train_end_with(struct ni_firmware* fw, uint16_t number, uint32_t slot) {
    join(fw, &fw->trains[number - 1], slot);
}

void train_flush_own(struct ni_firmware* fw) {
    for (uint32_t i = 0; i < SENDS; ++i) {
        struct send* const send = &fw->sends[i];
        if (send->train == 0 || send->fetched == send->length || fw->trains[send->train - 1].head == 0) continue;
        train_flush(fw, send->train);
        send->train = 0;
    }
}

bool train_expire(struct ni_firmware* fw, uint32_t index) {
    const struct train* const train = &fw->trains[index];
    if (train->state != TRAIN_FILLING || train->own || (uint8_t)(fw->tick - train->tick) < 2) return false;
    train_flush(fw, (uint16_t)(index + 1));
    return true;
}
