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
/// 1, and a credit.
class echo final : public chip {
public:
    explicit echo(std::vector<cycle>& steps) : steps_(steps) {}

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
        return never;
    }

private:
    pin_shape shape_{1, 2, 1};
    std::vector<cycle>& steps_;
};

class notes final : public outside {
public:
    void flit_sent(cycle when, bool head, bool tail, const std::uint8_t* data, const std::uint8_t* header) override {
        flits.push_back({when, head, tail, data[0], data[1], header == nullptr ? 0u : *header});
    }
    void credit_sent(cycle when) override { credits.push_back(when); }

    std::vector<std::vector<cycle>> flits;
    std::vector<cycle> credits;
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
    network_.inject_flit({0, 0}, 4, true, false, data.data(), &header);
    network_.inject_flit({0, 0}, 5, false, true, data.data(), nullptr);
    network_.inject_credit({0, 0}, 7);
    EXPECT_EQ(network_.next_activity(), 4u);
    network_.run(never);
    EXPECT_THAT(steps_, ElementsAre(0, 4, 5, 7));
    EXPECT_THAT(other_steps_, ElementsAre(0));
    EXPECT_THAT(notes_.flits, ElementsAre(ElementsAre(5, 1, 0, 11, 21, 31), ElementsAre(6, 0, 1, 11, 21, 0)));
    EXPECT_THAT(notes_.credits, ElementsAre(5, 6));
    EXPECT_EQ(network_.flit_hops(), 2u);
    EXPECT_EQ(network_.last_flit(), 6u);
    EXPECT_EQ(network_.statistics({0, 0}).flits, 2u);
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
