// SPDX-License-Identifier: Apache-2.0
/// \file Pins that some chips have beside those of engine::pins: at which outputs packets wait.
#pragma once

#include <cstdint>

#include "hw/engine/chip.h"

namespace polycast::hw::engine {

/// What a VL switch of any fidelity shows beside the pins of a chip.
class waiting_ports {
public:
    virtual ~waiting_ports() = default;
    /// Pins `xmit_wait`: a packet waits for the port, which sends nothing. They stay until the next step.
    virtual std::uint64_t xmit_wait() const = 0;
};

/// Those of a chip; none where it has no such pins.
inline std::uint64_t xmit_wait_of(const chip& shown) {
    const auto* const waiting = dynamic_cast<const waiting_ports*>(&shown);
    return waiting == nullptr ? 0 : waiting->xmit_wait();
}

}  // namespace polycast::hw::engine
