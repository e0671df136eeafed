// SPDX-License-Identifier: Apache-2.0
// Side wires at modules: both ends have them, and both sockets are bound, or the run ends with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "hw/input_error.h"
#include "testbench/unit/tlm/in_child.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two ports; notes what its neighbours show, and shows one more packet in each cycle up to `last`.
class shower final : public hw::engine::chip {
public:
    using log = std::vector<std::tuple<hw::engine::cycle, unsigned, std::uint64_t, unsigned>>;

    shower(std::uint64_t side_ports, hw::engine::cycle last, log& seen, bool whole_packets = false)
        : shape_{2, 2, 0, 2, side_ports, 1, whole_packets ? 3u : 0u}, last_(last), seen_(seen) {}

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        for (const unsigned port : {0u, 1u})
            if ((in.side >> port & 1) != 0) seen_.emplace_back(now, port, in.sides[port].have, in.sides[port].round);
        if (now >= last_) return hw::engine::never;
        out.side = shape_.side_ports;
        if (out.side != 0) out.sides[0] = out.sides[1] = {(std::uint64_t{2} << now) - 1, 0};
        return now + 1;
    }

private:
    hw::engine::pin_shape shape_;
    hw::engine::cycle last_;
    log& seen_;
};

/// A chip, and a hand that plays the other end of its port 0.
class bench final : public sc_core::sc_module {
public:
    bench(const sc_core::sc_module_name& name, std::uint64_t side_ports, hw::engine::cycle last = 0)
        : sc_module(name),
          module("chip", std::make_unique<shower>(side_ports, last, seen), module_params{}, state),
          hand("hand"),
          other_hand("other_hand"),
          pool(2, 0) {
        hand.bind(module.in[0]);
        module.out[0].bind(other_hand);
        other_hand.register_nb_transport_fw(this, &bench::take, 0);
    }

    using spoiler = std::function<void(protocol::link_extension&)>;
    void side(
        unsigned cycle, const spoiler& spoil = [](protocol::link_extension&) {}) {
        ::tlm::tlm_generic_payload& trans = pool.take_side();
        spoil(*trans.get_extension<protocol::link_extension>());
        ::tlm::tlm_phase phase = protocol::side_phase;
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

    shower::log seen;
    std::vector<std::tuple<sc_core::sc_time, std::uint64_t>> sent;
    run_state state{"state"};
    chip_module module;
    tlm_utils::simple_initiator_socket<bench, protocol::bus_bits, protocol::link_protocol_types> hand;
    protocol::in_socket<bench> other_hand;
    protocol::payload_pool pool;

private:
    ::tlm::tlm_sync_enum take(int, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
        EXPECT_EQ(phase, protocol::side_phase);
        sent.emplace_back(sc_core::sc_time_stamp() + delay, trans.get_extension<protocol::link_extension>()->side.have);
        return ::tlm::TLM_ACCEPTED;
    }
};

/// Two chips and a link, at their ports 0.
struct pair {
    pair(const std::string& name, unsigned delay)
        : state((name + "_state").c_str()),
          a((name + "_a").c_str(), std::make_unique<shower>(1, 3, seen_by_a), {}, state),
          b((name + "_b").c_str(), std::make_unique<shower>(1, 2, seen_by_b), {}, state),
          link((name + "_link").c_str(), {delay, 1}, {1, sc_core::SC_NS}, state) {
        link.join(a, 0, b, 0);
    }
    shower::log seen_by_a, seen_by_b;
    run_state state;
    chip_module a, b;
    link_module link;
};

using testbench::unit::in_child;

TEST(module_side_wires, take_as_long_as_flits) {
    in_child([] {
        pair near("near", 1);
        pair far("far", 7);
        bench talks("talks", 1, 2);
        sc_core::sc_start();
        EXPECT_THAT(near.seen_by_a, ElementsAre(std::tuple(2, 0, 1, 0), std::tuple(3, 0, 3, 0)));
        EXPECT_THAT(near.seen_by_b,
                    ElementsAre(std::tuple(2, 0, 1, 0), std::tuple(3, 0, 3, 0), std::tuple(4, 0, 7, 0)));
        EXPECT_THAT(far.seen_by_a, ElementsAre(std::tuple(8, 0, 1, 0), std::tuple(9, 0, 3, 0)));
        EXPECT_EQ(far.seen_by_b.size(), 3u);
        EXPECT_EQ(near.state.flit_hops(), 0u);
        // Of the pins of the next cycle, at their beginning.
        EXPECT_THAT(talks.sent, ElementsAre(std::tuple(sc_core::sc_time(1, sc_core::SC_NS), 1),
                                            std::tuple(sc_core::sc_time(2, sc_core::SC_NS), 3)));
        for (const run_state* state : {&near.state, &far.state, &talks.state})
            EXPECT_NO_THROW(state->rethrow_failure());
    });
}

TEST(module_side_wires, need_both_ends) {
    in_child([] {
        run_state state("state");
        shower::log nothing;
        chip_module with("with", std::make_unique<shower>(1, 0, nothing), {}, state);
        link_module bad("bad", {1, 1}, {1, sc_core::SC_NS}, state);
        try {
            bad.join(with, 0, with, 1);
            ADD_FAILURE() << "only one end has side wires";
        } catch (const hw::input_error& error) {
            EXPECT_THAT(error.what(), HasSubstr("bad: of port 0 of with and port 1 of with only one has side wires"));
        }
    });
}

TEST(chip_module, refuses_a_chip_that_takes_whole_packets) {
    in_child([] {
        run_state state("state");
        shower::log nothing;
        EXPECT_THROW(chip_module("whole", std::make_unique<shower>(1, 0, nothing, true), {}, state), hw::input_error);
    });
}

TEST(module_side_wires, must_not_be_left_open) {
    in_child([] {
        bench unbound("unbound", 3);
        sc_core::sc_start();
        EXPECT_THAT(unbound.failure(), HasSubstr("unbound.chip: port 1 has side wires, and in[1] or out[1] is not"));
        EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
    });
}

TEST(module_side_wires, are_refused_where_there_are_none_and_twice_in_a_cycle) {
    in_child([] {
        bench good("good", 1);
        bench none("none", 0);
        bench twice("twice", 1);
        bench other("other", 1);
        good.side(5, [](protocol::link_extension& extension) { extension.side = {5, 2}; });
        sc_core::sc_start({100, sc_core::SC_NS});
        EXPECT_THAT(good.seen, ElementsAre(std::tuple(5, 0, 5, 2)));
        none.side(200);
        EXPECT_THAT(none.failure(), HasSubstr("none.chip: side wires arrive at in[0], which has none"));
        twice.side(200);
        EXPECT_EQ(twice.failure(), "none");
        twice.side(200);
        EXPECT_EQ(twice.failure(), "twice.chip: two changes of side wires in cycle 200 at in[0]");
        other.side(
            200, [](protocol::link_extension& extension) { extension.what = protocol::link_extension::content::flit; });
        EXPECT_EQ(other.failure(), "other.chip: what arrived at in[0] is no change of side wires");
    });
}

}  // namespace
}  // namespace polycast::tlm::modules
