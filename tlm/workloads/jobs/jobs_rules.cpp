// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/jobs/jobs_rules.h"

#include <algorithm>
#include <string>

#include "hw/workloads/tenants/hostile_program.h"
#include "tlm/scenario/propose.h"

namespace polycast::tlm::scenario {

namespace {

std::string job_path(std::size_t workload, const std::string& name) {
    return workload_path(workload, "jobs." + name);
}

std::vector<std::string> job_names(const host_settings& host) {
    std::vector<std::string> names;
    for (const job_settings& job : host.jobs) names.push_back(job.name);
    return names;
}

void check_attacks(const loaded& result, const std::string& path, const hostile_workload& w) {
    std::vector<std::string> known;
    for (const auto& each : hw::tenants::attack_kinds) known.emplace_back(each.name);
    for (std::size_t i = 0; i < w.attacks.size(); ++i)
        if (std::ranges::find(known, w.attacks[i]) == known.end())
            result.fail(path + ".attacks[" + std::to_string(i) + "]", "there is no attack '" + w.attacks[i] + "'",
                        propose(w.attacks[i], known));
}

/// The rules of its kind, which may fill in values.
void check_job(loaded& result, std::size_t workload, std::size_t job) {
    jobs_workload& jobs = result.values.workloads[workload].jobs;
    as_of_job(result, workload, job, [&](loaded& one) {
        for (const kind_rules& kind : all_kind_rules())
            if (kind.check != nullptr &&
                std::ranges::count(kind.kinds, name_of(jobs.entries[job].kind), &choice::name) != 0)
                kind.check(one, 0);
        workload_settings& w = one.values.workloads.front();
        if (w.rate && w.source)
            one.fail("workload[0].source", "'workload[0].source' has no meaning with a rate, at which every host sends",
                     "leave it out, or 'rate: single'");
        if (w.rate && one.given.contains("workload[0].messages"))
            one.fail("workload[0].messages", "'workload[0].messages' has no meaning with a rate",
                     "'measurement.window' says how long is counted");
        node& resolved = one.resolved.find("workload")->items.front();
        if (w.rate) std::erase_if(resolved.entries, [](const node::entry& e) { return e.key == "messages"; });
        jobs.entries[job] = std::move(w);
        *result.resolved.find("workload")->items[workload].find("jobs")->find(jobs.names[job]) = std::move(resolved);
    });
}

void check(loaded& result, std::size_t index) {
    const settings& s = result.values;
    const jobs_workload& jobs = s.workloads[index].jobs;
    if (s.host.jobs.empty())
        result.fail(workload_path(index, "kind"), "'kind: jobs' needs hosts with jobs",
                    "give 'host.processes: 2' and 'host.jobs: {a: {processes: [0]}, b: {processes: [1]}}'");
    if (jobs.names.empty()) result.fail(workload_path(index, "jobs"), "there is no job", "name those of 'host.jobs'");
    for (std::size_t job = 0; job < jobs.names.size(); ++job) {
        const std::string path = job_path(index, jobs.names[job]);
        if (s.host.find_job(jobs.names[job]) == nullptr)
            result.fail(path, "'host.jobs' has no job '" + jobs.names[job] + "'",
                        propose(jobs.names[job], job_names(s.host)));
        if (jobs.entries[job].kind == traffic_kind::hostile)
            check_attacks(result, path, jobs.entries[job].hostile);
        else
            check_job(result, index, job);
    }
    if (std::ranges::all_of(jobs.entries, [](const auto& w) { return w.kind == traffic_kind::hostile; }))
        result.fail(workload_path(index, "jobs"), "all jobs are hostile, and nothing is to be delivered",
                    "add one of kind 'unicast', 'multicast' or 'list'");
}

}  // namespace

loaded of_job(const loaded& all, std::size_t workload, std::size_t job) {
    const jobs_workload& jobs = all.values.workloads[workload].jobs;
    loaded one = all;
    one.values.workloads = {jobs.entries[job]};
    node& list = *one.resolved.find("workload");
    node entry = *list.items[workload].find("jobs")->find(jobs.names[job]);
    list.items = {std::move(entry)};
    const std::string prefix = job_path(workload, jobs.names[job]) + ".";
    one.given.clear();
    for (const std::string& path : all.given) {
        if (path.starts_with(prefix)) one.given.insert("workload[0]." + path.substr(prefix.size()));
        if (!path.starts_with("workload[")) one.given.insert(path);
    }
    return one;
}

void as_of_job(const loaded& all, std::size_t workload, std::size_t job, const std::function<void(loaded& one)>& what) {
    loaded one = of_job(all, workload, job);
    try {
        what(one);
    } catch (const hw::input_error& refused) {
        const std::string alone = workload_path(0);
        const std::string path = job_path(workload, all.values.workloads[workload].jobs.names[job]);
        std::string text = refused.what();
        for (std::size_t at = text.find(alone); at != std::string::npos; at = text.find(alone, at + path.size()))
            text.replace(at, alone.size(), path);
        throw hw::input_error(text);
    }
}

kind_rules jobs_rules() {
    return {.kinds = {{"jobs", "workloads of several jobs at once, hostile ones among them"}},
            .keys = jobs_keys,
            .check = check};
}

}  // namespace polycast::tlm::scenario
