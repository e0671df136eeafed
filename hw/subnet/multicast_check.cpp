// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "hw/subnet/unicast_check.h"
#include "hw/topology/guid.h"

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

/// One multicast group: the masks of all switches.
class group_check {
public:
    group_check(check_state& state, unsigned mlid)
        : state_(state),
          of_(state.of),
          network_(state.of.network),
          mlid_(mlid),
          masks_(network_.switches.size()),
          reached_(network_.switches.size()),
          seen_(network_.switches.size() * max_vls),
          copies_(of_.hosts.size()) {}

    void run() {
        result_.mlid = mlid_;
        find_members();
        const auto found = of_.groups.find(mlid_);
        unsigned levels = found == of_.groups.end() ? 1 : found->second.service_levels;
        if (levels == 0) levels = 1;
        for (unsigned sl = 0; sl < 16; ++sl)
            if ((levels >> sl & 1) != 0) flood_all(sl);
        tell(found == of_.groups.end() ? nullptr : &found->second);
        state_.result.groups.push_back(result_);
    }

private:
    struct step {
        std::uint32_t chip;
        unsigned in;  ///< from 0; no_input: the switch itself
        unsigned vl;
    };
    static constexpr unsigned no_input = 64;

    void find_members() {
        for (std::uint32_t s = 0; s < network_.switches.size(); ++s) {
            const auto row = of_.switches[s].multicast.find(mlid_);
            if (row == of_.switches[s].multicast.end()) continue;
            ++result_.switches;
            masks_[s] = row->second.ports;
        }
        for (std::uint32_t s = 0; s < network_.switches.size(); ++s)
            for (std::uint64_t ports = masks_[s]; ports != 0; ports &= ports - 1) {
                const auto p = static_cast<unsigned>(std::countr_zero(ports));
                const port_end& end = network_.switches[s].ports[p];
                if (end.kind == port_end::leads_to::host) {
                    members_.push_back(end.index);
                } else if (end.kind == port_end::leads_to::nowhere) {
                    problem(s, "port " + std::to_string(p + 1) + " is in the row and not cabled");
                } else if ((masks_[end.index] >> end.port & 1) == 0) {
                    problem(s, "the cable at port " + std::to_string(p + 1) +
                                   " is in the tree, and not at its other end, " +
                                   network_.port_text(end.index, end.port));
                }
            }
        std::sort(members_.begin(), members_.end());
        result_.members = static_cast<std::uint32_t>(members_.size());
    }

    void flood_all(unsigned sl) {
        std::uint64_t missed = 0, duplicates = 0;
        for (const std::uint32_t member : members_) {
            const topology::host_node& host = network_.hosts[member];
            const char* reason = nullptr;
            const auto vl = state_.first_vl(member, sl, reason);
            std::fill(copies_.begin(), copies_.end(), 0);
            if (vl)
                flood({host.chip, host.port, *vl}, sl);
            else
                drop(host.name, reason);
            for (const std::uint32_t other : members_) {
                const unsigned right = other == member ? 0 : 1;
                missed += copies_[other] < right;
                duplicates += copies_[other] > right;
            }
        }
        result_.missed = std::max(result_.missed, missed);
        result_.duplicates = std::max(result_.duplicates, duplicates);
        if (!state_.options.all) return;
        for (std::uint32_t s = 0; s < network_.switches.size(); ++s) {
            const auto row = of_.switches[s].multicast.find(mlid_);
            if (row != of_.switches[s].multicast.end() && row->second.self) flood({s, no_input, 0}, sl);
        }
    }

