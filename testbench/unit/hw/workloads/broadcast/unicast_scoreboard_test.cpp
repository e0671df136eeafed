// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/unicast_scoreboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hw/format/header.h"

namespace polycast::hw::broadcast {
namespace {

using testing::HasSubstr;

constexpr unsigned flits = 3;

/// Unicasts between 8 hosts with 2 VCs, carried by the test.
struct carried {
    explicit carried(bool ordered, unsigned header_bytes = 0)
        : shape{.ports = 1, .flit_bytes = 16, .header_bytes = header_bytes, .vcs = 2},
          board({.seed = 5, .nodes = 8, .flits = flits, .shape = shape, .ordered = ordered}) {}

    struct packet {
        std::vector<std::uint8_t> data, header;
    };
    packet bytes_of(const unicast& what) const {
        packet made{std::vector<std::uint8_t>(flits * shape.flit_bytes),
                    std::vector<std::uint8_t>(shape.header_bytes, 0xee)};
        for (unsigned flit = 0; flit < flits; ++flit)
            board.write(what, flit, &made.data[flit * shape.flit_bytes], made.header.data());
        return made;
    }
    /// What is said of flits `first` to `last` of a packet at a host.
    std::string come(std::uint32_t node, const packet& what, unsigned first = 0, unsigned last = flits - 1) {
        std::string said;
        for (unsigned flit = first; flit <= last && said.empty(); ++flit) {
            const bool head = flit == 0;
            said = board.came(node, {head, flit + 1 == flits, vc, &what.data[flit * shape.flit_bytes],
                                     head && shape.header_bytes != 0 ? what.header.data() : nullptr});
        }
        return said;
    }

