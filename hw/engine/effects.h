// SPDX-License-Identifier: Apache-2.0
/// \file What chips do to objects that the whole network shares (scoreboards, charts) while several threads or
/// processes step them: it waits, and is done by one thread of one process in the order in which one thread would have
/// stepped the chips. What chips use for it is told (hw/engine/told.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/engine/chip.h"

namespace polycast::hw::engine {

class effect_reader;
class effect_writer;

/// What the chips of one part of a network have to do to shared objects.
class effect_log {
public:
    effect_log();
    ~effect_log();

    /// All that follows belongs to the step of `chip` in cycle `when`. Cycles come in their order.
    void begin(cycle when, std::uint32_t chip) {
        when_ = when;
        chip_ = chip;
    }
    cycle when() const { return when_; }
    std::uint32_t chip() const { return chip_; }

    void add(std::function<void()> act) { entries_.push_back({when_, chip_, std::move(act)}); }
    bool empty() const { return entries_.empty(); }

    /// From now on everything is written down, for the process that has the shared objects.
    void write_down();
    /// Null: it is not.
    effect_writer* writer() { return writer_.get(); }

    /// Of chips in other processes: does what they had written down.
    using performer = std::function<void(std::uint32_t chip, effect_reader& from)>;

    /// Does everything that waits in several logs, and in texts that writers of other processes gave, by cycle and
    /// chip, but nothing of the steps behind that of `last_chip` in `last`. The logs are empty then.
    static void act(std::span<effect_log* const> logs, std::span<const std::string> written = {},
                    const performer& perform = {}, cycle last = never, std::uint32_t last_chip = ~0u);

private:
    struct entry {
        cycle when;
        std::uint32_t chip;
        std::function<void()> act;
    };
    std::vector<entry> entries_;
    std::unique_ptr<effect_writer> writer_;
    cycle when_ = 0;
    std::uint32_t chip_ = 0;
};

/// A chip's own way to shared objects.
class effects {
public:
    /// Does what another process has written down; it reads all of that.
    using action = std::function<void(effect_reader& from)>;

    /// \returns the number of `act`; the same one in all processes, as all make the same chips
    std::uint16_t add(action act) {
        actions_.push_back(std::move(act));
        return static_cast<std::uint16_t>(actions_.size() - 1);
    }
    void act(std::uint16_t number, effect_reader& from) { actions_.at(number)(from); }

    /// Other chips are being stepped at the same time, and this is where what is done to shared objects waits; null:
    /// it is done at once.
    effect_log* log() { return log_; }
    /// `log` must outlive it.
    void wait_in(effect_log* log) { log_ = log; }

private:
    std::vector<action> actions_;
    effect_log* log_ = nullptr;
};

}  // namespace polycast::hw::engine
