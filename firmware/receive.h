/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYCAST_NI_RECEIVE_H
#define POLYCAST_NI_RECEIVE_H

#include "state.h"

/* Looks at the packet in `slot`: delivers it, leaves it in `handover` to be copied to children, or drops it. Needs room
 * for one transfer and two completions. */
void receive_packet(struct ni_firmware* fw, uint32_t slot);

#endif
