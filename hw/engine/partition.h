// SPDX-License-Identifier: Apache-2.0
/// \file Which chips of a network are stepped by the same thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polycast::hw::engine {

/// A network as far as its partition needs it.
struct partition_input {
    struct cable {
        std::uint32_t a = 0, b = 0;  ///< chips
        unsigned delay = 1;          ///< cycles
    };
    std::vector<std::uint64_t> weight;  ///< [chip] processor time, in any unit
    std::vector<const void*> together;  ///< [chip] chips with the same pointer stay together; null: alone
    std::vector<cable> cables;
};

/// Parts of about the same weight with few and long cables between them, by METIS (Karypis, Kumar: A fast and high
/// quality multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 20(1), 1998). \returns [chip] its
/// part, below `parts`; with fewer chips than parts some are empty
std::vector<std::uint32_t> make_partition(const partition_input& input, unsigned parts);

/// A partition that somebody else made: lines of the name of a chip and the number of its part, below `parts`; what
/// follows a # is a comment. \throws input_error with line and column for anything else, unless each of `chips` has
/// exactly one
std::map<std::string, std::uint32_t> read_partition(const std::string& file, std::string_view text,
                                                    std::span<const std::string> chips, unsigned parts);

}  // namespace polycast::hw::engine
