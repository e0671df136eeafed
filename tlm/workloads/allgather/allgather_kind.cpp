// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/allgather/allgather_kind.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tlm/workloads/allgather/interface_allgather.h"
#include "tlm/workloads/ideal_run.h"
#include "tlm/workloads/messages/ideal_kind.h"
#include "tlm/workloads/messages/messages_run.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

namespace {

json allgather_json(const allgather_part& a) {
    json j{{"group", a.group},
           {"packets", a.packets},
           {"missing", a.missing},
           {"xors", {{"total", a.xors}, {"max", a.most_xors}, {"coders", a.coders}}},
           {"decode_xors", a.decode_xors}};
    if (a.longest_queue) j["longest_queue"] = *a.longest_queue;
    if (a.most_operand_flits) j["operand_flits_max"] = *a.most_operand_flits;
    if (a.verified_bytes) j["verified_bytes"] = *a.verified_bytes;
    j["steps"] = json::array();
    for (const allgather_part::step& one : a.steps) {
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

json algorithm_json(const workload_settings& w) {
    using algorithm = scenario::allgather_algorithm;
    json j{{"algorithm", name_of(w.algorithm)}};
    if (w.algorithm >= algorithm::coded && w.algorithm <= algorithm::uncoded) {
        j["base"] = name_in(hw::collectives::coding_bases, w.base);
        j["placement"] = name_in(hw::collectives::node_placements, w.placement);
    }
    if (w.algorithm == algorithm::coded || w.algorithm == algorithm::every_node) {
        j["coding"] = name_in(hw::collectives::allgather_coders, w.coding);
        j["inner_groups"] = w.inner_groups;
        j["accounting"] = name_in(hw::collectives::accountings, w.accounting);
    }
    if (w.sources) j["sources"] = *w.sources;
    if (w.algorithm != algorithm::replication) j["mode"] = name_in(hw::collectives::allgather_paces, w.mode);
    return j;
}

void add_allgather(json& run, const allgather_part& allgather) {
    run["flit_hops"] = allgather.flit_hops;
    run["allgather"] = allgather_json(allgather);
}

class allgather_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        return run_interface_allgather(scenario, on, workload, seed_of(scenario.values.seed, on.index, 0), factory,
                                       stop, instruments);
    }
    unsigned payload(const scenario::settings& s, const workload_settings& w) const override {
        const bool combined = w.algorithm == scenario::allgather_algorithm::combining;
        return combined ? s.packet.payload_bytes : workload_kind::payload(s, w);
    }
    void check_routers(const loaded& scenario, const instance&, std::size_t workload,
                       router_needs& needs) const override {
        add_allgather_needs(needs, scenario, workload);
    }
    std::optional<hw::system::system_plan> own_plan(const loaded& scenario, const instance& on,
                                                    std::size_t workload) const override {
        return plan_of_allgather(scenario, on, workload);
    }
    json settings(const scenario::settings&, const workload_settings& w) const override {
        json j = algorithm_json(w);
        j["message"] = w.message_bytes;
        j["rate"] = rate_json(w);
        return j;
    }
    std::string_view scheme(const workload_settings& w) const override { return name_of(w.algorithm); }
    void add(json& run, const loaded&, const finished_run& finished) const override {
        if (const auto* part = std::get_if<allgather_part>(&finished.result.own)) add_allgather(run, *part);
    }
};

class ideal_allgather_kind final : public ideal_kind {
public:
    bool by_one_process(const scenario::settings& s, const instrumentation& instruments) const override {
        return ideal_engine_of(s, instruments) == ideal_engine::fabric;
    }
    json settings(const scenario::settings&, const workload_settings& w) const override {
        json j = algorithm_json(w);
        add_packets(j, w);
        return j;
    }
    std::string_view scheme(const workload_settings& w) const override { return name_of(w.algorithm); }
    void add(json& run, const loaded& scenario, const finished_run& finished) const override {
        ideal_kind::add(run, scenario, finished);
        add_allgather(run, std::get<allgather_part>(finished.result.own));
    }
    std::string remark(const finished_run& finished) const override {
        const auto* part = std::get_if<allgather_part>(&finished.result.own);
        if (part == nullptr || part->left_out == 0) return "";
        return fmt::format(
            "  {} of {} data cannot be recovered: their packets are not part of the published accounting",
            part->left_out, part->left_out + finished.result.counts.expected);
    }
};

}  // namespace

const workload_kind& allgathers() {
    static const allgather_kind kind;
    return kind;
}

const workload_kind& ideal_allgathers() {
    static const ideal_allgather_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
