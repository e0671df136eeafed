// SPDX-License-Identifier: Apache-2.0
/// \file A processor that runs the firmware's host build and takes times from a table.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/ni/abi/ni_firmware.h"
#include "hw/ni/native_firmware.h"
#include "hw/ni/observer.h"
#include "hw/ni/parameters.h"
#include "hw/ni/processor.h"

namespace polycast::hw::ni {

/// Times of firmware in cycles, by ni_operation. The papers' are RECEIVE = t_nr, SEND = t_ns, all others 0 (Sivaram et
/// al., OSU-CISRC-10/98-TR41, section 5). IDLE takes none.
struct native_params {
    std::array<cycle, NI_OPERATIONS> cycles{};
    /// Two time lines, one for each ni_role: receiving costs the sending side nothing (the papers' model).
    bool overlapped = false;
};

/// Reason for PANIC: firmware does operations without cost endlessly in one cycle.
inline constexpr std::uint32_t native_panic_endless = 0x400;
/// This many count as endless.
inline constexpr unsigned native_endless_steps = 1u << 20;

/// An operation runs when it begins: it sees registers and memory as they are then, and its stores to memory are made
/// then. Its stores to registers are made together when its time is over. Those that only serve its own look-ups
/// (GROUP_ROOT, GROUP_NUMBER), GROUP_FREE, CONSOLE and PANIC are made at once, too. How firmware waits (OPTIONS,
/// INTERRUPT_ENABLE) is the model's business: an event is seen in its cycle.
class native_processor final : public processor {
public:
    /// `bus` and `watcher` (may be null) must outlive it.
    native_processor(std::shared_ptr<const native_firmware> firmware, const native_params& params,
                     const ni_params& interface, processor_bus& bus, observer* watcher);

    void reset(cycle now) override;
    cycle run(cycle until, bool interrupt) override;
    processor_probe probe() const override;

private:
    struct late_store {
        std::uint32_t address;
        std::uint32_t value;
    };
    /// One time line.
    struct lane {
        unsigned role = NI_ROLE_ALL;
        bool busy = false;
        ni_operation operation = NI_OPERATION_IDLE;
        cycle begun = 0;
        cycle ends = 0;
        std::vector<late_store> stores;  ///< of the operation
        span_record about;               ///< packet of the operation
    };

    /// Gives pages back.
    struct unmap {
        std::size_t bytes;
        void operator()(void* pages) const;
    };

    ni_firmware* state() const { return static_cast<ni_firmware*>(state_.get()); }
    void boot();
    bool step(lane& which, cycle now);
    void finish(lane& which, cycle now);
    std::uint32_t load(std::uint32_t address);
    void store(std::uint32_t address, std::uint32_t value);
    std::uint32_t raw_load(std::uint32_t address);
    void raw_store(std::uint32_t address, std::uint32_t value);
    void note(std::uint32_t slot);
    void panic(std::uint32_t reason);

    std::shared_ptr<const native_firmware> firmware_;
    native_params params_;
    ni_params interface_;
    processor_bus& bus_;
    observer* watcher_;

    ni_hardware hardware_{};
    std::unique_ptr<void, unmap> state_;  ///< struct ni_firmware
    std::vector<lane> lanes_;             ///< in the order in which they act within a cycle
    lane* acting_ = nullptr;              ///< whose operation runs
    cycle now_ = 0;
    bool booted_ = false;
    bool halted_ = false;
    cycle counted_cycle_ = 0;  ///< cycle that free_steps_ counts in
    unsigned free_steps_ = 0;  ///< operations without cost in it
    std::uint64_t operations_ = 0;
    std::uint64_t busy_cycles_ = 0;
};

}  // namespace polycast::hw::ni
