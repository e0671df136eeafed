// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/vl_switch/vl_switch_config.h"

#include <string>

#include "hw/chips/parameter.h"

namespace polycast::hw::chips {

namespace {

constexpr limits check("VL switch", "hw/chips/vl_switch/vl_switch.md");

/// Every lane that is in use is in a table, or its packets would wait for ever.
void check_weights(const vl_switch_params& p, const vl_switch_tables& t) {
    check.that(p.weighted, "policy weighted needs parameter weighted");
    check.that(t.weights.size() == p.ports, "a table of VL arbitration is missing: there must be one for each port");
    for (unsigned port = 0; port < p.ports; ++port) {
        unsigned listed = 0;
        for (const auto* table : {&t.weights[port].high, &t.weights[port].low})
            for (const vl_weights::entry& entry : *table)
                if (entry.weight != 0) listed |= 1u << entry.vl;
        for (unsigned vl = 0; vl < p.vls; ++vl)
            check.that(t.credits[port * p.vls + vl] == 0 || (listed >> vl & 1) != 0,
                       "VL " + std::to_string(vl) + " of port " + std::to_string(port + 1) +
                           " is in use, but neither table of VL arbitration has it");
    }
}

}  // namespace

vl_switch_tables checked(const vl_switch_params& p, vl_switch_tables t) {
    check.within(t.route_delay, 1, 15, "cycles of routing");
    check.within(t.packet_limit, 1, 65535, "the packet limit");
    check.within(t.hoq_life, 0, (1u << 20) - 1, "the life at the head of a queue");
    const std::size_t lanes = std::size_t{p.ports} * p.vls;
    check.that(t.vl_chunks.size() == lanes && t.credits.size() == lanes,
               "a table per lane does not have one entry per port and VL");
    const unsigned reserve = t.reserve(p);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::string where =
            " of VL " + std::to_string(lane % p.vls) + " of port " + std::to_string(lane / p.vls + 1);
        check.that(t.vl_chunks[lane] <= p.chunks, "usable chunks" + where + " must be 0.." + std::to_string(p.chunks));
        check.that(t.credits[lane] <= 65535, "credits" + where + " must be 0..65535");
        const bool fits = (t.vl_chunks[lane] == 0 || t.vl_chunks[lane] >= reserve) &&
                          (t.credits[lane] == 0 || t.credits[lane] >= reserve);
        check.that(fits, "the buffer" + where + " does not hold the longest packet, which takes " +
                             std::to_string(reserve) + " chunks");
    }
    const char* const doors = t.doors.problem(p.ports, p.max_sources);
    check.that(doors == nullptr, doors == nullptr ? "" : doors);
    check.that(t.lft.size() <= p.max_lids, "the unicast table has more than max_lids entries");
    check.that(t.mft.size() <= p.max_groups, "the multicast table has more than max_groups entries");
    check.that(t.sl2vl != nullptr && t.sl2vl->size() == std::size_t{p.ports} * p.ports,
               "the table of virtual lanes does not have one entry per input and output");
    if (t.policy == vl_policy::weighted) check_weights(p, t);
    return t;
}

}  // namespace polycast::hw::chips
