// SPDX-License-Identifier: Apache-2.0
/// \file Programs whose operations of kind `collective` become messages.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/collectives/library.h"
#include "hw/programs/program.h"

namespace polycast::hw::collectives {

/// The algorithm for a collective among these ranks. \throws input_error
using algorithm_choice = std::function<const algorithm&(const collective&, std::span<const std::uint32_t> members)>;

/// A collective of a program, and what it has become: operations of the program that it is part of now.
struct expanded_collective {
    struct member {
        std::uint32_t rank = 0;
        std::uint32_t entry = 0;          ///< starts when it starts there
        std::vector<std::uint32_t> ends;  ///< it has ended there when they have; nothing: when the entry has
    };
    collective of;
    const algorithm* by = nullptr;
    std::uint16_t communicator = 0;  ///< its group
    std::vector<member> members;
};

struct expanded_program {
    programs::program made;
    std::vector<expanded_collective> collectives;  ///< group by group, in their order
};

/// Whether there is anything to expand.
bool has_collectives(const programs::program& of);

/// Each collective becomes operations of the library, with a tag of its own in a communicator of its own. The k-th one
/// of a group is the same at all members; those of a group start in their order at each. What waited for the start of a
/// collective waits for the start of the first of its operations, what waited for its end for all of them. Numbers of
/// the other operations stay. \throws input_error for collectives that differ among members, what the library does not
/// have, and programs with buffers
expanded_program expand_collectives(const programs::program& of, const algorithm_choice& choose);

}  // namespace polycast::hw::collectives
