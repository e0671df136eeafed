// SPDX-License-Identifier: Apache-2.0
/// \file The unicast part of the check, destination by destination: all ways to a LID are a tree of switches, so the
/// work is that of (switch, LID), not of pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/subnet/check.h"

namespace polycast::hw::subnet {

/// What the two parts of the check share.
struct check_state {
    const fabric& of;
    const check_options& options;
    check_result& result;
    dependencies& edges;
    std::vector<std::vector<std::uint64_t>>& used;  ///< [switch][VL] outputs that carry something

    /// Notes that something on VL v of `inputs` goes out on VL w.
    void use(std::uint32_t chip, std::uint64_t inputs, unsigned v, unsigned out, unsigned w) {
        if (inputs != 0) edges.add(chip, inputs, v, out, w);
        if (used[chip].empty()) used[chip].resize(max_vls);
        used[chip][w] |= std::uint64_t{1} << out;
    }

    /// VL of a packet that a host sends; nothing, with the reason, where it is dropped.
    std::optional<unsigned> first_vl(std::uint32_t host, unsigned sl, const char*& reason) const;
    /// VL at an output of a switch; `in` and `out` from 1, 0 is the switch itself.
    std::optional<unsigned> next_vl(std::uint32_t chip, unsigned in, unsigned out, unsigned sl,
                                    const char*& reason) const;
    std::string port_text(std::uint32_t chip, unsigned port) const { return of.network.port_text(chip, port); }
};

/// Walks all pairs of end ports. Problems and warnings are sentences in the result.
void check_unicast(check_state& state);

/// Floods every group from every member.
void check_multicast(check_state& state);

/// Floods one of them.
void check_group(check_state& state, unsigned mlid);

}  // namespace polycast::hw::subnet
