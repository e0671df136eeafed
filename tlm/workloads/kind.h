// SPDX-License-Identifier: Apache-2.0
/// \file Kinds of workloads as objects: how a workload of a kind runs, and what it adds to results and tables. Its keys
/// and rules are in the same folder.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/sim/results/load_results.h"
#include "tlm/sim/results/statistics.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// A run and its place in the scenario.
struct finished_run {
    const instance* on = nullptr;
    std::size_t workload = 0;
    run_result result;
    std::string wave = {};                 ///< of its failure, relative to the results folder; empty: none
    std::vector<std::string> replay = {};  ///< arguments that run it again, with waves where there can be some
};

/// "irregular-1/tree".
std::string run_id(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// In payload flits per host and cycle.
struct throughput {
    double generated = 0, offered = 0, accepted = 0;
};

/// A file of the results folder.
struct output_file {
    std::string path;
    std::string text;
};

/// The phases of a kind. Defaults are those of messages whose deliveries are in run_result::transfers.
class workload_kind {
public:
    using json = nlohmann::ordered_json;
    using runs = std::vector<finished_run>;

    virtual ~workload_kind() = default;

    /// Runs workload number `workload` on `on`. If the factory makes one network per process, this makes one, or starts
    /// a process for each of several: call it in a process of its own (in_child). \param stop called from time to time;
    /// true ends the run \throws hw::input_error if a wave file cannot be written
    virtual run_result run(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                           const network_factory& factory, const std::function<bool()>& stop,
                           const instrumentation& instruments = {}) const = 0;

    /// Its hosts share so much that one process simulates it, where others are cut among several.
    virtual bool by_one_process(const scenario::settings&, const instrumentation&) const { return false; }

    /// The longest payload of its packets.
    virtual unsigned payload(const scenario::settings& s, const scenario::workload_settings& w) const;
    virtual hw::format::packet_kind packets(const scenario::workload_settings&) const {
        return hw::format::packet_kind::unicast;
    }
    /// Kinds of its packets, each with its longest payload.
    virtual std::vector<std::pair<hw::format::packet_kind, unsigned>> sends(
        const scenario::settings& s, const scenario::workload_settings& w) const {
        return {{packets(w), payload(s, w)}};
    }
    /// traffic_needs::forwarded
    virtual std::uint64_t forwarded(const scenario::settings&, const scenario::workload_settings&) const { return 0; }
    /// Checks the workload against a network of switches. \throws hw::input_error at the wrong key
    virtual void check_switches(const scenario::loaded&, const hw::topology::graph&, std::size_t) const {}
    /// Checks the workload against a network of routers, and adds what its packets need from them.
    /// \throws hw::input_error at the wrong key
    virtual void check_routers(const scenario::loaded&, const instance&, std::size_t, router_needs&) const {}
    /// Checks the workload against a network of VL switches, beside check_switches(). \throws hw::input_error likewise
    virtual void check_tables(const scenario::loaded&, const instance&, std::size_t) const {}
    /// What hosts of such a network have for it.
    virtual void set_hosts(hw::system::system_params&, const scenario::settings&) const {}
    /// The plan that it runs on, if this is not the network's. \throws hw::input_error likewise
    virtual std::optional<hw::system::system_plan> own_plan(const scenario::loaded&, const instance&,
                                                            std::size_t) const {
        return std::nullopt;
    }
    /// The network with the names of chips and hosts that scenarios use.
    virtual hw::topology::graph named(const scenario::loaded&, const hw::topology::graph& network) const {
        return network;
    }

    /// What the workload asks for, for results.json.
    virtual json settings(const scenario::settings& s, const scenario::workload_settings& w) const = 0;
    /// Columns of tables/points.csv; empty: it has none.
    virtual std::string_view scheme(const scenario::workload_settings&) const { return ""; }
    virtual std::string_view pattern(const scenario::workload_settings&) const { return ""; }
    /// Network interfaces of a host.
    virtual unsigned interfaces(const scenario::settings&) const { return 1; }

    virtual summary latency(const scenario::loaded& scenario, const finished_run& run) const;
    /// These two are called only under load.
    virtual std::optional<throughput> rates(const scenario::loaded& scenario, const finished_run& run) const;
    virtual std::optional<load_results> load(const scenario::loaded& scenario, const finished_run& run) const;
    virtual std::string_view rate_unit() const { return "flit/host/cycle"; }

    /// Adds to a run in results.json what only this kind has.
    virtual void add(json&, const scenario::loaded&, const finished_run&) const {}
    /// Runs that differ in their rate only, as curves of latency against load; an array.
    virtual json curves(const scenario::loaded&, const runs&) const { return json::array(); }
    /// Tables and pictures that only this kind has. All runs are given, of any kind.
    virtual std::vector<output_file> files(const scenario::loaded&, const runs&) const { return {}; }
    /// For run.json: what a run cost; null: nothing to say.
    virtual json cost(const finished_run&) const { return nullptr; }
    /// Unit of latencies, and the end of a line, for people.
    virtual std::string_view unit(const scenario::settings&) const { return "cycles"; }
    virtual std::string remark(const finished_run&) const { return ""; }
    /// Lines below that one, each with its end, of all runs of workload number `workload`; `indent` spaces begin them.
    virtual std::string details(const scenario::loaded&, const runs&, std::size_t workload, std::size_t indent) const {
        static_cast<void>(workload);
        static_cast<void>(indent);
        return "";
    }
};

/// The one place that knows all kinds.
const workload_kind& workload_kind_of(const scenario::loaded& scenario, std::size_t workload);
/// All of them.
std::vector<const workload_kind*> workload_kinds();

/// `rate` of settings(): null without load.
nlohmann::ordered_json rate_json(const scenario::workload_settings& w);

/// Processor time of a run and the bytes that it delivered, for cost().
nlohmann::ordered_json cost_json(double cpu_seconds, std::uint64_t delivered_bytes);

}  // namespace polycast::tlm::sim
