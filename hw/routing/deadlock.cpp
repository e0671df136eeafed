// SPDX-License-Identifier: Apache-2.0
#include "hw/routing/deadlock.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

namespace polycast::hw::routing {
namespace {

using topology::port_end;

unsigned lowest_port(std::uint64_t mask) {
    return static_cast<unsigned>(std::countr_zero(mask));
}

// Past 500 lines: unicasts, trees and stops are followed by one class through the same states and outputs.

/// Follows routes through tables of any quality. A packet's state between two switches is the port it comes in at
/// (which tells the up bit: the sending port's direction); what it may do next is a set of output ports.
class route_check {
public:
    route_check(const route_check_input& input, route_check_result& result)
        : input_(input), network_(*input.network), result_(result), switches_(network_.switches.size()) {
        if (input.tables.size() != switches_ || (input.params.size() != 1 && input.params.size() != switches_))
            throw std::logic_error("check_routes: one table per switch, and one or as many parameters");
        first_channel_.reserve(switches_);
        for (std::uint32_t s = 0; s < switches_; ++s) {
            first_channel_.push_back(channels_);
            channels_ += network_.switches[s].ports.size();
        }
        outputs_.assign(channels_, 0);
        if (!tables_fit()) return;
        sound_ = true;
        for (std::uint32_t s = 0; s < switches_; ++s) {
            up_.push_back(ports_of(s, format::direction::up));
            down_.push_back(ports_of(s, format::direction::down));
        }
    }

    void run() {
        if (!sound_) return;
        check_buffers();
        if (input_.longest_unicast_flits != 0 && !(share_routes() && follow_all_unicasts()))
            for (std::uint32_t h = 0; h < network_.hosts.size(); ++h) follow_unicast(h);
        if (input_.longest_tree_flits != 0) follow_trees();
        if (stops()) follow_stops();
    }

    /// Nodes: outputs of all switches, then hosts, then memories of forwarders.
    dependency_graph dependencies() const {
        dependency_graph found;
        for (std::uint32_t s = 0; s < switches_; ++s)
            for (unsigned p = 0; p < network_.switches[s].ports.size(); ++p) found.add_node(network_.port_text(s, p));
        for (const topology::host_node& host : network_.hosts) found.add_node("host '" + host.name + "'");
        for (std::uint32_t s = 0; s < switches_; ++s)
            for (unsigned p = 0; p < network_.switches[s].ports.size(); ++p)
                for (std::uint64_t left = outputs_[channel(s, p)]; left != 0; left &= left - 1)
                    found.add_edge(sender_of(s, p), static_cast<std::uint32_t>(channel(s, lowest_port(left))));
        for (const std::uint32_t h : input_.forwarders) {
            const topology::host_node& host = network_.hosts[h];
            const std::uint32_t memory = found.add_node("memory of host '" + host.name + "'");
            found.add_edge(static_cast<std::uint32_t>(channel(host.chip, host.port)), memory);
            found.add_edge(memory, static_cast<std::uint32_t>(channels_ + h));
        }
        return found;
    }

private:
    bool stops() const { return input_.longest_ssr_flits != 0 || input_.longest_path_flits != 0; }

    std::size_t channel(std::uint32_t chip, unsigned port) const { return first_channel_[chip] + port; }
    const port_end& far_end(std::uint32_t chip, unsigned port) const { return network_.switches[chip].ports[port]; }

    /// Node of the channel that comes in at a port.
    std::uint32_t sender_of(std::uint32_t chip, unsigned port) const {
        const port_end& end = far_end(chip, port);
        if (end.kind == port_end::leads_to::host) return static_cast<std::uint32_t>(channels_ + end.index);
        return static_cast<std::uint32_t>(channel(end.index, end.port));
    }

    const chips::switch_params& params(std::uint32_t chip) const {
        return input_.params[input_.params.size() == 1 ? 0 : chip];
    }

    void report(const std::string& sort, const std::string& sentence) {
        if (std::ranges::find(result_.problems, sentence) != result_.problems.end()) return;
        if (++reported_[sort] <= max_problems) result_.problems.push_back(sentence);
    }

    std::uint64_t ports_of(std::uint32_t chip, format::direction wanted) const {
        std::uint64_t mask = 0;
        for (unsigned p = 0; p < network_.switches[chip].ports.size(); ++p)
            if (input_.tables[chip].port_direction[p] == wanted) mask |= std::uint64_t{1} << p;
        return mask;
    }

