// SPDX-License-Identifier: Apache-2.0
#include "hw/system/packet_places.h"

#include <algorithm>
#include <bit>
#include <string>

namespace polycast::hw::system {

namespace {

packet_places::packet packet_of(const std::uint8_t* header) {
    const format::common_header common = format::read_common(header);
    return {common.source, common.sequence, static_cast<std::uint16_t>(format::read_field<format::dlid_field>(header)),
            static_cast<std::uint8_t>(header[format::sl_field.offset / 8] & 0xf)};
}

std::uint64_t key_of(const packet_places::packet& which) {
    return std::uint64_t{which.source} << 32 | which.sequence;
}

}  // namespace

packet_places::packet_places(const system_plan& plan) : plan_(plan), vcs_(plan.vcs()), chips_(plan.switch_count()) {
    for (std::uint32_t id = 0; id < chips_.size(); ++id) {
        const std::size_t ports = plan.network.switches[id].ports.size();
        chips_[id].in = chips_[id].out = lane_headers(ports, vcs_);
        chips_[id].held.resize(ports * vcs_);
    }
}

void packet_places::stepped(engine::chip_id id, engine::cycle /*now*/, const engine::pins& in, const engine::pins& out,
                            const engine::chip& chip) {
    if (id >= chips_.size()) return;
    chips_[id].in.see(in, chip.shape(), [&](unsigned entry, const header& of, bool completes, bool) {
        if (completes) came(id, entry, of);
    });
    chips_[id].out.see(out, chip.shape(), [&](unsigned, const header& of, bool, bool ends) {
        if (ends && of.complete()) left(id, of);
    });
}

/// What is dropped whole is not held.
void packet_places::came(engine::chip_id id, unsigned entry, const header& of) {
    packet made = packet_of(of.data.data());
    const vl_switch_chip& chip = plan_.vl_switch_at(id);
    const unsigned in = entry / vcs_;
    std::uint64_t ports = 0;
    if (made.dlid < format::first_multicast_lid) {
        const unsigned port = made.dlid < chip.tables.lft.size() ? chip.tables.lft[made.dlid] : 0;
        if (port != 0 && port <= chip.params.ports) ports = std::uint64_t{1} << (port - 1);
    } else if (made.dlid - format::first_multicast_lid < chip.tables.mft.size()) {
        ports = chip.tables.mft[made.dlid - format::first_multicast_lid];
    }
    ports &= ~(std::uint64_t{1} << in);
    for (; ports != 0; ports &= ports - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(ports));
        if (port >= chip.params.ports) break;
        const unsigned vl = lane(id, in, port, made);
        if (vl < vcs_ && chip.tables.credits[port * vcs_ + vl] != 0) ++made.copies;
    }
    if (made.copies == 0) return;
    chips_[id].held[entry].push_back(made);
    chips_[id].entry_of[key_of(made)] = entry;
}

/// Packets in front of one that leaves are gone: they were dropped.
void packet_places::left(engine::chip_id id, const header& of) {
    followed_chip& chip = chips_[id];
    const std::uint64_t key = key_of(packet_of(of.data.data()));
    const auto found = chip.entry_of.find(key);
    if (found == chip.entry_of.end()) return;
    std::deque<packet>& held = chip.held[found->second];
    while (!held.empty() && key_of(held.front()) != key) {
        chip.entry_of.erase(key_of(held.front()));
        held.pop_front();
    }
    if (held.empty() || --held.front().copies != 0) return;
    chip.entry_of.erase(found);
    held.pop_front();
}

std::optional<packet_places::packet> packet_places::first(engine::chip_id chip, unsigned entry) const {
    const std::deque<packet>& held = chips_[chip].held[entry];
    if (held.empty()) return std::nullopt;
    return held.front();
}

unsigned packet_places::lane(engine::chip_id chip, unsigned in, unsigned out, const packet& which) const {
    const vl_switch_chip& at = plan_.vl_switch_at(chip);
    return (*at.tables.sl2vl)[std::size_t{in} * at.params.ports + out] >> 4 * which.sl & 0xf;
}

std::string packet_places::text(const packet& which) const {
    const auto name = [this](std::uint32_t host) {
        return host < plan_.network.hosts.size() ? plan_.network.hosts[host].name : "host" + std::to_string(host);
    };
    std::string to = "LID " + std::to_string(which.dlid);
    if (which.dlid >= format::first_multicast_lid) {
        constexpr char digits[] = "0123456789ABCDEF";
        to = "0x";
        for (unsigned shift = 16; shift != 0; shift -= 4) to += digits[which.dlid >> (shift - 4) & 0xf];
    } else {
        for (std::uint32_t host = 0; host < plan_.network.hosts.size(); ++host)
            if (plan_.host.interface.lids->leads_to(host, which.dlid)) to = name(host);
    }
    return name(which.source) + ">" + to + " #" + std::to_string(which.sequence);
}

}  // namespace polycast::hw::system
