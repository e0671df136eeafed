// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/partition.h"

#include <metis.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "hw/input_error.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::engine {

namespace {

/// Chips that stay together are one vertex.
std::vector<std::uint32_t> vertices_of(const partition_input& input, std::uint32_t& count) {
    std::vector<std::uint32_t> vertex(input.weight.size());
    std::unordered_map<const void*, std::uint32_t> groups;
    count = 0;
    for (std::size_t chip = 0; chip < vertex.size(); ++chip) {
        const void* const key = input.together[chip];
        const auto found = key == nullptr ? groups.end() : groups.find(key);
        vertex[chip] = found != groups.end() ? found->second : count++;
        if (key != nullptr && found == groups.end()) groups.emplace(key, vertex[chip]);
    }
    return vertex;
}

}  // namespace

std::vector<std::uint32_t> make_partition(const partition_input& input, unsigned parts) {
    std::uint32_t count = 0;
    std::vector<std::uint32_t> of = vertices_of(input, count);
    if (parts <= 1 || count <= parts) {
        for (std::uint32_t& vertex : of) vertex = parts <= 1 ? 0 : vertex;
        return of;
    }
    // METIS adds weights up in 32 bits.
    constexpr std::uint64_t most_weight = 1u << 30;
    std::vector<std::uint64_t> sums(count);
    std::uint64_t all = 0;
    for (std::size_t chip = 0; chip < of.size(); ++chip) {
        sums[of[chip]] += input.weight[chip];
        all += input.weight[chip];
    }
    std::vector<idx_t> weights;
    const std::uint64_t unit = all / most_weight + 1;
    for (const std::uint64_t sum : sums) weights.push_back(static_cast<idx_t>(sum / unit) + 1);
    // Windows are as long as the shortest cable that is cut: short ones weigh more.
    constexpr idx_t heaviest = 64;
    std::vector<std::map<std::uint32_t, idx_t>> edges(count);
    for (const partition_input::cable& cable : input.cables) {
        const std::uint32_t a = of[cable.a], b = of[cable.b];
        if (a == b) continue;
        const idx_t weight = 1 + heaviest / static_cast<idx_t>(std::clamp(cable.delay, 1u, 64u));
        edges[a][b] += weight;
        edges[b][a] += weight;
    }
    std::vector<idx_t> first{0}, neighbours, edge_weights;
    for (const auto& row : edges) {
        for (const auto& [to, weight] : row) {
            neighbours.push_back(static_cast<idx_t>(to));
            edge_weights.push_back(weight);
        }
        first.push_back(static_cast<idx_t>(neighbours.size()));
    }
    std::array<idx_t, METIS_NOPTIONS> options{};
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_UFACTOR] = 50;  // thousandths by which a part may be heavier, for the sake of a better cut
    std::vector<idx_t> part(count);
    idx_t vertices = static_cast<idx_t>(count), constraints = 1, wanted = static_cast<idx_t>(parts), cut = 0;
    const auto divide = parts > 8 ? METIS_PartGraphKway : METIS_PartGraphRecursive;
    const int done = divide(&vertices, &constraints, first.data(), neighbours.data(), weights.data(), nullptr,
                            edge_weights.data(), &wanted, nullptr, nullptr, options.data(), &cut, part.data());
    for (std::uint32_t& vertex : of) vertex = done == METIS_OK ? static_cast<std::uint32_t>(part[vertex]) : 0;
    return of;
}

std::map<std::string, std::uint32_t> read_partition(const std::string& file, std::string_view text,
                                                    std::span<const std::string> chips, unsigned parts) {
    const std::unordered_set<std::string> known(chips.begin(), chips.end());
    std::map<std::string, std::uint32_t> part_of;
    topology::text_cursor cursor(file, text);
    while (cursor.next_line()) {
        cursor.skip_blanks();
        if (cursor.at_end() || cursor.peek() == '#') continue;
        const text_position place = cursor.position();
        const std::string chip(cursor.take_until(" \t#"));
        if (!known.contains(chip))
            cursor.fail_at(place, "there is no chip '" + chip + "' in the network",
                           topology::propose_name(chip, chips));
        if (part_of.contains(chip)) cursor.fail_at(place, "chip '" + chip + "' has a part already", "name it once");
        cursor.skip_blanks();
        const text_position number_place = cursor.position();
        const auto part = cursor.take_number<std::uint32_t>();
        cursor.skip_blanks();
        if (!part || (!cursor.at_end() && cursor.peek() != '#'))
            cursor.fail_at(number_place, "expected the number of a part", "lines such as '" + chip + " 0'");
        if (*part >= parts)
            cursor.fail_at(number_place, "part " + std::to_string(*part) + " of " + std::to_string(parts),
                           "parts are 0.." + std::to_string(parts - 1) + ", one for each of 'network.threads'");
        part_of.emplace(chip, *part);
    }
    for (const std::string& chip : chips)
        if (!part_of.contains(chip))
            throw input_error(file, {}, "chip '" + chip + "' has no part", "a line for each chip of the network");
    return part_of;
}

}  // namespace polycast::hw::engine
