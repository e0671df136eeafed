// SPDX-License-Identifier: Apache-2.0
// Packets that are events: how long they take, on links of any length, and what they cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <vector>

#include "hw/engine/network.h"
#include "hw/input_error.h"

namespace polycast::hw::engine {
namespace {

using testing::ElementsAre;

/// Sends packets when it is told to, notes what it gets.
class mailer final : public chip {
public:
    struct order {
        cycle when;  ///< head on the output pins
        unsigned port;
        std::uint8_t content;
        std::uint32_t cycles = 1;
    };
    using arrival = std::tuple<cycle, unsigned, int>;

    explicit mailer(std::vector<order> script, bool whole = true) : script_(std::move(script)) {
        shape_.ports = 2;
        shape_.packet_ports = whole ? ~std::uint64_t{0} : 0;
    }

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    cycle step(cycle now, const pins& in, pins& out) override {
        for (unsigned port = 0; port < 2; ++port)
            if ((in.packet >> port & 1) != 0) got.emplace_back(now, port, in.packets[port].bytes->flits.front());
        cycle next = never;
        for (const order& item : script_) {
            if (item.when > now + 1) next = std::min(next, item.when - 1);
            if (item.when != now + 1) continue;
            out.packet |= std::uint64_t{1} << item.port;
            out.packets[item.port] = {7, item.cycles,
                                      std::make_shared<const packet_bytes>(packet_bytes{{item.content}, {}})};
        }
        return next;
    }

    std::vector<arrival> got;

private:
    pin_shape shape_;
    std::vector<order> script_;
};

TEST(whole_packets, arrive_after_the_delay_of_their_link_in_order_of_time) {
    network net;
    const chip_id from =
        net.add(std::make_unique<mailer>(std::vector<mailer::order>{{1, 0, 10}, {2, 1, 20}, {3, 0, 11}}), "from");
    const chip_id to = net.add(std::make_unique<mailer>(std::vector<mailer::order>{{5, 1, 30}}), "to");
    net.connect({from, 0}, {to, 0}, {.delay = 1'000'000});
    net.connect({from, 1}, {to, 1}, {.delay = 3});
    EXPECT_TRUE(net.run(never));
    EXPECT_THAT(
        static_cast<const mailer&>(net.at(to)).got,
        ElementsAre(mailer::arrival{5, 1, 20}, mailer::arrival{1'000'001, 0, 10}, mailer::arrival{1'000'003, 0, 11}));
    EXPECT_THAT(static_cast<const mailer&>(net.at(from)).got, ElementsAre(mailer::arrival{8, 1, 30}));
    EXPECT_EQ(net.packet_hops(), 4u);
    EXPECT_EQ(net.flit_hops(), 0u);
    EXPECT_EQ(net.statistics({to, 0}).packets, 2u);
    EXPECT_EQ(net.statistics({to, 0}).flits, 14u);
    // Neither a step nor a byte for each cycle that a packet is under way.
    EXPECT_LT(net.chip_steps(), 20u);
    EXPECT_LT(net.memory_bytes(), 100'000u);
}

TEST(whole_packets, a_run_ends_when_the_last_packet_has_arrived) {
    network net;
    const chip_id from = net.add(std::make_unique<mailer>(std::vector<mailer::order>{{4, 0, 1, 50}}), "from");
    const chip_id to = net.add(std::make_unique<mailer>(std::vector<mailer::order>{}), "to");
    net.connect({from, 0}, {to, 0}, {.delay = 100});
    EXPECT_FALSE(net.run(104));
    EXPECT_EQ(net.next_activity(), 104u);
    EXPECT_TRUE(net.run(never));
    EXPECT_THAT(static_cast<const mailer&>(net.at(to)).got, ElementsAre(mailer::arrival{104, 0, 1}));
    EXPECT_EQ(net.last_flit(), 53u);  // the tail
}

TEST(whole_packets, join_only_chips_that_both_take_them) {
    network net;
    const chip_id whole = net.add(std::make_unique<mailer>(std::vector<mailer::order>{}), "whole");
    const chip_id flits = net.add(std::make_unique<mailer>(std::vector<mailer::order>{}, false), "flits");
    EXPECT_THROW(net.connect({whole, 0}, {flits, 0}, {}), input_error);
    class nowhere final : public outside {
    public:
        void flit_sent(cycle /*when*/, const flit& /*flit*/) override {}
        void credit_sent(cycle /*when*/, std::uint8_t /*vc*/) override {}
        void side_sent(cycle /*when*/, const side_state& /*state*/) override {}
    } beyond;
    EXPECT_THROW(net.connect({whole, 0}, beyond, 1), input_error);
}

}  // namespace
}  // namespace polycast::hw::engine
