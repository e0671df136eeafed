// SPDX-License-Identifier: Apache-2.0
/// \file One workload of unicasts by ideal hosts: what is sent, and how observations become results, for the fabric and
/// for chips.
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "hw/fabric/open_loop.h"
#include "hw/fabric/terminals.h"
#include "hw/traffic/pattern.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/messages/fabric_watch.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

class ideal_unicasts_run {
public:
    ideal_unicasts_run(const scenario::loaded& scenario, const instance& on, std::size_t workload);

    const hw::fabric::fabric_params& params() const { return params_; }
    std::uint64_t seed() const { return seed_; }
    /// Packets born from here on and before window_end() are measured.
    cycle from() const { return from_; }
    cycle to() const { return to_; }
    /// The run gives up there.
    cycle end() const { return load() ? to_ + s_.measurement.drain_limit : hw::engine::never; }
    bool counts_links() const { return s_.measurement.links; }
    /// It may end with its window, if gives_up() says so then.
    bool reviewed() const { return load() && !s_.measurement.drains_saturated; }

    // One of these three says what is sent.
    bool each_to_each() const {
        return hw::traffic::pattern_kind_of(w_.pattern.name).rate == hw::traffic::pattern_kind::load::none;
    }
    std::optional<hw::fabric::open_loop_params> load() const;
    /// Orders of a range of nodes, all in cycle 0.
    std::vector<hw::fabric::send_order> orders(hw::fabric::router_fabric::node_range senders) const;
    unsigned flits() const { return w_.flits; }
    const std::shared_ptr<const hw::traffic::pattern>& where() const { return where_; }

    /// For the object that sees the packets.
    watcher make_watcher() const;

    /// What was seen of a run, and how it ended.
    struct seen {
        watcher packets;
        hw::fabric::terminal_statistics statistics;
        std::uint64_t missing = 0;
        bool at_end = false;                         ///< more could have happened
        std::vector<std::uint64_t> missing_in = {};  ///< [batch of the window] packets that have not arrived, by birth
        std::vector<std::string> missing_names = {};
        std::vector<std::string> faults = {};
        std::uint64_t fault_count = 0;
        std::uint64_t backlog_begin = 0, backlog_end = 0;
        cycle cycles = 0;
        std::uint64_t flit_hops = 0, router_steps = 0;

        /// What was seen of other hosts as well, apart from the words and the end.
        seen& operator+=(const seen& others);
        template <typename archive>
        void serialize(archive& all) {
            static_assert(std::has_unique_object_representations_v<hw::fabric::terminal_statistics>);
            all(packets, cereal::binary_data(&statistics, sizeof statistics), missing, missing_in, fault_count,
                backlog_begin, backlog_end, flit_hops, router_steps);
        }
    };
    /// Notes a packet that has not arrived.
    void note_missing(seen& all, cycle birth) const;
    bool gives_up(const seen& all) const;
    /// Adds all that is known then to a result that says whether the run was stopped.
    void count(run_result& result, const seen& all) const;

    /// A packet alone in the network.
    struct lone_packet {
        std::uint32_t from, to;
        std::uint16_t flits;
        cycle expected;  ///< latency by the formula
    };
    /// All pairs, or some of them if there are many.
    std::vector<lone_packet> lone_packets() const;
    /// `measured`: latencies. What the formula does not give, where it must, is a fault of the model.
    void judge_zero_load(run_result& result, const std::vector<lone_packet>& packets,
                         const std::vector<cycle>& measured) const;

private:
    unsigned longest() const { return w_.most_flits.value_or(w_.flits); }
    std::uint16_t draw_flits(hw::traffic::random_stream& random) const;
    load_results load_of(const seen& all) const;

    const scenario::settings& s_;
    const scenario::workload_settings& w_;
    hw::fabric::fabric_params params_;
    cycle from_, to_;
    std::uint64_t seed_;
    std::shared_ptr<const hw::traffic::pattern> where_;
};

/// Cycles from birth to the tail's arrival of a packet alone on its way over `hops` links between routers.
std::uint64_t lone_latency(const hw::fabric::fabric_params& params, unsigned hops, unsigned flits);

}  // namespace polycast::tlm::sim
