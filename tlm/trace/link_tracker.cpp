// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/link_tracker.h"

#include <fmt/format.h>

#include "hw/chips/link/link_frame.h"

namespace polycast::tlm::trace {

namespace chips = hw::chips;

namespace {

constexpr unsigned word_bytes = 8;

}  // namespace

link_tracker::link_tracker(unsigned flit_bytes, bool beside)
    : flit_bytes_(flit_bytes), beside_(beside), parts_(beside ? 1 : (word_bytes + flit_bytes - 1) / flit_bytes) {}

void link_tracker::see(const hw::engine::chip_probe::link_symbol& symbol) {
    const unsigned before = kind_;
    kind_ = symbol.kind;
    const auto is = [this](chips::symbol_kind kind) { return kind_ == static_cast<unsigned>(kind); };
    const bool set = is(chips::symbol_kind::set);
    const bool trailer = beside_ ? is(chips::symbol_kind::flit) : is(chips::symbol_kind::check);
    if (kind_ != before || (!set && !trailer)) seen_ = 0;
    if (!set && !trailer) return;
    if (seen_ == 0) word_ = 0;
    word_ |= symbol.word << (8 * flit_bytes_ * seen_);
    if (++seen_ < parts_) return;
    seen_ = 0;
    if (set) return judge_set();
    judge_frame();
}

void link_tracker::judge_set() {
    const auto set = chips::read_set(word_);
    item_ = set ? static_cast<link_item>(set->type) : link_item::bad_set;
    number_ = set ? set->number : 0;
    vc_ = set ? set->vc : 0;
}

void link_tracker::judge_frame() {
    const chips::link_trailer trailer = chips::read_trailer(word_);
    constexpr auto first = static_cast<unsigned>(link_item::frame);
    const bool known = trailer.type <= static_cast<unsigned>(chips::frame_type::cut);
    item_ = known ? static_cast<link_item>(first + trailer.type) : link_item::bad_frame;
    number_ = trailer.sequence;
}

std::string link_tracker::label() const {
    if (item_ == link_item::none) return {};
    const std::string_view name = link_item_names[static_cast<std::size_t>(item_)];
    if (item_ == link_item::bad_set) return std::string(name);
    if (item_ == link_item::cf_update) return fmt::format("{} vc{} {}", name, vc_, number_);
    return fmt::format("{} {}", name, number_);
}

}  // namespace polycast::tlm::trace
