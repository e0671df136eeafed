// SPDX-License-Identifier: Apache-2.0
#include "testbench/schemes/random_case.h"

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>
#include <initializer_list>

#include "hw/input_error.h"
#include "hw/topology/irregular.h"
#include "hw/traffic/random.h"

namespace polycast::testbench {

namespace {

using hw::collectives::scheme;
using hw::format::packet_kind;
using random_stream = hw::traffic::random_stream;

class chooser {
public:
    explicit chooser(random_stream random) : random_(random) {}

    /// One of least..most.
    unsigned number(unsigned least, unsigned most) {
        return boost::random::uniform_int_distribution<unsigned>(least, most)(random_);
    }
    template <typename value>
    value one_of(std::initializer_list<value> values) {
        return values.begin()[number(0, static_cast<unsigned>(values.size()) - 1)];
    }
    bool chance(unsigned percent) { return number(1, 100) <= percent; }
    std::uint64_t seed() { return random_(); }

private:
    random_stream random_;
};

/// Parameters that no network can be drawn with are drawn anew.
hw::topology::graph draw_network(chooser& choose, std::string& text) {
    for (;;) {
        hw::topology::irregular_params shape;
        shape.switches = choose.number(1, 16);
        shape.ports = choose.one_of({4u, 5u, 8u, 8u, 12u, 16u});
        const unsigned most = std::min(64u, shape.switches * (shape.ports - (shape.switches == 1 ? 0 : 1)));
        shape.hosts = choose.number(2, most);
        shape.connectivity = choose.number(5, 10) / 10.0;
        shape.seed = choose.seed();
        try {
            hw::topology::graph made = hw::topology::make_irregular(shape);
            text = std::to_string(shape.switches) + " switches x " + std::to_string(shape.ports) + " ports, " +
                   std::to_string(shape.hosts) + " hosts, " + std::to_string(made.links().size()) + " links";
            return made;
        } catch (const hw::input_error&) {
            continue;
        }
    }
}

hw::system::system_params draw_params(chooser& choose, const hw::topology::graph& network) {
    using hw::format::selection;
    const std::initializer_list<selection> selections{selection::least_loaded, selection::round_robin,
                                                      selection::deterministic};
    hw::system::system_params params;
    params.flit_bytes = choose.one_of({1u, 1u, 2u, 4u, 8u});
    params.chunk_flits = choose.one_of({1u, 4u, 8u});
    params.header_free = choose.chance(50);
    params.read_ports = choose.one_of({0u, 0u, 1u, 2u});
    params.route_delay = choose.number(1, 3);
    params.crossbar_delay = choose.number(1, 3);
    params.link_delay = choose.number(1, 5);
    params.arbitration = choose.one_of({hw::format::arbitration::round_robin, hw::format::arbitration::fixed});
    params.selection = choose.one_of(selections);
    params.up_selection = choose.one_of(selections);
    params.header_stops = choose.number(1, 8);
    params.worms = choose.chance(30) ? hw::routing::worm_links::spanning_tree : hw::routing::worm_links::updown;
    if (choose.chance(40)) {
        using root = hw::routing::updown_options::root_choice;
        params.routing.choice = root::given;
        params.routing.root = choose.number(0, static_cast<unsigned>(network.switches.size()) - 1);
    }
    hw::host::host_params& host = params.host;
    host.send_overhead = choose.one_of({0u, 10u, 300u, 1000u});
    host.receive_overhead = choose.one_of({0u, 10u, 300u, 1000u});
    host.overheads_per_packet = choose.chance(30);
    host.interface.payload_bytes = choose.one_of({16u, 60u, 128u});
    host.interface.bus_cycles_per_byte = choose.chance(50) ? 0 : boost::rational<std::int64_t>(3, 4);
    params.firmware_times = hw::system::paper_costs(choose.one_of({0u, 10u, 300u, 1000u}),
                                                    choose.one_of({0u, 10u, 300u, 1000u}), choose.chance(30));
    // Half of the buffers take the longest packet and no more.
    const hw::format::header_shape shape = hw::system::header_shape_of(network, params.header_stops);
    unsigned longest = 0;
    for (const packet_kind kind : {packet_kind::unicast, packet_kind::tree, packet_kind::ssr, packet_kind::path}) {
        longest = std::max(longest, hw::system::packet_flits(kind, host.interface.payload_bytes, shape,
                                                             params.flit_bytes, params.header_free));
    }
    const unsigned chunks = std::max(2u, (longest + params.chunk_flits - 1) / params.chunk_flits);
    params.buffer_flits = params.chunk_flits * (choose.chance(50) ? chunks : 4 * chunks);
    return params;
}

hw::traffic::workload_params draw_work(chooser& choose, unsigned hosts) {
    hw::traffic::workload_params work;
    work.degree = choose.chance(20) ? hosts - 1 : choose.number(1, hosts - 1);
    work.bytes = choose.chance(50) ? choose.number(1, 128) : choose.number(1, 700);
    work.messages = choose.chance(60) ? 1 : choose.number(2, 6);
    work.seed = choose.seed();
    return work;
}

hw::system::multicast_choice draw_choice(chooser& choose, scheme how) {
    using hw::collectives::chain_order;
    using fanout = hw::system::multicast_choice::fanout_choice;
    hw::system::multicast_choice choice;
    choice.scheme.how = how;
    choice.scheme.phases = choose.one_of({hw::collectives::phasing::greedy, hw::collectives::phasing::less_greedy});
    choice.scheme.worms = choose.one_of({packet_kind::path, packet_kind::ssr});
    choice.scheme.order = choose.one_of({chain_order::chains, chain_order::number});
    choice.scheme.fanout = choose.number(1, 7);
    choice.fanout = choose.one_of({fanout::best, fanout::timing, fanout::given});
    choice.fcfs = choose.chance(50);
    return choice;
}

}  // namespace

random_case make_case(std::uint64_t seed, std::uint64_t number, scheme how) {
    chooser choose{random_stream(seed, number)};
    random_case made;
    made.network = draw_network(choose, made.text);
    made.params = draw_params(choose, made.network);
    made.work = draw_work(choose, static_cast<unsigned>(made.network.hosts.size()));
    made.choice = draw_choice(choose, how);
    made.text += "; " + std::string(how->name) + ", " + std::to_string(made.work.messages) + " messages of " +
                 std::to_string(made.work.bytes) + " bytes to " + std::to_string(made.work.degree) +
                 " hosts, packets of " + std::to_string(made.params.host.interface.payload_bytes) + ", flits of " +
                 std::to_string(made.params.flit_bytes) + (made.params.header_free ? ", headers free" : "");
    return made;
}

}  // namespace polycast::testbench
