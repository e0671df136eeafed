// SPDX-License-Identifier: Apache-2.0
/// \file Which of several ports of its route a packet takes: the section on choice of hw/chips/router/router.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/chips/port_set.h"
#include "hw/chips/router/router_config.h"

namespace polycast::hw::chips {

/// Random number with which an input port begins. Never zero, and another for every input of a router.
std::uint16_t first_random(std::uint16_t seed, unsigned input);
/// The next one; all values except zero occur before one repeats.
std::uint16_t next_random(std::uint16_t number);

/// Loads of outputs and random numbers of inputs of a router whose packets choose. Within a cycle: any number of
/// choose() and routed(), then end_cycle().
class route_choice {
public:
    route_choice(unsigned ports, route_select select, std::uint16_t seed);

    void reset();

    /// One of `possible`, of which there are at least two, for a packet that arrived by port `input`.
    /// `credits_of`(port): credits of its candidates there, as they stood at the start of the cycle.
    template <typename function>
    unsigned choose(unsigned input, std::uint32_t possible, function&& credits_of) {
        if (counts_) possible = least_loaded(possible, credits_of);
        const auto count = static_cast<unsigned>(std::popcount(possible));
        for (unsigned skipped = random_[input] * count >> 16; skipped != 0; --skipped) possible &= possible - 1;
        random_[input] = next_random(random_[input]);
        return lowest(possible);
    }

    /// A packet has been routed to `output` in this cycle.
    void routed(unsigned output) {
        if (counts_) routed_.push_back(static_cast<std::uint8_t>(output));
    }

    /// The cycle is over; `tails`: outputs that have read a tail in it.
    void end_cycle(std::uint64_t tails);

    std::size_t memory_bytes() const;

private:
    template <typename function>
    std::uint32_t least_loaded(std::uint32_t possible, function& credits_of) const {
        std::uint32_t best = 0;
        std::uint32_t least = 0;
        unsigned most = 0;
        for (; possible != 0; possible &= possible - 1) {
            const unsigned port = lowest(possible);
            if (best != 0 && load_[port] > least) continue;
            const unsigned credits = credits_of(port);
            const bool better = best == 0 || load_[port] < least || credits > most;
            if (!better && credits < most) continue;
            best = better ? 1u << port : best | 1u << port;
            least = load_[port];
            most = credits;
        }
        return best;
    }

    bool counts_;  ///< loads matter
    std::uint16_t seed_;
    std::vector<std::uint32_t> load_;    ///< [output] packets routed to it whose tail it has not read
    std::vector<std::uint16_t> random_;  ///< [input]
    std::vector<std::uint8_t> routed_;   ///< outputs, in this cycle
};

}  // namespace polycast::hw::chips
