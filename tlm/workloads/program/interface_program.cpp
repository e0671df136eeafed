// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/interface_program.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <numeric>
#include <sstream>

#include "hw/collectives/library.h"
#include "hw/input_error.h"
#include "hw/programs/check.h"
#include "hw/traffic/random.h"
#include "hw/workloads/program/program_run.h"
#include "tlm/sim/usage.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/program/advice.h"
#include "tlm/workloads/run_chips.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::programs::operation;
using hw::programs::operation_kind;
using hw::programs::program;
using hw::programs::program_run;
using hw::programs::rank_report;
using hw::programs::rank_rules;
using hw::system::system_plan;
using scenario::loaded;
using scenario::program_workload;

namespace {

constexpr unsigned most_queues = 16;  ///< of `queues: auto`
/// Operations of a program whose times are kept, at about 100 bytes each.
constexpr std::uint64_t most_timed = std::uint64_t{1} << 20;

bool of_library(const loaded& scenario, std::size_t workload) {
    return scenario.values.workloads[workload].kind == scenario::traffic_kind::collective;
}

std::shared_ptr<const program> program_of_file(const loaded& scenario, std::size_t workload) {
    const program_workload& w = scenario.values.workloads[workload].program;
    const std::string path = scenario.program_path(workload).value();
    hw::programs::read_options options;
    options.nics = w.nics;
    options.piece = w.piece;
    options.size = w.size;
    options.type = w.type;
    options.how = w.reduction;
    options.slice = w.slice;
    options.ignore_range = w.ignore_range;
    const std::string& bytes = scenario.files->text_of(path, "program");
    auto read = std::make_shared<const program>(hw::programs::read_program_bytes(path, bytes, options, w.format));
    const hw::programs::check_result found = hw::programs::check(*read, {.eager = w.eager, .races = !w.races});
    if (!found.good())
        throw hw::input_error(path, {}, found.problems.front(),
                              found.problems_found == 1
                                  ? ""
                                  : "it is one of " + std::to_string(found.problems_found) +
                                        " problems; `scripts/polycast program check` says more of them");
    return read;
}

std::shared_ptr<const program> program_of_library(const loaded& scenario, std::size_t workload, std::uint32_t ranks,
                                                  const std::string& algorithm) {
    const program_workload& w = scenario.values.workloads[workload].program;
    const hw::programs::collective made = collective_of(w, ranks);
    const hw::collectives::algorithm& by = *hw::collectives::find_algorithm(w.collective, algorithm);
    if (const std::string reason = why_not(by, made); !reason.empty())
        scenario.fail(scenario::workload_path(workload, "algorithm"), reason);
    return std::make_shared<const program>(make_program(by, made));
}

/// The program, read or made, and checked once for all networks of a size.
std::shared_ptr<const program> program_of(const loaded& scenario, const instance& on, std::size_t workload) {
    const scenario::workload_settings& w = scenario.values.workloads[workload];
    const bool collective = of_library(scenario, workload);
    const auto ranks = w.program.ranks.value_or(static_cast<unsigned>(on.plan.network.hosts.size()));
    const std::string algorithm = collective ? algorithm_of(scenario, on, workload).name : "";
    const std::string key =
        "program " + std::to_string(workload) + (collective ? " " + std::to_string(ranks) + " " + algorithm : "");
    return scenario.files->once<program>(key, [&] {
        return collective ? program_of_library(scenario, workload, ranks, algorithm)
                          : program_of_file(scenario, workload);
    });
}

/// A host for each rank; of a file one line each.
std::vector<std::uint32_t> placed_by_file(const loaded& scenario, const hw::topology::graph& network,
                                          const std::string& path) {
    std::istringstream lines(scenario.files->text_of(path, "placement"));
    std::vector<std::uint32_t> hosts;
    std::string text;
    for (unsigned line = 1; std::getline(lines, text); ++line) {
        const std::size_t begin = text.find_first_not_of(" \t\r");
        if (begin == std::string::npos || text[begin] == '#') continue;
        const hw::text_position at{line, static_cast<unsigned>(begin + 1)};
        text = text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
        std::optional<std::uint32_t> host = network.find_host(text);
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (!host && error == std::errc{} && end == text.data() + text.size() && number < network.hosts.size())
            host = number;
        if (!host)
            throw hw::input_error(path, at, "there is no host '" + text + "'",
                                  "a name, or a number of 0.." + std::to_string(network.hosts.size() - 1));
        if (std::ranges::find(hosts, *host) != hosts.end())
            throw hw::input_error(path, at, "host '" + text + "' has a rank already");
        hosts.push_back(*host);
    }
    return hosts;
}

}  // namespace

