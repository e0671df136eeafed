/* SPDX-License-Identifier: Apache-2.0 */
/* A packet as it arrived. */
#ifndef POLYCAST_NI_PACKET_H
#define POLYCAST_NI_PACKET_H

#include "job_ids.h"
#include "report.h"
#include "state.h"

struct packet {
    uint32_t slot;
    uint32_t kind;
    uint32_t length;
    uint32_t source;
    uint32_t process; /* receiving, as it says */
    uint32_t source_process;
    uint32_t group;
    uint32_t hops;
    uint32_t message;
    uint32_t offset;
    uint32_t total;
    uint32_t tag;
    bool acknowledge; /* its sender is to be told when it has left */
    bool control;     /* between firmwares, see control.h: then some of these are something else; or `reliable` */
    bool reliable;    /* a part of a reliable message; set if `control` is */
};

/* What a completion says about it. */
static inline struct completion packet_facts(const struct packet* packet) {
    return (struct completion){.source = packet->source,
                               .source_process = packet->source_process,
                               .message = packet->message,
                               .length = packet->total,
                               .tag = packet->tag,
                               .group = packet->group};
}

/* Counts what is wrong with it, and tells the process (0 if there is no such one) unless it is of another job. */
static inline void packet_error(struct ni_firmware* fw, const struct packet* packet, enum ni_status status,
                                uint32_t process) {
    struct completion about = packet_facts(packet);
    if (job_id_fits(fw, packet->slot, process < fw->processes ? process : 0))
        report_error(fw, status, process, &about);
    else
        ++fw->statistics[NI_STATISTIC_STATUS + status];
}

static inline struct message_key packet_key(const struct packet* packet, uint32_t process) {
    return (struct message_key){packet->source | packet->source_process << 24, process, packet->message};
}

static inline bool same_message(const struct message_key* a, const struct message_key* b) {
    return a->number == b->number && a->source == b->source && a->process == b->process;
}

#endif
