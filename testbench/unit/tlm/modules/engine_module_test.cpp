// SPDX-License-Identifier: Apache-2.0
// An engine wired by hand to a module outside, against the same chips on the bare engine: every step at the same time.
#include "tlm/modules/engine_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "hw/chips/router/router_core.h"
#include "hw/input_error.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

struct record {
    hw::engine::cycle when;
    std::uint64_t valid, credit, side;
    unsigned data;
    bool operator==(const record&) const = default;
};

using link_numbers = std::array<std::uint64_t, 6>;

link_numbers numbers(const hw::engine::link_statistics& of) {
    return {of.since, of.flits, of.packets, of.occupied, of.occupied_max, of.occupied_cycles};
}

/// Two ports. Passes on what arrives at either port, changed, through both; now and then starts something by itself,
/// after a pause of 1 to 200 cycles. With side wires it sends in their virtual channel, too, and shows what it has
/// seen. All from its own random numbers, so that any difference grows.
class gossip final : public hw::engine::chip {
public:
    gossip(unsigned seed, bool sides, std::vector<record>& steps) : random_(seed), steps_(steps) {
        if (sides) shape_.side_ports = 3;
    }

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }

    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        unsigned data = ((in.valid & 1) != 0 ? in.data[0] : 0u) + ((in.valid & 2) != 0 ? in.data[2] * 7u : 0u);
        if ((in.side & 1) != 0) data += static_cast<unsigned>(in.sides[0].have) + in.sides[0].round;
        if ((in.side & 2) != 0) data += 3 * static_cast<unsigned>(in.sides[1].have);
        steps_.push_back({now, in.valid, in.credit, in.side, data});
        const bool due = now >= timer_;
        if (due) timer_ = now + 1 + random_() % 200;
        if (now > 3000) return hw::engine::never;
        const bool talk = due || (in.valid != 0 && random_() % 8 != 0);
        if (talk) {
            out.valid = 1 + random_() % 3;
            out.head = out.tail = out.valid;
            for (const unsigned port : {0u, 1u}) out.data[2 * port] = static_cast<std::uint8_t>(data + random_() % 5);
        }
        const bool sides = shape_.side_ports != 0;
        for (const unsigned port : {0u, 1u}) {
            const std::uint64_t mask = std::uint64_t{1} << port;
            out.vc[port] = static_cast<std::uint8_t>(sides ? random_() % 2 : 0);
            out.credit_vc[port] = in.vc[port];
            if (!sides || in.vc[port] != shape_.side_vc) out.credit |= in.valid & mask;
        }
        if (sides && (due || (in.side != 0 && random_() % 4 != 0))) {
            out.side = 1 + random_() % 3;
            out.sides[0] = out.sides[1] = {data + 1, static_cast<std::uint8_t>(data % 4)};
        }
        return timer_;
    }

private:
    hw::engine::pin_shape shape_{2, 2, 0, 2, 0, 1};
    std::mt19937 random_;
    std::vector<record>& steps_;
    hw::engine::cycle timer_ = 0;
};

/// Has side wires beside a virtual channel, and nothing to do.
class shower final : public hw::engine::chip {
public:
    explicit shower(std::uint8_t side_vc) : shape_{1, 2, 0, 2, 1, side_vc} {}

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    hw::engine::cycle step(hw::engine::cycle, const hw::engine::pins&, hw::engine::pins&) override {
        return hw::engine::never;
    }

private:
    hw::engine::pin_shape shape_;
};

struct logs {
    std::array<std::vector<record>, 3> steps;
    std::array<link_numbers, 2> into_outside;  ///< [port]
};

/// A triangle of three chips; all links of delay `delay`.
logs on_bare_engine(unsigned seed, unsigned delay, bool sides) {
    logs seen;
    hw::engine::network network;
    for (unsigned chip = 0; chip < 3; ++chip) {
        network.add(std::make_unique<gossip>(seed + chip, sides, seen.steps[chip]), std::to_string(chip));
    }
    for (unsigned chip = 0; chip < 3; ++chip) network.connect({chip, 0}, {(chip + 1) % 3, 1}, {delay, 1});
    network.run(hw::engine::never);
    for (const unsigned port : {0u, 1u}) seen.into_outside[port] = numbers(network.statistics({2, port}));
    return seen;
}

