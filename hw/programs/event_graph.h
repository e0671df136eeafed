// SPDX-License-Identifier: Apache-2.0
/// \file Starts and ends of all operations, and which wait for which: by dependencies, receives for their sends and,
/// where messages are longer than `eager` (rendezvous), sends for the start of their receives.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/programs/pairing.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

class event_graph {
public:
    /// The number of an operation twice, plus one for its end.
    using event = std::uint64_t;

    /// \param eager longest message, in bytes, that is sent without asking
    event_graph(const program& of, const pairing& pairs, std::uint64_t eager) : of_(of), pairs_(pairs), eager_(eager) {}

    std::uint64_t events() const { return of_.operations() * 2; }
    static bool is_end(event one) { return one % 2 != 0; }
    static std::uint32_t operation_of(event one) { return static_cast<std::uint32_t>(one / 2); }

    /// Whether a send waits for the start of its receive, which is known.
    bool rendezvous(std::uint32_t number) const {
        return pairs_.partner[number] != no_partner && asks(of_.at(of_.id_of(number)), eager_);
    }

    /// For how many events the start of each operation waits.
    std::vector<std::uint32_t> before_starts() const {
        std::vector<std::uint32_t> counts;
        counts.resize(of_.operations());
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank) {
            std::uint32_t number = of_.number({rank, 0});
            for (const std::uint32_t one : of_.counts_of_dependencies(rank)) counts[number++] = one;
        }
        return counts;
    }
    /// And its end: for its start, and for the other end of the message.
    std::uint8_t before_end(std::uint32_t number, const operation& one) const {
        const bool waits = one.kind == operation_kind::receive ? pairs_.partner[number] != no_partner
                                                               : one.kind == operation_kind::send && rendezvous(number);
        return waits ? 2 : 1;
    }

    /// Calls act(event, message) for all that wait for one; `message`: because a message has to be sent, or to come.
    template <typename function>
    void for_each_waiting(event one, const function& act) const {
        const std::uint32_t number = operation_of(one);
        const operation_id id = of_.id_of(number);
        const bool start = !is_end(one);
        const event first = event{number} - id.index;
        for (const dependent& next : of_.dependents(id))
            if (next.on_start() == start) act((first + next.index()) * 2, false);
        if (!start) return;
        const bool sends = of_.at(id).kind == operation_kind::send;
        act(one + 1, sends);
        const std::uint32_t partner = pairs_.partner[number];
        if (partner == no_partner) return;
        if (sends || rendezvous(partner)) act(event{partner} * 2 + 1, sends);
    }

private:
    const program& of_;
    const pairing& pairs_;
    std::uint64_t eager_;
};

}  // namespace polycast::hw::programs
