/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs.h"

#include "groups.h"

void job_begin(struct ni_firmware* fw, uint32_t slot) {
    slot_append(fw, &fw->jobs, slot);
    ++fw->jobs_in;
}

void job_to_group(struct ni_firmware* fw, uint32_t slot, uint32_t list, uint32_t train, uint32_t left, uint32_t hops,
                  uint32_t job) {
    group_hold(fw, list);
    if (left > LARGE_GROUP && !fw->large) {
        fw->large = true;
        ++fw->counting;
    }
    slot_store(fw, slot, SLOT_LINK, train != 0 ? train - 1 : list);
    slot_store(fw, slot, SLOT_CURSOR, group_first(fw, list));
    job |= train != 0 ? JOB_TRAIN : JOB_GROUP;
    slot_store(fw, slot, SLOT_JOB, hops << JOB_HOPS_SHIFT | left * JOB_LEFT | job);
}
