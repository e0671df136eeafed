// SPDX-License-Identifier: Apache-2.0
/// \file How interfaces at VL switches (hw/chips/vl_switch/vl_switch.md) address packets: local identifiers, service
/// levels, and the lanes of the adapters' own links. One object for all interfaces of a network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace polycast::hw::ni {

struct lid_paths {
    /// Bytes of the route of a multicast in a slot, which is of kind `ssr` there: the stop is the MLID, low byte first,
    /// and the service level.
    static constexpr unsigned route_bytes = 3;
    /// SL to VL, four bits for each SL: all on lane 0.
    static constexpr std::uint64_t one_lane = 0;

    struct address {
        std::uint16_t dlid = 0;
        std::uint8_t sl = 0;
    };

    std::vector<std::uint16_t> base;                       ///< [host] its first LID
    std::vector<std::uint8_t> lmc;                         ///< [host] it has 2^lmc
    bool spread = false;                                   ///< over the LIDs of the destination, else the base LID
    std::vector<std::vector<std::uint8_t>> sl{};           ///< [source][DLID]; empty: 0 for all
    std::vector<std::uint64_t> lanes{};                    ///< [host] SL to VL of its link; empty: lane 0
    std::vector<std::vector<std::uint16_t>> groups{};      ///< [host] MLIDs that it receives, ascending; or empty
    std::map<std::uint16_t, std::uint8_t> group_levels{};  ///< [MLID] service level of its packets; of all groups

    /// Of unicasts. The same for all packets of a pair, so that they stay in order.
    address to(std::uint32_t host, std::uint32_t source) const {
        const unsigned shift = spread ? (source + host) & ((1u << lmc[host]) - 1) : 0;
        const auto dlid = static_cast<std::uint16_t>(base[host] + shift);
        return {dlid, sl.empty() ? std::uint8_t{0} : sl[source][dlid]};
    }
    bool leads_to(std::uint32_t host, std::uint32_t dlid) const {
        return base[host] != 0 && dlid >= base[host] && dlid < base[host] + (1u << lmc[host]);
    }
    bool receives(std::uint32_t host, std::uint32_t mlid) const {
        return !groups.empty() && std::ranges::binary_search(groups[host], mlid);
    }
    /// Hosts that receive a group.
    std::vector<std::uint32_t> members(std::uint32_t mlid) const {
        std::vector<std::uint32_t> all;
        for (std::uint32_t host = 0; host < base.size(); ++host)
            if (receives(host, mlid)) all.push_back(host);
        return all;
    }
    /// Lane of a service level on the link of a host; 15: none.
    unsigned lane(std::uint32_t host, unsigned service_level) const {
        return lanes.empty() ? 0 : static_cast<unsigned>(lanes[host] >> 4 * service_level & 15);
    }
};

}  // namespace polycast::hw::ni
