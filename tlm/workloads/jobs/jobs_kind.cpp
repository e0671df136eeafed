// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/jobs/jobs_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hw/workloads/tenants/hostile_program.h"
#include "tlm/sim/agreement.h"
#include "tlm/workloads/jobs/jobs_rules.h"
#include "tlm/workloads/jobs/jobs_run.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/messages/messages_kind.h"

namespace polycast::tlm::sim {

using hw::format::packet_kind;
using scenario::loaded;
using scenario::traffic_kind;
using scenario::workload_settings;

namespace {

bool is_hostile(const workload_settings& w) {
    return w.kind == traffic_kind::hostile;
}

bool tries(const scenario::hostile_workload& w, hw::tenants::attack_kind kind) {
    const std::string_view name = hw::name_in(hw::tenants::attack_kinds, kind);
    return w.attacks.empty() || std::ranges::find(w.attacks, name) != w.attacks.end();
}

/// A job's part as if it were the run.
finished_run run_of(const finished_run& run, const job_deliveries& got) {
    finished_run one{.on = run.on, .workload = 0, .result = {}};
    one.result.counts = got.counts;
    one.result.volume = got.volume;
    one.result.transfers = got.transfers;
    return one;
}

double shown(std::uint64_t part, std::uint64_t of) {
    return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

/// Jain's index of jobs that ask for the same; nothing for less than two. \see expectation_settings::fairness
std::optional<double> fairness(const std::vector<double>& shares) {
    if (shares.size() < 2) return std::nullopt;
    double sum = 0, squares = 0;
    for (const double share : shares) {
        sum += share;
        squares += share * share;
    }
    return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

/// A job of several runs, for people.
struct job_totals {
    std::size_t runs = 0, quiet = 0;  ///< with and without a finished message
    double mean = 0, slowdown = 0;    ///< sums
    std::size_t compared = 0;
    std::uint64_t expected = 0, delivered = 0, wrong = 0, refused = 0, strange = 0;
    hostile_counts hostile;

    void add(const loaded& scenario, const finished_run& run, std::size_t job, bool is_hostile) {
        const auto* const part = std::get_if<jobs_part>(&run.result.own);
        if (part == nullptr || job >= part->jobs.size()) return;
        const job_result& one = part->jobs[job];
        refused += one.refused;
        strange += one.strange;
        hostile.commands += one.hostile.commands;
        hostile.registers += one.hostile.registers;
        hostile.heard_of_jobs += one.hostile.heard_of_jobs;
        if (is_hostile) return;
        const loaded alone = scenario::of_job(scenario, run.workload, job);
        const summary latency = messages().latency(alone, run_of(run, one.got));
        ++(latency.count == 0 ? quiet : runs);
        mean += latency.mean;
        const hw::traffic::copy_counts& counts = one.got.counts.messages;
        expected += counts.expected;
        delivered += counts.delivered;
        wrong += counts.corrupted + counts.misdelivered + counts.duplicated;
        if (one.alone.empty()) return;
        const double before = messages().latency(alone, run_of(run, one.alone.front())).mean;
        if (before == 0 || latency.count == 0) return;
        slowdown += latency.mean / before;
        ++compared;
    }

    std::string text(bool is_hostile) const {
        std::string made;
        if (is_hostile) {
            made = fmt::format("hostile, {} commands and {} registers tried; heard {} messages of others",
                               hostile.commands, hostile.registers, hostile.heard_of_jobs);
        } else {
            made = runs == 0 ? "-" : fmt::format("{:.1f} cycles", mean / static_cast<double>(runs));
            if (compared != 0) made += fmt::format(" ({:.2f} x alone)", slowdown / static_cast<double>(compared));
            made += fmt::format(", {} of {} messages", delivered, expected);
            if (wrong != 0) made += fmt::format(", {} wrong", wrong);
        }
        if (refused != 0) made += fmt::format(", {} packets of others refused", refused);
        if (strange != 0) made += fmt::format(", {} packets of others heard", strange);
        return made + "\n";
    }
};

class jobs_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        const scenario::jobs_workload& jobs = scenario.values.workloads[workload].jobs;
        const auto run_these = [&](std::optional<std::size_t> only, const instrumentation& recorded) {
            const auto work = [&] { return run_jobs(scenario, on, workload, only, factory, stop, recorded); };
            return jobs.alone ? one_of_several(factory, work) : work();
        };
        run_result result = run_these(std::nullopt, instruments);
        for (std::size_t job = 0; jobs.alone && job < jobs.names.size(); ++job) {
            if (is_hostile(jobs.entries[job]) || result.stopped()) continue;
            run_result one = run_these(job, {});
            auto& part = std::get<jobs_part>(result.own);
            part.jobs[job].alone.push_back(std::move(std::get<jobs_part>(one.own).jobs[job].got));
            if (one.passed()) continue;
            result.faults.push_back("job '" + jobs.names[job] + "' alone: " + one.diagnosis);
            ++result.host_failures;
        }
        return result;
    }

    bool by_one_process(const scenario::settings&, const instrumentation&) const override { return true; }

    unsigned payload(const scenario::settings& s, const workload_settings& w) const override {
        unsigned longest = 1;
        for (const auto& [kind, bytes] : sends(s, w)) longest = std::max(longest, bytes);
        return longest;
    }
    std::vector<std::pair<packet_kind, unsigned>> sends(const scenario::settings& s,
                                                        const workload_settings& w) const override {
        std::vector<std::pair<packet_kind, unsigned>> all;
        for (const workload_settings& job : w.jobs.entries) {
            if (!is_hostile(job)) {
                for (const auto& each : messages().sends(s, job)) all.push_back(each);
                if (job.reliable) all.emplace_back(packet_kind::unicast, messages().payload(s, job));  // repairs
                continue;
            }
            all.emplace_back(packet_kind::unicast, s.packet.payload_bytes);
            const bool worms = tries(job.hostile, hw::tenants::attack_kind::worms) ||
                               tries(job.hostile, hw::tenants::attack_kind::noise);
            if (worms && !s.network.topology.has_routers() && !s.network.tables.on)
                all.emplace_back(packet_kind::tree, s.packet.payload_bytes);
        }
        return all;
    }
    std::uint64_t forwarded(const scenario::settings& s, const workload_settings& w) const override {
        std::uint64_t most = 0;
        for (const workload_settings& job : w.jobs.entries) {
            if (!is_hostile(job)) most = std::max(most, messages().forwarded(s, job));
            if (is_hostile(job) && tries(job.hostile, hw::tenants::attack_kind::groups))
                most = std::numeric_limits<std::uint64_t>::max();
        }
        return most;
    }

    void check_switches(const loaded& scenario, const hw::topology::graph& network,
                        std::size_t workload) const override {
        of_each(scenario, workload, [&](const loaded& one) { messages().check_switches(one, network, 0); });
    }
    void check_tables(const loaded& scenario, const instance& on, std::size_t workload) const override {
        of_each(scenario, workload, [&](const loaded& one) { messages().check_tables(one, on, 0); });
    }
    void check_routers(const loaded& scenario, const instance& on, std::size_t workload,
                       router_needs& needs) const override {
        of_each(scenario, workload, [&](const loaded& one) { messages().check_routers(one, on, 0, needs); });
    }

    json settings(const scenario::settings& s, const workload_settings& w) const override {
        json jobs;
        for (const workload_settings& job : w.jobs.entries) jobs[job.name] = settings_of(s, job);
        return {{"jobs", std::move(jobs)}};
    }

    summary latency(const loaded& scenario, const finished_run& run) const override {
        // Of all jobs together, under load the messages of the window.
        const std::uint64_t from = first_message(scenario.values) + scenario.values.measurement.warmup;
        const std::uint64_t to = from + scenario.values.measurement.window;
        const workload_settings& w = scenario.values.workloads[run.workload];
        const auto& part = std::get<jobs_part>(run.result.own);
        std::vector<std::uint64_t> values;
        for (std::size_t job = 0; job < part.jobs.size(); ++job)
            for (const transfer& t : part.jobs[job].got.transfers)
                if (t.finished() && (!w.jobs.entries[job].rate || (t.created >= from && t.created < to)))
                    values.push_back(t.latency());
        return summarise(std::move(values));
    }

    void add(json& j, const loaded& scenario, const finished_run& run) const override {
        const workload_settings& w = scenario.values.workloads[run.workload];
        const auto& part = std::get<jobs_part>(run.result.own);
        json all = json::array();
        std::vector<json> asked;                  // by alike jobs
        std::vector<std::vector<double>> shares;  // likewise
        for (std::size_t job = 0; job < part.jobs.size(); ++job) {
            const loaded one = scenario::of_job(scenario, run.workload, job);
            const job_result& result = part.jobs[job];
            const scenario::job_settings& of = *scenario.values.host.find_job(w.jobs.names[job]);
            json made{{"name", of.name},           {"id", *of.id},
                      {"processes", of.processes}, {"kind", name_of(w.jobs.entries[job].kind)},
                      {"refused", result.refused}, {"strange", result.strange}};
            if (is_hostile(w.jobs.entries[job])) {
                const hostile_counts& c = result.hostile;
                made["hostile"] = {{"commands", c.commands}, {"waited", c.waited}, {"registers", c.registers},
                                   {"reports", c.reports},   {"heard", c.heard},   {"heard_of_jobs", c.heard_of_jobs}};
                all.push_back(std::move(made));
                continue;
            }
            made["complete"] = result.got.complete;
            add_deliveries(made, one, run, result.got);
            if (!result.alone.empty()) {
                json alone;
                add_deliveries(alone, one, run, result.alone.front());
                const double mean = alone["latency"]["mean"].get<double>();
                made["alone"] = std::move(alone);
                made["slowdown"] = mean == 0 ? json(nullptr) : json(made["latency"]["mean"].get<double>() / mean);
            }
            json wants = settings_of(scenario.values, w.jobs.entries[job]);
            auto same = std::ranges::find(asked, wants);
            if (same == asked.end()) {
                asked.push_back(std::move(wants));
                shares.emplace_back();
                same = asked.end() - 1;
            }
            const double mean = made["latency"]["mean"].get<double>();
            shares[static_cast<std::size_t>(same - asked.begin())].push_back(
                w.jobs.entries[job].rate ? shown(result.got.volume.accepted, result.got.volume.wanted)
                : mean == 0              ? 0
                                         : 1 / mean);
            all.push_back(std::move(made));
        }
        j["jobs"] = std::move(all);
        std::optional<double> least;
        for (const std::vector<double>& each : shares)
            if (const auto index = fairness(each)) least = std::min(least.value_or(1), *index);
        j["fairness"] = least ? json(*least) : json(nullptr);
    }

    std::string details(const loaded& scenario, const runs& all, std::size_t workload,
                        std::size_t indent) const override {
        const workload_settings& w = scenario.values.workloads[workload];
        std::string text;
        for (std::size_t job = 0; job < w.jobs.names.size(); ++job) {
            job_totals totals;
            for (const finished_run& run : all)
                if (run.workload == workload) totals.add(scenario, run, job, is_hostile(w.jobs.entries[job]));
            text += std::string(indent, ' ') + w.jobs.names[job] + ": " + totals.text(is_hostile(w.jobs.entries[job]));
        }
        return text;
    }

private:
    static json settings_of(const scenario::settings& s, const workload_settings& job) {
        json made{{"kind", name_of(job.kind)}};
        if (!is_hostile(job)) {
            made.update(messages().settings(s, job));
            return made;
        }
        made["seed"] = job.hostile.seed;
        made["rate"] = boost::rational_cast<double>(job.hostile.rate);
        made["attempts"] = job.hostile.attempts;
        if (!job.hostile.attacks.empty()) made["attacks"] = job.hostile.attacks;
        return made;
    }

    static void of_each(const loaded& scenario, std::size_t workload, const std::function<void(const loaded&)>& what) {
        const scenario::jobs_workload& jobs = scenario.values.workloads[workload].jobs;
        for (std::size_t job = 0; job < jobs.names.size(); ++job)
            if (!is_hostile(jobs.entries[job])) scenario::as_of_job(scenario, workload, job, what);
    }

    static void add_deliveries(json& to, const loaded& one, const finished_run& run, const job_deliveries& got) {
        const finished_run part = run_of(run, got);
        const summary latency = messages().latency(one, part);
        const hw::traffic::delivery_counts& c = got.counts;
        to["check"] = {{"expected", c.messages.expected},       {"delivered", c.messages.delivered},
                       {"missing", c.messages.missing},         {"duplicated", c.messages.duplicated},
                       {"corrupted", c.messages.corrupted},     {"misdelivered", c.messages.misdelivered},
                       {"packets_expected", c.expected},        {"packets_delivered", c.delivered},
                       {"packets_corrupted", c.corrupted},      {"packets_duplicated", c.duplicated},
                       {"packets_misdelivered", c.misdelivered}};
        to["latency"] = {{"count", latency.count}, {"mean", latency.mean}, {"min", latency.min}, {"max", latency.max},
                         {"p50", latency.p50},     {"p90", latency.p90},   {"p99", latency.p99}};
        if (const auto rates = messages().rates(one, part))
            to["throughput"] = {{"generated", rates->generated},
                                {"offered", rates->offered},
                                {"accepted", rates->accepted},
                                {"unit", messages().rate_unit()}};
        else
            to["throughput"] = nullptr;
    }
};

}  // namespace

const workload_kind& jobs() {
    static const jobs_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
