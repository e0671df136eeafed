/* SPDX-License-Identifier: Apache-2.0 */
#include "reliable.h"

#include "clock.h"
#include "commands.h"
#include "incoming.h"
#include "outgoing.h"
#include "receipts.h"
#include "repairs.h"
#include "send.h"

enum { LOOK = 64 };

static enum progress look(struct ni_firmware* fw) {
    struct reliable* const all = &fw->reliable;
    if (all->to_look == 0) return PROGRESS_NONE;
    for (uint32_t i = 0; i < LOOK && all->to_look != 0; ++i) {
        const uint32_t index = LOOKED - all->to_look--;
        if (index < SENDS) {
            outgoing_due(fw, index);
            continue;
        }
        if (index - SENDS < all->inflows) incoming_due(fw, index - SENDS);
    }
    if (all->to_look == 0) clock_looked(fw);
    return PROGRESS_MADE;
}

static enum progress repaired(struct ni_firmware* fw) {
    struct send* refused = NULL;
    const enum progress done = repair_fetched(fw, &refused);
    if (refused != NULL) outgoing_fail(fw, refused, NI_STATUS_REFUSED);
    return done;
}

static enum progress stop(struct ni_firmware* fw) {
    enum ni_status status = NI_STATUS_OK;
    struct send* const send = outgoing_to_stop(fw, &status);
    if (send == NULL) return PROGRESS_NONE;
    send_fail(fw, send, status);
    return PROGRESS_MADE;
}

static enum progress end(struct ni_firmware* fw) {
    uint32_t process = 0;
    const enum progress done = outgoing_end(fw, &process);
    if (done == PROGRESS_MADE) commands_go_on(fw, process);
    return done;
}

static bool made(enum progress done, bool* blocked) {
    *blocked = *blocked || done == PROGRESS_BLOCKED;
    return done == PROGRESS_MADE;
}

void reliable_note(struct ni_firmware* fw, uint32_t cookie, bool refused) {
    if ((cookie & COOKIE_REPAIR) != 0)
        repair_note_fetched(fw, cookie & COOKIE_SLOT_MASK, refused);
    else
        incoming_note(fw, cookie, refused);
}

bool reliable_work(struct ni_firmware* fw, unsigned roles) {
    if (!fw->reliable.busy || (roles & NI_ROLE_SEND) == 0) return false;
    bool blocked = false;
    fw->role = 0;
    const bool any = made(incoming_end(fw), &blocked) || made(look(fw), &blocked) || made(repaired(fw), &blocked) ||
                     made(outgoing_sent(fw), &blocked) || made(stop(fw), &blocked) || made(end(fw), &blocked) ||
                     made(receipts_say(fw), &blocked) || made(outgoing_next(fw), &blocked) ||
                     made(repair_next(fw), &blocked);
    if (any || blocked) return any;
    fw->reliable.busy = false;
    --fw->counting;
    return false;
}
