// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a module ends the run, and is never thrown through a SystemC process.
#include "tlm/modules/link_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "hw/input_error.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

using ::testing::HasSubstr;

/// A chip that is asleep until something arrives, remembers when, and can be made to throw.
class sleeper final : public hw::engine::chip {
public:
    struct log {
        std::vector<hw::engine::cycle> steps;
        std::vector<std::uint64_t> valid;
        bool broken = false;
    };

    explicit sleeper(log& notes) : log_(notes) {}

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins&) override {
        if (log_.broken && now != 0) throw std::runtime_error("the chip is broken");
        log_.steps.push_back(now);
        log_.valid.push_back(in.valid);
        return hw::engine::never;
    }
    bool idle() const override { return true; }

private:
    hw::engine::pin_shape shape_{2, 4, 0};
    log& log_;
};

/// A module and a hand that plays the other end of its port 0.
class bench final : public sc_core::sc_module {
public:
    explicit bench(const sc_core::sc_module_name& name)
        : sc_module(name), module("chip", std::make_unique<sleeper>(log), module_params{}, state), hand("hand") {
        hand.bind(module.in[0]);
    }

    void flit(unsigned cycle, const std::function<void(::tlm::tlm_generic_payload&)>& spoil = {}) {
        ::tlm::tlm_generic_payload& trans = pool.take_flit();
        if (spoil) spoil(trans);
        ::tlm::tlm_phase phase = protocol::flit_phase;
        sc_core::sc_time delay = sc_core::sc_time(cycle, sc_core::SC_NS) - sc_core::sc_time_stamp();
        hand->nb_transport_fw(trans, phase, delay);
        trans.release();
    }

    std::string failure() const {
        try {
            state.rethrow_failure();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "none";
    }

    sleeper::log log;
    run_state state{"state"};
    chip_module module;
    tlm_utils::simple_initiator_socket<bench, protocol::bus_bits, protocol::link_protocol_types> hand;
    protocol::payload_pool pool{4, 0};
};

TEST(link_node, steps_a_chip_only_when_something_arrives_and_keeps_failures) {
    bench good("good");
    bench twice("twice");
    bench early("early");
    bench bare("bare");
    bench throwing("throwing");
    run_state other("other");
    EXPECT_THROW(chip_module("odd", std::make_unique<sleeper>(good.log), module_params{{1, sc_core::SC_PS}, {}}, other),
                 hw::input_error);
    EXPECT_THROW(link_module("zero", {0, 1}, {1, sc_core::SC_NS}, other), hw::input_error);

    good.flit(5);
    good.flit(90);  // far ahead: the ring of arrivals grows
    good.flit(6);
    sc_core::sc_start({200, sc_core::SC_NS});
    EXPECT_THAT(good.log.steps, ::testing::ElementsAre(0, 5, 6, 90));
    EXPECT_THAT(good.log.valid, ::testing::ElementsAre(0, 1, 1, 1));
    EXPECT_EQ(good.state.chip_steps(), 4u);
    EXPECT_EQ(good.state.now(), 91u);
    EXPECT_TRUE(good.state.quiet());
    good.flit(250);
    good.flit(600);
    EXPECT_FALSE(good.state.quiet());
    sc_core::sc_start({500, sc_core::SC_NS});
    EXPECT_THAT(good.log.steps, ::testing::ElementsAre(0, 5, 6, 90, 250, 600));
    EXPECT_EQ(good.failure(), "none");

    throwing.log.broken = true;
    throwing.flit(800);
    sc_core::sc_start({500, sc_core::SC_NS});
    EXPECT_EQ(throwing.failure(), "throwing.chip: the chip is broken");
    EXPECT_TRUE(throwing.state.over());
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
    EXPECT_EQ(good.failure(), "none");

    // Nothing moves any more; what is sent is still looked at.
    twice.flit(900);
    EXPECT_EQ(twice.failure(), "none");
    twice.flit(900);
    EXPECT_THAT(twice.failure(), HasSubstr("twice.chip: two flits in cycle 900 at in[0]"));
    bare.flit(900, [](::tlm::tlm_generic_payload& trans) { trans.set_data_length(2); });
    EXPECT_THAT(bare.failure(), HasSubstr("is no flit of this link"));
    early.flit(4000000);
    EXPECT_THAT(early.failure(), HasSubstr("is announced too early"));
}

}  // namespace
}  // namespace polycast::tlm::modules
