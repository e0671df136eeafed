// SPDX-License-Identifier: Apache-2.0
// Link-in and link-out of an interface whose link has virtual channels, as a router's host port has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Host 1 of 8; packets of 12 bytes have 2 + 5 flits of 8 bytes. Class 3 may take virtual channels 2 and 3 only.
ni_params routed() {
    ni_params params;
    params.host = 1;
    params.hosts = 8;
    params.flit_bytes = 8;
    params.chunk_flits = 1;
    params.credits = 9;
    params.vcs = 4;
    params.reserve = 7;
    params.class_vcs[3] = 0b1100;
    params.payload_bytes = 32;
    return params;
}

link_packet routed_packet(std::uint8_t value, std::uint32_t vc_class = 0) {
    return packet_with(routed(), value, 12, vc_class);
}

class routed_link : public single {
public:
    explicit routed_link(const ni_params& params, observer* watcher = nullptr) : single(params, watcher) {}

    /// Flit `number` of a packet comes in on a virtual channel.
    void come(const link_packet& packet, std::size_t number, unsigned vc) {
        flit(number == 0, (number + 1) * 8 == packet.flits.size(), std::span(packet.flits).subspan(number * 8, 8));
        in.vc[0] = static_cast<std::uint8_t>(vc);
        step();
    }
    void credit(unsigned vc) {
        in.credit = 1;
        in.credit_vc[0] = static_cast<std::uint8_t>(vc);
        step();
    }
    /// Queues a packet of a class.
    void send(std::uint32_t vc_class) {
        const std::uint32_t slot = load(NI_SLOT_ALLOCATE);
        const std::uint32_t at = NI_PACKET_MEMORY_BASE + slot * load(NI_SLOT_BYTES);
        store(at, 12u << 16 | vc_class << 5);
        store(NI_LINK_DESTINATION, 6);
        store(NI_LINK_PUSH, slot | NI_LINK_PUSH_SEAL_MASK);
    }
    /// First payload byte, class and status of the packet that the next event tells of.
    std::optional<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> next_packet() {
        const std::uint32_t event = load(NI_EVENT);
        if (event >> 28 != NI_EVENT_PACKET) return std::nullopt;
        const std::uint32_t at = NI_PACKET_MEMORY_BASE + (event & NI_EVENT_ARGUMENT_MASK) * slot_bytes(routed());
        return std::tuple(load(at + 64) & 0xff, load(at) >> 5 & 7, load(at + 0x2c) & 0xffff);
    }

    std::size_t flits() const {
        std::size_t count = 0;
        for (const sent_packet& packet : sent) count += packet.vcs.size();
        return count;
    }
};

TEST(link_out_vcs, heads_take_the_virtual_channels_of_their_class_in_turn) {
    routed_link s(routed());
    for (const std::uint32_t vc_class : {0u, 0u, 3u, 3u}) s.send(vc_class);
    s.run(s.now + 40);
    ASSERT_EQ(s.sent.size(), 4u);
    ASSERT_EQ(s.flits(), 28u);
    EXPECT_EQ(s.sent[0].vcs[0], 0u);
    EXPECT_EQ(s.sent[1].vcs[0], 1u);
    EXPECT_EQ(s.sent[2].vcs[0], 2u);
    EXPECT_EQ(s.sent[3].vcs[0], 3u);
    for (const auto& packet : s.sent)
        for (const unsigned vc : packet.vcs) EXPECT_EQ(vc, packet.vcs[0]);
    EXPECT_EQ(format::vc_class_of(s.sent[1].data.data()), 0u);
    EXPECT_EQ(format::vc_class_of(s.sent[2].data.data()), 3u);
    for (unsigned vc = 0; vc < 4; ++vc) EXPECT_EQ(s.chip.interface.credits(vc), 2u);
}

TEST(link_out_vcs, a_head_waits_for_the_reserve_and_for_its_class_only) {
    routed_link s(routed());
    for (unsigned packet = 0; packet < 3; ++packet) s.send(3);
    s.run(s.now + 40);
    ASSERT_EQ(s.flits(), 14u) << "the third finds two credits on each of its virtual channels";
    for (unsigned credit = 0; credit < 4; ++credit) s.credit(3);
    s.credit(2);
    s.run(s.now + 5);
    EXPECT_EQ(s.flits(), 14u) << "six";
    s.credit(3);
    EXPECT_EQ(s.flits(), 15u) << "seven: its head goes in the cycle after";
    EXPECT_EQ(s.sent[2].vcs[0], 3u);
    s.run(s.now + 20);
    EXPECT_EQ(s.flits(), 21u);
    EXPECT_EQ(s.chip.interface.credits(3), 0u);
    EXPECT_TRUE(s.chip.interface.idle());
    for (unsigned credit = 0; credit < 12; ++credit) s.credit(3);
    EXPECT_EQ(s.chip.interface.credits(3), 9u) << "never more than the buffer has";
    s.credit(7);
    EXPECT_EQ(s.chip.interface.credits(3), 9u) << "no such virtual channel";
}

TEST(link_out_vcs, wormhole_packets_stop_inside) {
    ni_params params = routed();
    params.reserve = 1;
    params.credits = 3;
    routed_link s(params);
    s.send(0);
    s.send(0);
    s.run(s.now + 20);
    EXPECT_EQ(s.flits(), 3u) << "one packet after the other, though another virtual channel has credits";
    engine::chip_probe probe;
    s.chip.interface.probe(probe);
    ASSERT_EQ(probe.outputs.size(), 4u);
    EXPECT_TRUE(probe.outputs[0].held);
    EXPECT_EQ(probe.outputs[0].credits, 0u);
    EXPECT_FALSE(probe.outputs[1].held);
    EXPECT_EQ(probe.outputs[1].credits, 3u);
    s.credit(0);
    EXPECT_EQ(s.flits(), 4u);
}

