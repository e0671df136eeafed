/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

void reliable_wake(struct ni_firmware* fw) {
    if (fw->reliable.busy) return;
    fw->reliable.busy = true;
    ++fw->counting;
}

static void arm(struct ni_firmware* fw, uint32_t now) {
    const struct reliable* const all = &fw->reliable;
    const uint32_t first = clock_past(all->alarm_at, all->tick_at) ? all->tick_at : all->alarm_at;
    store(fw, NI_TIMER, clock_past(now, first) ? 1 : first - now);
}

uint32_t clock_alarm(struct ni_firmware* fw, uint32_t cycles) {
    struct reliable* const all = &fw->reliable;
    const uint32_t now = clock_now(fw);
    const uint32_t at = now + (cycles < CLOCK_MOST ? cycles : CLOCK_MOST);
    if (all->alarm && clock_past(at, all->alarm_at)) return at;
    if (!all->alarm) {
        /* A tick that began without this clock's knowledge takes longer, once. */
        if (!all->tick_known) all->tick_at = now + TICK;
        all->tick_known = true;
        all->alarm = true;
        fw->ticking = true;
    }
    all->alarm_at = at;
    arm(fw, now);
    return at;
}

static void tick(struct ni_firmware* fw) {
    ++fw->tick;
    fw->sweep = 0;
}

void clock_ran_out(struct ni_firmware* fw) {
    struct reliable* const all = &fw->reliable;
    const uint32_t now = clock_now(fw);
    /* The timer may have run out for a deadline that was met meanwhile: only time makes ticks. */
    if (!all->tick_known || clock_past(now, all->tick_at)) {
        all->tick_at = now + TICK;
        tick(fw);
    }
    if (!all->alarm && all->inflows == 0) return;
    /* Nothing runs until the look ends, or a deadline is added. */
    all->to_look = LOOKED;
    all->look_at = now;
    all->nearest = CLOCK_MOST;
    all->alarm_at = now + CLOCK_MOST;
    reliable_wake(fw);
}

bool clock_look(struct ni_firmware* fw, uint32_t deadline) {
    struct reliable* const all = &fw->reliable;
    if (clock_past(all->look_at, deadline)) return true;
    if (deadline - all->look_at < all->nearest) all->nearest = deadline - all->look_at;
    return false;
}

void clock_looked(struct ni_firmware* fw) {
    struct reliable* const all = &fw->reliable;
    if (!all->alarm) return;
    const uint32_t now = clock_now(fw);
    const uint32_t at = all->look_at + all->nearest;
    if (all->nearest != CLOCK_MOST && !clock_past(at, all->alarm_at)) all->alarm_at = at;
    if (all->alarm_at != all->look_at + CLOCK_MOST) {
        arm(fw, now);
        return;
    }
    all->alarm = false;
    if (fw->sweep != SWEPT) return; /* the sweep's end goes on with the ticks */
    fw->ticking = all->tick_known = fw->half != 0;
    if (fw->ticking) store(fw, NI_TIMER, clock_past(now, all->tick_at) ? 1 : all->tick_at - now);
}

void clock_swept(struct ni_firmware* fw) {
    struct reliable* const all = &fw->reliable;
    if (all->alarm) return; /* the timer is set for the next tick, too */
    fw->ticking = fw->half != 0;
    all->tick_known = fw->ticking;
    if (!fw->ticking) return;
    all->tick_at = clock_now(fw) + TICK;
    store(fw, NI_TIMER, TICK);
}
