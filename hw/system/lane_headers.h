// SPDX-License-Identifier: Apache-2.0
/// \file Headers of packets that pass the pins of a chip at VL links, in one direction.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/header.h"

namespace polycast::hw::system {

/// What has passed of the packet on each lane of each port.
class lane_headers {
public:
    struct header {
        bool open = false;  ///< its head was seen
        std::uint8_t bytes = 0;
        std::array<std::uint8_t, format::lid_header_bytes> data{};

        bool complete() const { return bytes == data.size(); }
        std::uint32_t dlid() const { return format::read_field<format::dlid_field>(data.data()); }
        bool is_multicast() const { return complete() && dlid() >= format::first_multicast_lid; }
    };

    lane_headers() = default;
    lane_headers(std::size_t ports, unsigned vcs) : vcs_(vcs), headers_(ports * vcs) {}

    /// Calls `each` for each flit on the pins, of port x lanes + lane: with what has passed of its header, whether the
    /// header is complete with it, and whether a packet whose head was seen ends with it.
    template <typename function>
    void see(const engine::pins& at, const engine::pin_shape& shape, const function& each) {
        const bool beside = shape.header_bytes != 0;
        const std::vector<std::uint8_t>& bytes = beside ? at.header : at.data;
        const std::size_t width = beside ? shape.header_bytes : shape.flit_bytes;
        for (std::uint64_t set = at.valid; set != 0; set &= set - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(set));
            const unsigned vc = at.vc.empty() ? 0 : at.vc[port];
            if (vc >= vcs_) continue;
            header& seen = headers_[port * vcs_ + vc];
            if ((at.head >> port & 1) != 0) seen = {.open = true};
            bool completes = false;
            if (seen.open && !seen.complete()) {
                const std::size_t more = std::min(width, seen.data.size() - seen.bytes);
                std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(port * width), more,
                            seen.data.begin() + seen.bytes);
                seen.bytes = static_cast<std::uint8_t>(seen.bytes + more);
                completes = seen.complete();
            }
            const bool ends = seen.open && (at.tail >> port & 1) != 0;
            each(port * vcs_ + vc, seen, completes, ends);
            if (ends) seen.open = false;
        }
    }

private:
    unsigned vcs_ = 1;
    std::vector<header> headers_;
};

}  // namespace polycast::hw::system
