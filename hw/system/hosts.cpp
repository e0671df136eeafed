// SPDX-License-Identifier: Apache-2.0
#include "hw/system/hosts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/workloads/messages/workload_program.h"

namespace polycast::hw::system {

namespace {

std::unique_ptr<host::host_chip> make_host(const system_plan& plan, std::uint32_t host,
                                           std::vector<host::application_factory> programs,
                                           const processor_factory& processors, ni::observer* watcher,
                                           const void* together) {
    const ni::processor_factory make_processor = [&](const ni::ni_params& params, ni::processor_bus& bus,
                                                     ni::observer* own) { return processors(plan, params, bus, own); };
    return std::make_unique<host::host_chip>(params_of(plan, host), std::move(programs), make_processor, watcher,
                                             together);
}

}  // namespace

processor_factory native_processors(std::shared_ptr<const ni::native_firmware> firmware) {
    return [firmware = std::move(firmware)](const system_plan& plan, const ni::ni_params& params,
                                            ni::processor_bus& bus, ni::observer* watcher) {
        return std::make_unique<ni::native_processor>(firmware, plan.params.firmware_times, params, bus, watcher);
    };
}

void fit(system_plan& plan, const traffic::workload_params& work) {
    constexpr unsigned loaded_buffers = 256;
    constexpr unsigned loaded_commands = 1024;
    host::host_params& host = plan.host;
    host.message_bytes = std::max(host.message_bytes, work.bytes);
    if (work.gap == 0) return;
    const unsigned most = host::most_receive_buffers / std::max(1u, host.interface.processes);
    host.receive_buffers = std::max(host.receive_buffers, std::min(loaded_buffers, most));
    host.interface.command_entries = std::max(host.interface.command_entries, loaded_commands);
}

host::host_params params_of(const system_plan& plan, std::uint32_t host) {
    host::host_params params = plan.host;
    params.interface.host = host;
    return params;
}

host_factory workload_hosts(processor_factory processors, traffic::message_source& source, traffic::message_sink& sink,
                            std::uint64_t payload_seed, ni::observer* watcher) {
    const auto arrivals = std::make_shared<traffic::arrival_watcher>(sink, watcher);
    return [processors = std::move(processors), &source, &sink, payload_seed, arrivals](const system_plan& plan,
                                                                                        std::uint32_t host) {
        // The chip keeps its programs' factories, and so what it tells of arrivals.
        const host::application_factory program =
            traffic::run_workload(host, source, sink, payload_seed, plan.header_shape());
        const auto kept = [program, arrivals](const host::host_context& context) { return program(context); };
        return make_host(plan, host, {kept}, processors, arrivals.get(), nullptr);
    };
}

host_factory program_hosts(processor_factory processors,
                           std::function<std::vector<host::application_factory>(std::uint32_t host)> programs,
                           ni::observer* watcher, bool apart) {
    return [processors = std::move(processors), programs = std::move(programs), watcher, apart](const system_plan& plan,
                                                                                                std::uint32_t host) {
        return make_host(plan, host, programs(host), processors, watcher, apart ? nullptr : &plan);
    };
}

void interface_totals::add(const host::host_report& host) {
    *this += interface_totals{host.interfaces, host.busy, host.dropped, host.jobs_refused};
}

interface_totals& interface_totals::operator+=(const interface_totals& more) {
    interfaces += more.interfaces;
    host_busy += more.host_busy;
    dropped += more.dropped;
    jobs_refused.resize(std::max(jobs_refused.size(), more.jobs_refused.size()));
    for (std::size_t process = 0; process < more.jobs_refused.size(); ++process)
        jobs_refused[process] += more.jobs_refused[process];
    return *this;
}

}  // namespace polycast::hw::system
