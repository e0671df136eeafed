// SPDX-License-Identifier: Apache-2.0
// Networks of broadcast routers in SystemC: everything that a run tells is as on the bare engine, wherever the routers
// live, cores and Verilated RTL.
#include "tlm/network/sc_chip_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/unit/hw/workloads/broadcast/broadcast_bench.h"
#include "testbench/unit/tlm/in_child.h"
#include "tlm/verilated/rtl_broadcast.h"

namespace polycast::tlm::network {
namespace {

using namespace hw::broadcast;
using hw::engine::chip_id;
using hw::engine::cycle;
using testbench::unit::in_child;
using testing::HasSubstr;

struct setting {
    std::string name;
    router_network_params params;
    std::vector<broadcast_job> jobs;
    broadcast_traffic_params traffic = {};
};

std::vector<setting> settings() {
    std::vector<setting> all;
    const auto add = [&](const std::string& name, const router_network_params& params,
                         const std::vector<std::uint32_t>& sources) -> setting& {
        setting& made = all.emplace_back(setting{name, params, {}});
        for (const std::uint32_t source : sources) made.jobs.push_back(job_of(params, source, 8, 3));
        return made;
    };
    const router_network_params bypassed = network_of(8, 2, {4});
    add("bypasses", bypassed, {9, 9, 40});
    router_network_params blind = bypassed;
    blind.maps = false;
    add("blind", blind, {9, 40});
    router_network_params slow = network_of(6, 2, {});
    slow.link_delay = 3;
    slow.host_flits = 2;
    setting& loaded = add("torus, slow links, unicasts", slow, {1, 30, 2});
    loaded.traffic.unicasts = {0.05, 3, 7};
    loaded.traffic.host_pause = 2;
    router_network_params trees = network_of(4, 2, {});
    trees.how = algorithm::trees;
    trees.chip.router.header_free = true;
    add("trees, free headers", trees, {3, 5});
    router_network_params lines = bypassed;
    lines.dimensions = {1};
    add("lines", lines, {0, 1, 7, 9});
    return all;
}

/// Every step of every chip, in cycle and chip: what the pins say of side wires and flits.
class step_log final : public hw::engine::observer {
public:
    void stepped(chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip&) override {
        std::vector<std::uint64_t>& line = steps[{now, id}];
        line = {in.valid, in.credit, in.side, out.valid, out.head, out.tail, out.credit, out.side};
        for (std::uint64_t set = in.side; set != 0; set &= set - 1) {
            const hw::engine::side_state& shown = in.sides[static_cast<std::size_t>(std::countr_zero(set))];
            line.push_back(shown.have);
            line.push_back(shown.round);
        }
    }
    std::map<std::pair<cycle, chip_id>, std::vector<std::uint64_t>> steps;
};

auto numbers(const hw::engine::link_statistics& of) {
    return std::tuple(of.flits, of.packets, of.occupied, of.occupied_max, of.occupied_cycles, of.since, of.offset);
}

auto numbers(const broadcast_network_result& of) {
    std::vector<cycle> times;
    for (const broadcast_times& job : of.jobs) times.insert(times.end(), {job.begun, job.at_units, job.at_hosts});
    return std::tuple(times, of.link_sends, of.sends, of.sent_flits, of.duplicates, of.stale, of.unicasts, of.end,
                      of.flit_hops);
}

/// A router is where `where` says, its host with it.
hw::system::stepper_factory in_systemc(const std::function<placement(std::uint32_t router)>& where) {
    return [where](const hw::system::system_plan& plan) {
        std::vector<placement> places;
        for (std::uint32_t router = 0; router < plan.switch_count(); ++router) places.push_back(where(router));
        return std::make_unique<sc_chip_network>(chips_of(plan, std::move(places), true));
    };
}

/// Runs both. `steps`: all chips are cores, which both step in the same cycles.
void expect_same(const setting& what, const std::function<placement(std::uint32_t)>& where,
                 const broadcast_router_factory& make = core_routers(), bool steps = true) {
    SCOPED_TRACE(what.name);
    broadcast_network bare(what.params, what.jobs, what.traffic);
    broadcast_network systemc(what.params, what.jobs, what.traffic, chips_by(make), in_systemc(where));
    step_log wanted, got;
    bare.observe(&wanted);
    systemc.observe(&got);
    const broadcast_network_result expected = bare.run();
    const broadcast_network_result found = systemc.run();
    EXPECT_EQ(numbers(found), numbers(expected));
    EXPECT_EQ(systemc.network().now(), bare.network().now());
    EXPECT_EQ(systemc.network().error_count(), 0u);
    ASSERT_EQ(systemc.network().size(), bare.network().size());
    for (chip_id chip = 0; chip < bare.network().size(); ++chip) {
        EXPECT_EQ(systemc.network().name(chip), bare.network().name(chip));
        for (unsigned port = 0; port < bare.network().at(chip).shape().ports; ++port) {
            EXPECT_EQ(systemc.network().peer({chip, port}), bare.network().peer({chip, port}));
            EXPECT_EQ(numbers(systemc.network().statistics({chip, port})),
                      numbers(bare.network().statistics({chip, port})))
                << "chip " << chip << " port " << port;
        }
    }
    if (!steps) return;
    EXPECT_EQ(found.chip_steps, expected.chip_steps);
    EXPECT_TRUE(got.steps == wanted.steps) << "pins differ";
    EXPECT_GT(got.steps.size(), 1000u);
}

placement modules(std::uint32_t) {
    return placement::module;
}
placement mixed(std::uint32_t router) {
    return router % 3 == 0 ? placement::module : placement::engine;
}
placement engine(std::uint32_t) {
    return placement::engine;
}

TEST(sc_broadcast, gives_the_results_of_the_bare_engine_wherever_the_routers_live) {
    for (const setting& what : settings()) {
        for (const auto& where : {modules, mixed, engine}) in_child([&] { expect_same(what, where); });
    }
}

TEST(sc_broadcast, the_same_with_rtl_in_modules_and_in_the_engine) {
    // A set of the equivalence tests, whose model it shares.
    const auto chip = params_of_model<hw::chips::broadcast_params>("broadcast_p4_v2x2_f2_d1x16_n0_x2_c1_s9x3_i3_free");
    setting what{"rtl", network_of(16, 1, {}), {}};
    what.params.chip = chip;
    for (const std::uint32_t source : {3u, 11u}) what.jobs.push_back(job_of(what.params, source, 9, 3));
    model_options options = model_options::defaults();
    options.optimize = "-O1";
    model_library models{options};
    models.get(chip);  // built once, in the parent
    const broadcast_router_factory some =
        [&](const hw::chips::broadcast_params& params,
            const hw::chips::broadcast_registers& registers) -> std::unique_ptr<hw::engine::chip> {
        if (registers.router.node % 2 == 0) return core_routers()(params, registers);
        return std::make_unique<rtl_broadcast>(params, registers, models);
    };
    for (const auto& where : {modules, mixed, engine}) in_child([&] { expect_same(what, where, some, false); });
}

/// A run that fails says the same.
std::string failure_of(const setting& what, bool systemc, const broadcast_router_factory& make = core_routers()) {
    broadcast_network network(what.params, what.jobs, what.traffic, chips_by(make),
                              systemc ? in_systemc(mixed) : hw::system::make_engine);
    try {
        network.run();
    } catch (const std::exception& error) {
        return error.what() + (" in cycle " + std::to_string(network.network().now()));
    }
    return "none";
}

TEST(sc_broadcast, a_limit_and_a_watcher_end_the_run_in_the_same_cycle) {
    setting what = settings()[0];
    for (const cycle limit : {0u, 1u, 40u}) {
        what.traffic.limits.cycles = limit;
        const std::string wanted = failure_of(what, false);
        EXPECT_THAT(wanted, HasSubstr("cycle " + std::to_string(limit) + ", the limit, is reached"));
        in_child([&] { EXPECT_EQ(failure_of(what, true), wanted); });
    }
    what.traffic.limits.cycles = 10000;
    what.traffic.watch = [](const broadcast_network& network) { return network.so_far().sends >= 100; };
    const std::string wanted = failure_of(what, false);
    EXPECT_THAT(wanted, HasSubstr("nothing moves any more"));
    in_child([&] { EXPECT_EQ(failure_of(what, true), wanted); });
    what.traffic.watch = [](const broadcast_network&) -> bool { throw std::runtime_error("the watcher is broken"); };
    in_child([&] { EXPECT_THAT(failure_of(what, true), HasSubstr("the watcher is broken")); });
}

/// A router that raises error pins in cycle 51.
class noisy final : public hw::engine::chip {
public:
    explicit noisy(std::unique_ptr<hw::engine::chip> router) : router_(std::move(router)) {}

