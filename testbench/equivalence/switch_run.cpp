// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/switch_run.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/routing/tables.h"
#include "hw/topology/irregular.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/door_run.h"
#include "testbench/equivalence/replay_line.h"

namespace polycast::testbench::equivalence {

namespace {

using hw::chips::bit_string;
using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::format::direction;

// Streams of the dice, so that a change of one draw leaves the others as they are.
constexpr std::uint64_t tables_stream = 1;
constexpr std::uint64_t traffic_stream = 2;
constexpr std::uint64_t params_stream = 3;
constexpr std::uint64_t worms_stream = 5;  // 4: stimulus

std::uint64_t port_mask(unsigned ports) {
    return ports == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ports) - 1;
}

void put(bit_string& string, unsigned host) {
    string[host / 64] |= std::uint64_t{1} << (host % 64);
}

/// What no topology would give, but the hardware must treat the same in all its forms.
void draw_arbitrary_routes(const switch_params& params, dice& random, switch_tables& tables) {
    const unsigned words = (params.max_hosts + 63) / 64;
    const unsigned most_down = random.pick({10, 6, 4});  // of ten
    for (unsigned port = 0; port < params.ports; ++port) {
        const unsigned draw = random.below(10);
        tables.port_direction.push_back(draw == 0          ? direction::open
                                        : draw < most_down ? direction::down
                                                           : direction::up);
    }
    const std::uint64_t ports = port_mask(params.ports);
    for (unsigned host = 0; host < params.max_hosts; ++host) {
        const unsigned density = random.below(4);
        std::uint64_t mask = random.word() & ports;
        for (unsigned thinner = 0; thinner < density; ++thinner) mask &= random.word();
        if (mask == 0 && !random.chance(50)) mask = std::uint64_t{1} << random.below(params.ports);
        tables.unicast_up.edit().push_back(mask);
        tables.unicast_down.edit().push_back(random.chance(700) ? mask : random.word() & ports);
    }
    tables.reach_port.assign(params.ports, bit_string(words));
    tables.reach_total.edit().assign(words, 0);
    for (unsigned host = 0; host < params.max_hosts; ++host) {
        // Mostly behind exactly one port, sometimes behind several or none.
        const unsigned copies = random.chance(800) ? 1 : random.below(4);
        for (unsigned copy = 0; copy < copies; ++copy) put(tables.reach_port[random.below(params.ports)].edit(), host);
        if (copies != 0 ? !random.chance(20) : random.chance(100)) put(tables.reach_total.edit(), host);
    }
}

/// A switch of a random irregular network with up*/down* routing. \returns false if none could be drawn.
bool draw_real_routes(const switch_params& params, dice& random, switch_tables& tables) {
    if (params.ports < 4 || params.max_hosts < 4 || params.max_switches < 2) return false;
    hw::topology::irregular_params network;
    network.switches = random.between(2, std::min(8u, params.max_switches));
    network.ports = params.ports;
    network.hosts = std::min(params.max_hosts, network.switches * params.ports / 2);
    network.seed = random.word();
    try {
        const hw::topology::graph graph = hw::topology::make_irregular(network);
        const hw::routing::updown routes(graph);
        std::vector<switch_tables> all = hw::routing::make_tables(routes, params.max_hosts);
        tables = all[random.below(all.size())];
        return true;
    } catch (const hw::input_error&) {
        return false;  // too thinly cabled
    }
}

/// Routes to switches where there is no topology: as wild as those to hosts, sometimes not for all switches.
void draw_arbitrary_switches(const switch_params& params, dice& random, switch_tables& tables) {
    const std::uint64_t ports = port_mask(params.ports);
    const unsigned density = random.below(4);
    const auto draw_mask = [&] {
        std::uint64_t mask = random.word() & ports;
        for (unsigned thinner = 0; thinner < density; ++thinner) mask &= random.word();
        return mask != 0 || random.chance(200) ? mask : std::uint64_t{1} << random.below(params.ports);
    };
    tables.switch_number = random.below(params.max_switches);
    const unsigned known = random.chance(800) ? params.max_switches : random.below(params.max_switches + 1);
    for (unsigned chip = 0; chip < known; ++chip) {
        tables.switch_up.edit().push_back(draw_mask());
        tables.switch_down.edit().push_back(random.chance(500) ? tables.switch_up.edit().back() : draw_mask());
    }
}

/// Registers that only worms look at.
void draw_worm_registers(dice& random, switch_tables& tables) {
    tables.up_selection = static_cast<hw::format::selection>(random.below(3));
    tables.rewrite = random.chance(700);
    tables.tree_up = random.chance(500) ? ~std::uint64_t{0} : random.chance(150) ? 0 : random.word();
}

unsigned draw_packet_limit(const switch_params& params, dice& random, unsigned header_flits, unsigned buffer_flits) {
    const unsigned most = std::max(1u, std::min(buffer_flits, 200u));
    if (random.chance(60)) return random.between(1, std::max(1u, std::min(header_flits, most)));  // cuts headers
    if (random.chance(100)) return std::max(1u, buffer_flits);
    const unsigned least = std::min(most, header_flits + 1);
    const unsigned limit = random.between(least, most);
    return random.chance(300) ? std::max(least, limit / params.chunk_flits * params.chunk_flits) : limit;
}

}  // namespace

