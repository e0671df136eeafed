// SPDX-License-Identifier: Apache-2.0
/// \file Sets of routers or terminals as bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/chips/port_set.h"

namespace polycast::hw::fabric {

/// A set of nodes or terminals.
class index_set {
public:
    /// Of those below `end`.
    explicit index_set(std::size_t end) : words_((end + 63) / 64), used_((words_.size() + 63) / 64) {}

    void insert(std::uint32_t index) {
        words_[index / 64] |= chips::bit(index % 64);
        used_[index / 4096] |= chips::bit(index / 64 % 64);
    }
    void erase(std::uint32_t index) {
        words_[index / 64] &= ~chips::bit(index % 64);
        if (words_[index / 64] == 0) used_[index / 4096] &= ~chips::bit(index / 64 % 64);
    }
    bool empty() const {
        for (const std::uint64_t words : used_)
            if (words != 0) return false;
        return true;
    }
    /// Calls visit(index) for all in order; `visit` may erase the one it was called for.
    template <typename function>
    void for_each(function&& visit) const {
        for_each_word([&](std::size_t word) {
            for (std::uint64_t set = words_[word]; set != 0; set &= set - 1)
                visit(static_cast<std::uint32_t>(word * 64 + chips::lowest(set)));
        });
    }
    /// Calls keep(index) for all in order, and takes out those for which it returns false. `keep` leaves the set alone.
    /// prepare(n) is called before each n calls of `keep`.
    template <typename preparation, typename function>
    [[gnu::always_inline]] void keep_if(preparation&& prepare, function&& keep) {
        for_each_word([&](std::size_t word) __attribute__((always_inline)) {
            std::uint64_t kept = words_[word];
            prepare(static_cast<std::size_t>(std::popcount(kept)));
            for (std::uint64_t set = kept; set != 0; set &= set - 1) {
                const unsigned at = chips::lowest(set);
                kept ^= std::uint64_t{!keep(static_cast<std::uint32_t>(word * 64 + at))} << at;
            }
            words_[word] = kept;
            if (kept == 0) used_[word / 64] &= ~chips::bit(word % 64);
        });
    }
    std::size_t memory_bytes() const { return (words_.capacity() + used_.capacity()) * sizeof(std::uint64_t); }

private:
    /// Those that are not empty, in order.
    template <typename function>
    [[gnu::always_inline]] void for_each_word(function&& visit) const {
        for (std::size_t words = 0; words < used_.size(); ++words)
            for (std::uint64_t set = used_[words]; set != 0; set &= set - 1) visit(words * 64 + chips::lowest(set));
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> used_;  ///< bit: word that is not empty
};

}  // namespace polycast::hw::fabric
