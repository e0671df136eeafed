// SPDX-License-Identifier: Apache-2.0
/// \file The classes of faults of a campaign. tlm/sim/campaign/campaign.md says what each draws from.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polycast::tlm::sim {

enum class fault_class : std::uint8_t {
    bit1,
    bit2,
    bit6,
    burst32,
    burst64,
    lost_flit,
    lost_credit,
    double_credit,
    lost_set,
    dead_short,
    dead_long,
    dead_ever,
    stuck,
    upset_buffer,
    upset_routes,
    upset_credits,
    upset_ring,
    upset_counters,
    upset_packets,
    hang,
};

struct fault_class_name {
    std::string_view name;
    std::string_view doc;
};

inline constexpr std::array<fault_class_name, 20> fault_classes = {{
    {"bit1", "a bit of a symbol flips"},
    {"bit2", "two bits flip, in a symbol and the seven cycles behind it"},
    {"bit6", "six bits likewise"},
    {"burst32", "up to 32 neighbouring bits: the first and the last flip, each between by half"},
    {"burst64", "up to 64 likewise"},
    {"lost_flit", "a flit is lost"},
    {"lost_credit", "a credit, or a cf_update, is lost"},
    {"double_credit", "a credit, or a cf_update, comes twice"},
    {"lost_set", "an ordered set is lost"},
    {"dead_short", "a cable is dead for less than every timeout"},
    {"dead_long", "a cable is dead for longer than every timeout"},
    {"dead_ever", "a cable dies"},
    {"stuck", "a wire does not change for 10 to 10,000 cycles"},
    {"upset_buffer", "a bit of a flit in a buffer of a switch or router flips"},
    {"upset_routes", "a bit of a table of routes to hosts flips, in a switch or router"},
    {"upset_credits", "a bit of a credit counter of a switch or router flips"},
    {"upset_ring", "a stored bit of a link end's ring flips"},
    {"upset_counters", "a bit of a link end's credit counters flips"},
    {"upset_packets", "a bit of a packet in an interface's memory flips"},
    {"hang", "the processor of an interface stands still"},
}};

constexpr std::string_view name_of(fault_class of) {
    return fault_classes[static_cast<std::size_t>(of)].name;
}

}  // namespace polycast::tlm::sim
