// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/parcel_numbers.h"

namespace polycast::hw::fabric {

parcel_numbers::parcel_numbers(const collectives::network_coding& plan) : nodes_(plan.nodes()) {
    for (const collectives::coding_level& level : plan.levels()) {
        std::vector<std::uint32_t>& next = next_.emplace_back(nodes_, none);
        std::vector<std::uint32_t>& previous = previous_.emplace_back(nodes_, none);
        std::vector<std::uint32_t>& group = group_.emplace_back(nodes_);
        for (std::uint32_t i = 0; i < nodes_; ++i) group[level.nodes[i]] = i / level.members;
        for (const std::vector<std::uint32_t>& sources : level.sources) {
            for (std::size_t i = 1; i < sources.size(); ++i) {
                next[sources[i - 1]] = sources[i];
                previous[sources[i]] = sources[i - 1];
            }
        }
    }
}

std::uint32_t parcel_numbers::number(const collectives::parcel& what, unsigned level) const {
    switch (what.kind) {
        case collectives::parcel::sort::datum: return what.first;
        case collectives::parcel::sort::chain: return chain(level, what.first);
        case collectives::parcel::sort::message: break;
    }
    return message(what.second, what.first);
}

collectives::parcel parcel_numbers::parcel(std::uint32_t number) const {
    using sort = collectives::parcel::sort;
    const std::uint32_t first = number % nodes_;
    if (is_datum(number)) return {sort::datum, first, 0};
    const unsigned level = level_of(number);
    if (is_message(number)) return {sort::message, first, level};
    return {sort::chain, first, next(level, first)};
}

std::string parcel_numbers::text(std::uint32_t number) const {
    const collectives::parcel what = parcel(number);
    const std::string first = std::to_string(what.first);
    if (is_datum(number)) return "datum " + first;
    if (is_message(number)) return "message of group " + first + " of level " + std::to_string(what.second);
    return "chain packet " + first + "^" + std::to_string(what.second);
}

}  // namespace polycast::hw::fabric