    engine::pin_shape shape;
    unicast_scoreboard board;
    std::uint8_t vc = 1;  ///< in which packets come
};

TEST(unicast_scoreboard, what_comes_as_it_was_sent_is_right) {
    for (const unsigned header : {0u, 20u}) {
        carried run(true, header);
        for (std::uint32_t number = 0; number < 5; ++number) {
            EXPECT_EQ(run.come(6, run.bytes_of(run.board.begin(3, 6, 0))), "");
            EXPECT_EQ(run.come(3, run.bytes_of(run.board.begin(6, 3, 1))), "");
        }
        EXPECT_EQ(run.board.begun(), 10u);
        EXPECT_EQ(run.board.missing(), "");
    }
}

TEST(unicast_scoreboard, packets_differ_by_source_number_and_seed) {
    carried run(true);
    std::set<std::vector<std::uint8_t>> payloads;
    for (std::uint32_t source = 0; source < 8; ++source) {
        for (unsigned count = 0; count < 20; ++count) {
            const auto data = run.bytes_of(run.board.begin(source, 7 - source, 0)).data;
            // A flit behind the header.
            EXPECT_TRUE(payloads.emplace(data.begin() + 16, data.begin() + 32).second);
        }
    }
    const unicast_scoreboard other({.seed = 6, .nodes = 8, .flits = flits, .shape = run.shape});
    std::vector<std::uint8_t> flit(16);
    other.write({.source = 0, .number = 0, .destination = 7}, 1, flit.data(), nullptr);
    EXPECT_FALSE(payloads.contains(flit));
}

TEST(unicast_scoreboard, every_byte_counts) {
    for (const unsigned header : {0u, 20u}) {
        for (std::size_t byte = 0; byte < flits * 16 + header; ++byte) {
            carried run(false, header);
            auto packet = run.bytes_of(run.board.begin(3, 6, 0));
            (byte < flits * 16 ? packet.data[byte] : packet.header[byte - flits * 16]) ^= 0x20;
            EXPECT_THAT(run.come(6, packet), HasSubstr("unicast ")) << byte;
        }
    }
    carried run(false);
    auto packet = run.bytes_of(run.board.begin(3, 6, 0));
    packet.data[40] ^= 1;
    EXPECT_EQ(run.come(6, packet), "unicast 0 of node 3 with wrong bytes in flit 2");
    EXPECT_THAT(run.board.faults(), testing::ElementsAre("unicast 0 of node 3 with wrong bytes in flit 2"));
}

TEST(unicast_scoreboard, bytes_of_another_packet_are_wrong) {
    carried run(false);
    const auto first = run.bytes_of(run.board.begin(3, 6, 0));
    auto second = run.bytes_of(run.board.begin(3, 6, 0));
    std::copy_n(first.data.begin() + 32, 16, second.data.begin() + 32);
    EXPECT_EQ(run.come(6, second), "unicast 1 of node 3 with wrong bytes in flit 2");
}

TEST(unicast_scoreboard, every_packet_comes_once_and_to_its_destination) {
    carried run(false);
    const auto first = run.bytes_of(run.board.begin(3, 6, 0));
    const auto second = run.bytes_of(run.board.begin(3, 5, 0));
    EXPECT_EQ(run.come(5, first), "unicast 0 of node 3, which is for node 6");
    EXPECT_EQ(run.come(6, first), "");
    EXPECT_EQ(run.come(6, first), "unicast 0 of node 3 once more");
    EXPECT_EQ(run.board.missing(), "of 2 unicasts 1 did not come: 1 of node 3 to node 5");
    auto third = run.bytes_of({.source = 3, .number = 2, .destination = 5});
    EXPECT_EQ(run.come(5, third), "unicast 2 of node 3, which was not sent");
    third = run.bytes_of({.source = 8, .number = 0, .destination = 5});
    EXPECT_EQ(run.come(5, third), "a unicast of node 8, which there is not");
    // Another destination in the header only.
    auto changed = second;
    changed.data[format::destination_field.offset / 8] = 6;
    EXPECT_EQ(run.come(5, changed), "unicast 1 of node 3 with wrong bytes in flit 0");
}

TEST(unicast_scoreboard, a_copy_is_found_before_the_first_one_ends) {
    carried run(false);
    const auto packet = run.bytes_of(run.board.begin(3, 6, 0));
    EXPECT_EQ(run.come(6, packet, 0, 1), "");
    run.vc = 0;
    EXPECT_EQ(run.come(6, packet, 0, 0), "unicast 0 of node 3 once more");
}

TEST(unicast_scoreboard, packets_have_all_their_flits) {
    carried run(false);
    const auto packet = run.bytes_of(run.board.begin(3, 6, 0));
    EXPECT_EQ(run.come(6, packet, 1, 1), "a unicast without a head");
    EXPECT_EQ(run.come(6, packet, 0, 1), "");
    EXPECT_EQ(run.board.missing(), "of 1 unicasts 1 did not come: 0 of node 3 to node 6");
    EXPECT_EQ(run.come(6, packet, 0, 0), "unicast 0 of node 3 without its tail, and another one behind it");
    carried shorter(false);
    const auto other = shorter.bytes_of(shorter.board.begin(3, 6, 0));
    EXPECT_EQ(shorter.come(6, other, 0, 0), "");
    EXPECT_EQ(shorter.come(6, other, 2, 2), "unicast 0 of node 3 with another length");
}

TEST(unicast_scoreboard, packets_on_several_virtual_channels_come_at_the_same_time) {
    carried run(true);
    const auto one = run.bytes_of(run.board.begin(3, 6, 0));
    const auto other = run.bytes_of(run.board.begin(2, 6, 1));
    for (unsigned flit = 0; flit < flits; ++flit) {
        run.vc = 0;
        EXPECT_EQ(run.come(6, one, flit, flit), "");
        run.vc = 1;
        EXPECT_EQ(run.come(6, other, flit, flit), "");
    }
    EXPECT_EQ(run.board.missing(), "");
}

TEST(unicast_scoreboard, order_counts_where_it_is_promised) {
    for (const bool ordered : {false, true}) {
        carried run(ordered);
        const auto first = run.bytes_of(run.board.begin(3, 6, 0));
        const auto elsewhere = run.bytes_of(run.board.begin(3, 5, 0));
        const auto in_another_vc = run.bytes_of(run.board.begin(3, 6, 1));
        const auto behind = run.bytes_of(run.board.begin(3, 6, 0));
        EXPECT_EQ(run.come(6, in_another_vc), "");
        EXPECT_EQ(run.come(5, elsewhere), "");
        EXPECT_EQ(run.come(6, behind), ordered ? "unicast 3 of node 3 before number 0" : "");
        EXPECT_EQ(run.come(6, first), "");
    }
}

TEST(unicast_scoreboard, many_missing_ones_are_counted_and_the_first_shown) {
    carried run(false);
    for (unsigned count = 0; count < 100; ++count) run.board.begin(count % 8, (count + 1) % 8, 0);
    const std::string said = run.board.missing();
    EXPECT_THAT(said, HasSubstr("of 100 unicasts 100 did not come: 0 of node 0 to node 1, 1 of node 0 to node 1"));
    EXPECT_LT(said.size(), 200u);
}

}  // namespace
}  // namespace polycast::hw::broadcast
