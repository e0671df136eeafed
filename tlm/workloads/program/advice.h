// SPDX-License-Identifier: Apache-2.0
/// \file Which algorithm a collective takes on a network: `algorithm: auto`, and what `advise` prints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/collectives/advice.h"
#include "hw/programs/collective.h"
#include "hw/workloads/program/calibration.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

inline constexpr const char* automatic_algorithm = "auto";

hw::programs::collective collective_of(const scenario::program_workload& w, std::uint32_t ranks);

/// Ranks of a collective on a network.
std::uint32_t ranks_of(const scenario::program_workload& w, const instance& on);

/// The reference machine for the ranks of a workload on a network.
struct calibrated_machine {
    hw::programs::calibration measured;
    hw::programs::loggops_tables tables;
};

/// Measures it once for all workloads whose ranks are at the same hosts: on cores without faults, whose interfaces have
/// native processors. \throws hw::input_error
std::shared_ptr<const calibrated_machine> calibrated(const scenario::loaded& scenario, const instance& on,
                                                     std::size_t workload, std::uint32_t ranks);

/// The tables of a workload with its own `eager`, `copy` and `reduce`. \param members of a collective among so many
/// ranks; empty: all
hw::programs::loggops_tables machine_of(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                                        std::uint32_t ranks, std::span<const std::uint32_t> members = {});

/// Why a network cannot carry out multicasts by a scheme (hw/collectives/scheme.h); empty where it can.
std::string why_no_multicasts(const scenario::loaded& scenario, const instance& on, std::string_view scheme);

/// Of every algorithm that can do a collective on a network, the fastest first. \param machine of this network
std::vector<hw::collectives::prediction> predictions_of(const scenario::loaded& scenario, const instance& on,
                                                        const hw::programs::collective& made,
                                                        const hw::programs::loggops_tables& machine);

struct chosen_algorithm {
    std::string name;
    std::string by;  ///< "prediction", or the file of the table; empty: the scenario names it
    std::optional<std::uint64_t> predicted = {};  ///< cycles, by a prediction
};

/// \throws hw::input_error for a table that does not fit
chosen_algorithm algorithm_of(const scenario::loaded& scenario, const instance& on, std::size_t workload);

/// `auto` of a collective of a program of so many ranks: what is predicted to be the fastest there.
/// \param members ranks of its group, as `of` counts them
const hw::collectives::algorithm& predicted_algorithm(const scenario::loaded& scenario, const instance& on,
                                                      std::size_t workload, std::uint32_t ranks,
                                                      const hw::programs::collective& of,
                                                      std::span<const std::uint32_t> members);

}  // namespace polycast::tlm::sim
