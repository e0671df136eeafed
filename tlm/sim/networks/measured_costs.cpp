// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/measured_costs.h"

#include <string>

#include "hw/input_error.h"
#include "hw/riscv/iss.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/workloads/messages/workload.h"
#include "tlm/sim/networks/instances.h"

namespace polycast::tlm::sim {

namespace {

namespace ni = hw::ni;

/// Sums the time of operations from the first message on: what interfaces do before is no traffic.
class stopwatch final : public ni::observer {
public:
    void arrived(ni::cycle, const ni::received_packet&) override {}
    void used(const ni::span_record& span) override {
        if (span.where != ni::resource::ni_processor || span.begin < firmware_ready || span.what >= NI_OPERATIONS)
            return;
        total[span.what] += span.end - span.begin;
        ++count[span.what];
    }
    bool wants_spans() const override { return true; }

    std::array<ni::cycle, NI_OPERATIONS> total{};
    std::array<std::uint64_t, NI_OPERATIONS> count{};
};

void run(const std::shared_ptr<const hw::riscv::program>& firmware, hw::traffic::workload_params work,
         stopwatch& watch) {
    hw::system::multicast_choice choice;
    choice.scheme.how = hw::collectives::scheme_of("ni");
    choice.scheme.order = hw::collectives::chain_order::number;
    constexpr std::uint32_t hosts = 8;
    hw::topology::graph graph;
    graph.add_switch("switch", hosts);
    for (std::uint32_t host = 0; host < hosts; ++host) graph.attach_host("host" + std::to_string(host), 0, host);
    work.hosts = hosts;
    work.start = firmware_ready;
    hw::system::system_plan plan = hw::system::make_plan(graph, {});
    hw::system::fit(plan, work);
    work.how = hw::system::forwarding_of(choice);
    hw::traffic::workload workload(work, hw::system::make_planner(plan, choice, work.bytes));
    hw::traffic::scoreboard board(work.seed, {}, work.payload_bytes);
    const auto processors = [&firmware](const hw::system::system_plan&, const ni::ni_params&, ni::processor_bus& bus,
                                        ni::observer*) { return std::make_unique<hw::riscv::iss>(firmware, bus); };
    hw::system::system_network network(
        plan, hw::system::make_core, hw::system::workload_hosts(processors, workload, board, work.seed, &watch), board);
    network.run({});
    if (!board.counts().exactly_once()) {
        throw hw::input_error(firmware->source().file + ": costs cannot be measured: this firmware does not deliver " +
                              "every message once");
    }
}

}  // namespace

std::array<ni::cycle, NI_OPERATIONS> measure_costs(const std::shared_ptr<const hw::riscv::program>& firmware) {
    stopwatch watch;
    for (const std::uint32_t packets : {1u, 4u}) {
        hw::traffic::workload_params work;
        work.bytes = packets * work.payload_bytes;
        work.kind = hw::traffic::workload_kind::unicast;
        work.pattern.name = "each_to_each";
        run(firmware, work, watch);
        work.kind = hw::traffic::workload_kind::multicast;
        work.source = 0;
        work.degree = 7;
        run(firmware, work, watch);
    }
    std::array<ni::cycle, NI_OPERATIONS> mean{};
    for (unsigned operation = NI_OPERATION_KEEP; operation < NI_OPERATIONS; ++operation) {
        if (watch.count[operation] != 0)
            mean[operation] = (watch.total[operation] + watch.count[operation] / 2) / watch.count[operation];
    }
    return mean;
}

}  // namespace polycast::tlm::sim
