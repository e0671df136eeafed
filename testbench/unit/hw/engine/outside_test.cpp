// SPDX-License-Identifier: Apache-2.0
// Ports of an engine network that lead out of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "hw/engine/network.h"
#include "hw/input_error.h"

namespace polycast::hw::engine {
namespace {

using testing::ElementsAre;

/// One port, two bytes a flit, one byte of free header. Answers every flit in the next cycle by a flit with its bytes +
/// 1, of the virtual channel before its own, and a credit of its own; a credit alone by a credit of the channel behind.
class echo final : public chip {
public:
    explicit echo(std::vector<cycle>& steps, unsigned vcs = 1) : shape_{1, 2, 1, vcs}, steps_(steps) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    cycle step(cycle now, const pins& in, pins& out) override {
        steps_.push_back(now);
        out.valid = out.credit = in.valid;
        out.head = in.head;
        out.tail = in.tail;
        for (const unsigned byte : {0u, 1u}) out.data[byte] = static_cast<std::uint8_t>(in.data[byte] + 1);
        out.header[0] = static_cast<std::uint8_t>(in.header[0] + 1);
        if (shape_.vcs == 1) return never;
        out.vc[0] = static_cast<std::uint8_t>(in.vc[0] - 1);
        out.credit_vc[0] = in.vc[0];
        if (in.credit != 0) {
            out.credit = 1;
            out.credit_vc[0] = static_cast<std::uint8_t>(in.credit_vc[0] + 1);
        }
        return never;
    }

private:
    pin_shape shape_;
    std::vector<cycle>& steps_;
};

class notes final : public outside {
public:
    void flit_sent(cycle when, const flit& flit) override {
        flits.push_back({when, flit.head, flit.tail, flit.data[0], flit.data[1],
                         flit.header == nullptr ? 0u : *flit.header, flit.vc});
    }
    void credit_sent(cycle when, std::uint8_t vc) override { credits.push_back({when, vc}); }
    void side_sent(cycle, const side_state&) override { ADD_FAILURE() << "there are no side wires"; }

    std::vector<std::vector<cycle>> flits;
    std::vector<std::vector<cycle>> credits;
};

class outside_test : public testing::Test {
protected:
    outside_test() {
        network_.add(std::make_unique<echo>(steps_), "echo");
        network_.add(std::make_unique<echo>(other_steps_), "other");
        network_.connect({0, 0}, notes_, 6);
    }

    std::vector<cycle> steps_, other_steps_;
    notes notes_;
    network network_;
};

TEST_F(outside_test, flits_and_credits_go_in_and_out_in_their_cycles) {
    const std::array<std::uint8_t, 2> data{10, 20};
    const std::uint8_t header = 30;
    network_.run(1);
    network_.inject_flit({0, 0}, 4, {true, false, 0, data.data(), &header});
    network_.inject_flit({0, 0}, 5, {false, true, 0, data.data(), nullptr});
    network_.inject_credit({0, 0}, 7);
    EXPECT_EQ(network_.next_activity(), 4u);
    network_.run(never);
    EXPECT_THAT(steps_, ElementsAre(0, 4, 5, 7));
    EXPECT_THAT(other_steps_, ElementsAre(0));
    EXPECT_THAT(notes_.flits, ElementsAre(ElementsAre(5, 1, 0, 11, 21, 31, 0), ElementsAre(6, 0, 1, 11, 21, 0, 0)));
    EXPECT_THAT(notes_.credits, ElementsAre(ElementsAre(5, 0), ElementsAre(6, 0)));
    EXPECT_EQ(network_.flit_hops(), 2u);
    EXPECT_EQ(network_.last_flit(), 6u);
    EXPECT_EQ(network_.statistics({0, 0}).flits, 2u);
}

TEST_F(outside_test, flits_and_credits_keep_their_virtual_channels) {
    notes seen;
    network channels;
    channels.add(std::make_unique<echo>(steps_, 16), "echo");
    channels.connect({0, 0}, seen, 6);
    const std::array<std::uint8_t, 2> data{10, 20};
    const std::uint8_t header = 30;
    channels.inject_flit({0, 0}, 2, {true, false, 15, data.data(), &header});
    channels.inject_flit({0, 0}, 3, {true, true, 1, data.data(), &header});
    channels.inject_credit({0, 0}, 5, 14);
    channels.run(never);
    EXPECT_THAT(seen.flits, ElementsAre(ElementsAre(3, 1, 0, 11, 21, 31, 14), ElementsAre(4, 1, 1, 11, 21, 31, 0)));
    EXPECT_THAT(seen.credits, ElementsAre(ElementsAre(3, 15), ElementsAre(4, 1), ElementsAre(6, 15)));
}

TEST_F(outside_test, time_skips_to_the_next_activity_at_most) {
    network_.run(1);
    EXPECT_EQ(network_.now(), 1u);
    network_.skip_to(1000);
    EXPECT_EQ(network_.now(), 1000u);
    network_.inject_credit({0, 0}, 1004);
    network_.skip_to(2000);
    EXPECT_EQ(network_.now(), 1004u);
    network_.skip_to(3);
    EXPECT_EQ(network_.now(), 1004u);
    network_.run(never);
    EXPECT_THAT(steps_, ElementsAre(0, 1004));
}

TEST_F(outside_test, refuses_the_past_the_far_future_and_taken_ports) {
    network_.run(1);
    network_.skip_to(100);
    EXPECT_THROW(network_.inject_credit({0, 0}, 99), input_error);
    EXPECT_THROW(network_.inject_credit({0, 0}, 1000), input_error);
    EXPECT_NO_THROW(network_.inject_credit({0, 0}, 100));
    EXPECT_NO_THROW(network_.inject_credit({0, 0}, 106));

    network second;
    second.add(std::make_unique<echo>(steps_), "a");
    second.add(std::make_unique<echo>(steps_), "b");
    second.connect({0, 0}, notes_, 1);
    EXPECT_THROW(second.connect({0, 0}, notes_, 1), input_error);
    EXPECT_THROW(second.connect({0, 0}, {1, 0}, {}), input_error);
    EXPECT_THROW(second.connect({0, 1}, notes_, 1), input_error);
    EXPECT_THROW(second.connect({2, 0}, notes_, 1), input_error);
}

}  // namespace
}  // namespace polycast::hw::engine
