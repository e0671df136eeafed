// SPDX-License-Identifier: Apache-2.0
/// \file The library of collectives: programs of every collective by every algorithm. library.md has the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/collectives/schedule.h"
#include "hw/programs/collective.h"
#include "hw/programs/program.h"

namespace polycast::hw::collectives {

/// What an algorithm costs, whatever the network is.
struct collective_counts {
    std::uint64_t chain = 0;            ///< longest chain of messages
    std::uint64_t messages = 0;         ///< from one rank to another
    std::uint64_t bytes = 0;            ///< of these, sent by all ranks
    std::uint64_t multicasts = 0;       ///< each to all other ranks
    std::uint64_t multicast_bytes = 0;  ///< of these, each once

    /// What arrives at ranks.
    std::uint64_t deliveries(std::uint32_t ranks) const { return messages + multicasts * (ranks - 1); }
    std::uint64_t delivered_bytes(std::uint32_t ranks) const { return bytes + multicast_bytes * (ranks - 1); }

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
    /// By which scheme (scheme.h) its multicasts are copied: not every network can carry it out. Empty: it has none.
    std::string_view scheme = {};
};

std::span<const algorithm* const> algorithms();

/// \returns nullptr for a name that the kind does not have
const algorithm* find_algorithm(collective_kind of, std::string_view name);

/// Why an algorithm cannot do a collective; empty where it can.
std::string why_not(const algorithm& by, const collective& made);

/// Ranks 0 to ranks - 1, each with the three buffers of a collective. \throws input_error where it cannot be done
programs::program make_program(const algorithm& by, const collective& made);

/// Operations of a rank, [begin, end).
struct operation_range {
    std::uint32_t begin = 0, end = 0;
};

struct repeated_program {
    programs::program made;
    std::vector<std::vector<operation_range>> operations;  ///< [repetition, rank] without the barriers between
};

/// The same collective several times, one after the other, a barrier (dissemination) between. Each has tags of its own
/// and the same inputs: in place they are saved first, and come back before each barrier. \param times 1 or more
/// \throws input_error where it cannot be done
repeated_program make_repeated(const algorithm& by, const collective& made, std::uint32_t times);

}  // namespace polycast::hw::collectives
