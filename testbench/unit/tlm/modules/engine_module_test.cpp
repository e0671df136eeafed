// SPDX-License-Identifier: Apache-2.0
// An engine wired by hand to a module outside, against the same chips on the bare engine: every step at the same time.
#include "tlm/modules/engine_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "hw/chips/router_core.h"
#include "hw/input_error.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

struct record {
    hw::engine::cycle when;
    std::uint64_t valid, credit;
    unsigned data;
    bool operator==(const record&) const = default;
};

/// Two ports. Passes on what arrives at either port, changed, through both; now and then starts something by itself,
/// after a pause of 1 to 200 cycles. All from its own random numbers, so that any difference grows.
class gossip final : public hw::engine::chip {
public:
    gossip(unsigned seed, std::vector<record>& steps) : random_(seed), steps_(steps) {}

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }

    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        const unsigned data = ((in.valid & 1) != 0 ? in.data[0] : 0u) + ((in.valid & 2) != 0 ? in.data[2] * 7u : 0u);
        steps_.push_back({now, in.valid, in.credit, data});
        const bool due = now >= timer_;
        if (due) timer_ = now + 1 + random_() % 200;
        if (now > 3000) return hw::engine::never;
        const bool talk = due || (in.valid != 0 && random_() % 8 != 0);
        if (talk) {
            out.valid = 1 + random_() % 3;
            out.head = out.tail = out.valid;
            for (const unsigned port : {0u, 1u}) out.data[2 * port] = static_cast<std::uint8_t>(data + random_() % 5);
        }
        if (in.valid != 0) out.credit = in.valid;
        return timer_;
    }

private:
    hw::engine::pin_shape shape_{2, 2, 0};
    std::mt19937 random_;
    std::vector<record>& steps_;
    hw::engine::cycle timer_ = 0;
};

using logs = std::array<std::vector<record>, 3>;

/// A triangle of three chips; all links of delay `delay`.
logs on_bare_engine(unsigned seed, unsigned delay) {
    logs steps;
    hw::engine::network network;
    for (unsigned chip = 0; chip < 3; ++chip) {
        network.add(std::make_unique<gossip>(seed + chip, steps[chip]), std::to_string(chip));
    }
    for (unsigned chip = 0; chip < 3; ++chip) network.connect({chip, 0}, {(chip + 1) % 3, 1}, {delay, 1});
    network.run(hw::engine::never);
    return steps;
}

/// Chips 0 and 1 in an engine, chip 2 outside.
struct triangle {
    triangle(const std::string& name, unsigned seed, unsigned delay, bool members) : state((name + "_state").c_str()) {
        auto island = std::make_unique<hw::engine::network>();
        island->add(std::make_unique<gossip>(seed, steps[0]), "0");
        island->add(std::make_unique<gossip>(seed + 1, steps[1]), "1");
        island->connect({0, 0}, {1, 1}, {delay, 1});
        engine_module_params params;
        params.ports = {{1, 0}, {0, 1}};
        params.shortest_delay = params.longest_delay = delay;
        params.only_members_outside = members;
        engine = std::make_unique<engine_module>((name + "_engine").c_str(), std::move(island), params, state);
        outside = std::make_unique<chip_module>((name + "_chip").c_str(), std::make_unique<gossip>(seed + 2, steps[2]),
                                                module_params{}, state);
        const sc_core::sc_time period(1, sc_core::SC_NS);
        to = std::make_unique<link_module>((name + "_to").c_str(), hw::engine::link_params{delay, 1}, period, state);
        from =
            std::make_unique<link_module>((name + "_from").c_str(), hw::engine::link_params{delay, 1}, period, state);
        to->join(*engine, 0, *outside, 1);
        from->join(*outside, 0, *engine, 1);
    }

    logs steps;
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
        wanted.push_back(on_bare_engine(seed, delay));
        all.push_back(std::make_unique<triangle>("triangle" + std::to_string(seed), seed, delay, seed % 2 == 0));
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
    nowhere.ports = {{0, 0}, {1, 0}};
    EXPECT_THROW(engine_module("unequal", std::move(unequal), nowhere, other), hw::input_error);

    sc_core::sc_start();
    for (std::size_t index = 0; index < all.size(); ++index) {
        SCOPED_TRACE(index);
        EXPECT_NO_THROW(all[index]->state.rethrow_failure());
        EXPECT_TRUE(all[index]->state.quiet());
        for (unsigned chip = 0; chip < 3; ++chip) {
            EXPECT_GT(wanted[index][chip].size(), 100u);
            EXPECT_TRUE(all[index]->steps[chip] == wanted[index][chip]) << "chip " << chip;
        }
    }
}

}  // namespace
}  // namespace polycast::tlm::modules
