// SPDX-License-Identifier: Apache-2.0
/// \file The events for firmware, in order of time, and the errors of the hardware.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/growing_queue.h"

namespace polycast::hw::ni {

/// Codes of EVENT in registers.rdl.
enum class event_kind : std::uint8_t {
    none = NI_EVENT_NONE,
    packet = NI_EVENT_PACKET,
    dma_done = NI_EVENT_DMA_DONE,
    dma_refused = NI_EVENT_DMA_REFUSED,
    command = NI_EVENT_COMMAND,
    link_ready = NI_EVENT_LINK_READY,
    timer = NI_EVENT_TIMER,
    dma_ready = NI_EVENT_DMA_READY,
    slot_ready = NI_EVENT_SLOT_READY,
    counter = NI_EVENT_COUNTER,
};

/// Bits of ERRORS in registers.rdl.
enum class ni_error : std::uint32_t {
    event_overflow = NI_ERRORS_EVENT_OVERFLOW_MASK,
    link_full = NI_ERRORS_LINK_FULL_MASK,
    dma_full = NI_ERRORS_DMA_FULL_MASK,
    bad_slot = NI_ERRORS_BAD_SLOT_MASK,
    completion_lost = NI_ERRORS_COMPLETION_LOST_MASK,
    bad_group = NI_ERRORS_BAD_GROUP_MASK,
    packet_cut = NI_ERRORS_PACKET_CUT_MASK,
    bad_command = NI_ERRORS_BAD_COMMAND_MASK,
    bad_packet = NI_ERRORS_BAD_PACKET_MASK,
    bad_counter = NI_ERRORS_BAD_COUNTER_MASK,
    soft_error = NI_ERRORS_SOFT_ERROR_MASK,
};

/// Event queue and ERRORS of an interface; all its parts use this.
class event_queue {
public:
    /// `changed` is called when the queue becomes empty or non-empty. `capacity` in entries.
    event_queue(unsigned capacity, std::function<void()> changed) : capacity_(capacity), changed_(std::move(changed)) {}

    /// \returns false if the queue is full: the event is lost and counted as an error.
    bool push(event_kind kind, std::uint32_t argument) {
        if (full()) {
            raise(ni_error::event_overflow);
            return false;
        }
        events_.push(static_cast<std::uint32_t>(kind) << NI_EVENT_KIND_SHIFT | (argument & NI_EVENT_ARGUMENT_MASK));
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

    /// Empties the queue and clears the errors without notification.
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
