// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/function_spans.h"

#include <algorithm>
#include <tuple>

namespace polycast::hw::riscv {

void span_recorder::retired(const iss& cpu, const retired_instruction& what) {
    last_ = what.end;
    call_tracker::retired(cpu, what);
}

void span_recorder::trapped(const iss& cpu, const trap& what) {
    last_ = what.end;
    call_tracker::trapped(cpu, what);
}

void span_recorder::slept(const iss&, cycle from, cycle to) {
    last_ = to;
    if (frames().empty() || from == to) return;
    keep({from, to, frames().back().function, static_cast<std::uint16_t>(frames().size()), true, false});
}

void span_recorder::enter(frame&, cycle) {}

void span_recorder::leave(const frame& ended, cycle when) {
    // A function that was only passed through, such as a vector table's jump, takes no time of its own.
    if (when == ended.entered) return;
    keep({ended.entered, when, ended.function, static_cast<std::uint16_t>(frames().size() - 1), false, ended.handler});
}

void span_recorder::keep(const function_span& span) {
    if (capacity_ == 0 || ended_.size() >= capacity_) {
        ++dropped_;
        if (capacity_ == 0) return;
        ended_.pop_front();
    }
    ended_.push_back(span);
}

std::vector<function_span> span_recorder::spans(cycle from, cycle to) const {
    std::vector<function_span> result;
    const auto add = [&](function_span span) {
        span.begin = std::max(span.begin, from);
        span.end = std::min(span.end, to);
        if (span.begin < span.end) result.push_back(span);
    };
    for (const function_span& span : ended_) add(span);
    for (std::size_t depth = 0; depth < frames().size(); ++depth) {
        const frame& f = frames()[depth];
        add({f.entered, last_, f.function, static_cast<std::uint16_t>(depth), false, f.handler});
    }
    std::sort(result.begin(), result.end(), [](const function_span& a, const function_span& b) {
        return std::tie(a.begin, a.depth, a.end) < std::tie(b.begin, b.depth, b.end);
    });
    return result;
}

std::string span_recorder::name_of(function_index function) const {
    return function == no_function ? "?" : firmware().source().functions[function].name;
}

}  // namespace polycast::hw::riscv