    bool tables_fit() {
        const std::size_t hosts = network_.hosts.size(), words = (hosts + 63) / 64;
        for (std::uint32_t s = 0; s < switches_; ++s) {
            const chips::switch_tables& table = input_.tables[s];
            const std::size_t ports = network_.switches[s].ports.size();
            bool fits = table.port_direction.size() >= ports && table.buffer_chunks.size() >= ports &&
                        table.credits.size() >= ports;
            if (input_.longest_unicast_flits != 0)
                fits = fits && table.unicast_up.size() >= hosts && table.unicast_down.size() >= hosts;
            if (stops()) {
                fits = fits && table.switch_up.size() >= switches_ && table.switch_down.size() >= switches_;
                if (table.switch_number != s)
                    report("number", "switch '" + network_.switches[s].name + "' is number " + std::to_string(s) +
                                         ", but takes stops of worms for switch " +
                                         std::to_string(table.switch_number) + " as its own");
            }
            if (input_.longest_tree_flits != 0) {
                fits = fits && table.reach_total.size() >= words && table.reach_port.size() >= ports;
                for (std::size_t p = 0; fits && p < ports; ++p) fits = table.reach_port[p].size() >= words;
            }
            if (!fits)
                report("size", "the tables of switch '" + network_.switches[s].name + "' are too short for " +
                                   std::to_string(ports) + " ports" + (stops() ? ", " : " and ") +
                                   std::to_string(hosts) + " hosts" +
                                   (stops() ? " and " + std::to_string(switches_) + " switches" : ""));
        }
        return result_.problems.empty();
    }

    void check_buffers() {
        unsigned longest = input_.longest_unicast_flits;
        const char* kind = "a packet";
        const auto compare = [&](unsigned flits, const char* name) {
            if (flits == 0 || flits < longest) return;
            longest = flits;
            kind = name;
        };
        compare(input_.longest_ssr_flits, "an SSR worm");
        compare(input_.longest_path_flits, "a path worm");
        compare(input_.longest_tree_flits, "a tree worm");
        const std::string packet = std::string(kind) + " of " + std::to_string(longest) + " flits";
        for (std::uint32_t s = 0; s < switches_; ++s) {
            const chips::switch_tables& table = input_.tables[s];
            if (table.packet_limit < longest)
                report("limit", "switch '" + network_.switches[s].name + "' cuts packets at " +
                                    std::to_string(table.packet_limit) + " flits, but the workload sends " + packet);
            for (unsigned p = 0; p < network_.switches[s].ports.size(); ++p) check_buffer(s, p, longest, packet);
        }
    }

    const char* danger() const {
        return input_.longest_tree_flits != 0 || stops() ? ", and replication could deadlock" : "";
    }

    void check_buffer(std::uint32_t s, unsigned p, unsigned longest, const std::string& packet) {
        const port_end& end = far_end(s, p);
        if (end.kind == port_end::leads_to::nowhere) return;
        const chips::switch_tables& table = input_.tables[s];
        const std::string name = network_.port_text(s, p);
        const unsigned chunks = table.buffer_chunks[p], chunk_flits = params(s).chunk_flits;
        const unsigned needed = (longest + chunk_flits - 1) / chunk_flits;
        if (chunks > params(s).chunks)
            report("buffer", "input " + name + " is to use " + std::to_string(chunks) + " chunks of a buffer of " +
                                 std::to_string(params(s).chunks));
        if (chunks < needed)
            report("buffer", "the buffer of input " + name + " (" + std::to_string(chunks) + " chunks of " +
                                 std::to_string(chunk_flits) + " flits) is shorter than " + packet +
                                 ": it could never be absorbed whole" + danger());
        if (end.kind == port_end::leads_to::host) {
            if (table.credits[p] == 0)
                report("buffer", "output " + name + " has no credit: nothing can leave to its host");
            return;
        }
        const unsigned behind = input_.tables[end.index].buffer_chunks[end.port];
        if (table.credits[p] > behind)
            report("buffer", "output " + name + " has " + std::to_string(table.credits[p]) +
                                 " credits, but the buffer behind it has " + std::to_string(behind) +
                                 " chunks: it would overflow");
        const unsigned far_flits = params(end.index).chunk_flits;
        if (table.credits[p] < (longest + far_flits - 1) / far_flits && table.credits[p] < behind)
            report("buffer", "output " + name + " has " + std::to_string(table.credits[p]) + " credits of " +
                                 std::to_string(far_flits) + " flits, too few for " + packet +
                                 ": the buffer behind it could never absorb it whole" + danger());
    }

