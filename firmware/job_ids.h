/* SPDX-License-Identifier: Apache-2.0 */
/* JobIDs, where packets carry them (OPTIONS). The hardware stamps them, and drops data packets for processes of other
 * jobs. For whom a control packet acts only firmware knows, so firmware compares, and says nothing to anybody about
 * packets of other jobs. Without jobs all JobIDs are 0 here, and no register is read. */
#ifndef POLYCAST_NI_JOB_IDS_H
#define POLYCAST_NI_JOB_IDS_H

#include "hardware.h"

/* Of the packet in a slot in use that was received. */
static inline uint32_t job_id_of_slot(const struct ni_firmware* fw, uint32_t slot) {
    return fw->job_ids ? load(fw, NI_SLOT_JOBS_BASE + 4 * slot) : 0;
}

static inline uint32_t job_id_of_process(const struct ni_firmware* fw, uint32_t process) {
    return fw->job_ids ? load(fw, NI_JOB + NI_JOB_STRIDE * process) : 0;
}

/* False if the packet is certainly of another job than the process. */
static inline bool job_id_fits(const struct ni_firmware* fw, uint32_t slot, uint32_t process) {
    return process >= fw->processes || job_id_of_slot(fw, slot) == job_id_of_process(fw, process);
}

#endif
