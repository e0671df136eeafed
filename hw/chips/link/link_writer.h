// SPDX-License-Identifier: Apache-2.0
/// \file The symbols of what a transmitter chose: flits, trailers with their check, ordered sets.
#pragma once

#include "hw/chips/link/link_transmitter.h"

namespace polycast::hw::chips {

class link_writer {
public:
    explicit link_writer(const link_config& config) : config_(config) {}

    /// Called for each choice, in order. `out` comes in empty.
    void write(const link_choice& choice, const link_transmitter& from, link_symbol& out);

private:
    std::uint64_t seal(const link_item& item) const;

    const link_config& config_;
    frame_check covered_;     ///< of the frame being sent
    std::uint64_t word_ = 0;  ///< of the trailer or set being sent
};

}  // namespace polycast::hw::chips
