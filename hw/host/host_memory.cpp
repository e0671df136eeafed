// SPDX-License-Identifier: Apache-2.0
#include "hw/host/host_memory.h"

#include <algorithm>

namespace polycast::hw::host {

bool host_memory::read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
    if (!inside(address, bytes.size())) return false;
    while (!bytes.empty()) {
        const std::size_t offset = address % page_bytes;
        const std::size_t part = std::min<std::size_t>(bytes.size(), page_bytes - offset);
        const auto found = pages_.find(address / page_bytes);
        if (found == pages_.end())
            std::fill_n(bytes.begin(), part, std::uint8_t{0});
        else
            std::copy_n(found->second->begin() + static_cast<std::ptrdiff_t>(offset), part, bytes.begin());
        bytes = bytes.subspan(part);
        address += part;
    }
    return true;
}

bool host_memory::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    if (!inside(address, bytes.size())) return false;
    while (!bytes.empty()) {
        const std::size_t offset = address % page_bytes;
        const std::size_t part = std::min<std::size_t>(bytes.size(), page_bytes - offset);
        std::unique_ptr<page>& target = pages_[address / page_bytes];
        if (!target) target = std::make_unique<page>();
        std::copy_n(bytes.begin(), part, target->begin() + static_cast<std::ptrdiff_t>(offset));
        bytes = bytes.subspan(part);
        address += part;
    }
    return true;
}

std::span<const std::uint8_t> host_memory::view(std::uint64_t address, std::size_t bytes,
                                                std::vector<std::uint8_t>& scratch) const {
    const std::size_t offset = address % page_bytes;
    if (offset + bytes <= page_bytes) {
        const auto found = pages_.find(address / page_bytes);
        if (found != pages_.end()) return std::span<const std::uint8_t>(*found->second).subspan(offset, bytes);
    }
    scratch.resize(bytes);
    read(address, scratch);
    return scratch;
}

void host_memory::release(std::uint64_t address, std::uint64_t bytes) {
    if (!inside(address, bytes)) return;
    const std::uint64_t first = address / page_bytes + (address % page_bytes != 0 ? 1 : 0);
    const std::uint64_t end = (address + bytes) / page_bytes;
    if (end <= first) return;
    // A range may be far larger than what was ever written of it.
    if (end - first > pages_.size()) {
        std::erase_if(pages_, [first, end](const auto& entry) { return entry.first >= first && entry.first < end; });
        return;
    }
    for (std::uint64_t number = first; number < end; ++number) pages_.erase(number);
}

}  // namespace polycast::hw::host
