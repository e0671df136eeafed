// SPDX-License-Identifier: Apache-2.0
/// \file Sets of routers or terminals as bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/chips/port_set.h"

namespace polycast::hw::fabric {

/// A set of nodes or terminals from a range.
class index_set {
public:
    explicit index_set(std::size_t size, std::uint32_t first = 0) : words_((size + 63) / 64), first_(first) {}

    void insert(std::uint32_t index) {
        index -= first_;
        words_[index / 64] |= chips::bit(index % 64);
    }
    void erase(std::uint32_t index) {
        index -= first_;
        words_[index / 64] &= ~chips::bit(index % 64);
    }
    bool empty() const {
        for (const std::uint64_t word : words_)
            if (word != 0) return false;
        return true;
    }
    /// Calls visit(index) for all in order; `visit` may erase the one it was called for.
    template <typename function>
    void for_each(function&& visit) const {
        for (std::size_t word = 0; word < words_.size(); ++word)
            for (std::uint64_t set = words_[word]; set != 0; set &= set - 1)
                visit(first_ + static_cast<std::uint32_t>(word * 64 + chips::lowest(set)));
    }
    /// Calls keep(index) for all in order, and takes out those for which it returns false. `keep` leaves the set alone.
    template <typename function>
    [[gnu::always_inline]] void keep_if(function&& keep) {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            std::uint64_t kept = words_[word];
            for (std::uint64_t set = kept; set != 0; set &= set - 1) {
                const unsigned at = chips::lowest(set);
                kept ^= std::uint64_t{!keep(first_ + static_cast<std::uint32_t>(word * 64 + at))} << at;
            }
            words_[word] = kept;
        }
    }
    std::size_t count() const {
        std::size_t all = 0;
        for (const std::uint64_t word : words_) all += static_cast<std::size_t>(std::popcount(word));
        return all;
    }
    std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

private:
    std::vector<std::uint64_t> words_;
    std::uint32_t first_;
};

}  // namespace polycast::hw::fabric
