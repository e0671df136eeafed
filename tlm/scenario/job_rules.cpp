// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "tlm/scenario/rules.h"

namespace polycast::tlm::scenario {

namespace {

/// Messages name keys by their path, which a dot in a name would break.
bool is_plain(const std::string& name) {
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

void check_processes(const loaded& result) {
    const host_settings& host = result.values.host;
    std::map<unsigned, std::string> job_of;
    for (const job_settings& job : host.jobs) {
        const std::string path = "host.jobs." + job.name + ".processes";
        if (job.processes.empty())
            result.fail(path, "job '" + job.name + "' has no process", "such as [0], or leave the job out");
        for (std::size_t i = 0; i < job.processes.size(); ++i) {
            const unsigned process = job.processes[i];
            const std::string item = path + "[" + std::to_string(i) + "]";
            if (process >= host.processes)
                result.fail(item,
                            "job '" + job.name + "' has process " + std::to_string(process) + ", and hosts have " +
                                (host.processes == 1 ? "process 0 alone"
                                                     : "processes 0.." + std::to_string(host.processes - 1)),
                            "take 'host.processes: " + std::to_string(process + 1) + "', or another process");
            const auto [first, fresh] = job_of.emplace(process, job.name);
            if (!fresh)
                result.fail(item,
                            "process " + std::to_string(process) + " is in job '" + first->second + "'" +
                                (first->second == job.name ? " twice" : " and in job '" + job.name + "'"),
                            "a process is in one job");
        }
    }
}

/// Fills in those that are not given.
void check_ids(loaded& result) {
    std::map<std::uint32_t, std::string> job_of;
    std::vector<job_settings>& jobs = result.values.host.jobs;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        job_settings& job = jobs[i];
        if (!job.id) job.id = static_cast<std::uint32_t>(i + 1);
        const auto [first, fresh] = job_of.emplace(*job.id, job.name);
        if (fresh) continue;
        std::uint32_t free = 1;
        while (std::ranges::find(jobs, free, [](const job_settings& one) { return one.id.value_or(0); }) != jobs.end())
            ++free;
        result.fail(
            "host.jobs." + job.name + ".id",
            "jobs '" + first->second + "' and '" + job.name + "' have the same JobID, " + std::to_string(*job.id),
            "take 'id: " + std::to_string(free) + "' for '" + job.name + "'");
    }
}

}  // namespace

void check_jobs(loaded& result) {
    const host_settings& host = result.values.host;
    if (host.jobs.empty()) {
        if (result.given.contains("host.check_jobs"))
            result.fail("host.check_jobs", "there are no jobs that could be compared",
                        "leave it out, or give 'host.jobs'");
        return;
    }
    for (const job_settings& job : host.jobs)
        if (!is_plain(job.name))
            result.fail("host.jobs", "a job cannot be called '" + job.name + "'",
                        "up to 64 letters, digits, '_' and '-'");
    check_processes(result);
    check_ids(result);
    const std::vector<workload_settings>& workloads = result.values.workloads;
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        const workload_settings& w = workloads[i];
        using algorithm = allgather_algorithm;
        const bool coded = w.kind == traffic_kind::allgather &&
                           (w.algorithm == algorithm::coded || w.algorithm == algorithm::every_node) &&
                           w.coding == hw::collectives::allgather_coder::unit;
        if (coded && host.has_job_ids())
            result.fail(workload_path(i, "coding"),
                        "coding units know of no jobs, and packets carry the JobIDs of 'host.jobs'",
                        "take 'coding: host', or leave out 'host.jobs'");
    }
}

}  // namespace polycast::tlm::scenario
