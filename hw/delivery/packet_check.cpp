// SPDX-License-Identifier: Apache-2.0
#include "hw/delivery/packet_check.h"

#include "hw/format/header.h"

namespace polycast::hw::delivery {

packet_check::arriving* packet_check::add(std::uint32_t host, const engine::flit& flit) {
    if (flit.vc >= vcs_) {
        fault(no_packet, "a flit on a virtual channel that does not exist");
        return nullptr;
    }
    arriving& into = arriving_[std::size_t{host} * vcs_ + flit.vc];
    if (flit.head) {
        if (into.packet != no_packet) fault(into.packet, "ends without a tail");
        const format::common_header header = format::read_common(flit.header);
        into.packet = key_of(header.source, header.sequence);
        into.flits = 0;
        into.good = header.kind == format::packet_kind::unicast;
        into.bytes.clear();
    } else if (into.packet == no_packet) {
        fault(no_packet, "a flit outside of a packet at terminal " + std::to_string(host));
        return nullptr;
    }
    ++into.flits;
    return &into;
}

std::string packet_check::name(key packet) const {
    return "packet " + std::to_string(static_cast<std::uint32_t>(packet)) + " of terminal " +
           std::to_string(packet >> 32);
}

void packet_check::fault(key packet, const std::string& what) {
    check::fault([&] { return packet == no_packet ? what : name(packet) + " " + what; });
}

}  // namespace polycast::hw::delivery
