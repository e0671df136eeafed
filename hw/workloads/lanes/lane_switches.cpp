// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_switches.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "hw/input_error.h"

namespace polycast::hw::lanes {

namespace {

using rate = lane_network_params::rate;

constexpr unsigned most_ports = engine::max_ports;
constexpr unsigned leaf_nodes = most_ports - 1;
/// Of a link inside a site that is never in the way: that of 4,096 nodes.
const rate inner_cycles_per_byte{1, 4096};

constexpr std::uint64_t bit(unsigned port) {
    return std::uint64_t{1} << port;
}

/// One lane. Nodes of a site are at the ports 0 and on of one switch, or of leaf switches, whose next port leads to the
/// site's middle switch, port i of which leads to leaf i. Behind those are the ports to the other sites.
class builder {
public:
    builder(system::system_plan& plan, const lane_network_params& params, unsigned lane)
        : plan_(plan), params_(params), lane_(lane) {
        if (params.latency < 3)
            throw input_error("the latency of a site is 3 cycles or more, not " + std::to_string(params.latency));
        // Both wires of a node are equally long.
        delay_ = params.latency % 2 == 0 ? 2 : 1;
        wire_ = wire((params.latency - delay_) / 2);
    }

    void build() {
        std::uint32_t first = 0;
        for (std::uint32_t site = 0; site < sites(); ++site) {
            add(site, first);
            first += params_.sites[site];
        }
        for (std::uint32_t a = 0; a < sites(); ++a)
            for (std::uint32_t b = a + 1; b < sites(); ++b) join(a, b);
    }

private:
    struct made_site {
        engine::chip_id middle = 0;
        unsigned wide_port = 0;  ///< first one
        cycle inside = 0;        ///< from a port to another site's link to that of a node's
    };

    std::uint32_t sites() const { return static_cast<std::uint32_t>(params_.sites.size()); }
    static unsigned wire(cycle length) {
        if (length > std::numeric_limits<unsigned>::max())
            throw input_error("a link of " + std::to_string(length) + " cycles", "less than 2^32");
        return static_cast<unsigned>(length);
    }
    /// At the switch of `own`: links to the other sites have their order.
    static unsigned wide_index(std::uint32_t own, std::uint32_t other) { return other < own ? other : other - 1; }

    chips::event_switch_params empty_switch(unsigned ports) const {
        chips::event_switch_params params;
        params.ports = std::max(2u, ports);
        params.delay = delay_;
        params.cycles_per_flit.assign(params.ports, rate{1});
        return params;
    }

    void add(std::uint32_t site, std::uint32_t first) {
        const std::uint32_t nodes = params_.sites[site];
        const unsigned wide = sites() - 1;
        const bool flat = std::uint64_t{nodes} + wide <= most_ports;
        const std::uint32_t leaves = flat ? 0 : (nodes + leaf_nodes - 1) / leaf_nodes;
        if (leaves + wide > most_ports)
            throw input_error("a site of " + std::to_string(nodes) + " nodes beside " + std::to_string(wide) +
                                  " other sites needs " + std::to_string(leaves + wide) + " ports in the middle",
                              "at most " + std::to_string(most_ports));
        made_site made;
        made.wide_port = flat ? nodes : leaves;
        made.inside = flat ? delay_ : 2 * delay_ + 1;
        chips::event_switch_params middle = empty_switch(made.wide_port + wide);
        for (unsigned port = made.wide_port; port < made.wide_port + wide; ++port)
            middle.cycles_per_flit[port] = params_.wide_cycles_per_byte;
        for (std::uint32_t other = 0; other < sites(); ++other)
            for (std::uint32_t node = 0; node < params_.sites[other]; ++node)
                middle.routes.push_back(bit(other != site ? made.wide_port + wide_index(site, other)
                                            : flat        ? node
                                                          : node / leaf_nodes));
        for (unsigned port = 0; port < leaves; ++port) middle.cycles_per_flit[port] = inner_cycles_per_byte;
        const std::string name = "lane" + std::to_string(lane_) + ".site" + std::to_string(site);
        made.middle = plan_.add(name, system::event_chip{middle});
        made_.push_back(made);
        for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) add_leaf(made.middle, leaf, first, nodes, name);
        if (!flat) return;
        for (std::uint32_t node = 0; node < nodes; ++node)
            connect({plan_.hosts[first + node], lane_}, {made.middle, node}, wire_);
    }

    void add_leaf(engine::chip_id middle, std::uint32_t leaf, std::uint32_t first, std::uint32_t nodes,
                  const std::string& name) {
        const std::uint32_t begin = leaf * leaf_nodes;
        const std::uint32_t end = std::min(nodes, begin + leaf_nodes);
        const unsigned up = end - begin;
        chips::event_switch_params params = empty_switch(up + 1);
        params.cycles_per_flit[up] = inner_cycles_per_byte;
        params.routes.assign(params_.nodes(), bit(up));
        for (std::uint32_t node = begin; node < end; ++node) params.routes[first + node] = bit(node - begin);
        const engine::chip_id chip = plan_.add(name + ".leaf" + std::to_string(leaf), system::event_chip{params});
        connect({chip, up}, {middle, leaf}, 1);
        for (std::uint32_t node = begin; node < end; ++node)
            connect({plan_.hosts[first + node], lane_}, {chip, node - begin}, wire_);
    }

    void join(std::uint32_t a, std::uint32_t b) {
        const cycle near = 2 * wire_ + made_[a].inside + made_[b].inside;
        if (params_.wide_latency <= near)
            throw input_error("between sites a latency of " + std::to_string(params_.wide_latency) +
                                  " cycles, but the sites themselves take " + std::to_string(near),
                              "more, or a shorter latency of a site");
        connect({made_[a].middle, made_[a].wide_port + wide_index(a, b)},
                {made_[b].middle, made_[b].wide_port + wide_index(b, a)}, wire(params_.wide_latency - near));
    }

    void connect(engine::port_id a, engine::port_id b, unsigned delay) {
        plan_.cables.push_back({a, b, {.delay = delay}});
    }

    system::system_plan& plan_;
    const lane_network_params& params_;
    unsigned lane_;
    unsigned delay_ = 1;
    unsigned wire_ = 1;
    std::vector<made_site> made_;
};

}  // namespace

void add_switches(system::system_plan& plan, const lane_network_params& params, unsigned lane) {
    builder(plan, params, lane).build();
}

}  // namespace polycast::hw::lanes
