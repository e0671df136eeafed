// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/fabric_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

namespace {

json zero_load_json(const zero_load_result& zero) {
    return {{"packets", zero.packets},
            {"measured", zero.measured},
            {"formula", zero.formula},
            {"exact", zero.exact},
            {"different", zero.different}};
}

json allgather_json(const allgather_result& a) {
    json j{{"group", a.group},
           {"packets", a.packets},
           {"missing", a.missing},
           {"xors", {{"total", a.xors}, {"max", a.most_xors}, {"coders", a.coders}}},
           {"decode_xors", a.decode_xors}};
    if (a.longest_queue) j["longest_queue"] = *a.longest_queue;
    if (a.most_operand_flits) j["operand_flits_max"] = *a.most_operand_flits;
    if (a.verified_bytes) j["verified_bytes"] = *a.verified_bytes;
    j["steps"] = json::array();
    for (const allgather_result::step& one : a.steps) {
        j["steps"].push_back({{"step", one.name},
                              {"level", one.level},
                              {"rounds", one.rounds},
                              {"cycles", one.cycles},
                              {"packets", one.packets},
                              {"hops", one.hops},
                              {"latency", one.latency ? json(*one.latency) : json(nullptr)}});
    }
    return j;
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

}  // namespace

std::string common_name(const std::string& a, const std::string& b) {
    const auto end = std::ranges::mismatch(a, b).in1;
    const std::string same(a.begin(), end);
    const std::size_t last = same.find_last_not_of("0123456789.-_");
    return last == std::string::npos ? a : same.substr(0, last + 1);
}

void add_fabric(json& point, const fabric_result& fabric) {
    if (fabric.zero_load) point["zero_load"] = zero_load_json(*fabric.zero_load);
    point["flit_hops"] = fabric.flit_hops;
    if (fabric.router_steps != 0) point["router_steps"] = fabric.router_steps;
}

void add_allgather(json& point, const allgather_result& allgather) {
    point["flit_hops"] = allgather.flit_hops;
    point["allgather"] = allgather_json(allgather);
}

std::vector<point_group> groups_of(const std::vector<finished_run>& points,
                                   const std::function<bool(const run_result&)>& wanted,
                                   const std::function<bool(const finished_run&, const finished_run&)>& alike) {
    std::vector<point_group> groups;
    for (const finished_run& point : points) {
        if (!wanted(point.result)) continue;
        const auto group = std::ranges::find_if(groups, [&](const point_group& g) { return alike(*g.front(), point); });
        if (group == groups.end()) {
            groups.push_back({&point});
        } else {
            group->push_back(&point);
        }
    }
    return groups;
}

json curves_json(const loaded& scenario, const std::vector<finished_run>& points) {
    const std::vector<point_group> groups = groups_of(
        points, [](const run_result& r) { return r.fabric && r.fabric->load; },
        [&](const finished_run& a, const finished_run& b) { return alike_but_rate(scenario, a, b); });
    json curves = json::array();
    for (const point_group& group : groups) {
        if (group.size() > 1) curves.push_back(curve_json(scenario, group));
    }
    return curves;
}

}  // namespace polycast::tlm::sim
