// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/collective.h"

namespace polycast::hw::programs {

/// Of the vector of so many elements that the kind speaks of.
range collective::input_range(std::uint32_t rank) const {
    switch (kind) {
        case collective_kind::broadcast:
        case collective_kind::scatter: return {0, rank == root ? bytes() : 0};
        case collective_kind::allgather:
        case collective_kind::gather: return block(rank);
        case collective_kind::barrier: return {0, 0};
        case collective_kind::reduce:
        case collective_kind::allreduce:
        case collective_kind::reduce_scatter:
        case collective_kind::all_to_all: break;
    }
    return {0, bytes()};
}

range collective::output_range(std::uint32_t rank) const {
    switch (kind) {
        case collective_kind::reduce:
        case collective_kind::gather: return {0, rank == root ? bytes() : 0};
        case collective_kind::reduce_scatter:
        case collective_kind::scatter: return block(rank);
        case collective_kind::all_to_all: return {0, block(rank).bytes * ranks};
        case collective_kind::barrier: return {0, 0};
        case collective_kind::broadcast:
        case collective_kind::allreduce:
        case collective_kind::allgather: break;
    }
    return {0, bytes()};
}

/// Whether input and output of a rank lie in one buffer.
bool collective::shared(std::uint32_t rank) const {
    if (!in_place || kind == collective_kind::barrier) return false;
    if (kind == collective_kind::broadcast) return true;
    return !has_root(kind) || rank == root;
}

region collective::input(std::uint32_t rank) const {
    const range own = input_range(rank);
    region made{{}, own.bytes};
    made.at.buffer = static_cast<std::uint64_t>(shared(rank) ? collective_buffer::output : collective_buffer::input);
    // In place a block lies where it belongs in the output.
    if (shared(rank) && own.bytes < output_range(rank).bytes) made = made.part(own);
    return made;
}

region collective::output(std::uint32_t rank) const {
    const range own = output_range(rank);
    region made{{}, own.bytes};
    made.at.buffer = static_cast<std::uint64_t>(collective_buffer::output);
    if (shared(rank) && own.bytes < input_range(rank).bytes && kind != collective_kind::all_to_all)
        made = made.part(own);
    return made;
}

std::uint64_t collective::buffer_bytes(std::uint32_t rank, collective_buffer which) const {
    if (which == collective_buffer::input) return shared(rank) ? 0 : input_range(rank).bytes;
    const std::uint64_t given = shared(rank) ? input_range(rank).bytes : 0;
    return std::max(given, output_range(rank).bytes);
}

}  // namespace polycast::hw::programs
