// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_history.h"

#include <algorithm>

namespace polycast::tlm::trace {

wave_history::wave_history(const wave_layout& layout, std::uint64_t depth) : layout_(&layout), depth_(depth) {
    offset_.reserve(layout.signals.size());
    std::size_t words = 0;
    for (const wave_signal& signal : layout.signals) {
        offset_.push_back(words);
        words += signal.words();
    }
    base_.resize(words);
}

std::uint64_t wave_history::first_time() const {
    return std::max(start_.value_or(0), time_ > depth_ ? time_ - depth_ : 0);
}

void wave_history::set_time(std::uint64_t time) {
    if (!start_) start_ = time;
    time_ = time;
    // A change at the first time that is kept belongs to the values written there.
    while (!entries_.empty() && entries_.front().time <= first_time()) {
        const std::size_t signal = entries_.front().signal;
        const auto words = static_cast<std::ptrdiff_t>(layout_->signals[signal].words());
        std::copy_n(words_.begin(), words, base_.begin() + static_cast<std::ptrdiff_t>(offset_[signal]));
        words_.erase(words_.begin(), words_.begin() + words);
        entries_.pop_front();
    }
}

void wave_history::shorten(std::uint64_t depth) {
    depth_ = std::min(depth_, depth);
    set_time(time_);
}

void wave_history::change(std::size_t signal, std::span<const std::uint64_t> value) {
    entries_.push_back({time_, signal});
    words_.insert(words_.end(), value.begin(), value.end());
}

void wave_history::replay(wave_writer& writer) const {
    std::vector<std::uint64_t> value;
    writer.set_time(first_time());
    for (std::size_t signal = 0; signal < offset_.size(); ++signal) {
        writer.change(signal, std::span(base_).subspan(offset_[signal], layout_->signals[signal].words()));
    }
    auto word = words_.begin();
    std::uint64_t written = first_time();
    for (const entry& change : entries_) {
        value.assign(word, word + static_cast<std::ptrdiff_t>(layout_->signals[change.signal].words()));
        word += static_cast<std::ptrdiff_t>(value.size());
        if (change.time != written) writer.set_time(change.time);
        written = change.time;
        writer.change(change.signal, value);
    }
    if (written != time_) writer.set_time(time_);
}

}  // namespace polycast::tlm::trace
