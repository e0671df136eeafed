// SPDX-License-Identifier: Apache-2.0
// Hosts on links whose packets are events: the same as flits where nothing is in the way; several interfaces per host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/input_error.h"
#include "testbench/unit/hw/host/event_bench.h"
#include "testbench/unit/hw/host/host_bench.h"

namespace polycast::hw::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<std::uint8_t>;

bytes content(std::size_t count, unsigned seed) {
    bytes result(count);
    for (std::size_t index = 0; index < count; ++index)
        result[index] = static_cast<std::uint8_t>(index * 7 + index / 256 + seed);
    return result;
}

/// Host 0 sends three messages and gets three back; notes when they came.
struct ping_pong {
    std::vector<cycle> when;
    std::vector<bytes> got;

    program_function first() {
        return [this](endpoint& self) -> program {
            for (const std::size_t size : {1u, 700u, 5000u}) {
                co_await self.send(1, content(size, 1));
                message answer = co_await self.receive();
                when.push_back(self.now());
                got.push_back(answer.bytes);
            }
        };
    }
    program_function last() {
        return [this](endpoint& self) -> program {
            for (int number = 0; number < 3; ++number) {
                message question = co_await self.receive();
                when.push_back(self.now());
                co_await self.send(0, question.bytes);
            }
        };
    }
};

TEST(event_network, messages_arrive_in_the_same_cycle_as_with_flits_where_nothing_is_in_the_way) {
    for (const bool header_free : {false, true})
        for (const unsigned switches : {1u, 2u, 4u}) {
            ping_pong flits, events;
            host_bench::options with_flits;
            with_flits.header_free = header_free;
            host_bench one(chain(switches), with_flits);
            one.run(0, flits.first());
            one.run(1, flits.last());
            one.build();
            one.simulate();
            EXPECT_THAT(one.failures(), IsEmpty());

            event_bench::options with_events;
            with_events.switches = switches;
            with_events.host.interface = one.host(0).params().interface;
            event_bench other(2, with_events);
            other.run(0, events.first());
            other.run(1, events.last());
            other.build();
            other.simulate();
            EXPECT_THAT(other.failures(), IsEmpty());
            EXPECT_EQ(events.when, flits.when) << switches << " switches";
            EXPECT_THAT(events.got, ElementsAre(content(1, 1), content(700, 1), content(5000, 1)));
        }
}

TEST(event_network, packets_without_a_slot_wait_and_none_is_lost) {
    event_bench::options options;
    options.host.send_overhead = options.host.receive_overhead = 0;
    options.ni_send = 5;
    options.ni_receive = 400;  // slower than the link
    options.host.interface.receive_slots = 2;
    event_bench bench(3, options);
    std::vector<bytes> got;
    for (std::uint32_t host = 0; host < 2; ++host)
        bench.run(host, [&, host](endpoint& self) -> program {
            for (unsigned number = 0; number < 20; ++number) co_await self.send(2, content(900, host * 20 + number));
        });
    bench.run(2, [&](endpoint& self) -> program {
        for (int number = 0; number < 40; ++number) {
            message next = co_await self.receive();
            got.push_back(next.bytes);
        }
    });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    EXPECT_EQ(bench.host(2).interface().statistics().receive_slots_peak, 2u);
    std::vector<bytes> expected;
    for (unsigned number = 0; number < 40; ++number) expected.push_back(content(900, number));
    EXPECT_THAT(got, testing::UnorderedElementsAreArray(expected));
}

TEST(event_network, a_long_link_costs_no_steps) {
    const auto steps = [](unsigned delay) {
        event_bench::options options;
        options.link_delay = delay;
        event_bench bench(2, options);
        ping_pong run;
        bench.run(0, run.first());
        bench.run(1, run.last());
        bench.build();
        bench.simulate();
        EXPECT_THAT(bench.failures(), IsEmpty());
        EXPECT_GT(run.when.back(), 12ull * delay);  // there and back three times, two links each
        return bench.network().chip_steps();
    };
    EXPECT_LT(steps(50'000'000), steps(1) * 11 / 10);
}

