// SPDX-License-Identifier: Apache-2.0
/// \file All SystemC networks of a process: SystemC elaborates once, so they are added first and then run together.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/network/sc_network.h"

namespace polycast::tlm::network {

/// One per process, called from sc_main (or below). Networks know nothing of each other; each runs until it has
/// finished.
///
///     sc_session session;
///     for (point : points) session.add(point.name, point.plan, {}, make_core, point.hosts, point.board);
///     std::vector<run_outcome> outcomes = session.run({});
///     session.at(0).statistics(...);
class sc_session {
public:
    /// Adds a network; arguments as for sc_network. `name` may contain anything and need not be unique.
    /// \returns its index. \throws input_error as sc_network does
    std::size_t add(const std::string& name, const hw::system::system_plan& plan, const sc_network_params& params,
                    const hw::system::chip_factory& chips, const hw::system::host_factory& hosts,
                    const hw::traffic::goal& goal);

    std::size_t size() const { return networks_.size(); }
    sc_network& at(std::size_t index) { return *networks_[index]; }
    const sc_network& at(std::size_t index) const { return *networks_[index]; }

    /// Simulates until every network has finished; once per process. `stop`, if given, is asked now and then with a
    /// network's index and its present cycle, and ends that network by returning true.
    /// \returns the outcomes by index \throws what ended one of the networks as a failure; the others are cut short
    /// then
    std::vector<hw::system::run_outcome> run(
        const hw::system::run_limits& limits,
        const std::function<bool(std::size_t index, hw::engine::cycle now)>& stop = {});

private:
    std::vector<std::unique_ptr<sc_network>> networks_;
};

}  // namespace polycast::tlm::network
