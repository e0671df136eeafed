// SPDX-License-Identifier: Apache-2.0
// A link that brings an engine more in a cycle than it can ends the run, as at every other module.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/modules/engine_module.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

/// Counts what arrives.
class counter final : public hw::engine::chip {
public:
    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    hw::engine::cycle step(hw::engine::cycle, const hw::engine::pins& in, hw::engine::pins&) override {
        flits += static_cast<unsigned>(std::popcount(in.valid));
        credits += static_cast<unsigned>(std::popcount(in.credit));
        if ((in.side & 2) != 0) sides.push_back(in.sides[1].have);
        return hw::engine::never;
    }

    unsigned flits = 0;
    unsigned credits = 0;
    std::vector<std::uint64_t> sides;  ///< at port 1

private:
    hw::engine::pin_shape shape_{2, 2, 0, 2, 3, 1};
};

/// Sends what it is told in one cycle.
class sender final : public link_node {
public:
    sender(const sc_core::sc_module_name& name, cycle when, run_state& state)
        : link_node(name, counter().shape(), {1, sc_core::SC_NS}, state), when_(when) {}

    /// In cycle `when` of the pins.
    void flit(unsigned port, cycle when) {
        const std::uint8_t bytes[2] = {1, 2};
        send_flit(port, when, {true, true, 0, bytes, nullptr});
    }
    void credit(unsigned port, cycle when) { send_credit(port, when, 0); }
    void side(unsigned port, cycle when, std::uint64_t have) { send_side(port, when, {have, 0}); }

    std::function<void(sender&)> act;

protected:
    void step(cycle) override { act(*this); }
    void flit_arrived(unsigned, cycle, const hw::engine::flit&) override {}
    void credit_arrived(unsigned, cycle, std::uint8_t) override {}
    void side_arrived(unsigned, cycle, const hw::engine::side_state&) override {}
    void start_of_simulation() override { wake_at(when_); }

private:
    cycle when_;
};

/// A sender at both ports of an engine.
struct bench {
    bench(const std::string& name, unsigned delay, hw::engine::cycle when, std::function<void(sender&)> act)
        : state((name + "_state").c_str()), from((name + "_sender").c_str(), when, state) {
        from.act = std::move(act);
        auto made = std::make_unique<counter>();
        chip = made.get();
        auto network = std::make_unique<hw::engine::network>();
        network->add(std::move(made), "counter");
        engine_module_params params;
        params.ports = {{0, 0}, {0, 1}};
        params.shortest_delay = params.longest_delay = delay;
        params.only_members_outside = true;
        engine = std::make_unique<engine_module>((name + "_engine").c_str(), std::move(network), params, state);
        for (const unsigned port : {0u, 1u}) {
            links.push_back(std::make_unique<link_module>((name + "_link" + std::to_string(port)).c_str(),
                                                          hw::engine::link_params{delay, 1},
                                                          sc_core::sc_time(1, sc_core::SC_NS), state));
            links.back()->join(from, port, *engine, port);
        }
    }

    std::string failure() const {
        try {
            state.rethrow_failure();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "none";
    }

    run_state state;
    sender from;
    counter* chip = nullptr;
    std::unique_ptr<engine_module> engine;
    std::vector<std::unique_ptr<link_module>> links;
};

TEST(engine_module, two_arrivals_at_a_port_in_one_cycle_end_the_run) {
    bench good("good", 2, 5, [](sender& to) {
        for (const hw::engine::cycle when : {6u, 7u, 8u}) {
            for (const unsigned port : {0u, 1u}) {
                to.flit(port, when);
                to.credit(port, when);
                to.side(port, when, 10 * when + port);
            }
        }
    });
    bench flits("flits", 2, 100, [](sender& to) {
        to.flit(0, 101);
        to.flit(1, 101);
        to.flit(1, 102);
        to.flit(1, 102);
    });
    bench credits("credits", 1, 100, [](sender& to) {
        to.credit(0, 101);
        to.flit(0, 101);
        to.credit(0, 101);
    });
    bench sides("sides", 1, 100, [](sender& to) {
        to.side(0, 101, 1);
        to.side(1, 101, 1);
        to.side(1, 101, 3);
    });
    sc_core::sc_start();
    EXPECT_EQ(good.failure(), "none");
    EXPECT_EQ(good.chip->flits, 6u);
    EXPECT_EQ(good.chip->credits, 6u);
    EXPECT_THAT(good.chip->sides, testing::ElementsAre(61, 71, 81));
    EXPECT_EQ(flits.failure(), "flits_engine: two flits in cycle 104 at in[1]");
    EXPECT_EQ(credits.failure(), "credits_engine: two credits in cycle 102 at out[0]");
    EXPECT_EQ(sides.failure(), "sides_engine: two changes of side wires in cycle 102 at in[1]");
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}

}  // namespace
}  // namespace polycast::tlm::modules
