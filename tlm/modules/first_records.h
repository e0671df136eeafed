// SPDX-License-Identifier: Apache-2.0
/// \file Error and event pins that went high, as many as the engine keeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "hw/engine/network.h"

namespace polycast::tlm::modules {

inline auto order_of(const hw::engine::error_event& event) {
    return std::tuple(event.when, event.where.chip, event.where.port);
}
inline auto order_of(const hw::engine::event_record& record) {
    return std::tuple(record.when, record.chip, record.event.pin);
}

/// The first 1,000 records, in whatever order they arrive: modules may run ahead of each other.
template <typename record>
class first_records {
public:
    void add(const record& next) {
        ++count_;
        kept_.push_back(next);
        std::ranges::push_heap(kept_, {}, in_order);
        if (kept_.size() <= most) return;
        std::ranges::pop_heap(kept_, {}, in_order);
        kept_.pop_back();
    }
    /// `count` more after the first 1,000.
    void more(std::uint64_t count) { count_ += count; }

    std::vector<record> sorted() const {
        std::vector<record> all = kept_;
        std::ranges::sort(all, {}, in_order);
        return all;
    }
    std::uint64_t count() const { return count_; }

private:
    static constexpr std::size_t most = 1000;
    static constexpr auto in_order = [](const record& of) { return order_of(of); };

    std::vector<record> kept_;  ///< a heap, the last one on top
    std::uint64_t count_ = 0;
};

}  // namespace polycast::tlm::modules
