// SPDX-License-Identifier: Apache-2.0
// The counts that keep a comparison from being empty must count what they say, and nothing else.
#include "testbench/equivalence/vl_switch_watch.h"

#include <gtest/gtest.h>

#include "hw/format/header.h"
#include "testbench/equivalence/contenders.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::engine::pins;

using count_map = std::map<std::string, std::uint64_t>;

vl_switch_params params() {
    vl_switch_params made;
    made.ports = made.read_ports = 4;
    made.flit_bytes = 16;
    made.chunk_flits = 1;
    return made;
}

/// DLID p leaves by port p - 1. Port 3 is open, port 2 has no VL 1. Service levels 0 and 1 take the lane of their
/// number, 2 VL 2, 3 none.
vl_switch_tables tables() {
    vl_switch_tables made;
    made.packet_limit = 3;
    made.vl_chunks.assign(8, 80);
    made.credits = {9, 9, 9, 9, 3, 0, 0, 0};
    made.lft = {255, 1, 2, 3, 4, 0, 255, 5};
    for (std::uint64_t group = 0; group < 32; ++group) made.mft.push_back(group);
    made.sl2vl = std::make_shared<const hw::chips::sl_to_vl>(16, 0xf210);
    return made;
}

struct one {
    unsigned dlid;
    unsigned sl = 0;
    unsigned vl = 0;
    unsigned flits = 1;
};

/// Counts above zero after port 0 has got these packets, each when the one before is gone, or one behind the other.
count_map counts_after(const vl_switch_tables& with, const std::vector<one>& packets, bool at_once = false) {
    const std::unique_ptr<hw::engine::chip> chip = vl_switch_golden_contender().make(params(), with);
    vl_switch_watch watch(params(), with);
    pins in(params().pin_shape());
    pins out(params().pin_shape());
    hw::engine::chip_probe before;
    hw::engine::chip_probe after;
    chip->probe(after);
    hw::engine::cycle now = 0;
    const auto step = [&] {
        out.clear();
        chip->step(now++, in, out);
        before = after;
        chip->probe(after);
        watch.see(in, out, before, after);
        in.clear();
    };
    for (const one& each : packets) {
        for (unsigned flit = 0; flit < each.flits; ++flit) {
            in.valid = 1;
            in.head = flit == 0 ? 1 : 0;
            in.tail = flit + 1 == each.flits ? 1 : 0;
            in.vc[0] = static_cast<std::uint8_t>(each.vl);
            hw::format::write_common({hw::format::packet_kind::lid, true, 0, 0, 0, 0}, in.data.data());
            hw::format::write_field<hw::format::dlid_field>(in.data.data(), each.dlid);
            in.data[12] = static_cast<std::uint8_t>(each.sl);
            step();
        }
        for (unsigned cycle = 0; !at_once && cycle < 20; ++cycle) step();
    }
    for (unsigned cycle = 0; cycle < 40; ++cycle) step();
    count_map seen = watch.counted();
    std::erase_if(seen, [](const auto& each) { return each.second == 0; });
    return seen;
}

/// Without what every packet has.
count_map about(unsigned dlid, unsigned sl = 0) {
    count_map seen = counts_after(tables(), {{dlid, sl}});
    for (const char* always :
         {"routed at the front", "drain", "round robin of VLs: grant", "round robin of inputs: grant"})
        seen.erase(always);
    return seen;
}

