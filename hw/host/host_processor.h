// SPDX-License-Identifier: Apache-2.0
/// \file The processor of a host; models communication overheads only.
#pragma once

#include <cstdint>

#include "hw/engine/chip.h"
#include "hw/ni/observer.h"

namespace polycast::hw::host {

using engine::cycle;

/// Codes of span_record::what for resource::host_processor.
enum class overhead : std::uint8_t { send = 0, receive = 1 };

/// Serves the send and receive overheads (t_hs, t_hr) of all processes of a host, first come, first served (Sivaram et
/// al., OSU-CISRC-10/98-TR41, section 5). What a program computes itself costs nothing unless it sleeps, or asks for
/// work().
class host_processor {
public:
    /// `watcher` may be null and must outlive it.
    host_processor(std::uint32_t host, ni::observer* watcher)
        : host_(host), watcher_(watcher != nullptr && watcher->wants_spans() ? watcher : nullptr) {}

    /// A request made in cycle `now` for message `message` of `source`. \returns the cycle in which it has been served
    cycle serve(cycle now, cycle duration, overhead what, std::uint32_t source, std::uint32_t message) {
        const cycle end = work(now, duration);
        if (watcher_ != nullptr && duration != 0) {
            ni::span_record span;
            span.host = host_;
            span.where = ni::resource::host_processor;
            span.what = static_cast<std::uint8_t>(what);
            span.begin = end - duration;
            span.end = end;
            span.source = source;
            span.message = message;
            watcher_->used(span);
        }
        return end;
    }

    /// The same for work of a program, which belongs to no message.
    cycle work(cycle now, cycle duration) {
        free_at_ = (now > free_at_ ? now : free_at_) + duration;
        busy_ += duration;
        return free_at_;
    }

    /// Cycles served or promised so far.
    cycle busy() const { return busy_; }
    void reset() { free_at_ = busy_ = 0; }

private:
    std::uint32_t host_;
    ni::observer* watcher_;
    cycle free_at_ = 0;
    cycle busy_ = 0;
};

}  // namespace polycast::hw::host
