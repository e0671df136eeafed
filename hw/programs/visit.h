// SPDX-License-Identifier: Apache-2.0
/// \file All operations of a program in an order in which they can happen, without time and network.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/programs/pairing.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Calls start(id) and end(id) for each operation: what it waits for has happened before, and a receive ends after its
/// send. Sends never wait for their receive. \returns whether all have ended; else some wait for each other in a
/// circle, or have no partner
template <typename on_start, typename on_end>
bool visit_in_order(const program& of, const pairing& pairs, const on_start& start, const on_end& end) {
    enum class state : std::uint8_t { waiting, posted, ended };
    std::vector<state> states(of.operations());
    std::vector<std::uint32_t> waits(of.operations());
    std::vector<operation_id> ready;
    std::uint64_t ended = 0;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const std::vector<std::uint32_t> counts = of.counts_of_dependencies(rank);
        for (std::uint32_t i = 0; i < counts.size(); ++i) {
            waits[of.number({rank, i})] = counts[i];
            if (counts[i] == 0) ready.push_back({rank, i});
        }
    }
    const auto tell = [&](operation_id id, bool started) {
        for (const dependent& one : of.dependents(id))
            if (one.on_start() == started && --waits[of.number({id.rank, one.index()})] == 0)
                ready.push_back({id.rank, one.index()});
    };
    const auto finish = [&](operation_id id) {
        states[of.number(id)] = state::ended;
        ++ended;
        end(id);
        tell(id, false);
    };
    for (std::size_t next = 0; next < ready.size(); ++next) {
        const operation_id id = ready[next];
        const std::uint32_t number = of.number(id), partner = pairs.partner[number];
        const operation_kind kind = of.at(id).kind;
        start(id);
        tell(id, true);
        if (kind == operation_kind::receive && (partner == no_partner || states[partner] != state::ended)) {
            states[number] = state::posted;
            continue;
        }
        finish(id);
        if (kind == operation_kind::send && partner != no_partner && states[partner] == state::posted)
            finish(of.id_of(partner));
    }
    return ended == of.operations();
}

}  // namespace polycast::hw::programs
