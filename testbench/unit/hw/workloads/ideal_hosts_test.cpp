// SPDX-License-Identifier: Apache-2.0
// Ideal hosts as chips: what they get is compared byte by byte, whatever the routers between them do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "hw/engine/network.h"
#include "hw/system/ideal_network.h"
#include "hw/workloads/allgather/ideal_allgather.h"
#include "hw/workloads/messages/ideal_unicasts.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::fabric;
using hw::engine::cycle;
using hw::engine::never;
using hw::traffic::ideal_traffic;
using hw::traffic::ideal_unicasts;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// What a router does wrong, once.
enum class mistake { none, byte, tail_lost, twice, silent };

/// A router whose output pins are meddled with.
class bad_router final : public hw::engine::chip {
public:
    bad_router(std::unique_ptr<hw::engine::chip> good, mistake what) : good_(std::move(good)), what_(what) {}

    const hw::engine::pin_shape& shape() const override { return good_->shape(); }
    void reset() override { good_->reset(); }
    bool idle() const override { return good_->idle(); }
    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        const cycle next = good_->step(now, in, out);
        if (what_ == mistake::silent) {
            out.clear();
            return now + 1;
        }
        const unsigned port = shape().ports - 1;  // to the host
        if (what_ == mistake::none || (out.valid >> port & 1) == 0 || ++flits_ != 3) return next;
        if (what_ == mistake::byte) out.data[(port + 1) * shape().flit_bytes - 1] ^= 4;
        if (what_ == mistake::tail_lost) out.tail &= ~(std::uint64_t{1} << port);
        if (what_ == mistake::twice) out.header[port * shape().header_bytes + 4] ^= 1;  // sequence number
        return next;
    }

private:
    std::unique_ptr<hw::engine::chip> good_;
    mistake what_;
    unsigned flits_ = 0;
};

fabric_params mesh(unsigned flits) {
    fabric_params params;
    params.router.radix = 3;
    params.router.ports = 5;
    params.router.header_free = true;
    params.tables.reserve = params.tables.packet_limit = flits;
    params.tables.vc_sets = dateline_sets(params.router.vcs, 0);
    return params;
}

/// Every node sends to every other; router 4 makes a mistake.
ideal_unicasts each_to_each(mistake what, unsigned flits) {
    const fabric_params params = mesh(flits);
    ideal_traffic traffic;
    traffic.each_to_each = flits;
    ideal_unicasts hosts(params, std::move(traffic), 0, never, 17);
    const hw::system::system_plan plan = hw::system::make_ideal_plan(params);
    hw::engine::network network;
    const auto routers = [what](const hw::system::system_plan& of, std::uint32_t index) {
        return std::make_unique<bad_router>(hw::system::make_core(of, index), index == 4 ? what : mistake::none);
    };
    hw::system::build(network, plan, routers, hw::system::ideal_hosts(params, hosts));
    network.run(never);
    return hosts;
}

TEST(ideal_hosts, get_what_was_sent) {
    const ideal_unicasts hosts = each_to_each(mistake::none, 2);
    EXPECT_EQ(hosts.statistics().packets, 72u);
    EXPECT_EQ(hosts.missing(), 0u);
    EXPECT_THAT(hosts.faults(), IsEmpty());
}

TEST(ideal_hosts, find_a_wrong_byte) {
    const ideal_unicasts hosts = each_to_each(mistake::byte, 2);
    EXPECT_EQ(hosts.fault_count(), 1u);
    EXPECT_THAT(hosts.faults(), Contains(AllOf(HasSubstr("to terminal 4"), HasSubstr("arrives with other bytes"))));
}

TEST(ideal_hosts, find_a_packet_without_a_tail) {
    const ideal_unicasts hosts = each_to_each(mistake::tail_lost, 1);
    EXPECT_NE(hosts.missing(), 0u);
}

TEST(ideal_hosts, find_a_packet_that_was_never_sent_or_came_before) {
    const ideal_unicasts hosts = each_to_each(mistake::twice, 1);
    EXPECT_NE(hosts.fault_count(), 0u);
    EXPECT_NE(hosts.missing(), 0u);
}

/// A run in which the host of one corner sends two packets to the opposite one, 3,000 cycles apart, by router 5.
hw::system::run_outcome two_packets(mistake what, ideal_unicasts& hosts) {
    const hw::system::system_plan plan = hw::system::make_ideal_plan(mesh(2));
    const auto routers = [what](const hw::system::system_plan& of, std::uint32_t index) {
        return std::make_unique<bad_router>(hw::system::make_core(of, index), index == 5 ? what : mistake::none);
    };
    const fabric_params params = mesh(2);
    hw::system::system_network network(plan, routers, hw::system::ideal_hosts(params, hosts), hosts);
    return network.run({.cycles = 50000, .patience = 4000, .slice = 1, .settle = never});
}

