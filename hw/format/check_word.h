// SPDX-License-Identifier: Apache-2.0
/// \file Check words of packets: CRC-32C (RFC 3720, appendix B.4). check_word.md says what they cover.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/format/header.h"

namespace polycast::hw::format {

/// The check word of a packet. `header`: all of its header, with the number of the host as destination of a unicast;
/// `transport`: transport_bytes bytes.
std::uint32_t check_word(check_cover cover, std::span<const std::uint8_t> header, const std::uint8_t* transport,
                         std::span<const std::uint8_t> payload);

/// That of check_cover::payload; `common`: common_header_bytes bytes.
std::uint32_t check_word(const std::uint8_t* common, const std::uint8_t* transport,
                         std::span<const std::uint8_t> payload);

/// What turns a check word of check_cover::payload into that of `cover`, and back, by XOR: whoever rewrites route and
/// hops takes out the old ones and puts in the new ones without looking at the payload, so that a bit of it that has
/// flipped meanwhile is still found.
std::uint32_t route_share(check_cover cover, std::span<const std::uint8_t> header, std::uint16_t hops,
                          std::size_t payload_bytes);

/// What turns the check word of a packet into that of one with another common header, likewise.
std::uint32_t common_change(const std::uint8_t* from, const std::uint8_t* to, std::size_t payload_bytes);

}  // namespace polycast::hw::format
