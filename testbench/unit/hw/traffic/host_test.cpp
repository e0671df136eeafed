// SPDX-License-Identifier: Apache-2.0
// Times, bytes and credits of a host, computed by hand from the rules in hw/traffic/host.h.
#include "hw/traffic/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {
namespace {

using engine::cycle;
using engine::pins;
using format::packet_kind;
using testing::ElementsAre;
using testing::IsEmpty;

using byte_list = std::vector<std::uint8_t>;

struct given_messages final : message_source {
    std::vector<message> messages;
    std::size_t next_index = 0;
    std::optional<message> next(std::uint32_t) override {
        return next_index < messages.size() ? std::optional(messages[next_index++]) : std::nullopt;
    }
};

struct note_taker final : message_sink {
    struct note {
        cycle when;
        std::uint64_t ticket;
        bool operator==(const note&) const = default;
    };
    struct arrived_packet {
        cycle when;
        byte_list header;
        byte_list transport;
        byte_list payload;
        std::uint32_t check;
        bool complete;
        std::size_t flits;
    };
    std::vector<cycle> creations;
    std::vector<arrived_packet> packets;
    std::vector<note> deliveries;

    void created(std::uint32_t, const message& message) override { creations.push_back(message.created); }
    std::uint64_t arrived(cycle now, const received_packet& packet) override {
        packets.push_back({now, byte_list(packet.header.begin(), packet.header.end()),
                           byte_list(packet.transport.begin(), packet.transport.end()),
                           byte_list(packet.payload.begin(), packet.payload.end()), packet.check, packet.complete,
                           packet.flits});
        return packets.size();
    }
    void delivered(cycle when, std::uint64_t ticket) override { deliveries.push_back({when, ticket}); }
};

/// Short times that tell all stages apart.
host_params quick() {
    host_params params;
    params.hosts = 8;
    params.send_overhead = 10;
    params.receive_overhead = 20;
    params.ni_send = 5;
    params.ni_receive = 7;
    return params;
}

class host_bench {
public:
    explicit host_bench(const host_params& params, std::vector<message> messages = {}) : params_(params) {
        source.messages = std::move(messages);
        host_ = std::make_unique<host>(3, params, source, sink);
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

    host& chip() { return *host_; }

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
    host_params params_;
    std::unique_ptr<host> host_;
    std::map<cycle, input> input_;
    std::vector<cycle> credits_in_;
    cycle now_ = 0;
    cycle wake_ = 0;
};

message to(std::uint32_t destination, std::uint16_t size, cycle created) {
    return {created, 1, packet_kind::unicast, {destination}, size};
}

/// Flits of one byte of a unicast packet.
constexpr unsigned flits_of(unsigned payload) {
    return format::unicast_header_bytes + format::transport_bytes + payload + format::check_bytes;
}

/// Transport header of a packet of the conventional interface.
byte_list transport_of(std::uint32_t sequence, std::uint32_t size) {
    byte_list transport(format::transport_bytes);
    format::write_transport({.message = sequence, .total = size}, transport.data());
    return transport;
}

byte_list payload_of(std::uint32_t sequence, std::size_t size) {
    byte_list payload(size);
    fill_payload(1, 3, sequence, payload);
    return payload;
}

TEST(host, dma_takes_three_quarters_of_a_cycle_per_byte_rounded_up) {
    host_bench bench(quick());
    const std::map<std::uint32_t, cycle> expected = {{1, 1}, {2, 2},    {3, 3},    {4, 3},
                                                     {5, 4}, {128, 96}, {129, 97}, {65535, 49152}};
    for (const auto& [size, cycles] : expected) EXPECT_EQ(bench.chip().dma_cycles(size), cycles) << size;
}

TEST(host, a_message_pays_host_bus_and_interface_in_turn) {
    host_bench bench(quick(), {to(2, 8, 100)});
    bench.run(300);
    // 100 + t_hs 10 + DMA 6 + t_ns 5: the head is on the pins in 121.
    EXPECT_THAT(bench.heads, ElementsAre(121));
    EXPECT_THAT(bench.tails, ElementsAre(121 + flits_of(8) - 1));
    EXPECT_EQ(bench.times.size(), flits_of(8));
    EXPECT_THAT(bench.sink.creations, ElementsAre(100));
    EXPECT_TRUE(bench.chip().idle());
}

TEST(host, a_packet_is_headers_payload_and_check_word) {
    host_bench bench(quick(), {to(2, 8, 1)});
    bench.run(100);
    byte_list expected(13);
    format::write_common({packet_kind::unicast, true, 3, 0, 8}, expected.data());
    format::write_field<format::destination_field>(expected.data(), 2);
    const byte_list transport = transport_of(0, 8);
    const byte_list payload = payload_of(0, 8);
    const std::uint32_t check = format::check_word(expected.data(), transport.data(), payload);
    expected.insert(expected.end(), transport.begin(), transport.end());
    expected.insert(expected.end(), payload.begin(), payload.end());
    for (unsigned byte = 0; byte < 4; ++byte) expected.push_back(static_cast<std::uint8_t>(check >> (8 * byte)));
    EXPECT_EQ(bench.bytes, expected);
}

TEST(host, wide_flits_are_padded_after_header_and_check_word) {
    host_params params = quick();
    params.flit_bytes = 4;
    host_bench bench(params, {{1, 1, packet_kind::tree, {0, 7}, 5}});
    bench.run(100);
    // Header of 11 bytes in 3 flits; transport header, payload and check word of 24 + 5 + 4 bytes in 9 flits.
    ASSERT_EQ(bench.bytes.size(), 48u);
    EXPECT_EQ(bench.bytes[10], 0x81);
    EXPECT_EQ(bench.bytes[11], 0);
    EXPECT_EQ(byte_list(bench.bytes.begin() + 12, bench.bytes.begin() + 36), transport_of(0, 5));
    EXPECT_EQ(byte_list(bench.bytes.begin() + 36, bench.bytes.begin() + 41), payload_of(0, 5));
    EXPECT_EQ(format::read_check(&bench.bytes[41]),
              format::check_word(bench.bytes.data(), &bench.bytes[12], payload_of(0, 5)));
    EXPECT_THAT(byte_list(bench.bytes.begin() + 45, bench.bytes.end()), ElementsAre(0, 0, 0));
}

TEST(host, free_headers_ride_beside_the_head_flit) {
    host_params params = quick();
    params.header_bytes = format::free_header_bytes(32);  // pins for more hosts than there are
    host_bench bench(params, {to(2, 8, 1)});
    bench.run(100);
    EXPECT_EQ(bench.bytes, payload_of(0, 8));
    ASSERT_EQ(bench.header.size(), 42u);  // 10 + 4, 24, 4
    EXPECT_EQ(format::destination_of(bench.header.data()), 2u);
    EXPECT_EQ(bench.header[13], 0);
    EXPECT_EQ(byte_list(bench.header.begin() + 14, bench.header.begin() + 38), transport_of(0, 8));
    EXPECT_EQ(format::read_check(&bench.header[38]),
              format::check_word(bench.header.data(), &bench.header[14], bench.bytes));

    // And the other side finds it all there.
    host_bench receiver(params);
    for (std::size_t index = 0; index < bench.bytes.size(); ++index)
        receiver.flit(50 + index, index == 0, index + 1 == bench.bytes.size(), {bench.bytes[index]}, bench.header);
    receiver.run(300);
    ASSERT_EQ(receiver.sink.packets.size(), 1u);
    EXPECT_TRUE(receiver.sink.packets[0].complete);
    EXPECT_EQ(receiver.sink.packets[0].transport, transport_of(0, 8));
    EXPECT_EQ(receiver.sink.packets[0].payload, bench.bytes);
    EXPECT_EQ(receiver.sink.packets[0].check, format::read_check(&bench.header[38]));
}

TEST(host, stages_serve_first_come_first_served) {
    host_bench bench(quick(), {to(2, 8, 1), to(2, 80, 1), to(4, 8, 2)});
    bench.run(400);
    // Host processor: 11, 21, 31. Bus: 17, 81 (60 cycles), 87. Interface: 22, 86, 92. Link: the first is gone in time,
    // the third has to wait.
    EXPECT_THAT(bench.heads, ElementsAre(22, 86, 86 + flits_of(80)));
    EXPECT_THAT(bench.tails,
                ElementsAre(22 + flits_of(8) - 1, 86 + flits_of(80) - 1, 86 + flits_of(80) + flits_of(8) - 1));
    EXPECT_THAT(bench.sink.creations, ElementsAre(1, 1, 2));
}

TEST(host, waits_for_credits) {
    host_params params = quick();
    params.credits = 2;
    host_bench bench(params, {to(2, 8, 1)});
    bench.run(80);
    const unsigned sent = params.credits * params.chunk_flits;
    EXPECT_EQ(bench.times.size(), sent);
    EXPECT_FALSE(bench.chip().idle());
    const unsigned left = flits_of(8) - sent;
    for (unsigned chunk = 0; chunk * params.chunk_flits < left; ++chunk) bench.credit(80 + chunk);
    bench.run(200);
    EXPECT_EQ(bench.times.size(), flits_of(8));
    EXPECT_EQ(bench.times[sent], 81u);
    EXPECT_EQ(bench.tails, std::vector<cycle>{81 + left - 1});
}

TEST(host, a_packet_is_stored_then_pays_interface_bus_and_host) {
    host_bench sender(quick(), {to(3, 8, 1)});
    sender.run(100);
    host_bench bench(quick());
    const std::size_t flits = sender.bytes.size();
    for (std::size_t index = 0; index < flits; ++index)
        bench.flit(50 + index, index == 0, index + 1 == flits, {sender.bytes[index]});
    bench.run(300);
    const cycle tail = 50 + flits_of(8) - 1;
    // t_nr 7, DMA 6, t_hr 20.
    EXPECT_THAT(bench.sink.deliveries, ElementsAre(note_taker::note{tail + 33, 1}));
    ASSERT_EQ(bench.sink.packets.size(), 1u);
    const note_taker::arrived_packet& packet = bench.sink.packets[0];
    EXPECT_EQ(packet.when, tail);
    EXPECT_TRUE(packet.complete);
    EXPECT_EQ(packet.flits, flits);
    EXPECT_EQ(packet.transport, transport_of(0, 8));
    EXPECT_EQ(packet.payload, payload_of(0, 8));
    EXPECT_EQ(packet.check, format::check_word(packet.header.data(), packet.transport.data(), packet.payload));
    // A chunk goes back as soon as it is full, the last one with the tail.
    std::vector<cycle> credits;
    for (cycle when = 50 + 8; when <= tail; when += 8) credits.push_back(when);
    credits.push_back(tail + 1);
    EXPECT_EQ(bench.credits, credits);
    EXPECT_TRUE(bench.chip().idle());
}

TEST(host, bytes_that_are_missing_or_too_many_are_noticed) {
    host_bench sender(quick(), {to(3, 8, 1)});
    sender.run(100);
    const auto received = [&](byte_list bytes) {
        host_bench bench(quick());
        for (std::size_t index = 0; index < bytes.size(); ++index)
            bench.flit(50 + index, index == 0, index + 1 == bytes.size(), {bytes[index]});
        bench.run(300);
        return bench.sink.packets.at(0);
    };
    EXPECT_TRUE(received(sender.bytes).complete);
    byte_list cut = sender.bytes;
    cut.pop_back();
    EXPECT_FALSE(received(cut).complete);
    byte_list grown = sender.bytes;
    grown.push_back(0);
    EXPECT_FALSE(received(grown).complete);
    EXPECT_FALSE(received(byte_list(sender.bytes.begin(), sender.bytes.begin() + 5)).complete);
    EXPECT_EQ(received(byte_list(sender.bytes.begin(), sender.bytes.begin() + 5)).header.size(), 5u);
    // Cut inside the transport header, where its length field asks for nothing more.
    byte_list empty(sender.bytes.begin(), sender.bytes.begin() + format::unicast_header_bytes + 10);
    format::write_field<format::length_field>(empty.data(), 0);
    EXPECT_FALSE(received(empty).complete);
    EXPECT_EQ(received(empty).transport.size(), 10u);
}

// One bus and one processor for both directions; the interface's processor too, unless receiving costs the sender
// nothing.
TEST(host, both_directions_share_the_resources) {
    host_bench sender(quick(), {to(3, 8, 1)});
    sender.run(100);
    for (const bool overlapped : {false, true}) {
        host_params params = quick();
        params.overlapped = overlapped;
        params.ni_receive = 30;
        host_bench bench(params, {to(2, 8, 64)});
        const std::size_t flits = sender.bytes.size();
        for (std::size_t index = 0; index < flits; ++index)
            bench.flit(75 - flits + index, index == 0, index + 1 == flits, {sender.bytes[index]});
        bench.run(400);
        // Received: tail in 74, interface until 104, bus until 110, host until 130.
        EXPECT_THAT(bench.sink.deliveries, ElementsAre(note_taker::note{130, 1}));
        // Sent: host until 74, bus until 80; then the interface is free, or busy until 104.
        EXPECT_THAT(bench.heads, ElementsAre(overlapped ? 85 : 109));
    }
}

TEST(host, sleeps_between_events) {
    host_bench bench(quick(), {to(2, 8, 1'000'000)});
    pins in(bench.chip().shape());
    pins out(bench.chip().shape());
    EXPECT_EQ(bench.chip().step(0, in, out), 999'999u);
    EXPECT_TRUE(bench.chip().idle());  // nothing of it exists yet
}

TEST(host, reset_drops_what_is_under_way) {
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
}

TEST(host, refuses_what_cannot_be) {
    const auto refused = [](auto change) {
        host_params params = quick();
        change(params);
        EXPECT_THROW(host_bench{params}, input_error);
    };
    refused([](host_params& p) { p.flit_bytes = 0; });
    refused([](host_params& p) { p.flit_bytes = 65; });
    refused([](host_params& p) { p.chunk_flits = 0; });
    refused([](host_params& p) { p.credits = 0; });
    refused([](host_params& p) { p.bus_cycles_per_byte = -1; });
    refused([](host_params& p) { p.header_bytes = format::free_header_bytes(p.hosts) - 1; });
}

}  // namespace
}  // namespace polycast::hw::traffic