    const hw::engine::pin_shape& shape() const override { return router_->shape(); }
    void reset() override { router_->reset(); }
    bool idle() const override { return router_->idle(); }
    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        const cycle next = router_->step(now, in, out);
        if (now == 50) {
            out.error = 5;
            out.errors[0] = out.errors[2] = 3;
        }
        return now < 50 ? now + 1 : next;
    }

private:
    std::unique_ptr<hw::engine::chip> router_;
};

TEST(sc_broadcast, failures_are_told_in_the_same_words) {
    const broadcast_router_factory all_noisy = [](const hw::chips::broadcast_params& params,
                                                  const hw::chips::broadcast_registers& registers) {
        return std::make_unique<noisy>(core_routers()(params, registers));
    };
    const std::string wanted = failure_of(settings()[0], false, all_noisy);
    EXPECT_THAT(wanted, HasSubstr("broadcast: 256 failures: node 0, cycle 50: port 0 raises "));
    EXPECT_THAT(wanted, HasSubstr("; node 1, cycle 50: "));
    in_child([&] { EXPECT_EQ(failure_of(settings()[0], true, all_noisy), wanted); });
}

/// A router that from cycle 60 on shows only the packets that are new.
class forgetful final : public hw::engine::chip {
public:
    explicit forgetful(std::unique_ptr<hw::engine::chip> router) : router_(std::move(router)) {}

