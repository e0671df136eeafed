// SPDX-License-Identifier: Apache-2.0
// How long firmware goes on before anybody else has a turn: the worst commands and packets that a process and a link
// can give, on the instruction-set simulator. An operation ends with a write to MARK.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <numeric>

#include "testbench/ni/commands.h"
#include "testbench/ni/ni_node.h"
#include "testbench/ni/processors.h"
#include "testbench/ni/wire.h"

namespace polycast::testbench::ni {
namespace {

/// Cycles of an operation, at most: firmware/README.md, "No operation without end".
constexpr cycle bound = 5000;
/// The same while there are reliable messages, whose tables are looked through as a whole.
constexpr cycle reliable_bound = 20'000;

/// The longest operation of each kind.
using longest = std::array<cycle, NI_OPERATIONS>;

/// Passes everything on, and looks at MARK.
class marked_bus final : public hw::ni::processor_bus {
public:
    marked_bus(hw::ni::processor_bus& to, longest& found) : to_(to), found_(found) {}

    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override {
        return to_.load(when, address, bytes, value);
    }
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override {
        if (address == NI_MARK) {
            // The time of IDLE is mostly sleep.
            if (value != NI_OPERATION_IDLE && value < NI_OPERATIONS)
                found_[value] = std::max(found_[value], when - last_);
            last_ = when;
        }
        return to_.store(when, address, bytes, value);
    }
    void progressed() override { to_.progressed(); }

private:
    hw::ni::processor_bus& to_;
    longest& found_;
    cycle last_ = 0;
};

/// The parameter is the number of processes.
class turns_test : public testing::TestWithParam<unsigned> {
protected:
    static constexpr std::uint32_t hosts = 4096, payload = 64, large = 0x90000;
    static constexpr std::uint32_t page_bytes = 0x40000, queue_at = 0x9000, queue_entries = 512;

    static hw::ni::ni_params sizes() {
        hw::ni::ni_params made;
        made.host = 5;
        made.hosts = hosts;
        made.processes = GetParam();
        made.payload_bytes = payload;
        made.flit_bytes = 16;
        made.header_bytes = hw::format::free_header_bytes(made.header_shape());
        made.command_entries = 64;
        made.group_entries = 2048;
        return made;
    }

    turns_test()
        : random_(1),
          firmware_({POLYCAST_FIRMWARE_LIBRARY, POLYCAST_FIRMWARE_IMAGE}),
          node_(
              params_,
              [this, make = firmware_.make(way::iss)](const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                                                      hw::ni::observer* watcher) {
                  buses_.push_back(std::make_unique<marked_bus>(bus, found_));
                  return make(params, *buses_.back(), watcher);
              },
              GetParam() * page_bytes + large),
          wire_(params_, random_),
          in_(node_.shape()),
          out_(node_.shape()) {
        wire_.sent = [](const link_packet&) {};
        wire_.ended = [](const link_packet&, bool) {};
        for (unsigned process = 0; process < params_.processes; ++process) {
            const std::uint64_t at = process * page_bytes;
            node_.open_window(process, send_window, at, 0x1000, 1);
            node_.open_window(process, receive_window, at + 0x10000, 0x20000, 2);
            node_.open_window(process, statistics_window, at + 0x8000, 4 * NI_STATISTICS, 2);
            node_.open_window(process, large_window, params_.processes * page_bytes, large, 2);
            node_.open_queue(process, at + queue_at, queue_entries);
            node_.enable(process, true);
        }
    }

    void run(cycle cycles) {
        for (const cycle end = now_ + cycles; now_ < end;) {
            in_.clear();
            out_.clear();
            wire_.drive(in_);
            const cycle wake = node_.step(now_, in_, out_);
            ASSERT_TRUE(wire_.sample(out_));
            ++now_;
            if (!wire_.busy() && wake > now_) now_ = std::min(wake, end);
        }
        for (unsigned process = 0; process < params_.processes; ++process) read_completions(process);
    }
    /// Packets and commands wait for each other, so this is long after them.
    void settle() { run(3'000'000); }

    void read_completions(unsigned process) {
        for (;;) {
            const std::uint32_t at = process * page_bytes + queue_at + read_[process] % queue_entries * 32;
            if (node_.word(at + 4 * NI_COMPLETION_NUMBER) != read_[process] + 1) break;
            ++read_[process];
            last_[process] = node_.word(at + 4 * NI_COMPLETION_KIND) >> 8 & 0xff;
            ++ended_[node_.word(at + 4 * NI_COMPLETION_KIND) & 0xff];
            node_.poke(ni_node::page(process) + NI_HOST_PROCESS_QUEUE_READ, read_[process]);
        }
    }

