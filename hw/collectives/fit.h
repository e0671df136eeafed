// SPDX-License-Identifier: Apache-2.0
/// \file The reference machine that takes as long as somebody has measured.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/collectives/library.h"

namespace polycast::hw::collectives {

/// A collective at a size; times in nanoseconds.
struct measured_time {
    std::uint64_t bytes = 0;
    double nanoseconds = 0;
};

/// A machine of hosts with one interface each, which sends and receives side by side.
struct fitted_machine {
    std::uint64_t overhead = 0;  ///< t_hs = t_hr, nanoseconds
    double link = 0;             ///< bytes per nanosecond; 0: infinite
    double reduce = 0;           ///< bytes per nanosecond; 0: infinite
};

/// What a machine takes. \param made its elements are those of `bytes` \throws input_error where it cannot be done
double nanoseconds_of(const algorithm& by, collective made, std::uint64_t bytes, const fitted_machine& on);

/// Overhead and link from two sizes. \param link if known: then the rate of reductions is fitted in its place
fitted_machine fit(const algorithm& by, const collective& made, const measured_time& less, const measured_time& more,
                   std::optional<double> link);

}  // namespace polycast::hw::collectives
