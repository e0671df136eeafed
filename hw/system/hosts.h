// SPDX-License-Identifier: Apache-2.0
/// \file Hosts of a network: what runs on their processors and on those of their interfaces.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hw/host/host_chip.h"
#include "hw/ni/native_firmware.h"
#include "hw/system/plan.h"
#include "hw/workloads/messages/workload.h"

namespace polycast::hw::system {

/// Makes the chip of host `host` of the plan.
using host_factory = std::function<std::unique_ptr<engine::chip>(const system_plan& plan, std::uint32_t host)>;

/// Makes the processor of the interface of host `params.host`; `watcher` may be null.
using processor_factory = std::function<std::unique_ptr<ni::processor>(
    const system_plan& plan, const ni::ni_params& params, ni::processor_bus& bus, ni::observer* watcher)>;

/// `firmware` compiled for this machine on every interface, with the plan's firmware_times.
processor_factory native_processors(std::shared_ptr<const ni::native_firmware> firmware);

/// Sizes the hosts of a plan for a workload: receive buffers take the longest message. Under load, much may wait for an
/// interface that cannot keep up, so there are more buffers and commands; then what waits is late but not lost.
void fit(system_plan& plan, const traffic::workload_params& work);

/// The parameters of one host of a plan.
host::host_params params_of(const system_plan& plan, std::uint32_t host);

/// Hosts that run a workload: one process each. `source`, `sink` and `watcher` (may be null; is told everything that
/// hosts do) must outlive the chips.
host_factory workload_hosts(processor_factory processors, traffic::message_source& source, traffic::message_sink& sink,
                            std::uint64_t payload_seed, ni::observer* watcher = nullptr);

/// Hosts that run programs of their own. `programs` gives the applications of a host, one for each process of the plan.
/// `apart`: those of different hosts share objects by host_context::told only, so that several threads may step them.
host_factory program_hosts(processor_factory processors,
                           std::function<std::vector<host::application_factory>(std::uint32_t host)> programs,
                           ni::observer* watcher = nullptr, bool apart = false);

/// What several hosts and their interfaces did, for results.
struct interface_totals {
    ni::ni_statistics interfaces;
    engine::cycle host_busy = 0;                   ///< host processors: send and receive overheads
    std::uint64_t dropped = 0;                     ///< errors that firmware reported to processes
    std::vector<std::uint64_t> jobs_refused = {};  ///< [process] packets of other jobs, where packets carry jobs

    void add(const host::host_report& host);
    interface_totals& operator+=(const interface_totals& more);
    bool operator==(const interface_totals&) const = default;
};

}  // namespace polycast::hw::system
