// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tlm/scenario/keys.h"

namespace polycast::tlm::scenario {

namespace {

/// The spelling of scenarios: enumerators have the order of the choices in the table.
template <class choices>
std::string_view spelt(std::string_view path, choices value) {
    return find_key(path)->choices[static_cast<std::size_t>(value)].name;
}

}  // namespace

std::string_view name_of(fidelity value) {
    return spelt("network.fidelity", value);
}
std::string_view name_of(traffic_kind value) {
    if (value == traffic_kind::hostile) return "hostile";
    return spelt("workload[].kind", value);
}
std::string_view name_of(processor_kind value) {
    return spelt("ni.processor", value);
}

std::string_view name_of(host_model value) {
    return spelt("host.model", value);
}
std::string_view name_of(allgather_algorithm value) {
    return spelt("workload[].algorithm", value);
}
std::string_view name_of(broadcast_timing value) {
    return spelt("router.broadcast.timing", value);
}
std::string_view name_of(neighbour_state value) {
    return spelt("router.broadcast.neighbours", value);
}

fidelity fidelity_of(const network_settings& network, const std::string& name) {
    const auto found = network.chips.find(name);
    return found == network.chips.end() ? network.all : found->second;
}

std::vector<std::uint32_t> host_settings::job_ids() const {
    std::vector<std::uint32_t> ids;
    if (jobs.empty()) return ids;
    ids.resize(processes);
    for (const job_settings& job : jobs)
        for (const unsigned process : job.processes) ids[process] = job.id.value_or(0);
    return ids;
}

const job_settings* host_settings::find_job(const std::string& name) const {
    const auto found = std::ranges::find(jobs, name, &job_settings::name);
    return found == jobs.end() ? nullptr : &*found;
}

processor_kind processor_of(const ni_settings& ni, const std::string& host) {
    const auto found = ni.hosts.find(host);
    return found == ni.hosts.end() ? ni.all : found->second;
}
std::string_view name_of(length_rule value) {
    return spelt("workload[].lengths", value);
}

}  // namespace polycast::tlm::scenario
