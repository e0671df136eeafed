// SPDX-License-Identifier: Apache-2.0
/// \file Common part of the kinds of workloads of ideal hosts.
#pragma once

#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

class ideal_kind : public workload_kind {
public:
    run_result run(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                   const network_factory& factory, const std::function<bool()>& stop,
                   const instrumentation& instruments) const override;
    void check_routers(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                       router_needs& needs) const override;
    std::optional<hw::system::system_plan> own_plan(const scenario::loaded& scenario, const instance& on,
                                                    std::size_t workload) const override;
    summary latency(const scenario::loaded& scenario, const finished_run& run) const override;
    std::optional<throughput> rates(const scenario::loaded& scenario, const finished_run& run) const override;
    std::optional<load_results> load(const scenario::loaded& scenario, const finished_run& run) const override;
    void add(json& run, const scenario::loaded& scenario, const finished_run& finished) const override;

protected:
    /// Adds length and rate of packets to what a workload asks for.
    static void add_packets(json& settings, const scenario::workload_settings& w);
};

}  // namespace polycast::tlm::sim
