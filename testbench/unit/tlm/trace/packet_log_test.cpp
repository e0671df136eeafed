// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/packet_log.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"
#include "tlm/trace/observers.h"
#include "tlm/trace/packet_database.h"

namespace polycast::tlm::trace {
namespace {

namespace engine = hw::engine;
namespace format = hw::format;
namespace fs = std::filesystem;
using testbench::unit::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Keeps all in memory.
struct kept final : packet_store {
    void add(const logged_packet& packet) override { packets.push_back(packet); }
    void add(const passage& passage) override { passages.push_back(passage); }

    std::vector<logged_packet> packets;
    std::vector<passage> passages;
};

/// A chip of which only pins matter.
class pins_only final : public engine::chip {
public:
    explicit pins_only(const engine::pin_shape& shape) : shape_(shape) {}
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle, const engine::pins&, engine::pins&) override { return engine::never; }
    bool idle() const override { return true; }

private:
    engine::pin_shape shape_;
};

/// Plays packets on the pins of chips of one shape.
class player {
public:
    player(const engine::pin_shape& shape, engine::observer& watcher) : chip_(shape), watcher_(watcher) {}

    static std::vector<std::uint8_t> unicast(std::uint32_t source, std::uint32_t destination, std::uint32_t sequence,
                                             std::size_t bytes) {
        std::vector<std::uint8_t> packet(std::max<std::size_t>(bytes, format::unicast_header_bytes));
        format::common_header header;
        header.source = source;
        header.sequence = sequence;
        format::write_common(header, packet.data());
        for (unsigned byte = 0; byte < format::destination_field.bits / 8; ++byte)
            packet[format::destination_field.offset / 8 + byte] = static_cast<std::uint8_t>(destination >> 8 * byte);
        packet.resize(bytes);
        return packet;
    }

    /// Flit `number` of `packet` is on the pins of `port` in cycle `when`.
    void flit(engine::chip_id id, unsigned port, std::uint8_t vc, const std::vector<std::uint8_t>& packet,
              std::size_t number, engine::cycle when) {
        const engine::pin_shape& shape = chip_.shape();
        engine::pins in(shape);
        engine::pins out(shape);
        const std::uint64_t bit = std::uint64_t{1} << port;
        const std::size_t all = packet.size() / shape.flit_bytes;
        out.valid = bit;
        if (number == 0) out.head = bit;
        if (number + 1 == all) out.tail = bit;
        if (shape.vcs > 1) out.vc[port] = vc;
        std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(number * shape.flit_bytes), shape.flit_bytes,
                    out.data.begin() + static_cast<std::ptrdiff_t>(std::size_t{port} * shape.flit_bytes));
        watcher_.stepped(id, when - 1, in, out, chip_);
    }
    void whole(engine::chip_id id, unsigned port, const std::vector<std::uint8_t>& packet, std::uint32_t cycles,
               engine::cycle when) {
        engine::pins in(chip_.shape());
        engine::pins out(chip_.shape());
        out.packet = std::uint64_t{1} << port;
        const auto bytes = std::make_shared<engine::packet_bytes>();
        bytes->flits = packet;
        out.packets[port] = {static_cast<std::uint32_t>(packet.size()), cycles, bytes};
        watcher_.stepped(id, when - 1, in, out, chip_);
    }

private:
    pins_only chip_;
    engine::observer& watcher_;
};

constexpr engine::pin_shape two_channels{3, 4, 0, 2};

