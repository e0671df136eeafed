// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/interface_program.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "hw/collectives/expand.h"
#include "hw/collectives/library.h"
#include "hw/input_error.h"
#include "hw/programs/check.h"
#include "hw/programs/program_file.h"
#include "hw/system/program_multicasts.h"
#include "hw/workloads/program/program_run.h"
#include "tlm/sim/usage.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/messages/fault_free.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/program/advice.h"
#include "tlm/workloads/program/network_path.h"
#include "tlm/workloads/program/operations_table.h"
#include "tlm/workloads/program/program_rules.h"
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

/// Says each thing once, however many workloads, networks and threads read the file. Must not outlive the scenario.
hw::topology::warning warning_of(const loaded& scenario) {
    return [&scenario](const std::string& text) {
        scenario.files->once<std::string>("warning: " + text, [&text] {
            spdlog::warn("{}", text);
            return std::make_shared<const std::string>(text);
        });
    };
}

hw::programs::read_options options_of(const loaded& scenario, std::size_t workload) {
    const program_workload& w = scenario.values.workloads[workload].program;
    hw::programs::read_options options;
    options.nics = w.nics;
    options.piece = w.piece;
    options.size = w.size;
    options.type = w.type;
    options.how = w.reduction;
    options.slice = w.slice;
    options.ignore_range = w.ignore_range;
    options.chakra = {w.ranks, w.streams, w.repair, w.compute, w.peak, w.memory, {}};
    if (const auto groups = scenario.groups_path(workload))
        options.chakra.groups = {*groups, scenario.files->text_of(*groups, "file of groups")};
    options.warn = warning_of(scenario);
    return options;
}

/// \throws hw::input_error for the first of its problems
void check_program(const loaded& scenario, std::size_t workload, const program& made) {
    const program_workload& w = scenario.values.workloads[workload].program;
    const std::uint64_t eager = w.machine == scenario::program_machine::loggops ? w.loggops.S : w.eager;
    const hw::programs::check_result found = hw::programs::check(made, {.eager = eager, .races = !w.races});
    if (!found.good())
        throw hw::input_error(scenario.program_path(workload).value(), {}, found.problems.front(),
                              found.problems_found == 1
                                  ? ""
                                  : "it is one of " + std::to_string(found.problems_found) +
                                        " problems; `scripts/polycast program check` says more of them");
}

/// As it is read: its collectives are still open.
std::shared_ptr<const made_program> program_of_file(const loaded& scenario, std::size_t workload) {
    const program_workload& w = scenario.values.workloads[workload].program;
    const std::vector<std::string> names = scenario.program_files(workload);
    std::vector<hw::programs::program_bytes> files;
    // One of many is of a rank, and short; as many as there may be could not all stay open.
    for (const std::string& name : names)
        files.push_back({name, names.size() == 1 ? scenario.files->bytes_of(name, "program")
                                                 : scenario.files->text_of(name, "program")});
    const auto release = [&](std::size_t end) { scenario.files->release(names.front(), end); };
    program read = hw::programs::read_program_files(files, options_of(scenario, workload), w.format, release);
    release(files.front().bytes.size());
    auto made = std::make_shared<made_program>();
    made->open = hw::collectives::has_collectives(read);
    made->made = std::move(read);
    if (!made->open) check_program(scenario, workload, made->made);
    return made;
}

/// Collectives become messages, by algorithms that are named, or predicted to be the fastest on this network.
std::shared_ptr<const made_program> expanded(const loaded& scenario, const instance& on, std::size_t workload,
                                             const program& read) {
    const program_workload& w = scenario.values.workloads[workload].program;
    const hw::collectives::algorithm_table table = scenario::algorithms_of(w);
    const auto choose = [&](const hw::collectives::collective& of,
                            std::span<const std::uint32_t> members) -> const hw::collectives::algorithm& {
        if (table.named(of.kind) != nullptr || w.machine == scenario::program_machine::loggops)
            return table.choose(of.kind);
        return predicted_algorithm(scenario, on, workload, read.ranks(), of, members);
    };
    hw::collectives::expanded_program made = hw::collectives::expand_collectives(read, choose);
    check_program(scenario, workload, made.made);
    return std::make_shared<const made_program>(made_program{std::move(made.made), std::move(made.collectives)});
}

