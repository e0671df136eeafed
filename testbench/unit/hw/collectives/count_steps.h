// SPDX-License-Identifier: Apache-2.0
/// \file Counts the steps of a message along a forwarding tree one by one: the witness of the formulas.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hw/collectives/k_binomial.h"

namespace polycast::hw::collectives {

/// The order in which an interface with several children sends a message of several packets.
enum class forwarding_order : std::uint8_t {
    fpfs,   ///< first packet first served: each packet to every child as soon as it has arrived
    fcfs,   ///< first child first served: the whole message to one child, then to the next
    whole,  ///< the conventional interface: as fcfs, and nothing before the whole message has arrived
};

/// Steps until every node has the whole message. A step is the sending of one copy of one packet to one child;
/// everything else takes no time, and the root has the message at the beginning.
inline std::uint64_t count_steps(const forwarding_tree& tree, std::uint64_t packets, forwarding_order order) {
    std::uint64_t last = 0;
    // Per node on the way down: steps in which it got each packet.
    struct visit {
        std::uint32_t node;
        std::vector<std::uint64_t> have;
    };
    std::vector<visit> open{{0, std::vector<std::uint64_t>(packets, 0)}};
    while (!open.empty()) {
        const visit at = std::move(open.back());
        open.pop_back();
        last = std::max(last, at.have.back());
        const std::vector<std::uint32_t>& children = tree[at.node];
        std::vector<std::vector<std::uint64_t>> got(children.size(), std::vector<std::uint64_t>(packets));
        std::uint64_t free = 0;
        const auto send = [&](std::size_t child, std::uint64_t packet) {
            const std::uint64_t ready = order == forwarding_order::whole ? at.have.back() : at.have[packet];
            free = got[child][packet] = std::max(free, ready) + 1;
        };
        if (order == forwarding_order::fpfs) {
            for (std::uint64_t packet = 0; packet < packets; ++packet)
                for (std::size_t child = 0; child < children.size(); ++child) send(child, packet);
        } else {
            for (std::size_t child = 0; child < children.size(); ++child)
                for (std::uint64_t packet = 0; packet < packets; ++packet) send(child, packet);
        }
        for (std::size_t child = 0; child < children.size(); ++child)
            open.push_back({children[child], std::move(got[child])});
    }
    return last;
}

}  // namespace polycast::hw::collectives
