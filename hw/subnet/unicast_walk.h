// SPDX-License-Identifier: Apache-2.0
/// \file The walk over all ways of unicasts, LID by LID: find_tree and find_order make the tree of switches that lead
/// to it; use_tree or use_lanes note the dependencies of the ways of all sources.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/subnet/line_reader.h"
#include "hw/subnet/unicast_check.h"

namespace polycast::hw::subnet {

using topology::port_end;

inline constexpr std::uint32_t nowhere = 0xffffffff;

/// How a way ends.
enum class fate : std::uint8_t {
    open,  ///< not known yet
    arrives,
    no_table,
    no_entry,
    uncabled,
    port_zero,
    other_host,
    back,
    round,
};

inline const char* text_of(fate one) {
    switch (one) {
        case fate::no_table: return "the switch has no table";
        case fate::no_entry: return "no entry";
        case fate::uncabled: return "an entry to an uncabled port";
        case fate::port_zero: return "an entry to port 0 of a switch that does not own the LID";
        case fate::other_host: return "ends at another host";
        case fate::back: return "back to the port of arrival";
        case fate::round: return "goes round";
        default: return "";
    }
}

/// The first finding of a kind and how many there are.
struct findings {
    std::uint64_t count = 0;
    std::string first;

    void add(const auto& text) {
        if (count++ == 0) first = text();
    }
    std::string sentence() const {
        return count == 1 ? first : first + " (and " + std::to_string(count - 1) + " more like this)";
    }
};

class unicast_walk {
public:
    explicit unicast_walk(check_state& state)
        : state_(state), of_(state.of), network_(state.of.network), count_(network_.switches.size()) {
        for (const topology::switch_node& one : network_.switches) stride_ = std::max(stride_, one.ports.size());
        peers_.resize(count_ * stride_);
        hosts_.assign(count_, 0);
        for (std::size_t s = 0; s < count_; ++s)
            std::copy(network_.switches[s].ports.begin(), network_.switches[s].ports.end(),
                      peers_.begin() + static_cast<std::ptrdiff_t>(s * stride_));
        for (std::uint32_t h = 0; h < of_.hosts.size(); ++h)
            if (of_.hosts[h].self.lid != 0)
                hosts_[network_.hosts[h].chip] |= std::uint64_t{1} << network_.hosts[h].port;
        for (std::uint32_t h = 0; h < of_.hosts.size(); ++h) nodes_[of_.hosts[h].self.node_guid].push_back(h);
        loads_.assign(count_ * stride_, 0);
        out_.resize(count_);
        next_.resize(count_);
        fate_.resize(count_);
        depth_.resize(count_);
        degree_.resize(count_);
        weight_.resize(count_);
        inputs_.resize(count_);
        at_.resize(count_);
        lanes_ = of_.has_lanes || of_.has_path_sls;
        for (const switch_state& one : of_.switches) has_limits_ |= !one.operational_vls.empty();
        for (const host_state& one : of_.hosts) has_limits_ |= one.operational_vls != 0;
    }

    void run() {
        check_tables();
        // Destinations by the switch that they are at: distances are searched once for each switch.
        std::vector<std::vector<std::uint32_t>> at_switch(count_);
        for (std::uint32_t h = 0; h < of_.hosts.size(); ++h)
            if (of_.hosts[h].self.lid != 0) at_switch[network_.hosts[h].chip].push_back(h);
        for (std::uint32_t t = 0; t < count_; ++t) {
            if (at_switch[t].empty() && !state_.options.all) continue;
            find_distances(t);
            for (const std::uint32_t h : at_switch[t]) visit_port(of_.hosts[h].self, t, h);
            if (state_.options.all && of_.switches[t].self.lid != 0) visit_port(of_.switches[t].self, t, nowhere);
        }
        finish();
    }

private:
    const port_end& peer(std::uint32_t s, unsigned port) const { return peers_[s * stride_ + port]; }

