// SPDX-License-Identifier: Apache-2.0
/// \file How a message finds its rail: Coll et al., "Static Allocation of Multirail Networks", Los Alamos, about 2001.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "hw/collectives/rail_allocation.h"
#include "hw/engine/chip.h"

namespace polycast::hw::rails {

using collectives::rail_set;

/// Which of a node's rails a message takes.
enum class rail_policy : std::uint8_t {
    fixed,          ///< "static": one on which the matrix lets the sender transmit and the receiver receive, in turn
    basic,          ///< one after the other, whatever they are doing
    local_dynamic,  ///< one whose own interface neither sends nor receives, else the one with the fewest bytes to send
    dynamic,        ///< one whose interfaces at both ends neither send nor receive: they are reserved by firmware
};

/// Name of a policy as scenarios and results spell it.
constexpr std::string_view name_of(rail_policy policy) {
    switch (policy) {
        case rail_policy::fixed: return "static";
        case rail_policy::basic: return "basic";
        case rail_policy::local_dynamic: return "local_dynamic";
        case rail_policy::dynamic: return "dynamic";
    }
    return "?";
}

/// Parameters of all drivers of a network.
struct driver_params {
    rail_policy policy = rail_policy::basic;
    /// A message is cut over all rails that the policy allows, instead of taking one of them. Each part then begins
    /// with `stripe_header` bytes, from which the receiver puts it together.
    bool striping = false;
    std::shared_ptr<const collectives::rail_matrix> matrix;  ///< of rail_policy::fixed
    std::uint32_t least_stripe = 1024;                       ///< bytes; what is shorter is not cut
    engine::cycle retry = 1000;  ///< dynamic: mean cycles until a message that no rail would take is tried again
    unsigned patience = 2000;    ///< dynamic: refusals after which a message is urgent, see firmware/rails.h
    engine::cycle assembly_life = engine::cycle{1} << 27;  ///< striped: from a stripe until the rest is given up
    std::uint64_t payload_seed = 1;
    std::uint64_t seed = 1;  ///< of the times between trials
};

/// Message length, offset of the part, number of the message, little endian. Stripes have numbers of their own, so that
/// two of a message that follow each other on a rail are not taken for one.
inline constexpr std::uint32_t stripe_header = 12;

}  // namespace polycast::hw::rails