    const hw::engine::pin_shape& shape() const override { return router_->shape(); }
    void reset() override { router_->reset(); }
    bool idle() const override { return router_->idle(); }
    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        const cycle next = router_->step(now, in, out);
        for (std::uint64_t set = out.side; set != 0; set &= set - 1) {
            hw::engine::side_state& shown = out.sides[static_cast<std::size_t>(std::countr_zero(set))];
            const std::uint64_t before =
                std::exchange(before_[static_cast<std::size_t>(std::countr_zero(set))], shown.have);
            if (now > 60) shown.have &= ~before;
        }
        return next;
    }

private:
    std::unique_ptr<hw::engine::chip> router_;
    std::array<std::uint64_t, 16> before_{};  ///< [port]
};

TEST(sc_broadcast, checkers_find_side_wires_against_the_protocol) {
    const broadcast_router_factory spoilt =
        [](const hw::chips::broadcast_params& params,
           const hw::chips::broadcast_registers& registers) -> std::unique_ptr<hw::engine::chip> {
        auto router = core_routers()(params, registers);
        if (registers.router.node != 12) return router;
        return std::make_unique<forgetful>(std::move(router));
    };
    in_child([&] { EXPECT_THAT(failure_of(settings()[0], true, spoilt), HasSubstr(" is taken back in round 1")); });
}

TEST(sc_broadcast, refuses_what_no_network_can_be) {
    in_child([] {
        const router_network_params params = network_of(4, 1, {});
        sc_chip_network network({});
        const hw::topology::bypass_torus ring(params.topology);
        network.add(core_routers()(routers_of(ring, params), registers_of(ring, params, 0)), "a");
        network.add(core_routers()(routers_of(ring, params), registers_of(ring, params, 1)), "b");
        network.connect({0, 0}, {1, 1}, {});
        EXPECT_THROW(network.connect({0, 0}, {1, 0}, {}), hw::input_error) << "is taken";
        EXPECT_THROW(network.connect({0, 1}, {2, 0}, {}), hw::input_error) << "no such chip";
        EXPECT_THROW(network.connect({0, 1}, {1, 9}, {}), hw::input_error) << "no such port";
        network.connect({0, 1}, {1, 2}, {});
        EXPECT_THROW(network.run_slices({10, 10}, {}), hw::input_error) << "only one has side wires";
        EXPECT_THROW(network.run_slices({10, 10}, {}), std::logic_error) << "once";
    });
}

}  // namespace
}  // namespace polycast::tlm::network
