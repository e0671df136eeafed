// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/flags.h"

#include <algorithm>

namespace polycast::hw::programs {

namespace {

/// Bytes of a message beside each flag, and those of the flag.
struct line {
    std::uint64_t data = 0, flag = 0;
};

line line_of(wire_format how) {
    return how == wire_format::ll ? line{4, 4} : line{120, 8};
}

std::uint8_t flag_byte(std::uint32_t flag, std::uint64_t at) {
    return static_cast<std::uint8_t>(flag >> at % 4 * 8);
}

}  // namespace

std::uint64_t with_flags(std::uint64_t bytes, wire_format how) {
    if (how == wire_format::plain) return bytes;
    const line each = line_of(how);
    return bytes + (bytes + each.data - 1) / each.data * each.flag;
}

std::vector<std::uint8_t> flagged(std::span<const std::uint8_t> bytes, wire_format how, std::uint32_t flag) {
    const line each = line_of(how);
    std::vector<std::uint8_t> all;
    all.reserve(with_flags(bytes.size(), how));
    for (std::size_t at = 0; at < bytes.size(); at += each.data) {
        const auto data = bytes.subspan(at, std::min<std::size_t>(each.data, bytes.size() - at));
        all.insert(all.end(), data.begin(), data.end());
        for (std::uint64_t i = 0; i < each.flag; ++i) all.push_back(flag_byte(flag, i));
    }
    return all;
}

std::optional<std::vector<std::uint8_t>> unflagged(std::span<const std::uint8_t> all, std::uint64_t bytes,
                                                   wire_format how, std::uint32_t flag) {
    if (all.size() != with_flags(bytes, how)) return std::nullopt;
    const line each = line_of(how);
    std::vector<std::uint8_t> data;
    data.reserve(bytes);
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t here = std::min<std::size_t>(each.data, bytes - data.size());
        data.insert(data.end(), all.begin() + static_cast<std::ptrdiff_t>(at),
                    all.begin() + static_cast<std::ptrdiff_t>(at + here));
        at += here;
        for (std::uint64_t i = 0; i < each.flag; ++i)
            if (all[at++] != flag_byte(flag, i)) return std::nullopt;
    }
    return data;
}

}  // namespace polycast::hw::programs
