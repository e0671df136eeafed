// SPDX-License-Identifier: Apache-2.0
/// \file The last part of a recording, in memory: the cycles before a failure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tlm/trace/wave_writer.h"

namespace polycast::tlm::trace {

/// Keeps the changes of the last `depth` time units; older ones only as the values they left behind.
class wave_history final : public wave_writer {
public:
    wave_history(const wave_layout& layout, std::uint64_t depth);

    void set_time(std::uint64_t time) override;
    void change(std::size_t signal, std::span<const std::uint64_t> value) override;
    void close() override {}

    /// Changes that replay() will write.
    std::uint64_t changes() const { return offset_.size() + entries_.size(); }

    /// First time that replay() will write.
    std::uint64_t first_time() const;

    /// Keeps less from now on: the last `depth` time units.
    void shorten(std::uint64_t depth);

    /// Writes everything that is kept to `writer`, all signals at the first time.
    void replay(wave_writer& writer) const;

private:
    struct entry {
        std::uint64_t time;
        std::size_t signal;
    };

    const wave_layout* layout_;
    std::uint64_t depth_;
    std::optional<std::uint64_t> start_;  ///< first time ever
    std::uint64_t time_ = 0;
    std::vector<std::size_t> offset_;  ///< [signal] first word in base_
    std::vector<std::uint64_t> base_;  ///< values before the first entry
    std::deque<entry> entries_;        ///< changes in order of time
    std::deque<std::uint64_t> words_;  ///< their values, one after the other
};

}  // namespace polycast::tlm::trace
