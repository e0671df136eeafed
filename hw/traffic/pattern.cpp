// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/pattern.h"

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>

#include "hw/input_error.h"

namespace polycast::hw::traffic {

// clang-format off
/// One row for each pattern; a file in patterns/ defines the object of that name.
#define POLYCAST_PATTERNS(row) \
    row(uniform) \
    row(permutation) \
    row(hotspot) \
    row(each_to_each) \
    row(transpose) \
    row(bit_complement) \
    row(tornado) \
    row(bursty)
// clang-format on

namespace patterns {

#define POLYCAST_DECLARE(name) extern const pattern_kind name;
POLYCAST_PATTERNS(POLYCAST_DECLARE)
#undef POLYCAST_DECLARE

const pattern_kind uniform{
    .name = "uniform",
    .doc = "to any other host alike",
    .make = [](const pattern_params&, const pattern_sources& sources) -> std::shared_ptr<const pattern> {
        return std::make_shared<const pattern>(sources);
    }};

}  // namespace patterns

std::uint32_t draws::divided(std::uint32_t end) const {
    return boost::random::uniform_int_distribution<std::uint32_t>(0, end - 1)(stream);
}

void pattern::fix(const std::vector<std::uint32_t>& to) {
    fixed_.reserve(all_);
    for (const std::uint32_t host : to)
        for (std::uint32_t process = 0; process < processes_; ++process) fixed_.push_back(host * processes_ + process);
}

std::uint32_t pattern::draw_destination(std::uint32_t source, std::uint32_t /*number*/, draws random) const {
    return uniform(source, random);
}

double pattern::draw_gap(double rate, random_stream& random) const {
    return boost::random::exponential_distribution<double>(rate)(random);
}

double pattern_kind::number(const pattern_params& params, std::string_view key) const {
    const pattern_key& what = *std::ranges::find(keys, key, &pattern_key::name);
    const auto number_of = [](std::string_view text) { return std::stod(std::string(text)); };
    const auto given = params.numbers.find(key);
    const double value = given == params.numbers.end() ? number_of(what.fallback) : given->second;
    if (value >= number_of(what.least) && value <= number_of(what.most)) return value;
    throw input_error(std::string(name) + " traffic with a " + std::string(key) + " of " + std::to_string(value),
                      "it must be " + std::string(what.least) + ".." + std::string(what.most));
}

std::span<const pattern_kind* const> pattern_kinds() {
#define POLYCAST_ADDRESS(name) &patterns::name,
    static constexpr const pattern_kind* all[] = {POLYCAST_PATTERNS(POLYCAST_ADDRESS)};
#undef POLYCAST_ADDRESS
    return all;
}

const pattern_kind& pattern_kind_of(std::string_view name) {
    const auto found = std::ranges::find(pattern_kinds(), name, [](const pattern_kind* each) { return each->name; });
    if (found == pattern_kinds().end()) throw input_error("there is no traffic pattern '" + std::string(name) + "'");
    return **found;
}

std::shared_ptr<const pattern> make_pattern(const pattern_params& params, const pattern_sources& sources) {
    const pattern_kind& kind = pattern_kind_of(params.name);
    const std::string traffic = std::string(kind.name) + " traffic";
    if (sources.hosts < 2) throw input_error(traffic + " needs two hosts or more");
    if (kind.grid && params.dimensions == 0)
        throw input_error(traffic + " needs the coordinates of a mesh or torus", "take another pattern");
    if (kind.hosts && params.hosts.empty())
        throw input_error(traffic + " without a " + std::string(kind.name), "name the hosts");
    for (const std::uint32_t host : params.hosts)
        if (host >= sources.hosts)
            throw input_error(std::string(kind.name) + " " + std::to_string(host) + " does not exist",
                              "hosts are 0.." + std::to_string(sources.hosts - 1));
    return kind.make(params, sources);
}

}  // namespace polycast::hw::traffic
