// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/ideal_run.h"

#include <algorithm>

#include "hw/input_error.h"
#include "hw/system/ideal_network.h"
#include "hw/workloads/allgather/ideal_allgather.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/workloads/allgather/allgather_run.h"
#include "tlm/workloads/messages/fabric_run.h"
#include "tlm/workloads/messages/ideal_chips_run.h"
#include "tlm/workloads/messages/messages_params.h"

namespace polycast::tlm::sim {

using scenario::loaded;

ideal_engine ideal_engine_of(const scenario::settings& s, const instrumentation& instruments) {
    const auto no_core = [](const auto& chip) { return chip.second != scenario::fidelity::core; };
    const bool chips = s.network.all != scenario::fidelity::core || std::ranges::any_of(s.network.chips, no_core) ||
                       instruments.waves || instruments.packets || s.network.partition;
    return chips ? ideal_engine::chips : ideal_engine::fabric;
}

void check_ideal_run(const loaded& scenario, const hw::topology::graph& network, std::size_t workload) {
    if (scenario.values.workloads[workload].kind == scenario::traffic_kind::allgather) {
        checked_allgather_options(scenario, workload);
        return;
    }
    const hw::fabric::fabric_params params = fabric_params_of(scenario, needs_of(scenario, workload));
    if (scenario.values.network.threads > params.router.nodes())
        scenario.fail("network.threads",
                      "'network.threads' of " + std::to_string(*scenario.values.network.threads) +
                          " is more than the network has routers",
                      "take at most " + std::to_string(params.router.nodes()));
    if (scenario.ranks * scenario.values.network.threads.value_or(1) > params.router.nodes())
        throw hw::input_error(std::to_string(scenario.ranks) + " ranks with " +
                                  std::to_string(scenario.values.network.threads.value_or(1)) +
                                  " threads each are more than the " + std::to_string(params.router.nodes()) +
                                  " routers of the network",
                              "start fewer");
    pattern_params_of(scenario, workload, network);
}

hw::system::system_plan ideal_plan_of(const loaded& scenario, std::size_t workload) {
    if (scenario.values.workloads[workload].kind == scenario::traffic_kind::allgather) {
        const hw::fabric::allgather_options options = checked_allgather_options(scenario, workload);
        return hw::system::make_ideal_plan(options.fabric, hw::fabric::units_of(options));
    }
    return hw::system::make_ideal_plan(fabric_params_of(scenario, needs_of(scenario, workload)));
}

run_result run_ideal(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                     const std::function<bool()>& stop, const instrumentation& instruments) {
    const ideal_engine engine = ideal_engine_of(scenario.values, instruments);
    const bool allgather = scenario.values.workloads[workload].kind == scenario::traffic_kind::allgather;
    run_result result = allgather ? run_allgather(scenario, on, workload, engine, factory, stop, instruments)
                        : engine == ideal_engine::fabric
                            ? run_unicasts_on_fabric(scenario, on, workload, factory.ranks, stop)
                            : run_unicasts_on_chips(scenario, on, workload, factory, stop, instruments);
    result.engine = engine;
    return result;
}

}  // namespace polycast::tlm::sim