    /// Everything that packets to one host may do, from all hosts at once.
    void follow_unicast(std::uint32_t destination) {
        start_at_hosts(destination);
        const auto next = [&](std::uint32_t s, bool up) { return to_host(destination, s, up); };
        follow("host '" + network_.hosts[destination].name + "'", destination, switches_, next);
    }

    /// All tables are parts of one network's routes, each that of its switch.
    bool share_routes() const {
        const chips::network_routes* const first = input_.tables[0].unicast_up.routes_from(0);
        for (std::uint32_t s = 0; s < switches_; ++s)
            if (first == nullptr || input_.tables[s].unicast_up.routes_from(s) != first ||
                input_.tables[s].unicast_down.routes_from(s) != first)
                return false;
        return true;
    }

    /// Everything that packets may do, for all hosts of a switch at once: the same up to there, where each leaves
    /// through its host's port. \returns false if there is a problem, which follow_unicast() then reports
    bool follow_all_unicasts() {
        const std::vector<std::string> problems = result_.problems;
        const std::map<std::string, unsigned> reported = reported_;
        std::vector<std::vector<std::uint32_t>> hosts_of(switches_);
        for (std::uint32_t h = 0; h < network_.hosts.size(); ++h) hosts_of[network_.hosts[h].chip].push_back(h);
        for (std::uint32_t target = 0; target < switches_; ++target) {
            if (hosts_of[target].empty()) continue;
            start_at_hosts(network_.hosts.size());
            const auto next = [&](std::uint32_t s, bool up) { return to_host(hosts_of[target].front(), s, up); };
            follow("", network_.hosts.size(), target, next);
            bool good = result_.problems.size() == problems.size();
            for (const std::uint32_t h : hosts_of[target]) {
                const std::uint64_t own = std::uint64_t{1} << network_.hosts[h].port;
                good = good && (own & down_[target]) != 0;
                add_outputs(target, (arriving_[2 * target] | arriving_[2 * target + 1]) & ~own, own);
            }
            if (good) continue;
            result_.problems = problems;
            reported_ = reported;
            return false;
        }
        return true;
    }

    /// Ports that a packet to a host may take next.
    std::uint64_t to_host(std::uint32_t destination, std::uint32_t s, bool up) const {
        const chips::switch_tables& table = input_.tables[s];
        return up ? table.unicast_up[destination] & (up_[s] | down_[s]) : table.unicast_down[destination] & down_[s];
    }

    /// Ports that lead a worm on its way to a stop at another switch.
    std::uint64_t towards(std::uint32_t target, std::uint32_t s, bool up) const {
        const chips::switch_tables& table = input_.tables[s];
        return up ? table.switch_up[target] & (up_[s] | down_[s]) : table.switch_down[target] & down_[s];
    }

    /// SSR and path worms: to every switch with hosts. Where a worm may stop, a path worm may go on to any other switch
    /// that the tables lead to from there with its up bit.
    void follow_stops() {
        std::vector<std::uint64_t> hosts_of(switches_);
        for (const topology::host_node& host : network_.hosts) {
            hosts_of[host.chip] |= std::uint64_t{1} << host.port;
            if ((down_[host.chip] >> host.port & 1) == 0)
                report("copy", "host '" + host.name + "' is not reached by worms that stop at its switch: " +
                                   network_.port_text(host.chip, host.port) + " does not lead down");
        }
        stopping_.assign(2 * switches_, 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t target = 0; target < switches_; ++target) {
                if (hosts_of[target] == 0) continue;
                start_at_hosts(network_.hosts.size());
                for (std::uint32_t state = 0; input_.longest_path_flits != 0 && state < 2 * switches_; ++state)
                    if (state / 2 != target && towards(target, state / 2, state % 2 != 0) != 0)
                        arrive(state, stopping_[state]);
                follow("switch '" + network_.switches[target].name + "'", network_.hosts.size(), target,
                       [&](std::uint32_t s, bool up) { return towards(target, s, up); });
                for (std::uint32_t state = 2 * target; state < 2 * target + 2; ++state) {
                    changed = changed || (arriving_[state] & ~stopping_[state]) != 0;
                    stopping_[state] |= arriving_[state];
                    for (std::uint64_t left = arriving_[state]; left != 0; left &= left - 1) {
                        const std::uint64_t in = left & (~left + 1);
                        add_outputs(target, in, hosts_of[target] & down_[target] & ~in);  // never back to the sender
                    }
                }
            }
        }
        check_down_tables();
    }

