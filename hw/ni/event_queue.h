// SPDX-License-Identifier: Apache-2.0
/// \file What firmware has to look at, in order of time, and what went wrong in the hardware.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "hw/ni/growing_queue.h"

namespace polycast::hw::ni {

/// Codes of EVENT in registers.rdl.
enum class event_kind : std::uint8_t {
    none = 0,
    packet = 1,
    dma_done = 2,
    dma_refused = 3,
    command = 4,
    link_ready = 5,
    timer = 6,
    dma_ready = 7,
    slot_ready = 8,
};

/// Bits of ERRORS in registers.rdl.
enum class ni_error : std::uint32_t {
    event_overflow = 1u << 0,
    link_full = 1u << 1,
    dma_full = 1u << 2,
    bad_slot = 1u << 3,
    completion_lost = 1u << 4,
    bad_group = 1u << 5,
    packet_cut = 1u << 6,
    bad_command = 1u << 7,
    bad_packet = 1u << 8,
};

/// Event queue and ERRORS. All parts of an interface push and raise here.
class event_queue {
public:
    /// `changed` is called when the queue becomes empty or stops being so. `capacity` in entries.
    event_queue(unsigned capacity, std::function<void()> changed) : capacity_(capacity), changed_(std::move(changed)) {}

    /// \returns false if the queue is full: the event is lost and counted as an error.
    bool push(event_kind kind, std::uint32_t argument) {
        if (full()) {
            raise(ni_error::event_overflow);
            return false;
        }
        events_.push(static_cast<std::uint32_t>(kind) << 28 | (argument & 0x0fffffffu));
        if (events_.size() == 1) changed_();
        return true;
    }

    /// The oldest event as the register EVENT shows it; 0 if there is none.
    std::uint32_t pop() {
        if (events_.empty()) return 0;
        const std::uint32_t event = events_.front();
        events_.pop();
        if (events_.empty()) changed_();
        return event;
    }

    bool empty() const { return events_.empty(); }
    bool full() const { return events_.size() >= capacity_; }
    unsigned size() const { return static_cast<unsigned>(events_.size()); }

    void raise(ni_error error) {
        errors_ |= static_cast<std::uint32_t>(error);
        errors_ever_ |= static_cast<std::uint32_t>(error);
    }
    void clear_errors(std::uint32_t bits) { errors_ &= ~bits; }
    std::uint32_t errors() const { return errors_; }
    std::uint32_t errors_ever() const { return errors_ever_; }

    /// Empties the queue and clears the errors without a word to anybody.
    void reset() {
        events_.clear();
        errors_ = 0;
    }
    std::size_t memory_bytes() const { return events_.memory_bytes(); }

private:
    unsigned capacity_;
    std::function<void()> changed_;
    growing_queue<std::uint32_t> events_;
    std::uint32_t errors_ = 0;
    std::uint32_t errors_ever_ = 0;
};

}  // namespace polycast::hw::ni
