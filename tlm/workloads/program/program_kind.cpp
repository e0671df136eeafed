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
#include "tlm/workloads/program/loggops_program.h"
#include "tlm/workloads/program/operations_table.h"

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

/// Some rank has not ended, as a reliable message has failed.
bool unfinished(const program_part& part) {
    return std::ranges::any_of(part.ranks, [](const program_part::rank& each) { return each.open != 0; });
}

/// Seconds of so many units of the program's times.
double seconds_of(double units, const program_part& part, const scenario::settings& s) {
    const double cycles = units * static_cast<double>(part.unit_numerator) / static_cast<double>(part.unit_denominator);
    return cycles * boost::rational_cast<double>(s.host.cycle_ns) * 1e-9;
}

/// Those of multicasts are one for each receiver.
std::uint64_t messages_of(const program_part& part) {
    return part.operations[static_cast<std::size_t>(hw::programs::operation_kind::send)];
}

json operations_json(const program_part& part) {
    json operations = json::object();
    for (std::size_t kind = 0; kind < part.operations.size(); ++kind)
        if (part.operations[kind] != 0)
            operations[std::string(hw::programs::operation_kinds[kind].name)] = part.operations[kind];
    return operations;
}

/// Of the reference machine; `time` and `sum` are in the program's unit.
json loggops_json(const program_part& part, const scenario::settings& s) {
    const program_part::reference& seen = part.loggops;
    return {{"fidelity", "loggops"},
            {"ranks", part.ranks.size()},
            {"operations", operations_json(part)},
            {"messages", messages_of(part)},
            {"bytes", part.bytes},
            {"finish",
             {{"cycles", last_of(part).finish},
              {"seconds", seconds_of(static_cast<double>(seen.time), part, s)},
              {"rank", seen.rank},
              {"time", seen.time},
              {"sum", seen.sum}}},
            {"open", seen.waiting},
            {"wrong_results", part.wrong_results},
            {"unexpected", {{"messages_max", seen.unexpected}}}};
}

