// SPDX-License-Identifier: Apache-2.0
/// \file The result of a run of a scenario.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hw/chips/link/cable_report.h"
#include "hw/delivery/scoreboard.h"
#include "hw/engine/network.h"
#include "hw/system/system_network.h"
#include "tlm/workloads/activity.h"
#include "tlm/workloads/allgather/allgather_result.h"
#include "tlm/workloads/broadcast/broadcast_result.h"
#include "tlm/workloads/jobs/jobs_result.h"
#include "tlm/workloads/lanes/lanes_result.h"
#include "tlm/workloads/messages/fabric_result.h"
#include "tlm/workloads/messages/reliable_result.h"
#include "tlm/workloads/port_counters.h"
#include "tlm/workloads/program/program_result.h"
#include "tlm/workloads/rails/rails_result.h"
#include "tlm/workloads/transfers.h"

namespace polycast::hw::fabric {
class link_counts;
}

namespace polycast::tlm::sim {

/// What runs networks with ideal hosts: all routers as one (hw/fabric), or chip by chip.
enum class ideal_engine : std::uint8_t { fabric, chips };

constexpr std::string_view name_of(ideal_engine engine) {
    return engine == ideal_engine::fabric ? "fabric" : "chips";
}

/// One direction of a cable. Buffer figures are of the input buffer at its end, in chunks.
struct link_load {
    hw::engine::port_id from, to;  ///< chips as in the plan
    std::uint64_t flits = 0, packets = 0;
    // With ideal hosts not measured.
    std::uint64_t occupied_cycles = 0;
    std::uint32_t occupied_max = 0;
};

/// What the two ends of a cable with a link layer have counted, and what spoiled its wires.
struct cable_load {
    std::string name;               ///< "switch1:3"
    std::array<std::string, 2> at;  ///< ports of the ends
    hw::chips::link_layer layer = hw::chips::link_layer::none;
    hw::chips::cable_report counts;
};

/// A wave file or packet log that was written beside a run, or not because its trigger never fired.
struct trace_cost {
    std::string kind;  ///< "waves" or "packets"
    std::string file;  ///< empty: none
    std::uint64_t bytes = 0;
    std::uint64_t changes = 0;             ///< of values; of a packet log passages
    double seconds = 0;                    ///< that recording and writing took
    std::uint64_t from = 0, to = 0;        ///< cycles; `to` is the first that is not in it
    std::string wanted;                    ///< event that it was to be recorded around, in words
    std::optional<std::uint64_t> trigger;  ///< cycle of that event
    std::uint64_t events = 0;              ///< such events that were seen
};

/// A bound that a scenario sets (`expect`), and what came of it.
struct expectation {
    std::string key;  ///< "latency"
    double limit = 0;
    double value = 0;
    bool met = true;
    std::string text;  ///< in words
};

/// A chip in whose memories bits flipped.
struct upset_chip {
    std::string name;
    hw::chips::cable_report counts;  ///< damage alone; its ends are format::upset_memory
};

/// An interface's processor that stood still.
struct hung_host {
    std::string name;
    hw::engine::cycle at = 0;
    hw::engine::cycle until = hw::engine::never;  ///< as ordered; the watchdog may have been earlier
};

/// A bit that flipped in a memory of an interface.
struct upset_interface {
    std::string name;  ///< "host7.packets"
    hw::engine::cycle at = 0;
    std::uint64_t detail = 0;  ///< word x 2^32 + bit
};

/// The result of a run; the same for every fidelity.
struct run_result {
    hw::system::run_outcome::kind ended = hw::system::run_outcome::kind::complete;
    std::string diagnosis;     ///< why it did not complete
    bool broken = false;       ///< a model ended the run by an assertion of its own, or differs from the core
    bool quiet = false;        ///< stuck, but nobody holds or waits for anything: what is missing was lost
    std::string suspect;       ///< the chip that did, where it is known
    std::uint64_t cycles = 0;  ///< summed over single multicasts, each of which has a network for itself
    hw::traffic::delivery_counts counts;
    hw::traffic::traffic_volume volume;
    std::uint64_t chip_errors = 0;
    std::vector<std::string> faults;  ///< the first ones, in words
    std::vector<transfer> transfers;  ///< by time of creation; those that are not finished, too
    plan_totals plans;
    bool duplicates_counted = false;  ///< they are expected, and no failure
    std::vector<link_load> links;
    std::vector<port_counters> ports{};             ///< of VL switches, and of the interfaces at them
    std::vector<cable_load> cables;                 ///< with a link layer
    std::vector<upset_chip> upsets;                 ///< chips with upsets
    std::vector<hung_host> hangs;                   ///< by cycle
    std::vector<upset_interface> flips;             ///< in interfaces; by cycle
    hw::system::interface_totals hosts;             ///< and their network interfaces
    std::uint64_t host_failures = 0;                ///< of hosts, interfaces, firmware, coding units; in `faults`
    sim::activity activity;                         ///< of the first message, if it was requested
    std::uint64_t failing_message = 0;              ///< single multicast that went wrong first
    std::vector<trace_cost> traces;                 ///< how the run was made: no part of the results
    std::optional<hw::engine::rank_costs> ranks{};  ///< likewise; of the first network

