// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/found_flips.h"

#include <limits>

#include "hw/chips/port_set.h"
#include "hw/chips/vc_framing.h"

namespace polycast::hw::chips {

void found_flips::reset() {
    failed_ = corrected_ = 0;
    counts_.clear();
}

void found_flips::find(unsigned port, format::reading what) {
    if (what == format::reading::failed) failed_ |= bit(port);
    if (what == format::reading::corrected) corrected_ |= bit(port);
}

bool found_flips::report(engine::pins& out) {
    const std::uint64_t any = failed_ | corrected_;
    for (std::uint64_t set = failed_; set != 0; set &= set - 1) raise(lowest(set), format::chip_error::soft_error, out);
    if (corrected_ != 0) counts_.resize(ports_);
    for (std::uint64_t set = corrected_; set != 0; set &= set - 1) {
        std::uint16_t& count = counts_[lowest(set)];
        if (count != std::numeric_limits<std::uint16_t>::max()) ++count;
    }
    failed_ = corrected_ = 0;
    return any != 0;
}

}  // namespace polycast::hw::chips
