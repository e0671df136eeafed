// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/program_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tlm/workloads/kind.h"
#include "tlm/workloads/messages/messages_run.h"
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
            {"credits", {{"ranks", part.credited}, {"waited", all.credit_waits}}},
            {"unexpected", {{"messages_max", all.unexpected_messages}, {"bytes_max", all.unexpected_bytes}}}};
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
        // Without folders: results do not depend on where a scenario lies.
        return {{"path", std::filesystem::path(own.path).filename().string()},
                {"placement", std::filesystem::path(own.placement).filename().string()},
                {"eager", own.eager},
                {"unit", boost::rational_cast<double>(own.unit)},
                {"copy", maybe(own.copy)},
                {"reduce", maybe(own.reduce)}};
    }
    void add(json& run, const loaded& scenario, const finished_run& finished) const override {
        if (const auto* part = std::get_if<program_part>(&finished.result.own))
            run["program"] = program_json(*part, scenario.values);
    }
    std::vector<output_file> files(const loaded& scenario, const runs& points) const override {
        return {{"tables/ranks.csv", ranks_csv(scenario, points)}};
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
