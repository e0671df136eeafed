// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/places.h"

#include "hw/programs/element.h"

namespace polycast::hw::programs {
namespace {

std::string problem_of(const program& of, operation_id id) {
    const operation& one = of.at(id);
    if (one.kind == operation_kind::receive && (one.any_source || one.any_tag))
        return "a receive from anybody, whose bytes are not known before a run";
    for (const access& touched : accesses(of, id)) {
        const std::uint64_t bytes = of.buffers(id.rank)[touched.buffer];
        if (touched.end > bytes || touched.end < touched.begin)
            return "bytes " + std::to_string(touched.begin) + " to " + std::to_string(touched.end) + " of buffer " +
                   std::to_string(touched.buffer) + ", which has " + std::to_string(bytes);
    }
    if (one.kind != operation_kind::copy && one.kind != operation_kind::reduce) return {};
    const operand_places& at = of.places(id);
    const bool same = at.source == at.destination;
    if (!same && at.source.buffer == at.destination.buffer && at.source.offset < at.destination.offset + one.length &&
        at.destination.offset < at.source.offset + one.length)
        return "its source and its destination overlap";
    if (one.kind == operation_kind::copy) return {};
    const combination with = combination::of_tag(one.tag);
    if (with.type > element_type::bf16 || with.how > reduction::exclusive_or) return "an unknown reduction";
    if (!with.possible())
        return std::string(name_in(reductions, with.how)) + " of " + std::string(name_in(element_types, with.type));
    if (one.length % bytes_of(with.type) != 0)
        return std::to_string(one.length) + " bytes are not whole elements of " +
               std::string(name_in(element_types, with.type));
    return {};
}

}  // namespace

std::vector<access> accesses(const program& of, operation_id id) {
    const operation& one = of.at(id);
    std::vector<access> made;
    if (!of.has_buffers() || one.length == 0) return made;
    const operand_places& at = of.places(id);
    const bool reads = one.kind != operation_kind::receive, writes = one.kind != operation_kind::send;
    if (one.kind != operation_kind::send && one.kind != operation_kind::receive && one.kind != operation_kind::copy &&
        one.kind != operation_kind::reduce)
        return made;
    if (reads)
        made.push_back(
            {static_cast<std::uint32_t>(at.source.buffer), at.source.offset, at.source.offset + one.length, false});
    if (writes)
        made.push_back({static_cast<std::uint32_t>(at.destination.buffer), at.destination.offset,
                        at.destination.offset + one.length, true});
    return made;
}

std::vector<std::string> problems_of_places(const program& of) {
    std::vector<std::string> made;
    if (!of.has_buffers()) return made;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (std::uint32_t i = 0; i < of.of_rank(rank).size() && made.size() < max_problems; ++i)
            if (const std::string found = problem_of(of, {rank, i}); !found.empty())
                made.push_back(of.describe({rank, i}) + ": " + found);
    return made;
}

std::string race_text(const program& of, const race& found) {
    return "race: " + of.describe(found.first) + " and " + of.describe(found.second) + " touch bytes " +
           std::to_string(found.where.begin) + " to " + std::to_string(found.where.end) + " of buffer " +
           std::to_string(found.where.buffer) + ", and nothing keeps them apart";
}

}  // namespace polycast::hw::programs
