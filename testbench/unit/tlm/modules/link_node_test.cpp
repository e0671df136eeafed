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
        std::vector<unsigned> vc;         ///< of flits at port 0
        std::vector<unsigned> credit_vc;  ///< of credits there
        bool broken = false;
    };

    explicit sleeper(log& notes, unsigned vcs = 1, unsigned flit_bytes = 4)
        : shape_{2, flit_bytes, 0, vcs}, log_(notes) {}

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins&) override {
        if (log_.broken && now != 0) throw std::runtime_error("the chip is broken");
        log_.steps.push_back(now);
        log_.valid.push_back(in.valid);
        EXPECT_EQ(in.vc.size(), shape_.vcs == 1 ? 0 : shape_.ports);
        if (shape_.vcs > 1 && (in.valid & 1) != 0) log_.vc.push_back(in.vc[0]);
        if (shape_.vcs > 1 && (in.credit & 1) != 0) log_.credit_vc.push_back(in.credit_vc[0]);
        return hw::engine::never;
    }
    bool idle() const override { return true; }

private:
    hw::engine::pin_shape shape_;
    log& log_;
};

/// A module and a hand that plays the other end of its port 0.
class bench final : public sc_core::sc_module {
public:
    explicit bench(const sc_core::sc_module_name& name, unsigned vcs = 1, unsigned flit_bytes = 4)
        : sc_module(name),
          module("chip", std::make_unique<sleeper>(log, vcs, flit_bytes), module_params{}, state),
          hand("hand"),
          other_hand("other_hand"),
          pool(flit_bytes, 0) {
        hand.bind(module.in[0]);
        module.out[0].bind(other_hand);
    }

    void flit(unsigned cycle, const std::function<void(::tlm::tlm_generic_payload&)>& spoil = {}) {
        ::tlm::tlm_generic_payload& trans = pool.take_flit();
        if (spoil) spoil(trans);
        ::tlm::tlm_phase phase = protocol::flit_phase;
        sc_core::sc_time delay = sc_core::sc_time(cycle, sc_core::SC_NS) - sc_core::sc_time_stamp();
        hand->nb_transport_fw(trans, phase, delay);
        trans.release();
    }

    void credit(unsigned cycle, unsigned vc) {
        ::tlm::tlm_generic_payload& trans = pool.take_credit();
        trans.get_extension<protocol::link_extension>()->vc = static_cast<std::uint8_t>(vc);
        ::tlm::tlm_phase phase = protocol::credit_phase;
        sc_core::sc_time delay = sc_core::sc_time(cycle, sc_core::SC_NS) - sc_core::sc_time_stamp();
        other_hand->nb_transport_bw(trans, phase, delay);
        trans.release();
    }

    void flit_of(unsigned vc, unsigned cycle) {
        flit(cycle, [vc](::tlm::tlm_generic_payload& trans) {
            trans.get_extension<protocol::link_extension>()->vc = static_cast<std::uint8_t>(vc);
        });
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
    protocol::in_socket<bench> other_hand;
    protocol::payload_pool pool;
};

TEST(link_node, steps_a_chip_only_when_something_arrives_and_keeps_failures) {
    bench good("good");
    bench twice("twice");
    bench early("early");
    bench bare("bare");
    bench throwing("throwing");
    bench channels("channels", 4);
    bench no_channels("no_channels");
    bench no_credit_channels("no_credit_channels");
    bench no_pins("no_pins", 4);
    bench credits("credits", 4);
    bench wide("wide", 1, 8);
    run_state other("other");
    EXPECT_THROW(chip_module("odd", std::make_unique<sleeper>(good.log), module_params{{1, sc_core::SC_PS}, {}}, other),
                 hw::input_error);

    link_module link("link", {1, 1}, {1, sc_core::SC_NS}, other);
    EXPECT_THROW(link.join(good.module, 1, channels.module, 1), hw::input_error) << "virtual channels";
    EXPECT_THROW(link.join(good.module, 1, wide.module, 1), hw::input_error) << "sizes of flits";
    EXPECT_THROW(link.join(good.module, 1, twice.module, 2), hw::input_error) << "no such port";

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

    channels.flit_of(3, 800);
    channels.flit_of(15, 801);  // no channel of the chip, but there are pins for it
    channels.credit(801, 2);
    channels.credit(802, 0);
    sc_core::sc_start({200, sc_core::SC_NS});
    EXPECT_THAT(channels.log.vc, ::testing::ElementsAre(3, 15));
    EXPECT_THAT(channels.log.credit_vc, ::testing::ElementsAre(2, 0));
    EXPECT_EQ(channels.failure(), "none");

    throwing.log.broken = true;
    throwing.flit(1000);
    sc_core::sc_start({500, sc_core::SC_NS});
    EXPECT_EQ(throwing.failure(), "throwing.chip: the chip is broken");
    EXPECT_TRUE(throwing.state.over());
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
    EXPECT_EQ(good.failure(), "none");

    // Nothing moves any more; what is sent is still looked at.
    twice.flit(1900);
    EXPECT_EQ(twice.failure(), "none");
    twice.flit(1900);
    EXPECT_THAT(twice.failure(), HasSubstr("twice.chip: two flits in cycle 1900 at in[0]"));
    credits.credit(1900, 1);
    EXPECT_EQ(credits.failure(), "none");
    credits.credit(1900, 2);
    EXPECT_THAT(credits.failure(), HasSubstr("credits.chip: two credits in cycle 1900 at out[0]"));
    no_channels.flit_of(1, 1900);
    EXPECT_THAT(no_channels.failure(), HasSubstr("is no flit of this link"));
    no_credit_channels.credit(1900, 1);
    EXPECT_THAT(no_credit_channels.failure(), HasSubstr("is no credit of this link"));
    no_pins.flit_of(16, 1900);
    EXPECT_THAT(no_pins.failure(), HasSubstr("is no flit of this link"));
    bare.flit(1900, [](::tlm::tlm_generic_payload& trans) { trans.set_data_length(2); });
    EXPECT_THAT(bare.failure(), HasSubstr("is no flit of this link"));
    early.flit(4000000);
    EXPECT_THAT(early.failure(), HasSubstr("is announced too early"));
}

}  // namespace
}  // namespace polycast::tlm::modules
