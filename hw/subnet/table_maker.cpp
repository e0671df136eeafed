// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/table_maker.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "hw/routing/updown.h"
#include "hw/subnet/reading.h"
#include "hw/topology/infiniband.h"

namespace polycast::hw::subnet {
namespace {

using routing::unreachable;
using routing::updown;
using routing::updown_options;
using topology::graph;
using topology::port_end;

/// Links between switches to the nearest switch with a host.
std::vector<std::uint32_t> heights(const graph& network) {
    std::vector<std::uint32_t> height(network.switches.size(), unreachable), queue;
    for (const topology::host_node& host : network.hosts) {
        if (height[host.chip] == 0) continue;
        height[host.chip] = 0;
        queue.push_back(host.chip);
    }
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const port_end& end : network.switches[queue[next]].ports)
            if (end.kind == port_end::leads_to::chip && height[end.index] == unreachable) {
                height[end.index] = height[queue[next]] + 1;
                queue.push_back(end.index);
            }
    return height;
}

/// The order of the switches for up and down.
updown order_of(const graph& network, const std::vector<std::uint32_t>& roots) {
    const auto with = [&](const std::vector<std::uint32_t>& given) {
        return updown(network,
                      {updown_options::root_choice::given, given.front(), true, {given.begin() + 1, given.end()}});
    };
    if (!roots.empty()) return with(roots);
    const std::vector<std::uint32_t> height = heights(network);
    const std::uint32_t top = *std::max_element(height.begin(), height.end());
    if (top > 0) {
        std::vector<std::uint32_t> highest;
        for (std::uint32_t s = 0; s < height.size(); ++s)
            if (height[s] == top) highest.push_back(s);
        try {
            return with(highest);
        } catch (const input_error&) {
            // They do not have all hosts below: this is no folded Clos network.
        }
    }
    return updown(network, {updown_options::root_choice::best, 0, true});
}

class maker {
public:
    maker(fabric& made, const table_options& options)
        : made_(made), network_(made.network), options_(options), count_(network_.switches.size()) {
        height_ = heights(network_);
        for (const topology::switch_node& one : network_.switches) stride_ = std::max(stride_, one.ports.size());
        loads_.assign(count_ * stride_, 0);
        if (options.engine == table_engine::minhop) return;
        order_.emplace(order_of(network_, options.roots));
        // The number of ways up below each height: by what the number of a destination is divided.
        std::vector<std::uint64_t> ways(*std::max_element(height_.begin(), height_.end()) + 1, 1);
        for (std::uint32_t s = 0; s < count_; ++s) {
            std::uint64_t up = 0;
            for (unsigned p = 0; p < network_.switches[s].ports.size(); ++p) up += leads_up(s, p);
            ways[height_[s]] = std::max(ways[height_[s]], up);
        }
        divisors_.assign(1, 1);
        for (const std::uint64_t one : ways)
            divisors_.push_back(std::min<std::uint64_t>(divisors_.back() * one, UINT32_MAX));
    }

    void run() {
        std::vector<std::vector<std::uint32_t>> at_switch(count_);
        for (std::uint32_t h = 0; h < made_.hosts.size(); ++h) at_switch[network_.hosts[h].chip].push_back(h);
        for (switch_state& one : made_.switches) one.fdbs.told = true;
        for (std::uint32_t t = 0; t < count_; ++t) {
            find_ports(t);
            for (const std::uint32_t h : at_switch[t])
                for (unsigned offset = 0; offset < 1u << options_.lmc; ++offset)
                    set(made_.hosts[h].self.lid + offset, t, network_.hosts[h].port + 1u, 1,
                        (std::uint64_t{h} << options_.lmc) + offset);
            set(made_.switches[t].self.lid, t, 0, 0, t);
        }
    }

private:
    const port_end& end(std::uint32_t s, unsigned port) const { return network_.switches[s].ports[port]; }
    bool leads_up(std::uint32_t s, unsigned port) const {
        const port_end& there = end(s, port);
        return there.kind == port_end::leads_to::chip && order_->above(there.index, s);
    }

