// SPDX-License-Identifier: Apache-2.0
/// \file Hostile traffic against one interface: `polycast-hostile --packets N --seed S --processor native|iss`.
/// Exit status 1 when something happened that must not; the seed that is printed then repeats the run in question.
#include <CLI/CLI.hpp>
#include <iostream>
#include <random>
#include <sstream>

#include "testbench/ni/attack.h"
#include "testbench/ni/processors.h"

namespace {

using namespace polycast::testbench::ni;
using polycast::hw::ni::bus_arbitration;
using polycast::hw::ni::wait_mode;

struct options {
    std::uint64_t packets = 20'000;
    std::uint64_t seed = std::random_device{}();
    std::uint64_t per_run = 20'000;
    unsigned receive_slots = 0;
    std::string processor = "iss";
    firmware_build firmware{POLYCAST_FIRMWARE_LIBRARY, POLYCAST_FIRMWARE_IMAGE};
};

/// An interface of any size, with few or many of everything.
tenancy_params random_params(dice& random) {
    tenancy_params params;
    polycast::hw::ni::ni_params& own = params.interface;
    own.host = interface_host;
    own.hosts = 32;
    own.processes = tenants;
    own.payload_bytes = random.of({16u, 64u, 100u, 256u});
    own.flit_bytes = random.of({1u, 4u, 8u, 16u});
    own.header_bytes = random.chance(50) ? polycast::hw::format::free_header_bytes(own.header_shape()) : 0;
    own.chunk_flits = random.of({1u, 8u});
    own.credits = random.of({2u, 80u});
    own.command_entries = random.of({4u, 64u});
    own.group_entries = random.of({16u, 256u});
    own.send_slots = random.of({0u, 4u, 16u});
    own.link_queue = random.of({1u, 64u});
    own.dma_queue = random.of({4u, 256u});
    own.bus_cycles_per_byte = random.of<boost::rational<std::int64_t>>({{3, 4}, {0, 1}, {2, 1}});
    own.arbitration = random.of(
        {bus_arbitration::fifo, bus_arbitration::to_host, bus_arbitration::from_host, bus_arbitration::round_robin});
    own.charge_completions = random.chance(50);
    // Mostly what takes the least time to simulate.
    own.wait = random.of({wait_mode::sleep, wait_mode::sleep, wait_mode::sleep, wait_mode::sleep, wait_mode::sleep,
                          wait_mode::interrupt, wait_mode::poll});
    params.exact = random.chance(50);
    params.slots = random.of({8u, 64u, 400u});
    params.sweep = own.wait != wait_mode::poll;
    own.jobs = random.chance(50);
    return params;
}

polycast::hw::ni::native_params random_costs(dice& random) {
    polycast::hw::ni::native_params costs;
    for (polycast::hw::engine::cycle& cost : costs.cycles) cost = random.chance(50) ? 0 : random.below(500);
    costs.overlapped = random.chance(50);
    return costs;
}

std::string describe(const tenancy_params& params, const polycast::hw::ni::native_params& costs) {
    const polycast::hw::ni::ni_params& own = params.interface;
    std::ostringstream text;
    text << "payload " << own.payload_bytes << ", flits of " << own.flit_bytes << " x " << own.chunk_flits
         << ", header pins " << own.header_bytes << ", credits " << own.credits << ", commands " << own.command_entries
         << ", groups " << own.group_entries << ", slots " << own.send_slots << " and " << own.receive_slots
         << ", queues " << own.link_queue << " and " << own.dma_queue << ", bus " << own.bus_cycles_per_byte
         << " arbitration " << static_cast<int>(own.arbitration) << ", wait mode " << static_cast<int>(own.wait)
         << (own.jobs ? ", jobs" : "") << (params.exact ? ", exact" : "") << ", pause at " << params.slots
         << " slots; costs";
    for (const polycast::hw::engine::cycle cost : costs.cycles) text << ' ' << cost;
    text << (costs.overlapped ? ", overlapped" : "");
    return text.str();
}

/// \returns what went wrong; empty if nothing did
std::string run(processors& firmware, const options& wanted, std::uint64_t seed, std::uint64_t packets,
                tenancy_counts& counts) {
    dice random(seed);
    tenancy_params params = random_params(random);
    params.interface.receive_slots = wanted.receive_slots;
    const polycast::hw::ni::native_params costs = random_costs(random);
    tenancy victim(params, firmware.make(wanted.processor == "iss" ? way::iss : way::native, costs), random);
    attacker enemy(victim, random);
    const std::uint32_t command_percent = random.of({5u, 30u});
    for (std::uint64_t sent = 0; sent < packets && victim.problem().empty();) {
        // Bursts with pauses: while more arrives than firmware can look at, commands wait.
        for (std::uint32_t burst = random.between(1, 60); burst != 0 && victim.problem().empty(); --burst) {
            if (random.chance(command_percent)) enemy.command();
            const bool more = victim.wants_more();
            for (; sent < packets && victim.wants_more(); ++sent) enemy.packet();
            if (more || random.chance(10)) victim.good_traffic();
            victim.run(random.between(100, 1500));
        }
        if (params.sweep && random.chance(10)) victim.long_pause();
        victim.pause();
    }
    victim.finish();
    victim.add_to(counts);
    return victim.problem().empty() ? "" : victim.problem() + "\n" + describe(params, costs);
}

void report(const tenancy_counts& counts) {
    std::cout << counts.packets << " packets in, " << counts.hostile << " of them hostile, " << counts.dropped
              << " dropped, " << counts.forwarded << " copies forwarded; " << counts.good_messages
              << " good messages received, " << counts.good_sends << " sent; " << counts.commands << " commands; "
              << counts.cycles << " cycles\nby status:";
    for (std::size_t status = 1; status < counts.statuses.size(); ++status)
        std::cout << ' ' << status << ": " << counts.statuses[status];
    std::cout << std::endl;
}

}  // namespace

int main(int count, char** words) {
    options wanted;
    CLI::App program("Hostile packets and commands against one network interface");
    program.add_option("--packets", wanted.packets, "Hostile packets and whole messages in all");
    program.add_option("--seed", wanted.seed, "Seed of the first run; the next ones follow");
    program.add_option("--per-run", wanted.per_run, "The same for each interface");
    program.add_option("--processor", wanted.processor, "native or iss")->check(CLI::IsMember({"native", "iss"}));
    program.add_option("--receive-slots", wanted.receive_slots,
                       "Slots for packets that arrive; 0: as many as there are");
    program.add_option("--library", wanted.firmware.library, "Firmware for native");
    program.add_option("--image", wanted.firmware.image, "Firmware for iss");
    CLI11_PARSE(program, count, words);
    processors firmware(wanted.firmware);
    tenancy_counts counts;
    std::cout << wanted.processor << ", seed " << wanted.seed << std::endl;
    std::uint64_t seed = wanted.seed;
    for (std::uint64_t left = wanted.packets; left != 0; ++seed) {
        const std::uint64_t packets = std::min(left, wanted.per_run);
        const std::string problem = run(firmware, wanted, seed, packets, counts);
        if (!problem.empty()) {
            std::cout << problem << "\nrepeat with --processor " << wanted.processor << " --seed " << seed
                      << " --packets " << packets << " --per-run " << packets << std::endl;
            report(counts);
            return 1;
        }
        left -= packets;
    }
    report(counts);
    return 0;
}
