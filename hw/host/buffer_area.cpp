// SPDX-License-Identifier: Apache-2.0
#include "hw/host/buffer_area.h"

#include <algorithm>
#include <bit>

namespace polycast::hw::host {

// From half a page on a buffer has pages of its own, which can be given back.
std::uint64_t buffer_area::rounded(std::uint32_t bytes) {
    const std::uint64_t wanted = std::max<std::uint64_t>(bytes, 1);
    std::uint64_t step = std::max<std::uint64_t>(64, std::bit_floor(wanted) / 8);
    if (wanted > host_memory::page_bytes / 2) step = std::max(step, host_memory::page_bytes);
    return (wanted + step - 1) / step * step;
}

std::optional<std::uint32_t> buffer_area::allocate(std::uint32_t bytes) {
    const std::uint64_t size = rounded(bytes);
    if (const auto found = free_.find(size); found != free_.end() && !found->second.empty()) {
        const std::uint32_t offset = found->second.back();
        found->second.pop_back();
        ++used_;
        return offset;
    }
    std::uint64_t offset = next_;
    if (size >= host_memory::page_bytes)
        offset = (offset + host_memory::page_bytes - 1) / host_memory::page_bytes * host_memory::page_bytes;
    if (offset + bytes > bytes_) return std::nullopt;
    next_ = offset + size;
    ++used_;
    return static_cast<std::uint32_t>(offset);
}

void buffer_area::release(std::uint32_t offset, std::uint32_t bytes) {
    const std::uint64_t size = rounded(bytes);
    free_[size].push_back(offset);
    --used_;
    memory_.release(address_ + offset, size);
}

}  // namespace polycast::hw::host
