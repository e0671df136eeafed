// SPDX-License-Identifier: Apache-2.0
/// \file Host transfers, completions and counts over the one I/O bus.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/growing_queue.h"
#include "hw/ni/host_pages.h"
#include "hw/ni/host_side.h"
#include "hw/ni/observer.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/parameters.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::ni {

/// Codes of DMA_ERROR in registers.rdl.
enum class dma_error : std::uint8_t {
    none = NI_DMA_ERROR_NONE,
    no_process = NI_DMA_ERROR_NO_PROCESS,
    no_window = NI_DMA_ERROR_NO_WINDOW,
    outside = NI_DMA_ERROR_OUTSIDE,
    forbidden = NI_DMA_ERROR_FORBIDDEN,
    bad_address = NI_DMA_ERROR_BAD_ADDRESS,
    completion_overflow = NI_DMA_ERROR_COMPLETION_OVERFLOW,
    soft_error = NI_DMA_ERROR_SOFT_ERROR,
    other_job = NI_DMA_ERROR_OTHER_JOB,
};

/// What DMA_PUSH queues. `address` is an offset in packet memory, or 0xffffffff if DMA_ADDRESS was not in it.
struct host_transfer {
    std::uint8_t process = 0;
    std::uint8_t window = 0;
    bool to_host = false;
    bool notify = false;
    bool release_slot = false;
    std::uint16_t length = 0;
    std::uint32_t offset = 0;
    std::uint32_t address = 0;
    std::uint32_t cookie = 0;
};

/// The seven words that firmware gives a completion.
using completion_words = std::array<std::uint32_t, 7>;

/// Serves transfers, completions and counts one at a time, or one in each direction. It accesses host memory only
/// through a window or a completion queue of the process concerned.
class host_dma final : public timeline::task {
public:
    /// All must outlive it; `watcher` may be null.
    host_dma(const ni_params& params, timeline& time, packet_memory& memory, host_pages& pages, event_queue& events,
             host_side& host, observer* watcher);

    /// \returns false if the queue is full; an event dma_ready follows when it has room again.
    bool push(const host_transfer& transfer);
    bool push(std::uint8_t process, const completion_words& words);
    /// A count, behind what is queued to the host. A nonexistent interface is detected when the count is made.
    bool push_count(std::uint8_t interface, std::uint8_t counter);
    unsigned space() const { return params_.dma_queue - waiting(); }
    /// The same for firmware: an event dma_ready follows after it has read 0.
    unsigned ask_space() {
        if (space() == 0) wanted_ = true;
        return space();
    }
    /// Nothing waiting, and the bus is free.
    bool idle() const { return pending() == 0; }
    /// Transfers, completions and counts on the bus or waiting for it.
    unsigned pending() const { return waiting() + (uses_[0].busy ? 1 : 0) + (uses_[1].busy ? 1 : 0); }
    dma_error last_error() const { return last_error_; }
    /// Cycles that `bytes` bytes hold the bus.
    cycle bus_cycles(std::uint32_t bytes) const;

    /// Host memory that was late may have answered by cycle `when`, not before the timeline's now().
    void host_answered(cycle when);

    void due(cycle when, std::uint64_t tag) override;
    void count(ni_statistics& statistics) const;
    void reset();
    std::size_t memory_bytes() const;

private:
    enum class request_kind : std::uint8_t { transfer, completion, count };
    struct request {
        host_transfer transfer;  ///< for a completion the process only
        std::uint64_t order = 0;
        request_kind kind = request_kind::transfer;
        std::uint8_t interface = 0;  ///< of a count
        std::uint32_t number = 0;    ///< for a completion the place of its words, for a count the counter
    };
    /// What is on the bus, or on one direction of a duplex bus.
    struct bus_use {
        request what;
        cycle begun = 0;
        cycle end = 0;  ///< when it leaves the bus, unless host memory takes longer
        bool busy = false;
        bool waits = false;  ///< for host memory
    };

    unsigned waiting() const { return static_cast<unsigned>(from_host_.size() + to_host_.size()); }
    bool accept();
    bool enqueue(const request& next);
    void start(cycle now);
    void start(unsigned use, growing_queue<request>& queue, cycle now);
    bool begin(unsigned use, const request& next, cycle now);
    growing_queue<request>* choose();
    dma_error refusal(const host_transfer& transfer) const;
    void refuse(const host_transfer& transfer, dma_error error, cycle now);
    std::uint64_t tag_of(unsigned use) const { return uses_.size() * epoch_ + use; }
    std::optional<dma_error> end_of_transfer(const host_transfer& transfer, cycle now);
    std::optional<dma_error> end_of_completion(const request& what, cycle now);
    void finish_transfer(const host_transfer& transfer, dma_error error, cycle now);
    void finish_completion(const request& what, dma_error error, cycle now);
    void lose_completion(std::uint8_t process);
    void release(const host_transfer& transfer, cycle now);
    void report(const bus_use& use, cycle now);

    const ni_params& params_;
    timeline& time_;
    packet_memory& memory_;
    host_pages& pages_;
    event_queue& events_;
    host_side& host_;
    observer* watcher_;

    growing_queue<request> from_host_;
    growing_queue<request> to_host_;
    std::vector<completion_words> words_;  ///< of the completions queued
    std::vector<std::uint32_t> free_words_;
    std::uint64_t order_ = 0;
    std::array<bus_use, 2> uses_;  ///< duplex: from host, to host; else only the first
    std::uint64_t epoch_ = 0;      ///< of the pending ends; older ones are from before a reset
    bool last_to_host_ = false;
    bool wanted_ = false;
    dma_error last_error_ = dma_error::none;
    std::uint64_t refused_ = 0;
    std::uint64_t lost_ = 0;
    cycle bus_busy_ = 0;
};

}  // namespace polycast::hw::ni
