// SPDX-License-Identifier: Apache-2.0
// Times, bytes and credits of a host that runs a workload on firmware with the papers' costs, computed by hand: t_hs on
// the host processor, the bus, t_ns on the interface's processor, the link; back again with t_nr and t_hr.
#include "hw/workloads/messages/workload_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "hw/format/check_word.h"
#include "hw/host/host_chip.h"
#include "hw/traffic/random.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::traffic {
namespace {

using engine::cycle;
using engine::pins;
using format::packet_kind;
using testing::ElementsAre;
using testing::IsEmpty;

using byte_list = std::vector<std::uint8_t>;

constexpr std::uint32_t this_host = 3;
constexpr std::uint64_t seed = 1;

struct given_messages final : message_source {
    std::vector<message> messages;
    std::vector<group_setup> groups;
    std::size_t next_index = 0;
    std::size_t next_group_index = 0;
    std::optional<message> next(std::uint32_t) override {
        return next_index < messages.size() ? std::optional(messages[next_index++]) : std::nullopt;
    }
    std::optional<group_setup> next_group(std::uint32_t) override {
        return next_group_index < groups.size() ? std::optional(groups[next_group_index++]) : std::nullopt;
    }
};

struct note_taker final : message_sink {
    struct arrived_packet {
        cycle when;
        byte_list header;
        format::transport_header transport;
        byte_list payload;
        std::uint32_t check;
        bool complete;
        std::size_t flits;
    };
    struct delivery {
        cycle when;
        std::uint32_t source;
        std::uint32_t number;
        byte_list data;
    };
    std::vector<message> creations;
    std::vector<arrived_packet> packets;
    std::vector<delivery> deliveries;

    void created(std::uint32_t, const message& message) override { creations.push_back(message); }
    void arrived(cycle now, const ni::received_packet& packet) override {
        packets.push_back({now, byte_list(packet.header.begin(), packet.header.end()), packet.transport,
                           byte_list(packet.payload.begin(), packet.payload.end()), packet.check, packet.complete,
                           packet.flits});
    }
    void delivered(cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                   std::span<const std::uint8_t> data) override {
        EXPECT_EQ(host, this_host);
        deliveries.push_back({when, source, number, byte_list(data.begin(), data.end())});
    }
};

struct bench_params {
    host::host_params host;
    ni::native_params times;
};

/// Short times that tell all stages apart.
bench_params quick() {
    bench_params params;
    params.host.interface.host = this_host;
    params.host.interface.hosts = 8;
    params.host.send_overhead = 10;
    params.host.receive_overhead = 20;
    params.times = system::paper_costs(5, 7);
    return params;
}

class host_bench {
public:
    explicit host_bench(const bench_params& params, std::vector<message> messages = {},
                        std::vector<group_setup> groups = {})
        : watcher_(sink, nullptr) {
        source.messages = std::move(messages);
        source.groups = std::move(groups);
        const auto firmware = ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
        host_ = std::make_unique<host::host_chip>(
            params.host, std::vector{run_workload(this_host, source, sink, seed, {.hosts = 8})},
            [&](const ni::ni_params& interface, ni::processor_bus& bus, ni::observer*) {
                return std::make_unique<ni::native_processor>(firmware, params.times, interface, bus, nullptr);
            },
            &watcher_);
    }

    void flit(cycle when, bool head, bool tail, const byte_list& data, const byte_list& beside = {}) {
        input_[when] = {head, tail, data, beside};
    }
    void credit(cycle when) { credits_in_.push_back(when); }

    /// Steps only when the host asked for it or something arrives, as the engine does.
    void run(cycle end) {
        const engine::pin_shape shape = host_->shape();
        pins in(shape);
        pins out(shape);
        for (; now_ < end; ++now_) {
            in.clear();
            out.clear();
            const auto found = input_.find(now_);
            if (found != input_.end()) {
                in.valid = 1;
                in.head = found->second.head ? 1 : 0;
                in.tail = found->second.tail ? 1 : 0;
                std::ranges::copy(found->second.data, in.data.begin());
                if (found->second.head) std::ranges::copy(found->second.header, in.header.begin());
            }
            if (std::ranges::find(credits_in_, now_) != credits_in_.end()) in.credit = 1;
            if (in.quiet() && wake_ > now_) continue;
            wake_ = host_->step(now_, in, out);
            if (out.credit != 0) credits.push_back(now_ + 1);
            if (out.valid == 0) continue;
            times.push_back(now_ + 1);
            bytes.insert(bytes.end(), out.data.begin(), out.data.end());
            if (out.head != 0) heads.push_back(now_ + 1);
            if (out.head != 0) header.assign(out.header.begin(), out.header.end());
            if (out.tail != 0) tails.push_back(now_ + 1);
        }
    }