switch_run draw_switch_run(const switch_params& params, std::uint64_t seed, std::uint64_t cycles) {
    switch_run run{params, seed, cycles, {}, {}};
    dice random(seed, tables_stream);
    switch_tables& tables = run.tables;
    dice worms(seed, worms_stream);
    if (!random.chance(350) || !draw_real_routes(params, random, tables)) {
        draw_arbitrary_routes(params, random, tables);
        draw_arbitrary_switches(params, worms, tables);
    }
    draw_worm_registers(worms, tables);
    tables.route_delay = random.chance(500) ? 1 : random.chance(700) ? random.between(2, 4) : random.between(5, 15);
    tables.arbitration = static_cast<hw::format::arbitration>(random.below(2));
    tables.selection = static_cast<hw::format::selection>(random.below(3));

    const unsigned honest =
        hw::format::header_flits(hw::format::tree_header_bytes(params.max_hosts), params.flit_bytes);
    tables.tree_header_flits = params.header_free ? 1 : random.chance(850) ? honest : random.between(1, honest + 2);
    const unsigned other_bytes = std::max(
        hw::format::unicast_header_bytes,
        hw::format::path_header_bytes(params.header_shape(), worms.between(1, std::min(params.header_stops, 4u))));
    const unsigned longest_header =
        params.header_free
            ? 1
            : std::max(tables.tree_header_flits, hw::format::header_flits(other_bytes, params.flit_bytes));
    const unsigned needed = (longest_header + 1 + params.chunk_flits - 1) / params.chunk_flits;
    unsigned smallest = params.chunks;
    for (unsigned port = 0; port < params.ports; ++port) {
        const unsigned usable =
            random.chance(500) ? params.chunks : random.between(std::min(needed, params.chunks), params.chunks);
        tables.buffer_chunks.push_back(usable);
        smallest = std::min(smallest, usable);
    }
    tables.packet_limit = draw_packet_limit(params, random, longest_header, smallest * params.chunk_flits);
    const unsigned credits = random.pick({1, 2, 4, 20});
    for (unsigned port = 0; port < params.ports; ++port) {
        tables.credits.push_back(random.chance(20) ? 0 : random.chance(20) ? 65535 : random.between(1, credits));
    }

    tables.doors = draw_doors(params.ports, params.max_sources, seed);
    dice traffic_random(seed, traffic_stream);
    switch_traffic& traffic = run.traffic;
    traffic.start = traffic_random.pick({10, 100, 500, 1000});
    traffic.pause = traffic_random.pick({0, 0, 100, 500, 900});
    traffic.trees = traffic_random.pick({0, 300, 700, 1000});
    traffic.may_go_up = traffic_random.pick({0, 500, 1000});
    traffic.covered = traffic_random.pick({0, 300, 800, 1000});
    traffic.density = traffic_random.pick({20, 200, 600, 1000});
    traffic.longest = traffic_random.chance(500) ? tables.packet_limit : traffic_random.between(1, tables.packet_limit);
    traffic.credit_delay = traffic_random.pick({0, 3, 20, 100});
    traffic.stall = traffic_random.pick({0, 0, 5});
    traffic.stall_cycles = traffic_random.pick({50, 300});
    traffic.resets = traffic_random.pick({0, 500, 3000});
    traffic.illegal = traffic_random.pick({0, 0, 5, 50});
    traffic.stops = worms.pick({0, 300, 600, 1000});
    traffic.paths = worms.pick({0, 500, 700, 1000});
    traffic.here = worms.pick({200, 500, 900});
    traffic.reachable = worms.pick({500, 900, 1000});
    traffic.wild = worms.pick({0, 0, 50, 300});
    if (traffic.illegal != 0 && traffic.resets == 0) traffic.resets = 2000;  // a dead input comes back by reset only
    return run;
}

