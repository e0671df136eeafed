// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/rank_buffers.h"

#include <algorithm>
#include <cstring>

#include "hw/programs/arithmetic.h"
#include "hw/programs/inputs.h"

namespace polycast::hw::programs {

rank_buffers::rank_buffers(const program& of, std::uint32_t rank, element_type type, std::uint64_t seed)
    : of_(of), rank_(rank) {
    if (!of.has_buffers()) return;
    for (const std::uint64_t bytes : of.buffers(rank)) {
        buffers_.emplace_back(bytes);
        fill_buffer(of, type, seed, rank, static_cast<std::uint32_t>(buffers_.size() - 1), buffers_.back());
    }
}

std::vector<std::uint8_t> rank_buffers::taken(std::uint32_t index) const {
    const operation& own = of_.at({rank_, index});
    const place& from = of_.places({rank_, index}).source;
    std::vector<std::uint8_t> bytes(std::max<std::uint64_t>(own.length, 1));
    if (own.length != 0) std::memcpy(bytes.data(), buffers_[from.buffer].data() + from.offset, own.length);
    return bytes;
}

void rank_buffers::store(std::uint32_t index, std::span<const std::uint8_t> bytes) {
    const std::uint64_t length = std::min<std::uint64_t>(of_.at({rank_, index}).length, bytes.size());
    const place& to = of_.places({rank_, index}).destination;
    if (length != 0) std::memcpy(at(to, length).data(), bytes.data(), length);
}

void rank_buffers::act(std::uint32_t index) {
    const operation& own = of_.at({rank_, index});
    const operand_places& places = of_.places({rank_, index});
    if (own.length == 0) return;
    const std::span<std::byte> to = at(places.destination, own.length), from = at(places.source, own.length);
    if (own.kind == operation_kind::copy) {
        std::memmove(to.data(), from.data(), own.length);
    } else {
        combine(combination::of_tag(own.tag), to, from);
    }
}

}  // namespace polycast::hw::programs