std::vector<std::uint32_t> hosts_of(const loaded& scenario, const instance& on, std::size_t workload,
                                    std::uint32_t ranks) {
    const auto there = static_cast<std::uint32_t>(on.plan.network.hosts.size());
    const program_workload& w = scenario.values.workloads[workload].program;
    if (ranks > there)
        scenario.fail(scenario::workload_path(workload, of_library(scenario, workload) ? "ranks" : "path"),
                      "the program has " + std::to_string(ranks) + " ranks, and " + on.name + " has " +
                          std::to_string(there) + " hosts",
                      "take a larger network: a host has one rank at most");
    std::vector<std::uint32_t> hosts;
    if (const auto file = scenario.placement_path(workload)) {
        hosts = placed_by_file(scenario, on.plan.network, *file);
        if (hosts.size() != ranks)
            scenario.fail(scenario::workload_path(workload, "placement"),
                          *file + " has " + std::to_string(hosts.size()) + " hosts, and the program " +
                              std::to_string(ranks) + " ranks");
        return hosts;
    }
    hosts.resize(there);
    std::iota(hosts.begin(), hosts.end(), 0);
    if (w.placement == "random") {
        // Fisher and Yates, by a stream of its own: std::shuffle differs between libraries.
        hw::traffic::random_stream random(seed_of(scenario.values.seed, on.index, 1), workload);
        for (std::uint32_t left = there; left > 1; --left)
            std::swap(hosts[left - 1], hosts[hw::traffic::draws{random}.below(left)]);
    }
    hosts.resize(ranks);
    return hosts;
}

rank_rules rules_of(const loaded& scenario, const instance& on, std::size_t workload, std::shared_ptr<const program> of,
                    hw::programs::credit_options credits) {
    const scenario::settings& s = scenario.values;
    const program_workload& w = s.workloads[workload].program;
    rank_rules rules;
    rules.of = std::move(of);
    rules.host_of = hosts_of(scenario, on, workload, rules.of->ranks());
    rules.rank_of.assign(on.plan.network.hosts.size(), rank_rules::no_rank);
    for (std::uint32_t rank = 0; rank < rules.host_of.size(); ++rank) rules.rank_of[rules.host_of[rank]] = rank;
    rules.eager = credits.eager;
    rules.queues = w.queues.value_or(std::min<unsigned>(rules.of->largest_channel() + 1u, most_queues));
    rules.start = first_message(s);
    rules.send_overhead = s.host.send_overhead;
    rules.receive_overhead = s.host.receive_overhead;
    if (s.host.overheads == scenario::overhead_rule::packet) rules.packet_bytes = s.packet.payload_bytes;
    constexpr std::int64_t picoseconds = 1000;
    rules.unit = w.unit ? *w.unit
                        : boost::rational<std::int64_t>(static_cast<std::int64_t>(rules.of->unit()), picoseconds) /
                              s.host.cycle_ns;
    rules.copy = w.copy;
    rules.reduce = w.reduce;
    rules.type = w.type;
    rules.times = rules.of->operations() <= most_timed;
    try {
        credits.queues = rules.queues;
        rules.credits = hw::programs::plan_credits(*rules.of, credits);
        return checked(std::move(rules));
    } catch (const hw::input_error& refused) {
        scenario.fail(scenario::workload_path(workload, of_library(scenario, workload) ? "algorithm" : "path"),
                      refused.what());
    }
}

rank_rules rules_of(const loaded& scenario, const instance& on, std::size_t workload) {
    const program_workload& w = scenario.values.workloads[workload].program;
    return rules_of(scenario, on, workload, program_of(scenario, on, workload),
                    {.rule = w.credit_rule, .window = w.credits, .eager = w.eager});
}

system_plan fitted(const loaded& scenario, const instance& on, const rank_rules& rules) {
    system_plan plan = on.plan;
    fit(plan.host, rules);
    plan.host.processors = scenario.values.host.processors.value_or(rules.of->largest_cpu() + 1u);
    return plan;
}

