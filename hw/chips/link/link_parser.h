// SPDX-License-Identifier: Apache-2.0
/// \file Frames and ordered sets out of the symbols that arrive, and their checks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_receiver.h"

namespace polycast::hw::chips {

class link_parser {
public:
    link_parser(const link_config& config, link_receiver& receiver) : config_(config), receiver_(receiver) {}

    /// A symbol on the pins. \returns a set that is for the transmitter
    std::optional<ordered_set> receive(engine::cycle now, const link_symbol& symbol);

    /// No frame or set has begun.
    bool idle() const { return flits_.empty() && symbols_ == 0 && set_symbols_ == 0; }
    bool holds_flits() const { return !flits_.empty(); }

private:
    void break_frame(engine::cycle now);
    void break_set();
    void judge(engine::cycle now, std::uint64_t word);
    bool good(const link_trailer& trailer, std::uint64_t word) const;
    std::optional<ordered_set> judge_set(std::uint64_t word);

    const link_config& config_;
    link_receiver& receiver_;
    std::vector<link_symbol> flits_;  ///< of the frame that arrives
    bool too_long_ = false;
    unsigned symbols_ = 0;      ///< of its trailer
    unsigned set_symbols_ = 0;  ///< of the set that arrives
    std::uint64_t word_ = 0;    ///< of either
};

}  // namespace polycast::hw::chips
