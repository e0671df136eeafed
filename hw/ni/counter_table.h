// SPDX-License-Identifier: Apache-2.0
/// \file The counters of an interface: hw/ni/registers.rdl, COUNTER.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/ni/event_queue.h"

namespace polycast::hw::ni {

/// Allocates no memory before the first use.
class counter_table {
public:
    explicit counter_table(event_queue& events) : events_(events) {}

    /// Firmware reads the counter: the next count is an event again.
    std::uint32_t read(unsigned number) {
        if (!table_) return 0;
        (*table_)[number].told = false;
        return (*table_)[number].value;
    }
    void write(unsigned number, std::uint32_t value) { entry_of(number).value = value; }
    /// Increments. An event that is lost because the queue is full comes with the next count.
    void count(unsigned number) {
        entry& counted = entry_of(number);
        ++counted.value;
        if (!counted.told) counted.told = events_.push(event_kind::counter, number);
    }

    void reset() { table_.reset(); }
    std::size_t memory_bytes() const { return table_ ? sizeof(*table_) : 0; }

private:
    struct entry {
        std::uint32_t value = 0;
        bool told = false;
    };
    using table = std::array<entry, NI_COUNTER_ELEMENTS>;

    entry& entry_of(unsigned number) {
        if (!table_) table_ = std::make_unique<table>();
        return (*table_)[number];
    }

    event_queue& events_;
    std::unique_ptr<table> table_;
};

}  // namespace polycast::hw::ni
