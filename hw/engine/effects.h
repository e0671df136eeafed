// SPDX-License-Identifier: Apache-2.0
/// \file What chips do to objects that the whole network shares (scoreboards, charts) while several threads step them:
/// it waits, and is done by one thread in the order in which one thread would have stepped the chips.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::hw::engine {

/// What the chips of one part of a network have to do to shared objects.
class effect_log {
public:
    /// All that follows belongs to the step of `chip` in cycle `when`. Steps come in this order: cycle, chip.
    void begin(cycle when, std::uint32_t chip) {
        when_ = when;
        chip_ = chip;
    }
    void add(std::function<void()> act) { entries_.push_back({when_, chip_, std::move(act)}); }
    bool empty() const { return entries_.empty(); }

    /// Does everything that waits in several logs, by cycle and chip, but nothing of the steps behind that of
    /// `last_chip` in `last`. The logs are empty then.
    static void act(std::span<effect_log* const> logs, cycle last = never, std::uint32_t last_chip = ~0u);

private:
    struct entry {
        cycle when;
        std::uint32_t chip;
        std::function<void()> act;
    };
    std::vector<entry> entries_;
    cycle when_ = 0;
    std::uint32_t chip_ = 0;
};

/// A chip's own way to shared objects.
class effects {
public:
    /// Other chips are being stepped at the same time: what is done to shared objects must be given to add(), with
    /// copies of all that it needs.
    bool wait() const { return log_ != nullptr; }
    void add(std::function<void()> act) { log_->add(std::move(act)); }
    /// act(), now or when it is its turn.
    template <typename action>
    void tell(action act) {
        if (log_ == nullptr) return act();
        log_->add(std::move(act));
    }
    /// act(bytes), with a copy of the bytes where it has to wait.
    template <typename action>
    void tell(std::span<const std::uint8_t> bytes, action act) {
        if (log_ == nullptr) return act(bytes);
        log_->add([act = std::move(act), kept = std::vector(bytes.begin(), bytes.end())] {
            act(std::span<const std::uint8_t>(kept));
        });
    }
    /// `log` must outlive it; null: nobody else is being stepped.
    void wait_in(effect_log* log) { log_ = log; }

private:
    effect_log* log_ = nullptr;
};

}  // namespace polycast::hw::engine