TEST(link_in_vcs, packets_come_in_between_each_other) {
    test_observer watcher;
    routed_link s(routed(), &watcher);
    const link_packet first = routed_packet(0x11, 2);
    const link_packet second = routed_packet(0x22, 3);
    const link_packet third = routed_packet(0x33);
    for (std::size_t flit = 0; flit < 7; ++flit) {
        s.come(first, flit, 1);
        s.come(second, flit, 3);
        if (flit > 0) s.come(third, flit - 1, 0);
    }
    s.come(third, 6, 0);
    s.run(s.now + 3);
    EXPECT_EQ(s.next_packet(), std::tuple(0x11u, 2u, 0u));
    EXPECT_EQ(s.next_packet(), std::tuple(0x22u, 3u, 0u));
    EXPECT_EQ(s.next_packet(), std::tuple(0x33u, 0u, 0u));
    ASSERT_EQ(watcher.packets.size(), 3u);
    for (const test_observer::packet& packet : watcher.packets) EXPECT_EQ(packet.flits, 7u);
    // Each flit's credit goes back on its virtual channel, in the cycle after.
    ASSERT_EQ(s.credit_vcs.size(), 21u);
    EXPECT_EQ(s.credit_vcs[0], 1u);
    EXPECT_EQ(s.credit_vcs[1], 3u);
    EXPECT_EQ(s.credit_cycles[1], s.credit_cycles[0] + 1);
    std::array<unsigned, 4> of{};
    for (const unsigned vc : s.credit_vcs) ++of[vc];
    EXPECT_THAT(of, ElementsAre(7, 7, 0, 7));
}

TEST(link_in_vcs, slots_go_to_who_has_waited_longest) {
    ni_params params = routed();
    params.receive_slots = 1;
    routed_link s(params);
    const auto whole = [&s](std::uint8_t value, unsigned vc) {
        for (std::size_t flit = 0; flit < 7; ++flit) s.come(routed_packet(value), flit, vc);
    };
    whole(1, 0);
    whole(2, 3);
    whole(3, 0);
    whole(4, 1);
    s.run(s.now + 10);
    EXPECT_EQ(s.credit_vcs.size(), 7u) << "those of the first";
    EXPECT_EQ(s.next_packet(), std::tuple(1u, 0u, 0u));
    for (std::uint32_t number = 2; number <= 4; ++number) {
        s.act([&s] { s.chip.cpu->store(NI_SLOT_RELEASE, 0); });
        s.run(s.now + 12);
        EXPECT_EQ(s.credit_vcs.size(), 7u * number);
        EXPECT_EQ(s.credit_vcs.back(), (std::array{3u, 0u, 1u}[number - 2]));
        EXPECT_EQ(s.next_packet(), std::tuple(number, 0u, 0u));
    }
    s.store(NI_SLOT_RELEASE, 0);
    EXPECT_TRUE(s.chip.interface.idle());
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
}

TEST(link_in_vcs, a_full_buffer_harms_its_own_virtual_channel_only) {
    ni_params params = routed();
    params.receive_slots = 1;
    routed_link s(params);
    for (unsigned packet = 0; packet < 4; ++packet)
        for (std::size_t flit = 0; flit < 7; ++flit)
            s.come(routed_packet(static_cast<std::uint8_t>(packet)), flit, packet == 3 ? 2 : 1);
    s.run(s.now + 3);
    EXPECT_EQ(s.next_packet(), std::tuple(0u, 0u, 0u));
    EXPECT_EQ(s.load(NI_ERRORS), 0u);
    // Nine flits of virtual channel 1 may wait: all of packet 1, two of packet 2.
    std::vector<std::uint32_t> whole;
    for (unsigned packet = 1; packet < 4; ++packet) {
        s.store(NI_SLOT_RELEASE, 0);
        const auto got = s.next_packet();
        ASSERT_TRUE(got);
        if (std::get<2>(*got) == 0) whole.push_back(std::get<0>(*got));
    }
    EXPECT_THAT(whole, ElementsAre(1u, 3u));
}

TEST(link_in_vcs, a_virtual_channel_that_does_not_exist_is_dropped) {
    routed_link s(routed());
    for (std::size_t flit = 0; flit < 7; ++flit) s.come(routed_packet(9), flit, 4);
    s.run(s.now + 3);
    EXPECT_EQ(s.next_packet(), std::nullopt);
    EXPECT_THAT(s.credit_vcs, IsEmpty());
    EXPECT_EQ(s.load(NI_ERRORS), NI_ERRORS_PACKET_CUT_MASK);
}

TEST(link_vcs, parameters_out_of_range_are_refused) {
    const auto refused = [](auto change) {
        ni_params params = routed();
        change(params);
        EXPECT_THROW(check_params(params), input_error);
    };
    EXPECT_NO_THROW(check_params(routed()));
    refused([](ni_params& p) { p.vcs = 0; });
    refused([](ni_params& p) { p.vcs = 17; });
    refused([](ni_params& p) { p.chunk_flits = 8; });
    refused([](ni_params& p) { p.reserve = 0; });
    refused([](ni_params& p) { p.reserve = 10; });
    refused([](ni_params& p) { p.class_vcs[6] = 0xfff0; });
    refused([](ni_params& p) { p.units = 1u << 24; });
}

}  // namespace
}  // namespace polycast::hw::ni