TEST(packet_log, packets_on_virtual_channels_of_one_port_are_told_apart) {
    kept store;
    packet_log log({two_channels, two_channels}, {}, {}, store);
    player wires(two_channels, log);
    const auto first = player::unicast(5, 9, 77, 20);   // five flits, header complete with the fourth
    const auto second = player::unicast(6, 9, 78, 24);  // six flits
    for (std::size_t i = 0; i < 6; ++i) {
        if (i < 5) wires.flit(1, 2, 0, first, i, 100 + 2 * i);
        wires.flit(1, 2, 1, second, i, 101 + 2 * i);
    }
    log.finish();
    EXPECT_EQ(log.packets(), 2u);
    EXPECT_EQ(log.passages(), 2u);
    ASSERT_THAT(store.packets, SizeIs(2));
    EXPECT_EQ(store.packets[0].label, "5>9 #77");
    EXPECT_EQ(store.packets[0].header, (format::unicast_header_bytes + 3) / 4);
    EXPECT_EQ(store.packets[1].source, 6u);
    EXPECT_EQ(store.packets[1].sequence, 78u);
    EXPECT_THAT(store.passages, ElementsAre(passage{0, 1, 2, 0, 100, 108, 5}, passage{1, 1, 2, 1, 101, 111, 6}));
}

TEST(packet_log, flits_of_a_channel_that_does_not_exist_belong_to_no_packet) {
    kept store;
    packet_log log({two_channels}, {}, {}, store);
    player wires(two_channels, log);
    const auto lost = player::unicast(5, 9, 77, 20);
    const auto seen = player::unicast(6, 9, 78, 20);
    // A fault of wires can make any number; one of port 0 must not be taken for a channel of port 1, or of none.
    for (std::size_t i = 0; i < 5; ++i) wires.flit(0, 0, 2, lost, i, 100 + i);
    for (std::size_t i = 0; i < 5; ++i) wires.flit(0, 1, 0, seen, i, 200 + i);
    for (std::size_t i = 0; i < 5; ++i) wires.flit(0, 2, 15, lost, i, 300 + i);
    log.finish();
    EXPECT_THAT(store.packets, SizeIs(1));
    EXPECT_THAT(store.passages, ElementsAre(passage{0, 0, 1, 0, 200, 204, 5}));
}

TEST(packet_log, copies_are_the_same_packet) {
    kept store;
    constexpr engine::pin_shape wide{3, 32, 0};
    packet_log log({wide, wide}, {}, {}, store);
    player wires(wide, log);
    const auto packet = player::unicast(5, 9, 77, 32);
    const auto other_way = player::unicast(5, 8, 77, 32);
    wires.flit(0, 0, 0, packet, 0, 10);
    wires.flit(1, 1, 0, packet, 0, 15);
    wires.flit(1, 2, 0, other_way, 0, 20);
    log.finish();
    EXPECT_THAT(store.packets, SizeIs(1));
    EXPECT_THAT(store.passages, ElementsAre(passage{0, 0, 0, 0, 10, 10, 1}, passage{0, 1, 1, 0, 15, 15, 1},
                                            passage{0, 1, 2, 0, 20, 20, 1}));
}

TEST(packet_log, packets_of_one_cycle_are_numbered_by_chip_whoever_is_stepped_first) {
    kept store;
    constexpr engine::pin_shape wide{2, 16, 0};
    packet_log log({wide, wide, wide}, {}, {}, store);
    player wires(wide, log);
    for (const engine::chip_id chip : {2u, 0u, 1u}) wires.flit(chip, 1, 0, player::unicast(chip, 2, 3, 16), 0, 10);
    wires.flit(0, 0, 0, player::unicast(8, 2, 3, 16), 0, 11);
    EXPECT_THAT(store.passages, ElementsAre(passage{0, 0, 1, 0, 10, 10, 1}, passage{1, 1, 1, 0, 10, 10, 1},
                                            passage{2, 2, 1, 0, 10, 10, 1}));
    log.finish();
    ASSERT_THAT(store.packets, SizeIs(4));
    EXPECT_EQ(store.packets[1].source, 1u);
    EXPECT_EQ(store.packets[3].source, 8u);
}

TEST(packet_log, a_window_chooses_by_the_tail) {
    kept store;
    constexpr engine::pin_shape wide{1, 16, 0};
    packet_log log({wide}, {}, {20, 30}, store);
    player wires(wide, log);
    for (const auto& [head, tail] : {std::pair{10, 19}, {11, 20}, {25, 29}, {26, 30}}) {
        const auto packet = player::unicast(1, 2, static_cast<std::uint32_t>(head), 32);
        wires.flit(0, 0, 0, packet, 0, static_cast<engine::cycle>(head));
        wires.flit(0, 0, 0, packet, 1, static_cast<engine::cycle>(tail));
    }
    log.finish();
    EXPECT_THAT(store.passages, ElementsAre(passage{1, 0, 0, 0, 11, 20, 2}, passage{2, 0, 0, 0, 25, 29, 2}));
}