std::shared_ptr<const made_program> program_of_library(const loaded& scenario, std::size_t workload,
                                                       std::uint32_t ranks, const std::string& algorithm) {
    const program_workload& w = scenario.values.workloads[workload].program;
    const hw::programs::collective made = collective_of(w, ranks);
    const hw::collectives::algorithm& by = *hw::collectives::find_algorithm(w.collective, algorithm);
    if (const std::string reason = why_not(by, made); !reason.empty())
        scenario.fail(scenario::workload_path(workload, "algorithm"), reason);
    hw::collectives::repeated_program all = make_repeated(by, made, w.warmup + w.repeat);
    return std::make_shared<const made_program>(made_program{std::move(all.made), {}, std::move(all.operations)});
}

}  // namespace

std::vector<program_part::collective> collectives_of(const made_program& made, const operation_time& time) {
    std::vector<program_part::collective> found;
    for (const hw::collectives::expanded_collective& each : made.collectives) {
        program_part::collective one;
        one.kind = each.of.kind;
        one.algorithm = each.by->name;
        one.group = made.made.group_name(each.communicator);
        one.ranks = each.of.ranks;
        one.bytes = each.of.bytes();
        one.begin = std::numeric_limits<std::uint64_t>::max();
        for (const auto& member : each.members) {
            const auto [ready, end] = time({member.rank, member.entry});
            one.begin = std::min(one.begin, ready);
            one.end = std::max(one.end, end);
            for (const std::uint32_t last : member.ends) one.end = std::max(one.end, time({member.rank, last}).second);
        }
        found.push_back(std::move(one));
    }
    std::ranges::stable_sort(found, {}, &program_part::collective::begin);
    return found;
}

std::shared_ptr<const made_program> program_of(const loaded& scenario, const instance& on, std::size_t workload) {
    const scenario::workload_settings& w = scenario.values.workloads[workload];
    const bool collective = of_library(scenario, workload);
    const auto ranks = w.program.ranks.value_or(static_cast<unsigned>(on.plan.network.hosts.size()));
    const std::string algorithm = collective ? algorithm_of(scenario, on, workload).name : "";
    const std::string key =
        "program " + std::to_string(workload) + (collective ? " " + std::to_string(ranks) + " " + algorithm : "");
    const auto made = scenario.files->once<made_program>(key, [&] {
        return collective ? program_of_library(scenario, workload, ranks, algorithm)
                          : program_of_file(scenario, workload);
    });
    if (!made->open) return made;
    return scenario.files->once<made_program>(key + " on " + std::to_string(on.index),
                                              [&] { return expanded(scenario, on, workload, made->made); });
}

boost::rational<std::int64_t> unit_of(const loaded& scenario, std::size_t workload, const program& of) {
    constexpr std::int64_t picoseconds = 1000;
    const program_workload& w = scenario.values.workloads[workload].program;
    if (w.unit) return *w.unit;
    return boost::rational<std::int64_t>(static_cast<std::int64_t>(of.unit()), picoseconds) /
           scenario.values.host.cycle_ns;
}

bool has_timeline(const loaded& scenario, std::size_t workload, const program& of) {
    using scenario::program_timeline;
    constexpr std::uint64_t short_programs = 32768;
    const program_timeline wanted = scenario.values.workloads[workload].program.timeline;
    return wanted == program_timeline::all ||
           (wanted == program_timeline::automatic && of.operations() <= short_programs);
}

namespace {

/// Pairs of ranks of whom one sends the other something.
std::uint64_t pairs_of(const program& of) {
    std::uint64_t pairs = 0;
    std::vector<std::uint32_t> last(of.ranks(), of.ranks());  // [rank] who sent to it last
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        for (const operation& each : of.of_rank(rank))
            if (each.kind == operation_kind::send && std::exchange(last[each.peer], rank) != rank) ++pairs;
    }
    return pairs;
}

}  // namespace

