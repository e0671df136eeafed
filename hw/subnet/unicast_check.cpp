// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/unicast_check.h"

#include "hw/subnet/unicast_walk.h"

namespace polycast::hw::subnet {

void unicast_walk::find_order() {
    std::fill(degree_.begin(), degree_.end(), 0);
    for (std::uint32_t s = 0; s < count_; ++s)
        if (next_[s] != nowhere) ++degree_[next_[s]];
    order_.clear();
    for (std::uint32_t s = 0; s < count_; ++s)
        if (degree_[s] == 0) order_.push_back(s);
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const std::uint32_t n = next_[order_[at]];
        if (n != nowhere && --degree_[n] == 0) order_.push_back(n);
    }
    rings_.clear();
    if (order_.size() == count_) return;
    for (std::uint32_t s = 0; s < count_; ++s) {
        if (degree_[s] == 0 || fate_[s] != fate::open) continue;
        std::vector<std::uint32_t> ring;
        for (std::uint32_t here = s; ring.empty() || here != s; here = next_[here]) ring.push_back(here);
        const bool back = ring.size() == 2 && peer(s, out_[s]).port == out_[ring[1]];
        for (const std::uint32_t one : ring) {
            fate_[one] = back ? fate::back : fate::round;
            at_[one] = back ? next_[one] : *std::min_element(ring.begin(), ring.end());
        }
        if (back) {
            // Each sends to the other, which drops it: neither way goes on.
            for (const std::uint32_t one : ring) {
                next_[one] = nowhere;
                order_.push_back(one);
            }
        } else {
            rings_.push_back(std::move(ring));
        }
    }
}

void unicast_walk::lose(unsigned lid, std::uint32_t s, std::uint32_t t, std::uint32_t host) {
    const std::uint32_t at = at_[s];
    // A host whose own cable the entry names gets its packets back from nobody: the switch drops them.
    const std::uint64_t returned = fate_[s] == fate::other_host && at == s ? std::uint64_t{1} << out_[s] : 0;
    const bool only_returned = returned != 0 && (sources_at(s) & ~returned) == 0 && !sends_itself(s, t, host);
    const fate ends = only_returned ? fate::back : fate_[s];
    const std::string reason = text_of(ends);
    const std::string where = out_[at] != 0xff ? state_.port_text(at, out_[at]) : network_.switches[at].name;
    lost_[ends].add([&] {
        return located(of_, of_.switches[at].row_place(lid),
                       "LID " + std::to_string(lid) + " is not reached from switch '" + network_.switches[s].name +
                           "': " + reason + " at " + where,
                       "let the subnet manager route again");
    });
    for (std::uint64_t ports = sources_at(s); ports != 0; ports &= ports - 1) {
        const std::uint32_t h = peer(s, static_cast<unsigned>(std::countr_zero(ports))).index;
        const bool back = (ports & ~(ports - 1) & returned) != 0;
        add_lost(network_.hosts[h].name, lid, back ? text_of(fate::back) : reason, where, h);
    }
    if (sends_itself(s, t, host))
        add_lost(network_.switches[s].name, lid, reason, where, static_cast<std::uint32_t>(of_.hosts.size()) + s);
}

void unicast_walk::hash_ways() {
    // One hash for each switch and LID of the port: equal ways have equal ones.
    hashes_.resize(hashes_.size() + count_);
    std::uint64_t* hash = hashes_.data() + (hashes_.size() - count_);
    for (std::size_t at = order_.size(); at-- > 0;) {
        const std::uint32_t s = order_[at];
        if (fate_[s] != fate::arrives) continue;
        const std::uint64_t rest = next_[s] == nowhere ? 1 : hash[next_[s]];
        hash[s] = (rest * 0x9e3779b97f4a7c15 ^ (s * stride_ + out_[s] + 1)) * 0xbf58476d1ce4e5b9;
        hash[s] ^= hash[s] >> 29;
    }
}

void unicast_walk::count_ways(unsigned lids) {
    std::vector<std::uint64_t> ways;
    for (std::uint32_t s = 0; s < count_; ++s) {
        const std::uint64_t sources = sources_at(s);
        if (sources == 0) continue;
        ways.clear();
        for (unsigned l = 0; l < lids; ++l)
            if (const std::uint64_t hash = hashes_[l * count_ + s]) ways.push_back(hash);
        std::sort(ways.begin(), ways.end());
        const auto different = std::unique(ways.begin(), ways.end()) - ways.begin();
        state_.result.ways[static_cast<unsigned>(different)] += static_cast<std::uint64_t>(std::popcount(sources));
    }
}

void unicast_walk::check_rows() {
    std::vector<bool> owned(max_lid + 1);
    const auto own = [&](const lid_owner& port) {
        for (unsigned l = port.lid; port.lid != 0 && l < port.lid + (1u << port.lmc) && l <= max_lid; ++l)
            owned[l] = true;
    };
    for (const host_state& one : of_.hosts) own(one.self);
    for (const switch_state& one : of_.switches) own(one.self);
    findings nobody, missing;
    for (std::uint32_t s = 0; s < count_; ++s) {
        const switch_state& one = of_.switches[s];
        if (!one.has_table()) continue;
        const unsigned end = std::max(one.fdbs.ports.end(), one.lfts.ports.end());
        for (unsigned lid = 1; lid < end && lid <= max_lid; ++lid)
            if (!owned[lid] && one.port_for(lid) < no_row)
                nobody.add([&] { return located(of_, one.row_place(lid), "nobody owns LID " + std::to_string(lid)); });
        for (std::uint32_t t = 0; t < count_; ++t) {
            const unsigned lid = of_.switches[t].self.lid;
            if (lid != 0 && one.port_for(lid) >= no_row)
                missing.add([&] {
                    return located(of_, std::nullopt,
                                   "switch '" + network_.switches[s].name + "' has no entry for LID " +
                                       std::to_string(lid) + " of switch '" + network_.switches[t].name + "'");
                });
        }
    }
    for (const findings* one : {&nobody, &missing, &hops_})
        if (one->count != 0) state_.result.warnings.push_back(one->sentence());
}

void unicast_walk::finish() {
    check_result& result = state_.result;
    for (const auto& [how, found] : lost_) result.problems.push_back(found.sentence());
    for (const auto& [reason, found] : dropped_) result.problems.push_back(found.sentence());
    for (auto& [key, pair] : lost_pairs_) result.lost.push_back(std::move(pair));
    for (unsigned length = 0; length < cables_.size(); ++length)
        if (cables_[length] != 0) result.cables[length] = cables_[length];
    if (result.longer != 0)
        result.warnings.push_back(std::to_string(result.longer) + " of " + std::to_string(result.reached) +
                                  " ways are longer than the shortest");
    for (std::uint32_t s = 0; s < count_; ++s)
        for (std::size_t p = 0; p < stride_; ++p)
            if (const std::uint32_t load = loads_[s * stride_ + p];
                load != 0 && peer(s, static_cast<unsigned>(p)).kind == port_end::leads_to::chip)
                ++result.balance.histogram[load];
    for (const auto& [load, directions] : result.balance.histogram) result.balance.directions += directions;
    if (!result.balance.histogram.empty()) {
        result.balance.least = result.balance.histogram.begin()->first;
        result.balance.most = result.balance.histogram.rbegin()->first;
    }
    check_rows();
}

void check_unicast(check_state& state) {
    unicast_walk(state).run();
}

}  // namespace polycast::hw::subnet
