// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "hw/chips/switch/switch_core.h"
#include "hw/delivery/scoreboard.h"
#include "hw/input_error.h"
#include "hw/system/hosts.h"
#include "hw/system/plan.h"
#include "hw/system/schemes.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct arrival {
    cycle when;
    unsigned port;
    bool head;
    bool tail;
    std::vector<std::uint8_t> data;
    std::vector<std::uint8_t> header;
    bool operator==(const arrival&) const = default;
};

/// Sends what it is told and writes down what comes. Outputs of step(t) are on the pins in t + 1.
class scripted final : public chip {
public:
    struct action {
        cycle when;  ///< on the output pins
        unsigned port;
        bool head = false;
        bool tail = false;
        bool credit = false;
        std::uint16_t errors = 0;
        std::uint8_t data = 0;  ///< data bytes count up from this, header bytes down
    };

    scripted(const pin_shape& shape, std::vector<action> script) : shape_(shape), script_(std::move(script)) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return script_.empty(); }
    cycle step(cycle now, const pins& in, pins& out) override {
        steps.push_back(now);
        for (unsigned port = 0; port < shape_.ports; ++port) {
            if ((in.credit >> port & 1) != 0) credits.push_back({now, port, false, false, {}, {}});
            if ((in.valid >> port & 1) == 0) continue;
            const auto data = in.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes);
            const auto header = in.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes);
            const bool head = (in.head >> port & 1) != 0;
            arrivals.push_back(
                {now,
                 port,
                 head,
                 (in.tail >> port & 1) != 0,
                 {data, data + shape_.flit_bytes},
                 head ? std::vector<std::uint8_t>(header, header + shape_.header_bytes) : std::vector<std::uint8_t>{}});
        }
        cycle next = never;
        for (const action& item : script_) {
            if (item.when > now + 1) next = std::min(next, item.when - 1);
            if (item.when != now + 1) continue;
            const std::uint64_t mask = std::uint64_t{1} << item.port;
            if (item.credit) {
                out.credit |= mask;
            } else if (item.errors != 0) {
                out.error |= mask;
                out.errors[item.port] = item.errors;
            } else {
                out.valid |= mask;
                if (item.head) out.head |= mask;
                if (item.tail) out.tail |= mask;
                for (unsigned byte = 0; byte < shape_.flit_bytes; ++byte)
                    out.data[item.port * shape_.flit_bytes + byte] = static_cast<std::uint8_t>(item.data + byte);
                for (unsigned byte = 0; byte < shape_.header_bytes && item.head; ++byte) {
                    out.header[item.port * shape_.header_bytes + byte] = static_cast<std::uint8_t>(item.data - byte);
                }
            }
        }
        return next;
    }

    std::vector<arrival> arrivals;
    std::vector<arrival> credits;
    std::vector<cycle> steps;

private:
    pin_shape shape_;
    std::vector<action> script_;
};

constexpr pin_shape plain{1, 1, 0};

struct pair_of_chips {
    network net;
    scripted* left;
    scripted* right;

    explicit pair_of_chips(std::vector<scripted::action> script, const link_params& link = {},
                           const pin_shape& shape = plain) {
        auto first = std::make_unique<scripted>(shape, std::move(script));
        auto second = std::make_unique<scripted>(shape, std::vector<scripted::action>{});
        left = first.get();
        right = second.get();
        net.add(std::move(first), "left");
        net.add(std::move(second), "right");
        net.connect({0, 0}, {1, 0}, link);
    }
};

TEST(network, a_link_delays_flits_and_credits) {
    for (const unsigned delay : {0u, 1u, 2u, 7u, 40u}) {
        pair_of_chips pair({{.when = 5, .port = 0, .head = true, .data = 0x11},
                            {.when = 6, .port = 0, .tail = true, .data = 0x22},
                            {.when = 6, .port = 0, .credit = true}},
                           {delay, 1});
        EXPECT_TRUE(pair.net.run(1000));
        EXPECT_THAT(pair.right->arrivals, ElementsAre(arrival{5 + delay, 0, true, false, {0x11}, {}},
                                                      arrival{6 + delay, 0, false, true, {0x22}, {}}));
        ASSERT_EQ(pair.right->credits.size(), 1u);
        EXPECT_EQ(pair.right->credits[0].when, 6 + delay);
        EXPECT_EQ(pair.net.last_flit(), 6u);
        EXPECT_EQ(pair.net.flit_hops(), 2u);
    }
}

