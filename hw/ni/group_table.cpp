// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/group_table.h"

#include <algorithm>

#include "hw/ni/packet_memory.h"

namespace polycast::hw::ni {

namespace {

constexpr std::uint64_t unused_key = ~std::uint64_t{0};

}  // namespace

std::uint32_t group_table::find(std::uint32_t root, std::uint16_t number) const {
    const auto found = number == hidden ? entries_.end() : entries_.find(key_of(root, number));
    return found == entries_.end() ? none : found->second;
}

std::uint32_t group_table::allocate(std::uint32_t root, std::uint16_t number, bool& known) {
    known = find(root, number) != none;
    if (known || (free_.empty() && keys_.size() == limit_)) return none;
    std::uint32_t entry = 0;
    if (free_.empty()) {
        entry = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(unused_key);
        bytes_.resize(bytes_.size() + group_entry_bytes, 0);
    } else {
        entry = free_.back();
        free_.pop_back();
    }
    keys_[entry] = key_of(root, number);
    if (number != hidden) entries_.emplace(keys_[entry], entry);
    std::uint8_t* const bytes = &bytes_[std::size_t{entry} * group_entry_bytes];
    std::fill_n(bytes, group_entry_bytes, std::uint8_t{0});
    put_bytes(bytes, 4, root);
    put_bytes(bytes + 4, 4, number);
    return entry;
}

bool group_table::free(std::uint32_t entry) {
    if (entry >= keys_.size() || keys_[entry] == unused_key) return false;
    entries_.erase(keys_[entry]);
    keys_[entry] = unused_key;
    free_.push_back(entry);
    return true;
}

bool group_table::load(std::uint32_t offset, unsigned bytes, std::uint32_t& value) const {
    if (offset >= limit_ * group_entry_bytes) return false;
    value = std::size_t{offset} + bytes <= bytes_.size() ? get_bytes(&bytes_[offset], bytes) : 0;
    return true;
}

bool group_table::store(std::uint32_t offset, unsigned bytes, std::uint32_t value) {
    if (offset >= limit_ * group_entry_bytes) return false;
    if (std::size_t{offset} + bytes <= bytes_.size()) put_bytes(&bytes_[offset], bytes, value);
    return true;
}

void group_table::reset() {
    bytes_.clear();
    keys_.clear();
    free_.clear();
    entries_.clear();
}

std::size_t group_table::memory_bytes() const {
    return bytes_.capacity() + keys_.capacity() * sizeof(std::uint64_t) + free_.capacity() * sizeof(std::uint32_t) +
           entries_.size() * 40 + entries_.bucket_count() * sizeof(void*);
}

}  // namespace polycast::hw::ni
