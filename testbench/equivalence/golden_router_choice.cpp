// SPDX-License-Identifier: Apache-2.0
// The page's section on choice: which of its ports a packet takes.
#include <algorithm>

#include "testbench/equivalence/golden_router.h"

namespace polycast::testbench::equivalence {

/// What the policy `keep` leaves of the virtual channels of each branch.
void golden_router::keep_number(unsigned vc, std::vector<branch>& branches) const {
    if (tables_.policy == hw::chips::vc_policy::any) return;
    for (branch& each : branches) {
        unsigned kept = vc;
        while (!each.may_use[kept]) kept = (kept + 1) % params_.vcs;
        each.may_use.assign(params_.vcs, false);
        each.may_use[kept] = true;
    }
}

/// Loads are counted afresh: of all packets that are here.
unsigned golden_router::packets_on_their_way_to(unsigned output) const {
    unsigned count = 0;
    for (const input_port& port : inputs_) {
        for (const input_channel& channel : port.vcs) {
            for (const packet& each : channel.packets) {
                if (!each.complete || each.routed >= cycle_) continue;
                for (const branch& one : each.branches) count += one.output == output && !one.done ? 1 : 0;
            }
        }
    }
    return count;
}

unsigned golden_router::credits_for(const branch& what) const {
    unsigned sum = 0;
    for (unsigned vc = 0; vc < params_.vcs; ++vc) {
        if (what.may_use[vc]) sum += outputs_[what.output].vcs[vc].credits;
    }
    return sum;
}

/// Leaves one of the branches.
void golden_router::choose(unsigned input, std::vector<branch>& branches) {
    if (tables_.select == hw::chips::route_select::least_loaded) {
        unsigned least = ~0u;
        for (const branch& each : branches) least = std::min(least, packets_on_their_way_to(each.output));
        std::erase_if(branches, [&](const branch& each) { return packets_on_their_way_to(each.output) != least; });
        unsigned most = 0;
        for (const branch& each : branches) most = std::max(most, credits_for(each));
        std::erase_if(branches, [&](const branch& each) { return credits_for(each) != most; });
    }
    std::vector<bool>& random = inputs_[input].random;
    unsigned number = 0;
    for (unsigned bit = 0; bit < 16; ++bit) number += random[bit] ? 1u << bit : 0;
    const branch taken = branches[number * branches.size() / 65536];
    branches.assign(1, taken);
    for (unsigned shift = 0; shift < 8; ++shift) {
        // x^16 + x^15 + x^13 + x^4 + 1
        const bool in = (random[15] != random[14]) != (random[12] != random[3]);
        random.pop_back();
        random.insert(random.begin(), in);
    }
}

}  // namespace polycast::testbench::equivalence
