/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware on the interface's own processor: one step after the other, and how it waits for the next event. */
#include "events.h"
#include "hardware.h"

enum { MSTATUS_MIE = 1u << 3, MIE_EXTERNAL = 1u << 11 };

static struct ni_firmware firmware;

/* Written by the linker script; start.S fills it with the same word. */
extern volatile uint32_t stack_guard;
#define STACK_GUARD 0x57ac6a4du

void interrupt_handler(void);
_Noreturn void exception_handler(uint32_t cause);

static _Noreturn void panic(uint32_t reason) {
    store(&firmware, NI_PANIC, reason);
    for (;;) __asm__ volatile("wfi");
}

/* Called from the vector table. */
void interrupt_handler(void) {
    event_interrupt(&firmware);
}

_Noreturn void exception_handler(uint32_t cause) {
    panic(NI_PANIC_EXCEPTION + cause);
}

/* The line wakes the processor whether interrupts are taken or not, so nothing is missed between the look and wfi. */
static void wait_for_event(uint32_t mode) {
    if (mode == NI_WAIT_MODE_POLL) return;
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
    if (mode == NI_WAIT_MODE_SLEEP || firmware.ring_in == firmware.ring_out) __asm__ volatile("wfi" ::: "memory");
    if (mode == NI_WAIT_MODE_INTERRUPT) __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

int main(void) {
    ni_firmware_start(&firmware, NULL);
    const uint32_t mode = load(&firmware, NI_OPTIONS) & NI_OPTIONS_WAIT_MODE_MASK;
    __asm__ volatile("csrw mie, %0" ::"r"(MIE_EXTERNAL));
    store(&firmware, NI_INTERRUPT_ENABLE, mode == NI_WAIT_MODE_POLL ? 0 : NI_INTERRUPT_ENABLE_ENABLE_MASK);
    if (mode == NI_WAIT_MODE_INTERRUPT) {
        event_use_interrupts(&firmware);
        __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
    }
    for (;;) {
        const enum ni_operation done = ni_firmware_step(&firmware, NI_ROLE_ALL);
        if (stack_guard != STACK_GUARD) panic(NI_PANIC_STACK);
        if (done == NI_OPERATION_IDLE) wait_for_event(mode);
        store(&firmware, NI_MARK, (uint32_t)done);
    }
}
