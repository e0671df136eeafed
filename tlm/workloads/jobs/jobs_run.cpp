// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/jobs/jobs_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "hw/workloads/messages/workload_program.h"
#include "hw/workloads/tenants/hostile_program.h"
#include "tlm/workloads/jobs/job_watcher.h"
#include "tlm/workloads/jobs/jobs_rules.h"
#include "tlm/workloads/messages/fault_free.h"
#include "tlm/workloads/messages/messages_params.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/run_chips.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::system::run_outcome;
using hw::tenants::hostile_count;

namespace {

/// A job that is there to be served.
struct served_job {
    scenario::loaded scenario;
    hw::traffic::workload_params params;
    std::unique_ptr<workload_run> run;
};

/// All that is to be delivered, of all jobs.
class all_goals final : public hw::traffic::goal {
public:
    void add(const hw::traffic::goal& one) { goals_.push_back(&one); }
    bool complete() const override { return std::ranges::all_of(goals_, &hw::traffic::goal::complete); }
    cycle delivered_until() const override {
        cycle last = 0;
        for (const hw::traffic::goal* each : goals_) last = std::max(last, each->delivered_until());
        return last;
    }
    std::string oldest_missing() const override {
        for (const hw::traffic::goal* each : goals_)
            if (std::string text = each->oldest_missing(); !text.empty()) return text;
        return {};
    }

private:
    std::vector<const hw::traffic::goal*> goals_;
};

/// Everything that the network of a run refers to.
class jobs_run {
public:
    jobs_run(const scenario::loaded& scenario, const instance& on, std::size_t workload,
             std::optional<std::size_t> only)
        : scenario_(scenario), on_(on), jobs_(scenario.values.workloads[workload].jobs), plan_(on.plan) {
        limits_.patience = scenario.values.patience;
        for (std::size_t job = 0; job < jobs_.names.size(); ++job) {
            if (only && *only != job) continue;
            jobs_.entries[job].kind == scenario::traffic_kind::hostile ? add_hostile(job) : add_served(workload, job);
        }
        for (const auto& [job, params] : hostile_)
            attacked_until_ =
                std::max(attacked_until_, params.start + static_cast<cycle>(4 * params.gap * params.attempts));
        // Who attacks messages without a window may keep them away for ever.
        if (!hostile_.empty() && limits_.cycles == hw::engine::never)
            limits_.cycles = attacked_until_ + scenario.values.measurement.drain_limit;
    }
    jobs_run(const jobs_run&) = delete;
    jobs_run& operator=(const jobs_run&) = delete;

    run_result run(const network_factory& factory, const std::function<bool()>& stop,
                   const instrumentation& instruments) {
        set_time_outs(factory, stop);
        std::vector<watched_job> watched;
        for (std::size_t job = 0; job < jobs_.names.size(); ++job)
            watched.push_back({*settings_of(job).id, settings_of(job).processes,
                               served_.contains(job) ? &served_.at(job).run->board : nullptr});
        watcher_.emplace(std::move(watched), scenario_.values.host.has_job_ids());
        const auto hosts = [this](hw::system::processor_factory processors, hw::ni::observer* watcher) {
            watcher_->pass_on_to(watcher);
            return hw::system::program_hosts(
                std::move(processors), [this](std::uint32_t host) { return programs_of(host); }, &*watcher_, true);
        };
        run_result result = run_chips(
            on_, plan_, {goal_, hosts}, limits_, first_message(scenario_.values), factory,
            [&](cycle now) { return over(now) || stop(); }, instruments,
            [this](const hw::system::system_network& network) { count_hostile(network); });
        if (result.stopped() && goal_.complete() && over_) {
            result.ended = run_outcome::kind::complete;
            result.cycles = goal_.delivered_until();
        }
        if (result.ended == run_outcome::kind::limit)
            result.diagnosis = "not all was delivered within the drain limit of " +
                               std::to_string(scenario_.values.measurement.drain_limit) +
                               " cycles after the window or the attack";
        finish(result);
        return result;
    }

private:
    const scenario::job_settings& settings_of(std::size_t job) const {
        return *scenario_.values.host.find_job(jobs_.names[job]);
    }

    /// A hostile process may have its interface wait for ever (for a counter, for acknowledgements after any time), so
    /// the run does not wait for that.
    bool over(cycle now) {
        const cycle last = std::max(attacked_until_, goal_.delivered_until());
        over_ = !hostile_.empty() && goal_.complete() && now > last + limits_.patience;
        return over_;
    }

    void add_served(std::size_t workload, std::size_t job) {
        served_job made{scenario::of_job(scenario_, workload, job), {}, nullptr};
        made.params = params_of_run(made.scenario, on_, 0);
        // The bytes of different jobs are different.
        made.params.seed = seed_of(scenario_.values.seed, on_.index, job);
        const scenario::workload_settings& w = made.scenario.values.workloads.front();
        made.run = std::make_unique<workload_run>(made.scenario, on_, made.params,
                                                  choice_of(w, on_.plan.host.interface.lids.get()),
                                                  settings_of(job).processes.front());
        hw::system::fit(plan_, made.params);
        goal_.add(made.run->board);
        limits_.cycles = limited_ ? std::max(limits_.cycles, made.run->limits.cycles) : made.run->limits.cycles;
        limited_ = true;
        served_.emplace(job, std::move(made));
    }

