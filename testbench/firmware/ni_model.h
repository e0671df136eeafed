// SPDX-License-Identifier: Apache-2.0
/// \file The registers of one network interface as its firmware sees them, written for tests of firmware alone: no
/// time, everything else happens when the test says so. Whatever firmware must never do is a failure of the test: use
/// of a free slot, a push to a full queue, a command given back twice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "hw/ni/abi/ni_firmware.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"

namespace polycast::testbench::firmware {

inline constexpr std::uint32_t no_host = 0xffffff;
inline constexpr std::uint32_t no_group = 0xffff;
inline constexpr std::uint32_t all_ones = 0xffffffffu;

/// Sizes of the interface.
struct model_params {
    std::uint32_t host = 0;
    std::uint32_t hosts = 32;
    std::uint32_t payload = 64;
    std::uint32_t processes = 2;
    std::uint32_t command_bytes = 256;
    std::uint32_t command_entries = 16;
    std::uint32_t group_entries = 16;
    std::uint32_t send_slots = 1000;
    std::uint32_t receive_slots = 1000;
    std::uint32_t link_queue = 1000;
    std::uint32_t dma_queue = 1000;
    std::uint32_t stop_bytes = 3;
    std::uint32_t stops = 8;
    std::uint32_t units = 0;
    std::uint32_t wait_mode = NI_WAIT_MODE_SLEEP;
    std::uint32_t reliable_timeout = 10'000;
    std::uint32_t reliable_attempts = 8;
    std::uint32_t reliable_ack_delay = 1'000;
    std::uint32_t restarts = 0;
    bool observes = true;                  ///< every process may read the counters of all
    bool late_stores = false;              ///< stores to registers take effect after the step only
    std::vector<std::uint32_t> jobs = {};  ///< of the processes; empty: packets carry none
};

/// A packet on the link, or a copy that firmware has pushed.
struct packet {
    std::uint32_t kind = 0;
    std::uint32_t vc_class = 0;
    std::uint32_t source = 1;
    std::uint32_t sequence = 0;
    std::uint32_t destination = 0;
    std::uint32_t op = 0;
    std::uint32_t process = 0;
    std::uint32_t source_process = 0;
    std::uint32_t group = no_group;
    std::uint32_t hops = 0;
    std::uint32_t message = 0;
    std::uint32_t offset = 0;
    std::uint32_t total = 0;
    std::uint32_t tag = 0;
    std::uint32_t status = 0;  ///< link-in's findings
    bool seal = false;         ///< LINK_PUSH's
    std::uint32_t slot = 0;
    std::uint32_t job = 0;
    std::vector<std::uint8_t> payload;
    std::vector<std::uint8_t> route;  ///< of a worm
};

/// Byte `i` of message `message`, so that every byte tells where it belongs.
inline std::uint8_t pattern(std::uint32_t message, std::uint32_t i) {
    return static_cast<std::uint8_t>(message * 31 + i * 7 + (i >> 8));
}

/// Packet number `index` of a message of `total` bytes.
inline packet part_of(const model_params& params, std::uint32_t message, std::uint32_t total, std::uint32_t index) {
    packet made;
    made.destination = params.host;
    made.message = message;
    made.total = total;
    made.offset = index * params.payload;
    made.tag = 1000 + message;
    for (std::uint32_t i = made.offset; i < std::min(total, made.offset + params.payload); ++i)
        made.payload.push_back(pattern(message, i));
    return made;
}

/// An entry of a completion queue.
struct completion {
    std::uint32_t kind = 0;
    std::uint32_t status = 0;
    std::uint32_t source_process = 0;
    std::uint32_t cookie = 0;
    std::uint32_t source = 0;
    std::uint32_t message = 0;
    std::uint32_t length = 0;
    std::uint32_t tag = 0;
    std::uint32_t group = 0;
};

struct window {
    std::vector<std::uint8_t> bytes;
    bool read = true;
    bool write = true;
};

class ni_model {
public:
    explicit ni_model(const model_params& params = {});
    ni_model(const ni_model&) = delete;
    ni_model& operator=(const ni_model&) = delete;

    // --- what the world does ---
    /// Puts a packet into a receive slot. \returns false if there is no free one.
    bool arrive(const packet& what);
    /// Rings the doorbell with `words`. \returns false if all entries are taken.
    bool command(std::uint32_t process, std::vector<std::uint32_t> words);
    /// Makes up to `count` transfers. \returns how many there were.
    std::size_t run_dma(std::size_t count = 1u << 30);
    /// Takes up to `count` copies off the link's queue; they are appended to `sent`.
    std::size_t run_link(std::size_t count = 1u << 30);
    /// The timer runs out, if it is set: time goes on until then.
    bool run_timer();
    /// Time goes on, and the timer runs out if that is due. \returns whether it did.
    bool advance(std::uint32_t cycles);
    /// Cycles until the timer runs out, if it is set.
    std::uint32_t timer_left() const { return timer_at_ - time; }
    void event(std::uint32_t kind, std::uint32_t argument);
    /// A counter goes up.
    void count(std::uint32_t counter);

