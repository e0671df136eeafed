// SPDX-License-Identifier: Apache-2.0
// Wires beside links: what a chip shows its neighbours takes as long as flits, and flits of their virtual channel take
// no buffer.
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
using testing::IsEmpty;

/// Two ports of two virtual channels, side wires as the shape says. Shows and sends what it is told.
class shower final : public chip {
public:
    struct action {
        cycle when;  ///< on the output pins
        unsigned port;
        side_state state;
        bool flit = false;  ///< instead of the state: one that is a packet
        std::uint8_t vc = 0;
    };

    shower(std::uint64_t side_ports, std::vector<action> script) : script_(std::move(script)) {
        shape_.ports = 2;
        shape_.vcs = 2;
        shape_.side_ports = side_ports;
        shape_.side_vc = 1;
    }

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    cycle step(cycle now, const pins& in, pins& out) override {
        steps.push_back(now);
        for (unsigned port = 0; port < 2; ++port)
            if ((in.side >> port & 1) != 0) seen.push_back({now, port, in.sides[port].have, in.sides[port].round});
        cycle next = never;
        for (const action& item : script_) {
            if (item.when > now + 1) next = std::min(next, item.when - 1);
            if (item.when != now + 1) continue;
            const std::uint64_t mask = std::uint64_t{1} << item.port;
            if (item.flit) {
                out.valid |= mask;
                out.head |= mask;
                out.tail |= mask;
                out.vc[item.port] = item.vc;
            } else {
                out.side |= mask;
                out.sides[item.port] = item.state;
            }
        }
        return next;
    }

    struct sight {
        cycle when;
        unsigned port;
        std::uint64_t have;
        unsigned round;
        bool operator==(const sight&) const = default;
    };
    std::vector<sight> seen;
    std::vector<cycle> steps;

private:
    pin_shape shape_;
    std::vector<action> script_;
};

shower* add(network& net, std::uint64_t side_ports, std::vector<shower::action> script) {
    auto made = std::make_unique<shower>(side_ports, std::move(script));
    shower* const out = made.get();
    net.add(std::move(made), "chip " + std::to_string(net.size()));
    return out;
}

TEST(side_wires, take_as_long_as_flits) {
    for (const unsigned delay : {1u, 2u, 9u}) {
        network net;
        add(net, 3, {{.when = 5, .port = 0, .state = {0x81, 2}}, {.when = 6, .port = 0, .state = {0xff, 3}}});
        shower* const right = add(net, 3, {});
        net.connect({0, 0}, {1, 1}, {delay, 1});
        EXPECT_TRUE(net.run(1000));
        EXPECT_THAT(right->seen,
                    ElementsAre(shower::sight{5 + delay, 1, 0x81, 2}, shower::sight{6 + delay, 1, 0xff, 3}));
        EXPECT_EQ(right->steps, (std::vector<cycle>{0, 5 + delay, 6 + delay})) << "nothing else wakes it";
        EXPECT_EQ(net.flit_hops(), 0u);
    }
}

TEST(side_wires, are_an_activity_to_come) {
    network net;
    add(net, 3, {{.when = 5, .port = 0, .state = {1, 0}}});
    add(net, 3, {});
    net.connect({0, 0}, {1, 0}, {40, 1});
    EXPECT_FALSE(net.run(6));
    EXPECT_EQ(net.next_activity(), 45u);
}

TEST(side_wires, of_an_open_port_show_nobody_anything) {
    network net;
    shower* const alone = add(net, 3, {{.when = 5, .port = 0, .state = {1, 0}}});
    EXPECT_TRUE(net.run(100));
    EXPECT_THAT(alone->seen, IsEmpty());
    EXPECT_EQ(net.now(), 5u);
}

class side_observer final : public observer {
public:
    void stepped(chip_id id, cycle now, const pins& in, const pins& out, const chip&) override {
        if (in.side != 0) came.emplace_back(id, now, in.side, in.sides[0].have);
        if (out.side != 0) left.emplace_back(id, now, out.side, out.sides[0].have);
    }
    std::vector<std::tuple<chip_id, cycle, std::uint64_t, std::uint64_t>> came, left;
};

TEST(side_wires, are_observed) {
    network net;
    add(net, 3, {{.when = 5, .port = 0, .state = {7, 1}}});
    add(net, 3, {});
    net.connect({0, 0}, {1, 0}, {2, 1});
    side_observer watch;
    net.observe(&watch);
    net.run(never);
    EXPECT_THAT(watch.left, ElementsAre(std::tuple(0, 4, 1, 7)));
    EXPECT_THAT(watch.came, ElementsAre(std::tuple(1, 7, 1, 7)));
}

class side_notes final : public outside {
public:
    void flit_sent(cycle, const flit&) override {}
    void credit_sent(cycle, std::uint8_t) override {}
    void side_sent(cycle when, const side_state& state) override { states.emplace_back(when, state.have, state.round); }
    std::vector<std::tuple<cycle, std::uint64_t, unsigned>> states;
};

TEST(side_wires, go_out_of_the_network_and_come_in) {
    network net;
    shower* const chip = add(net, 1, {{.when = 5, .port = 0, .state = {7, 1}}});
    side_notes notes;
    net.connect({0, 0}, notes, 6);
    net.run(1);
    net.inject_side({0, 0}, 3, {0x55, 2});
    EXPECT_EQ(net.next_activity(), 3u);
    net.run(never);
    EXPECT_THAT(notes.states, ElementsAre(std::tuple(5, 7, 1)));
    EXPECT_THAT(chip->seen, ElementsAre(shower::sight{3, 0, 0x55, 2}));
    EXPECT_THROW(net.inject_side({0, 0}, 2, {}), input_error);
}

TEST(side_wires, need_both_ends) {
    network net;
    add(net, 1, {});
    add(net, 2, {});
    EXPECT_THROW(net.connect({0, 0}, {1, 0}, {}), input_error);
    EXPECT_THROW(net.connect({0, 1}, {1, 1}, {}), input_error);
    EXPECT_NO_THROW(net.connect({0, 0}, {1, 1}, {}));
    EXPECT_NO_THROW(net.connect({0, 1}, {1, 0}, {}));
}

TEST(side_wires, flits_of_their_virtual_channel_take_no_buffer) {
    network net;
    add(net, 1,
        {{.when = 5, .port = 0, .state = {}, .flit = true, .vc = 1},
         {.when = 6, .port = 0, .state = {}, .flit = true, .vc = 0},
         {.when = 7, .port = 0, .state = {}, .flit = true, .vc = 1},
         {.when = 5, .port = 1, .state = {}, .flit = true, .vc = 1}});
    add(net, 1, {});
    net.connect({0, 0}, {1, 0}, {});
    net.connect({0, 1}, {1, 1}, {});
    net.run(never);
    const link_statistics with = net.statistics({1, 0});
    EXPECT_EQ(with.flits, 3u);
    EXPECT_EQ(with.packets, 3u);
    EXPECT_EQ(with.occupied_max, 1u) << "the one of channel 0";
    const link_statistics without = net.statistics({1, 1});
    EXPECT_EQ(without.packets, 1u);
    EXPECT_EQ(without.occupied_max, 1u) << "no side wires at that port";
}

}  // namespace
}  // namespace polycast::hw::engine
