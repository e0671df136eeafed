// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/vl_switch_run.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/door_run.h"
#include "testbench/equivalence/replay_line.h"

namespace polycast::testbench::equivalence {

using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::chips::vl_weights;
using hw::format::vl_policy;

namespace {

// Streams of the dice, so that a change of one draw leaves the others as they are.
constexpr std::uint64_t tables_stream = 31;
constexpr std::uint64_t traffic_stream = 32;
constexpr std::uint64_t params_stream = 33;
constexpr std::uint64_t weights_stream = 34;

constexpr std::uint8_t no_port = 255;
constexpr unsigned no_lane = 15;
constexpr unsigned service_levels = 16;

unsigned longest_header_flits(const vl_switch_params& params) {
    return params.header_free ? 1 : hw::format::header_flits(hw::format::lid_header_bytes, params.flit_bytes);
}

/// A few of the ways in which lanes are used: one for all, by service level, any.
void draw_lanes(const vl_switch_params& params, dice& random, vl_switch_tables& tables) {
    auto lanes = std::make_shared<hw::chips::sl_to_vl>();
    const unsigned style = random.below(4);
    for (unsigned pair = 0; pair < params.ports * params.ports; ++pair) {
        std::uint64_t row = 0;
        for (unsigned sl = 0; sl < service_levels; ++sl) {
            unsigned vl = style == 0 ? 0 : style == 1 ? sl % params.vls : random.below(params.vls);
            if (random.chance(15)) vl = random.chance(500) ? no_lane : random.below(no_lane + 1);
            row |= std::uint64_t{vl} << 4 * sl;
        }
        lanes->push_back(row);
    }
    tables.sl2vl = std::move(lanes);
}

void draw_routes(const vl_switch_params& params, dice& random, vl_switch_tables& tables) {
    const unsigned lids = random.chance(700) ? params.max_lids : random.below(params.max_lids + 1);
    for (unsigned lid = 0; lid < lids; ++lid) {
        const unsigned port = random.chance(30)   ? 0
                              : random.chance(30) ? no_port
                              : random.chance(20) ? random.below(256)
                                                  : random.between(1, params.ports);
        tables.lft.push_back(static_cast<std::uint8_t>(port));
    }
    const unsigned groups = random.chance(700) ? params.max_groups : random.below(params.max_groups + 1);
    const unsigned density = random.below(3);
    for (unsigned group = 0; group < groups; ++group) {
        std::uint64_t ports = random.word();
        for (unsigned thinner = 0; thinner < density; ++thinner) ports &= random.word();
        if (random.chance(30)) ports = 0;
        if (random.chance(50)) ports = std::uint64_t{1} << random.below(params.ports);
        tables.mft.push_back(ports);
    }
}

/// Buffers and credits of at least the longest packet, or none.
void draw_room(const vl_switch_params& params, dice& random, vl_switch_tables& tables) {
    const unsigned reserve = tables.reserve(params);
    const unsigned most = reserve + random.pick({0, 0, 1, 2, 30});
    for (unsigned port = 0; port < params.ports; ++port) {
        const bool open = random.chance(60);
        for (unsigned vl = 0; vl < params.vls; ++vl) {
            tables.vl_chunks.push_back(random.chance(20)    ? 0
                                       : random.chance(600) ? params.chunks
                                                            : random.between(reserve, params.chunks));
            const unsigned credits = random.chance(20) ? 65535 : random.between(reserve, std::min(most, 65535u));
            tables.credits.push_back(open || random.chance(30) ? 0 : credits);
        }
    }
}

/// Every lane of a port in one of its tables, many of them in both, and more entries that do not matter.
void draw_weights(const vl_switch_params& params, dice random, vl_switch_tables& tables) {
    if (!params.weighted || !random.chance(850)) return;
    tables.policy = vl_policy::weighted;
    const unsigned heaviest = random.pick({1, 2, 5, 255});
    for (unsigned port = 0; port < params.ports; ++port) {
        vl_weights weights;
        weights.high_limit = static_cast<std::uint8_t>(random.pick({0, 0, 1, 2, 255}));
        const unsigned rows = random.chance(800) ? random.between(1, 8) : 64;
        for (auto* table : {&weights.high, &weights.low}) {
            for (unsigned row = 0; row < rows; ++row) {
                (*table)[row].vl = static_cast<std::uint8_t>(random.below(random.chance(900) ? params.vls : 16));
                (*table)[row].weight = static_cast<std::uint8_t>(random.below(heaviest + 1));
            }
        }
        for (unsigned vl = 0; vl < params.vls; ++vl) {
            auto& table = random.chance(500) ? weights.high : weights.low;
            table[63 - vl] = {static_cast<std::uint8_t>(vl), static_cast<std::uint8_t>(random.between(1, heaviest))};
        }
        tables.weights.push_back(weights);
    }
}

}  // namespace

vl_switch_run draw_vl_switch_run(const vl_switch_params& params, std::uint64_t seed, std::uint64_t cycles) {
    vl_switch_run run{params, seed, cycles, {}, {}};
    vl_switch_tables& tables = run.tables;
    dice random(seed, tables_stream);
    tables.route_delay = random.chance(500) ? 1 : random.chance(700) ? random.between(2, 4) : random.between(5, 15);
    tables.arbitration = static_cast<hw::format::arbitration>(random.chance(200) ? 1 : 0);
    const unsigned header_flits = longest_header_flits(params);
    const unsigned room = params.chunks * params.chunk_flits;
    tables.packet_limit = random.chance(60)    ? random.between(1, header_flits)  // cuts headers
                          : random.chance(500) ? random.between(header_flits, header_flits + 5)
                                               : random.between(header_flits, header_flits + 70);
    tables.packet_limit = std::min(tables.packet_limit, room);
    tables.hoq_life = random.chance(500) ? 0 : random.chance(700) ? random.between(1, 40) : random.between(41, 400);
    draw_routes(params, random, tables);
    draw_lanes(params, random, tables);
    draw_room(params, random, tables);
    draw_weights(params, dice(seed, weights_stream), tables);

    tables.doors = draw_doors(params.ports, params.max_sources, seed);
    dice draw(seed, traffic_stream);
    vl_switch_traffic& traffic = run.traffic;
    traffic.start = draw.pick({10, 50, 200, 1000});
    traffic.pause = draw.pick({0, 0, 100, 500, 900});
    traffic.longest = draw.chance(500) ? tables.packet_limit : draw.between(1, tables.packet_limit);
    traffic.credit_delay = draw.pick({0, 3, 20, 100});
    traffic.stall = draw.pick({0, 0, 5});
    traffic.stall_cycles = draw.pick({50, 300});
    traffic.stall_all = draw.pick({0, 0, 10});
    traffic.illegal = draw.pick({0, 0, 5, 20});
    traffic.multicasts = params.max_groups == 0 ? draw.pick({0, 30}) : draw.pick({0, 100, 300, 700, 1000});
    traffic.strangers = draw.pick({0, 10, 50});
    traffic.targets = draw.pick({0, 0, 1, 3});
    traffic.levels = draw.pick({1, 2, 16, 16});
    traffic.whole = draw.chance(600);
    // Dead lanes come back by a reset only; so do packets that wait for a lane that lost its credits.
    traffic.resets = traffic.illegal != 0 ? draw.pick({2000, 10000}) : draw.pick({0, 500, 3000});
    return run;
}

vl_switch_params draw_vl_switch_params(std::uint64_t seed, unsigned most_ports) {
    dice random(seed, params_stream);
    vl_switch_params params;
    params.ports = random.chance(800) ? random.between(2, 8) : random.between(2, 64);
    params.ports = std::clamp(params.ports, 2u, most_ports);
    params.vls = random.chance(700) ? random.pick({1, 2, 3, 4, 8}) : random.between(1, 15);
    params.flit_bytes = random.chance(500) ? random.pick({4, 8, 16, 64}) : random.between(1, 20);
    params.header_free = random.chance(400);
    params.chunk_flits = random.chance(600) ? random.pick({1, 2, 4, 8}) : random.between(1, 20);
    const unsigned header_chunks = (longest_header_flits(params) + params.chunk_flits - 1) / params.chunk_flits;
    params.chunks = std::max(2u, header_chunks) + (random.chance(700) ? random.below(12) : random.below(60));
    params.max_lids = random.pick({2, 9, 40, 300});
    params.max_groups = random.pick({0, 1, 5, 40});
    params.read_ports = random.chance(500) ? params.ports : random.between(1, params.ports);
    params.xbar_stages = random.chance(500) ? 0 : random.chance(800) ? random.between(1, 3) : random.between(4, 15);
    params.weighted = random.chance(500);
    params.max_sources = draw_max_sources(seed);
    return params;
}

std::string to_line(const vl_switch_run& run) {
    const vl_switch_params& p = run.params;
    std::ostringstream line;
    line << vl_switch_line << "ports=" << p.ports << " vls=" << p.vls << " flit_bytes=" << p.flit_bytes
         << " chunk_flits=" << p.chunk_flits << " chunks=" << p.chunks << " max_lids=" << p.max_lids
         << " max_groups=" << p.max_groups << " header_free=" << (p.header_free ? 1 : 0)
         << " read_ports=" << p.read_ports << " xbar_stages=" << p.xbar_stages << " weighted=" << (p.weighted ? 1 : 0)
         << " max_sources=" << p.max_sources << " seed=" << run.seed << " cycles=" << run.cycles;
    return line.str();
}

vl_switch_run vl_switch_run_from_line(const std::string& line) {
    if (!line.starts_with(vl_switch_line))
        throw hw::input_error("replay line: it is not one of a VL switch", "they begin with \"vl_switch \"");
    replay_line values(line.substr(std::string_view(vl_switch_line).size()));
    vl_switch_params params;
    params.ports = values.take_small("ports");
    params.vls = values.take_small("vls");
    params.flit_bytes = values.take_small("flit_bytes");
    params.chunk_flits = values.take_small("chunk_flits");
    params.chunks = values.take_small("chunks");
    params.max_lids = values.take_small("max_lids");
    params.max_groups = values.take_small("max_groups");
    params.header_free = values.take_small("header_free") != 0;
    params.read_ports = values.take_small("read_ports");
    params.xbar_stages = values.take_small("xbar_stages");
    params.weighted = values.take_small("weighted") != 0;
    params.max_sources = values.take_small("max_sources");
    const std::uint64_t seed = values.take("seed");
    const std::uint64_t cycles = values.take("cycles");
    values.finish();
    return draw_vl_switch_run(hw::chips::checked(params), seed, cycles);
}

}  // namespace polycast::testbench::equivalence