    host::host_chip& chip() { return *host_; }

    given_messages source;
    note_taker sink;
    std::vector<cycle> times, heads, tails, credits;
    byte_list bytes, header;

private:
    struct input {
        bool head, tail;
        byte_list data;
        byte_list header;
    };
    arrival_watcher watcher_;
    std::unique_ptr<host::host_chip> host_;
    std::map<cycle, input> input_;
    std::vector<cycle> credits_in_;
    cycle now_ = 0;
    cycle wake_ = 0;
};

message to(std::uint32_t destination, std::uint32_t size, cycle created) {
    message made;
    made.created = created;
    made.transfer = 77;
    made.destinations = {destination};
    made.bytes = size;
    return made;
}

byte_list payload_of(std::size_t size) {
    byte_list payload(size);
    fill_payload(seed, 77, payload);
    return payload;
}

/// All flits of a packet, one after the other.
void feed(host_bench& bench, cycle first, const byte_list& bytes) {
    for (std::size_t index = 0; index < bytes.size(); ++index)
        bench.flit(first + index, index == 0, index + 1 == bytes.size(), {bytes[index]});
}

// 13 bytes for the switches, 24 for the interfaces, 4 for the check word.
constexpr std::size_t around = 13 + 24 + 4;

/// The packet in which the bench's host sends a message.
byte_list sent(const message& what) {
    host_bench sender(quick(), {what});
    sender.run(2000);
    return sender.bytes;
}

TEST(workload_program, a_message_pays_host_bus_and_interface_in_turn) {
    host_bench bench(quick(), {to(2, 8, 100)});
    bench.run(300);
    // 100 + t_hs 10 + DMA 6 + t_ns 5: the head is on the pins in 121.
    EXPECT_THAT(bench.heads, ElementsAre(121));
    EXPECT_THAT(bench.tails, ElementsAre(121 + around + 8 - 1));
    EXPECT_EQ(bench.times.size(), around + 8);
    ASSERT_EQ(bench.sink.creations.size(), 1u);
    EXPECT_EQ(bench.sink.creations[0].created, 100u);
    EXPECT_TRUE(bench.chip().idle());
    EXPECT_TRUE(bench.chip().finished());
    EXPECT_THAT(bench.chip().failures(), IsEmpty());
}

TEST(workload_program, a_packet_is_headers_payload_and_check_word) {
    message what = to(2, 8, 1);
    what.tag = 0x1234;
    host_bench bench(quick(), {what});
    bench.run(200);
    byte_list expected(13 + 24);
    format::write_common({packet_kind::unicast, true, 3, 0, 8}, expected.data());
    format::write_field<format::destination_field>(expected.data(), 2);
    format::transport_header transport;
    transport.total = 8;
    transport.tag = 0x1234;
    format::write_transport(transport, &expected[13]);
    const byte_list payload = payload_of(8);
    const std::uint32_t check = format::check_word(expected.data(), &expected[13], payload);
    expected.insert(expected.end(), payload.begin(), payload.end());
    for (unsigned byte = 0; byte < 4; ++byte) expected.push_back(static_cast<std::uint8_t>(check >> (8 * byte)));
    EXPECT_EQ(bench.bytes, expected);
}

TEST(workload_program, worms_name_their_destinations) {
    message what = to(0, 5, 1);
    what.kind = message_kind::worm;
    what.destinations = {0, 7};
    host_bench bench(quick(), {what});
    bench.run(200);
    ASSERT_EQ(bench.bytes.size(), 11u + 24 + 5 + 4);
    EXPECT_EQ(bench.bytes[10], 0x81);
    EXPECT_EQ(byte_list(bench.bytes.begin() + 35, bench.bytes.begin() + 40), payload_of(5));
}

TEST(workload_program, long_messages_go_in_packets) {
    bench_params params = quick();
    params.host.interface.payload_bytes = 16;
    host_bench bench(params, {to(2, 40, 100)});
    bench.run(400);
    // Bus: 122, 134, 140; interface: 127, 139, 145; link: 57 flits, 57, 49.
    EXPECT_THAT(bench.heads, ElementsAre(127, 184, 241));
    EXPECT_THAT(bench.tails, ElementsAre(183, 240, 289));
    byte_list received;
    for (std::size_t packet = 0; packet < 3; ++packet) {
        const auto begin = bench.bytes.begin() + static_cast<std::ptrdiff_t>(57 * packet + 37);
        received.insert(received.end(), begin, begin + (packet == 2 ? 8 : 16));
    }
    EXPECT_EQ(received, payload_of(40));
}

TEST(workload_program, stages_serve_first_come_first_served) {
    host_bench bench(quick(), {to(2, 8, 1), to(2, 40, 1), to(4, 8, 2)});
    bench.run(400);
    // Host processor: 11, 21, 31. Bus: 17, 51 (30 cycles), 57. Interface: 22, 56, 62. Link: 49, 81, 49 flits.
    EXPECT_THAT(bench.heads, ElementsAre(22, 71, 152));
    EXPECT_THAT(bench.tails, ElementsAre(70, 151, 200));
    ASSERT_EQ(bench.sink.creations.size(), 3u);
    for (std::uint32_t number = 0; number < 3; ++number) EXPECT_EQ(bench.sink.creations[number].number, number);
}

TEST(workload_program, a_packet_is_stored_then_pays_interface_bus_and_host) {
    const byte_list bytes = sent(to(3, 8, 1));
    host_bench bench(quick());
    feed(bench, 50, bytes);
    bench.run(300);
    // 49 flits: tail in 98; t_nr 7, DMA 6, t_hr 20.
    ASSERT_EQ(bench.sink.deliveries.size(), 1u);
    EXPECT_EQ(bench.sink.deliveries[0].when, 131u);
    EXPECT_EQ(bench.sink.deliveries[0].source, 3u);
    EXPECT_EQ(bench.sink.deliveries[0].number, 0u);
    EXPECT_EQ(bench.sink.deliveries[0].data, payload_of(8));
    ASSERT_EQ(bench.sink.packets.size(), 1u);
    EXPECT_EQ(bench.sink.packets[0].when, 98u);
    EXPECT_TRUE(bench.sink.packets[0].complete);
    EXPECT_EQ(bench.sink.packets[0].flits, 49u);
    EXPECT_EQ(bench.sink.packets[0].payload, payload_of(8));
    // A chunk goes back as soon as it is full, the last one with the tail.
    EXPECT_THAT(bench.credits, ElementsAre(58, 66, 74, 82, 90, 98, 99));
    EXPECT_TRUE(bench.chip().idle());
}

// One bus and one processor for both directions; the interface's processor too, unless receiving costs the sender
// nothing.
TEST(workload_program, both_directions_share_the_resources) {
    const byte_list bytes = sent(to(3, 8, 1));
    for (const bool overlapped : {false, true}) {
        bench_params params = quick();
        params.times = system::paper_costs(5, 30, overlapped);
        host_bench bench(params, {to(2, 8, 88)});
        feed(bench, 50, bytes);
        bench.run(400);
        // Received: tail in 98, interface until 128, bus until 134, host until 154.
        ASSERT_EQ(bench.sink.deliveries.size(), 1u);
        EXPECT_EQ(bench.sink.deliveries[0].when, 154u);
        // Sent: host until 98, bus until 104; then the interface is free, or busy until 128.
        EXPECT_THAT(bench.heads, ElementsAre(overlapped ? 109 : 133));
    }
}

TEST(workload_program, sleeps_between_messages) {
    host_bench bench(quick(), {to(2, 8, 1'000'000)});
    pins in(bench.chip().shape());
    pins out(bench.chip().shape());
    cycle wake = bench.chip().step(0, in, out);
    for (unsigned step = 0; step < 5 && wake < 999'999; ++step) wake = bench.chip().step(wake, in, out);
    EXPECT_EQ(wake, 999'999u);
    EXPECT_TRUE(bench.chip().idle());  // nothing of it exists yet
    EXPECT_FALSE(bench.chip().finished());
}

TEST(workload_program, reset_drops_what_is_under_way) {
    host_bench bench(quick(), {to(2, 8, 1), to(2, 8, 500)});
    bench.run(30);
    EXPECT_FALSE(bench.chip().idle());
    bench.chip().reset();
    EXPECT_TRUE(bench.chip().idle());
    bench.times.clear();
    bench.heads.clear();
    pins in(bench.chip().shape());
    pins out(bench.chip().shape());
    bench.chip().step(30, in, out);
    bench.run(700);
    EXPECT_THAT(bench.heads, ElementsAre(521));
    ASSERT_EQ(bench.sink.creations.size(), 2u);
    EXPECT_EQ(bench.sink.creations[1].number, 1u);
}

// The firmware's tables are finite, the workload's queue is not.
TEST(workload_program, hundreds_of_messages_wait_in_the_program) {
    std::vector<message> many(300, to(2, 8, 1));
    for (const message_kind kind : {message_kind::unicast, message_kind::worm}) {
        for (message& each : many) each.kind = kind;
        bench_params params = quick();
        params.host.interface.credits = 100000;
        host_bench bench(params, many);
        bench.run(40000);
        EXPECT_EQ(bench.tails.size(), 300u);
        EXPECT_EQ(bench.sink.creations.size(), 300u);
        EXPECT_TRUE(bench.chip().finished());
        EXPECT_THAT(bench.chip().failures(), IsEmpty());
    }
}

group_setup part_of(forwarding how, const std::vector<std::uint32_t>& children) {
    group_setup part;
    part.when = 1;
    part.root = this_host;
    part.how = how;
    part.transfer = 77;
    part.tag = 9;
    for (const std::uint32_t child : children) part.sends.push_back({packet_kind::unicast, {child}, {}, 1});
    return part;
}

TEST(workload_program, a_group_is_known_before_its_first_message) {
    message what = to(2, 8, 1);
    what.kind = message_kind::group;
    what.worm = packet_kind::unicast;
    what.group = 0;
    what.hops = 2;
    bench_params params = quick();
    params.host.send_overhead = 0;
    host_bench bench(params, {what}, {part_of(forwarding::fpfs, {6, 2})});
    bench.run(300);
    // Two copies, each t_ns: the first at 1 + 6 + 5, the second when the link is free.
    EXPECT_THAT(bench.heads, ElementsAre(12, 61));
    EXPECT_EQ(bench.bytes[10], 6);
    EXPECT_EQ(bench.bytes[59], 2);
    EXPECT_THAT(bench.chip().failures(), IsEmpty());
}

// Its own message belongs to the second of them, and a send call takes no time.
TEST(workload_program, groups_of_one_cycle_are_all_known_before_a_message_of_that_cycle) {
    message what = to(2, 8, 1);
    what.kind = message_kind::group;
    what.worm = packet_kind::unicast;
    what.group = 1;
    what.hops = 1;
    group_setup other = part_of(forwarding::fpfs, {});
    other.root = 5;
    other.member = true;
    group_setup own = part_of(forwarding::fpfs, {6});
    own.group = 1;
    bench_params params = quick();
    params.host.send_overhead = 0;
    host_bench bench(params, {what}, {other, own});
    bench.run(300);
    EXPECT_THAT(bench.heads, ElementsAre(12));
    EXPECT_THAT(bench.chip().failures(), IsEmpty());
}

TEST(workload_program, a_message_that_it_has_to_forward_is_sent_on_from_memory) {
    message what = to(this_host, 8, 1);
    what.tag = 9;
    byte_list bytes = sent(what);
    bytes[37] ^= 1;  // not what the seed says: it is the memory that is forwarded
    const std::span<const std::uint8_t> all(bytes);
    const std::uint32_t check = format::check_word(bytes.data(), &bytes[13], all.subspan(37, 8));
    format::write_check(&bytes[45], check);
    host_bench bench(quick(), {}, {part_of(forwarding::programs, {5, 4})});
    feed(bench, 50, bytes);
    bench.run(400);
    ASSERT_EQ(bench.sink.deliveries.size(), 1u);
    EXPECT_EQ(bench.sink.deliveries[0].when, 131u);
    // 131 + t_hs 10 + DMA 6 + t_ns 5, then 49 flits each.
    EXPECT_THAT(bench.heads, ElementsAre(152, 201));
    ASSERT_EQ(bench.sink.creations.size(), 2u);
    for (std::size_t copy = 0; copy < 2; ++copy) {
        const message& made = bench.sink.creations[copy];
        EXPECT_EQ(made.created, 131u);
        EXPECT_EQ(made.transfer, 77u);
        EXPECT_EQ(made.tag, 9u);
        EXPECT_EQ(made.bytes, 8u);
        EXPECT_THAT(made.destinations, ElementsAre(copy == 0 ? 5u : 4u));
        const auto payload = bench.bytes.begin() + static_cast<std::ptrdiff_t>(49 * copy + 37);
        EXPECT_EQ(byte_list(payload, payload + 8), byte_list(bytes.begin() + 37, bytes.begin() + 45));
    }
}

TEST(workload_program, what_the_interface_refuses_is_a_failure) {
    message what = to(2, 8, 1);
    what.kind = message_kind::group;
    what.worm = packet_kind::unicast;
    what.group = 5;
    host_bench bench(quick(), {what});
    bench.run(300);
    EXPECT_THAT(bench.chip().failures(), testing::Contains("cycle 11, host 3: message 0 was not sent: unknown group"));
    EXPECT_TRUE(bench.chip().finished());
}

}  // namespace
}  // namespace polycast::hw::traffic
