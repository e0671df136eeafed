// SPDX-License-Identifier: Apache-2.0
/// \file Command files of the wave viewer Surfer (.sucl): the signals that are seen at first, one command a line.
#pragma once

#include <cstdint>
#include <string>

#include "tlm/trace/wave_layout.h"

namespace polycast::tlm::trace {

/// Collects what a viewer shows at first: rows of open groups, behind a divider for each. Surfer has no
/// command for a closed group, so the signals of closed groups are left to its tree of scopes.
class surfer_commands {
public:
    void open_group(const std::string& title, bool is_open);
    void close_group() { closed_ -= closed_ > 0; }
    void row(const wave_signal& signal);

    /// \param cursor in time units of the wave file
    std::string text(std::uint64_t cursor) const;

private:
    std::string lines_;
    unsigned closed_ = 0;  ///< groups around that do not show what is inside
};

}  // namespace polycast::tlm::trace
