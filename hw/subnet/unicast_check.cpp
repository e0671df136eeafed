// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/unicast_check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>

#include "hw/subnet/line_reader.h"

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

constexpr std::uint32_t nowhere = 0xffffffff;

/// How a way ends.
enum class fate : std::uint8_t {
    open,  ///< not known yet
    arrives,
    no_table,
    no_row,
    uncabled,
    port_zero,
    other_host,
    back,
    round,
};

const char* text_of(fate one) {
    switch (one) {
        case fate::no_table: return "the switch has no table";
        case fate::no_row: return "no entry";
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
                fate_[s] = of_.switches[s].has_table() ? fate::no_row : fate::no_table;
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
    void find_order() {
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

    void lose(unsigned lid, std::uint32_t s, std::uint32_t t, std::uint32_t host) {
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

    void use_service_levels(unsigned lid, const lid_owner& owner, std::uint32_t t, std::uint32_t host) {
        std::uint16_t levels = 0;
        sources_.assign(16, {});
        const auto add = [&](unsigned sl, std::uint32_t s, std::uint64_t port) {
            levels = static_cast<std::uint16_t>(levels | 1u << sl);
            sources_[sl].push_back({s, port});
        };
        for (std::uint32_t s = 0; s < count_; ++s) {
            for (std::uint64_t ports = sources_at(s); ports != 0; ports &= ports - 1) {
                const auto port = static_cast<unsigned>(std::countr_zero(ports));
                add(path_sl(of_.hosts[peer(s, port).index].path_sl, lid, owner.lid), s, std::uint64_t{1} << port);
            }
            if (sends_itself(s, t, host)) add(path_sl(of_.switches[s].path_sl, lid, owner.lid), s, 0);
        }
        for (unsigned sl = 0; sl < 16; ++sl) {
            if ((levels >> sl & 1) == 0) continue;
            std::fill(inputs_.begin(), inputs_.end(), 0);
            std::fill(weight_.begin(), weight_.end(), 0);
            for (const source& one : sources_[sl]) {
                inputs_[one.chip] |= one.port;
                weight_[one.chip] |= one.port == 0 ? 3 : 1;
            }
            if (!of_.has_lanes && allowed(sl)) {
                use_tree(sl, sl);
            } else if (use_lanes(sl)) {
                lose_dropped(sl, lid, host);
            }
        }
    }

    bool allowed(unsigned sl) const { return sl < 15 && sl < state_.options.vls.value_or(15) && !has_limits_; }

    /// As use_tree, with the VL of each cable by the tables. \returns whether something is dropped
    bool use_lanes(unsigned sl) {
        bool dropped = false;
        const auto step = [&](std::uint32_t s) {
            if (weight_[s] == 0 || out_[s] == 0xff) return;
            std::uint16_t on = 0;
            const char* reason = nullptr;
            const auto pass = [&](unsigned in, std::uint16_t vls, std::uint64_t input) {
                const auto w = state_.next_vl(s, in, out_[s] + 1u, sl, reason);
                if (!w) {
                    dropped = true;
                    return;
                }
                on = static_cast<std::uint16_t>(on | 1u << *w);
                if (input == 0) use(s, 0, 0, *w);
                for (; vls != 0; vls = static_cast<std::uint16_t>(vls & (vls - 1)))
                    use(s, input, static_cast<unsigned>(std::countr_zero(vls)), *w);
            };
            if ((weight_[s] & 2) != 0) pass(0, 0, 0);
            for (std::uint64_t ports = inputs_[s]; ports != 0; ports &= ports - 1) {
                const auto in = static_cast<unsigned>(std::countr_zero(ports));
                const port_end& from = peer(s, in);
                std::uint16_t vls = 0;
                if (from.kind == port_end::leads_to::host) {
                    const auto v = state_.first_vl(from.index, sl, reason);
                    if (!v) dropped = true;
                    if (v) vls = static_cast<std::uint16_t>(1u << *v);
                } else {
                    vls = vls_on_[from.index];
                }
                if (vls != 0) pass(in + 1, vls, std::uint64_t{1} << in);
            }
            vls_on_[s] = static_cast<std::uint16_t>(vls_on_[s] | on);
            const std::uint32_t n = next_[s];
            if (n == nowhere || vls_on_[s] == 0) return;
            inputs_[n] |= std::uint64_t{1} << peer(s, out_[s]).port;
            weight_[n] |= 1;
        };
        vls_on_.assign(count_, 0);
        for (const std::uint32_t s : order_) step(s);
        for (const std::vector<std::uint32_t>& ring : rings_)
            for (std::size_t lap = 0; lap < 3; ++lap)
                for (const std::uint32_t s : ring) step(s);
        return dropped;
    }

    /// Ways that end for want of a lane, each by itself.
    void lose_dropped(unsigned sl, unsigned lid, std::uint32_t host) {
        for (const source& one : sources_[sl]) {
            if (fate_[one.chip] != fate::arrives) continue;
            const char* reason = nullptr;
            std::string where;
            std::string name = network_.switches[one.chip].name;
            auto number = static_cast<std::uint32_t>(of_.hosts.size()) + one.chip;
            unsigned in = 0;
            if (one.port != 0) {
                in = static_cast<unsigned>(std::countr_zero(one.port)) + 1;
                number = peer(one.chip, in - 1).index;
                name = where = network_.hosts[number].name;
                state_.first_vl(number, sl, reason);
            }
            for (std::uint32_t s = one.chip; reason == nullptr && s != nowhere && out_[s] != 0xff; s = next_[s]) {
                state_.next_vl(s, in, out_[s] + 1u, sl, reason);
                where = state_.port_text(s, out_[s]);
                in = peer(s, out_[s]).port + 1u;
            }
            if (reason == nullptr) continue;
            --state_.result.reached;
            const unsigned cables = depth_[one.chip] + (one.port != 0 ? 1 : 0);
            --cables_[cables];
            if (depth_[one.chip] > distance_[one.chip] + (host == nowhere ? 0 : 1)) --state_.result.longer;
            dropped_[reason].add([&] {
                return located(of_, std::nullopt,
                               "packets from '" + name + "' to LID " + std::to_string(lid) + " on SL " +
                                   std::to_string(sl) + " are lost at " + where + ": " + reason,
                               "give the SL2VL tables of the same sweep");
            });
            add_lost(name, lid, reason, where, number);
        }
    }

    void hash_ways() {
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

    void count_ways(unsigned lids) {
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

    void check_rows() {
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
                    nobody.add(
                        [&] { return located(of_, one.row_place(lid), "nobody owns LID " + std::to_string(lid)); });
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

    void finish() {
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

}  // namespace

void check_unicast(check_state& state) {
    unicast_walk(state).run();
}

}  // namespace polycast::hw::subnet
