// SPDX-License-Identifier: Apache-2.0
/// \file What a user says of a program that its file does not tell.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/names.h"
#include "hw/topology/warning.h"

namespace polycast::hw::programs {

/// What numbers of NICs in GOAL mean. Files do not say it.
enum class nic_meaning : std::uint8_t { one, hosts };

inline constexpr named<nic_meaning> nic_meanings[] = {
    {nic_meaning::one, "one", "a rank has one interface, which all messages take"},
    {nic_meaning::hosts, "hosts", "a rank is a node with an interface for each number"}};

struct read_options {
    std::optional<nic_meaning> nics = {};    ///< refused where it is needed and not said
    bool names = true;                       ///< labels and lines are kept, for messages
    std::optional<std::uint64_t> unit = {};  ///< of times, in picoseconds; default: what the format has
    std::uint64_t piece = 0;      ///< longest message, in bytes, that a connection of a matrix is cut into; 0: whole
    topology::warning warn = {};  ///< told what is ignored; may be empty
};

}  // namespace polycast::hw::programs