json program_json(const program_part& part, const scenario::settings& s) {
    if (part.loggops.used) return loggops_json(part, s);
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
    const double seconds = seconds_of(static_cast<double>(last.finish), part, s);
    return {{"fidelity", "model"},
            {"ranks", part.ranks.size()},
            {"operations", operations_json(part)},
            {"messages", messages_of(part)},
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

/// Names with the most cycles.
json most_of(const std::map<std::string, std::uint64_t>& cycles, const char* what) {
    constexpr std::size_t most_shown = 10;
    std::vector<std::pair<std::uint64_t, const std::string*>> most;
    for (const auto& [name, sum] : cycles) most.emplace_back(sum, &name);
    std::ranges::stable_sort(most, std::greater{}, &std::pair<std::uint64_t, const std::string*>::first);
    json first = json::array();
    for (std::size_t i = 0; i < std::min(most.size(), most_shown); ++i)
        first.push_back({{what, *most[i].second}, {"cycles", most[i].first}});
    return first;
}

/// Cycles of the critical path by what they were needed for, and what they were needed for most.
json path_json(const program_part& part) {
    using hw::programs::path_step;
    constexpr std::size_t most_operations = 10;
    std::map<std::string, std::uint64_t> links, interfaces, hosts;
    std::array<std::uint64_t, std::size(hw::programs::path_steps)> by{};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, const std::string*>> operations;
    for (const program_part::segment& each : part.path) {
        by[each.what] += each.to - each.from;
        auto& own = operations[{each.rank, each.operation}];
        own = {own.first + each.to - each.from, &each.name};
        if (each.place.empty()) continue;
        switch (static_cast<path_step>(each.what)) {
            case path_step::link:
            case path_step::link_wait: links[each.place] += each.to - each.from; break;
            case path_step::ni_send:
            case path_step::ni_receive: interfaces[each.place] += each.to - each.from; break;
            default: hosts[each.place] += each.to - each.from;
        }
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
    json found{{"segments", part.path.size()}, {"by", steps}, {"operations", first}};
    if (!hosts.empty()) {
        found["links"] = most_of(links, "link");
        found["interfaces"] = most_of(interfaces, "host");
        found["hosts"] = most_of(hosts, "host");
    }
    return found;
}

/// A row for each segment of the critical path of each run; empty without programs.
std::string path_csv(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const auto* part = std::get_if<program_part>(&point.result.own);
        if (part == nullptr || part->path.empty()) continue;
        if (csv.empty()) csv = "point,from,to,what,rank,operation,name,place,behind\n";
        const std::string id = run_id(scenario, *point.on, point.workload);
        for (const program_part::segment& each : part->path)
            csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", id, each.from, each.to,
                               hw::programs::path_steps[each.what].name, each.rank, each.operation, field(each.name),
                               field(each.place), field(each.behind));
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
    if (w.repeat != 1) j["repeat"] = w.repeat;
    if (w.warmup != 0) j["warmup"] = w.warmup;
    return j;
}

/// A collective of `bytes` that took `seconds`, with bandwidths as nccl-tests define them (its doc/PERFORMANCE.md):
/// algbw = size / time, and busbw that times what an ideal algorithm sends over a rank's link for each byte.
json collective_json(hw::programs::collective_kind of, std::string_view algorithm, std::uint64_t members,
                     std::uint64_t bytes, const json& cycles, double seconds) {
    using kind = hw::programs::collective_kind;
    json j{{"collective", hw::name_in(hw::programs::collective_kinds, of)},
           {"algorithm", algorithm},
           {"ranks", members},
           {"size", bytes},
           {"cycles", cycles},
           {"seconds", seconds}};
    if (of == kind::barrier || seconds == 0) return j;
    const auto ranks = static_cast<double>(members);
    const double factor = of == kind::allreduce                         ? 2 * (ranks - 1) / ranks
                          : of == kind::broadcast || of == kind::reduce ? 1
                                                                        : (ranks - 1) / ranks;
    const double rate = static_cast<double>(bytes) / seconds;
    j["algbw"] = rate;
    j["busbw"] = rate * factor;
    return j;
}

/// The one of `kind: collective`, by the repetitions behind the warm-up.
json collective_json(const scenario::program_workload& w, const chosen_algorithm& by, const program_part& part,
                     const scenario::settings& s) {
    // Whole units: means are exact to the last bit that a double has.
    std::uint64_t sum = 0, least = UINT64_MAX, most = 0;
    json all = json::array();
    const boost::rational<std::int64_t> unit(part.unit_numerator, part.unit_denominator);
    for (std::size_t i = 0; i < part.repetitions.size(); ++i) {
        const std::uint64_t time = part.repetitions[i].end - part.repetitions[i].begin;
        all.push_back(hw::programs::time_of(time, unit));
        if (i < w.warmup) continue;
        sum += time;
        least = std::min(least, time);
        most = std::max(most, time);
    }
    const double mean = static_cast<double>(sum) / w.repeat;
    json j = collective_json(w.collective, by.name, part.ranks.size(), w.size.value_or(0),
                             hw::programs::time_of(sum, unit / std::int64_t{w.repeat}), seconds_of(mean, part, s));
    if (!by.by.empty())
        j["chosen"] = {{"by", by.by}, {"predicted_cycles", by.predicted ? json(*by.predicted) : json()}};
    if (w.repeat + w.warmup > 1) {
        j["repeat"] = w.repeat;
        j["warmup"] = w.warmup;
        j["cycles_min"] = hw::programs::time_of(least, unit);
        j["cycles_max"] = hw::programs::time_of(most, unit);
        j["repetitions"] = std::move(all);
    }
    return j;
}

/// Those of a program, which name their group and when they began.
json collectives_json(const program_part& part, const scenario::settings& s) {
    json all = json::array();
    for (const program_part::collective& each : part.collectives) {
        const std::uint64_t cycles = each.end - each.begin;
        const double seconds = static_cast<double>(cycles) * boost::rational_cast<double>(s.host.cycle_ns) * 1e-9;
        json one = collective_json(each.kind, each.algorithm, each.ranks, each.bytes, cycles, seconds);
        if (!each.group.empty()) one["group"] = each.group;
        one["begin"] = each.begin;
        all.push_back(std::move(one));
    }
    return all;
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
            if (part->loggops.used) {
                csv += std::string(state_names.size() + 6, ',') + "\n";
                continue;
            }
            for (const std::uint64_t cycles : own.cycles) csv += fmt::format(",{}", cycles);
            csv += fmt::format(",{},{},{},{},{},{}\n", own.open, own.rendezvous, own.reordered, own.credit_waits,
                               own.unexpected_messages, own.unexpected_bytes);
        }
    }
    return csv;
}

