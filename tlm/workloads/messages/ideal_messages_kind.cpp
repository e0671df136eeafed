// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tlm/workloads/curves.h"
#include "tlm/workloads/ideal_run.h"
#include "tlm/workloads/messages/ideal_kind.h"
#include "tlm/workloads/messages/messages_kind.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

namespace {

/// A run is saturated where the network did not keep up, or where the mean latency is more than so many times that of
/// packets alone in the network.
constexpr double saturated_times = 3;

json zero_load_json(const zero_load_result& zero) {
    return {{"packets", zero.packets},
            {"measured", zero.measured},
            {"formula", zero.formula},
            {"exact", zero.exact},
            {"different", zero.different}};
}

bool alike_but_rate(const loaded& scenario, const finished_run& a, const finished_run& b) {
    const workload_settings& x = scenario.values.workloads[a.workload];
    const workload_settings& y = scenario.values.workloads[b.workload];
    return a.on == b.on && x.pattern == y.pattern && x.flits == y.flits && x.most_flits == y.most_flits &&
           x.pattern_hosts == y.pattern_hosts;
}

bool is_saturated(const fabric_result& fabric) {
    return !fabric.load->kept_up ||
           (fabric.zero_load && fabric.latency.mean > saturated_times * fabric.zero_load->measured);
}

json curve_json(const loaded& scenario, std::vector<const finished_run*> members) {
    const auto rate_of = [&](const finished_run* point) {
        return boost::rational_cast<double>(*scenario.values.workloads[point->workload].rate);
    };
    std::ranges::sort(members, {}, rate_of);
    const auto name_of_point = [&](const finished_run* point) {
        return scenario.values.workloads[point->workload].name;
    };
    const workload_settings& first = scenario.values.workloads[members.front()->workload];
    const fabric_result& lone = *members.front()->result.fabric;
    json steady = nullptr, beyond = nullptr;
    double accepted = 0;
    json points = json::array();
    for (const finished_run* point : members) {
        const fabric_result& f = *point->result.fabric;
        const bool saturated = is_saturated(f);
        if (saturated && beyond.is_null()) beyond = rate_of(point);
        if (!saturated && beyond.is_null()) steady = rate_of(point);
        accepted = std::max(accepted, f.accepted);
        points.push_back({{"workload", name_of_point(point)},
                          {"rate", rate_of(point)},
                          {"accepted", f.accepted},
                          {"latency_mean", f.latency.count == 0 ? json(nullptr) : json(f.latency.mean)},
                          {"latency_p99", f.latency.count == 0 ? json(nullptr) : json(f.latency.p99)},
                          {"latency_ci95", f.latency.ci95 ? json(*f.latency.ci95) : json(nullptr)},
                          {"kept_up", f.load->kept_up},
                          {"saturated", saturated}});
    }
    return {{"name", common_name(name_of_point(members.front()), name_of_point(members.back()))},
            {"topology", members.front()->on->name},
            {"pattern", first.pattern.name},
            {"flits", first.flits},
            {"most_flits", first.most_flits.value_or(first.flits)},
            {"zero_load", lone.zero_load ? zero_load_json(*lone.zero_load) : json(nullptr)},
            {"saturation", {{"steady", steady}, {"beyond", beyond}, {"accepted", accepted}}},
            {"points", std::move(points)}};
}

class ideal_messages_kind final : public ideal_kind {
public:
    json settings(const scenario::settings&, const workload_settings& w) const override {
        json j{{"pattern", w.pattern.name}};
        add_packets(j, w);
        return j;
    }
    std::string_view pattern(const workload_settings& w) const override { return w.pattern.name; }
    json curves(const loaded& scenario, const runs& points) const override {
        const std::vector<point_group> groups = groups_of(
            points, [](const run_result& r) { return r.fabric && r.fabric->load; },
            [&](const finished_run& a, const finished_run& b) { return alike_but_rate(scenario, a, b); });
        json curves = json::array();
        for (const point_group& group : groups) {
            if (group.size() > 1) curves.push_back(curve_json(scenario, group));
        }
        return curves;
    }
};

}  // namespace

run_result ideal_kind::run(const loaded& scenario, const instance& on, std::size_t workload,
                           const network_factory& factory, const std::function<bool()>& stop,
                           const instrumentation& instruments) const {
    return run_ideal(scenario, on, workload, factory, stop, instruments);
}

void ideal_kind::check_routers(const loaded& scenario, const instance& on, std::size_t workload, router_needs&) const {
    check_ideal_run(scenario, on.plan.network, workload);
}

std::optional<hw::system::system_plan> ideal_kind::own_plan(const loaded& scenario, const instance&,
                                                            std::size_t workload) const {
    return ideal_plan_of(scenario, workload);
}

summary ideal_kind::latency(const loaded&, const finished_run& run) const {
    return run.result.fabric->latency;
}

std::optional<throughput> ideal_kind::rates(const loaded& scenario, const finished_run& run) const {
    if (!scenario.values.workloads[run.workload].rate) return std::nullopt;
    const fabric_result& fabric = *run.result.fabric;
    return throughput{fabric.generated, fabric.generated, fabric.accepted};
}

std::optional<load_results> ideal_kind::load(const loaded& scenario, const finished_run& run) const {
    return scenario.values.workloads[run.workload].rate ? run.result.fabric->load : std::nullopt;
}

void ideal_kind::add(json& run, const loaded&, const finished_run& finished) const {
    const fabric_result& fabric = *finished.result.fabric;
    if (fabric.zero_load) run["zero_load"] = zero_load_json(*fabric.zero_load);
    run["flit_hops"] = fabric.flit_hops;
    if (fabric.router_steps != 0) run["router_steps"] = fabric.router_steps;
}

void ideal_kind::add_packets(json& settings, const workload_settings& w) {
    settings["flits"] = w.flits;
    if (w.most_flits) settings["most_flits"] = *w.most_flits;
    settings["rate"] = rate_json(w);
}

const workload_kind& ideal_messages() {
    static const ideal_messages_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