    /// Switches follow no up port after a down port, so an entry that names one leads elsewhere than meant.
    void check_down_tables() {
        for (std::uint32_t s = 0; s < switches_; ++s)
            for (std::uint32_t target = 0; target < switches_; ++target)
                if (const std::uint64_t wrong = input_.tables[s].switch_down[target] & up_[s]; wrong != 0)
                    report("down", "the table of switch '" + network_.switches[s].name +
                                       "' for packets that may only go down names an up port, " +
                                       network_.port_text(s, lowest_port(wrong)) + ", towards switch '" +
                                       network_.switches[target].name + "'");
    }

    /// Packets from every host but one.
    void start_at_hosts(std::size_t but) {
        arriving_.assign(2 * switches_, 0);
        queue_.clear();
        for (std::uint32_t h = 0; h < network_.hosts.size(); ++h)
            if (h != but) arrive(2 * network_.hosts[h].chip + 1, std::uint64_t{1} << network_.hosts[h].port);
    }

    /// `state`: switch * 2 + up bit.
    void arrive(std::uint32_t state, std::uint64_t ports) {
        if (arriving_[state] == 0 && ports != 0) queue_.push_back(state);
        arriving_[state] |= ports;
    }

    void add_outputs(std::uint32_t s, std::uint64_t inputs, std::uint64_t outputs) {
        for (std::uint64_t left = inputs; left != 0; left &= left - 1)
            outputs_[channel(s, lowest_port(left))] |= outputs;
    }

    /// Follows all packets to one host, or to one switch (the other number is one that does not exist) from where they
    /// have arrived. `next(switch, up)` gives the ports they may take.
    template <class next_ports>
    void follow(const std::string& to, std::size_t host, std::size_t target, const next_ports& next) {
        for (std::size_t place = 0; place < queue_.size(); ++place) {
            const std::uint32_t s = queue_[place] / 2;
            if (s == target) continue;
            const bool up = queue_[place] % 2 != 0;
            const std::uint64_t mask = next(s, up);
            if (mask == 0)
                report("lost", to + " is not reached: the table of switch '" + network_.switches[s].name +
                                   "' has no port towards it for packets that " +
                                   (up ? "may still go up" : "may only go down"));
            for (std::uint64_t left = mask; left != 0; left &= left - 1) {
                const unsigned p = lowest_port(left);
                const port_end& end = far_end(s, p);
                if (end.kind == port_end::leads_to::chip)
                    arrive(2 * end.index + static_cast<std::uint32_t>(up_[s] >> p & 1), std::uint64_t{1} << end.port);
                else if (end.kind == port_end::leads_to::nowhere)
                    report("lost", to + " is not reached: packets to it leave through the open port " +
                                       network_.port_text(s, p));
                else if (end.index != host)
                    report("lost", to + " is not reached: packets to it are delivered to host '" +
                                       network_.hosts[end.index].name + "' at " + network_.port_text(s, p));
            }
        }
        for (const std::uint32_t state : queue_)
            if (state / 2 != target) add_outputs(state / 2, arriving_[state], next(state / 2, state % 2 != 0));
    }

    using string = chips::bit_string;

    bool meet(const string& a, const string& b) const {
        for (std::size_t w = 0; w < all_.size(); ++w)
            if ((a[w] & b[w]) != 0) return true;
        return false;
    }

    string common(const string& a, const string& b) const {
        string both(all_.size());
        for (std::size_t w = 0; w < all_.size(); ++w) both[w] = a[w] & b[w];
        return both;
    }

    /// Name of the lowest host of `a` outside `b`; empty when there is none.
    std::string first_outside(const string& a, const string& b) const {
        for (std::size_t w = 0; w < all_.size(); ++w)
            if (const std::uint64_t rest = a[w] & ~b[w] & all_[w]; rest != 0)
                return "host '" + network_.hosts[w * 64 + lowest_port(rest)].name + "'";
        return {};
    }

