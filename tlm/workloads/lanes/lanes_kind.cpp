// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/lanes/lanes_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tlm/workloads/kind.h"
#include "tlm/workloads/lanes/lanes_rules.h"
#include "tlm/workloads/lanes/lanes_run.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/rails/rails_rules.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

namespace {

double cycle_seconds(const loaded& scenario) {
    return boost::rational_cast<double>(scenario.values.host.cycle_ns) * 1e-9;
}

/// Of the nodes that have everything, without the root: when, and which was the last one.
json nodes_json(const lane_times_result& times, double second) {
    double sum = 0;
    std::uint64_t count = 0, least = UINT64_MAX, most = 0;
    std::size_t last = 0;
    for (std::size_t node = 1; node < times.nodes.size(); ++node) {
        if (!times.nodes[node]) continue;
        const std::uint64_t when = *times.nodes[node];
        sum += static_cast<double>(when);
        ++count;
        least = std::min(least, when);
        if (when >= most) {
            most = when;
            last = node;
        }
    }
    if (count == 0) return nullptr;
    return {{"mean", second * sum / static_cast<double>(count)},
            {"min", second * static_cast<double>(least)},
            {"max", second * static_cast<double>(most)},
            {"last", "host" + std::to_string(last)}};
}

json broadcast_json(const loaded& scenario, const finished_run& finished, const lane_times_result& times) {
    const double second = cycle_seconds(scenario);
    const bool complete = finished.result.counts.missing == 0;
    const double seconds = second * static_cast<double>(finished.result.cycles);
    json j{{"seconds", complete ? json(seconds) : json(nullptr)},
           {"nodes", nodes_json(times, second)},
           {"closed_form", times.closed},
           {"printed_form", times.printed ? json(*times.printed) : json(nullptr)},
           {"derived_form", times.derived ? json(*times.derived) : json(nullptr)},
           {"piecewise", times.piecewise},
           {"model", times.model},
           {"packet_hops", times.packet_hops},
           {"flit_hops", times.flit_hops},
           {"wan_bytes", times.wide_bytes}};
    const bool moved = complete && times.wide_bytes != 0;
    j["wan_bandwidth"] = moved ? json(static_cast<double>(times.wide_bytes) / seconds) : json(nullptr);
    return j;
}

/// When each node of each broadcast had everything; empty without broadcasts.
std::string table(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const auto* part = std::get_if<lanes_part>(&point.result.own);
        if (part == nullptr || !part->broadcast) continue;
        if (csv.empty()) csv = "point,node,cycle,seconds\n";
        const std::string id = run_id(scenario, *point.on, point.workload);
        const std::vector<std::optional<std::uint64_t>>& nodes = part->broadcast->nodes;
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            csv += nodes[node] ? fmt::format("{},host{},{},{}\n", id, node, *nodes[node],
                                             cycle_seconds(scenario) * static_cast<double>(*nodes[node]))
                               : fmt::format("{},host{},,\n", id, node);
        }
    }
    return csv;
}

class lanes_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        return run_lanes(scenario, on, workload, seed_of(scenario.values.seed, on.index, 0), factory, stop,
                         instruments);
    }

    std::optional<hw::system::system_plan> own_plan(const loaded& scenario, const instance&,
                                                    std::size_t) const override {
        return sites_plan_of(scenario);
    }
    hw::topology::graph named(const loaded& scenario, const hw::topology::graph& network) const override {
        return scenario.values.network.all == scenario::fidelity::event ? network : names_at_sites(scenario);
    }

    json settings(const scenario::settings&, const workload_settings& w) const override {
        json j{{"streams", w.lanes.streams}};
        if (w.kind == scenario::traffic_kind::lanes) {
            j["algorithm"] = name_of(w.lanes.algorithm);
            j["message"] = w.message_bytes;
            j["piece"] = w.lanes.piece;
        } else {
            j["round_trips"] = w.lanes.round_trips;
        }
        j["rate"] = nullptr;
        return j;
    }
    std::string_view scheme(const workload_settings& w) const override {
        return w.kind == scenario::traffic_kind::lanes ? name_of(w.lanes.algorithm) : "";
    }
    unsigned interfaces(const scenario::settings& s) const override { return s.lanes.interfaces; }

    void add(json& point, const loaded& scenario, const finished_run& finished) const override {
        const lanes_part& r = std::get<lanes_part>(finished.result.own);
        const scenario::lanes_settings& lanes = scenario.values.lanes;
        point["fidelity"] = how_of(scenario.values.network);
        json& j = point["lanes"];
        j = {{"sites", scenario.values.network.topology.sites},
             {"interfaces", lanes.interfaces},
             {"bandwidth", boost::rational_cast<double>(lanes.bandwidth)},
             {"latency", cycle_seconds(scenario) * boost::rational_cast<double>(lanes.latency)},
             {"wan_latency", cycle_seconds(scenario) * boost::rational_cast<double>(lanes.wan_latency)},
             {"window", lanes.window ? json(*lanes.window) : json(nullptr)},
             {"cycle_ns", boost::rational_cast<double>(scenario.values.host.cycle_ns)},
             {"checked_bytes", r.checked_bytes}};
        if (r.broadcast) j["broadcast"] = broadcast_json(scenario, finished, *r.broadcast);
        if (r.streams)
            j["streams"] = {{"bandwidth", r.streams->bandwidth},
                            {"share", r.streams->bandwidth / r.streams->line},
                            {"formula", r.streams->formula},
                            {"formula_share", r.streams->formula / r.streams->line}};
    }
    std::vector<output_file> files(const loaded& scenario, const runs& points) const override {
        return {{"tables/lanes.csv", table(scenario, points)}};
    }
    json cost(const finished_run& run) const override {
        const auto& part = std::get<lanes_part>(run.result.own);
        return cost_json(part.cpu_seconds, part.checked_bytes);
    }
};

}  // namespace

const workload_kind& lanes() {
    static const lanes_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
