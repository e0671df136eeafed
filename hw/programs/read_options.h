// SPDX-License-Identifier: Apache-2.0
/// \file What a user says of a program that its file does not tell.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/names.h"
#include "hw/programs/element.h"
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
    std::uint64_t piece = 0;  ///< longest message, in bytes, that a connection of a matrix is cut into; 0: whole
    // What algorithms of collectives leave open.
    std::optional<std::uint64_t> size = {};  ///< bytes of the larger buffer of a rank; default: the least that fits
    element_type type = element_type::f32;
    std::optional<reduction> how = {};  ///< default: what the file says, else sum
    std::uint64_t slice = 0;            ///< bytes of a chunk that a pass of all steps takes; 0: all
    bool ignore_range = false;          ///< sizes beyond the file's limits are taken
    topology::warning warn = {};        ///< told what is ignored; may be empty
};

}  // namespace polycast::hw::programs
