// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/rails/rails_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "hw/workloads/rails/rail_network.h"
#include "hw/workloads/rails/rail_traffic.h"
#include "tlm/sim/usage.h"
#include "tlm/workloads/messages/messages_params.h"
#include "tlm/workloads/rails/rails_rules.h"
#include "tlm/workloads/run_chips.h"

namespace polycast::tlm::sim {

using hw::collectives::rail_algorithm;
using hw::collectives::rail_matrix;
using hw::engine::cycle;
using hw::rails::rail_scoreboard;
using scenario::loaded;
using scenario::settings;
using scenario::workload_settings;
using message = rail_scoreboard::finished_message;

namespace {

/// Of a series, so that MSER-5 sees 100 means of 5.
constexpr std::uint64_t intervals = 500;

rail_matrix matrix_of_file(const loaded& scenario, const std::string& file, std::uint32_t hosts) {
    const unsigned rails = scenario.values.rails.count;
    const rail_matrix matrix =
        hw::collectives::read_rail_matrix(file, scenario.files->text_of(file, "matrix of rails"));
    if (matrix.nodes() != hosts || matrix.rails() != rails)
        scenario.fail("rails.matrix",
                      "the matrix of " + file + " has " + std::to_string(matrix.rails()) + " rails and " +
                          std::to_string(matrix.nodes()) + " nodes, and there are " + std::to_string(rails) +
                          " rails and " + std::to_string(hosts) + " hosts",
                      matrix.nodes() == hosts ? "take 'rails.count: " + std::to_string(matrix.rails()) + "'" : "");
    require_connected(matrix, file);
    return matrix;
}

hw::rails::driver_params drivers_of(const loaded& scenario, const workload_settings& w, std::uint32_t hosts) {
    const scenario::rails_settings& rails = scenario.values.rails;
    hw::rails::driver_params drivers;
    drivers.policy = w.rails.policy;
    drivers.striping = w.rails.striping;
    if (w.rails.policy == hw::rails::rail_policy::fixed)
        drivers.matrix = std::make_shared<const rail_matrix>(rail_matrix_of(scenario, hosts));
    drivers.least_stripe = rails.least_stripe;
    drivers.retry = rails.retry;
    drivers.patience = rails.patience;
    return drivers;
}

/// Times of a run.
struct run_times {
    cycle start = 0;  ///< of the first message
    cycle end = 0;    ///< under load, of the window
    cycle interval = 1;
};

hw::rails::rail_traffic_params traffic_of(const loaded& scenario, std::size_t workload, const run_times& times,
                                          const hw::topology::graph& network) {
    const settings& s = scenario.values;
    const workload_settings& w = s.workloads[workload];
    hw::rails::rail_traffic_params params;
    params.nodes = static_cast<std::uint32_t>(network.hosts.size());
    params.processes = s.host.processes;
    params.bytes = static_cast<double>(w.message_bytes);
    params.fixed = w.rails.lengths == scenario::length_rule::fixed;
    params.longest = static_cast<std::uint32_t>(scenario::longest_message(w));
    params.start = times.start;
    params.pattern = pattern_params_of(scenario, workload, network);
    if (w.rate) {
        params.end = times.end;
        params.gap = params.bytes * params.processes /
                     (s.rails.count * flit_bytes_of(s) * boost::rational_cast<double>(*w.rate));
    } else {
        params.at_once = w.messages;
    }
    return params;
}

/// Bytes of messages with a time from `from` to before `to`.
template <typename time_of>
std::uint64_t bytes_in(std::span<const message> messages, cycle from, cycle to, time_of time) {
    std::uint64_t sum = 0;
    for (const message& each : messages)
        if (time(each) >= from && time(each) < to) sum += each.bytes;
    return sum;
}

/// Of a stretch of a run, by batch means. \param cell bytes of a flit on every rail of every host
template <typename time_of>
bandwidth bandwidth_of(std::span<const message> messages, cycle from, cycle to, unsigned batches, double cell,
                       time_of time) {
    bandwidth found;
    const auto per_cycle = [&](cycle begin, cycle end) {
        return static_cast<double>(bytes_in(messages, begin, end, time)) / (cell * static_cast<double>(end - begin));
    };
    if (from >= to) return found;
    found.mean = per_cycle(from, to);
    if (batches < 2 || to - from < batches) return found;
    std::vector<double> means;
    for (unsigned batch = 0; batch < batches; ++batch)
        means.push_back(per_cycle(from + (to - from) * batch / batches, from + (to - from) * (batch + 1) / batches));
    found.ci95 = confidence(means);
    return found;
}

cycle created(const message& each) {
    return each.created;
}

cycle completed(const message& each) {
    return each.completed;
}

/// Of the whole series, from the first message to the end of the window.
std::vector<std::uint64_t> cut(std::vector<std::uint64_t> series, const run_times& times, std::uint64_t length) {
    const auto first = static_cast<std::size_t>(times.start / times.interval);
    series.resize(first + length);
    series.erase(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(first));
    return series;
}

std::vector<transfer> transfers_of(std::span<const message> all) {
    std::vector<transfer> made;
    for (const message& each : all)
        made.push_back({0, each.from.host, each.created,
                        each.completed == hw::engine::never ? transfer::unfinished : each.completed});
    std::ranges::stable_sort(made, {}, &transfer::created);
    for (std::size_t i = 0; i < made.size(); ++i) made[i].message = i;
    return made;
}

/// What remains to be said when the network has run.
class judge_rails {
public:
    judge_rails(const settings& s, const run_times& times, const rail_scoreboard& scores, std::uint32_t hosts)
        : s_(s),
          times_(times),
          finished_(scores.finished()),
          all_(scores.finished()),
          cell_(static_cast<double>(flit_bytes_of(s)) * hosts * s.rails.count) {
        const std::vector<message> rest = scores.unfinished();
        all_.insert(all_.end(), rest.begin(), rest.end());
        std::ranges::sort(all_, {}, [](const message& m) { return std::tuple(m.created, m.from, m.number); });
    }

