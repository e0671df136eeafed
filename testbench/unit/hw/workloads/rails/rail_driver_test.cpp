// SPDX-License-Identifier: Apache-2.0
// Which rails messages take under each policy, and that all of them arrive, whatever meets.
#include "hw/workloads/rails/rail_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "hw/input_error.h"
#include "hw/workloads/rails/rail_scoreboard.h"
#include "hw/workloads/rails/rail_traffic.h"
#include "testbench/unit/hw/host/event_bench.h"

namespace polycast::hw::rails {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t payload_seed = 77;

/// Messages that a test has written down.
class written_source final : public rail_source {
public:
    void add(process_id from, cycle created, process_id to, std::uint32_t bytes) {
        std::deque<rail_message>& own = messages_[from];
        own.push_back({created, to, bytes, static_cast<std::uint32_t>(own.size())});
    }
    std::optional<rail_message> next(process_id from) override {
        std::deque<rail_message>& own = messages_[from];
        if (own.empty()) return std::nullopt;
        const rail_message first = own.front();
        own.pop_front();
        return first;
    }

private:
    std::map<process_id, std::deque<rail_message>> messages_;
};

/// Hosts whose bus is as fast as the link and carries one direction at a time.
struct bench {
    bench(std::uint32_t hosts, unsigned rails, unsigned processes, rail_policy policy, bool striping = false)
        : scores(payload_seed, 1000), hosts_(hosts) {
        params.policy = policy;
        params.striping = striping;
        params.payload_seed = payload_seed;
        params.least_stripe = 640;
        options.host.interfaces = rails;
        options.host.send_overhead = options.host.receive_overhead = 0;
        options.host.message_bytes = 65536;
        options.host.interface.flit_bytes = 2;
        options.host.interface.payload_bytes = 320;
        options.host.interface.processes = processes;
        options.host.interface.bus_cycles_per_byte = {1, 2};
        options.host.interface.arbitration = ni::bus_arbitration::round_robin;
        options.ni_send = options.ni_receive = 50;
    }

    void run(rail_source& source) {
        net = std::make_unique<host::event_bench>(hosts_, options);
        for (std::uint32_t host = 0; host < hosts_; ++host)
            net->run(host,
                     drive_rails(options.host.interface.processes, options.host.interfaces, params, source, scores));
        net->build();
        net->simulate(most_cycles);
        EXPECT_THAT(net->failures(), IsEmpty());
        EXPECT_THAT(scores.faults(), IsEmpty());
        EXPECT_TRUE(scores.counts().good());
        EXPECT_TRUE(scores.complete()) << scores.oldest_missing();
    }
    const rail_driver& driver(std::uint32_t host, unsigned process = 0) {
        return static_cast<const rail_driver&>(*net->host(host).application_at(process));
    }
    /// Data messages that process `process` of `host` has received on each rail.
    std::vector<std::uint64_t> received(std::uint32_t host, unsigned process = 0) {
        std::vector<std::uint64_t> counts;
        for (unsigned rail = 0; rail < options.host.interfaces; ++rail)
            counts.push_back(net->host(host).process_at(process, rail).statistics().received);
        return counts;
    }