/// A row for each operation of each run that keeps them; empty without.
std::string operations_csv(const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const auto* part = std::get_if<program_part>(&point.result.own);
        if (part == nullptr || part->operations_table.empty()) continue;
        if (csv.empty()) csv = operations_head();
        csv += part->operations_table;
    }
    return csv;
}

class program_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        if (runs_on_loggops(scenario, workload))
            return run_loggops_program(scenario, on, workload, seed_of(scenario.values.seed, on.index, 0), stop,
                                       instruments);
        return run_program(scenario, on, workload, seed_of(scenario.values.seed, on.index, 0), factory, stop,
                           instruments);
    }
    unsigned payload(const scenario::settings& s, const workload_settings&) const override {
        return s.packet.payload_bytes;
    }
    std::optional<hw::system::system_plan> own_plan(const loaded& scenario, const instance& on,
                                                    std::size_t workload) const override {
        if (!runs_on_loggops(scenario, workload)) return plan_of_program(scenario, on, workload);
        check_loggops_program(scenario, on, workload);
        return std::nullopt;
    }
    json settings(const scenario::settings&, const workload_settings& w) const override {
        const scenario::program_workload& own = w.program;
        json j = w.kind == scenario::traffic_kind::collective
                     ? collective_settings(own)
                     // Without folders: results do not depend on where a scenario lies.
                     : json{{"path", std::filesystem::path(own.path).filename().string()}};
        if (own.machine == scenario::program_machine::loggops) {
            const hw::programs::loggops_parameters& p = own.loggops;
            j["machine"] = "loggops";
            j["loggops"] = {{"L", p.L}, {"o", p.o}, {"o_receive", p.o_receive}, {"g", p.g}, {"G", p.G},
                            {"O", p.O}, {"S", p.S}};
            return j;
        }
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
        if (scenario.values.workloads[finished.workload].reliable)
            run["program"]["reliable"] = {{"acknowledged", finished.result.counts.reliable.acknowledged},
                                          {"failed", finished.result.counts.reliable.failed}};
        if (!part->loggops.used)
            run["program"]["critical_path"] = part->path.empty() ? json(nullptr) : path_json(*part);
        const workload_settings& w = scenario.values.workloads[finished.workload];
        if (w.kind == scenario::traffic_kind::collective &&
            finished.result.ended == hw::system::run_outcome::kind::complete && !unfinished(*part))
            run["program"]["collectives"] = json::array({collective_json(
                w.program, algorithm_of(scenario, *finished.on, finished.workload), *part, scenario.values)});
        if (!part->collectives.empty()) run["program"]["collectives"] = collectives_json(*part, scenario.values);
        if (const auto& repaired = part->repaired; repaired.all() != 0)
            run["program"]["repaired"] = {
                {"absent", repaired.absent}, {"self", repaired.self}, {"later", repaired.later}};
    }
    std::vector<output_file> files(const loaded& scenario, const runs& points) const override {
        return {{"tables/ranks.csv", ranks_csv(scenario, points)},
                {"tables/critical_path.csv", path_csv(scenario, points)},
                {"tables/operations.csv", operations_csv(points)}};
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
