/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "clock.h"
#include "commands.h"
#include "counters.h"
#include "hardware.h"
#include "messages.h"
#include "reliable.h"
#include "send.h"
#include "windows.h"

void event_use_interrupts(struct ni_firmware* fw) {
    fw->by_interrupt = true;
}

void event_interrupt(struct ni_firmware* fw) {
    while (fw->ring_in - fw->ring_out != EVENT_RING) {
        const uint32_t event = load(fw, NI_EVENT);
        if (event >> NI_EVENT_KIND_SHIFT == NI_EVENT_NONE) return;
        fw->ring[fw->ring_in % EVENT_RING] = event;
        fw->ring_in = fw->ring_in + 1;
    }
    fw->interrupt_full = true;
    store(fw, NI_INTERRUPT_ENABLE, 0);
}

static uint32_t next_event(struct ni_firmware* fw) {
    if (!fw->by_interrupt) return load(fw, NI_EVENT);
    if (fw->ring_in == fw->ring_out) return NI_EVENT_NONE;
    const uint32_t event = fw->ring[fw->ring_out % EVENT_RING];
    fw->ring_out = fw->ring_out + 1;
    if (fw->interrupt_full) {
        fw->interrupt_full = false;
        store(fw, NI_INTERRUPT_ENABLE, NI_INTERRUPT_ENABLE_ENABLE_MASK);
    }
    return event;
}

static inline void note_transfer(struct ni_firmware* fw, uint32_t cookie, bool refused) {
    const uint32_t kind = cookie >> COOKIE_KIND_SHIFT;
    if (kind == COOKIE_FETCH)
        send_note(fw, cookie & COOKIE_SLOT_MASK, refused);
    else if (kind == COOKIE_ACKNOWLEDGE)
        window_note(fw, cookie & COOKIE_SLOT_MASK, refused);
    else if (kind == COOKIE_RELIABLE)
        reliable_note(fw, cookie, refused);
    else if (refused)
        message_refused(fw, cookie);
}

bool event_note(struct ni_firmware* fw) {
    const uint32_t event = next_event(fw);
    const uint32_t argument = event & NI_EVENT_ARGUMENT_MASK;
    switch (event >> NI_EVENT_KIND_SHIFT) {
        case NI_EVENT_NONE: return false;
        case NI_EVENT_PACKET: slot_append(fw, &fw->arrived, argument); break;
        case NI_EVENT_DMA_DONE: note_transfer(fw, argument, false); break;
        case NI_EVENT_DMA_REFUSED: note_transfer(fw, argument, true); break;
        case NI_EVENT_COMMAND: commands_note(fw, argument); break;
        case NI_EVENT_LINK_READY: fw->link.full = false; break;
        case NI_EVENT_DMA_READY: fw->dma.full = false; break;
        case NI_EVENT_SLOT_READY: fw->slots_gone = fw->slots_short = false; break;
        case NI_EVENT_COUNTER: counters_note(fw, argument); break;
        case NI_EVENT_TIMER: clock_ran_out(fw); break;
        default: break; /* newer hardware */
    }
    return true;
}