    /// For each switch the number of links to t and the ports that its packets may take.
    void find_ports(std::uint32_t t) {
        distance_.assign(count_, unreachable);
        ports_.assign(count_, 0);
        goes_up_.assign(count_, false);
        distance_[t] = 0;
        if (!order_) {
            std::vector<std::uint32_t> queue{t};
            for (std::size_t next = 0; next < queue.size(); ++next)
                for (const port_end& there : network_.switches[queue[next]].ports)
                    if (there.kind == port_end::leads_to::chip && distance_[there.index] == unreachable) {
                        distance_[there.index] = distance_[queue[next]] + 1;
                        queue.push_back(there.index);
                    }
            for (std::uint32_t s = 0; s < count_; ++s)
                take(s, [&](unsigned p) { return distance_[end(s, p).index] + 1 == distance_[s]; });
            return;
        }
        // A switch with t below it sends down, always: its packets may have come from above. The others send up.
        order_->find_routes(t, routes_);
        for (const std::uint32_t s : order_->top_down()) {
            if (routes_.distance_down[s] != unreachable) {
                distance_[s] = routes_.distance_down[s];
                ports_[s] = routes_.ports_down[s];
                continue;
            }
            goes_up_[s] = true;
            for (unsigned p = 0; p < network_.switches[s].ports.size(); ++p)
                if (leads_up(s, p) && distance_[end(s, p).index] != unreachable)
                    distance_[s] = std::min(distance_[s], distance_[end(s, p).index] + 1);
            if (distance_[s] != unreachable)
                take(s, [&](unsigned p) { return leads_up(s, p) && distance_[end(s, p).index] + 1 == distance_[s]; });
        }
    }

    void take(std::uint32_t s, const auto& fits) {
        for (unsigned p = 0; p < network_.switches[s].ports.size(); ++p)
            if (end(s, p).kind == port_end::leads_to::chip && fits(p)) ports_[s] |= std::uint64_t{1} << p;
    }

    /// Entries of all switches for a LID at switch t. \param number of the destination, which dmodk divides
    void set(unsigned lid, std::uint32_t t, unsigned own_port, unsigned own_hops, std::uint64_t number) {
        for (std::uint32_t s = 0; s < count_; ++s) {
            switch_state& one = made_.switches[s];
            if (s == t) {
                one.fdbs.ports.set(lid, static_cast<std::uint8_t>(own_port));
                one.hops.set(lid, static_cast<std::uint8_t>(own_hops));
                continue;
            }
            if (ports_[s] == 0) {
                one.fdbs.ports.set(lid, no_path);
                continue;
            }
            const unsigned port = choose(s, number);
            ++loads_[s * stride_ + port];
            one.fdbs.ports.set(lid, static_cast<std::uint8_t>(port + 1));
            one.hops.set(lid, static_cast<std::uint8_t>(std::min(distance_[s] + own_hops, 254u)));
        }
    }

    unsigned choose(std::uint32_t s, std::uint64_t number) const {
        std::uint64_t left = ports_[s];
        if (options_.engine == table_engine::dmodk) {
            // Also down, where several ports lead there: each destination keeps to its own.
            const std::uint64_t place =
                number / divisors_[goes_up_[s] ? height_[s] : 0] % static_cast<std::uint64_t>(std::popcount(left));
            for (std::uint64_t skip = 0; skip < place; ++skip) left &= left - 1;
            return static_cast<unsigned>(std::countr_zero(left));
        }
        auto best = static_cast<unsigned>(std::countr_zero(left));
        for (left &= left - 1; left != 0; left &= left - 1) {
            const auto p = static_cast<unsigned>(std::countr_zero(left));
            if (loads_[s * stride_ + p] < loads_[s * stride_ + best]) best = p;
        }
        return best;
    }

    fabric& made_;
    const graph& network_;
    const table_options& options_;
    std::size_t count_, stride_ = 1;
    std::optional<updown> order_;          ///< nothing: any shortest path
    std::vector<std::uint32_t> height_;    ///< [switch]
    std::vector<std::uint64_t> divisors_;  ///< [height]
    std::vector<std::uint32_t> loads_;     ///< [switch, port] LIDs

    // Of the switch that is the destination.
    routing::routes_to routes_;
    std::vector<std::uint32_t> distance_;
    std::vector<std::uint64_t> ports_;
    std::vector<bool> goes_up_;
};

}  // namespace

fabric make_tables(const topology::graph& network, const table_options& options) {
    fabric made;
    // A print-out of ibnetdiscover completes GUIDs and is in their order.
    const std::string text = topology::write_ibnetdiscover(network);
    reading(made, false).take_topology(topology::read_infiniband_records("the network", text, true));
    table_options mapped = options;
    for (std::uint32_t& root : mapped.roots) root = made.network.switch_named(network.switches.at(root).name);
    const unsigned size = 1u << options.lmc;
    unsigned next = size;
    for (host_state& host : made.hosts) {
        host.self.lid = next;
        host.self.lmc = options.lmc;
        next += size;
    }
    for (switch_state& one : made.switches) one.self.lid = next++;
    if (next > max_lid + 1)
        throw input_error(
            "the network needs LIDs up to " + std::to_string(next - 1) + ", and there are " + std::to_string(max_lid),
            options.lmc > 0 ? "take a smaller LMC" : "take a smaller network");
    made.lmc = options.lmc;
    maker(made, mapped).run();
    return made;
}

}  // namespace polycast::hw::subnet
