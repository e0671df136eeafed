/* SPDX-License-Identifier: Apache-2.0 */
/* Completions and errors. */
#ifndef POLYCAST_NI_REPORT_H
#define POLYCAST_NI_REPORT_H

#include "state.h"

/* What a completion says; the words of ni_host.h. */
struct completion {
    enum ni_completion kind;
    enum ni_status status;
    uint32_t cookie;
    uint32_t source;
    uint32_t source_process;
    uint32_t message;
    uint32_t length;
    uint32_t tag;
    uint32_t group;
};

/* True if an operation may begin that makes up to two completions. */
static inline bool report_room(const struct ni_firmware* fw) {
    return fw->reports[fw->role].count + 2 <= REPORTS;
}

/* Queues a completion behind the transfers pushed so far; report_room() was there. */
void report(struct ni_firmware* fw, uint32_t process, const struct completion* completion);

/* Gives waiting completions to the hardware. Returns true if there were any that it took. */
bool report_flush(struct ni_firmware* fw);

/* Counts an error; tells the process (0 if there is no such one) unless it has been told of many since its last
 * command. `about` says what it is about; its kind, cookie and status are set here. */
void report_error(struct ni_firmware* fw, enum ni_status status, uint32_t process, struct completion* about);

/* The same while a transfer is still to be pushed, for which there may be the last place: it goes behind that. */
void report_error_behind(struct ni_firmware* fw, enum ni_status status, uint32_t process, struct completion* about);

#endif
