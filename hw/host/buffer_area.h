// SPDX-License-Identifier: Apache-2.0
/// \file Buffers of changing sizes in a window of host memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hw/host/host_memory.h"

namespace polycast::hw::host {

/// Sizes are rounded up to classes at most an eighth apart, and every class keeps freed buffers for its next request.
/// No cost grows with the number of buffers, and nothing is searched.
class buffer_area {
public:
    /// `bytes` of `memory` from `address` on, a multiple of a page. `memory` must outlive it.
    buffer_area(host_memory& memory, std::uint64_t address, std::uint32_t bytes)
        : memory_(memory), address_(address), bytes_(bytes) {}

    /// \returns the offset of a buffer; nothing if there is no room.
    std::optional<std::uint32_t> allocate(std::uint32_t bytes);
    /// Frees a buffer from allocate() with the same number of bytes; its pages are freed.
    void release(std::uint32_t offset, std::uint32_t bytes);

    std::uint64_t address() const { return address_; }
    std::uint32_t bytes() const { return bytes_; }
    /// Buffers in use.
    std::size_t used() const { return used_; }

private:
    static std::uint64_t rounded(std::uint32_t bytes);

    host_memory& memory_;
    std::uint64_t address_;
    std::uint32_t bytes_;
    std::uint64_t next_ = 0;  ///< offsets from here on were never used
    std::size_t used_ = 0;
    std::map<std::uint64_t, std::vector<std::uint32_t>> free_;  ///< offsets by rounded size
};

}  // namespace polycast::hw::host
