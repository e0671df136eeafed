// SPDX-License-Identifier: Apache-2.0
// Two switches and four hosts, wired by hand: what a user of the modules writes in an sc_main of their own.
//
//     host 0 --+                    +-- host 2
//              switch a ------ switch b
//     host 1 --+                    +-- host 3
//
// Host 0 multicasts one packet to the three others by a tree worm; then host 3 sends a unicast to host 1.
#include <cstdlib>
#include <iostream>
#include <map>
#include <queue>

#include "hw/delivery/scoreboard.h"
#include "hw/format/header.h"
#include "hw/ni/native_processor.h"
#include "hw/routing/tables.h"
#include "hw/routing/updown.h"
#include "hw/system/plan.h"
#include "hw/topology/graph.h"
#include "hw/workloads/messages/workload_program.h"
#include "tlm/modules/host_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/switch_module.h"

namespace hw = polycast::hw;
namespace modules = polycast::tlm::modules;

namespace {

/// The traffic: what each host is to send, in order of time.
class two_messages final : public hw::traffic::message_source {
public:
    std::optional<hw::traffic::message> next(std::uint32_t host) override {
        if (list_[host].empty()) return std::nullopt;
        hw::traffic::message message = list_[host].front();
        list_[host].pop();
        return message;
    }

    void add(std::uint32_t host, const hw::traffic::message& message) { list_[host].push(message); }

private:
    std::map<std::uint32_t, std::queue<hw::traffic::message>> list_;
};

}  // namespace

int sc_main(int, char**) {
    // Routing tables of the two switches (4 ports each: 0 and 1 to hosts, 3 to the other switch, 2 open).
    hw::topology::graph graph;
    graph.add_switch("a", 4);
    graph.add_switch("b", 4);
    graph.connect(0, 3, 1, 3);
    for (unsigned host = 0; host < 4; ++host) graph.attach_host("host" + std::to_string(host), host / 2, host % 2);
    const hw::routing::updown routes(graph, {});
    std::vector<hw::chips::switch_tables> tables = hw::routing::make_tables(routes, 32);

    const hw::chips::switch_params shape{.ports = 4, .flit_bytes = 4, .chunk_flits = 8, .chunks = 16, .read_ports = 4};
    for (hw::chips::switch_tables& table : tables) {
        table.packet_limit = shape.chunk_flits * shape.chunks;
        table.tree_header_flits = hw::format::header_flits(hw::format::tree_header_bytes(4), shape.flit_bytes);
        table.buffer_chunks.assign(shape.ports, shape.chunks);
        table.credits.assign(shape.ports, shape.chunks);
    }
    // Hosts with a network interface each, whose firmware takes the papers' 1,000 cycles per packet and side.
    constexpr std::uint64_t payload_seed = 1;
    hw::host::host_params host;
    host.interface.hosts = 4;
    host.interface.flit_bytes = shape.flit_bytes;
    host.interface.chunk_flits = shape.chunk_flits;
    host.interface.credits = shape.chunks;
    const auto firmware = hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
    const hw::ni::native_params times = hw::system::paper_costs();

    two_messages traffic;
    traffic.add(0, {.created = 10,
                    .transfer = 0,
                    .kind = hw::traffic::message_kind::worm,
                    .destinations = {1, 2, 3},
                    .bytes = 128});
    traffic.add(
        3,
        {.created = 9000, .transfer = 1, .kind = hw::traffic::message_kind::unicast, .destinations = {1}, .bytes = 64});
    hw::traffic::scoreboard board(payload_seed, {}, host.interface.payload_bytes);
    hw::traffic::arrival_watcher watcher(board, nullptr);
    const auto make_host = [&](std::uint32_t number) {
        hw::host::host_params own = host;
        own.interface.host = number;
        const auto processor = [&](const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                                   hw::ni::observer* own_watcher) {
            return std::make_unique<hw::ni::native_processor>(firmware, times, params, bus, own_watcher);
        };
        std::vector<hw::host::application_factory> programs{
            hw::traffic::run_workload(number, traffic, board, payload_seed, {.hosts = 4})};
        return std::make_unique<hw::host::host_chip>(own, std::move(programs), processor, &watcher);
    };

    // The modules. 5 ns is the clock of the papers; a link takes one cycle.
    modules::run_state state("state");
    const modules::module_params clock{.period = sc_core::sc_time(5, sc_core::SC_NS), .number = {}};
    modules::switch_module a("a", shape, tables[0], clock, state);
    modules::switch_module b("b", shape, tables[1], clock, state);
    modules::host_module host0("host0", make_host(0), clock, state);
    modules::host_module host1("host1", make_host(1), clock, state);
    modules::host_module host2("host2", make_host(2), clock, state);
    modules::host_module host3("host3", make_host(3), clock, state);

    const hw::engine::link_params cable{.delay = 1, .chunk_flits = shape.chunk_flits};
    modules::link_module between("between", cable, clock.period, state);
    modules::link_module link0("link0", cable, clock.period, state);
    modules::link_module link1("link1", cable, clock.period, state);
    modules::link_module link2("link2", cable, clock.period, state);
    modules::link_module link3("link3", cable, clock.period, state);
    between.join(a, 3, b, 3);
    link0.join(a, 0, host0, 0);
    link1.join(a, 1, host1, 0);
    link2.join(b, 0, host2, 0);
    link3.join(b, 1, host3, 0);

    sc_core::sc_start();  // ends when no module has anything left to do

    state.rethrow_failure();
    for (const hw::traffic::transfer_record& transfer : board.transfers()) {
        std::cout << "transfer " << transfer.transfer << " of host " << transfer.source << ": " << transfer.copies
                  << (transfer.copies == 1 ? " copy" : " copies") << ", delivered after " << transfer.latency()
                  << " cycles\n";
    }
    const hw::traffic::delivery_counts counts = board.counts();
    std::cout << counts.delivered << " of " << counts.expected << " copies delivered, every byte checked; "
              << between.statistics(1, state.now()).flits << " flits crossed from a to b, "
              << between.statistics(0, state.now()).flits << " back; " << state.chip_steps() << " chip steps in "
              << state.now() << " cycles\n";
    return counts.exactly_once() ? EXIT_SUCCESS : EXIT_FAILURE;
}
