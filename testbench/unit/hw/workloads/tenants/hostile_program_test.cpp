// SPDX-License-Identifier: Apache-2.0
// Jobs on the same hosts: what JobIDs cost, and what a hostile one does with them and without.
#include "hw/workloads/tenants/hostile_program.h"

#include <gmock/gmock.h>

#include <boost/endian/conversion.hpp>

#include "hw/delivery/scoreboard.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload_program.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::tenants {
namespace {

using testing::IsEmpty;

constexpr unsigned victims = 2;
constexpr unsigned attacker = 2;
constexpr std::array<std::uint32_t, 3> ids{70, 71, 72};

/// Two jobs that send unicasts from processes 0 and 1, and a hostile one in process 2.
class tenants final : public ni::observer, public traffic::goal {
public:
    tenants(bool jobs, std::vector<attack_kind> attacks, std::uint64_t seed) {
        system::system_params params;
        params.host.interface.processes = victims + 1;
        params.host.interface.jobs = jobs;
        params.host.jobs = {ids.begin(), ids.end()};
        params.host.hostile = {attacker};
        params.firmware_times = system::paper_costs(20, 20, false);
        params.host.send_overhead = params.host.receive_overhead = 50;
        plan_ = system::make_plan(topology::make_irregular({.switches = 4, .ports = 8, .hosts = 8, .seed = 3}), params);
        traffic::workload_params work;
        work.kind = traffic::workload_kind::unicast;
        work.hosts = 8;
        work.bytes = 300;
        work.gap = 4000;
        work.end = 40000;
        system::fit(plan_, work);
        for (unsigned job = 0; job < victims; ++job) {
            work.seed = job + 1;
            traffic_.push_back(std::make_unique<traffic::workload>(work));
            traffic::network_facts facts = system::facts_of(plan_);
            facts.process = job;
            boards_.push_back(
                std::make_unique<traffic::scoreboard>(job + 1, traffic::measurement_window{}, 128, facts));
        }
        hostile_ = {.seed = seed,
                    .gap = 200,
                    .attempts = 150,
                    .attacks = std::move(attacks),
                    .own = {attacker},
                    .victims = {0, 1},
                    .hosts = 8,
                    .shape = plan_.header_shape()};
    }

    void run() {
        const auto programs = [this](std::uint32_t host) {
            std::vector<host::application_factory> made;
            for (unsigned job = 0; job < victims; ++job)
                made.push_back(
                    traffic::run_workload(host, *traffic_[job], *boards_[job], job + 1, plan_.header_shape()));
            made.push_back(run_hostile(host, hostile_, 1));
            return made;
        };
        system::system_network network(plan_, system::make_core,
                                       system::program_hosts(system::native(), programs, this, true), *this);
        // What the hostile process has its interface wait for may never come.
        outcome = network.run({.cycles = 5'000'000}, [this](engine::cycle now) { return complete() && now > 500'000; });
        failures = network.failures();
        totals = network.totals();
        for (std::uint32_t host = 0; host < 8; ++host) {
            const auto report = host::host_report::of(network.host(host).report());
            for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += report->applications.at(1 + i);
        }
    }

    bool complete() const override { return boards_[0]->complete() && boards_[1]->complete(); }
    engine::cycle delivered_until() const override {
        return std::max(boards_[0]->delivered_until(), boards_[1]->delivered_until());
    }
    std::string oldest_missing() const override { return boards_[0]->oldest_missing() + boards_[1]->oldest_missing(); }

    void arrived(ni::cycle now, const ni::received_packet& packet) override {
        unsigned job = packet.transport.process;
        if (!packet.job.empty()) job = boost::endian::load_little_u32(packet.job.data()) - ids[0];
        if (job < victims) boards_[job]->arrived(now, packet);
    }
    void departed(ni::cycle now, const ni::departed_packet& packet) override {
        EXPECT_EQ(packet.job, plan_.host.interface.jobs ? ids.at(packet.source_process) : 0);
        if (packet.source_process < victims) boards_[packet.source_process]->departed(now, packet);
    }

    std::uint64_t of(hostile_count which) const { return counts[static_cast<std::size_t>(which)]; }
    traffic::delivery_counts delivered(unsigned job) const { return boards_[job]->counts(); }

    const std::vector<std::string>& faults(unsigned job) const { return boards_[job]->faults(); }

    system::run_outcome outcome;
    std::vector<std::string> failures;
    system::interface_totals totals;
    std::array<std::uint64_t, static_cast<std::size_t>(hostile_count::counts)> counts{};

private:
    system::system_plan plan_;
    std::vector<std::unique_ptr<traffic::workload>> traffic_;
    std::vector<std::unique_ptr<traffic::scoreboard>> boards_;
    hostile_params hostile_;
};

TEST(hostile_program, of_each_kind_does_no_harm_where_packets_carry_jobs) {
    std::vector<std::vector<attack_kind>> draws{{}};
    for (const auto& each : attack_kinds) draws.push_back({each.value});
    for (const std::vector<attack_kind>& attacks : draws) {
        const std::string name(attacks.empty() ? "all" : name_in(attack_kinds, attacks.front()));
        SCOPED_TRACE(name);
        tenants under_attack(true, attacks, 1);
        under_attack.run();
        EXPECT_TRUE(under_attack.complete()) << under_attack.outcome.diagnosis;
        EXPECT_THAT(under_attack.failures, IsEmpty());
        for (unsigned job = 0; job < victims; ++job) {
            EXPECT_TRUE(under_attack.delivered(job).exactly_once());
            EXPECT_THAT(under_attack.faults(job), IsEmpty());
            EXPECT_GT(under_attack.delivered(job).messages.delivered, 50u);
        }
        EXPECT_EQ(under_attack.of(hostile_count::heard_of_jobs), 0u);
        EXPECT_GT(under_attack.of(hostile_count::commands) + under_attack.of(hostile_count::registers), 500u);
        const std::vector<std::uint64_t>& refused = under_attack.totals.jobs_refused;
        ASSERT_EQ(refused.size(), victims + 1);
        EXPECT_EQ(refused[attacker], 0u) << "nobody sends anything to it";
        if (name == "forge" || name == "all") {
            EXPECT_GT(refused[0] + refused[1], 100u);
        }
        RecordProperty(name, static_cast<int>(refused[0] + refused[1]));
    }
}

TEST(hostile_program, is_heard_where_they_do_not) {
    tenants open(false, {attack_kind::forge}, 1);
    open.run();
    EXPECT_FALSE(open.delivered(0).exactly_once() && open.delivered(1).exactly_once());
    EXPECT_GT(open.delivered(0).corrupted + open.delivered(0).misdelivered, 20u);
    EXPECT_THAT(open.totals.jobs_refused, IsEmpty());
}

TEST(hostile_program, does_the_same_with_the_same_seed) {
    const auto counts_of = [](std::uint64_t seed) {
        tenants one(true, {}, seed);
        one.run();
        return std::pair(one.counts, one.outcome.cycles);
    };
    EXPECT_EQ(counts_of(5), counts_of(5));
    EXPECT_NE(counts_of(5), counts_of(6));
}

}  // namespace
}  // namespace polycast::hw::tenants
