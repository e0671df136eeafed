// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_parser.h"

#include <algorithm>

namespace polycast::hw::chips {

using engine::cycle;

void link_parser::break_frame(cycle now) {
    if (flits_.empty() && symbols_ == 0) return;
    flits_.clear();
    symbols_ = 0;
    receiver_.bad_frame(now);
}

void link_parser::break_set() {
    if (set_symbols_ != 0) receiver_.bad_set();
    set_symbols_ = 0;
}

std::optional<ordered_set> link_parser::receive(cycle now, const link_symbol& symbol) {
    const bool set = symbol.kind == symbol_kind::set;
    const bool check = symbol.kind == symbol_kind::check && !config_.beside;
    const bool flit = symbol.kind == symbol_kind::flit;
    if (!set) break_set();
    if ((!flit && !check) || (flit && symbols_ != 0)) break_frame(now);
    if (flit) {
        too_long_ = flits_.size() == std::max<std::uint64_t>(config_.frame, config_.message_flits()) ||
                    (!flits_.empty() && too_long_);
        if (!too_long_) flits_.push_back(symbol);
        if (config_.beside) judge(now, symbol.beside);
    }
    if (check) {
        word_ = take_word(config_, symbols_ == 0 ? 0 : word_, symbols_, symbol);
        if (++symbols_ == config_.trailer_symbols()) judge(now, word_);
    }
    if (!set) return std::nullopt;
    if (config_.beside) return judge_set(symbol.beside);
    word_ = take_word(config_, set_symbols_ == 0 ? 0 : word_, set_symbols_, symbol);
    if (++set_symbols_ < config_.set_symbols()) return std::nullopt;
    set_symbols_ = 0;
    return judge_set(word_);
}

bool link_parser::good(const link_trailer& trailer, std::uint64_t word) const {
    if (flits_.empty() || too_long_ || trailer.flits != flits_.size()) return false;
    frame_check covered;
    for (const link_symbol& flit : flits_) {
        if (flit.vc >= config_.vcs) return false;
        covered.add(config_, flit);
    }
    if (covered.seal(trailer) != word || trailer.sequence > config_.sequence_mask()) return false;
    if (trailer.type == static_cast<unsigned>(frame_type::data)) return true;
    return trailer.type <= static_cast<unsigned>(frame_type::cut) && flits_.size() == config_.message_flits() &&
           read_message(config_, static_cast<frame_type>(trailer.type), flits_).vc < config_.vcs;
}

/// The last symbol of a frame is on the pins.
void link_parser::judge(cycle now, std::uint64_t word) {
    const link_trailer trailer = read_trailer(word);
    symbols_ = 0;
    if (!good(trailer, word)) {
        receiver_.bad_frame(now, trailer.sequence);
    } else if (receiver_.good_frame(now, trailer.sequence)) {
        if (trailer.type == static_cast<unsigned>(frame_type::data)) {
            for (const link_symbol& flit : flits_) receiver_.accept(flit_of(flit));
        } else {
            receiver_.accept(read_message(config_, static_cast<frame_type>(trailer.type), flits_));
        }
    }
    flits_.clear();
}

std::optional<ordered_set> link_parser::judge_set(std::uint64_t word) {
    const std::optional<ordered_set> set = read_set(word);
    if (set) return receiver_.hear(*set);
    receiver_.bad_set();
    return std::nullopt;
}

}  // namespace polycast::hw::chips
