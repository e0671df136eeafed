// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/register_map.h"

#include <algorithm>
#include <limits>

#include "hw/input_error.h"
#include "hw/topology/nearest_name.h"

namespace polycast::tlm::dpi {

using hw::input_error;
using nlohmann::json;

namespace {

constexpr const char* page = "tlm/dpi/README.md shows the tables, hw/format/packet.yaml describes them";

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
    throw input_error("tables: " + where + " " + problem, page);
}

std::uint64_t number(const std::string& where, const json& value, std::uint64_t most) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
        refuse(where, "is no number from 0 on: " + hw::printable(value.dump()));
    const auto read = value.get<std::uint64_t>();
    if (read > most) refuse(where, "is at most " + std::to_string(most) + ", not " + std::to_string(read));
    return read;
}

class writer {
public:
    writer(const register_table& table, register_image& image) : table_(table), image_(image) {}

    void write(const std::string& where, const json& value, std::size_t depth, std::uint32_t index) {
        if (depth == table_.levels.size()) return write_entry(where, value, index);
        const register_table::level& level = table_.levels[depth];
        if (!level.names.empty()) return write_named(where, value, depth, index);
        if (!value.is_array()) refuse(where, "is a list of up to " + std::to_string(level.size));
        if (value.size() > level.size)
            refuse(where, "has up to " + std::to_string(level.size) + " entries, not " + std::to_string(value.size()));
        for (std::uint32_t entry = 0; entry < value.size(); ++entry)
            write(where + "[" + std::to_string(entry) + "]", value[entry], depth + 1, index + (entry << level.shift));
    }

private:
    void write_named(const std::string& where, const json& value, std::size_t depth, std::uint32_t index) {
        const std::vector<std::string_view>& names = table_.levels[depth].names;
        if (!value.is_object()) refuse(where, "is an object of registers");
        for (const auto& [name, inner] : value.items()) {
            const auto found = std::ranges::find(names, name);
            if (found == names.end()) refuse(where, "has no register \"" + hw::printable(name) + "\"");
            const auto entry = static_cast<std::uint32_t>(found - names.begin());
            write(where + "." + name, inner, depth + 1, index + (entry << table_.levels[depth].shift));
        }
    }
    void write_entry(const std::string& where, const json& value, std::uint32_t index) {
        const std::uint32_t address = std::uint32_t{table_.region} << 24 | index;
        const std::uint64_t read =
            number(where, value,
                   table_.wide ? std::numeric_limits<std::uint64_t>::max() : std::numeric_limits<std::uint32_t>::max());
        image_.write(address, static_cast<std::uint32_t>(read));
        if (table_.wide) image_.write(address + 1, static_cast<std::uint32_t>(read >> 32));
    }

    const register_table& table_;
    register_image& image_;
};

void write_registers(const std::vector<register_table>& map, const json& list, register_image& image) {
    if (!list.is_array()) refuse("registers", "is a list of [address, data]");
    for (const json& pair : list) {
        if (!pair.is_array() || pair.size() != 2)
            refuse("registers", "is a list of [address, data]: " + hw::printable(pair.dump()));
        constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
        const auto address = static_cast<std::uint32_t>(number("registers: an address", pair[0], most));
        if (!holds(map, address))
            refuse("registers", "has the address " + std::to_string(address) + ", where the chip has no register");
        image.write(address, static_cast<std::uint32_t>(number("registers: data", pair[1], most)));
    }
}

}  // namespace

bool holds(const std::vector<register_table>& map, std::uint32_t address) {
    const auto region = static_cast<std::uint8_t>(address >> 24);
    return std::ranges::any_of(map, [&](const register_table& table) {
        std::uint32_t left = address & 0xffffff;
        if (table.region != region || left < table.index) return false;
        left -= table.index;
        for (const register_table::level& level : table.levels) {
            const std::uint32_t entry = left >> level.shift;
            if (entry >= level.size) return false;
            left -= entry << level.shift;
        }
        return left <= (table.wide ? 1u : 0u);
    });
}

void write_tables(const std::vector<register_table>& map, const json& tables, register_image& image) {
    if (!tables.is_object()) throw input_error("tables: they are a JSON object", page);
    for (const auto& [name, value] : tables.items()) {
        if (name == "registers") {
            write_registers(map, value, image);
            continue;
        }
        const auto table = std::ranges::find(map, name, &register_table::name);
        if (table == map.end()) {
            std::vector<std::string> known;
            for (const register_table& each : map) known.emplace_back(each.name);
            const std::string proposal = hw::topology::propose_name(name, known);
            throw input_error("tables: the chip has no table or register \"" + hw::printable(name) + "\"",
                              proposal.empty() ? page : proposal);
        }
        writer(*table, image).write(name, value, 0, table->index);
    }
}

hw::chips::source_doors doors_of(const register_image& image, std::uint8_t region, unsigned ports,
                                 unsigned max_sources) {
    hw::chips::source_doors doors;
    for (unsigned port = 0; port < ports; ++port) {
        hw::chips::source_door door{port, {}};
        for (std::uint32_t source = 0; source < max_sources; ++source) {
            const bool in = (image.wide(region, source * 2, ~std::uint64_t{0}) >> port & 1) != 0;
            if (!in) continue;
            if (door.sources.empty() || door.sources.back().last + 1 != source)
                door.sources.push_back({source, source});
            else
                door.sources.back().last = source;
        }
        const bool all = door.sources.size() == 1 && door.sources[0] == hw::chips::source_range{0, max_sources - 1};
        if (!all && max_sources != 0) doors.push_back(std::move(door));
    }
    return doors;
}

}  // namespace polycast::tlm::dpi
