// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/broadcast_run.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/replay_line.h"

namespace polycast::testbench::equivalence {

using hw::chips::broadcast_algorithm;
using hw::chips::broadcast_params;
using hw::chips::broadcast_registers;

namespace {

// Streams of the dice, so that a change of one draw leaves the others as they are.
constexpr std::uint64_t registers_stream = 31;
constexpr std::uint64_t traffic_stream = 32;
constexpr std::uint64_t params_stream = 33;

/// Where the ports lead: up and down as in a torus, those behind the host port anywhere.
void draw_neighbours(const broadcast_params& params, dice& random, broadcast_registers& registers) {
    const auto& network = params.router;
    const unsigned host = params.host_port();
    const auto every = static_cast<std::uint32_t>((std::uint64_t{1} << network.ports) - 1);
    registers.open = every;
    if (random.chance(300)) registers.open = static_cast<std::uint32_t>(random.word());
    if (random.chance(300)) registers.open &= (std::uint32_t{1} << host) - 1;  // no bypasses, but other host ports
    registers.open &= every & ~(std::uint32_t{1} << host);
    if (registers.open == 0) registers.open = 1;  // rounds show there
    for (unsigned port = 0; port < network.ports; ++port) {
        const unsigned dimension = port < host ? port / 2 : random.below(network.dimensions);
        std::uint32_t own = registers.router.node;
        for (unsigned d = 0; d < dimension; ++d) own /= network.radix;
        own %= network.radix;
        const unsigned apart = port < host                               ? 1
                               : network.radix == 2 || random.chance(50) ? random.below(network.radix)
                                                                         : random.between(1, network.radix - 1);
        registers.dimension.push_back(dimension);
        registers.there.push_back((own + (port % 2 == 0 ? apart : network.radix - apart)) % network.radix);
    }
}

}  // namespace

broadcast_run draw_broadcast_run(const broadcast_params& params, std::uint64_t seed, std::uint64_t cycles) {
    broadcast_run run{params, seed, cycles, {}, {}};
    broadcast_registers& registers = run.registers;
    const router_run inner = draw_router_run(params.router, seed, cycles);
    registers.router = inner.tables;
    dice random(seed, registers_stream);
    const unsigned dimensions = params.router.dimensions;
    registers.dims = random.chance(600) ? (1u << dimensions) - 1 : random.between(1, (1u << dimensions) - 1);
    registers.algorithm = random.chance(600) ? broadcast_algorithm::colours : broadcast_algorithm::trees;
    registers.maps = random.chance(600);
    const auto every = static_cast<std::uint32_t>((std::uint64_t{1} << params.router.ports) - 1);
    registers.reverse = random.chance(500) ? 0 : static_cast<std::uint32_t>(random.word()) & every;
    registers.relay_reverse = random.chance(500) ? 0 : static_cast<std::uint32_t>(random.word()) & every;
    draw_neighbours(params, random, registers);
    registers.host_credits = random.pick({1, 3, 8, 8, 30, 30, 65535});
    if (random.chance(50)) registers.host_credits = 0;

    dice draw(seed, traffic_stream);
    broadcast_traffic& traffic = run.traffic;
    traffic.router = inner.traffic;
    traffic.router.start = draw.pick({0, 20, 100, 300, inner.traffic.start});
    traffic.start = draw.pick({30, 200, 600, 1000, 1000});
    traffic.pause = draw.pick({0, 0, 100, 500});
    traffic.again = draw.pick({0, 50, 300});
    traffic.own = draw.pick({0, 300, 300, 1000});
    traffic.learn = draw.pick({10, 50, 200, 1000});
    traffic.host_delay = draw.pick({0, 0, 5, 30});
    traffic.stall = draw.pick({0, 0, 5});
    traffic.most_packets = draw.chance(300) ? params.slots : std::min(params.slots, draw.pick({1, 2, 4, 10}));
    traffic.illegal = draw.pick({0, 0, 0, 5, 20});
    // Overflows last until a reset, and rounds that are spoilt may not end.
    const bool may_stick = traffic.illegal != 0 || inner.traffic.illegal != 0 || inner.traffic.broadcasts != 0;
    traffic.router.resets = may_stick ? draw.pick({2000, 5000}) : draw.pick({0, 500});
    return run;
}

broadcast_params draw_broadcast_params(std::uint64_t seed, unsigned most_ports) {
    dice random(seed, params_stream);
    broadcast_params params;
    auto& network = params.router;
    network.ports = random.chance(850) ? random.between(4, 8) : random.between(9, 16);
    network.ports = std::min(network.ports, std::max(4u, most_ports));
    network.vcs = random.chance(850) ? random.between(2, 3) : random.between(4, 15);
    network.vcs = std::min(network.vcs, hw::chips::most_input_vcs / network.ports);
    network.header_free = random.chance(300);
    network.flit_bytes = random.chance(600) ? 16 : random.between(13, 40);
    if (network.header_free) network.flit_bytes = random.pick({1, 3, 16, 64});
    network.vc_flits = random.chance(700) ? random.pick({1, 4, 8}) : random.between(1, 20);
    network.dimensions = random.between(1, std::min(4u, (network.ports - 1) / 2));
    network.radix = random.chance(800) ? random.between(2, 6) : random.between(7, 40);
    network.max_nodes = random.chance(150) ? 40 : 0;
    network.xbar_stages = random.chance(700) ? 0 : random.between(1, 3);
    network.copies = random.chance(850);
    params.slots = random.chance(700) ? random.pick({1, 2, 4, 8, 32, 64}) : random.between(1, 64);
    params.slot_flits = random.chance(700) ? random.pick({1, 2, 4, 8}) : random.between(1, 64);
    params.inject_flits = random.chance(700) ? random.pick({1, 2, 4, 8}) : random.between(1, 64);
    return params;
}

std::string to_line(const broadcast_run& run) {
    const hw::chips::router_params& p = run.params.router;
    std::ostringstream line;
    line << broadcast_line << "ports=" << p.ports << " vcs=" << p.vcs << " vc_flits=" << p.vc_flits
         << " flit_bytes=" << p.flit_bytes << " header_free=" << (p.header_free ? 1 : 0)
         << " dimensions=" << p.dimensions << " radix=" << p.radix << " max_nodes=" << p.max_nodes
         << " xbar_stages=" << p.xbar_stages << " copies=" << (p.copies ? 1 : 0) << " slots=" << run.params.slots
         << " slot_flits=" << run.params.slot_flits << " inject_flits=" << run.params.inject_flits
         << " seed=" << run.seed << " cycles=" << run.cycles;
    return line.str();
}

broadcast_run broadcast_run_from_line(const std::string& line) {
    if (!line.starts_with(broadcast_line))
        throw hw::input_error("replay line: it is not one of a broadcast router", "they begin with \"broadcast \"");
    replay_line values(line.substr(std::string_view(broadcast_line).size()));
    broadcast_params params;
    hw::chips::router_params& network = params.router;
    network.ports = values.take_small("ports");
    network.vcs = values.take_small("vcs");
    network.vc_flits = values.take_small("vc_flits");
    network.flit_bytes = values.take_small("flit_bytes");
    network.header_free = values.take_small("header_free") != 0;
    network.dimensions = values.take_small("dimensions");
    network.radix = values.take_small("radix");
    network.max_nodes = values.take_small("max_nodes");
    network.xbar_stages = values.take_small("xbar_stages");
    network.copies = values.take_small("copies") != 0;
    params.slots = values.take_small("slots");
    params.slot_flits = values.take_small("slot_flits");
    params.inject_flits = values.take_small("inject_flits");
    const std::uint64_t seed = values.take("seed");
    const std::uint64_t cycles = values.take("cycles");
    values.finish();
    // What registers are drawn for has to exist; the chips check the rest.
    const bool good = network.dimensions >= 1 && network.dimensions <= 4 && network.radix >= 2 &&
                      network.radix <= 1024 && network.max_nodes <= 65536 && network.vc_flits >= 1 &&
                      network.ports * network.vcs <= hw::chips::most_input_vcs;
    if (!good)
        throw hw::input_error("replay line: a parameter is out of range", "hw/chips/router/router.md lists the ranges");
    hw::chips::checked(params);
    return draw_broadcast_run(params, seed, cycles);
}

}  // namespace polycast::testbench::equivalence