    /// Tree worms with every set of destinations from every host: follows, per channel, the set of hosts that any worm
    /// there may still have.
    void follow_trees() {
        const std::size_t hosts = network_.hosts.size();
        all_.assign((hosts + 63) / 64, ~std::uint64_t{0});
        if (hosts % 64 != 0) all_.back() = (std::uint64_t{1} << hosts % 64) - 1;
        carried_.assign(channels_, {});
        owed_.assign(channels_, {});
        for (std::uint32_t s = 0; s < switches_; ++s) climb_.push_back(up_[s] & input_.tables[s].tree_up);
        rising_.assign(switches_, 0);
        pending_.assign(switches_, true);
        std::vector<std::uint32_t> queue(switches_);
        for (std::uint32_t s = 0; s < switches_; ++s) queue[s] = s;
        for (const topology::host_node& host : network_.hosts) rising_[host.chip] |= std::uint64_t{1} << host.port;
        // A switch is looked at again when more may arrive; sets only grow, so this ends.
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const std::uint32_t s = queue[next];
            pending_[s] = false;
            for (const std::uint32_t changed : spread(s))
                if (!pending_[changed]) {
                    pending_[changed] = true;
                    queue.push_back(changed);
                }
        }
        for (std::uint32_t s = 0; s < switches_; ++s) check_tree_tables(s);
    }

    /// Sends on what arrives at a switch. \returns the switches where something new arrives
    std::vector<std::uint32_t> spread(std::uint32_t s) {
        const chips::switch_tables& table = input_.tables[s];
        std::vector<std::uint32_t> changed;
        const auto grow = [&](string& set, const string& added) {
            if (set.empty()) set.assign(all_.size(), 0);
            bool more = false;
            for (std::size_t w = 0; w < all_.size(); ++w) {
                more = more || (added[w] & ~set[w]) != 0;
                set[w] |= added[w];
            }
            return more;
        };
        const auto send = [&](unsigned in, unsigned out, const string& destinations, const string& owed) {
            outputs_[channel(s, in)] |= std::uint64_t{1} << out;
            const port_end& end = far_end(s, out);
            if (end.kind != port_end::leads_to::chip) return;
            const std::size_t next = channel(end.index, end.port);
            const string& behind = table.reach_port[out];
            const bool in_header = grow(carried_[next], table.rewrite ? common(destinations, behind) : destinations);
            if (grow(owed_[next], common(owed, behind)) || in_header) changed.push_back(end.index);
        };
        const bool goes_up = climb_[s] != 0 && !first_outside(all_, table.reach_total).empty();
        const string turning = climb_[s] != 0 ? common(all_, table.reach_total) : all_;
        for (unsigned in = 0; in < network_.switches[s].ports.size(); ++in) {
            const bool rises = (rising_[s] >> in & 1) != 0;
            const string& carried = carried_[channel(s, in)];
            for (std::uint64_t left = goes_up && rises ? climb_[s] : 0; left != 0; left &= left - 1) {
                const unsigned out = lowest_port(left);
                const port_end& end = far_end(s, out);
                outputs_[channel(s, in)] |= std::uint64_t{1} << out;
                if (end.kind != port_end::leads_to::chip) continue;
                const std::uint64_t bit = std::uint64_t{1} << end.port;
                if ((rising_[end.index] & bit) == 0) changed.push_back(end.index);
                rising_[end.index] |= bit;
            }
            for (std::uint64_t left = down_[s]; left != 0; left &= left - 1) {
                const unsigned out = lowest_port(left);
                if (rises && meet(turning, table.reach_port[out])) send(in, out, turning, turning);
                if (!carried.empty() && meet(carried, table.reach_port[out]))
                    send(in, out, carried, owed_[channel(s, in)]);
            }
        }
        return changed;
    }