std::uint64_t memory_of_program(const loaded& scenario, const instance& on, std::size_t workload) {
    const program& of = program_of(scenario, on, workload)->made;
    const program_workload& w = scenario.values.workloads[workload].program;
    constexpr std::uint64_t stored = sizeof(operation) + 2 * sizeof(std::uint32_t);  // with its dependencies
    constexpr std::uint64_t state = 2 * sizeof(std::uint32_t) + sizeof(std::uint8_t);
    // Of a rank, of its report as numbers, and as times again.
    constexpr std::uint64_t timed =
        2 * sizeof(hw::programs::operation_times) + hw::programs::operation_times::words * sizeof(std::uint64_t);
    std::uint64_t bytes = of.operations() * (stored + state);
    const bool times = of.operations() <= most_timed || w.repeat + w.warmup > 1 || has_timeline(scenario, workload, of);
    if (w.machine == scenario::program_machine::model) {
        constexpr std::uint64_t pair = 900;  // measured: order, credits and matching at both ends, firmware and check
        bytes += pairs_of(of) * pair + (times ? of.operations() * timed : 0);
    }
    if (!of.has_buffers()) return bytes;
    // Buffers of the ranks, what the interpreter leaves there, and what ranks have left; and messages of the
    // interpreter.
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        for (const std::uint64_t buffer : of.buffers(rank)) bytes += 3 * buffer;
        for (const operation& each : of.of_rank(rank))
            if (each.kind == operation_kind::send) bytes += each.length;
    }
    return bytes;
}

std::vector<std::uint64_t> kinds_of(const program& of) {
    std::vector<std::uint64_t> kinds(std::size(hw::programs::operation_kinds));
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (const operation& each : of.of_rank(rank)) ++kinds[static_cast<std::size_t>(each.kind)];
    return kinds;
}

namespace {

/// How multicasts go; null where there are none. \throws hw::input_error where the network cannot carry them out
std::shared_ptr<const hw::programs::multicast_routes> routes_of(const loaded& scenario, const instance& on,
                                                                const program& of, const rank_rules& rules) {
    if (of.multicasts().empty()) return nullptr;
    std::set<std::string_view> schemes;
    for (const hw::programs::multicast& each : of.multicasts()) schemes.insert(each.scheme);
    for (const std::string_view each : schemes)
        if (const std::string reason = why_no_multicasts(scenario, on, each); !reason.empty())
            throw hw::input_error("the program has multicasts by scheme '" + std::string(each) + "', and " + on.name +
                                      " cannot carry them out: " + reason,
                                  "take another algorithm");
    auto made = std::make_shared<const hw::programs::multicast_routes>(
        of, rules.host_of, rules.queues, hw::system::plan_multicasts(on.plan), rules.reliable);
    if (const std::string reason = hw::system::why_no_groups(on.plan, *made); !reason.empty())
        throw hw::input_error(reason, "raise 'ni.groups'");
    return made;
}

}  // namespace

