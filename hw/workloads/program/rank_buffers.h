// SPDX-License-Identifier: Apache-2.0
/// \file The buffers of a rank in its host's memory, as its program reads and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

class rank_buffers {
public:
    /// With the inputs that follow from the seed (hw/programs/inputs.h); nothing where the program has no buffers.
    rank_buffers(const program& of, std::uint32_t rank, element_type type, std::uint64_t seed);

    bool any() const { return !buffers_.empty(); }
    /// What a send takes now; of no bytes one.
    std::vector<std::uint8_t> taken(std::uint32_t index) const;
    /// What a receive puts into its place.
    void store(std::uint32_t index, std::span<const std::uint8_t> bytes);
    /// Does a copy or a reduce.
    void act(std::uint32_t index);

    std::size_t count() const { return buffers_.size(); }
    std::span<const std::byte> buffer(std::size_t number) const { return buffers_[number]; }

private:
    std::span<std::byte> at(const place& where, std::uint64_t bytes) {
        return std::span(buffers_[where.buffer]).subspan(where.offset, bytes);
    }

    const program& of_;
    std::uint32_t rank_;
    std::vector<std::vector<std::byte>> buffers_;
};

}  // namespace polycast::hw::programs
