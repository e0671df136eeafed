// SPDX-License-Identifier: Apache-2.0
/// \file The goal of a run, as far as the network that runs it must know it.
#pragma once

#include <string>

#include "hw/engine/chip.h"

namespace polycast::hw::traffic {

class goal {
public:
    virtual ~goal() = default;
    /// Everything expected has arrived.
    virtual bool complete() const = 0;
    /// First cycle after the last delivery to a host program; 0 before the first one.
    virtual engine::cycle delivered_until() const = 0;
    /// What has waited longest, in words; empty if nothing is missing.
    virtual std::string oldest_missing() const = 0;
};

}  // namespace polycast::hw::traffic
