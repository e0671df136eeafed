// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/kind.h"

#include <algorithm>

#include "tlm/workloads/allgather/allgather_kind.h"
#include "tlm/workloads/broadcast/broadcast_kind.h"
#include "tlm/workloads/jobs/jobs_kind.h"
#include "tlm/workloads/lanes/lanes_kind.h"
#include "tlm/workloads/messages/messages_kind.h"
#include "tlm/workloads/program/program_kind.h"
#include "tlm/workloads/rails/rails_kind.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

const workload_kind& workload_kind_of(const loaded& scenario, std::size_t workload) {
    const bool ideal = scenario.values.host.model == scenario::host_model::ideal;
    switch (scenario.values.workloads[workload].kind) {
        case scenario::traffic_kind::unicast:
        case scenario::traffic_kind::multicast:
        case scenario::traffic_kind::list: return ideal ? ideal_messages() : messages();
        case scenario::traffic_kind::allgather: return ideal ? ideal_allgathers() : allgathers();
        case scenario::traffic_kind::broadcast: return broadcasts();
        case scenario::traffic_kind::rails: return rails();
        case scenario::traffic_kind::program:
        case scenario::traffic_kind::collective: return programs();
        case scenario::traffic_kind::jobs:
        case scenario::traffic_kind::hostile: return jobs();
        case scenario::traffic_kind::lanes:
        case scenario::traffic_kind::streams: break;
    }
    return lanes();
}

std::vector<const workload_kind*> workload_kinds() {
    return {&messages(), &ideal_messages(), &allgathers(), &ideal_allgathers(), &broadcasts(), &rails(),
            &lanes(),    &programs(),       &jobs()};
}

std::string run_id(const loaded& scenario, const instance& on, std::size_t workload) {
    return on.name + "/" + scenario.values.workloads[workload].name;
}

unsigned workload_kind::payload(const scenario::settings& s, const workload_settings& w) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(w.message_bytes, s.packet.payload_bytes));
}

summary workload_kind::latency(const loaded& scenario, const finished_run& run) const {
    if (scenario.values.workloads[run.workload].rate) {
        std::vector<sample> samples;
        for (const transfer& t : run.result.transfers) {
            if (t.finished()) samples.push_back({t.created, t.latency()});
        }
        const std::uint64_t from = first_message(scenario.values) + scenario.values.measurement.warmup;
        return summarise_batches(samples, from, from + scenario.values.measurement.window,
                                 scenario.values.measurement.batches);
    }
    std::vector<std::uint64_t> values;
    for (const transfer& t : run.result.transfers) {
        if (t.finished()) values.push_back(t.latency());
    }
    return summarise(std::move(values));
}

std::optional<throughput> workload_kind::rates(const loaded& scenario, const finished_run& run) const {
    if (!scenario.values.workloads[run.workload].rate) return std::nullopt;
    const double cell = static_cast<double>(flit_bytes_of(scenario.values)) *
                        static_cast<double>(run.on->plan.network.hosts.size()) *
                        static_cast<double>(scenario.values.measurement.window);
    const hw::traffic::traffic_volume& v = run.result.volume;
    return throughput{static_cast<double>(v.generated) / cell, static_cast<double>(v.wanted) / cell,
                      static_cast<double>(v.accepted) / cell};
}

std::optional<load_results> workload_kind::load(const loaded& scenario, const finished_run& run) const {
    const scenario::settings& s = scenario.values;
    if (!s.workloads[run.workload].rate) return std::nullopt;
    const std::uint64_t start = first_message(s);
    const std::uint64_t from = start + s.measurement.warmup;
    return judge_load(run.result.transfers, {start, from, from + s.measurement.window}, s.measurement.batches);
}

json rate_json(const workload_settings& w) {
    return w.rate ? json(boost::rational_cast<double>(*w.rate)) : json(nullptr);
}

json cost_json(double cpu_seconds, std::uint64_t delivered_bytes) {
    const double gigabytes = static_cast<double>(delivered_bytes) / 1e9;
    return {{"cpu_seconds", cpu_seconds},
            {"delivered_bytes", delivered_bytes},
            {"cpu_seconds_per_gigabyte", gigabytes == 0 ? json(nullptr) : json(cpu_seconds / gigabytes)}};
}

}  // namespace polycast::tlm::sim