    std::optional<ideal_engine> engine;   ///< with ideal hosts: how the run was made, no part of the results
    std::optional<fabric_result> fabric;  ///< with ideal hosts
    /// What only the workload's kind has; messages that are not reliable have nothing.
    std::variant<std::monostate, allgather_part, broadcast_part, lanes_part, rails_part, reliable_part, program_part,
                 jobs_part>
        own;

    /// Whether packets of a pair must stay in order: each chip has one path and one virtual channel to choose from.
    bool order_guaranteed = false;
    /// What faults do is no failure if a host was told of it (`faults.verdict: reported`).
    bool losses_are_told = false;

    /// Adds the result of another network of the same run. The last one says how the run ended.
    run_result& operator+=(const run_result& more);

    /// Judged when the run has ended; empty where it failed anyway.
    std::vector<expectation> expectations;

    /// Faults have happened.
    bool spoilt() const {
        const auto hit = [](const auto& chip) { return chip.counts.damage.any(); };
        return !hangs.empty() || !flips.empty() || hosts.interfaces.restarts != 0 || std::ranges::any_of(cables, hit) ||
               std::ranges::any_of(upsets, hit);
    }
    bool stopped() const { return ended == hw::system::run_outcome::kind::stopped; }
    bool passed() const { return correct() && std::ranges::all_of(expectations, &expectation::met); }
    /// It has ended, and every delivery was right.
    bool correct() const {
        const bool delivered = duplicates_counted ? counts.all_there() : counts.exactly_once();
        using kind = hw::system::run_outcome::kind;
        if (losses_are_told && spoilt())
            return ended == kind::complete && !broken && counts.once_or_told() && hosts.interfaces.panic == 0;
        // Each packet that tables lose is an error of the switch, or of the host that gets it.
        return (ended == kind::complete || ended == kind::saturated) && !broken && delivered &&
               chip_errors + host_failures == counts.lost && (!order_guaranteed || counts.misordered == 0) &&
               counts.overtaken == 0;
    }
};

/// What of the plan's hangs has begun before cycle `end`.
std::vector<hung_host> hangs_before(const hw::system::system_plan& plan, hw::engine::cycle end);
/// What of its bits of interfaces has flipped.
std::vector<upset_interface> flips_before(const hw::system::system_plan& plan, hw::engine::cycle end);

/// Every direction of every cable, except those of coding units.
std::vector<link_load> all_links(const hw::system::system_plan& plan);

/// The same of a network with ideal hosts, with what came over each.
std::vector<link_load> loads_of(const hw::system::system_plan& plan, const hw::fabric::link_counts& counts);

}  // namespace polycast::tlm::sim
