// SPDX-License-Identifier: Apache-2.0
/// \file What codes of a chip's memories find, port by port (hw/format/memory_code.md).
#pragma once

#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/memory_code.h"

namespace polycast::hw::chips {

/// Findings of a chip with `ports` ports: errors `soft_error`, and counts of corrections.
class found_flips {
public:
    explicit found_flips(unsigned ports) : ports_(ports) {}

    /// No findings; counts are zero.
    void reset();
    void find(unsigned port, format::reading what);
    /// Raises errors for what was found since the last call, and counts what was corrected, once for each port.
    /// \returns true if there was something
    bool report(engine::pins& out);
    /// Calls of report() for which something was corrected at the port, up to 65,535.
    std::uint16_t corrections(unsigned port) const { return counts_.empty() ? std::uint16_t{0} : counts_[port]; }

private:
    unsigned ports_;
    std::uint64_t failed_ = 0;
    std::uint64_t corrected_ = 0;
    std::vector<std::uint16_t> counts_;  ///< [port]; empty: none
};

}  // namespace polycast::hw::chips
