/* SPDX-License-Identifier: Apache-2.0 */
#include "ties.h"

#include "clock.h"
#include "rails.h"
#include "send_queue.h"

bool tied(struct ni_firmware* fw, struct send* send) {
    if ((send->ties & TIE_RAIL) != 0) rail_sent(fw, send);
    if ((send->ties & TIE_RELIABLE) == 0) return false;
    send_append(fw, &fw->reliable.sent, send);
    reliable_wake(fw);
    return true;
}
