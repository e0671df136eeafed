// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/fidelity.h"

namespace polycast::tlm::sim {

namespace {

/// Switches on the bare engine.
class engine_network final : public runnable {
public:
    engine_network(const hw::system::system_plan& plan, const hw::system::switch_factory& factory,
                   hw::traffic::message_source& source, hw::traffic::scoreboard& board)
        : network_(plan, factory, source, board) {}

    hw::system::run_outcome run(const hw::system::run_limits& limits,
                                const std::function<bool(hw::engine::cycle)>& stop) override {
        return network_.run(limits, stop);
    }
    hw::engine::network& network() override { return network_.network(); }

private:
    hw::system::switch_network network_;
};

}  // namespace

scenario::fidelity fidelity_of(const scenario::network_settings& network, const std::string& name) {
    const auto found = network.chips.find(name);
    return found == network.chips.end() ? network.all : found->second;
}

network_factory make_network_factory(const scenario::loaded& scenario, const std::vector<instance>& instances) {
    const scenario::network_settings& settings = scenario.values.network;
    for (const instance& on : instances) {
        for (const hw::topology::switch_node& node : on.plan.network.switches) {
            if (fidelity_of(settings, node.name) == scenario::fidelity::core) continue;
            const std::string key =
                settings.chips.contains(node.name) ? "network.chips." + node.name : "network.fidelity";
            scenario.fail(key, "this build has no model of fidelity '" +
                                   std::string(name_of(fidelity_of(settings, node.name))) + "'");
        }
    }
    return [](const hw::system::system_plan& plan, hw::traffic::message_source& source,
              hw::traffic::scoreboard& board) -> std::unique_ptr<runnable> {
        return std::make_unique<engine_network>(plan, hw::system::make_core, source, board);
    };
}

}  // namespace polycast::tlm::sim
