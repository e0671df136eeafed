// SPDX-License-Identifier: Apache-2.0
/// \file What a run sent, as results have it.
#pragma once

#include <cstdint>

#include "hw/collectives/multicast_plan.h"

namespace polycast::tlm::sim {

/// A unicast or a whole multicast.
struct transfer {
    std::uint64_t message = 0;  ///< number in its run, from 0, by time of creation, then source
    std::uint32_t source = 0;
    std::uint64_t created = 0, completed = 0;  ///< cycles; unfinished: some host is still to get it

    static constexpr std::uint64_t unfinished = UINT64_MAX;
    bool finished() const { return completed != unfinished; }
    std::uint64_t latency() const { return completed - created; }
};

/// Figures of the plans of a run's multicasts.
struct plan_totals {
    std::uint64_t multicasts = 0;
    std::uint64_t steps = 0, steps_max = 0;
    std::uint64_t sends = 0, sends_max = 0;      ///< worms, or unicasts, of all hosts
    std::uint64_t senders = 0, senders_max = 0;  ///< hosts that send, sources included

    void add(const hw::collectives::multicast_plan& plan);
    plan_totals& operator+=(const plan_totals& more);

    template <typename archive>
    void serialize(archive& all) {
        all(multicasts, steps, steps_max, sends, sends_max, senders, senders_max);
    }
};

}  // namespace polycast::tlm::sim