    /// Every host that a worm may bring to this switch must leave through exactly one port, the right one.
    void check_tree_tables(std::uint32_t s) {
        const chips::switch_tables& table = input_.tables[s];
        const std::string name = "switch '" + network_.switches[s].name + "'";
        string expected(all_.size(), 0), reached(all_.size(), 0);
        string named(all_.size(), 0);  // by headers
        for (unsigned in = 0; in < network_.switches[s].ports.size(); ++in) {
            const string& owed = owed_[channel(s, in)];
            const string& carried = carried_[channel(s, in)];
            for (std::size_t w = 0; w < owed.size(); ++w) expected[w] |= owed[w];
            for (std::size_t w = 0; w < carried.size(); ++w) named[w] |= carried[w];
        }
        if (rising_[s] != 0)
            for (std::size_t w = 0; w < all_.size(); ++w)
                expected[w] |= (climb_[s] != 0 ? table.reach_total[w] : all_[w]) & all_[w];
        for (std::size_t w = 0; w < all_.size(); ++w) named[w] |= expected[w];
        for (std::uint64_t left = rising_[s] != 0 ? climb_[s] : 0; left != 0; left &= left - 1)
            if (const unsigned p = lowest_port(left); far_end(s, p).kind != port_end::leads_to::chip)
                report("reach", "tree worms going up leave through " + network_.port_text(s, p) +
                                    ", which does not lead to a switch");
        for (std::uint64_t left = down_[s]; left != 0; left &= left - 1) {
            const unsigned p = lowest_port(left);
            string used(all_.size());
            string twice(all_.size());
            for (std::size_t w = 0; w < all_.size(); ++w) {
                used[w] = table.reach_port[p][w] & expected[w];
                twice[w] = used[w] & reached[w];
                reached[w] |= used[w];
            }
            if (const std::string host = first_outside(twice, string(all_.size(), 0)); !host.empty())
                report("reach", host + " gets two copies of a tree worm: two reachability strings of " + name +
                                    " hold it, the second at " + network_.port_text(s, p));
            const port_end& end = far_end(s, p);
            string served(all_.size(), 0);
            if (end.kind == port_end::leads_to::chip) continue;
            if (end.kind == port_end::leads_to::host) served[end.index / 64] |= std::uint64_t{1} << end.index % 64;
            if (const std::string host = first_outside(common(named, table.reach_port[p]), served); !host.empty())
                report("reach",
                       host + " is not reached by tree worms: its copy leaves through " + network_.port_text(s, p) +
                           (end.kind == port_end::leads_to::host ? " to host '" + network_.hosts[end.index].name + "'"
                                                                 : ", which is open"));
        }
        if (const std::string host = first_outside(expected, reached); !host.empty())
            report("reach",
                   host + " is not reached by tree worms: no reachability string of a port of " + name + " holds it");
    }

    const route_check_input& input_;
    const topology::graph& network_;
    route_check_result& result_;
    std::size_t switches_;
    std::size_t channels_ = 0;
    bool sound_ = false;
    std::vector<std::size_t> first_channel_;  ///< [switch]
    std::vector<std::uint64_t> outputs_;      ///< [channel coming in] outputs that a packet in it may take
    std::vector<std::uint64_t> up_, down_;    ///< [switch] ports
    std::vector<std::uint64_t> climb_;        ///< [switch] up ports of tree worms
    std::vector<std::uint64_t> arriving_;     ///< [switch * 2 + up bit] ports that packets to one place come in at
    std::vector<std::uint64_t> stopping_;     ///< [switch * 2 + up bit] ports that worms with a stop there come in at
    std::vector<std::uint32_t> queue_;        ///< switch * 2 + up bit: where they have arrived, in order
    std::vector<std::uint64_t> rising_;       ///< [switch] ports that worms going up come in at
    std::vector<string> carried_;  ///< [channel coming in] hosts in headers of worms going down; empty = none
    std::vector<string> owed_;     ///< [channel coming in] those of them that no other copy is for
    std::vector<bool> pending_;    ///< [switch] in the queue
    string all_;                   ///< every host
    std::map<std::string, unsigned> reported_;
};

}  // namespace

route_check_result check_routes(const route_check_input& input) {
    route_check_result result;
    route_check check(input, result);
    check.run();
    const dependency_graph dependencies = check.dependencies();
    result.channels = dependencies.size();
    result.dependencies = dependencies.edges();
    const std::vector<std::uint32_t> cycle = dependencies.find_cycle();
    for (const std::uint32_t node : cycle) result.cycle.push_back(dependencies.name(node));
    if (!cycle.empty())
        result.problems.push_back("the routes can deadlock: packets may wait for each other along " +
                                  dependencies.cycle_text(cycle));
    return result;
}

dependency_graph channel_dependencies(const route_check_input& input) {
    route_check_result result;
    route_check check(input, result);
    check.run();
    return check.dependencies();
}

}  // namespace polycast::hw::routing
