// SPDX-License-Identifier: Apache-2.0
/// \file Memory of one host.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace polycast::hw::host {

/// A 64-bit address space that holds only pages that were written; all others read as zero. Addresses from `size` on
/// have no memory behind them.
class host_memory {
public:
    static constexpr std::uint64_t page_bytes = 1024;
    static constexpr std::uint64_t default_size = std::uint64_t{1} << 48;

    explicit host_memory(std::uint64_t size = default_size) : size_(size) {}

    /// \returns false, and does nothing, if a byte lies outside.
    bool read(std::uint64_t address, std::span<std::uint8_t> bytes) const;
    bool write(std::uint64_t address, std::span<const std::uint8_t> bytes);

    /// The bytes of a range, without a copy if they lie in one page, else in `scratch`. Valid until the next write
    /// or release. The range must lie inside.
    std::span<const std::uint8_t> view(std::uint64_t address, std::size_t bytes,
                                       std::vector<std::uint8_t>& scratch) const;

    /// The bytes of this range are no longer needed: its whole pages are freed and read as zero.
    void release(std::uint64_t address, std::uint64_t bytes);

    void clear() { pages_.clear(); }
    std::uint64_t size() const { return size_; }
    std::size_t pages() const { return pages_.size(); }
    /// Bytes of the host machine's memory.
    std::size_t memory_bytes() const { return pages_.size() * (page_bytes + 64); }

private:
    using page = std::array<std::uint8_t, page_bytes>;

    bool inside(std::uint64_t address, std::uint64_t bytes) const {
        return address <= size_ && bytes <= size_ - address;
    }

    std::uint64_t size_;
    std::unordered_map<std::uint64_t, std::unique_ptr<page>> pages_;
};

}  // namespace polycast::hw::host