TEST(network, wide_flits_and_free_headers_come_whole) {
    pair_of_chips pair({{.when = 3, .port = 0, .head = true, .data = 10},
                        {.when = 4, .port = 0, .data = 20},
                        {.when = 9, .port = 0, .tail = true, .data = 30}},
                       {2, 1}, {1, 3, 4});
    pair.net.run(100);
    EXPECT_THAT(pair.right->arrivals, ElementsAre(arrival{5, 0, true, false, {10, 11, 12}, {10, 9, 8, 7}},
                                                  arrival{6, 0, false, false, {20, 21, 22}, {}},
                                                  arrival{11, 0, false, true, {30, 31, 32}, {}}));
}

TEST(network, time_jumps_over_silence) {
    pair_of_chips pair({{.when = 5, .port = 0, .head = true, .tail = true},
                        {.when = 1'000'000, .port = 0, .head = true, .tail = true}},
                       {3, 1});
    EXPECT_FALSE(pair.net.run(500'000));
    EXPECT_EQ(pair.net.now(), 500'000u);
    EXPECT_EQ(pair.net.next_activity(), 999'999u);
    EXPECT_TRUE(pair.net.run(never));
    EXPECT_THAT(pair.left->steps, ElementsAre(0, 4, 999'999));
    EXPECT_THAT(pair.right->steps, ElementsAre(0, 8, 1'000'003));
    EXPECT_EQ(pair.net.next_activity(), never);
    EXPECT_EQ(pair.net.chip_steps(), 6u);
}

/// Has a timer, until something arrives.
class patient final : public chip {
public:
    const pin_shape& shape() const override { return plain; }
    void reset() override {}
    bool idle() const override { return true; }
    cycle step(cycle, const pins& in, pins&) override {
        if (in.valid != 0) timer_ = never;
        return timer_;
    }

private:
    cycle timer_ = 1'000'000;
};

TEST(network, a_timer_that_was_taken_back_is_no_activity) {
    network net;
    net.add(std::make_unique<scripted>(
                plain, std::vector<scripted::action>{{.when = 5, .port = 0, .head = true, .tail = true}}),
            "left");
    net.add(std::make_unique<patient>(), "right");
    net.connect({0, 0}, {1, 0}, {});
    EXPECT_FALSE(net.run(6));
    EXPECT_EQ(net.next_activity(), 6u);
    EXPECT_TRUE(net.run(100));
    EXPECT_EQ(net.now(), 7u) << "the arrival was the last that happened";
    EXPECT_EQ(net.next_activity(), never);
}

TEST(network, run_in_pieces_is_run_at_once) {
    const std::vector<scripted::action> script = {
        {.when = 5, .port = 0, .head = true}, {.when = 6, .port = 0}, {.when = 60, .port = 0, .tail = true}};
    pair_of_chips whole(script, {4, 1});
    whole.net.run(200);
    for (cycle piece = 1; piece < 12; ++piece) {
        pair_of_chips cut(script, {4, 1});
        for (cycle end = piece; end < 200; end += piece) cut.net.run(end);
        EXPECT_EQ(cut.right->arrivals, whole.right->arrivals);
        EXPECT_EQ(cut.net.chip_steps(), whole.net.chip_steps());
    }
}

TEST(network, stops_when_asked) {
    pair_of_chips pair(
        {{.when = 5, .port = 0, .head = true, .tail = true}, {.when = 50, .port = 0, .head = true, .tail = true}});
    EXPECT_TRUE(pair.net.run(1000, [&] { return !pair.right->arrivals.empty(); }));
    EXPECT_EQ(pair.net.now(), 7u);  // the flit came in cycle 6, which is over
}

TEST(network, open_ports_swallow) {
    network net;
    net.add(std::make_unique<scripted>(plain, std::vector<scripted::action>{{.when = 2, .port = 0, .head = true},
                                                                            {.when = 3, .port = 0, .credit = true}}),
            "alone");
    EXPECT_TRUE(net.run(100));
    EXPECT_EQ(net.flit_hops(), 0u);
    EXPECT_EQ(net.peer({0, 0}).chip, network::no_chip);
}

TEST(network, errors_are_collected) {
    std::vector<scripted::action> script;
    for (cycle when = 1; when <= 1500; ++when) script.push_back({.when = when, .port = 0, .errors = 5});
    pair_of_chips pair(script);
    pair.net.run(never);
    EXPECT_EQ(pair.net.error_count(), 1500u);
    ASSERT_EQ(pair.net.errors().size(), 1000u);
    EXPECT_EQ(pair.net.errors()[2].when, 3u);
    EXPECT_EQ(pair.net.errors()[2].where, (port_id{0, 0}));
    EXPECT_EQ(pair.net.errors()[2].errors, 5);
}

TEST(network, occupancy_is_counted_in_chunks) {
    std::vector<scripted::action> script;
    for (cycle index = 0; index < 6; ++index)
        script.push_back({.when = 10 + index, .port = 0, .head = index == 0, .tail = index == 5});
    auto first = std::make_unique<scripted>(plain, script);
    auto second =
        std::make_unique<scripted>(plain, std::vector<scripted::action>{{.when = 20, .port = 0, .credit = true},
                                                                        {.when = 31, .port = 0, .credit = true}});
    network net;
    net.add(std::move(first), "left");
    net.add(std::move(second), "right");
    net.connect({0, 0}, {1, 0}, {1, 4});
    net.run(40);
    const link_statistics statistics = net.statistics({1, 0});
    EXPECT_EQ(statistics.flits, 6u);
    EXPECT_EQ(statistics.packets, 1u);
    EXPECT_EQ(statistics.occupied, 0u);
    EXPECT_EQ(statistics.occupied_max, 2u);
    // The first chunk from 11 to 20, the second from 15 to 31.
    EXPECT_EQ(statistics.occupied_cycles, 9u + 16u);
    EXPECT_EQ(net.statistics({0, 0}).flits, 0u);
}

TEST(network, refuses_bad_links) {
    network net;
    net.add(std::make_unique<scripted>(pin_shape{2, 1, 0}, std::vector<scripted::action>{}), "a");
    net.add(std::make_unique<scripted>(pin_shape{2, 1, 0}, std::vector<scripted::action>{}), "b");
    net.add(std::make_unique<scripted>(pin_shape{2, 2, 0}, std::vector<scripted::action>{}), "wide");
    net.connect({0, 0}, {1, 0}, {});
    const auto refused = [&](port_id a, port_id b, const link_params& link) {
        EXPECT_THROW(net.connect(a, b, link), input_error);
    };
    refused({0, 0}, {1, 1}, {});
    refused({0, 1}, {1, 0}, {});
    refused({0, 2}, {1, 1}, {});
    refused({0, 1}, {3, 0}, {});
    refused({0, 1}, {2, 0}, {});
    net.connect({0, 1}, {1, 1}, {});
    EXPECT_EQ(net.peer({0, 1}), (port_id{1, 1}));
}

struct step_counter final : observer {
    void stepped(chip_id id, cycle now, const pins& in, const pins& out, const chip&) override {
        seen.push_back({id, now});
        flits += (in.valid & 1) + (out.valid & 1);
    }
    std::vector<std::pair<chip_id, cycle>> seen;
    std::uint64_t flits = 0;
};

TEST(network, the_observer_sees_every_step) {
    pair_of_chips pair({{.when = 5, .port = 0, .head = true, .tail = true}});
    step_counter counter;
    pair.net.observe(&counter);
    pair.net.run(100);
    EXPECT_THAT(counter.seen, ElementsAre(std::pair(0u, 0u), std::pair(1u, 0u), std::pair(0u, 4u), std::pair(1u, 6u)));
    EXPECT_EQ(counter.flits, 2u);
}

/// Everything that can be seen of a run, by names that do not depend on the order of the chips.
struct everything {
    std::vector<traffic::transfer_record> transfers;
    std::vector<std::uint64_t> links;
    std::uint64_t hops = 0;
    std::uint64_t steps = 0;
    bool operator==(const everything&) const = default;
};

/// An irregular network under load whose chips are added in the given order (switches first, then hosts, by number).
everything run_in_order(const system::system_plan& plan, const std::vector<std::uint32_t>& order,
                        const system::multicast_choice& choice) {
    const auto switches = static_cast<std::uint32_t>(plan.switch_count());
    traffic::workload_params work;
    work.hosts = plan.host.interface.hosts;
    work.how = system::forwarding_of(choice);
    work.degree = 5;
    work.gap = 900;
    work.end = 6000;
    traffic::workload source(work, system::make_planner(plan, choice, work.bytes));
    traffic::scoreboard board(1, {}, work.payload_bytes);
    const system::host_factory make_host = system::workload_hosts(system::native(), source, board, 1);
    network net;
    std::vector<chip_id> place(order.size());
    for (const std::uint32_t number : order) {
        if (number < switches) {
            place[number] = net.add(
                std::make_unique<chips::switch_core>(plan.switch_at(number).params, plan.switch_at(number).tables),
                "s");
        } else {
            place[number] = net.add(make_host(plan, number - switches), "h");
        }
    }
    const topology::graph& graph = plan.network;
    for (std::uint32_t from = 0; from < switches; ++from) {
        for (unsigned port = 0; port < graph.switches[from].ports.size(); ++port) {
            const topology::port_end& end = graph.switches[from].ports[port];
            if (end.kind == topology::port_end::leads_to::host)
                net.connect({place[from], port}, {place[switches + end.index], 0}, plan.link());
            if (end.kind == topology::port_end::leads_to::chip &&
                (end.index > from || (end.index == from && end.port > port))) {
                net.connect({place[from], port}, {place[end.index], end.port}, plan.link());
            }
        }
    }
    net.run(60000);
    everything seen{board.transfers(), {}, net.flit_hops(), net.chip_steps()};
    EXPECT_TRUE(board.counts().exactly_once());
    EXPECT_GT(seen.transfers.size(), 20u);
    for (std::uint32_t number = 0; number < order.size(); ++number) {
        const unsigned ports = net.at(place[number]).shape().ports;
        for (unsigned port = 0; port < ports; ++port) {
            const link_statistics statistics = net.statistics({place[number], port});
            seen.links.insert(seen.links.end(), {statistics.flits, statistics.packets, statistics.occupied_max,
                                                 statistics.occupied_cycles});
        }
    }
    return seen;
}

TEST(network, the_order_of_the_chips_does_not_matter) {
    topology::irregular_params shape;
    shape.seed = 4;
    system::system_params params;
    params.host.send_overhead = params.host.receive_overhead = 20;
    params.firmware_times = system::paper_costs(20, 20);
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), params);
    std::vector<std::uint32_t> order(plan.switch_count() + plan.host.interface.hosts);
    std::iota(order.begin(), order.end(), 0u);
    using collectives::scheme;
    using collectives::scheme_of;
    for (const scheme how :
         {scheme_of("tree"), scheme_of("path"), scheme_of("ni"), scheme_of("hybrid"), scheme_of("software")}) {
        system::multicast_choice choice;
        choice.scheme.how = how;
        std::ranges::sort(order);
        const everything reference = run_in_order(plan, order, choice);
        std::mt19937_64 random(1);
        for (unsigned attempt = 0; attempt < 5; ++attempt) {
            std::shuffle(order.begin(), order.end(), random);
            EXPECT_TRUE(run_in_order(plan, order, choice) == reference);
        }
    }
}

}  // namespace
}  // namespace polycast::hw::engine
