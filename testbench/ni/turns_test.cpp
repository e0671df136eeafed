// SPDX-License-Identifier: Apache-2.0
// How long firmware goes on before anybody else has a turn: the worst commands and packets that a process and a link
// can give, on the instruction-set simulator. An operation ends with a write to MARK.
#include <gtest/gtest.h>

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
constexpr cycle bound = 4000;

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

class turns_test : public testing::Test {
protected:
    static constexpr std::uint32_t hosts = 4096, payload = 64, attacker = 1;

    static hw::ni::ni_params sizes() {
        hw::ni::ni_params made;
        made.host = 5;
        made.hosts = hosts;
        made.processes = 4;
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
              1 << 20),
          wire_(params_, random_),
          in_(node_.shape()),
          out_(node_.shape()) {
        wire_.sent = [](const link_packet&) {};
        wire_.ended = [](const link_packet&, bool) {};
        for (unsigned process = 0; process < params_.processes; ++process) {
            const std::uint64_t at = process * 0x40000u;
            node_.open_window(process, send_window, at, 0x1000, 1);
            node_.open_window(process, receive_window, at + 0x10000, 0x20000, 2);
            node_.open_window(process, statistics_window, at + 0x8000, 4 * NI_STATISTICS, 2);
            node_.open_queue(process, at + 0x9000, 512);
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
            // The queue is read all the time.
        }
        for (unsigned process = 0; process < params_.processes; ++process)
            node_.poke(ni_node::page(process) + NI_HOST_PROCESS_QUEUE_READ,
                       node_.peek(ni_node::page(process) + NI_HOST_PROCESS_QUEUE_WRITTEN));
    }
    void command(const words& what, cycle cycles = 20'000) {
        node_.command(attacker, what);
        run(cycles);
    }
    packet_fields part(std::uint32_t source, std::uint32_t message, std::uint32_t total, std::uint32_t index) {
        packet_fields fields;
        fields.source = source;
        fields.destination = params_.host;
        fields.sequence = ++sequence_;
        fields.transport.process = fields.transport.source_process = attacker;
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

    const hw::ni::ni_params params_ = sizes();
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
};

TEST_F(turns_test, no_operation_takes_longer_than_its_bound) {
    run(20'000);
    // Groups as large as they come, with duplicates at the end, and what becomes of them.
    const std::uint32_t most = most_children();
    for (const std::uint32_t flags : {std::uint32_t{NI_GROUP_FCFS}, 0u}) {
        command(group_command(NI_COMMAND_SET_GROUP, 1, 4, flags, children(10, most)), 500'000);
        for (std::uint32_t first = 10 + most; first + most < 3900; first += most)
            command(group_command(NI_COMMAND_EXTEND_GROUP, 1, 4, 0, children(first, most)), 3'000'000);
        std::vector<std::uint32_t> again = children(4000, 20);
        again.push_back(10);
        command(group_command(NI_COMMAND_EXTEND_GROUP, 1, 4, 0, again), 3'000'000);
        command(group_command(NI_COMMAND_SET_GROUP, 1, 4, flags, children(10, 3)), 500'000);
        for (std::uint32_t message = 0; message < 40; ++message) arrive(group_part(message, 300, 0));
        run(300'000);
        command(group_command(NI_COMMAND_CLEAR_GROUP, 1, 4, 0));
    }
    const longest groups = found_;
    // Sends of all kinds, longer than their windows.
    command(send_worm_command(hw::format::tree_route(params_.header_shape(), children(6, 4000)),
                              {.length = 5000, .message = 1}));
    command(send_command(9, {.length = 5000, .message = 2}));
    command(statistics_command());
    // Messages that are never finished, of one sender and of many, with and without buffers.
    for (std::uint32_t i = 0; i < 200; ++i) command(receive_command(500 * (i % 64), 500, i), 2'000);
    for (std::uint32_t i = 0; i < 150; ++i) arrive(part(7, i, 500, i % 8));
    for (std::uint32_t i = 0; i < 300; ++i) arrive(part(8 + i % 50, i, 500, 0));
    run(1'000'000);
    // Counts for every byte, at all interfaces.
    words expected = expect_command(9, {.length = 5000, .message = 3}, 0, 0, 1);
    expected[NI_COMMAND_TO] = 9 | attacker << 24;
    expected[NI_COMMAND_TELL] = 0x80000000;
    command(expected);
    for (std::uint32_t index = 79; index-- > 0;) arrive(part(9, 3, 5000, index));
    run(3'000'000);
    // What has been begun is given up.
    run(cycle{4} << 25);
    cycle worst = 0;
    const char* const names[] = {"idle", "keep", "receive", "send", "command"};
    for (unsigned kind = 1; kind < NI_OPERATIONS; ++kind) {
        std::cout << "K of " << names[kind] << ": " << found_[kind] << " cycles (groups: " << groups[kind] << ")\n";
        worst = std::max(worst, found_[kind]);
        EXPECT_GT(found_[kind], 100u) << "nothing of the kind has happened";
    }
    std::cout << "K: " << worst << " cycles, bound " << bound << std::endl;
    RecordProperty("K", std::to_string(worst));
    EXPECT_LE(worst, bound);
}

}  // namespace
}  // namespace polycast::testbench::ni
