// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/program_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "hw/workloads/program/critical_path.h"
#include "tlm/sim/results/csv_field.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/program/advice.h"
#include "tlm/workloads/program/interface_program.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using hw::programs::rank_state;
using scenario::loaded;
using scenario::workload_settings;

namespace {

/// Names of rank_state in results.
constexpr std::array<const char*, hw::programs::rank_states> state_names{
    "compute", "t_hs", "t_hr", "copy_reduce", "wait_credit", "wait_grant", "wait_message"};

json maybe(const std::optional<boost::rational<std::int64_t>>& rate) {
    return rate ? json(boost::rational_cast<double>(*rate)) : json("free");
}

/// The rank that ends last, the lowest of equals.
const program_part::rank& last_of(const program_part& part) {
    return *std::ranges::max_element(part.ranks, {}, &program_part::rank::finish);
}

json program_json(const program_part& part, const scenario::settings& s) {
    json operations = json::object();
    for (std::size_t kind = 0; kind < part.operations.size(); ++kind)
        if (part.operations[kind] != 0)
            operations[std::string(hw::programs::operation_kinds[kind].name)] = part.operations[kind];
    program_part::rank all;
    for (const program_part::rank& each : part.ranks) {
        for (std::size_t i = 0; i < each.cycles.size(); ++i) all.cycles[i] += each.cycles[i];
        all.rendezvous += each.rendezvous;
        all.reordered += each.reordered;
        all.credit_waits += each.credit_waits;
        all.open += each.open;
        all.unexpected_messages = std::max(all.unexpected_messages, each.unexpected_messages);
        all.unexpected_bytes = std::max(all.unexpected_bytes, each.unexpected_bytes);
    }
    json breakdown = json::object();
    for (std::size_t i = 0; i < state_names.size(); ++i) breakdown[state_names[i]] = all.cycles[i];
    const program_part::rank& last = last_of(part);
    const double seconds = static_cast<double>(last.finish) * boost::rational_cast<double>(s.host.cycle_ns) * 1e-9;
    return {{"fidelity", "model"},
            {"ranks", part.ranks.size()},
            {"operations", operations},
            {"bytes", part.bytes},
            {"finish", {{"cycles", last.finish}, {"seconds", seconds}, {"rank", &last - part.ranks.data()}}},
            {"breakdown", breakdown},
            {"open", all.open},
            {"queues", part.queues},
            {"processors", part.processors},
            {"receive_buffers", part.buffers},
            {"rendezvous", all.rendezvous},
            {"reordered", all.reordered},
            {"mismatched", part.mismatched},
            {"wrong_results", part.wrong_results},
            {"credits", {{"ranks", part.credited}, {"waited", all.credit_waits}}},
            {"unexpected", {{"messages_max", all.unexpected_messages}, {"bytes_max", all.unexpected_bytes}}}};
}

/// Cycles of the critical path by what they were needed for, and the operations that they were needed for most.
json path_json(const program_part& part) {
    constexpr std::size_t most_operations = 10;
    std::array<std::uint64_t, std::size(hw::programs::path_steps)> by{};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, const std::string*>> operations;
    for (const program_part::segment& each : part.path) {
        by[each.what] += each.to - each.from;
        auto& own = operations[{each.rank, each.operation}];
        own = {own.first + each.to - each.from, &each.name};
    }
    json steps = json::object();
    for (std::size_t what = 0; what < by.size(); ++what)
        if (by[what] != 0) steps[std::string(hw::programs::path_steps[what].name)] = by[what];
    std::vector<std::pair<std::uint64_t, const std::string*>> most;
    for (const auto& [id, own] : operations) most.push_back(own);
    std::ranges::stable_sort(most, std::greater{}, &std::pair<std::uint64_t, const std::string*>::first);
    json first = json::array();
    for (std::size_t i = 0; i < std::min(most.size(), most_operations); ++i)
        first.push_back({{"operation", *most[i].second}, {"cycles", most[i].first}});
    return {{"segments", part.path.size()}, {"by", steps}, {"operations", first}};
}

/// A row for each segment of the critical path of each run; empty without programs.
std::string path_csv(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const auto* part = std::get_if<program_part>(&point.result.own);
        if (part == nullptr || part->path.empty()) continue;
        if (csv.empty()) csv = "point,from,to,what,rank,operation,name\n";
        const std::string id = run_id(scenario, *point.on, point.workload);
        for (const program_part::segment& each : part->path)
            csv += fmt::format("{},{},{},{},{},{},{}\n", id, each.from, each.to,
                               hw::programs::path_steps[each.what].name, each.rank, each.operation, field(each.name));
    }
    return csv;
}

json collective_settings(const scenario::program_workload& w) {
    json j{{"collective", hw::name_in(hw::programs::collective_kinds, w.collective)},
           {"algorithm", w.algorithm},
           {"size", w.size.value_or(0)},
           {"type", hw::name_in(hw::programs::element_types, w.type)}};
    if (hw::programs::reduces(w.collective))
        j["reduction"] = hw::name_in(hw::programs::reductions, w.reduction.value_or(hw::programs::reduction::sum));
    if (hw::programs::has_root(w.collective)) j["root"] = w.root;
    j["inplace"] = w.in_place;
    return j;
}

