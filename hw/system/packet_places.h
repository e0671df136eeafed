// SPDX-License-Identifier: Apache-2.0
/// \file Which packets are in the buffers of VL switches, read off the pins; diagnoses name them, and what they wait
/// for.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/engine/network.h"
#include "hw/system/lane_headers.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// Is to be shown all steps of a network of VL switches.
class packet_places final : public engine::observer {
public:
    struct packet {
        std::uint32_t source = 0;  ///< host
        std::uint32_t sequence = 0;
        std::uint16_t dlid = 0;
        std::uint8_t sl = 0;
        unsigned copies = 0;  ///< that have not left
    };

    /// `plan` outlives it.
    explicit packet_places(const system_plan& plan);

    void stepped(engine::chip_id id, engine::cycle now, const engine::pins& in, const engine::pins& out,
                 const engine::chip& chip) override;

    /// The first packet of a lane of a switch's input, `entry` = port x lanes + lane; nothing if there is none.
    std::optional<packet> first(engine::chip_id chip, unsigned entry) const;
    /// Lane on which a packet that came by `in` leaves by `out`; 15: none.
    unsigned lane(engine::chip_id chip, unsigned in, unsigned out, const packet& which) const;
    /// "node021>node005 #0": source, destination or group, and number among the packets of the source.
    std::string text(const packet& which) const;

private:
    using header = lane_headers::header;
    struct followed_chip {
        lane_headers in, out;
        std::vector<std::deque<packet>> held;  ///< [entry]
        std::unordered_map<std::uint64_t, unsigned> entry_of;
    };

    void came(engine::chip_id id, unsigned entry, const header& of);
    void left(engine::chip_id id, const header& of);

    const system_plan& plan_;
    unsigned vcs_;
    std::vector<followed_chip> chips_;
};

/// What stops a network of VL switches: a cycle of channels, each with its packet, or who waits for what.
std::string lane_diagnosis(const system_plan& plan, const traffic::goal& goal, const engine::chip_network& network,
                           const packet_places& places);

}  // namespace polycast::hw::system
