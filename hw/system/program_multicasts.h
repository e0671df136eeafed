// SPDX-License-Identifier: Apache-2.0
/// \file Multicasts of programs (hw/workloads/program) on a network: who sends what to whom, whether that is possible,
/// and how long it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "hw/programs/loggops.h"
#include "hw/system/plan.h"
#include "hw/workloads/program/multicast_routes.h"

namespace polycast::hw::system {

/// By the defaults of each scheme: first packet first served, Less Greedy phases, path worms, the best fanout.
/// `plan` must outlive it.
programs::multicast_planner plan_multicasts(const system_plan& plan);

/// The longest packets that switches take become those of worms of a scheme, as far as their buffers hold these: for
/// plans whose limit was made for unicasts alone.
void take_worms(system_plan& plan, std::string_view scheme);

/// Why the chips of a network cannot carry out multicasts by a scheme of hw/collectives/scheme.h; empty where they can.
std::string why_no_multicasts(const system_plan& plan, std::string_view scheme);

/// Why the interfaces of a network cannot know the groups of a program; empty where they can.
std::string why_no_groups(const system_plan& plan, const programs::multicast_routes& routes);

/// Predicts multicasts (hw/system/prediction.h) for the reference machine. Of more than 64 packets each adds as much as
/// those before. `plan` must outlive it. \param host_of [rank]
std::function<programs::multicast_times(const programs::program&, const programs::multicast&)> multicast_predictor(
    const system_plan& plan, std::span<const std::uint32_t> host_of);

}  // namespace polycast::hw::system
