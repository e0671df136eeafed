// SPDX-License-Identifier: Apache-2.0
/// \file What a run is for, as far as whoever runs it has to know.
#pragma once

#include <string>

#include "hw/engine/chip.h"

namespace polycast::hw::traffic {

class goal {
public:
    virtual ~goal() = default;
    /// All that is to come has come.
    virtual bool complete() const = 0;
    /// First cycle after the last of it came to a host program; 0 while nothing has.
    virtual engine::cycle delivered_until() const = 0;
    /// What has waited longest, in words; empty if nothing is missing.
    virtual std::string oldest_missing() const = 0;
};

}  // namespace polycast::hw::traffic
