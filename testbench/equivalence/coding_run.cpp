// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/coding_run.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "hw/input_error.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/replay_line.h"

namespace polycast::testbench::equivalence {

using hw::chips::coding_context;
using hw::chips::coding_mode;
using hw::chips::coding_params;
using hw::chips::coding_registers;
using hw::chips::vc_set;

namespace {

// Streams of the dice, so that a change of one draw leaves the others as they are.
constexpr std::uint64_t registers_stream = 21;
constexpr std::uint64_t traffic_stream = 22;
constexpr std::uint64_t params_stream = 23;

constexpr unsigned terminals = 1u << 24;

void draw_contexts(const coding_params& params, dice& random, coding_registers& registers) {
    const unsigned known = random.chance(800) ? params.contexts : random.between(1, params.contexts);
    const unsigned longest = random.chance(700) ? std::min(params.indices, 6u) : params.indices;
    const unsigned fan_out = std::min(params.destinations, random.pick({1, 1, 2, 4}));
    const unsigned group = random.below(64) << 10;
    for (unsigned number = 0; number < known; ++number) {
        coding_context context;
        context.mode = random.chance(20)    ? coding_mode::off
                       : random.chance(500) ? coding_mode::encode
                                            : coding_mode::decode;
        context.count =
            static_cast<std::uint16_t>(random.chance(20) ? random.below(65536) : random.between(2, longest));
        context.destination_count = static_cast<std::uint16_t>(random.chance(100) ? 0 : random.between(1, fan_out));
        context.first_destination = static_cast<std::uint16_t>(
            random.chance(10) ? random.below(65536)
                              : random.below(params.destinations - context.destination_count + 1));
        context.op = static_cast<hw::format::transport_op>(random.below(16));
        context.process = static_cast<std::uint8_t>(random.word());
        context.source_process = static_cast<std::uint8_t>(random.word());
        context.lane = static_cast<std::uint8_t>(random.word());
        context.vc_class = static_cast<std::uint8_t>(random.below(8));
        context.group = static_cast<std::uint16_t>(group | number);
        context.message = static_cast<std::uint32_t>(random.word());
        context.tag = static_cast<std::uint32_t>(random.word());
        registers.contexts.push_back(context);
    }
    const unsigned listed = random.chance(800) ? params.destinations : random.below(params.destinations + 1);
    for (unsigned entry = 0; entry < listed; ++entry) registers.destinations.push_back(random.below(terminals));
}

}  // namespace

coding_run draw_coding_run(const coding_params& params, std::uint64_t seed, std::uint64_t cycles) {
    coding_run run{params, seed, cycles, {}, {}};
    coding_registers& registers = run.registers;
    dice random(seed, registers_stream);
    registers.number = random.below(terminals);
    registers.latency = random.chance(300)   ? 0
                        : random.chance(300) ? params.max_latency
                                             : random.between(std::min(1u, params.max_latency), params.max_latency);
    registers.credits = random.chance(20) ? 65535 : random.chance(15) ? 0 : random.pick({1, 3, 8, 8, 30});
    registers.reserve = random.chance(600)   ? 1
                        : random.chance(950) ? random.between(1, std::max(1u, registers.credits))
                                             : random.between(1, 65535);
    const unsigned header = params.header_flits();
    const unsigned body = std::min(params.slot_flits, params.body_flits(48));
    registers.packet_limit = random.chance(40) ? random.between(1, header + 3) : header + body + random.below(4);
    const auto all = static_cast<vc_set>((1u << params.vcs) - 1);
    for (vc_set& set : registers.vc_sets) {
        set = random.chance(300) ? all : static_cast<vc_set>(random.word() & all);
        if (set == 0 && !random.chance(50)) set = static_cast<vc_set>(1u << random.below(params.vcs));
    }
    draw_contexts(params, random, registers);

    dice draw(seed, traffic_stream);
    coding_traffic& traffic = run.traffic;
    traffic.start = draw.pick({10, 100, 400, 1000, 1000});
    traffic.pause = draw.pick({0, 0, 0, 100, 500});
    traffic.longest = registers.packet_limit;
    traffic.credit_delay = draw.pick({0, 0, 3, 20});
    traffic.stall = draw.pick({0, 0, 5});
    traffic.stall_cycles = draw.pick({20, 100});
    traffic.illegal = draw.pick({0, 0, 0, 10, 30});
    traffic.open = draw.pick({1, 2, 4, 8});
    traffic.rest = draw.pick({0, 20, 100, 300});
    traffic.lost = draw.pick({0, 0, 20, 100});
    traffic.again = draw.pick({0, 0, 50});
    traffic.unequal = draw.pick({0, 0, 20, 100});
    traffic.faults = draw.pick({0, 0, 50, 200});
    const bool may_stick = traffic.illegal != 0 || traffic.lost != 0 || traffic.unequal != 0 || traffic.faults != 0 ||
                           registers.credits < registers.reserve;
    registers.patience = may_stick && !draw.chance(50) ? draw.pick({1, 5, 30, 200}) : draw.pick({0, 0, 100});
    traffic.resets = may_stick || registers.patience == 0 ? draw.pick({1000, 4000}) : draw.pick({0, 500});
    traffic.resets = traffic.resets * 256 / std::max(256u, params.slots);  // a large store takes long to fill
    return run;
}

coding_params draw_coding_params(std::uint64_t seed, bool large) {
    dice random(seed, params_stream);
    coding_params params;
    params.vcs = random.chance(800) ? random.pick({1, 2, 4, 8}) : random.between(1, 16);
    params.flit_bytes = random.chance(600) ? random.pick({1, 3, 4, 16, 64}) : random.between(1, 40);
    params.header_free = random.chance(400);
    const unsigned header = params.header_flits();
    params.vc_flits =
        std::max(header, 1u) - 1 + (random.chance(700) ? random.pick({1, 2, 4, 8}) : random.between(1, 40));
    params.contexts = random.chance(900) ? random.pick({1, 2, 4, 16}) : random.between(1, 64);
    params.slots = random.chance(500) ? random.pick({2, 4, 8}) : random.chance(900) ? random.pick({16, 64, 70}) : 200;
    const unsigned body = params.body_flits(random.pick({1, 8, 20, 40}));
    params.slot_flits = random.chance(950) ? body + random.below(3) : random.between(1, 4);
    params.indices = random.chance(600) ? random.pick({2, 4, 8}) : random.between(2, 64);
    params.destinations = random.chance(700) ? random.pick({1, 4, 64}) : random.between(1, 100);
    params.max_latency = random.pick({0, 1, 5, 64});
    params.check_route = random.chance(300);
    if (large) {
        if (random.chance(20)) params.contexts = 1024;
        if (random.chance(20)) params.slots = 4096;
        if (random.chance(20)) params.indices = 4096;
        if (random.chance(20)) params.destinations = 4096;
    }
    return params;
}

std::string to_line(const coding_run& run) {
    const coding_params& p = run.params;
    std::ostringstream line;
    line << coding_line << "vcs=" << p.vcs << " vc_flits=" << p.vc_flits << " flit_bytes=" << p.flit_bytes
         << " header_free=" << (p.header_free ? 1 : 0) << " contexts=" << p.contexts << " slots=" << p.slots
         << " slot_flits=" << p.slot_flits << " indices=" << p.indices << " destinations=" << p.destinations
         << " max_latency=" << p.max_latency << " check_route=" << (p.check_route ? 1 : 0) << " seed=" << run.seed
         << " cycles=" << run.cycles;
    return line.str();
}

coding_run coding_run_from_line(const std::string& line) {
    if (!line.starts_with(coding_line))
        throw hw::input_error("replay line: it is not one of a coding unit", "they begin with \"coding \"");
    replay_line values(line.substr(std::string_view(coding_line).size()));
    coding_params params;
    params.vcs = values.take_small("vcs");
    params.vc_flits = values.take_small("vc_flits");
    params.flit_bytes = values.take_small("flit_bytes");
    params.header_free = values.take_small("header_free") != 0;
    params.contexts = values.take_small("contexts");
    params.slots = values.take_small("slots");
    params.slot_flits = values.take_small("slot_flits");
    params.indices = values.take_small("indices");
    params.destinations = values.take_small("destinations");
    params.max_latency = values.take_small("max_latency");
    params.check_route = values.take_small("check_route") != 0;
    const std::uint64_t seed = values.take("seed");
    const std::uint64_t cycles = values.take("cycles");
    values.finish();
    return draw_coding_run(hw::chips::checked(params), seed, cycles);
}

}  // namespace polycast::testbench::equivalence
