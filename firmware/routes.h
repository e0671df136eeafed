/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of worms, as processes give them. */
#ifndef POLYCAST_NI_ROUTES_H
#define POLYCAST_NI_ROUTES_H

#include "state.h"

/* True if the `words` words at `address` hold a route of this kind (enum packet_kind) that link-out takes and a host
 * may use. False for unicasts. What ports and switches a worm names is for the switches to judge. */
bool route_good(const struct ni_firmware* fw, uint32_t kind, uint32_t address, uint32_t words);

#endif