    void check_tables() {
        for (std::uint32_t s = 0; s < count_; ++s)
            if (!of_.switches[s].has_table())
                state_.result.problems.push_back(located(
                    of_, of_.switches[s].self.at, "switch '" + network_.switches[s].name + "' has no unicast table",
                    "add its table, or sweep again"));
        for (std::uint32_t h = 0; h < of_.hosts.size(); ++h)
            if (of_.hosts[h].self.lid == 0)
                state_.result.problems.push_back(located(of_, of_.hosts[h].self.at,
                                                         "host '" + network_.hosts[h].name + "' has LID 0",
                                                         "let the subnet manager configure it"));
    }

    void find_distances(std::uint32_t t) {
        distance_.assign(count_, nowhere);
        queue_.assign(1, t);
        distance_[t] = 0;
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            const std::uint32_t here = queue_[at];
            for (std::size_t p = 0; p < stride_; ++p) {
                const port_end& end = peers_[here * stride_ + p];
                if (end.kind != port_end::leads_to::chip || distance_[end.index] != nowhere) continue;
                distance_[end.index] = distance_[here] + 1;
                queue_.push_back(end.index);
            }
        }
    }

    void visit_port(const lid_owner& port, std::uint32_t t, std::uint32_t host) {
        const unsigned count = 1u << port.lmc;
        hashes_.clear();
        for (unsigned lid = port.lid; lid < port.lid + count; ++lid) visit(lid, port, t, host);
        if (of_.lmc > 0 && host != nowhere) count_ways(count);
    }

    /// All switches' ways to a LID.
    void visit(unsigned lid, const lid_owner& owner, std::uint32_t t, std::uint32_t host) {
        find_tree(lid, t, host);
        find_order();
        resolve();
        const std::vector<std::uint32_t>& own = nodes_of(owner);
        excluded_.clear();
        for (const std::uint32_t h : own)
            if (of_.hosts[h].self.lid != 0) excluded_.push_back(h);
        count_pairs(lid, t, host);
        check_hops(lid);
        if (!lanes_) {
            load_sources(t, host);
            use_tree(0, 0);
        } else {
            use_service_levels(lid, owner, t, host);
        }
        if (host != nowhere && of_.lmc > 0) hash_ways();
        count_loads();
    }

    const std::vector<std::uint32_t>& nodes_of(const lid_owner& owner) const {
        static const std::vector<std::uint32_t> none;
        const auto found = nodes_.find(owner.node_guid);
        return found == nodes_.end() ? none : found->second;
    }

    void find_tree(unsigned lid, std::uint32_t t, std::uint32_t host) {
        for (std::uint32_t s = 0; s < count_; ++s) {
            const std::uint8_t port = of_.switches[s].port_for(lid);
            next_[s] = nowhere;
            depth_[s] = 0;
            at_[s] = s;
            out_[s] = 0xff;
            if (port >= no_row) {
                fate_[s] = of_.switches[s].has_table() ? fate::no_entry : fate::no_table;
            } else if (port == 0) {
                fate_[s] = s == t && host == nowhere ? fate::arrives : fate::port_zero;
            } else {
                const port_end& end = peer(s, port - 1u);
                if (end.kind == port_end::leads_to::nowhere) {
                    fate_[s] = fate::uncabled;
                } else {
                    out_[s] = static_cast<std::uint8_t>(port - 1);
                    if (end.kind == port_end::leads_to::host) {
                        fate_[s] = end.index == host ? fate::arrives : fate::other_host;
                        depth_[s] = 1;
                    } else {
                        fate_[s] = fate::open;
                        next_[s] = end.index;
                    }
                }
            }
        }
    }

    /// Switches in an order in which each comes in front of the one that its way leads to. Those that go round are
    /// left.
    void find_order();

