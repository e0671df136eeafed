// SPDX-License-Identifier: Apache-2.0
/// \file The library of collectives: programs of every collective by every algorithm. library.md has the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hw/collectives/schedule.h"
#include "hw/programs/collective.h"
#include "hw/programs/program.h"

namespace polycast::hw::collectives {

/// What an algorithm costs, whatever the network is.
struct collective_counts {
    std::uint64_t chain = 0;  ///< longest chain of messages
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;  ///< sent by all ranks

    bool operator==(const collective_counts&) const = default;
};

/// One file in algorithms/ has those of a kind, and library.cpp a row for each.
struct algorithm {
    collective_kind of;
    std::string_view name;
    std::string_view doc;
    void (*make)(step_schedule&);
    /// Closed forms of library.md.
    collective_counts (*count)(const collective&);
    bool cuts = false;          ///< into pieces
    bool power_of_two = false;  ///< runs on so many ranks only
};

std::span<const algorithm* const> algorithms();

/// \returns nullptr for a name that the kind does not have
const algorithm* find_algorithm(collective_kind of, std::string_view name);

/// Why an algorithm cannot do a collective; empty where it can.
std::string why_not(const algorithm& by, const collective& made);

/// Ranks 0 to ranks - 1, each with the three buffers of a collective. \throws input_error where it cannot be done
programs::program make_program(const algorithm& by, const collective& made);

}  // namespace polycast::hw::collectives