/// Uses two interfaces: sends a message on each, notes what comes where.
class two_rails final : public application {
public:
    struct side final : process_client {
        std::vector<std::pair<std::uint32_t, bytes>> got;
        process* own = nullptr;
        int sent_count = 0;
        void sent(cycle /*when*/, std::uint64_t /*context*/, ni_status status) override {
            EXPECT_EQ(status, NI_STATUS_OK);
            ++sent_count;
        }
        void received(cycle /*when*/, const delivery& message) override {
            bytes scratch;
            const auto view = own->bytes(message, scratch);
            got.emplace_back(message.source, bytes(view.begin(), view.end()));
            own->release(message);
        }
    };

    explicit two_rails(const host_context& context) : context_(context) {
        for (std::size_t rail = 0; rail < 2; ++rail) sides[rail].own = context.everywhere[rail];
    }
    process_client* client(unsigned interface) override { return interface < 2 ? &sides[interface] : nullptr; }
    void sent(cycle when, std::uint64_t context, ni_status status) override { sides[0].sent(when, context, status); }
    void received(cycle when, const delivery& message) override { sides[0].received(when, message); }
    void start() override {
        const std::uint32_t self = context_.own.params().host;
        for (unsigned rail = 0; rail < 2; ++rail) {
            send_order order;
            order.to = (self + 1 + rail) % 3;
            context_.everywhere[rail]->send(order, content(3000 + rail, self));
        }
    }
    bool finished() const override {
        return sides[0].sent_count == 1 && sides[1].sent_count == 1 && sides[0].got.size() == 1 &&
               sides[1].got.size() == 1;
    }

    std::array<side, 2> sides;

private:
    host_context context_;
};

TEST(event_network, a_host_has_a_driver_memory_and_a_network_for_each_interface) {
    event_bench::options options;
    options.host.interfaces = 2;
    event_bench bench(3, options);
    for (std::uint32_t host = 0; host < 3; ++host)
        bench.run(host, [](const host_context& context) { return std::make_unique<two_rails>(context); });
    bench.build();
    bench.simulate();
    EXPECT_THAT(bench.failures(), IsEmpty());
    for (std::uint32_t host = 0; host < 3; ++host) {
        ASSERT_EQ(bench.host(host).interfaces(), 2u);
        const auto& own = static_cast<const two_rails&>(*bench.host(host).application_at(0));
        for (unsigned rail = 0; rail < 2; ++rail) {
            const std::uint32_t from = (host + 2 - rail) % 3;
            EXPECT_THAT(own.sides[rail].got, ElementsAre(std::pair(from, content(3000 + rail, from))));
            EXPECT_EQ(bench.host(host).process_at(0, rail).statistics().sent, 1u);
            EXPECT_EQ(bench.host(host).interface(rail).statistics().packets_in, 24u);  // of 128 bytes
        }
        engine::chip_probe probe;
        bench.host(host).probe(probe);
        EXPECT_EQ(probe.interfaces.size(), 2u);
        EXPECT_EQ(probe.inputs.size(), 2u);
    }
}

TEST(event_network, what_comes_where_nobody_listens_is_dropped) {
    event_bench::options options;
    options.host.interfaces = 2;
    event_bench bench(3, options);
    bench.run(0, [](const host_context& context) { return std::make_unique<two_rails>(context); });
    for (std::uint32_t host = 1; host < 3; ++host)
        bench.run(host, [](endpoint& /*self*/) -> program { co_return; });  // at interface 0 only
    bench.build();
    bench.simulate();
    EXPECT_EQ(bench.host(1).process_at(0, 0).kept(), 1u);  // no receive was asked for, but it is there
    EXPECT_EQ(bench.host(2).interface(1).statistics().packets_in, 24u);
    EXPECT_EQ(bench.host(2).process_at(0, 1).kept(), 0u);
    EXPECT_EQ(bench.host(2).interface(1).slots_used(), 0u);
}

TEST(event_network, hosts_have_one_to_sixty_four_interfaces) {
    for (const unsigned count : {0u, 65u}) {
        event_bench::options options;
        options.host.interfaces = count;
        event_bench bench(2, options);
        EXPECT_THROW(bench.build(), input_error);
    }
}

}  // namespace
}  // namespace polycast::hw::host