    void resolve() {
        for (std::size_t at = order_.size(); at-- > 0;) {
            const std::uint32_t s = order_[at];
            if (next_[s] == nowhere) continue;
            fate_[s] = fate_[next_[s]];
            depth_[s] = depth_[next_[s]] + 1;
            at_[s] = at_[next_[s]];
        }
    }

    bool excluded(std::uint32_t h) const { return std::find(excluded_.begin(), excluded_.end(), h) != excluded_.end(); }

    /// Hosts at a switch that send to this destination.
    std::uint64_t sources_at(std::uint32_t s) const {
        std::uint64_t ports = hosts_[s];
        for (const std::uint32_t h : excluded_)
            if (network_.hosts[h].chip == s) ports &= ~(std::uint64_t{1} << network_.hosts[h].port);
        return ports;
    }

    bool sends_itself(std::uint32_t s, std::uint32_t t, std::uint32_t host) const {
        return state_.options.all && of_.switches[s].self.lid != 0 && (host != nowhere || s != t);
    }

    void count_pairs(unsigned lid, std::uint32_t t, std::uint32_t host) {
        const unsigned last = host == nowhere ? 0 : 1;
        for (std::uint32_t s = 0; s < count_; ++s) {
            const auto hosts = static_cast<std::uint64_t>(std::popcount(excluded_.empty() ? hosts_[s] : sources_at(s)));
            const std::uint64_t itself = sends_itself(s, t, host) ? 1 : 0;
            state_.result.pairs += hosts + itself;
            if (hosts + itself == 0) continue;
            if (fate_[s] != fate::arrives) {
                lose(lid, s, t, host);
                continue;
            }
            state_.result.reached += hosts + itself;
            if (depth_[s] + 2 > cables_.size()) cables_.resize(depth_[s] + 2);
            cables_[depth_[s] + 1] += hosts;
            cables_[depth_[s]] += itself;
            if (depth_[s] > distance_[s] + last) state_.result.longer += hosts + itself;
        }
    }

    void lose(unsigned lid, std::uint32_t s, std::uint32_t t, std::uint32_t host);

    void add_lost(const std::string& name, unsigned lid, const std::string& reason, const std::string& where,
                  std::uint32_t number) {
        lost_pairs_.emplace(std::pair(lid, number), check_result::lost_pair{name, lid, reason, where});
        if (lost_pairs_.size() > max_lost_shown) lost_pairs_.erase(std::prev(lost_pairs_.end()));
    }

    void check_hops(unsigned lid) {
        for (std::uint32_t s = 0; s < count_; ++s) {
            const std::uint8_t told = of_.switches[s].hops[lid];
            if (told == not_told || fate_[s] != fate::arrives || told == depth_[s]) continue;
            hops_.add([&] {
                return located(
                    of_, of_.switches[s].row_place(lid),
                    "the row says " + std::to_string(told) + " hops, and the way has " + std::to_string(depth_[s]));
            });
        }
    }

    void load_sources(std::uint32_t t, std::uint32_t host) {
        for (std::uint32_t s = 0; s < count_; ++s) {
            inputs_[s] = excluded_.empty() ? hosts_[s] : sources_at(s);
            weight_[s] = inputs_[s] != 0 || sends_itself(s, t, host);
        }
    }

    /// Dependencies of the ways from the sources in inputs_ and weight_; the VL is `v` on all cables.
    void use_tree(unsigned v, unsigned w) {
        const auto go_on = [&](std::uint32_t s) {
            const std::uint32_t n = next_[s];
            inputs_[n] |= std::uint64_t{1} << peer(s, out_[s]).port;
            weight_[n] = 1;
        };
        for (const std::uint32_t s : order_) {
            if (weight_[s] == 0 || out_[s] == 0xff) continue;
            use(s, inputs_[s], v, w);
            if (next_[s] != nowhere) go_on(s);
        }
        for (const std::vector<std::uint32_t>& ring : rings_)
            for (std::size_t lap = 0; lap < 2; ++lap)
                for (const std::uint32_t s : ring) {
                    if (weight_[s] == 0) continue;
                    use(s, inputs_[s], v, w);
                    go_on(s);
                }
    }

