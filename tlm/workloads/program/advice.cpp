// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/advice.h"

#include <algorithm>
#include <filesystem>

#include "hw/collectives/advice.h"
#include "hw/collectives/algorithm_table.h"
#include "hw/input_error.h"
#include "hw/ni/native_firmware.h"
#include "hw/system/link_layer.h"
#include "hw/system/program_multicasts.h"
#include "hw/system/system_network.h"
#include "hw/workloads/program/program_run.h"
#include "tlm/sim/networks/firmware_files.h"
#include "tlm/workloads/program/advice_table.h"
#include "tlm/workloads/program/interface_program.h"

namespace polycast::tlm::sim {

using hw::programs::calibration;
using hw::programs::calibration_program;
using hw::programs::loggops_tables;
using scenario::loaded;
using scenario::program_workload;

namespace {

/// Pairs of each distance, and of all together: a mesh of 64 hosts has 15 distances.
constexpr std::uint32_t most_pairs = 32, most_pairs_together = 128;

calibration measured_on(const loaded& scenario, const instance& on, std::size_t workload,
                        const std::vector<std::uint32_t>& host_of) {
    std::vector<hw::programs::rank_pair> pairs = hw::programs::pairs_of(on.plan.network, host_of, most_pairs);
    std::uint32_t distances = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) distances += i == 0 || pairs[i].distance != pairs[i - 1].distance;
    if (pairs.size() > most_pairs_together)
        pairs = hw::programs::pairs_of(on.plan.network, host_of, std::max(1u, most_pairs_together / distances));
    const calibration_program probes(static_cast<std::uint32_t>(host_of.size()), std::move(pairs),
                                     scenario.values.packet.payload_bytes);
    hw::programs::rank_rules rules =
        rules_of(scenario, on, workload, std::make_shared<const hw::programs::program>(probes.made()),
                 {.rule = hw::programs::credit_rule::none,
                  .eager = std::max(probes.longest(), scenario.values.workloads[workload].program.eager)});
    rules.times = true;
    const hw::system::system_plan plan = hw::system::without_faults(fitted(scenario, on, rules));
    hw::programs::program_run run(std::move(rules));
    const auto firmware = hw::ni::native_firmware::load(firmware_file(scenario, firmware_library));
    hw::system::system_network network(
        plan, hw::system::make_core,
        hw::system::program_hosts(hw::system::native_processors(firmware),
                                  [&run](std::uint32_t host) { return run.programs(host); }),
        run);
    const hw::system::run_outcome outcome = network.run({});
    if (outcome.ended != hw::system::run_outcome::kind::complete)
        throw hw::input_error("the network does not carry the messages that measure it: " + outcome.diagnosis);
    std::vector<std::vector<hw::programs::operation_times>> times;
    for (std::uint32_t rank = 0; rank < host_of.size(); ++rank) {
        const auto said = hw::host::host_report::of(network.network().report(plan.host_chip(host_of[rank])));
        times.push_back(hw::programs::rank_report::of(said->applications, probes.made().of_rank(rank)).times);
    }
    return calibration::of(probes, times);
}

}  // namespace

hw::programs::collective collective_of(const program_workload& w, std::uint32_t ranks) {
    hw::programs::collective made;
    made.kind = w.collective;
    made.ranks = ranks;
    made.root = w.root;
    made.combined = {w.type, w.reduction.value_or(hw::programs::reduction::sum)};
    made.elements = w.size.value_or(0) / made.element_bytes();
    if (w.collective == hw::programs::collective_kind::barrier) {
        made.combined.type = hw::programs::element_type::u8;
        made.elements = 1;
    }
    made.pieces = w.pieces;
    made.in_place = w.in_place;
    return made;
}

std::uint32_t ranks_of(const program_workload& w, const instance& on) {
    return w.ranks.value_or(static_cast<unsigned>(on.plan.network.hosts.size()));
}

