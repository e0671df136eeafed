// SPDX-License-Identifier: Apache-2.0
/// \file A collective operation: who has what before it, and who has what after it. hw/collectives/library.md
/// has the rules.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "hw/names.h"
#include "hw/programs/element.h"
#include "hw/programs/place.h"

namespace polycast::hw::programs {

enum class collective_kind : std::uint8_t {
    broadcast,
    reduce,
    allreduce,
    allgather,
    reduce_scatter,
    all_to_all,
    scatter,
    gather,
    barrier
};

inline constexpr named<collective_kind> collective_kinds[] = {
    {collective_kind::broadcast, "broadcast", "all ranks get the root's vector"},
    {collective_kind::reduce, "reduce", "the root gets the reduction of all vectors"},
    {collective_kind::allreduce, "allreduce", "all ranks get the reduction of all vectors"},
    {collective_kind::allgather, "allgather", "all ranks get the blocks of all ranks"},
    {collective_kind::reduce_scatter, "reduce_scatter", "each rank gets its block of the reduction of all vectors"},
    {collective_kind::all_to_all, "all_to_all", "each rank gets its block of each rank"},
    {collective_kind::scatter, "scatter", "each rank gets its block of the root's vector"},
    {collective_kind::gather, "gather", "the root gets the blocks of all ranks"},
    {collective_kind::barrier, "barrier", "no rank leaves before all have come"}};

inline constexpr bool has_root(collective_kind kind) {
    return kind == collective_kind::broadcast || kind == collective_kind::reduce || kind == collective_kind::scatter ||
           kind == collective_kind::gather;
}

inline constexpr bool reduces(collective_kind kind) {
    return kind == collective_kind::reduce || kind == collective_kind::allreduce ||
           kind == collective_kind::reduce_scatter;
}

/// The tag of an operation of kind `collective`, which has the rank of its root as peer, its group as communicator, and
/// the bytes of the larger buffer of a rank as length.
constexpr std::uint32_t collective_tag(collective_kind kind) {
    return static_cast<std::uint32_t>(kind);
}

/// Bytes of a vector.
struct range {
    std::uint64_t begin = 0, bytes = 0;

    std::uint64_t end() const { return begin + bytes; }
};

/// Bytes of a rank's buffer.
struct region {
    place at;
    std::uint64_t bytes = 0;

    region part(range of) const {
        region made{at, of.bytes};
        made.at.offset = (at.offset + of.begin) & ((std::uint64_t{1} << 56) - 1);
        return made;
    }
    bool operator==(const region&) const = default;
};

/// Buffers of every rank of a collective. In place, input and output lie in one of them.
enum class collective_buffer : std::uint8_t { input, output, scratch };

struct collective {
    collective_kind kind = collective_kind::allreduce;
    std::uint32_t ranks = 2;
    std::uint32_t root = 0;
    std::uint64_t elements = 1;  ///< of the larger buffer of a rank; of scatter and gather of the root's; of all_to_all
                                 ///< of the input
    combination combined = {};   ///< type of the elements, and how they are reduced
    std::uint32_t pieces = 4;    ///< of algorithms that cut the vector
    bool in_place = false;

    std::uint64_t element_bytes() const { return bytes_of(combined.type); }
    std::uint64_t bytes() const { return elements * element_bytes(); }

    /// Part `index` of a vector that is cut into so many: the first ones have an element more where they are uneven.
    range share(std::uint64_t index, std::uint64_t parts) const {
        const std::uint64_t least = elements / parts, more = elements % parts;
        const auto begin = [&](std::uint64_t i) { return (i * least + std::min(i, more)) * element_bytes(); };
        return {begin(index), begin(index + 1) - begin(index)};
    }
    /// Blocks of ranks.
    range block(std::uint32_t rank) const { return share(rank, ranks); }

    bool operator==(const collective&) const = default;

    /// What a rank gives, and what it gets; of no bytes where it has none.
    region input(std::uint32_t rank) const;
    region output(std::uint32_t rank) const;
    /// \param which input or output
    std::uint64_t buffer_bytes(std::uint32_t rank, collective_buffer which) const;

private:
    range input_range(std::uint32_t rank) const;
    range output_range(std::uint32_t rank) const;
    bool shared(std::uint32_t rank) const;
};

}  // namespace polycast::hw::programs