TEST(packet_log, a_packet_that_is_an_event_passes_for_its_cycles) {
    kept store;
    constexpr engine::pin_shape events{2, 1, 0, 1, 0, 0, true};
    packet_log log({events}, {}, {}, store);
    player wires(events, log);
    wires.whole(0, 1, player::unicast(1, 2, 3, 40), 80, 1000);
    log.finish();
    EXPECT_THAT(store.passages, ElementsAre(passage{0, 0, 1, 0, 1000, 1079, 40}));
}

TEST(packet_log, flits_without_a_whole_header_are_no_packet) {
    kept store;
    packet_log log({two_channels}, {}, {}, store);
    player wires(two_channels, log);
    wires.flit(0, 0, 0, player::unicast(1, 2, 3, 8), 0, 5);
    wires.flit(0, 0, 0, player::unicast(1, 2, 3, 8), 1, 6);
    log.finish();
    EXPECT_THAT(store.packets, IsEmpty());
    EXPECT_THAT(store.passages, IsEmpty());
}

/// A folder of the test's own, empty.
fs::path fresh_folder(const std::string& name) {
    fs::path folder = fs::temp_directory_path() / ("polycast-" + name + "-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

TEST(packet_database, has_what_it_was_given) {
    const fs::path folder = fresh_folder("packet-database");
    const fs::path file = folder / "log.sqlite";
    const logged_network network{
        "net", "work", {{"host0", "host", 0, {{0, 1, 3, 2, 80, 8}}}, {"switch0", "switch", 2, {}}}};
    packet_database database(file, network);
    database.add({0, 5, 0xffffffffu, "5>9 #4294967295", 4});
    database.add(passage{0, 1, 3, 2, std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + 7, 8});
    EXPECT_FALSE(fs::exists(file)) << "it has its name only when it is complete";
    database.finish(12345);
    SQLite::Database open(file.string());
    EXPECT_EQ(open.execAndGet("select name || workload || cycles from network").getString(), "network12345");
    EXPECT_EQ(open.execAndGet("select group_concat(name || kind || pipeline) from chips").getString(),
              "host0host0,switch0switch2");
    EXPECT_EQ(
        open.execAndGet("select chip || port || to_chip || to_port || delay || buffer || room from cables").getString(),
        "00132808");
    EXPECT_EQ(open.execAndGet("select sequence from packets where source = 5").getInt64(), 0xffffffff);
    EXPECT_EQ(open.execAndGet("select tail - head from passages where vc = 2").getInt64(), 7);
    fs::remove_all(folder);
}

TEST(packet_database, leaves_nothing_behind_unless_finished) {
    const fs::path folder = fresh_folder("packet-database-left");
    { packet_database database(folder / "log.sqlite", {"net", "work", {}}); }
    EXPECT_TRUE(fs::is_empty(folder));
    fs::remove_all(folder);
}

TEST(packet_database, says_where_it_cannot_write) {
    EXPECT_THAT(refusal([] {
                    packet_database database("/nowhere/at/all/log.sqlite", {"net", "work", {}});
                }),
                HasSubstr("packet log"));
}

TEST(observers, are_all_told_in_their_order) {
    kept store;
    constexpr engine::pin_shape wide{1, 16, 0};
    packet_log first({wide}, {}, {}, store);
    packet_log second({wide}, {}, {}, store);
    observers both;
    EXPECT_TRUE(both.empty());
    both.add(first);
    both.add(second);
    player wires(wide, both);
    wires.flit(0, 0, 0, player::unicast(1, 2, 3, 16), 0, 5);
    first.finish();
    second.finish();
    EXPECT_THAT(store.passages, SizeIs(2));
}

}  // namespace
}  // namespace polycast::tlm::trace