    const std::vector<message>& all() const { return all_; }

    /// Without a rate: from the first message to the last.
    void whole(rails_part& found) const {
        if (finished_.empty()) return;
        const cycle last = std::ranges::max(finished_, {}, &message::completed).completed;
        found.offered = bandwidth_of(all_, times_.start, last + 1, 1, cell_, created);
        found.accepted = bandwidth_of(finished_, times_.start, last + 1, 1, cell_, completed);
        std::vector<std::uint64_t> latencies;
        for (const message& each : finished_) latencies.push_back(each.completed - each.created);
        found.latency = summarise(std::move(latencies));
    }

    void window(rails_part& found, const std::vector<transfer>& transfers) const {
        const std::optional<std::size_t> steady = warmup_of(found.series.accepted);
        cycle from = times_.start + s_.measurement.warmup;
        // Too short to tell: the second half is as good as it gets.
        if (s_.measurement.detects_warmup)
            from = times_.start + times_.interval * (steady ? *steady : found.series.accepted.size() / 2);
        const unsigned batches = s_.measurement.batches;
        found.offered = bandwidth_of(all_, from, times_.end, batches, cell_, created);
        found.accepted = bandwidth_of(finished_, from, times_.end, batches, cell_, completed);
        // By arrival, so that nothing is missing where the run ends with its window.
        std::vector<sample> samples;
        for (const message& each : finished_) samples.push_back({each.completed, each.completed - each.created});
        found.latency = summarise_batches(samples, from, times_.end, batches);

        load_results& load = found.load.emplace(judge_load(transfers, {times_.start, from, times_.end}, batches));
        load.warmup_detected.reset();
        load.warmup_bias = 0;
        load.warnings.clear();
        if (steady) {
            load.warmup_detected = *steady * times_.interval;
            const double rest =
                bandwidth_of(finished_, times_.start + *load.warmup_detected, times_.end, 1, cell_, completed).mean;
            if (rest != 0) load.warmup_bias = found.accepted.mean / rest - 1;
        }
        const bool cut_half = s_.measurement.detects_warmup && !steady;
        judge(load, !cut_half && found.series.accepted.size() >= fewest_for_warmup);
        if (cut_half)
            load.warnings.push_back(
                "MSER-5 finds no end of the warm-up in the accepted bandwidth: the run is too short to tell, and half "
                "of it is left out");
    }

private:
    const settings& s_;
    const run_times& times_;
    const std::vector<message>& finished_;
    std::vector<message> all_;  ///< by creation
    double cell_;
};

}  // namespace

rail_matrix rail_matrix_of(const loaded& scenario, std::uint32_t hosts) {
    if (const auto file = scenario.rail_matrix_path()) return matrix_of_file(scenario, *file, hosts);
    const unsigned rails = scenario.values.rails.count;
    const bool paired = scenario.values.rails.matrix == "1";
    const rail_algorithm how = paired ? rail_algorithm::paired : rail_algorithm::recursive;
    const unsigned needed = rails_needed(how, hosts);
    if (paired ? rails == needed : rails >= needed) return allocate_rails(how, hosts, rails);
    scenario.fail(scenario.given.contains("rails.count") ? "rails.count" : "rails.matrix",
                  std::to_string(hosts) + " hosts need " + (paired ? "exactly " : "") + std::to_string(needed) +
                      (needed == 1 ? " rail" : " rails") + " with algorithm " + scenario.values.rails.matrix +
                      ", and 'rails.count' is " + std::to_string(rails),
                  "take " + std::to_string(needed) + ", or another policy than 'static'");
}

void check_rails_run(const loaded& scenario, const hw::topology::graph& network, std::size_t workload) {
    pattern_params_of(scenario, workload, network);
    const bool fixed = scenario.values.workloads[workload].rails.policy == hw::rails::rail_policy::fixed;
    if (fixed || scenario.rail_matrix_path())
        rail_matrix_of(scenario, static_cast<std::uint32_t>(network.hosts.size()));
}

unsigned rails_payload(const settings& s, const workload_settings& workload) {
    return static_cast<unsigned>(std::min<std::uint64_t>(scenario::longest_message(workload) + hw::rails::stripe_header,
                                                         s.packet.payload_bytes));
}

void set_rails(hw::system::system_params& params, const settings& s) {
    params.host.interface.processes = s.host.processes;
    for (const workload_settings& w : s.workloads)
        params.host.message_bytes =
            std::max(params.host.message_bytes,
                     static_cast<std::uint32_t>(scenario::longest_message(w)) + hw::rails::stripe_header);
}

hw::system::system_plan rails_plan_of(const loaded& scenario, const instance& on) {
    return hw::rails::make_rails(on.plan, scenario.values.rails.count,
                                 scenario.values.network.all == scenario::fidelity::event);
}

hw::topology::graph names_on_rails(const settings& s, const hw::topology::graph& network) {
    hw::topology::graph names;
    names.hosts = network.hosts;
    for (unsigned rail = 0; rail < s.rails.count; ++rail)
        for (const hw::topology::switch_node& node : network.switches)
            names.switches.push_back({hw::rails::rail_prefix(rail) + node.name, 0, {}});
    return names;
}

run_result run_rails(const loaded& scenario, const instance& on, std::size_t workload, std::uint64_t seed,
                     const network_factory& factory, const std::function<bool()>& stop,
                     const instrumentation& instruments) {
    using kind = hw::system::run_outcome::kind;
    const double cpu_before = thread_cpu_seconds();
    const settings& s = scenario.values;
    const workload_settings& w = s.workloads[workload];
    const auto hosts = static_cast<std::uint32_t>(on.plan.network.hosts.size());
    const cycle length = s.measurement.warmup + s.measurement.window;
    const cycle start = first_message(s);
    const run_times times{start, start + length, (length + intervals - 1) / intervals};

    hw::rails::rail_traffic_params made = traffic_of(scenario, workload, times, on.plan.network);
    made.seed = seed;
    hw::rails::rail_traffic traffic(made);
    hw::rails::driver_params drivers = drivers_of(scenario, w, hosts);
    drivers.payload_seed = drivers.seed = seed;
    rail_scoreboard scores(seed, times.interval);
    const hw::rails::rail_goal goal(scores);
    const hw::system::system_plan plan = rails_plan_of(scenario, on);
    const auto make_hosts = [&](hw::system::processor_factory processors, hw::ni::observer* watcher) {
        return hw::rails::rail_hosts(std::move(processors), drivers, traffic, scores, watcher);
    };

    const bool cut_off = w.rate && s.measurement.drain_limit == 0;
    const auto look = [&](cycle now) {
        const double messages = static_cast<double>(scores.counts().delivered) /
                                static_cast<double>(std::max<std::uint64_t>(1, scores.counts().created));
        const double time = static_cast<double>(now - std::min(now, start)) / static_cast<double>(length);
        if (instruments.progress) instruments.progress(w.rate ? std::min(1.0, time) : messages);
        return stop();
    };
    hw::system::run_limits limits{.patience = s.patience};
    if (w.rate) limits.cycles = times.end + s.measurement.drain_limit;
    // Of a run under load, up to the end of the window.
    const auto measure = [&](rails_part& found, const judge_rails& judged, const std::vector<transfer>& transfers) {
        const std::uint64_t seen = w.rate ? length / times.interval : scores.accepted().size();
        found.series.start = start;
        found.series.interval = times.interval;
        found.series.offered = cut(scores.offered(), times, seen);
        found.series.accepted = cut(scores.accepted(), times, seen);
        if (w.rate) {
            judged.window(found, transfers);
        } else {
            judged.whole(found);
        }
    };
    if (w.rate && !cut_off && !s.measurement.drains_saturated) {
        limits.review = times.end;
        limits.give_up = [&] {
            rails_part found;
            const judge_rails judged(s, times, scores, hosts);
            measure(found, judged, transfers_of(judged.all()));
            return found.saturated();
        };
    }
    hw::rails::driver_statistics counted;
    run_result result =
        run_chips(on, plan, {goal, make_hosts}, limits, start, factory, look, instruments,
                  [&counted](const hw::system::system_network& network) { counted = hw::rails::drivers_of(network); });
    result.links.clear();
    rails_part& found = result.own.emplace<rails_part>();
    const judge_rails judged(s, times, scores, hosts);
    result.transfers = transfers_of(judged.all());
    measure(found, judged, result.transfers);
    found.created = scores.counts().created;
    found.delivered = scores.counts().delivered;
    found.open = found.created - found.delivered;
    for (const message& each : scores.finished()) found.delivered_bytes += each.bytes;
    found.drivers = counted;

    if (result.ended == kind::complete && !result.broken) {
        // The window belongs to the run.
        result.cycles = w.rate ? times.end : start;
        for (const message& each : scores.finished()) result.cycles = std::max(result.cycles, each.completed + 1);
    }
    if (result.ended == kind::limit && cut_off) result.ended = kind::complete;
    result.faults.insert(result.faults.end(), scores.faults().begin(), scores.faults().end());
    hw::traffic::delivery_counts& counts = result.counts;
    counts.delivered = scores.counts().delivered;
    counts.duplicated = scores.counts().duplicated;
    counts.corrupted = scores.counts().corrupted;
    counts.misdelivered = scores.counts().misdelivered;
    counts.expected = found.created;
    if (result.ended == kind::saturated || (result.ended == kind::complete && cut_off)) {
        // What is under way at the end is open, not missing.
        counts.expected = counts.delivered;
    } else if (result.ended != kind::complete && !result.broken) {
        result.diagnosis = scores.oldest_missing().empty() ? "" : "waiting for " + scores.oldest_missing();
    }
    counts.missing = counts.expected - counts.delivered;
    counts.messages = counts;
    found.cpu_seconds = thread_cpu_seconds() - cpu_before;
    return result;
}

}  // namespace polycast::tlm::sim
