// SPDX-License-Identifier: Apache-2.0
// The header and route part of vl_switch_core: from the first flit of a packet to the set of outputs it needs.
#include <algorithm>
#include <cstring>

#include "hw/chips/port_set.h"
#include "hw/chips/vl_switch/vl_switch_core.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using format::chip_error;

/// Flit number frame.flits of a header that is not complete yet. \returns true if it is now
bool vl_switch_core::take_header(unsigned lane, input_lane& input, const std::uint8_t* flit) {
    if (params_.header_free) return true;
    const unsigned bytes = params_.flit_bytes;
    if (input.frame.flits == 1)
        input.header_flits =
            static_cast<std::uint8_t>((flit[0] & 0xf) == static_cast<unsigned>(format::packet_kind::lid)
                                          ? format::header_flits(format::lid_header_bytes, bytes)
                                          : 1);
    const unsigned from = (input.frame.flits - 1u) * bytes;
    std::memcpy(&headers_[std::size_t{lane} * format::lid_header_bytes + from], flit,
                std::min(bytes, format::lid_header_bytes - from));
    return input.frame.flits == input.header_flits;
}

/// May the packet with this header not come in here?
bool vl_switch_core::is_foreign(const std::uint8_t* header, unsigned port) const {
    if ((header[0] & 0xf) != static_cast<unsigned>(format::packet_kind::lid)) return false;
    const std::uint32_t source = format::read_field<format::source_field>(header);
    return source >= params_.max_sources || !tables_.doors.let_in(source, port);
}

/// Step 2.
vl_switch_core::routing vl_switch_core::route(unsigned lane, const std::uint8_t* header) const {
    routing found{static_cast<std::uint16_t>(lane), 0, {}};
    const auto fail = [&](chip_error error) {
        found.errors = static_cast<std::uint16_t>(found.errors | static_cast<unsigned>(error));
    };
    if ((header[0] & 0xf) != static_cast<unsigned>(format::packet_kind::lid)) {
        fail(chip_error::bad_kind);
        return found;
    }
    const unsigned input = lane / params_.vls;
    const std::uint32_t dlid = format::read_field<format::dlid_field>(header);
    found.where.sl = header[format::sl_field.offset / 8] >> format::sl_field.offset % 8 & 0xf;
    std::uint64_t ports = 0;
    if (dlid < format::first_multicast_lid) {
        const unsigned port = dlid == 0 || dlid >= tables_.lft.size() ? 255u : tables_.lft[dlid];
        if (port == 0 || port > params_.ports || (open_ >> (port - 1) & 1) != 0) {
            fail(chip_error::no_route);
        } else if (port - 1 == input) {
            fail(chip_error::looping);
        } else {
            ports = bit(port - 1);
        }
    } else {
        const std::uint32_t group = dlid - format::first_multicast_lid;
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - params_.ports);
        const std::uint64_t members = group < tables_.mft.size() ? tables_.mft[group] & all : 0;
        const std::uint64_t others = members & ~bit(input);
        if (members == 0) fail(chip_error::no_route);
        if ((others & open_) != 0) fail(chip_error::partial_route);
        ports = others & ~open_;
    }
    for (std::uint64_t set = ports; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if ((exists_[port] >> vl_of(input, port, found.where.sl) & 1) != 0) continue;
        ports &= ~bit(port);
        fail(chip_error::vl_dropped);
    }
    found.where.ports = ports;
    return found;
}

/// The decision about the next packet of a lane is there.
void vl_switch_core::routed(const routing& done, engine::pins& out) {
    raise(done.lane / params_.vls, done.errors, out);
    input_lane& input = inputs_[done.lane];
    const std::uint32_t place = (input.first_decision + input.decisions++) % params_.chunks;
    decisions_[std::size_t{done.lane} * params_.chunks + place] = done.where;
    loading_.push_back(done.lane);
}

}  // namespace polycast::hw::chips
