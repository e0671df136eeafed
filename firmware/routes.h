/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of worms, as processes give them. */
#ifndef POLYCAST_NI_ROUTES_H
#define POLYCAST_NI_ROUTES_H

#include "hardware.h"

/* True if the `words` words at `address` hold a route of this kind (enum packet_kind) that link-out takes and a host
 * may use. False for unicasts. What ports and switches a worm names is for the switches to judge. */
bool route_good(const struct ni_firmware* fw, uint32_t kind, uint32_t address, uint32_t words);

/* Who needs the route in a command's entry: its send, and packets that wait for the link. They are counted in word 0,
 * which has been read. With the last one the entry is given back. */
static inline void route_hold(const struct ni_firmware* fw, uint32_t entry, uint32_t holds) {
    store(fw, command_address(fw, entry) + 4 * NI_COMMAND_OPERATION, holds);
}
static inline uint32_t route_holds(const struct ni_firmware* fw, uint32_t entry) {
    return load(fw, command_address(fw, entry) + 4 * NI_COMMAND_OPERATION);
}
void route_release(const struct ni_firmware* fw, uint32_t entry);

#endif
