// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/router/router_choice.h"

#include <algorithm>

namespace polycast::hw::chips {

std::uint16_t first_random(std::uint16_t seed, unsigned input) {
    return static_cast<std::uint16_t>(1 + (seed + 40503u * input) % 65535);
}

std::uint16_t next_random(std::uint16_t number) {
    for (unsigned shift = 0; shift < 8; ++shift) {
        const unsigned in = number >> 15 ^ number >> 14 ^ number >> 12 ^ number >> 3;
        number = static_cast<std::uint16_t>(number << 1 | (in & 1));
    }
    return number;
}

route_choice::route_choice(unsigned ports, route_select select, std::uint16_t seed)
    : counts_(select == route_select::least_loaded), seed_(seed), load_(ports), random_(ports) {
    reset();
}

void route_choice::reset() {
    std::ranges::fill(load_, 0);
    for (unsigned input = 0; input < random_.size(); ++input) random_[input] = first_random(seed_, input);
    routed_.clear();
}

void route_choice::end_cycle(std::uint64_t tails) {
    if (!counts_) return;
    for (; tails != 0; tails &= tails - 1) --load_[lowest(tails)];
    for (const std::uint8_t output : routed_) ++load_[output];
    routed_.clear();
}

std::size_t route_choice::memory_bytes() const {
    return load_.capacity() * sizeof load_[0] + random_.capacity() * sizeof random_[0] + routed_.capacity();
}

}  // namespace polycast::hw::chips
