// SPDX-License-Identifier: Apache-2.0
/// \file The networks that a scenario runs on, planned and checked before anything is simulated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/delivery/scoreboard.h"
#include "hw/system/plan.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

struct network_size {
    std::uint64_t switches = 0;  ///< or routers
    std::uint64_t hosts = 0;
    std::uint64_t links = 0;  ///< cables
};

/// One network of a scenario.
struct instance {
    std::string name;              ///< "irregular-1", "mesh-8x8", or the file's name without its ending
    std::uint64_t index = 0;       ///< from 0
    hw::system::system_plan plan;  ///< with ideal hosts the network alone
    /// Of a network that is not written out chip by chip, in which broadcasts run in steps: that of the plan is empty.
    std::optional<network_size> unlisted = {};

    /// With forwarding tables: pairs that they lose, if the scenario runs them nevertheless; else null.
    std::shared_ptr<const hw::traffic::lost_pairs> lost = {};

    network_size size() const;
};

/// Bytes of a flit, of switches or routers.
unsigned flit_bytes_of(const scenario::settings& s);

/// The switch settings of a scenario for the network `graph`; packet limit and root are resolved on it.
/// \throws hw::input_error at the key that is to blame
hw::system::system_params system_params_of(const scenario::loaded& scenario, const hw::topology::graph& graph);

/// First cycle with a message where firmware takes its own time: by then every processor has booted and taken its
/// hosts' first receive buffers (256 of them, the most, take 161,000 cycles on `iss`).
inline constexpr hw::engine::cycle firmware_ready = 200000;

/// First cycle with a message: 1, or firmware_ready.
hw::engine::cycle first_message(const scenario::settings& s);

/// Which thread steps which chip of a plan; empty: nobody says. \throws hw::input_error for a file that does not fit
std::map<std::string, std::uint32_t> partition_of(const scenario::loaded& scenario,
                                                  const hw::system::system_plan& plan);

/// Fills in `network.threads: auto`: the cores that runs at the same time leave each other, of no more use than chips.
/// `jobs`: runs at once; 0: as many as there are.
void choose_threads(scenario::loaded& scenario, const std::vector<instance>& instances, std::size_t jobs);

/// All networks of the scenario. Everything that can go wrong before the first cycle is checked here: names, sizes,
/// routes, deadlock. \throws hw::input_error
std::vector<instance> make_instances(const scenario::loaded& scenario);

}  // namespace polycast::tlm::sim
