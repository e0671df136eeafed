// SPDX-License-Identifier: Apache-2.0
/// \file Groups of ranks that collectives of Chakra traces name, from JSON: a file, or what PyTorch writes into traces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace polycast::hw::programs::chakra {

/// Members by the group's name, ascending; a group without any holds all ranks.
using group_table = std::map<std::string, std::vector<std::uint32_t>, std::less<>>;

/// {"0": [0, 1, 2, 3], "1": [4, 5, 6, 7]} \param name of the file, for messages \throws input_error
group_table read_groups_file(const std::string& name, std::string_view text, std::uint32_t ranks);

/// Whether the inputs of a METADATA node hold a list of groups.
bool holds_groups(std::string_view inputs);

/// [{"pg_name": "0", "ranks": [0, 1], ..}, ..], in a list of Python's around it or not; other members are skipped.
/// \param fail is called with what is wrong, and does not return
group_table read_groups_inputs(std::string_view inputs, std::uint32_t ranks,
                               const std::function<void(const std::string&)>& fail);

}  // namespace polycast::hw::programs::chakra