std::shared_ptr<const calibrated_machine> calibrated(const loaded& scenario, const instance& on, std::size_t workload,
                                                     std::uint32_t ranks) {
    const scenario::settings& s = scenario.values;
    const std::vector<std::uint32_t> host_of = hosts_of(scenario, on, workload, ranks);
    std::string key = "calibration " + std::to_string(on.index);
    for (const std::uint32_t host : host_of) key += " " + std::to_string(host);
    return scenario.files->once<calibrated_machine>(key, [&] {
        auto made = std::make_shared<calibrated_machine>();
        made->tables.o = s.host.send_overhead;
        made->tables.o_receive = s.host.receive_overhead;
        if (s.host.overheads == scenario::overhead_rule::packet) made->tables.packet_bytes = s.packet.payload_bytes;
        if (ranks < 2) return made;
        made->measured = measured_on(scenario, on, workload, host_of);
        made->tables = made->measured.tables(made->tables, hw::programs::control_bytes);
        return made;
    });
}

loggops_tables machine_of(const loaded& scenario, const instance& on, std::size_t workload, std::uint32_t ranks,
                          std::span<const std::uint32_t> members) {
    const program_workload& w = scenario.values.workloads[workload].program;
    loggops_tables tables = calibrated(scenario, on, workload, ranks)->tables;
    tables.S = w.eager;
    tables.copy = w.copy;
    tables.reduce = w.reduce;
    const std::vector<std::uint32_t> all = hosts_of(scenario, on, workload, ranks);
    std::vector<std::uint32_t> host_of;
    for (const std::uint32_t member : members) host_of.push_back(all[member]);
    tables.multicasts = hw::system::multicast_predictor(on.plan, members.empty() ? all : host_of);
    return tables;
}

std::string why_no_multicasts(const loaded& scenario, const instance& on, std::string_view scheme) {
    const std::string key = "multicasts " + std::to_string(on.index) + " " + std::string(scheme);
    return *scenario.files->once<std::string>(key, [&] {
        hw::system::system_plan plan = on.plan;
        if (!scenario.values.chip.packet_limit_flits) hw::system::take_worms(plan, scheme);
        return std::make_shared<const std::string>(hw::system::why_no_multicasts(plan, scheme));
    });
}

std::vector<hw::collectives::prediction> predictions_of(const loaded& scenario, const instance& on,
                                                        const hw::programs::collective& made,
                                                        const loggops_tables& machine) {
    return hw::collectives::predict(
        made, machine, [&](std::string_view scheme) { return why_no_multicasts(scenario, on, scheme).empty(); });
}

chosen_algorithm algorithm_of(const loaded& scenario, const instance& on, std::size_t workload) {
    const program_workload& w = scenario.values.workloads[workload].program;
    if (w.algorithm != automatic_algorithm) return {w.algorithm, ""};
    const std::uint32_t ranks = ranks_of(w, on);
    const hw::programs::collective made = collective_of(w, ranks);
    if (const auto table = scenario.advice_path(workload))
        return {chosen_by_table(scenario, *table, made), std::filesystem::path(*table).filename().string()};
    const std::string key = "advice " + std::to_string(workload) + " " + std::to_string(on.index);
    return *scenario.files->once<chosen_algorithm>(key, [&] {
        const loggops_tables machine = machine_of(scenario, on, workload, ranks);
        const std::vector<hw::collectives::prediction> all = predictions_of(scenario, on, made, machine);
        if (all.empty())
            scenario.fail(scenario::workload_path(workload, "algorithm"), "no algorithm can do this collective",
                          "name one, and the message says why not");
        return std::make_shared<const chosen_algorithm>(
            chosen_algorithm{std::string(all.front().by->name), "prediction", all.front().cycles});
    });
}

const hw::collectives::algorithm& predicted_algorithm(const loaded& scenario, const instance& on, std::size_t workload,
                                                      std::uint32_t ranks, const hw::programs::collective& of,
                                                      std::span<const std::uint32_t> members) {
    std::string key = "auto " + std::to_string(workload) + " " + std::to_string(on.index) + " " +
                      std::to_string(static_cast<unsigned>(of.kind)) + " " + std::to_string(of.elements) + " " +
                      std::to_string(of.root);
    for (const std::uint32_t member : members) key += " " + std::to_string(member);
    const auto chosen = scenario.files->once<std::string>(key, [&] {
        const loggops_tables machine = machine_of(scenario, on, workload, ranks, members);
        const auto found = predictions_of(scenario, on, of, machine);
        return std::make_shared<const std::string>(found.empty() ? hw::collectives::default_algorithm(of.kind)
                                                                 : found.front().by->name);
    });
    return *hw::collectives::find_algorithm(of.kind, *chosen);
}

}  // namespace polycast::tlm::sim
