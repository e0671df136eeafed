// SPDX-License-Identifier: Apache-2.0
/// \file Memory that a scenario takes, estimated before anything is simulated, and what the machine has left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

/// Bytes, each estimate within a factor of two where traffic is light: messages that pile up in a saturated network
/// are counted only as far as they are known beforehand.
struct memory_estimate {
    struct part {
        std::string name;  ///< "switches"
        std::uint64_t bytes = 0;
    };

    std::uint64_t kept = 0;       ///< program, plans and results of all runs
    std::vector<part> parts;      ///< of the largest run, the largest first
    std::uint64_t untouched = 0;  ///< addresses that it takes without memory

    std::uint64_t run() const;
    /// "1.2 GB: 0.9 GB for interfaces, 0.3 GB for switches"
    std::string text() const;
};

memory_estimate memory_of(const scenario::loaded& scenario, const std::vector<instance>& instances);

/// Before they are made. \throws hw::input_error if there is no memory for the tables of a network
void check_tables(const scenario::loaded& scenario, const hw::topology::graph& network);

/// What this process may still take: of the machine and of its control groups.
std::uint64_t memory_left();
/// The same of its address space (`ulimit -v`).
std::uint64_t space_left();

/// Runs of `each` bytes at once, at most `wanted`. \throws hw::input_error if there is no memory for one
std::size_t runs_at_once(const scenario::loaded& scenario, const memory_estimate& each, std::size_t wanted);

}  // namespace polycast::tlm::sim