rank_rules rules_of(const loaded& scenario, const instance& on, std::size_t workload, std::shared_ptr<const program> of,
                    hw::programs::credit_options credits) {
    const scenario::settings& s = scenario.values;
    const program_workload& w = s.workloads[workload].program;
    if (w.path_in_network && scenario.ranks > 1)
        scenario.fail(scenario::workload_path(workload, "critical_path"),
                      "the path through the network needs one process, and there are " +
                          std::to_string(scenario.ranks) + " ranks",
                      "run it without mpirun, or take 'operations'");
    rank_rules rules;
    rules.of = std::move(of);
    rules.host_of = hosts_of(scenario, on, workload, rules.of->ranks());
    rules.rank_of.assign(on.plan.network.hosts.size(), rank_rules::no_rank);
    for (std::uint32_t rank = 0; rank < rules.host_of.size(); ++rank) rules.rank_of[rules.host_of[rank]] = rank;
    rules.eager = credits.eager;
    rules.reliable = s.workloads[workload].reliable;
    rules.queues =
        w.queues.value_or(rules.reliable ? 1 : std::min<unsigned>(rules.of->largest_channel() + 1u, most_queues));
    rules.start = w.start.value_or(first_message(s));
    if (rules.start < first_message(s))
        scenario.fail(scenario::workload_path(workload, "start"),
                      "cycle " + std::to_string(rules.start) + " is too early: firmware is ready from cycle " +
                          std::to_string(first_message(s)) + " on",
                      "take that one or a later one");
    rules.send_overhead = s.host.send_overhead;
    rules.receive_overhead = s.host.receive_overhead;
    if (s.host.overheads == scenario::overhead_rule::packet) rules.packet_bytes = s.packet.payload_bytes;
    rules.unit = unit_of(scenario, workload, *rules.of);
    rules.copy = w.copy;
    rules.reduce = w.reduce;
    rules.type = w.type;
    if (w.flags) rules.wire = rules.of->wire();
    rules.times = rules.of->operations() <= most_timed || has_timeline(scenario, workload, *rules.of);
    try {
        rules.multicasts = routes_of(scenario, on, *rules.of, rules);
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
    const std::shared_ptr<const made_program> source = program_of(scenario, on, workload);
    rank_rules rules = rules_of(scenario, on, workload, std::shared_ptr<const program>(source, &source->made),
                                {.rule = w.credit_rule, .window = w.credits, .eager = w.eager});
    rules.times = rules.times || source->operations.size() > 1;
    return rules;
}

system_plan fitted(const loaded& scenario, const instance& on, const rank_rules& rules) {
    system_plan plan = on.plan;
    fit(plan.host, rules);
    if (!scenario.values.chip.packet_limit_flits)
        for (const hw::programs::multicast& each : rules.of->multicasts()) hw::system::take_worms(plan, each.scheme);
    plan.host.processors = scenario.values.host.processors.value_or(rules.of->largest_cpu() + 1u);
    return plan;
}

namespace {

program_part part_of(const program_run& run, const std::vector<rank_report>& reports, const system_plan& plan) {
    program_part found;
    const program& of = *run.rules().of;
    found.operations = kinds_of(of);
    found.bytes = run.check().counts().bytes;
    found.mismatched = run.check().counts().mismatched;
    found.wrong_results = run.check().counts().wrong_results;
    found.repaired = of.repaired();
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

/// For people who wait: operations that have ended, the cycle, and cycles a second.
class program_progress {
public:
    program_progress(const instrumentation& instruments, std::uint64_t operations)
        : instruments_(instruments), operations_(operations) {}

    void look(cycle now, std::uint64_t ended) {
        using namespace std::chrono_literals;
        if (!instruments_.progress || ended == 0) return;  // nothing says how long it takes yet
        const auto time = std::chrono::steady_clock::now();
        if (time - last_ < 200ms) return;
        const double rate = static_cast<double>(now - at_) / std::chrono::duration<double>(time - last_).count();
        if (instruments_.doing)
            instruments_.doing(
                fmt::format("{} of {} operations, cycle {}, {:.3g} cycles/s", ended, operations_, now, rate));
        instruments_.progress(static_cast<double>(ended) / static_cast<double>(operations_));
        last_ = time;
        at_ = now;
    }

private:
    const instrumentation& instruments_;
    std::uint64_t operations_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    cycle at_ = 0;
};

/// From the first start to the last end.
program_part::repetition times_of(const std::vector<hw::collectives::operation_range>& ranges,
                                  const std::vector<rank_report>& reports, cycle start) {
    program_part::repetition found{hw::engine::never, 0};
    for (std::uint32_t rank = 0; rank < ranges.size(); ++rank)
        for (std::uint32_t i = ranges[rank].begin; i < ranges[rank].end; ++i) {
            found.begin = std::min(found.begin, reports[rank].times[i].begin - start);
            found.end = std::max(found.end, reports[rank].times[i].end - start);
        }
    if (found.begin > found.end) return {};  // one rank alone may have nothing to do
    return found;
}

/// The time-out `auto`, of the program itself: the same for every fidelity.
std::uint32_t measured_timeout(const loaded& scenario, const system_plan& plan, const rank_rules& rules,
                               const hw::system::run_limits& limits, const network_factory& factory,
                               const std::function<bool()>& stop) {
    program_run run(rules);
    const endpoints ends{run, [&run](hw::system::processor_factory processors, hw::ni::observer* watcher) {
                             return hw::system::program_hosts(
                                 std::move(processors), [&run](std::uint32_t host) { return run.programs(host); },
                                 watcher, true);
                         }};
    return measured_timeout(scenario, fault_free(plan), ends, limits, factory, stop,
                            [&run] { return run.longest_answer(); });
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
    system_plan plan = fitted(scenario, on, rules);
    hw::system::run_limits limits;
    limits.patience = scenario.values.patience + rules.longest_calc;
    if (rules.reliable) {
        const std::optional<std::uint32_t>& given = scenario.values.ni.reliable.timeout;
        set_timeout(given ? *given : measured_timeout(scenario, plan, rules, limits, factory, stop), plan, limits);
    }
    program_run run(std::move(rules));
    network_recorder recorder;
    instrumentation with = instruments;
    const bool in_network = scenario.values.workloads[workload].program.path_in_network;
    if (in_network) with.passages = &recorder;
    const auto hosts = [&](hw::system::processor_factory processors, hw::ni::observer* watcher) {
        if (in_network) {
            recorder.tell(watcher);
            watcher = &recorder;
        }
        return hw::system::program_hosts(
            std::move(processors), [&run](std::uint32_t host) { return run.programs(host); }, watcher, true);
    };
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
    program_progress told(instruments, of.operations());
    run_result result = run_chips(
        on, plan, {run, hosts}, limits, start, factory,
        [&](cycle now) {
            told.look(now, run.operations_ended());
            return stop();
        },
        with, look);
    const bool ended = result.ended == hw::system::run_outcome::kind::complete && run.all_finished();
    if (ended) run.check().judge();
    const std::uint64_t broken = run.failed() != 0 ? run.check().broken() : 0;
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
    for (const rank_report& each : reports) counts.reliable.acknowledged += each.acknowledged;
    counts.reliable.failed = run.failed();
    // A host was told of a message that failed, and what is behind it cannot come. What was acknowledged has to be
    // there.
    counts.reliable.broken = broken;
    if (run.failed() != 0) counts.told = counts.missing - broken;
    result.losses_are_told = scenario.values.faults.told;
    if (result.ended == hw::system::run_outcome::kind::stuck && !result.broken)
        for (const std::string& line : run.stuck(reports)) result.diagnosis += "\n  " + line;
    program_part found = part_of(run, reports, plan);
    if (ended) {
        const std::shared_ptr<const made_program> source = program_of(scenario, on, workload);
        if (run.rules().times)
            found.collectives = collectives_of(*source, [&](hw::programs::operation_id id) {
                const auto& times = reports[id.rank].times[id.index];
                return std::pair(times.ready - start, times.end - start);
            });
        for (const auto& ranges : source->operations) found.repetitions.push_back(times_of(ranges, reports, start));
        if (has_timeline(scenario, workload, of))
            found.operations_table = rows_of(of, reports, start, run_id(scenario, on, workload));
    }
    if (ended && of.operations() <= most_timed) {
        const std::vector<hw::programs::path_segment> path = run.path(reports);
        if (in_network) {
            found.path = network_path(recorder, plan, run.rules()).refined(path);
        } else {
            for (const hw::programs::path_segment& each : path)
                found.path.push_back({each.from, each.to, static_cast<std::uint8_t>(each.what), each.of.rank,
                                      each.of.index, "", "", ""});
        }
        for (program_part::segment& each : found.path) {
            each.from -= start;
            each.to -= start;
            each.name = of.describe({each.rank, each.operation});
        }
    }
    std::uint64_t latest = 0;
    for (std::uint32_t rank = 0; rank < found.ranks.size(); ++rank) {
        const program_part::rank& own = found.ranks[rank];
        latest = std::max(latest, own.finish);
        result.transfers.push_back({rank, own.host, start, own.open == 0 ? start + own.finish : transfer::unfinished});
    }
    if (ended) result.cycles = start + latest;
    found.cpu_seconds = thread_cpu_seconds() - cpu_before;
    result.own = std::move(found);
    return result;
}

}  // namespace polycast::tlm::sim
