// SPDX-License-Identifier: Apache-2.0
/// \file What SystemC costs: the same network and traffic on the bare engine, as one SystemC process, with a third of
/// the switches (routers) in modules, and with every chip in a module of its own, without and with protocol checkers;
/// processor time of the run, building not counted.
///
/// SystemC elaborates once in a process, so each measurement is a child process.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/delivery/scoreboard.h"
#include "hw/system/system_network.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/broadcast/broadcast_network.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/tlm/modules/sc_routers.h"
#include "tlm/network/sc_chip_network.h"
#include "tlm/network/sc_session.h"

namespace {

using namespace polycast::hw;
namespace modules = polycast::tlm::modules;
namespace network = polycast::tlm::network;

enum class form { bare, process, mixed, modules, checked };
constexpr std::array forms{form::bare, form::process, form::mixed, form::modules, form::checked};
constexpr std::array<const char*, 5> form_names{"bare", "process", "mixed", "modules", "modules_checked"};

struct setting {
    const char* name;
    unsigned switches;
    double gap;  ///< mean cycles between two messages of a host; 0: one multicast
    unsigned flit_bytes;
};
/// Tree worms one after the other, light and heavy load of unicasts, 16-byte flits, a larger network.
constexpr std::array settings{
    setting{"tree_8", 8, 0, 1},    setting{"light_8", 8, 5000, 1},  setting{"load_8", 8, 1500, 1},
    setting{"wide_8", 8, 150, 16}, setting{"load_80", 80, 4000, 1},
};

/// Uniform traffic on a mesh of routers with a terminal each, 4 VCs of 8 flits of 16 bytes.
struct router_setting {
    const char* name;
    unsigned radix;
    unsigned flits;  ///< of a packet
    double load;     ///< flits per node and cycle
    std::uint64_t cycles;
};
constexpr std::array router_settings{
    router_setting{"routers_64", 8, 1, 0.1, 5000},
    router_setting{"routers_64_long", 8, 5, 0.1, 5000},
    router_setting{"routers_64_light", 8, 1, 0.001, 200000},
};

/// Pipelined broadcasts one after the other, packets of 8 flits of 16 bytes, on a bypass torus.
struct broadcast_setting {
    const char* name;
    unsigned radix;
    unsigned rounds;
};
constexpr std::array broadcast_settings{
    broadcast_setting{"broadcasts_256", 16, 5},
};

struct measured {
    double seconds = 0;
    std::uint64_t flit_hops = 0;
    std::uint64_t chip_steps = 0;
    std::uint64_t cycles = 0;
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

measured measure(const setting& what, form how) {
    topology::irregular_params shape;
    shape.switches = what.switches;
    shape.hosts = what.switches * 4;
    shape.seed = 1;
    if (what.switches > 8) shape.placement = topology::host_placement::even;
    system::system_params params;
    params.flit_bytes = what.flit_bytes;
    if (what.gap != 0) {
        params.host.send_overhead = params.host.receive_overhead = 10;
        params.firmware_times = system::paper_costs(10, 10);
        params.host.interface.bus_cycles_per_byte = 0;
    }
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), params);
    traffic::workload_params work;
    work.hosts = shape.hosts;
    work.gap = what.gap;
    if (what.gap == 0) {
        work.messages = 100;
        work.degree = 15;
    } else {
        work.kind = traffic::workload_kind::unicast;
        work.end = 100000;
    }
    traffic::workload workload(work);
    traffic::scoreboard board(1, {}, work.payload_bytes);
    const system::host_factory hosts = system::workload_hosts(
        system::native_processors(ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY)), workload, board, 1);
    measured result;
    if (how == form::bare) {
        system::system_network bare(plan, system::make_core, hosts, board);
        const double start = processor_seconds();
        result.cycles = bare.run({}).cycles;
        result.seconds = processor_seconds() - start;
        result.flit_hops = bare.network().flit_hops();
        result.chip_steps = bare.network().chip_steps();
    } else {
        network::sc_network_params places;
        places.switches.assign(plan.switch_count(),
                               how >= form::modules ? network::placement::module : network::placement::engine);
        for (std::size_t index = 0; how == form::mixed && index < places.switches.size(); index += 3) {
            places.switches[index] = network::placement::module;
        }
        places.checkers = how == form::checked;
        network::sc_session session;
        session.add("bench", plan, places, system::make_core, hosts, board);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
        const double start = processor_seconds();
        result.cycles = session.run({}).front().cycles;
        result.seconds = processor_seconds() - start;
        result.flit_hops = session.at(0).flit_hops();
        result.chip_steps = session.at(0).chip_steps();
    }
    if (!board.counts().exactly_once()) throw std::runtime_error("packets were lost");
    return result;
}