    std::uint32_t space(unsigned process) { return node_.peek(ni_node::page(process) + NI_HOST_PROCESS_COMMAND_SPACE); }
    /// A command that firmware takes up, and has done when this returns.
    void command(const words& what, unsigned process) {
        ASSERT_LE(4 * what.size(), hw::ni::command_bytes(params_));
        ASSERT_NE(space(process), 0u);
        node_.command(process, what);
        ++commands_;
        for (int i = 0; space(process) != params_.command_entries; ++i) {
            ASSERT_LT(i, 5000) << "a command does not end";
            run(20'000);
        }
        run(2'000);
    }
    void command(const words& what) { command(what, attacker); }
    /// One about a group, and what becomes of it.
    void group(const words& what, unsigned process, ni_status status = NI_STATUS_OK) {
        const std::uint32_t before = ended_[NI_COMPLETION_GROUP_SET];
        command(what, process);
        EXPECT_EQ(ended_[NI_COMPLETION_GROUP_SET], before + 1);
        EXPECT_EQ(last_[process], static_cast<std::uint32_t>(status));
    }
    void set(std::uint32_t flags, const words& children, unsigned process) {
        group(group_command(NI_COMMAND_SET_GROUP, 1, 4, flags, children), process);
    }
    void set(std::uint32_t flags, const words& children) { set(flags, children, attacker); }

    packet_fields part(std::uint32_t source, std::uint32_t message, std::uint32_t total, std::uint32_t index) {
        packet_fields fields;
        fields.source = source;
        fields.destination = params_.host;
        fields.sequence = ++sequence_;
        fields.transport.process = fields.transport.source_process = static_cast<std::uint8_t>(attacker);
        fields.transport.message = message;
        fields.transport.total = total;
        fields.transport.offset = index * payload;
        fields.payload.assign(std::min(payload, total - index * payload), 0x5a);
        return fields;
    }
    packet_fields group_part(std::uint32_t message, std::uint32_t total, std::uint32_t index) {
        packet_fields fields = part(1, message, total, index);
        fields.transport.group = 4;
        fields.transport.hops = 3;
        return fields;
    }
    void arrive(const packet_fields& fields) { wire_.push({build_packet(params_, fields)}); }

    static std::vector<std::uint32_t> children(std::uint32_t first, std::uint32_t count) {
        std::vector<std::uint32_t> made(count);
        std::iota(made.begin(), made.end(), first);
        return made;
    }
    std::uint32_t most_children() const { return hw::ni::command_bytes(params_) / 4 - NI_COMMAND_WORDS; }

    /// Hosts whose messages to the attacker have one hash value (firmware/messages.c).
    std::vector<std::uint32_t> colliding() const {
        std::vector<std::uint32_t> made;
        const auto bucket = [&](std::uint32_t host) {
            return ((host | attacker << 24) ^ attacker << 17) * 0x9e3779b1u >> 22;
        };
        for (std::uint32_t host = 7; host < hosts; ++host)
            if (bucket(host) == bucket(7)) made.push_back(host);
        return made;
    }

    static constexpr unsigned large_window = 3;
    const hw::ni::ni_params params_ = sizes();
    /// Its list of a group is the last one where all have one.
    const std::uint32_t attacker = 1;
    dice random_;
    longest found_{};
    std::vector<std::unique_ptr<marked_bus>> buses_;
    processors firmware_;
    ni_node node_;
    wire wire_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    cycle now_ = 0;
    std::uint32_t sequence_ = 0;
    std::uint32_t commands_ = 0;
    std::array<std::uint32_t, 64> read_{}, last_{};
    std::array<std::uint32_t, 256> ended_{};  ///< completions by kind
};

// Groups as large as they come, with duplicates at the end, and what becomes of them.
TEST_P(turns_test, no_operation_takes_longer_than_its_bound) {
    run(20'000);
    const std::uint32_t most = most_children();
    const auto others_set_it_up = [&] {
        for (unsigned process = 0; process < params_.processes; ++process)
            if (process != attacker) set(0, children(10, 1), process);
    };
    for (const std::uint32_t flags : {std::uint32_t{NI_GROUP_FCFS}, 0u}) {
        set(flags, children(10, most));
        others_set_it_up();
        for (std::uint32_t first = 10 + most; first + most < 1600; first += most)
            group(group_command(NI_COMMAND_EXTEND_GROUP, 1, 4, 0, children(first, most)), attacker);
        std::vector<std::uint32_t> again = children(4000, 20);
        again.push_back(10);
        group(group_command(NI_COMMAND_EXTEND_GROUP, 1, 4, 0, again), attacker, NI_STATUS_LOOP);
        set(flags, children(10, most));
        for (const std::uint32_t count : {32u, 16u, 33u, most, 7u, 8u}) {
            others_set_it_up();
            set(flags, children(10, count));
        }
        for (const std::uint32_t behind : {26u, 10u, 0u}) {
            words made = group_command(NI_COMMAND_SET_GROUP, 1, 4, flags | deliver_to(attacker) | NI_GROUP_RECEIPTS,
                                       children(10, behind == 10  ? 22
                                                    : behind == 0 ? 32
                                                                  : most - 26));
            made[NI_COMMAND_MESSAGE] = 1;
            made[NI_COMMAND_TAG] = behind;
            for (std::uint32_t i = 0; i < behind; ++i) made.push_back(100 + i);
            others_set_it_up();
            group(made, attacker);
        }
        set(flags, children(10, 3));
        others_set_it_up();
        for (std::uint32_t message = 0; message < 130; ++message) arrive(group_part(message, 300, 0));
        settle();
        set(flags, children(10, 32));
        for (unsigned process = 0; process < params_.processes; ++process)
            group(group_command(NI_COMMAND_CLEAR_GROUP, 1, 4, 0), process);
    }
    const longest groups = found_;
    // Sends of all kinds, longer than their windows.
    command(send_worm_command(hw::format::tree_route(params_.header_shape(), children(6, 4000)),
                              {.length = 5000, .message = 1}));
    command(send_command(9, {.length = 5000, .message = 2}));
    settle();
    EXPECT_EQ(ended_[NI_COMPLETION_FAILED], 2u) << "both are refused";
    // Messages that are never finished, of one sender and of many with one hash value, with and without buffers.
    const std::uint32_t buffers = 1024 / params_.processes;
    for (std::uint32_t i = 0; i + 1 < buffers; ++i) command(receive_command(500 * (i % 64), 500, i));
    const std::vector<std::uint32_t> senders = colliding();
    ASSERT_GE(senders.size(), 3u);
    for (std::uint32_t i = 0; i < 300; ++i) arrive(part(senders[i % senders.size()], i, 500, i % 8));
    for (std::uint32_t i = 0; i < 300; ++i) arrive(part(8 + i % 50, i, 500, 0));
    settle();
    // A message with as many gaps as there may be, the first one of which is closed.
    words expected = expect_command(9, {.length = large, .message = 3}, 0, 0, 1);
    expected[NI_COMMAND_OPERATION] = NI_COMMAND_RECEIVE | large_window << 8 | NI_RECEIVE_EXPECTED << 16;
    expected[NI_COMMAND_TO] = 9 | attacker << 24;
    expected[NI_COMMAND_TELL] = 0x80000000;
    command(expected);
    for (std::uint32_t block = 34; block-- > 1;) arrive(part(9, 3, large, block * 256 + 100));
    for (std::uint32_t index = 250; index-- > 0;) arrive(part(9, 3, large, index));
    for (std::uint32_t index = 251; index < 256; ++index) arrive(part(9, 3, large, index));
    settle();
    // What has been begun is given up.
    run(cycle{4} << 25);
    command(statistics_command());
    EXPECT_EQ(node_.word(attacker * page_bytes + 0x8000 + 4 * NI_STATISTIC_COMMANDS), commands_);
    const longest unreliable = found_;
    // As many flows as there may be, to hosts that say nothing.
    const std::uint32_t flows = NI_FLOWS / params_.processes;
    for (unsigned process = 0; process < params_.processes; ++process)
        for (std::uint32_t i = 0; i < flows; ++i) {
            words made = send_command(10 + i, {.length = 100, .message = i});
            made[NI_COMMAND_OPERATION] |= NI_SEND_RELIABLE << 16;
            command(made, process);
        }
    settle();
    const char* const names[] = {"idle", "keep", "receive", "send", "command"};
    for (unsigned kind = 1; kind < NI_OPERATIONS; ++kind) {
        std::cout << "K of " << names[kind] << ": " << unreliable[kind] << " cycles (groups: " << groups[kind]
                  << ", with reliable messages: " << found_[kind] << ")\n";
        EXPECT_GT(unreliable[kind], 100u) << "nothing of the kind has happened";
    }
    const cycle worst = std::ranges::max(unreliable);
    std::cout << "K: " << worst << " cycles, bound " << bound << std::endl;
    RecordProperty("K", std::to_string(worst));
    EXPECT_LE(worst, bound);
    EXPECT_LE(std::ranges::max(found_), reliable_bound);
}

INSTANTIATE_TEST_SUITE_P(processes, turns_test, testing::Values(4u, 64u));

}  // namespace
}  // namespace polycast::testbench::ni
