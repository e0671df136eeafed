// SPDX-License-Identifier: Apache-2.0
/// \file What the ranks of a run do in step: all load the scenario and make the same networks, and the first one alone
/// writes results and speaks to the user.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/engine/ranks.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

using rank_pointer = std::shared_ptr<hw::engine::rank_group>;

/// Does `work` on all ranks. If it fails on one, it fails on the first with that error, and the others leave.
/// \throws hw::input_error, hw::engine::simulated_elsewhere
void on_all(const rank_pointer& ranks, const std::function<void()>& work);

/// Refuses what several ranks cannot do together, and ranks with another program or scenario. \throws hw::input_error
void check_ranks(hw::engine::rank_group& ranks, const scenario::loaded& scenario,
                 const std::vector<instance>& instances, const std::vector<tool_request>& tools);

/// Does `work` on the first rank, and then on the others.
void one_after_the_other(const rank_pointer& ranks, const std::function<void()>& work);

/// What the first rank says.
bool as_first(const rank_pointer& ranks, bool own);

/// A network that all ranks simulate, or one: all get its result.
run_result agreed(const rank_pointer& ranks, const std::function<run_result()>& work);

/// Each rank makes some of `count` results, and all get all of them; nothing stands for one that `stop` kept from being
/// begun.
std::vector<std::optional<run_result>> dealt(const rank_pointer& ranks, std::size_t count,
                                             const std::function<run_result(std::size_t index)>& make,
                                             const std::function<bool()>& stop);

/// Does `work` in a process of its own where there can be only one network in a process. `stop`: the run is to end.
run_result in_own_process(const network_factory& factory, const std::function<run_result()>& work,
                          const std::function<bool()>& stop);

/// agreed() for one of several networks.
run_result one_of_several(const network_factory& factory, const std::function<run_result()>& work);

/// Ends all ranks if this one has failed in a way that the others cannot be told of.
void end_if_out_of_step(const rank_pointer& ranks, const std::exception& failed);

}  // namespace polycast::tlm::sim