std::vector<fabric::send_order> uniform_orders(const router_setting& what, std::uint32_t nodes) {
    traffic::random_stream random(1);
    constexpr std::uint64_t whole = 1'000'000;
    const auto births = static_cast<std::uint64_t>(what.load / what.flits * double{whole});
    std::vector<fabric::send_order> orders;
    for (std::uint64_t now = 0; now < what.cycles; ++now) {
        for (std::uint32_t node = 0; node < nodes; ++node) {
            if (random() % whole >= births) continue;
            const auto destination = static_cast<std::uint32_t>(random() % nodes);
            orders.push_back({node, destination, now, static_cast<std::uint16_t>(what.flits), 0});
        }
    }
    return orders;
}

measured measure(const router_setting& what, form how) {
    fabric::fabric_params params;
    params.router.radix = what.radix;
    params.tables.vc_sets = fabric::dateline_sets(params.router.vcs, 0);
    const auto orders = uniform_orders(what, params.router.nodes());
    measured result;
    if (how == form::bare) {
        polycast::testbench::unit::arrival_map arrivals;
        engine::network bare;
        polycast::testbench::unit::build_chips(bare, params, orders, arrivals);
        const double start = processor_seconds();
        bare.run(engine::never);
        result = {processor_seconds() - start, bare.flit_hops(), bare.chip_steps(), bare.now()};
        if (arrivals.size() != orders.size()) throw std::runtime_error("packets were lost");
        return result;
    }
    const auto in_engine = [&](std::uint32_t node) {
        return how == form::process || (how == form::mixed && node % 3 != 0);
    };
    modules::sc_routers network("bench", params, orders, in_engine,
                                polycast::testbench::unit::make_router<polycast::hw::chips::router_core>,
                                how == form::checked);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
    const double start = processor_seconds();
    sc_core::sc_start();
    result = {processor_seconds() - start, network.state.flit_hops(), network.state.chip_steps(), network.state.now()};
    network.state.rethrow_failure();
    if (network.arrivals.size() != orders.size()) throw std::runtime_error("packets were lost");
    return result;
}

/// With building, which is short beside several rounds.
measured measure(const broadcast_setting& what, form how) {
    broadcast::router_network_params params;
    params.topology = {what.radix, 2, {4}};
    params.dimensions = {0, 1};
    const std::vector<broadcast::broadcast_job> jobs(what.rounds, {0, {16, 16}, 8, 0});
    const auto where = [how](std::uint32_t router) {
        const bool module = how >= form::modules || (how == form::mixed && router % 3 == 0);
        return module ? network::placement::module : network::placement::engine;
    };
    const system::stepper_factory stepper =
        [&](const system::system_plan& plan) -> std::unique_ptr<engine::chip_network> {
        if (how == form::bare) return system::make_engine(plan);
        std::vector<network::placement> places;
        for (std::uint32_t router = 0; router < plan.switch_count(); ++router) places.push_back(where(router));
        return std::make_unique<network::sc_chip_network>(
            network::chips_of(plan, std::move(places), how == form::checked));
    };
    broadcast::broadcast_network all(params, jobs, {}, system::make_core, stepper);
    const double start = processor_seconds();
    const broadcast::broadcast_network_result found = all.run();
    return {processor_seconds() - start, found.flit_hops, found.chip_steps, found.end};
}

/// measure() in a child process.
template <typename setting_type>
measured measure_apart(const setting_type& what, form how) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        const measured result = measure(what, how);
        const bool written = write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
        _exit(written ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    measured result;
    const bool got = read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!got || status != 0) throw std::runtime_error(std::string(what.name) + ": the measurement failed");
    return result;
}

template <typename setting_type>
void register_forms(const setting_type& what) {
    for (std::size_t index = 0; index < forms.size(); ++index) {
        const std::string name = std::string("systemc/") + what.name + "/" + form_names[index];
        const auto run = [&what, how = forms[index]](benchmark::State& state) {
            std::uint64_t flit_hops = 0;
            std::uint64_t chip_steps = 0;
            for (auto _ : state) {
                const measured now = measure_apart(what, how);
                state.SetIterationTime(now.seconds);
                flit_hops += now.flit_hops;
                chip_steps += now.chip_steps;
            }
            using benchmark::Counter;
            state.counters["flit_hops"] = Counter(static_cast<double>(flit_hops), Counter::kIsRate);
            state.counters["chip_steps"] = Counter(static_cast<double>(chip_steps), Counter::kIsRate);
        };
        benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(3)->UseManualTime()->Unit(benchmark::kMillisecond);
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    for (const setting& what : settings) register_forms(what);
    for (const router_setting& what : router_settings) register_forms(what);
    for (const broadcast_setting& what : broadcast_settings) register_forms(what);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
    benchmark::RunSpecifiedBenchmarks();
    return EXIT_SUCCESS;
}