    void add_hostile(std::size_t job) {
        const scenario::hostile_workload& w = jobs_.entries[job].hostile;
        hw::tenants::hostile_params params;
        params.seed = seed_of(w.seed, on_.index, job);
        params.gap = 1 / boost::rational_cast<double>(w.rate);
        params.attempts = w.attempts;
        params.start = first_message(scenario_.values);
        for (const std::string& name : w.attacks)
            params.attacks.push_back(
                std::ranges::find(hw::tenants::attack_kinds, name, [](const auto& each) { return each.name; })->value);
        params.own = settings_of(job).processes;
        for (const scenario::job_settings& other : scenario_.values.host.jobs)
            if (other.name != jobs_.names[job])
                params.victims.insert(params.victims.end(), other.processes.begin(), other.processes.end());
        params.hosts = static_cast<std::uint32_t>(plan_.network.hosts.size());
        params.shape = plan_.header_shape();
        params.payload_bytes = plan_.host.interface.payload_bytes;
        plan_.host.hostile.insert(plan_.host.hostile.end(), params.own.begin(), params.own.end());
        hostile_.emplace(job, std::move(params));
    }

    /// Of reliable messages: long enough for all jobs.
    void set_time_outs(const network_factory& factory, const std::function<bool()>& stop) {
        std::uint32_t timeout = 0;
        for (auto& [job, each] : served_) {
            if (!each.params.reliable) continue;
            const scenario::workload_settings& w = each.scenario.values.workloads.front();
            const std::uint32_t own =
                scenario_.values.ni.reliable.timeout
                    ? *scenario_.values.ni.reliable.timeout
                    : measured_timeout(each.scenario, on_, each.params,
                                       choice_of(w, on_.plan.host.interface.lids.get()), factory, stop);
            timeout = std::max(timeout, own);
        }
        if (timeout != 0) set_timeout(timeout, plan_, limits_);
    }

    std::vector<hw::host::application_factory> programs_of(std::uint32_t host) {
        std::vector<hw::host::application_factory> made(plan_.host.interface.processes);
        for (auto& [job, each] : served_)
            made[settings_of(job).processes.front()] = hw::traffic::run_workload(
                host, each.run->traffic, each.run->board, each.params.seed, plan_.header_shape());
        for (const auto& [job, params] : hostile_)
            for (const unsigned process : params.own)
                made[process] = hw::tenants::run_hostile(host, params, first_count(job));
        return made;
    }

    static std::size_t first_count(std::size_t job) { return job * static_cast<std::size_t>(hostile_count::counts); }

    void count_hostile(const hw::system::system_network& network) {
        counts_.assign(first_count(jobs_.names.size()), 0);
        for (const hw::engine::chip_id id : plan_.hosts) {
            const auto host = hw::host::host_report::of(network.network().report(id));
            if (!host) continue;
            for (std::size_t i = 0; i < host->applications.size(); ++i) counts_.at(i) += host->applications[i];
        }
    }

    void finish(run_result& result) {
        const scenario::settings& s = scenario_.values;
        jobs_part part;
        for (std::size_t job = 0; job < jobs_.names.size(); ++job) {
            job_result& made = part.jobs.emplace_back();
            made.strange = watcher_->jobs()[job].strange;
            for (const unsigned process : settings_of(job).processes)
                if (process < result.hosts.jobs_refused.size()) made.refused += result.hosts.jobs_refused[process];
            if (hostile_.contains(job)) {
                const auto count = [&](hostile_count which) {
                    return counts_.at(first_count(job) + static_cast<std::size_t>(which));
                };
                made.hostile = {count(hostile_count::commands),  count(hostile_count::waited),
                                count(hostile_count::registers), count(hostile_count::reports),
                                count(hostile_count::heard),     count(hostile_count::heard_of_jobs)};
            }
            if (!served_.contains(job)) continue;
            const workload_run& run = *served_.at(job).run;
            made.got = {
                run.board.complete(),    run.board.counts(), run.board.volume(),
                transfers_of(run.board), run.plans,          {run.board.faults().begin(), run.board.faults().end()}};
            if (served_.at(job).params.reliable)
                for (const std::string& broken : run.board.broken_promises()) made.got.faults.push_back(broken);
            result.counts += made.got.counts;
            result.volume.generated += made.got.volume.generated;
            result.volume.wanted += made.got.volume.wanted;
            result.volume.accepted += made.got.volume.accepted;
            result.plans += made.got.plans;
            for (const std::string& fault : made.got.faults)
                result.faults.push_back("job '" + jobs_.names[job] + "': " + fault);
            result.transfers.insert(result.transfers.end(), made.got.transfers.begin(), made.got.transfers.end());
        }
        std::ranges::stable_sort(result.transfers, {},
                                 [](const transfer& one) { return std::pair(one.created, one.source); });
        for (std::size_t i = 0; i < result.transfers.size(); ++i) result.transfers[i].message = i;
        result.losses_are_told = s.faults.told;
        result.duplicates_counted = s.measurement.duplicates == scenario::duplicates_rule::count;
        result.order_guaranteed = on_.plan.keeps_order();
        result.own = std::move(part);
    }

    const scenario::loaded& scenario_;
    const instance& on_;
    const scenario::jobs_workload& jobs_;
    hw::system::system_plan plan_;
    hw::system::run_limits limits_;
    bool limited_ = false;
    bool over_ = false;
    cycle attacked_until_ = 0;
    std::map<std::size_t, served_job> served_;
    std::map<std::size_t, hw::tenants::hostile_params> hostile_;
    all_goals goal_;
    std::optional<job_watcher> watcher_;
    std::vector<std::uint64_t> counts_;
};

}  // namespace

run_result run_jobs(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                    std::optional<std::size_t> only, const network_factory& factory, const std::function<bool()>& stop,
                    const instrumentation& instruments) {
    return jobs_run(scenario, on, workload, only).run(factory, stop, instruments);
}

}  // namespace polycast::tlm::sim
