// SPDX-License-Identifier: Apache-2.0
/// \file Messages between processes of hosts with several network interfaces: who makes them, who is told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hw/engine/chip.h"
#include "hw/traffic/random.h"

namespace polycast::hw::rails {

using engine::cycle;

/// A process of the network.
struct process_id {
    std::uint32_t host = 0;
    unsigned process = 0;

    auto operator<=>(const process_id&) const = default;

    template <typename archive>
    void serialize(archive& all) {
        all(host, process);
    }
};

struct rail_message {
    cycle created = 0;  ///< latency counts from here
    process_id to;
    std::uint32_t bytes = 1;
    std::uint32_t number = 0;  ///< at its source, from 0 without a gap

    template <typename archive>
    void serialize(archive& all) {
        all(created, to, bytes, number);
    }
};

/// Number of a message among all of a run, from which its bytes are made.
constexpr std::uint64_t transfer_of(process_id from, std::uint32_t number) {
    return (std::uint64_t{from.host} << 8 | from.process) << 32 | number;
}

/// Gives every process its messages, in order of creation.
class rail_source {
public:
    virtual ~rail_source() = default;
    /// \returns nothing when there will be no more
    virtual std::optional<rail_message> next(process_id from) = 0;
};

}  // namespace polycast::hw::rails
