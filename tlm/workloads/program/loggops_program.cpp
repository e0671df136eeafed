// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/loggops_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "hw/collectives/definition.h"
#include "hw/input_error.h"
#include "hw/programs/loggops.h"
#include "hw/workloads/program/rank.h"
#include "tlm/sim/usage.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/program/interface_program.h"
#include "tlm/workloads/program/operations_table.h"

namespace polycast::tlm::sim {

using hw::programs::loggops_result;
using hw::programs::loggops_span;
using hw::programs::operation_kind;
using hw::programs::program;
using scenario::loaded;

namespace {

/// Nothing moves bytes here, so what they have to become comes from the interpreter.
void check_results(run_result& result, program_part& part, const program& of, std::uint64_t seed) {
    if (!of.computes()) return;
    const hw::collectives::definition_result found = hw::collectives::interpret_and_compare(of, seed);
    part.wrong_results = found.wrong;
    result.host_failures += found.wrong;
    if (found.first) result.faults.push_back(hw::collectives::wrong_text(*of.computes(), *found.first));
}

program_part::repetition times_of(const std::vector<hw::collectives::operation_range>& ranges, const program& of,
                                  const std::vector<loggops_span>& spans) {
    program_part::repetition found{loggops_span::never, 0};
    for (std::uint32_t rank = 0; rank < ranges.size(); ++rank)
        for (std::uint32_t i = ranges[rank].begin; i < ranges[rank].end; ++i) {
            const loggops_span& own = spans[of.number({rank, i})];
            found.begin = std::min(found.begin, own.begin);
            found.end = std::max(found.end, own.end);
        }
    if (found.begin > found.end) return {};
    return found;
}

}  // namespace

bool runs_on_loggops(const loaded& scenario, std::size_t workload) {
    return scenario.values.workloads[workload].program.machine == scenario::program_machine::loggops;
}

void check_loggops_program(const loaded& scenario, const instance& on, std::size_t workload) {
    check_ranks(scenario, on, workload, program_of(scenario, on, workload)->made.ranks());
}

run_result run_loggops_program(const loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                               const std::function<bool()>& stop, const instrumentation& instruments) {
    const double cpu_before = thread_cpu_seconds();
    const std::shared_ptr<const made_program> source = program_of(scenario, on, workload);
    const program& of = source->made;
    check_ranks(scenario, on, workload, of.ranks());
    const bool timeline = has_timeline(scenario, workload, of);
    const boost::rational<std::int64_t> unit = unit_of(scenario, workload, of);
    const auto watch = [&](std::uint64_t ended, std::uint64_t) {
        if (instruments.doing) instruments.doing(fmt::format("{} of {} operations", ended, of.operations()));
        if (instruments.progress)
            instruments.progress(static_cast<double>(ended) / static_cast<double>(of.operations()));
        return !stop();
    };
    loggops_result seen;
    try {
        seen = run_loggops(of, scenario.values.workloads[workload].program.loggops, watch,
                           timeline || !source->operations.empty() || !source->collectives.empty());
    } catch (const hw::input_error& refused) {
        scenario.fail(scenario::workload_path(workload, "machine"), refused.what());
    }
    run_result result;
    if (seen.stopped) {
        result.ended = hw::system::run_outcome::kind::stopped;
        return result;
    }
    program_part part;
    part.operations = kinds_of(of);
    part.bytes = seen.bytes;
    part.repaired = of.repaired();
    part.loggops = {true, seen.latest(), seen.sum(), seen.last_rank(), seen.waiting, seen.unexpected_peak};
    part.unit_numerator = unit.numerator();
    part.unit_denominator = unit.denominator();
    result.ended = seen.stuck ? hw::system::run_outcome::kind::stuck : hw::system::run_outcome::kind::complete;
    if (seen.stuck) {
        result.diagnosis = "the program can go on no more";
        for (const std::string& line : seen.report) result.diagnosis += "\n  " + line;
    } else {
        check_results(result, part, of, seed);
        for (const auto& ranges : source->operations) part.repetitions.push_back(times_of(ranges, of, seen.spans));
        part.collectives = collectives_of(*source, [&](hw::programs::operation_id id) {
            const loggops_span& own = seen.spans[of.number(id)];
            return std::pair(hw::programs::time_of(own.begin, unit), hw::programs::time_of(own.end, unit));
        });
        if (timeline) part.operations_table = rows_of(of, seen.spans, unit, run_id(scenario, on, workload));
    }
    hw::traffic::delivery_counts& counts = result.counts;
    counts.expected = part.operations[static_cast<std::size_t>(operation_kind::send)];
    counts.delivered = seen.matched;
    counts.missing = counts.expected - seen.matched;
    counts.messages = counts;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        program_part::rank own;
        own.host = rank;
        own.finish = hw::programs::time_of(seen.finish[rank], unit);
        result.cycles = std::max(result.cycles, own.finish);
        result.transfers.push_back({rank, rank, 0, seen.stuck ? transfer::unfinished : own.finish});
        part.ranks.push_back(own);
    }
    part.cpu_seconds = thread_cpu_seconds() - cpu_before;
    result.own = std::move(part);
    return result;
}

}  // namespace polycast::tlm::sim