    static constexpr cycle most_cycles = 1'000'000'000;
    host::event_bench::options options;
    driver_params params;
    rail_scoreboard scores;
    std::unique_ptr<host::event_bench> net;

private:
    std::uint32_t hosts_;
};

TEST(rail_driver, basic_takes_one_rail_after_the_other) {
    bench b(2, 3, 1, rail_policy::basic);
    written_source source;
    for (cycle number = 0; number < 7; ++number) source.add({0, 0}, 10 + number * 100'000, {1, 0}, 2000);
    b.run(source);
    EXPECT_THAT(b.received(1), ElementsAre(3, 2, 2));
    EXPECT_EQ(b.driver(0).statistics().messages, 7u);
    EXPECT_EQ(b.scores.counts().delivered, 7u);
}

TEST(rail_driver, static_takes_the_rails_of_its_matrix_in_turn) {
    bench b(4, 4, 1, rail_policy::fixed);
    b.params.matrix =
        std::make_shared<const collectives::rail_matrix>(4u, std::vector<rail_set>{0b0011, 0b0101, 0b0110, 0b1001});
    written_source source;
    for (cycle number = 0; number < 4; ++number) source.add({0, 0}, 10 + number * 100'000, {1, 0}, 2000);
    for (cycle number = 0; number < 4; ++number) source.add({1, 0}, 10 + number * 100'000, {0, 0}, 2000);
    for (cycle number = 0; number < 4; ++number) source.add({3, 0}, 10 + number * 100'000, {2, 0}, 2000);
    b.run(source);
    EXPECT_THAT(b.received(1), ElementsAre(0, 4, 0, 0));
    EXPECT_THAT(b.received(0), ElementsAre(0, 0, 4, 0));
    EXPECT_THAT(b.received(2), ElementsAre(2, 0, 0, 2));
}

TEST(rail_driver, static_stripes_over_usable_rails) {
    bench b(4, 4, 1, rail_policy::fixed, true);
    b.params.matrix =
        std::make_shared<const collectives::rail_matrix>(4u, std::vector<rail_set>{0b0011, 0b0101, 0b0110, 0b1001});
    written_source source;
    source.add({3, 0}, 10, {2, 0}, 2001);
    source.add({3, 0}, 100'000, {2, 0}, 500);  // too short to be cut
    b.run(source);
    EXPECT_EQ(b.driver(3).statistics().stripes, 3u);
    EXPECT_EQ(b.scores.counts().delivered, 2u);
}

TEST(rail_driver, local_dynamic_takes_idle_rails_first_and_then_the_least_loaded) {
    bench b(2, 3, 4, rail_policy::local_dynamic);
    written_source source;
    source.add({0, 0}, 10, {1, 0}, 60'000);
    source.add({0, 1}, 20, {1, 0}, 20'000);
    source.add({0, 2}, 30, {1, 0}, 40'000);
    source.add({0, 3}, 40, {1, 1}, 1000);  // none is idle: behind the shortest
    b.run(source);
    EXPECT_THAT(b.received(1, 0), ElementsAre(1, 1, 1));
    EXPECT_THAT(b.received(1, 1), ElementsAre(0, 1, 0));
}

TEST(rail_driver, local_dynamic_takes_no_rail_that_is_receiving) {
    bench b(2, 2, 1, rail_policy::local_dynamic);
    written_source source;
    source.add({1, 0}, 10, {0, 0}, 60'000);  // on rail 0
    source.add({0, 0}, 20'000, {1, 0}, 1000);
    source.add({0, 0}, 24'000, {1, 0}, 1000);
    b.run(source);
    EXPECT_THAT(b.received(0), ElementsAre(1, 0));
    EXPECT_THAT(b.received(1), ElementsAre(0, 2));
}

TEST(rail_driver, dynamic_takes_rails_that_are_idle_at_both_ends) {
    bench b(3, 2, 1, rail_policy::dynamic);
    written_source source;
    source.add({0, 0}, 10, {1, 0}, 60'000);
    source.add({2, 0}, 5000, {1, 0}, 1000);  // its own interfaces are idle, but rail 0 is not at host 1
    source.add({2, 0}, 10'000, {1, 0}, 1000);
    b.run(source);
    EXPECT_THAT(b.received(1), ElementsAre(1, 2));
    EXPECT_EQ(b.driver(0).statistics().refused, 0u);
    EXPECT_GE(b.driver(2).statistics().refused, 1u);
}

TEST(rail_driver, dynamic_stripes_over_rails_that_are_idle_at_both_ends) {
    bench b(3, 3, 1, rail_policy::dynamic, true);
    written_source source;
    source.add({0, 0}, 10, {1, 0}, 700);  // one stripe: rail 0
    source.add({0, 0}, 20'000, {1, 0}, 30'000);
    b.run(source);
    EXPECT_THAT(b.received(1), ElementsAre(2, 1, 1));
    EXPECT_EQ(b.scores.finished().back().bytes, 30'000u);
    // Three rails at half a cycle a byte.
    EXPECT_LT(b.scores.finished().back().completed - 20'000, 30'000 / 2 / 3 + 2000);
}

struct mix {
    rail_policy policy;
    bool striping;
};

class every_policy : public testing::TestWithParam<mix> {
protected:
    static constexpr std::uint32_t hosts = 6;

    /// Six hosts with four rails and two processes each.
    static bench crowd() {
        bench b(hosts, 4, 2, GetParam().policy, GetParam().striping);
        b.params.matrix = std::make_shared<const collectives::rail_matrix>(
            collectives::allocate_rails(collectives::rail_algorithm::recursive, hosts, 4));
        return b;
    }
};

TEST_P(every_policy, every_pair_at_once_ends_with_every_byte_in_its_place) {
    bench b = crowd();
    b.params.patience = 5;
    written_source source;
    for (std::uint32_t from = 0; from < hosts; ++from)
        for (unsigned process = 0; process < 2; ++process)
            for (std::uint32_t round = 0; round < 10; ++round)
                for (std::uint32_t step = 1; step < hosts; ++step)
                    source.add({from, process}, 1, {(from + step) % hosts, (process + round) % 2},
                               1 + (from * 37 + step * 1001 + round * 577) % 5000);
    b.run(source);
    EXPECT_EQ(b.scores.counts().delivered, hosts * 2 * 10 * (hosts - 1));
}

TEST_P(every_policy, everybody_to_one_ends) {
    bench b = crowd();
    b.params.patience = 5;
    written_source source;
    for (std::uint32_t from = 0; from < hosts; ++from)
        for (unsigned process = 0; process < 2; ++process)
            for (std::uint32_t number = 0; number < 60; ++number)
                source.add({from, process}, 1, {from == 3 ? number % 3 : 3, number % 2}, 3000);
    b.run(source);
    EXPECT_EQ(b.scores.counts().delivered, hosts * 2 * 60u);
}

TEST_P(every_policy, open_loop_traffic_is_delivered) {
    bench b = crowd();
    // A quarter of what the rails carry: 4 rails, 2 bytes a cycle, half duplex; 2 processes.
    rail_traffic source({.nodes = hosts,
                         .processes = 2,
                         .bytes = 4000,
                         .longest = 32'000,
                         .gap = 4000 * 2 / (4 * 2 * 0.25),
                         .end = 1'000'000,
                         .seed = 3});
    b.run(source);
    EXPECT_GT(b.scores.counts().delivered, 2000u);
    for (const rail_scoreboard::finished_message& each : b.scores.finished())
        EXPECT_GT(each.completed, each.created + each.bytes / 2 / (GetParam().striping ? 4 : 1));
}

INSTANTIATE_TEST_SUITE_P(rails, every_policy,
                         testing::Values(mix{rail_policy::fixed, false}, mix{rail_policy::fixed, true},
                                         mix{rail_policy::basic, false}, mix{rail_policy::basic, true},
                                         mix{rail_policy::local_dynamic, false}, mix{rail_policy::local_dynamic, true},
                                         mix{rail_policy::dynamic, false}, mix{rail_policy::dynamic, true}),
                         [](const auto& one) {
                             return std::string(name_of(one.param.policy)) + (one.param.striping ? "_striped" : "");
                         });

/// Sends messages as they are: a sender of stripes that may say anything in their headers.
class liar final : public host::application {
public:
    using messages = std::vector<std::vector<std::uint8_t>>;
    liar(const host::host_context& context, messages what) : context_(context), what_(std::move(what)) {}
    void start() override {
        host::send_order order;
        order.to = 1;
        for (const auto& each : what_) {
            context_.own.send(order, each);
            ++order.number;
        }
    }
    bool finished() const override { return sent_ == what_.size(); }
    void sent(cycle /*when*/, std::uint64_t /*context*/, ni_status /*status*/) override { ++sent_; }
    void received(cycle /*when*/, const host::delivery& /*message*/) override {}

private:
    host::host_context context_;
    messages what_;
    std::size_t sent_ = 0;
};

std::vector<std::uint8_t> stripe_of(std::uint32_t total, std::uint32_t offset, std::uint32_t number,
                                    std::size_t bytes) {
    std::vector<std::uint8_t> made(stripe_header + bytes, 0x5a);
    for (unsigned byte = 0; byte < 4; ++byte) {
        made[byte] = static_cast<std::uint8_t>(total >> 8 * byte);
        made[4 + byte] = static_cast<std::uint8_t>(offset >> 8 * byte);
        made[8 + byte] = static_cast<std::uint8_t>(number >> 8 * byte);
    }
    return made;
}

TEST(rail_driver, stripes_that_lie_are_refused_and_what_is_incomplete_expires) {
    bench b(2, 2, 1, rail_policy::basic, true);
    b.params.assembly_life = 50'000;
    written_source source;
    source.add({1, 0}, 10, {0, 0}, 1);
    b.net = std::make_unique<host::event_bench>(2, b.options);
    const liar::messages lies{stripe_of(0xffffffff, 0, 1, 1),  // 13 bytes that speak of 4 GiB
                              stripe_of(65536, 0, 2, 1),       // longer than a receive buffer with its header
                              stripe_of(40, 0, 3, 20),
                              stripe_of(40, 0, 3, 20),  // twice the same half
                              stripe_of(40, 10, 4, 20),
                              stripe_of(40, 0, 4, 11),  // one byte of overlap
                              std::vector<std::uint8_t>(stripe_header, std::uint8_t{0})};
    b.net->run(0, [&](const host::host_context& context) { return std::make_unique<liar>(context, lies); });
    b.net->run(1, drive_rails(1, 2, b.params, source, b.scores));
    b.net->build();
    b.net->simulate(bench::most_cycles);
    EXPECT_EQ(b.scores.counts().delivered, 0u);
    EXPECT_TRUE(b.scores.counts().good()) << "nothing with a hole in it was delivered";
    EXPECT_EQ(b.driver(1).assembly().messages(), 0u);
    const std::vector<std::string> told = b.driver(1).failures();
    const auto says = [&](std::size_t which, const std::string& what) {
        ASSERT_LT(which, told.size());
        EXPECT_THAT(told[which], testing::HasSubstr(what));
    };
    ASSERT_EQ(told.size(), 7u);
    says(0, "stripe 0 of host 0, process 0 is of a message that no receive buffer holds");
    says(1, "stripe 1 of host 0, process 0 is of a message that no receive buffer holds");
    says(2, "stripe 3 of host 0, process 0 overlaps another");
    says(3, "stripe 5 of host 0, process 0 overlaps another");
    says(4, "stripe 6 of host 0, process 0 is too short");
    says(5, "message 3 of host 0, process 0 is given up: 20 of 40 bytes came");
    says(6, "message 4 of host 0, process 0 is given up: 20 of 40 bytes came");
}

TEST(rail_driver, refuses_a_matrix_that_does_not_fit) {
    for (const bool there : {false, true}) {
        bench b(3, 4, 1, rail_policy::fixed);
        if (there)
            b.params.matrix = std::make_shared<const collectives::rail_matrix>(
                collectives::allocate_rails(collectives::rail_algorithm::recursive, 4, 4));
        written_source source;
        b.net = std::make_unique<host::event_bench>(3, b.options);
        for (std::uint32_t host = 0; host < 3; ++host) b.net->run(host, drive_rails(1, 4, b.params, source, b.scores));
        b.net->build();
        EXPECT_THROW(b.net->simulate(10), input_error);
    }
}

}  // namespace
}  // namespace polycast::hw::rails
