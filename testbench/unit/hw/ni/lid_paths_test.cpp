// SPDX-License-Identifier: Apache-2.0
// Packets of interfaces at VL switches: LIDs and service levels on the link, hosts and groups in slots.
#include "hw/ni/lid_paths.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hw/format/check_word.h"
#include "hw/ni/packet_codec.h"

namespace polycast::hw::ni {
namespace {

using format::packet_kind;
using byte_list = std::vector<std::uint8_t>;

/// Three hosts: LIDs 4, 8..9 (LMC 1) and 16; host 2 receives group 0xc003.
lid_paths paths() {
    lid_paths made;
    made.base = {4, 8, 16};
    made.lmc = {0, 1, 0};
    made.sl = {byte_list(32, 0), byte_list(32, 0), byte_list(32, 0)};
    made.sl[0][8] = 3;
    made.sl[2][9] = 5;
    made.lanes = {0x1000, 0, 0};
    made.groups = {{}, {}, {0xc003}};
    return made;
}

ni_params params_of(std::uint32_t host, format::check_cover check, bool spread = false) {
    ni_params params;
    params.host = host;
    params.hosts = 3;
    params.flit_bytes = 4;
    params.header_stops = 1;
    params.check = check;
    lid_paths all = paths();
    all.spread = spread;
    params.lids = std::make_shared<const lid_paths>(all);
    return params;
}

void put(byte_list& slot, slot_word which, std::uint32_t value) {
    put_bytes(&slot[static_cast<std::size_t>(which)], 4, value);
}
std::uint32_t word(const byte_list& slot, slot_word which) {
    return get_bytes(&slot[static_cast<std::size_t>(which)], 4);
}

byte_list slot_with(const ni_params& params, packet_kind kind, std::uint32_t source) {
    byte_list slot(slot_bytes(params));
    put(slot, slot_word::kind, static_cast<std::uint32_t>(kind) | 20u << 16);
    put(slot, slot_word::source, source);
    std::iota(slot.begin() + slot_header_bytes, slot.begin() + slot_header_bytes + 20, std::uint8_t{1});
    return slot;
}

link_packet sent(const ni_params& params, const byte_list& slot, const push_request& request) {
    link_packet packet;
    EXPECT_TRUE(sendable(params, slot, request));
    build_packet(params, slot, request, packet);
    return packet;
}

/// What a slot holds of a packet. \returns its status
std::uint32_t receive(const ni_params& params, const link_packet& packet, byte_list& slot) {
    arrival from;
    from.packet = packet;
    from.flits = packet.flits.size() / params.flit_bytes;
    from.ended = true;
    received_packet view;
    const std::uint32_t status = parse_packet(params, from, view);
    slot.assign(slot_bytes(params), 0);
    fill_slot(params, view, status, slot);
    return status;
}

class lids : public testing::TestWithParam<format::check_cover> {};

TEST_P(lids, a_unicast_has_the_lid_and_the_service_level_of_its_pair) {
    const ni_params source = params_of(0, GetParam());
    const link_packet packet =
        sent(source, slot_with(source, packet_kind::unicast, 0), {.destination = 1, .seal = true});
    const std::uint8_t* const header = packet.flits.data();
    EXPECT_EQ(header[0] & 0xf, static_cast<unsigned>(packet_kind::lid));
    EXPECT_EQ(format::read_field<format::dlid_field>(header), 8u);
    EXPECT_EQ(header[12], 3);  // service level, and zeros
    byte_list slot;
    EXPECT_EQ(receive(params_of(1, GetParam()), packet, slot), 0u);
    EXPECT_EQ(word(slot, slot_word::kind) & 0xf, static_cast<unsigned>(packet_kind::unicast));
    EXPECT_EQ(word(slot, slot_word::destination), 1u);
}

TEST_P(lids, spread_paths_take_all_lids_of_a_host_and_one_for_each_pair) {
    const ni_params source = params_of(2, GetParam(), true);
    const link_packet packet =
        sent(source, slot_with(source, packet_kind::unicast, 2), {.destination = 1, .seal = true});
    EXPECT_EQ(format::read_field<format::dlid_field>(packet.flits.data()), 9u);
    EXPECT_EQ(packet.flits[12], 5);
    byte_list slot;
    EXPECT_EQ(receive(params_of(1, GetParam(), true), packet, slot), 0u);
}

TEST_P(lids, a_packet_for_another_host_is_not_mine) {
    const ni_params source = params_of(0, GetParam());
    const link_packet packet =
        sent(source, slot_with(source, packet_kind::unicast, 0), {.destination = 1, .seal = true});
    byte_list slot;
    EXPECT_EQ(receive(params_of(2, GetParam()), packet, slot), static_cast<std::uint32_t>(packet_status::not_mine));
}

TEST_P(lids, a_group_is_a_stop_in_slots) {
    const ni_params source = params_of(0, GetParam());
    const push_request push{.seal = true, .kind = packet_kind::ssr, .route = {0x03, 0xc0, 0x07}};
    const link_packet packet = sent(source, slot_with(source, packet_kind::ssr, 0), push);
    EXPECT_EQ(packet.flits[0] & 0xf, static_cast<unsigned>(packet_kind::lid));
    EXPECT_EQ(format::read_field<format::dlid_field>(packet.flits.data()), 0xc003u);
    EXPECT_EQ(packet.flits[12], 7);
    byte_list slot;
    EXPECT_EQ(receive(params_of(2, GetParam()), packet, slot), 0u);
    EXPECT_EQ(word(slot, slot_word::kind) & 0xf, static_cast<unsigned>(packet_kind::ssr));
    EXPECT_EQ(receive(params_of(1, GetParam()), packet, slot), static_cast<std::uint32_t>(packet_status::not_mine));
}

TEST_P(lids, a_unicast_can_have_a_service_level_of_its_own) {
    const ni_params source = params_of(0, GetParam());
    const push_request push{.seal = true, .kind = packet_kind::ssr, .route = {0x09, 0x00, 0x0e}};
    const link_packet packet = sent(source, slot_with(source, packet_kind::ssr, 0), push);
    EXPECT_EQ(format::read_field<format::dlid_field>(packet.flits.data()), 9u);
    EXPECT_EQ(packet.flits[12], 14);
    byte_list slot;
    EXPECT_EQ(receive(params_of(1, GetParam()), packet, slot), 0u);
    EXPECT_EQ(word(slot, slot_word::kind) & 0xf, static_cast<unsigned>(packet_kind::unicast));
    EXPECT_EQ(word(slot, slot_word::destination), 1u);
    EXPECT_EQ(receive(params_of(2, GetParam()), packet, slot), static_cast<std::uint32_t>(packet_status::not_mine));
}

TEST_P(lids, what_is_forwarded_keeps_its_check_word) {
    const ni_params source = params_of(0, GetParam());
    const ni_params middle = params_of(1, GetParam());
    const ni_params last = params_of(2, GetParam());
    byte_list slot;
    EXPECT_EQ(receive(middle,
                      sent(source, slot_with(source, packet_kind::unicast, 0), {.destination = 1, .seal = true}), slot),
              0u);
    const link_packet again = sent(middle, slot, {.destination = 2, .seal = false});
    EXPECT_EQ(receive(last, again, slot), 0u);
    slot[slot_header_bytes + 3] ^= 1;
    EXPECT_NE(receive(source, sent(last, slot, {.destination = 0, .seal = false}), slot), 0u)
        << "a byte that flips in a slot is noticed where it goes";
}

TEST_P(lids, worms_of_other_switches_are_refused) {
    const ni_params params = params_of(0, GetParam());
    for (const packet_kind kind : {packet_kind::tree, packet_kind::path, packet_kind::lid})
        EXPECT_FALSE(sendable(params, slot_with(params, kind, 0), {.kind = kind, .route = {1, 0, 1}}));
    ni_params others = params_of(1, GetParam());
    others.lids = nullptr;
    byte_list slot;
    const link_packet unicast =
        sent(others, slot_with(others, packet_kind::unicast, 1), {.destination = 0, .seal = true});
    EXPECT_NE(receive(params, unicast, slot) & static_cast<std::uint32_t>(packet_status::unknown_kind), 0u);
}

INSTANTIATE_TEST_SUITE_P(covers, lids, testing::Values(format::check_cover::payload, format::check_cover::route));

TEST(lid_paths, the_lane_is_that_of_the_service_level) {
    const lid_paths all = paths();
    EXPECT_EQ(all.lane(0, 3), 1u);
    EXPECT_EQ(all.lane(0, 2), 0u);
    EXPECT_EQ(all.lane(1, 3), 0u);
}

}  // namespace
}  // namespace polycast::hw::ni