ideal_unicasts far_apart() {
    ideal_traffic traffic;
    traffic.orders = {{0, 8, 0, 2, 0}, {0, 8, 3000, 2, 0}};
    return {mesh(2), std::move(traffic), 0, never, 17};
}

TEST(ideal_hosts, are_not_over_while_packets_are_to_be_born) {
    ideal_unicasts hosts = far_apart();
    const hw::system::run_outcome outcome = two_packets(mistake::none, hosts);
    EXPECT_EQ(outcome.ended, hw::system::run_outcome::kind::complete);
    EXPECT_EQ(hosts.statistics().packets, 2u);
    EXPECT_GT(outcome.cycles, 3000u);
    EXPECT_EQ(outcome.cycles, hosts.delivered_until());
}

TEST(ideal_hosts, are_given_up_where_nothing_moves_though_a_router_never_sleeps) {
    ideal_unicasts hosts = far_apart();
    const hw::system::run_outcome outcome = two_packets(mistake::silent, hosts);
    EXPECT_EQ(outcome.ended, hw::system::run_outcome::kind::stuck);
    EXPECT_LT(outcome.cycles, 10000u);
    EXPECT_THAT(outcome.diagnosis, HasSubstr("the oldest packet is packet 0 of terminal 0 to terminal 8"));
}

/// Routers that had something to do, by the watch.
std::uint64_t router_steps(bool wrapped) {
    const fabric_params params = mesh(2);
    ideal_traffic traffic;
    traffic.each_to_each = 2;
    ideal_unicasts hosts(params, std::move(traffic), 0, never, 17);
    const hw::system::system_plan plan = hw::system::make_ideal_plan(params);
    hw::engine::network network;
    hw::system::ideal_watch watch(plan, params, never, false);
    network.observe(&watch);
    const auto routers = [wrapped](const hw::system::system_plan& of,
                                   std::uint32_t index) -> std::unique_ptr<hw::engine::chip> {
        std::unique_ptr<hw::engine::chip> core = hw::system::make_core(of, index);
        if (!wrapped) return core;
        return std::make_unique<bad_router>(std::move(core), mistake::none);
    };
    hw::system::build(network, plan, routers, hw::system::ideal_hosts(params, hosts));
    network.run(never);
    return watch.counted().router_steps;
}

TEST(ideal_hosts, are_watched_alike_whatever_the_routers_are) {
    const std::uint64_t cores = router_steps(false);
    EXPECT_GT(cores, 72u * 2);
    EXPECT_EQ(router_steps(true), cores);
}

allgather_options coded(unsigned flits) {
    allgather_options options;
    options.plan.radix = 4;
    options.plan.group = 4;
    options.flits = flits;
    options.seed = 5;
    options.fabric = allgather_fabric(options);
    return options;
}

/// The unit of one node makes a mistake.
allgather_result gather(const allgather_options& options, bool good) {
    const hw::collectives::network_coding coding = plan_of(options);
    ideal_allgather hosts(options, coding);
    const hw::system::system_plan plan = hw::system::make_ideal_plan(options.fabric, hosts.units());
    hw::engine::network network;
    hw::system::ideal_watch watch(plan, options.fabric, never, false);
    watch.show_units(hosts);
    network.observe(&watch);
    const auto chips = [good](const hw::system::system_plan& of,
                              hw::engine::chip_id id) -> std::unique_ptr<hw::engine::chip> {
        std::unique_ptr<hw::engine::chip> core = hw::system::make_core(of, id);
        if (of.forwards(id)) return core;
        return std::make_unique<bad_router>(std::move(core), good || id != of.units[1] ? mistake::none : mistake::byte);
    };
    hw::system::build(network, plan, chips, hw::system::ideal_hosts(options.fabric, hosts));
    network.run(100000);
    return hosts.finish(watch.last_move() + 1, false, watch.counted().flit_hops, {});
}

TEST(ideal_hosts, gather_what_all_have) {
    const allgather_options options = coded(2);
    const allgather_result found = gather(options, true);
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_EQ(found.missing, 0u);
    const allgather_result wanted = run_allgather(options);
    EXPECT_EQ(found.cycles, wanted.cycles);
    EXPECT_EQ(found.packets, wanted.packets);
    EXPECT_EQ(found.latency, wanted.latency);
    EXPECT_EQ(found.xors, wanted.xors);
    EXPECT_EQ(found.decode_xors, wanted.decode_xors);
    EXPECT_EQ(found.longest_queue, wanted.longest_queue);
    EXPECT_EQ(found.most_operand_flits, wanted.most_operand_flits);
    EXPECT_EQ(found.flit_hops, wanted.flit_hops);
}

TEST(ideal_hosts, find_a_unit_that_codes_wrongly) {
    EXPECT_THAT(gather(coded(2), false).problems, Contains(HasSubstr("is not the XOR of its operands")));
}

}  // namespace
}  // namespace polycast::testbench::unit