TEST(vl_switch_watch, routes) {
    EXPECT_EQ(about(2), (count_map{{"unicast forwarded", 1}}));
    EXPECT_EQ(about(0), (count_map{{"unicast to LID 0", 1}}));
    EXPECT_EQ(about(1), (count_map{{"unicast back to its port", 1}}));
    EXPECT_EQ(about(4), (count_map{{"unicast to an open port", 1}}));
    EXPECT_EQ(about(5), (count_map{{"unicast to the switch itself", 1}}));
    EXPECT_EQ(about(6), (count_map{{"unicast to none", 1}}));
    EXPECT_EQ(about(7), (count_map{{"unicast to a port that does not exist", 1}}));
    EXPECT_EQ(about(8), (count_map{{"unicast beyond the table", 1}}));
    EXPECT_EQ(about(3, 1), (count_map{{"unicast without lane", 1}, {"VL that the output does not have", 1}}));
    EXPECT_EQ(about(3, 2), (count_map{{"unicast without lane", 1}, {"VL beyond those of the switch", 1}}));
    EXPECT_EQ(about(3, 3), (count_map{{"unicast without lane", 1}, {"VL 15", 1}}));
    EXPECT_EQ(about(0xc002), (count_map{{"multicast forwarded", 1}}));
    EXPECT_EQ(about(0xc006), (count_map{{"multicast copied", 1}}));
    EXPECT_EQ(about(0xc007), (count_map{{"multicast copied", 1}, {"multicast to its own port, too", 1}}));
    EXPECT_EQ(about(0xc000), (count_map{{"multicast to nobody", 1}}));
    EXPECT_EQ(about(0xc001), (count_map{{"multicast to its own port alone", 1}}));
    EXPECT_EQ(about(0xc020), (count_map{{"multicast beyond the table", 1}}));
    EXPECT_EQ(about(0xc008), (count_map{{"multicast to open ports alone", 1}}));
    EXPECT_EQ(about(0xc00a), (count_map{{"multicast forwarded", 1}, {"multicast to open ports, too", 1}}));
    EXPECT_EQ(about(0xc012), (count_map{{"multicast forwarded", 1}, {"multicast to ports that do not exist", 1}}));
    EXPECT_EQ(about(0xc006, 1), (count_map{{"multicast forwarded", 1},
                                           {"multicast without some lanes", 1},
                                           {"VL that the output does not have", 1}}));
    EXPECT_EQ(about(0xc004, 1),
              (count_map{{"multicast without any lane", 1}, {"VL that the output does not have", 1}}));
}

TEST(vl_switch_watch, packets_behind_others) {
    const count_map seen = counts_after(tables(), {{2, 0, 0, 3}, {2, 0, 0, 3}, {0}}, true);
    EXPECT_EQ(seen.at("routed at the front"), 1u);
    EXPECT_EQ(seen.at("routed behind another"), 2u);
    const count_map waiting = counts_after(tables(), {{3, 0, 0, 3}, {3}, {3}}, true);
    EXPECT_EQ(waiting.at("routed behind another"), 1u);  // the second stays, as there is no credit at all
    EXPECT_FALSE(waiting.contains("waiting for the room of the longest packet"));
}

TEST(vl_switch_watch, room_and_head_of_queue) {
    vl_switch_tables with = tables();
    // One of three credits is left, which is too few.
    count_map seen = counts_after(with, {{3, 0, 0, 2}, {3}});
    EXPECT_GT(seen.at("waiting for the room of the longest packet"), 40u);
    EXPECT_FALSE(seen.contains("head of queue: none granted"));
    with.hoq_life = 5;
    seen = counts_after(with, {{3, 0, 0, 2}, {3}});
    EXPECT_EQ(seen.at("head of queue: none granted"), 1u);
    seen = counts_after(with, {{3, 0, 0, 2}, {0xc006, 0, 0, 2}});
    EXPECT_EQ(seen.at("head of queue: the rest has read all"), 1u);
    EXPECT_EQ(seen.at("several chunks freed at once"), 1u);
    EXPECT_EQ(seen.at("credit later than its chunk"), 1u);
    with.hoq_life = 2;
    seen = counts_after(with, {{3, 0, 0, 2}, {0xc006, 0, 0, 3}});
    EXPECT_EQ(seen.at("head of queue: some granted"), 1u);
    EXPECT_GT(seen.at("some branches granted, some not"), 0u);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
