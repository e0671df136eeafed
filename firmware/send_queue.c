/* SPDX-License-Identifier: Apache-2.0 */
#include "send_queue.h"

#include "hardware.h"

void send_append(struct ni_firmware* fw, struct queue* queue, struct send* send) {
    const uint16_t number = send_number(fw, send);
    send->next = 0;
    if (queue->head == 0)
        queue->head = number;
    else
        fw->sends[queue->tail - 1].next = number;
    queue->tail = number;
}

struct send* send_allocate(struct ni_firmware* fw, uint32_t process) {
    uint16_t entry = fw->sends_free;
    if (entry != 0)
        fw->sends_free = fw->sends[entry - 1].next;
    else
        entry = (uint16_t)++fw->sends_touched; /* the quotas together are not more than there are */
    ++fw->process[process].sends_used;
    struct send* const send = &fw->sends[entry - 1];
    send->process = (uint8_t)process;
    send->status = NI_STATUS_OK;
    send->in_flight = 0;
    send->queue = 0;
    send->op = OP_DATA;
    send->gated = send->waiting = send->kept = false;
    send->ties = 0;
    send->train = 0;
    send->fetched = send->step = send->limit = send->under_way = 0;
    return send;
}

void send_finish(struct ni_firmware* fw, struct send* send) {
    send_append(fw, &fw->ended, send);
}

static void take_turn(struct ni_firmware* fw, uint32_t queue) {
    fw->queues[queue].next = 0;
    fw->queues[queue].has_turn = true;
    if (fw->send_first == 0)
        fw->send_first = (uint8_t)(queue + 1);
    else
        fw->queues[fw->send_last - 1].next = (uint8_t)(queue + 1);
    fw->send_last = (uint8_t)(queue + 1);
}

void send_wake(struct ni_firmware* fw, uint32_t queue) {
    if (fw->queues[queue].sends.head != 0 && !fw->queues[queue].has_turn) take_turn(fw, queue);
}

void send_begin(struct ni_firmware* fw, struct send* send) {
    send_append(fw, &fw->queues[send_queue_of(send)].sends, send);
    send_wake(fw, send_queue_of(send));
}
