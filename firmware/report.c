/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "hardware.h"

static void push(struct ni_firmware* fw, const struct report* entry) {
    for (uint32_t word = 0; word < NI_COMPLETION_NUMBER; ++word)
        store(fw, NI_COMPLETION + 4 * word, entry->words[word]);
    store(fw, NI_COMPLETION_PUSH, entry->process);
    space_use(fw, &fw->dma);
}

bool report_flush(struct ni_firmware* fw) {
    struct report_ring* const ring = &fw->reports[fw->role];
    bool any = false;
    while (ring->count != 0 && dma_space(fw)) {
        push(fw, &ring->entries[ring->first % REPORTS]);
        ++ring->first;
        --ring->count;
        any = true;
    }
    return any;
}

static inline void put(struct ni_firmware* fw, uint32_t process, const struct completion* completion) {
    struct report_ring* const ring = &fw->reports[fw->role];
    struct report* const entry = &ring->entries[(ring->first + ring->count) % REPORTS];
    entry->process = process;
    entry->words[NI_COMPLETION_KIND] =
        (uint32_t)completion->kind | (uint32_t)completion->status << 8 | completion->source_process << 16;
    entry->words[NI_COMPLETION_COOKIE] = completion->cookie;
    entry->words[NI_COMPLETION_SOURCE] = completion->source;
    entry->words[NI_COMPLETION_MESSAGE] = completion->message;
    entry->words[NI_COMPLETION_LENGTH] = completion->length;
    entry->words[NI_COMPLETION_TAG] = completion->tag;
    entry->words[NI_COMPLETION_GROUP] = completion->group;
    ++ring->count;
}

void report(struct ni_firmware* fw, uint32_t process, const struct completion* completion) {
    put(fw, process, completion);
    report_flush(fw);
}

/* Counts an error. Returns true if the process is to be told, for which there is room for `entries` more. */
static bool prepare(struct ni_firmware* fw, enum ni_status status, uint32_t process, uint32_t entries,
                    struct completion* about) {
    ++fw->statistics[NI_STATISTIC_STATUS + status];
    if (fw->process[process].errors_reported == NI_ERROR_REPORTS || fw->reports[fw->role].count + entries > REPORTS)
        return false;
    ++fw->process[process].errors_reported;
    about->kind = NI_COMPLETION_ERROR;
    about->status = status;
    about->cookie = 0;
    return true;
}

void report_error(struct ni_firmware* fw, enum ni_status status, uint32_t process, struct completion* about) {
    if (process >= fw->processes) process = 0;
    if (prepare(fw, status, process, 1, about)) report(fw, process, about);
}

void report_error_behind(struct ni_firmware* fw, enum ni_status status, uint32_t process, struct completion* about) {
    if (prepare(fw, status, process, 2, about)) put(fw, process, about);
}
