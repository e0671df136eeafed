// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/router_run.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/door_run.h"
#include "testbench/equivalence/plain_network.h"
#include "testbench/equivalence/replay_line.h"

namespace polycast::testbench::equivalence {

using hw::chips::route_select;
using hw::chips::router_allocator;
using hw::chips::router_params;
using hw::chips::router_tables;
using hw::chips::vc_policy;
using hw::chips::vc_set;

namespace {

// Streams of the dice, so that a change of one draw leaves the others as they are.
constexpr std::uint64_t tables_stream = 11;
constexpr std::uint64_t traffic_stream = 12;
constexpr std::uint64_t params_stream = 13;
constexpr std::uint64_t choice_stream = 18;

constexpr std::uint64_t most_nodes = 1u << 24;

/// Most ports of the largest router.
constexpr unsigned port_limit = 32;

unsigned longest_header_flits(const router_params& params) {
    return params.header_free ? 1 : hw::format::header_flits(hw::format::unicast_header_bytes, params.flit_bytes);
}

bool few_enough_nodes(unsigned radix, unsigned dimensions) {
    std::uint64_t nodes = 1;
    for (unsigned d = 0; d < dimensions; ++d) nodes *= radix;
    return nodes <= most_nodes;
}

/// Those of a torus or of classes in VCs of their own, or any.
void draw_vc_sets(const router_params& params, dice& random, router_tables& tables) {
    const auto all = static_cast<vc_set>((1u << params.vcs) - 1);
    const unsigned style = random.below(4);
    const unsigned half = params.vcs / 2;
    for (unsigned number = 0; number < tables.vc_sets.size(); ++number) {
        auto& [before, behind] = tables.vc_sets[number];
        const auto any = [&] {
            const auto set = static_cast<vc_set>(random.word() & all);
            return set != 0 || random.chance(200) ? set : all;
        };
        if (style == 0) {
            before = behind = all;
        } else if (style == 1 && half != 0) {
            before = static_cast<vc_set>((1u << half) - 1);
            behind = static_cast<vc_set>(all & ~before);
        } else if (style == 2) {
            before = static_cast<vc_set>(1u << number % params.vcs);
            behind = static_cast<vc_set>(1u << (number + 1) % params.vcs);
        } else {
            before = any();
            behind = any();
        }
    }
}

void draw_routes(const router_params& params, dice& random, router_tables& tables) {
    tables.table = params.max_nodes != 0 &&
                   (params.ports <= params.first_host_port() || random.chance(params.adaptive ? 850 : 400));
    const unsigned known = random.chance(700) ? params.max_nodes : random.below(params.max_nodes + 1);
    const std::uint64_t ports = (std::uint64_t{1} << params.ports) - 1;
    const unsigned density = random.below(4);
    for (unsigned node = 0; node < known; ++node) {
        std::uint64_t mask = random.word() & ports;
        for (unsigned thinner = 0; thinner < density; ++thinner) mask &= random.word();
        if (mask == 0 && !random.chance(100)) mask = std::uint64_t{1} << random.below(params.ports);
        tables.route.push_back(static_cast<std::uint32_t>(mask));
    }
}

void draw_choice(const router_params& params, dice random, router_tables& tables) {
    if (!params.adaptive) return;
    tables.select = static_cast<route_select>(random.pick({0, 1, 1, 1, 2, 2}));
    tables.seed = static_cast<std::uint16_t>(random.chance(100) ? random.pick({0, 65534, 65535}) : random.below(65536));
}

void draw_credits(const router_params& params, dice& random, router_tables& tables) {
    const unsigned most = random.pick({1, 3, 8, 30});
    tables.credits = random.chance(600) || tables.table
                         ? std::vector<unsigned>(params.ports, 1)
                         : mesh_edges(params, tables);  // open ports at the edges of a mesh
    for (unsigned& credits : tables.credits) {
        if (credits == 0 || random.chance(30)) {
            credits = 0;
        } else {
            credits = random.chance(20) ? 65535 : random.between(1, most);
        }
    }
    unsigned fewest = most;
    for (const unsigned credits : tables.credits) fewest = credits == 0 ? fewest : std::min(fewest, credits);
    tables.reserve = random.chance(500)   ? 1
                     : random.chance(700) ? fewest
                     : random.chance(900) ? random.between(1, most)
                                          : random.between(1, 65535);
}

/// Legal traffic that never lacks credits, evenly to all outputs: what the allocators do at most.
void saturate(router_run& run, dice& draw) {
    router_tables& tables = run.tables;
    const unsigned header_flits = longest_header_flits(run.params);
    tables.iterations = draw.pick({1, 4, 4, 4});
    tables.packet_limit = header_flits + draw.below(4);
    tables.reserve = 1;
    tables.credits.assign(run.params.ports, draw.pick({1, 4, 30}));
    for (auto& sides : tables.vc_sets) sides[0] = sides[1] = static_cast<vc_set>((1u << run.params.vcs) - 1);
    for (std::uint32_t& mask : tables.route) {
        const std::uint32_t port = std::uint32_t{1} << draw.below(run.params.ports);
        if (tables.select == route_select::lowest || mask == 0) mask = port;
    }
    run.traffic = {};
    run.traffic.start = 1000;
    run.traffic.longest = tables.packet_limit;
    run.traffic.broadcasts = run.params.copies && !tables.table ? draw.pick({0, 50}) : 0;
    run.traffic.second = 500;
    run.traffic.stall_all = draw.pick({0, 10});
    run.traffic.stall_cycles = 60;
    run.traffic.resets = 500;
}

}  // namespace

router_run draw_router_run(const router_params& params, std::uint64_t seed, std::uint64_t cycles) {
    router_run run{params, seed, cycles, {}, {}};
    router_tables& tables = run.tables;
    dice random(seed, tables_stream);
    tables.node = random.below(params.nodes());
    tables.wrap = random.chance(300) ? 0 : random.below(1u << params.dimensions);
    tables.route_delay = random.chance(500) ? 1 : random.chance(700) ? random.between(2, 4) : random.between(5, 15);
    tables.allocator = static_cast<router_allocator>(random.below(2));
    tables.iterations = random.between(1, 4);
    tables.policy = static_cast<vc_policy>(random.below(2));
    draw_routes(params, random, tables);
    draw_choice(params, dice(seed, choice_stream), tables);
    draw_vc_sets(params, random, tables);
    draw_credits(params, random, tables);
    const unsigned header_flits = longest_header_flits(params);
    tables.packet_limit = random.chance(60)    ? random.between(1, header_flits)  // cuts headers
                          : random.chance(500) ? random.between(header_flits, header_flits + 5)
                                               : random.between(header_flits, header_flits + 70);

    tables.doors = draw_doors(params.ports, params.max_sources, seed);
    dice draw(seed, traffic_stream);
    router_traffic& traffic = run.traffic;
    traffic.start = draw.pick({10, 50, 200, 1000});
    traffic.pause = draw.pick({0, 0, 100, 500, 900});
    traffic.longest = draw.chance(500) ? tables.packet_limit : draw.between(1, tables.packet_limit);
    traffic.credit_delay = draw.pick({0, 3, 20, 100});
    traffic.stall = draw.pick({0, 0, 5});
    traffic.stall_cycles = draw.pick({50, 300});
    traffic.illegal = draw.pick({0, 0, 5, 20});
    const bool may_copy = params.copies && !tables.table;
    traffic.broadcasts = may_copy ? draw.pick({0, 100, 300, 700, 1000}) : draw.pick({0, 0, 0, 30});
    traffic.on_tree = draw.pick({500, 900, 1000});
    traffic.second = draw.pick({0, 100, 500});
    traffic.local = draw.pick({50, 200, 600});
    traffic.targets = draw.pick({0, 0, 1, 3});
    traffic.classes = draw.pick({1, 2, 8});
    // Dead channels come back by a reset only; so do worms that wait for each other.
    const bool may_stick = traffic.illegal != 0 || traffic.broadcasts != 0 || tables.reserve > 30;
    traffic.resets = may_stick ? draw.pick({2000, 10000}) : draw.pick({0, 500, 3000});
    if (draw.chance(250)) saturate(run, draw);
    return run;
}

router_params draw_router_params(std::uint64_t seed, unsigned most_ports) {
    dice random(seed, params_stream);
    router_params params;
    const unsigned most = std::min(most_ports, port_limit);
    params.ports = random.chance(800) ? random.between(2, 10) : random.chance(200) ? most : random.between(11, 32);
    params.ports = std::max(2u, params.ports <= most ? params.ports : most - params.ports % 7);
    const unsigned most_vcs = std::min(hw::chips::most_vcs, hw::chips::most_input_vcs / params.ports);
    params.vcs = std::min(most_vcs, random.chance(800) ? random.pick({1, 2, 3, 4, 8}) : random.between(1, 16));
    params.flit_bytes = random.chance(500) ? random.pick({4, 8, 16, 64}) : random.between(1, 20);
    params.header_free = random.chance(400);
    const unsigned header_flits = longest_header_flits(params);
    params.vc_flits = header_flits - 1 +
                      (random.chance(500)   ? random.pick({1, 2, 4, 8, 16})
                       : random.chance(900) ? random.between(1, 20)
                                            : random.between(1, 200));
    const unsigned most_dimensions = std::clamp((params.ports - 1) / 2, 1u, 4u);
    params.dimensions = random.between(1, most_dimensions);
    params.radix = random.chance(700) ? random.between(2, 6) : random.chance(700) ? random.between(7, 64) : 1024;
    while (!few_enough_nodes(params.radix, params.dimensions)) params.radix /= 2;
    const bool table_only = params.ports <= params.first_host_port();
    params.max_nodes = table_only || random.chance(500) ? random.pick({1, 8, 40, 300}) : 0;
    params.xbar_stages = random.chance(500) ? 0 : random.chance(800) ? random.between(1, 3) : random.between(4, 15);
    params.copies = params.ports <= hw::chips::most_copy_ports && random.chance(850);
    params.adaptive = params.max_nodes != 0 && random.chance(600);
    for (unsigned* each : {&params.protect_buffers, &params.protect_routes, &params.protect_credits})
        *each = random.chance(500) ? 0 : random.between(1, 2);
    if (params.max_nodes == 0) params.protect_routes = 0;
    params.max_sources = draw_max_sources(seed);
    return params;
}

std::string to_line(const router_run& run) {
    const router_params& p = run.params;
    std::ostringstream line;
    line << router_line << "ports=" << p.ports << " vcs=" << p.vcs << " vc_flits=" << p.vc_flits
         << " flit_bytes=" << p.flit_bytes << " header_free=" << (p.header_free ? 1 : 0)
         << " dimensions=" << p.dimensions << " radix=" << p.radix << " max_nodes=" << p.max_nodes
         << " xbar_stages=" << p.xbar_stages << " copies=" << (p.copies ? 1 : 0) << " adaptive=" << (p.adaptive ? 1 : 0)
         << " protect=" << p.protect_buffers + 3 * p.protect_routes + 9 * p.protect_credits
         << " max_sources=" << p.max_sources << " seed=" << run.seed << " cycles=" << run.cycles;
    return line.str();
}

router_run router_run_from_line(const std::string& line) {
    if (!line.starts_with(router_line))
        throw hw::input_error("replay line: it is not one of a router", "they begin with \"router \"");
    replay_line values(line.substr(std::string_view(router_line).size()));
    router_params params;
    params.ports = values.take_small("ports");
    params.vcs = values.take_small("vcs");
    params.vc_flits = values.take_small("vc_flits");
    params.flit_bytes = values.take_small("flit_bytes");
    params.header_free = values.take_small("header_free") != 0;
    params.dimensions = values.take_small("dimensions");
    params.radix = values.take_small("radix");
    params.max_nodes = values.take_small("max_nodes");
    params.xbar_stages = values.take_small("xbar_stages");
    params.copies = values.take_small("copies") != 0;
    params.adaptive = values.take_small("adaptive") != 0;
    const unsigned protect = values.take_small("protect");
    params.protect_buffers = protect % 3;
    params.protect_routes = protect / 3 % 3;
    params.protect_credits = protect / 9 % 3;
    params.max_sources = values.take_small("max_sources");
    const std::uint64_t seed = values.take("seed");
    const std::uint64_t cycles = values.take("cycles");
    values.finish();
    const auto within = [](unsigned value, unsigned least, unsigned most) { return value >= least && value <= most; };
    const bool good = within(params.ports, 2, port_limit) && within(params.vcs, 1, hw::chips::most_vcs) &&
                      params.ports * params.vcs <= hw::chips::most_input_vcs && within(params.vc_flits, 1, 4096) &&
                      within(params.flit_bytes, 1, 64) && within(params.dimensions, 1, 4) &&
                      within(params.radix, 2, 1024) && few_enough_nodes(params.radix, params.dimensions) &&
                      within(params.max_nodes, 0, 65536) && within(params.xbar_stages, 0, 15) &&
                      ((params.ports > params.first_host_port() && !params.adaptive && params.protect_routes == 0) ||
                       params.max_nodes != 0);
    if (!good)
        throw hw::input_error("replay line: a parameter is out of range", "hw/chips/router/router.md lists the ranges");
    return draw_router_run(params, seed, cycles);
}

}  // namespace polycast::testbench::equivalence
