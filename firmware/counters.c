/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "hardware.h"
#include "messages.h"
#include "send_queue.h"

/* Counts in one operation, so that small steps hold up nobody else's work: by themselves, and with a packet. */
enum { AT_A_TIME = 8, WITH_PACKET = 4 };

uint8_t counter_of(const struct ni_firmware* fw, uint32_t process, uint32_t counter) {
    return (uint8_t)(process * fw->counter_quota + counter);
}

/* Bytes that the next count stands for, with those before; 0: all are counted. */
static uint32_t next_count(const struct message* message) {
    const uint32_t left = message->total - message->counted;
    if (left == 0) return 0;
    return left < message->step ? message->total : message->counted + message->step;
}

static bool is_due(const struct message* message) {
    return message->in_order >= next_count(message);
}

/* A count, or to go over packets that came ahead. */
static bool owes(struct ni_firmware* fw, struct message* message) {
    const uint32_t next = next_count(message);
    return next != 0 && (message->in_order >= next || message_behind(fw, message));
}

static void owe(struct ni_firmware* fw, struct message* message) {
    if (message->owing || !owes(fw, message)) return;
    const uint16_t entry = (uint16_t)(message - fw->messages + 1);
    message->owing = true;
    ++fw->counting;
    message->next_owing = 0;
    if (fw->owing.head == 0) {
        fw->owing.head = entry;
        fw->tell_left = message->tell;
    } else {
        fw->messages[fw->owing.tail - 1].next_owing = entry;
    }
    fw->owing.tail = entry;
}

/* A count of the first message of `owing` has been made everywhere, or packets gone over: messages take turns. */
static void go_round(struct ni_firmware* fw) {
    struct message* const message = &fw->messages[fw->owing.head - 1];
    message->owing = false;
    --fw->counting;
    fw->owing.head = message->next_owing;
    if (fw->owing.head != 0) fw->tell_left = fw->messages[fw->owing.head - 1].tell;
    owe(fw, message);
    if (!message->owing && message->state == MESSAGE_COUNTING) message_counted(fw, message);
}

/* Number of the lowest bit of `bits`, which has one. */
static uint32_t lowest(uint32_t bits) {
    uint32_t number = 0;
    for (uint32_t half = 16; half != 0; half /= 2)
        if ((bits & ((1u << half) - 1)) == 0) {
            bits >>= half;
            number += half;
        }
    return number;
}

static bool pay(struct ni_firmware* fw, uint32_t most) {
    uint32_t paid = 0;
    for (; paid < most && fw->owing.head != 0 && dma_space(fw); ++paid) {
        struct message* const message = &fw->messages[fw->owing.head - 1];
        if (!is_due(message)) {
            if (message_behind(fw, message)) message_go_on(fw, message);
            go_round(fw);
            return true;
        }
        store(fw, NI_COUNTER_PUSH, message->counter | lowest(fw->tell_left) << NI_COUNTER_PUSH_INTERFACE_SHIFT);
        space_use(fw, &fw->dma);
        fw->tell_left &= fw->tell_left - 1;
        if (fw->tell_left != 0) continue;
        message->counted = next_count(message);
        go_round(fw);
    }
    return paid != 0;
}

bool counters_pay(struct ni_firmware* fw) {
    return pay(fw, AT_A_TIME);
}

void counters_go_on(struct ni_firmware* fw, struct message* message) {
    owe(fw, message);
    pay(fw, WITH_PACKET);
}

void counters_set(struct ni_firmware* fw, uint32_t counter, uint32_t value) {
    store(fw, NI_COUNTER + NI_COUNTER_STRIDE * counter, value);
    fw->counter_set[fw->role] = (uint16_t)(counter + 1);
    ++fw->counting;
}

void counters_now_set(struct ni_firmware* fw, unsigned role) {
    if (fw->counter_set[role] == 0) return;
    --fw->counting;
    const uint32_t counter = fw->counter_set[role] - 1u;
    fw->counter_set[role] = 0;
    counters_note(fw, counter);
}

uint32_t counters_allow(const struct ni_firmware* fw, const struct send* send) {
    if (fw->counter_set[0] == send->counter + 1 || fw->counter_set[1] == send->counter + 1) return 0;
    const uint64_t bytes = (uint64_t)load(fw, NI_COUNTER + NI_COUNTER_STRIDE * send->counter) * send->step;
    if (bytes >= send->length) return send->length;
    return send->whole ? 0 : (uint32_t)bytes;
}

void counters_note(struct ni_firmware* fw, uint32_t counter) {
    const uint32_t process = counter / fw->counter_quota;
    if (process >= fw->processes) return; /* nobody's */
    for (uint32_t second = 0; second < 2; ++second) {
        const struct send_queue* const queue = &fw->queues[2 * process + second];
        if (queue->sends.head == 0) continue;
        const struct send* const send = &fw->sends[queue->sends.head - 1];
        if (send->step != 0 && send->counter == counter) send_wake(fw, 2 * process + second);
    }
}
