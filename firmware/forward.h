/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of packets to the link: own ones and forwarded ones. */
#ifndef POLYCAST_NI_FORWARD_H
#define POLYCAST_NI_FORWARD_H

#include "state.h"

/* True if there is a copy to make and room for it in the link's queue. */
bool forward_ready(struct ni_firmware* fw);

/* Copies that are made in a row from the next one on, of which there is one: to the children that its packet, or each
 * packet of its train, still goes to. */
uint32_t forward_copies(const struct ni_firmware* fw);

/* Makes one copy. */
void forward_copy(struct ni_firmware* fw);

/* The operation that made the last copy is over: link-out has read the route, so its list may go. */
void forward_served(struct ni_firmware* fw);

#endif
