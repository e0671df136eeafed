// SPDX-License-Identifier: Apache-2.0
#include "hw/delivery/check.h"

#include <array>

#include "hw/traffic/random.h"

namespace polycast::hw::delivery {

std::optional<std::size_t> first_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    if (std::ranges::equal(a, b)) return {};
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::optional<std::size_t> check::first_wrong(std::uint64_t transfer, std::uint64_t offset,
                                              std::span<const std::uint8_t> bytes) const {
    // In pieces, so that a long message is never held whole.
    std::array<std::uint8_t, 4096> piece;
    for (std::size_t done = 0; done < bytes.size();) {
        const std::span<std::uint8_t> made = std::span(piece).first(std::min(piece.size(), bytes.size() - done));
        traffic::fill_payload(payload_seed_, transfer, made, offset + done);
        if (const auto wrong = first_difference(made, bytes.subspan(done, made.size()))) return done + *wrong;
        done += made.size();
    }
    return {};
}

}  // namespace polycast::hw::delivery
