// SPDX-License-Identifier: Apache-2.0
/// \file A host program that nobody should have let in: it gives its interface any commands, and writes anything into
/// the registers of its own page. All that a process of a host can do, it may try.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/format/header.h"
#include "hw/host/application.h"
#include "hw/names.h"
#include "hw/traffic/random.h"

namespace polycast::hw::tenants {

enum class attack_kind : std::uint8_t { forge, half, worms, groups, rails, counters, registers, noise };

inline constexpr named<attack_kind> attack_kinds[] = {
    {attack_kind::forge, "forge", "messages to processes of others, numbered like theirs"},
    {attack_kind::half, "half", "messages that end beyond their window"},
    {attack_kind::worms, "worms", "tree worms to processes of others, at switches"},
    {attack_kind::groups, "groups", "groups of any root, set up, extended, cleared and sent to"},
    {attack_kind::rails, "rails", "rails that are reserved and withdrawn with any ticket"},
    {attack_kind::counters, "counters", "counters that are set, and messages that count in steps of a byte"},
    {attack_kind::registers, "registers", "any value into any word of the own page"},
    {attack_kind::noise, "noise", "commands of random words"}};

/// Times in cycles.
struct hostile_params {
    std::uint64_t seed = 1;
    double gap = 1000;                      ///< mean time between two attempts of a process
    std::uint32_t attempts = 100;           ///< of a process
    engine::cycle start = 1;                ///< of the first one
    std::vector<attack_kind> attacks = {};  ///< that it draws from; none: all
    std::vector<unsigned> own = {};         ///< processes of its job
    std::vector<unsigned> victims = {};     ///< of other jobs; none: any number
    std::uint32_t hosts = 2;
    format::header_shape shape = {};     ///< of the network's headers
    std::uint32_t payload_bytes = 128;   ///< longest payload of a packet
    std::uint32_t message_bytes = 1024;  ///< longest message
};

/// What the counts() of a hostile program are.
enum class hostile_count : std::uint8_t { commands, waited, registers, reports, heard, heard_of_jobs, counts };

/// Makes the program of a process of host `host`. \param first place of its counts in those of its host
host::application_factory run_hostile(std::uint32_t host, const hostile_params& params, std::size_t first = 0);

}  // namespace polycast::hw::tenants