namespace {

program_part part_of(const program_run& run, const std::vector<rank_report>& reports, const system_plan& plan) {
    program_part found;
    const program& of = *run.rules().of;
    found.operations.resize(std::size(hw::programs::operation_kinds));
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (const operation& each : of.of_rank(rank)) ++found.operations[static_cast<std::size_t>(each.kind)];
    found.bytes = run.check().counts().bytes;
    found.mismatched = run.check().counts().mismatched;
    found.wrong_results = run.check().counts().wrong_results;
    found.queues = run.rules().queues;
    found.processors = plan.host.processors;
    found.buffers = run.rules().credits.buffers;
    found.credited = static_cast<std::uint32_t>(
        std::ranges::count_if(run.rules().credits.window, [](std::uint32_t window) { return window != 0; }));
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const rank_report& own = reports[rank];
        found.ranks.push_back({run.rules().host_of[rank], own.finish, own.cycles, own.open, own.rendezvous,
                               own.reordered, own.credit_waits, own.unexpected_messages, own.unexpected_bytes});
    }
    return found;
}

}  // namespace

system_plan plan_of_program(const loaded& scenario, const instance& on, std::size_t workload) {
    return fitted(scenario, on, rules_of(scenario, on, workload));
}

run_result run_program(const loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                       const network_factory& factory, const std::function<bool()>& stop,
                       const instrumentation& instruments) {
    const double cpu_before = thread_cpu_seconds();
    rank_rules rules = rules_of(scenario, on, workload);
    rules.payload_seed = seed;
    const system_plan plan = fitted(scenario, on, rules);
    program_run run(std::move(rules));
    const auto hosts = [&run](hw::system::processor_factory processors, hw::ni::observer* watcher) {
        return hw::system::program_hosts(
            std::move(processors), [&run](std::uint32_t host) { return run.programs(host); }, watcher, true);
    };
    hw::system::run_limits limits;
    limits.patience = scenario.values.patience + run.rules().longest_calc;
    const program& of = *run.rules().of;
    std::vector<rank_report> reports(of.ranks());
    const auto look = [&](const hw::system::system_network& network) {
        for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
            const auto said =
                hw::host::host_report::of(network.network().report(plan.host_chip(run.rules().host_of[rank])));
            if (said) reports[rank] = rank_report::of(said->applications, of.of_rank(rank));
        }
    };
    const cycle start = run.rules().start;
    run_result result = run_chips(
        on, plan, {run, hosts}, limits, start, factory, [&stop](cycle) { return stop(); }, instruments, look);
    if (result.ended == hw::system::run_outcome::kind::complete) run.check().judge();
    const hw::programs::program_check& check = run.check();
    const hw::programs::message_counts& seen = check.counts();
    result.faults.insert(result.faults.end(), check.faults().begin(), check.faults().end());
    result.host_failures += seen.mismatched + seen.wrong_results;
    hw::traffic::delivery_counts& counts = result.counts;
    counts.expected = seen.expected;
    counts.delivered = seen.delivered;
    counts.corrupted = seen.corrupted;
    counts.duplicated = seen.duplicated;
    counts.misdelivered = seen.misdelivered;
    counts.missing = seen.missing();
    counts.messages = counts;
    if (result.ended == hw::system::run_outcome::kind::stuck && !result.broken)
        for (const std::string& line : run.stuck(reports)) result.diagnosis += "\n  " + line;
    program_part found = part_of(run, reports, plan);
    if (result.ended == hw::system::run_outcome::kind::complete && run.rules().times)
        for (const hw::programs::path_segment& each : run.path(reports))
            found.path.push_back({each.from - start, each.to - start, static_cast<std::uint8_t>(each.what),
                                  each.of.rank, each.of.index, of.describe(each.of)});
    std::uint64_t latest = 0;
    for (std::uint32_t rank = 0; rank < found.ranks.size(); ++rank) {
        const program_part::rank& own = found.ranks[rank];
        latest = std::max(latest, own.finish);
        result.transfers.push_back({rank, own.host, start, own.open == 0 ? start + own.finish : transfer::unfinished});
    }
    if (result.ended == hw::system::run_outcome::kind::complete) result.cycles = start + latest;
    found.cpu_seconds = thread_cpu_seconds() - cpu_before;
    result.own = std::move(found);
    return result;
}

}  // namespace polycast::tlm::sim
