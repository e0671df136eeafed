/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"

/* A bit string with at least one receiver and none beyond the last host. */
static bool good_bit_string(const struct ni_firmware* fw, uint32_t address, uint32_t words) {
    const uint32_t needed = (fw->hosts + 31) / 32;
    if (needed > words) return false;
    uint32_t any = 0;
    uint32_t word = 0;
    for (uint32_t i = 0; i < needed; ++i) {
        word = load(fw, address + 4 * i);
        any |= word;
    }
    const uint32_t last_bits = fw->hosts % 32;
    return any != 0 && (last_bits == 0 || word >> last_bits == 0);
}

/* A list that is begun at its first stop. */
static bool good_list(const struct ni_firmware* fw, uint32_t address, uint32_t words) {
    if (words == 0) return false;
    const uint32_t first = load(fw, address);
    const uint32_t stops = first & 0xff;
    const uint32_t next = first >> 8 & 0xff;
    return stops != 0 && stops <= fw->stops && next == 0 && 2 + stops * fw->stop_bytes <= 4 * words;
}

bool route_good(const struct ni_firmware* fw, uint32_t kind, uint32_t address, uint32_t words) {
    if (fw->stops == 0) return false;
    switch (kind) {
        case KIND_TREE: return good_bit_string(fw, address, words);
        case KIND_SSR: return fw->stop_bytes <= 4 * words;
        case KIND_PATH: return good_list(fw, address, words);
        default: return false;
    }
}

void route_release(const struct ni_firmware* fw, uint32_t entry) {
    const uint32_t holds = route_holds(fw, entry) - 1;
    route_hold(fw, entry, holds);
    if (holds == 0) store(fw, NI_COMMAND_DONE, entry);
}