/// Chips 0 and 1 in an engine, chip 2 outside.
struct triangle {
    triangle(const std::string& name, unsigned seed, unsigned delay, bool sides, bool members)
        : state((name + "_state").c_str()) {
        auto island = std::make_unique<hw::engine::network>();
        island->add(std::make_unique<gossip>(seed, sides, steps[0]), "0");
        island->add(std::make_unique<gossip>(seed + 1, sides, steps[1]), "1");
        island->connect({0, 0}, {1, 1}, {delay, 1});
        engine_module_params params;
        params.ports = {{1, 0}, {0, 1}};
        params.shortest_delay = params.longest_delay = delay;
        params.only_members_outside = members;
        engine = std::make_unique<engine_module>((name + "_engine").c_str(), std::move(island), params, state);
        outside = std::make_unique<chip_module>(
            (name + "_chip").c_str(), std::make_unique<gossip>(seed + 2, sides, steps[2]), module_params{}, state);
        const sc_core::sc_time period(1, sc_core::SC_NS);
        to = std::make_unique<link_module>((name + "_to").c_str(), hw::engine::link_params{delay, 1}, period, state);
        from =
            std::make_unique<link_module>((name + "_from").c_str(), hw::engine::link_params{delay, 1}, period, state);
        to->join(*engine, 0, *outside, 1);
        from->join(*outside, 0, *engine, 1);
    }

    std::array<std::vector<record>, 3> steps;
    run_state state;
    std::unique_ptr<engine_module> engine;
    std::unique_ptr<chip_module> outside;
    std::unique_ptr<link_module> to, from;
};

TEST(engine_module, chips_inside_and_outside_are_stepped_as_on_the_bare_engine) {
    std::vector<std::unique_ptr<triangle>> all;
    std::vector<logs> wanted;
    for (unsigned seed = 0; seed < 60; ++seed) {
        const unsigned delay = 1 + seed % 5;
        const bool sides = seed % 4 < 2;
        wanted.push_back(on_bare_engine(seed, delay, sides));
        all.push_back(std::make_unique<triangle>("triangle" + std::to_string(seed), seed, delay, sides, seed % 2 == 0));
    }
    run_state other("other");
    auto lonely = std::make_unique<hw::engine::network>();
    engine_module_params nowhere;
    nowhere.ports = {{0, 0}};
    EXPECT_THROW(engine_module("nowhere", std::move(lonely), nowhere, other), hw::input_error);
    auto unequal = std::make_unique<hw::engine::network>();
    for (const unsigned vcs : {2u, 4u}) {
        hw::chips::router_params params;
        params.vcs = vcs;
        hw::chips::router_tables tables;
        tables.credits.assign(params.ports, params.vc_flits);
        unequal->add(std::make_unique<hw::chips::router_core>(params, tables), std::to_string(vcs) + " VCs");
    }
    auto unlike = std::make_unique<hw::engine::network>();
    for (const std::uint8_t vc : {std::uint8_t{0}, std::uint8_t{1}})
        unlike->add(std::make_unique<shower>(vc), "side wires");
    nowhere.ports = {{0, 0}, {1, 0}};
    EXPECT_THROW(engine_module("unlike", std::move(unlike), nowhere, other), hw::input_error);
    EXPECT_THROW(engine_module("unequal", std::move(unequal), nowhere, other), hw::input_error);

    sc_core::sc_start();
    for (std::size_t index = 0; index < all.size(); ++index) {
        SCOPED_TRACE(index);
        EXPECT_NO_THROW(all[index]->state.rethrow_failure());
        EXPECT_TRUE(all[index]->state.quiet());
        for (unsigned chip = 0; chip < 3; ++chip) {
            EXPECT_GT(wanted[index].steps[chip].size(), 100u);
            EXPECT_TRUE(all[index]->steps[chip] == wanted[index].steps[chip]) << "chip " << chip;
        }
        const hw::engine::cycle end = std::get<0>(wanted[index].into_outside[0]);
        EXPECT_EQ(numbers(all[index]->from->statistics(0, end)), wanted[index].into_outside[0]);
        EXPECT_EQ(numbers(all[index]->to->statistics(1, end)), wanted[index].into_outside[1]);
    }
}

}  // namespace
}  // namespace polycast::tlm::modules