    // --- firmware ---
    ni_operation step(unsigned roles = NI_ROLE_ALL);
    /// Steps until nothing is left to do. \returns the operations.
    std::vector<ni_operation> run();
    /// The same with transfers, and the link where `link` is true, going on meanwhile.
    void settle(bool link = true);

    /// Frees everything that is pushed and tells what firmware still holds: nothing, in an idle interface.
    void expect_idle();

    std::uint32_t slots_used() const;
    std::uint32_t groups_used() const { return static_cast<std::uint32_t>(groups_.size()); }
    std::uint32_t commands_taken() const;
    bool timer_set() const { return timer_ != 0; }
    unsigned timer_starts() const { return timer_starts_; }
    bool interrupts_on() const { return interrupt_enable_ != 0; }
    std::size_t events() const { return events_.size(); }
    std::size_t transfers() const { return dma_.size(); }
    std::uint32_t panic() const { return panic_; }
    ni_firmware* state() { return reinterpret_cast<ni_firmware*>(memory_.get()); }
    std::uint32_t loads_of(std::uint32_t address) const;
    /// Of words of any kind, since the beginning.
    std::uint32_t loads() const { return all_loads_; }

    /// A word of the statistics, read as a host would.
    std::uint32_t statistic(unsigned which);
    std::uint32_t count_of(ni_status status) { return statistic(NI_STATISTIC_STATUS + static_cast<unsigned>(status)); }

    const model_params params;
    std::map<std::pair<std::uint32_t, std::uint32_t>, window> windows;  ///< by process and number
    std::deque<packet> link;                                            ///< pushed, not yet taken off
    std::vector<packet> sent;
    std::map<std::uint32_t, std::vector<completion>> completions;  ///< by process
    std::vector<ni_model*> siblings;                               ///< interfaces of the host, with this one
    std::vector<std::size_t> moved_before;                         ///< each count: bytes to the host before it
    std::map<std::uint32_t, std::uint32_t> counters;
    std::uint32_t time = 0;                               ///< TIME_LOW
    std::map<std::uint32_t, std::uint32_t> jobs_refused;  ///< by process, by firmware

    /// Stores of an operation whose time is not over: with `hold_stores` they are left out until make().
    bool hold_stores = false;
    using late_stores = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    late_stores take_held() { return std::exchange(late_, {}); }
    void make(const late_stores& stores);

private:
    struct slot {
        std::uint32_t references = 0;
        bool receive = false;
        std::optional<std::uint32_t> job;  ///< that it is stamped with
        std::vector<std::uint8_t> bytes;
    };
    struct transfer {
        bool is_completion = false;
        bool is_count = false;
        std::uint32_t process = 0;
        std::array<std::uint32_t, 7> words{};
        std::uint32_t window = 0, offset = 0, address = 0, length = 0, push = 0;
    };
    struct group {
        std::uint32_t root = 0, number = 0;
        std::array<std::uint32_t, 32> words{};
    };

    std::uint32_t load(std::uint32_t address);
    void store(std::uint32_t address, std::uint32_t value);
    std::uint32_t job_of(std::uint32_t process) const {
        return process < params.jobs.size() ? params.jobs[process] : 0;
    }
    std::uint32_t load_register(std::uint32_t address);
    void apply(std::uint32_t address, std::uint32_t value);
    void take_effect();
    std::uint8_t* memory_at(std::uint32_t address, std::uint32_t bytes);
    std::optional<std::uint32_t> allocate(bool receive);
    slot& used(std::uint32_t number, const char* what);
    void release(std::uint32_t number);
    packet copy_of(std::uint32_t push);
    std::vector<std::uint8_t> route_of(std::uint32_t kind);
    bool allowed(const transfer& what, window*& where);

    std::unique_ptr<std::uint64_t[]> memory_;
    std::vector<slot> slots_;
    std::deque<std::uint32_t> events_;
    std::deque<transfer> dma_;
    std::map<std::uint32_t, std::vector<std::uint8_t>> commands_;
    std::map<std::uint32_t, group> groups_;
    std::map<std::uint32_t, std::uint32_t> registers_;
    late_stores late_;
    std::map<std::uint32_t, std::uint32_t> loads_;
    std::uint32_t all_loads_ = 0;
    std::set<std::uint32_t> told_;  ///< counters whose event has come and that were not read since
    std::size_t moved_ = 0;         ///< bytes to the host
    std::uint32_t timer_ = 0;
    std::uint32_t timer_at_ = 0;
    unsigned timer_starts_ = 0;
    std::uint32_t interrupt_enable_ = 0;
    std::uint32_t panic_ = 0;
    bool slot_wanted_ = false, link_wanted_ = false, dma_wanted_ = false;
};

}  // namespace polycast::testbench::firmware
