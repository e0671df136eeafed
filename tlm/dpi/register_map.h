// SPDX-License-Identifier: Apache-2.0
/// \file Registers and tables of a chip as its configuration bus has them (hw/format/packet.yaml), and by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "hw/chips/source_door.h"

namespace polycast::tlm::dpi {

/// A register, or a table of them.
struct register_table {
    /// A dimension: its entries are `1 << shift` of the index apart. Named ones are an object in JSON, others a list.
    struct level {
        unsigned size = 0;
        unsigned shift = 0;
        std::vector<std::string_view> names = {};
    };
    std::string_view name;
    std::uint8_t region = 0;
    std::uint32_t index = 0;         ///< of the first
    std::vector<level> levels = {};  ///< the outermost first; none: one register
    bool wide = false;               ///< entries have 64 bits in two words
};

/// What was written, by address.
class register_image {
public:
    void write(std::uint32_t address, std::uint32_t data) { words_[address] = data; }
    std::uint32_t get(std::uint8_t region, std::uint32_t index, std::uint32_t otherwise = 0) const {
        const auto found = words_.find(std::uint32_t{region} << 24 | index);
        return found == words_.end() ? otherwise : found->second;
    }
    bool has(std::uint8_t region, std::uint32_t index) const {
        return words_.contains(std::uint32_t{region} << 24 | index);
    }
    /// Entry of a table of 64 bits.
    std::uint64_t wide(std::uint8_t region, std::uint32_t index, std::uint64_t otherwise = 0) const {
        return get(region, index, static_cast<std::uint32_t>(otherwise)) |
               std::uint64_t{get(region, index + 1, static_cast<std::uint32_t>(otherwise >> 32))} << 32;
    }

private:
    std::unordered_map<std::uint32_t, std::uint32_t> words_;
};

/// True if there is a register at the address.
bool holds(const std::vector<register_table>& map, std::uint32_t address);

/// Writes the tables of a JSON object by their names, and its list `registers` of [address, data].
/// \throws hw::input_error for what is not in the map, and numbers that are too large
void write_tables(const std::vector<register_table>& map, const nlohmann::json& tables, register_image& image);

/// A table of who may send where as the doors of a chip; sources that were not written may send everywhere.
hw::chips::source_doors doors_of(const register_image& image, std::uint8_t region, unsigned ports,
                                 unsigned max_sources);

}  // namespace polycast::tlm::dpi
