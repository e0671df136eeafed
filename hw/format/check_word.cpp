// SPDX-License-Identifier: Apache-2.0
#include "hw/format/check_word.h"

#include <algorithm>
#include <array>

#include "hw/format/crc32c.h"

namespace polycast::hw::format {

namespace {

using common_bytes = std::array<std::uint8_t, common_header_bytes>;

common_bytes covered_common(const std::uint8_t* common) {
    common_bytes covered;
    std::copy_n(common, common_header_bytes, covered.data());
    set_up(covered.data(), false);
    return covered;
}

/// Adds what no switch rewrites of the route behind the common header.
void add_route(crc32c_sum& sum, std::span<const std::uint8_t> header) {
    const std::span<const std::uint8_t> route = header.subspan(common_header_bytes);
    switch (static_cast<packet_kind>(header[0] & 0xfu)) {
        case packet_kind::unicast:
        case packet_kind::lid:
        case packet_kind::ssr: return sum.add(route);
        case packet_kind::broadcast: return sum.add(route.first(broadcast_port_field.bits / 8));
        case packet_kind::path: {
            static_assert(path_stops_field.bits == 8 && path_next_field.bits == 8);
            const std::array<std::uint8_t, 2> stops_and_next{route[0], 0};
            sum.add(stops_and_next);
            return sum.add(route.subspan(stops_and_next.size()));
        }
        case packet_kind::tree:
        case packet_kind::pipelined: return;
    }
}

std::uint32_t crc_of(byte_span bytes) {
    return crc32c(bytes, {});
}

}  // namespace

std::uint32_t check_word(check_cover cover, std::span<const std::uint8_t> header, const std::uint8_t* transport,
                         std::span<const std::uint8_t> payload) {
    if (cover == check_cover::payload) return check_word(header.data(), transport, payload);
    crc32c_sum sum;
    sum.add(covered_common(header.data()));
    add_route(sum, header);
    sum.add({transport, transport_bytes});
    sum.add(payload);
    return sum.value();
}

std::uint32_t check_word(const std::uint8_t* common, const std::uint8_t* transport,
                         std::span<const std::uint8_t> payload) {
    std::array<std::uint8_t, common_header_bytes + transport_bytes> fixed;
    std::uint8_t* const fixed_transport = std::copy_n(common, common_header_bytes, fixed.data());
    std::copy_n(transport, transport_bytes, fixed_transport);
    set_up(fixed.data(), false);
    write_field<transport_hops_field>(fixed_transport, 0);
    return crc32c(fixed, payload);
}

std::uint32_t route_share(check_cover cover, std::span<const std::uint8_t> header, std::uint16_t hops,
                          std::size_t payload_bytes) {
    if (cover == check_cover::payload) return 0;
    const common_bytes common = covered_common(header.data());
    crc32c_sum with_route;
    with_route.add(common);
    add_route(with_route, header);
    const std::uint32_t route = with_route.value() ^ crc_of(common);
    constexpr unsigned hops_end = (transport_hops_field.offset + transport_hops_field.bits) / 8;
    std::array<std::uint8_t, hops_end> with_hops{}, without{};
    write_field<transport_hops_field>(with_hops.data(), hops);
    return crc32c_behind(route, transport_bytes + payload_bytes) ^
           crc32c_behind(crc_of(with_hops) ^ crc_of(without), transport_bytes - hops_end + payload_bytes);
}

std::uint32_t common_change(const std::uint8_t* from, const std::uint8_t* to, std::size_t payload_bytes) {
    return crc32c_behind(crc_of(covered_common(from)) ^ crc_of(covered_common(to)), transport_bytes + payload_bytes);
}

}  // namespace polycast::hw::format