/// Bandwidths as nccl-tests define them (its doc/PERFORMANCE.md): algbw = size / time, and busbw that times what an
/// ideal algorithm sends over a rank's link for each byte.
json collective_json(const scenario::program_workload& w, const chosen_algorithm& by, const program_part& part,
                     const scenario::settings& s) {
    using kind = hw::programs::collective_kind;
    const auto ranks = static_cast<double>(part.ranks.size());
    const std::uint64_t cycles = last_of(part).finish;
    const double seconds = static_cast<double>(cycles) * boost::rational_cast<double>(s.host.cycle_ns) * 1e-9;
    const double factor = w.collective == kind::allreduce                                   ? 2 * (ranks - 1) / ranks
                          : w.collective == kind::broadcast || w.collective == kind::reduce ? 1
                                                                                            : (ranks - 1) / ranks;
    json j{{"collective", hw::name_in(hw::programs::collective_kinds, w.collective)},
           {"algorithm", by.name},
           {"ranks", part.ranks.size()},
           {"size", w.size.value_or(0)},
           {"cycles", cycles},
           {"seconds", seconds}};
    if (!by.by.empty())
        j["chosen"] = {{"by", by.by}, {"predicted_cycles", by.predicted ? json(*by.predicted) : json()}};
    if (w.collective == kind::barrier) return j;
    const double rate = static_cast<double>(w.size.value_or(0)) / seconds;
    j["algbw"] = rate;
    j["busbw"] = rate * factor;
    return j;
}

/// A row for each rank of each run; empty without programs.
std::string ranks_csv(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const auto* part = std::get_if<program_part>(&point.result.own);
        if (part == nullptr) continue;
        if (csv.empty()) {
            csv = "point,rank,host,finish";
            for (const char* name : state_names) csv += fmt::format(",{}", name);
            csv += ",open,rendezvous,reordered,credit_waits,unexpected_messages_max,unexpected_bytes_max\n";
        }
        const std::string id = run_id(scenario, *point.on, point.workload);
        for (std::size_t rank = 0; rank < part->ranks.size(); ++rank) {
            const program_part::rank& own = part->ranks[rank];
            csv += fmt::format("{},{},{},{}", id, rank, point.on->plan.network.hosts[own.host].name, own.finish);
            for (const std::uint64_t cycles : own.cycles) csv += fmt::format(",{}", cycles);
            csv += fmt::format(",{},{},{},{},{},{}\n", own.open, own.rendezvous, own.reordered, own.credit_waits,
                               own.unexpected_messages, own.unexpected_bytes);
        }
    }
    return csv;
}

class program_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        return run_program(scenario, on, workload, seed_of(scenario.values.seed, on.index, 0), factory, stop,
                           instruments);
    }
    unsigned payload(const scenario::settings& s, const workload_settings&) const override {
        return s.packet.payload_bytes;
    }
    std::optional<hw::system::system_plan> own_plan(const loaded& scenario, const instance& on,
                                                    std::size_t workload) const override {
        return plan_of_program(scenario, on, workload);
    }
    json settings(const scenario::settings&, const workload_settings& w) const override {
        const scenario::program_workload& own = w.program;
        json j = w.kind == scenario::traffic_kind::collective
                     ? collective_settings(own)
                     // Without folders: results do not depend on where a scenario lies.
                     : json{{"path", std::filesystem::path(own.path).filename().string()}};
        j["placement"] = std::filesystem::path(own.placement).filename().string();
        j["eager"] = own.eager;
        j["copy"] = maybe(own.copy);
        j["reduce"] = maybe(own.reduce);
        return j;
    }
    std::string_view scheme(const workload_settings& w) const override { return w.program.algorithm; }
    void add(json& run, const loaded& scenario, const finished_run& finished) const override {
        const auto* part = std::get_if<program_part>(&finished.result.own);
        if (part == nullptr) return;
        run["program"] = program_json(*part, scenario.values);
        run["program"]["critical_path"] = part->path.empty() ? json(nullptr) : path_json(*part);
        const workload_settings& w = scenario.values.workloads[finished.workload];
        if (w.kind == scenario::traffic_kind::collective &&
            finished.result.ended == hw::system::run_outcome::kind::complete)
            run["program"]["collectives"] = json::array({collective_json(
                w.program, algorithm_of(scenario, *finished.on, finished.workload), *part, scenario.values)});
    }
    std::vector<output_file> files(const loaded& scenario, const runs& points) const override {
        return {{"tables/ranks.csv", ranks_csv(scenario, points)},
                {"tables/critical_path.csv", path_csv(scenario, points)}};
    }
    json cost(const finished_run& run) const override {
        const auto* part = std::get_if<program_part>(&run.result.own);
        return part == nullptr ? json(nullptr) : cost_json(part->cpu_seconds, part->bytes);
    }
    std::string remark(const finished_run& run) const override {
        const auto* part = std::get_if<program_part>(&run.result.own);
        if (part == nullptr || part->ranks.empty()) return "";
        const program_part::rank& last = last_of(*part);
        return fmt::format("  finish {} at rank {}", last.finish, &last - part->ranks.data());
    }
};

}  // namespace

const workload_kind& programs() {
    static const program_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
