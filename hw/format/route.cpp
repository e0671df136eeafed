// SPDX-License-Identifier: Apache-2.0
#include "hw/format/route.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace polycast::hw::format {

namespace {

void write_stop(const header_shape& shape, const stop& where, std::uint8_t* bytes) {
    if (where.chip >= 1u << stop_switch_field.bits)
        throw std::invalid_argument("switch " + std::to_string(where.chip) + " has no number in headers of worms");
    const unsigned string_bytes = (shape.ports + 7) / 8;
    if (where.ports == 0) throw std::invalid_argument("a worm has a stop without ports");
    if (string_bytes < 8 && where.ports >> (8 * string_bytes) != 0)
        throw std::invalid_argument("a worm names a port that no switch has");
    write_field<stop_switch_field>(bytes, where.chip);
    for (unsigned byte = 0; byte < string_bytes; ++byte)
        bytes[stop_ports_field.offset / 8 + byte] = static_cast<std::uint8_t>(where.ports >> (8 * byte));
}

stop read_stop(const header_shape& shape, const std::uint8_t* bytes) {
    stop found{read_field<stop_switch_field>(bytes), 0};
    for (unsigned byte = 0; byte < (shape.ports + 7) / 8; ++byte)
        found.ports |= std::uint64_t{bytes[stop_ports_field.offset / 8 + byte]} << (8 * byte);
    return found;
}

}  // namespace

route unicast_route(std::uint32_t host) {
    std::vector<std::uint8_t> header(unicast_header_bytes);
    write_field<destination_field>(header.data(), host);
    return {packet_kind::unicast, {header.begin() + common_header_bytes, header.end()}};
}

route tree_route(const header_shape& shape, std::span<const std::uint32_t> hosts) {
    if (hosts.empty()) throw std::invalid_argument("a tree worm has no destination");
    route made{packet_kind::tree, std::vector<std::uint8_t>((shape.hosts + 7) / 8)};
    for (const std::uint32_t host : hosts) {
        if (host >= shape.hosts) throw std::invalid_argument("host " + std::to_string(host) + " does not exist");
        std::uint8_t& byte = made.field[host / 8];
        byte = static_cast<std::uint8_t>(byte | 1u << host % 8);
    }
    return made;
}

route ssr_route(const header_shape& shape, const stop& where) {
    route made{packet_kind::ssr, std::vector<std::uint8_t>(stop_bytes(shape))};
    write_stop(shape, where, made.field.data());
    return made;
}

route path_route(const header_shape& shape, std::span<const stop> stops) {
    if (stops.empty()) throw std::invalid_argument("a path worm has no stop");
    if (stops.size() > shape.stops) {
        throw std::invalid_argument("a path worm has " + std::to_string(stops.size()) + " stops, headers hold " +
                                    std::to_string(shape.stops));
    }
    constexpr unsigned list = path_list_field.offset / 8 - common_header_bytes;
    route made{packet_kind::path, std::vector<std::uint8_t>(list + stops.size() * stop_bytes(shape))};
    made.field[path_stops_field.offset / 8 - common_header_bytes] = static_cast<std::uint8_t>(stops.size());
    for (std::size_t index = 0; index < stops.size(); ++index)
        write_stop(shape, stops[index], &made.field[list + index * stop_bytes(shape)]);
    return made;
}

std::vector<stop> stops_of(const header_shape& shape, std::span<const std::uint8_t> header) {
    if (header.size() < common_header_bytes) return {};
    const auto kind = static_cast<packet_kind>(header[0] & 0xfu);
    unsigned count = 0;
    unsigned first = 0;
    if (kind == packet_kind::ssr) {
        count = 1;
        first = ssr_stop_field.offset / 8;
    } else if (kind == packet_kind::path && header.size() * 8 >= path_list_field.offset) {
        count = path_stops_of(header.data());
        first = path_list_field.offset / 8;
    }
    std::vector<stop> found;
    for (unsigned index = 0; index < count && header.size() >= first + (index + 1) * stop_bytes(shape); ++index)
        found.push_back(read_stop(shape, &header[first + index * stop_bytes(shape)]));
    return found;
}

}  // namespace polycast::hw::format
