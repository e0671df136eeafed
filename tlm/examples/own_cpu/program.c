/* SPDX-License-Identifier: Apache-2.0 */
/* Host program of own_cpu.cpp, without an operating system: sends a message to host 1, waits for its answer, and
 * compares. Host memory and registers are at the addresses of the bus; the interface sees memory from 0. */
#include <stdint.h>

#include "ni_host.h"
#include "ni_registers.h"

#define RAM 0x20000000u
#define DEVICE 0x40000000u
#define PAGE (DEVICE + NI_HOST_PROCESS_BASE) /* of process 0 */
#define GRANT (DEVICE + NI_HOST_GRANT_BASE)  /* what a kernel grants it */

enum { queue_at = 0x1000, entries = 8, send_at = 0x2000, receive_at = 0x3000, bytes = 300, peer = 1, message = 5 };

/* What the program comes to, for whoever looks into memory: own_cpu.cpp. */
enum { verdict_at = 0x0, verdict_good = 0x600d, verdict_bad = 0xbad };

static volatile uint32_t* word(uint32_t address) {
    return (volatile uint32_t*)(uintptr_t)address;
}

static volatile uint8_t* byte(uint32_t offset) {
    return (volatile uint8_t*)(uintptr_t)(RAM + offset);
}

static void command(uint32_t operation, uint32_t cookie, uint32_t offset, uint32_t length, uint32_t to) {
    volatile uint32_t* const words = word(PAGE + NI_HOST_PROCESS_COMMAND_BUFFER_BASE);
    for (unsigned i = 0; i < NI_COMMAND_WORDS; ++i) words[i] = 0;
    words[NI_COMMAND_OPERATION] = operation; /* window 0 */
    words[NI_COMMAND_COOKIE] = cookie;
    words[NI_COMMAND_OFFSET] = offset;
    words[NI_COMMAND_LENGTH] = length;
    words[NI_COMMAND_TO] = to;
    words[NI_COMMAND_MESSAGE] = message;
    *word(PAGE + NI_HOST_PROCESS_DOORBELL) = 4 * NI_COMMAND_WORDS;
}

/* Sleeps until the queue has an entry, and takes it. \returns its kind, its status in bits 15..8 */
static uint32_t next_completion(uint32_t* length) {
    static uint32_t taken;
    while (*word(PAGE + NI_HOST_PROCESS_QUEUE_WRITTEN) == taken) __asm__ volatile("wfi");
    const volatile uint32_t* const entry = word(RAM + queue_at + taken % entries * 4 * NI_COMPLETION_WORDS);
    const uint32_t kind = entry[NI_COMPLETION_KIND] & 0xffff;
    *length = entry[NI_COMPLETION_LENGTH];
    *word(PAGE + NI_HOST_PROCESS_QUEUE_READ) = ++taken;
    return kind;
}

int main(void) {
    /* An interrupt wakes from wfi; it is not taken, as mstatus.MIE is 0. */
    __asm__ volatile("csrw mie, %0" ::"r"(1u << 11));
    *word(GRANT + NI_HOST_GRANT_QUEUE_LOW) = queue_at;
    *word(GRANT + NI_HOST_GRANT_QUEUE_ENTRIES) = entries;
    const uint32_t window = GRANT + NI_HOST_GRANT_WINDOW_BASE;
    *word(window + NI_HOST_GRANT_WINDOW_LOW) = 0;
    *word(window + NI_HOST_GRANT_WINDOW_BYTES) = 0x10000;
    *word(window + NI_HOST_GRANT_WINDOW_ALLOW) =
        NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK | NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK;
    *word(GRANT + NI_HOST_GRANT_RIGHTS) = NI_HOST_GRANT_RIGHTS_ENABLE_MASK;
    *word(PAGE + NI_HOST_PROCESS_QUEUE_INTERRUPT) = 1;

    command(NI_COMMAND_RECEIVE, 1, receive_at, 1000, 0);
    for (uint32_t i = 0; i < bytes; ++i) *byte(send_at + i) = (uint8_t)(3 * i + 1);
    command(NI_COMMAND_SEND, 2, send_at, bytes, peer);

    int good = *word(DEVICE + NI_HOST_ID) == NI_HOST_ID_RESET;
    unsigned sent = 0, received = 0;
    while (sent + received < 2) {
        uint32_t length = 0;
        const uint32_t kind = next_completion(&length);
        if (kind == (NI_COMPLETION_SENT | NI_STATUS_OK << 8)) {
            ++sent;
        } else if (kind == (NI_COMPLETION_RECEIVED | NI_STATUS_OK << 8)) {
            ++received;
            good = good && length == bytes;
        } else {
            good = 0;
            break;
        }
    }
    /* The answer is the message from behind. */
    for (uint32_t i = 0; i < bytes; ++i) good = good && *byte(receive_at + i) == *byte(send_at + bytes - 1 - i);
    *word(RAM + verdict_at) = good ? verdict_good : verdict_bad;
    for (;;) __asm__ volatile("wfi");
}

/* start.S wants them; neither comes. */
void exception_handler(uint32_t cause) {
    *word(RAM + verdict_at) = cause << 16 | verdict_bad;
    for (;;) __asm__ volatile("wfi");
}

void interrupt_handler(void) {}