switch_params draw_switch_params(std::uint64_t seed, unsigned most_ports) {
    dice random(seed, params_stream);
    switch_params params;
    params.ports = random.chance(800) ? random.between(2, 8) : random.chance(200) ? 64 : random.between(9, 64);
    params.ports = std::max(2u, params.ports <= most_ports ? params.ports : most_ports - params.ports % 7);
    params.flit_bytes = random.chance(500) ? random.pick({1, 2, 4, 8}) : random.between(1, 16);
    params.chunk_flits = random.chance(500) ? random.pick({1, 2, 4, 8, 16}) : random.between(1, 20);
    params.chunks = random.chance(700) ? random.between(2, 16) : random.between(17, 80);
    params.max_hosts = random.chance(300) ? random.pick({8, 24, 32, 64}) : random.between(1, 140);
    params.header_free = random.chance(500);
    params.read_ports = random.chance(400) ? params.ports : random.between(1, params.ports);
    params.xbar_stages = random.chance(500) ? 0 : random.chance(800) ? random.between(1, 3) : random.between(4, 15);
    params.max_switches = random.chance(300) ? random.pick({1, 2, 8, 64}) : random.between(1, 100);
    const unsigned named = (params.ports + 7) / 8;
    params.header_ports = 8 * (random.chance(600) ? named : random.chance(500) ? random.between(1, 8) : 1);
    params.header_stops = random.chance(800) ? random.between(1, 8) : random.between(1, 40);
    for (unsigned* each : {&params.protect_buffers, &params.protect_routes, &params.protect_credits})
        *each = random.chance(500) ? 0 : random.between(1, 2);
    params.max_sources = draw_max_sources(seed);
    return params;
}

std::string to_line(const switch_run& run) {
    const switch_params& p = run.params;
    std::ostringstream line;
    line << "ports=" << p.ports << " flit_bytes=" << p.flit_bytes << " chunk_flits=" << p.chunk_flits
         << " chunks=" << p.chunks << " max_hosts=" << p.max_hosts << " header_free=" << (p.header_free ? 1 : 0)
         << " read_ports=" << p.read_ports << " xbar_stages=" << p.xbar_stages << " max_switches=" << p.max_switches
         << " header_ports=" << p.header_ports << " header_stops=" << p.header_stops
         << " protect=" << p.protect_buffers + 3 * p.protect_routes + 9 * p.protect_credits
         << " max_sources=" << p.max_sources << " seed=" << run.seed << " cycles=" << run.cycles;
    return line.str();
}

switch_run switch_run_from_line(const std::string& line) {
    replay_line values(line);
    switch_params params;
    params.ports = values.take_small("ports");
    params.flit_bytes = values.take_small("flit_bytes");
    params.chunk_flits = values.take_small("chunk_flits");
    params.chunks = values.take_small("chunks");
    params.max_hosts = values.take_small("max_hosts");
    params.header_free = values.take_small("header_free") != 0;
    params.read_ports = values.take_small("read_ports");
    params.xbar_stages = values.take_small("xbar_stages");
    params.max_switches = values.take_small("max_switches");
    params.header_ports = values.take_small("header_ports");
    params.header_stops = values.take_small("header_stops");
    const unsigned protect = values.take_small("protect");
    params.protect_buffers = protect % 3;
    params.protect_routes = protect / 3 % 3;
    params.protect_credits = protect / 9 % 3;
    params.max_sources = values.take_small("max_sources");
    const std::uint64_t seed = values.take("seed");
    const std::uint64_t cycles = values.take("cycles");
    values.finish();
    if (params.ports < 2 || params.ports > 64 || params.chunk_flits == 0 || params.flit_bytes == 0 ||
        params.chunks == 0 || params.max_hosts == 0 || params.max_switches == 0 || params.header_stops == 0) {
        throw hw::input_error("replay line: a parameter is out of range", "hw/chips/switch/switch.md lists the ranges");
    }
    return draw_switch_run(params, seed, cycles);
}

}  // namespace polycast::testbench::equivalence