    /// What came from the cable that it should leave by is dropped, which a host's cable can be here.
    void use(std::uint32_t s, std::uint64_t inputs, unsigned v, unsigned w) {
        const std::uint64_t passed = inputs & ~(std::uint64_t{1} << out_[s]);
        if (inputs != 0 && passed == 0) return;
        inputs = passed;
        state_.use(s, inputs, v, out_[s], w);
        loaded_.push_back(static_cast<std::uint32_t>(s * stride_ + out_[s]));
    }

    void count_loads() {
        if (lanes_ || !rings_.empty()) {  // else each direction is there once
            std::sort(loaded_.begin(), loaded_.end());
            loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
        }
        for (const std::uint32_t one : loaded_) ++loads_[one];
        loaded_.clear();
    }

    unsigned path_sl(const lid_bytes& table, unsigned lid, unsigned base) const {
        const std::uint8_t sl = table[lid] != not_told ? table[lid] : table[base];
        return sl == not_told ? 0 : sl;
    }

    void use_service_levels(unsigned lid, const lid_owner& owner, std::uint32_t t, std::uint32_t host);

    bool allowed(unsigned sl) const { return sl < 15 && sl < state_.options.vls.value_or(15) && !has_limits_; }

    /// As use_tree, with the VL of each cable by the tables. \returns whether something is dropped
    bool use_lanes(unsigned sl);

    /// Ways that end for want of a lane, each by itself.
    void lose_dropped(unsigned sl, unsigned lid, std::uint32_t host);

    void hash_ways();

    void count_ways(unsigned lids);

    void check_rows();

    void finish();

    struct source {
        std::uint32_t chip;
        std::uint64_t port;  ///< a bit; 0: the switch itself
    };

    check_state& state_;
    const fabric& of_;
    const topology::graph& network_;
    std::size_t count_;
    std::size_t stride_ = 1;
    std::vector<port_end> peers_;                                ///< [switch, port]
    std::vector<std::uint64_t> hosts_;                           ///< [switch] ports with a host that has a LID
    std::map<std::uint64_t, std::vector<std::uint32_t>> nodes_;  ///< hosts by node GUID
    bool lanes_ = false;

    // Of the LID that is looked at.
    std::vector<std::uint8_t> out_;    ///< [switch] port from 0; 0xff = none
    std::vector<std::uint32_t> next_;  ///< [switch] the next one
    std::vector<fate> fate_;
    std::vector<std::uint32_t> depth_;  ///< [switch] cables to the end
    std::vector<std::uint32_t> at_;     ///< [switch] where its way ends
    std::vector<std::uint32_t> degree_, order_, queue_;
    std::vector<std::vector<std::uint32_t>> rings_;
    std::vector<std::uint32_t> distance_;
    std::vector<std::uint8_t> weight_;     ///< [switch] something passes
    std::vector<std::uint64_t> inputs_;    ///< [switch] ports that it comes from
    std::vector<std::uint32_t> excluded_;  ///< hosts of the destination's node
    std::vector<std::uint32_t> loaded_;    ///< outputs
    std::vector<std::uint64_t> hashes_;

    std::vector<std::uint32_t> loads_;  ///< [switch, port] DLIDs
    std::vector<std::uint64_t> cables_;
    std::map<fate, findings> lost_;
    std::map<std::pair<unsigned, std::uint32_t>, check_result::lost_pair> lost_pairs_;
    std::map<std::string, findings> dropped_;   ///< by reason
    std::vector<std::vector<source>> sources_;  ///< [SL]
    std::vector<std::uint16_t> vls_on_;         ///< [switch] of its output
    bool has_limits_ = false;                   ///< files tell numbers of lanes
    findings hops_;
};

}  // namespace polycast::hw::subnet
