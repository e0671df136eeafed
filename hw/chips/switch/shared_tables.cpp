// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/switch/shared_tables.h"

namespace polycast::hw::chips {

bit_string& shared_string::edit() {
    if (bits_.use_count() != 1) bits_ = std::make_shared<bit_string>(*bits_);
    return *bits_;
}

std::vector<std::uint64_t>& port_sets::edit() {
    if (routes_) {
        own_.resize(entries_);
        for (std::size_t entry = 0; entry < entries_; ++entry) own_[entry] = (*this)[entry];
        routes_.reset();
    }
    return own_;
}

bool port_sets::operator==(const port_sets& other) const {
    if (size() != other.size()) return false;
    for (std::size_t entry = 0; entry < size(); ++entry)
        if ((*this)[entry] != other[entry]) return false;
    return true;
}

}  // namespace polycast::hw::chips