    void flood(const step& start, unsigned sl) {
        std::fill(seen_.begin(), seen_.end(), 0);
        std::vector<std::uint64_t> entered(network_.switches.size());
        std::vector<step> queue{start};
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const step here = queue[at];
            reached_[here.chip] = true;
            if (here.in != no_input) {
                const std::uint64_t bit = std::uint64_t{1} << here.in;
                if ((entered[here.chip] & bit) != 0) result_.loop = true;
                entered[here.chip] |= bit;
                std::uint64_t& seen = seen_[here.chip * max_vls + here.vl];
                if ((seen & bit) != 0) continue;
                seen |= bit;
            }
            const std::uint64_t from = here.in == no_input ? 0 : std::uint64_t{1} << here.in;
            for (std::uint64_t ports = masks_[here.chip] & ~from; ports != 0; ports &= ports - 1) {
                const auto out = static_cast<unsigned>(std::countr_zero(ports));
                const port_end& end = network_.switches[here.chip].ports[out];
                if (end.kind == port_end::leads_to::nowhere) continue;
                const char* reason = nullptr;
                const auto w = state_.next_vl(here.chip, here.in == no_input ? 0 : here.in + 1, out + 1, sl, reason);
                if (!w) {
                    drop(network_.port_text(here.chip, out), reason);
                    continue;
                }
                state_.use(here.chip, from, here.vl, out, *w);
                if (end.kind == port_end::leads_to::host)
                    ++copies_[end.index];
                else
                    queue.push_back({end.index, end.port, *w});
            }
        }
    }

    std::string name() const { return "group " + topology::guid_text(mlid_); }

    void problem(std::uint32_t chip, const std::string& text) {
        const multicast_row& row = of_.switches[chip].multicast.at(mlid_);
        state_.result.problems.push_back(located(of_, row.at,
                                                 name() + " at switch '" + network_.switches[chip].name + "': " + text,
                                                 "let the subnet manager route the group again"));
    }

    void drop(const std::string& where, const char* reason) {
        if (!dropped_.insert(where + reason).second || dropped_.size() > 8) return;
        state_.result.problems.push_back(name() + " is lost at " + where + ": " + reason +
                                         "; give the SL2VL tables of the same sweep");
    }

    void tell(const group_members* told) {
        const auto all =
            std::to_string(std::uint64_t{result_.members} * (result_.members == 0 ? 0 : result_.members - 1));
        const auto say = [&](const std::string& text) {
            state_.result.problems.push_back(name() + ": " + text + "; let the subnet manager route the group again");
        };
        if (result_.missed != 0)
            say(std::to_string(result_.missed) + " of " + all + " pairs of a sender and another member are missed");
        if (result_.duplicates != 0)
            say(std::to_string(result_.duplicates) +
                " pairs of a sender and a member get a packet more than they should");
        if (result_.loop) say("a flood comes back to a port where it has been");
        for (std::uint32_t s = 0; s < network_.switches.size(); ++s)
            if (masks_[s] != 0 && !reached_[s])
                state_.result.warnings.push_back(located(of_, of_.switches[s].multicast.at(mlid_).at,
                                                         "no packet of a member of " + name() + " reaches this row"));
        if (told == nullptr) return;
        for (const auto& [host, how] : told->receive) {
            const bool has = std::binary_search(members_.begin(), members_.end(), host);
            if ((how & 3) != 0 && !has)
                state_.result.warnings.push_back(located(of_, told->at,
                                                         "'" + network_.hosts[host].name + "' is a member of " +
                                                             name() + ", and the tables do not have it"));
        }
        for (const std::uint32_t host : members_)
            if (!told->receive.contains(host))
                state_.result.warnings.push_back(
                    located(of_, told->at,
                            "'" + network_.hosts[host].name + "' is in the tables of " + name() + ", and no member"));
    }

    check_state& state_;
    const fabric& of_;
    const topology::graph& network_;
    unsigned mlid_;
    check_result::group result_;
    std::vector<std::uint64_t> masks_;    ///< [switch]
    std::vector<bool> reached_;           ///< [switch] by any flood
    std::vector<std::uint64_t> seen_;     ///< [switch, VL] ports of arrival in this flood
    std::vector<std::uint32_t> copies_;   ///< [host] in this flood
    std::vector<std::uint32_t> members_;  ///< hosts
    std::set<std::string> dropped_;
};

}  // namespace

void check_group(check_state& state, unsigned mlid) {
    group_check(state, mlid).run();
}

void check_multicast(check_state& state) {
    std::set<unsigned> mlids;
    for (const switch_state& one : state.of.switches)
        for (const auto& [mlid, row] : one.multicast) mlids.insert(mlid);
    for (const auto& [mlid, told] : state.of.groups) mlids.insert(mlid);
    for (const unsigned mlid : mlids) check_group(state, mlid);
}

}  // namespace polycast::hw::subnet
