// SPDX-License-Identifier: Apache-2.0
/// \file Which frame and which ordered set a symbol on a wire belongs to.
#pragma once

#include <cstdint>

#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_symbol.h"

namespace polycast::hw::faults {

/// Sees every symbol that says something, as it was sent, in order.
class wire_follower {
public:
    enum class item : std::uint8_t { none, frame, set };

    explicit wire_follower(const chips::link_config& config) : config_(config) {}

    /// \param together the symbol is on the wire in the cycle behind that of the last one
    void see(const chips::link_symbol& symbol, bool together) {
        if (!together || symbol.kind == chips::symbol_kind::idle) item_ = item::none;
        if (symbol.kind == chips::symbol_kind::idle) return;
        const bool set = symbol.kind == chips::symbol_kind::set;
        const item now = set ? item::set : item::frame;
        first_ = item_ != now || last_;
        if (first_) {
            word_ = 0;
            words_ = 0;
        }
        item_ = now;
        if (config_.beside) {
            word_ = symbol.beside;
            words_ = 1;
        } else if (symbol.kind != chips::symbol_kind::flit) {
            word_ = take_word(config_, word_, words_++, symbol);
        }
        last_ = words_ == config_.set_symbols();
        if (!last_) return;
        if (!set) number_ = chips::read_trailer(word_).sequence + 1;
        if (set && type() == chips::set_type::init) number_ = static_cast<std::uint32_t>(word_ >> 8);
        number_ &= config_.sequence_mask();
    }

    item in() const { return item_; }
    bool first() const { return first_; }
    bool last() const { return last_; }
    /// Of the set that began.
    chips::set_type type() const { return static_cast<chips::set_type>(word_ & 0xf); }
    /// Of the frame that is over with this symbol.
    std::uint32_t number() const { return chips::read_trailer(word_).sequence; }
    /// Of the frame behind the last one, unless a replay begins with it.
    std::uint32_t expected() const { return number_; }

private:
    chips::link_config config_;
    item item_ = item::none;
    bool first_ = false;
    bool last_ = false;
    std::uint64_t word_ = 0;  ///< of the trailer or set, as far as it came
    unsigned words_ = 0;      ///< symbols of it
    std::uint32_t number_ = 0;
};

}  // namespace polycast::hw::faults
