// SPDX-License-Identifier: Apache-2.0
/// \file The memories and registers that the processor of an interface accesses: address map ni_processor of
/// registers.rdl.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "hw/ni/command_memory.h"
#include "hw/ni/counter_table.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/group_table.h"
#include "hw/ni/host_dma.h"
#include "hw/ni/host_pages.h"
#include "hw/ni/link_out.h"
#include "hw/ni/observer.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"
#include "hw/ni/processor.h"
#include "hw/ni/timeline.h"
#include "hw/ni/watchdog.h"

namespace polycast::hw::ni {

/// The parts that registers act upon.
struct ni_parts {
    packet_memory& memory;
    event_queue& events;
    command_memory& commands;
    group_table& groups;
    host_pages& pages;
    host_dma& dma;
    link_out& link;
    watchdog& guard;
    std::function<void(cycle)> spoilt;  ///< the processor reads a wrong word of its own memory
};

/// Firmware writes reach only the interface's own memories and queues. Errors are raised in ERRORS.
class register_file final : public processor_bus, private timeline::task {
public:
    /// All must outlive it; `watcher` may be null.
    register_file(const ni_params& params, timeline& time, const ni_parts& parts, host_side& host, observer* watcher)
        : params_(params), time_(time), parts_(parts), host_(host), watcher_(watcher), counters_(parts.events) {}

    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override;
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override;
    void spoilt(cycle when) override { parts_.spoilt(when); }
    void progressed() override { parts_.guard.progressed(); }

    /// An interface of this host counts here. `counter` modulo their number.
    void count(unsigned counter) { counters_.count(counter % NI_COUNTER_ELEMENTS); }
    std::size_t memory_bytes() const { return counters_.memory_bytes(); }

    bool interrupt_enabled() const { return interrupt_enabled_; }
    /// Reason of PANIC, 0: none.
    std::uint32_t panic() const { return panic_; }
    /// The firmware operation last written to MARK.
    std::uint8_t last_mark() const { return last_operation_; }
    /// The interrupt line went high: an idle processor begins to work now.
    void woken(cycle now) {
        if (last_operation_ == 0) operation_begun_ = now;
    }
    /// The processor stops; with a watchdog the interface goes down in this cycle.
    void set_panic(std::uint32_t reason);
    /// Time as TIME_LOW tells it starts at `now`.
    void reset(cycle now);

private:
    void due(cycle when, std::uint64_t tag) override;
    bool load_register(std::uint32_t address, std::uint32_t& value);
    bool store_register(std::uint32_t address, std::uint32_t value);
    bool store_slot_or_link(std::uint32_t address, std::uint32_t value);
    bool store_transfer(std::uint32_t address, std::uint32_t value);
    bool store_group(std::uint32_t address, std::uint32_t value);
    bool store_counter(std::uint32_t address, std::uint32_t value);
    std::uint32_t next_event();
    std::uint32_t allocate_group();
    std::uint32_t job_of(std::uint32_t slot) const;
    void push_link(std::uint32_t value);
    void read_route(push_request& request);
    void push_transfer(std::uint32_t value);
    void take_over(std::uint32_t slot, unsigned process);
    void push_completion(std::uint8_t process);
    void push_count(std::uint32_t value);
    void command_done(std::uint32_t entry);
    void set_timer(std::uint32_t cycles);
    void call_at(cycle when);
    void mark(std::uint8_t operation);
    void put_character(char character);
    void about(std::uint32_t slot);

    const ni_params& params_;
    timeline& time_;
    ni_parts parts_;
    host_side& host_;
    observer* watcher_;
    counter_table counters_;

    bool interrupt_enabled_ = false;
    std::uint32_t link_destination_ = 0;
    std::uint16_t link_hops_ = 0;
    std::uint32_t link_route_ = 0;
    std::uint32_t dma_window_ = 0;
    std::uint32_t dma_offset_ = 0;
    std::uint32_t dma_address_ = 0;
    std::uint16_t dma_length_ = 0;
    completion_words completion_{};
    std::uint32_t group_root_ = 0;
    std::uint16_t group_number_ = 0;
    std::uint32_t group_entry_ = group_table::none;
    std::uint32_t time_high_ = 0;
    cycle reset_at_ = 0;
    cycle timer_at_ = engine::never;    ///< when the event `timer` is due
    cycle timer_call_ = engine::never;  ///< when due() is called next, never later than that
    std::uint32_t panic_ = 0;
    std::string line_;  ///< of the console

    // For spans.
    cycle operation_begun_ = 0;
    std::uint8_t last_operation_ = 0;
    std::uint32_t about_source_ = ~0u;
    std::uint32_t about_message_ = 0;
    std::uint32_t about_offset_ = 0;
};

}  // namespace polycast::hw::ni
