// SPDX-License-Identifier: Apache-2.0
// The native processor with a firmware made for the test: what takes time, when stores take effect, what goes wrong.
#include "hw/ni/native_processor.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <filesystem>
#include <fstream>

#include "hw/input_error.h"
#include "testbench/unit/hw/ni/ni_bench.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// First word of a command to the test's firmware: what to do.
enum order : std::uint32_t {
    order_send = 1,   ///< LINK_HOPS = second word, costs SEND
    order_free,       ///< the same without cost (KEEP)
    order_endless,    ///< never idle again
    order_bad_load,   ///< of an address without an entry
    order_odd_load,   ///< not aligned
    order_bad_store,  ///< to an address without an entry
    order_odd_store,  ///< not aligned
    order_look_up,    ///< allocates a group and finds it; LINK_HOPS = 1 if it did
    order_deaf,       ///< reads no event in the next `second word` steps
    order_give_up,    ///< PANIC = second word
};

/// State of the test's firmware: zero at first, like the real one's.
struct test_state {
    ni_hardware hardware;
    bool endless;
    std::uint32_t deaf;
    std::array<std::uint32_t, 16> kept;  ///< events that the other role took, see ni_firmware.h
    std::uint32_t kept_count;
    std::uint32_t starts;
};

test_state& state_of(ni_firmware* firmware) {
    return *reinterpret_cast<test_state*>(firmware);
}

struct test_bus {
    test_state& state;
    std::uint32_t load(std::uint32_t address) { return state.hardware.load(state.hardware.context, address); }
    void store(std::uint32_t address, std::uint32_t value) {
        state.hardware.store(state.hardware.context, address, value);
    }
};

ni_operation obey(test_state& state, std::uint32_t number) {
    test_bus bus{state};
    const std::uint32_t at = NI_COMMAND_MEMORY_BASE + number * bus.load(NI_COMMAND_BYTES);
    const std::uint32_t what = bus.load(at);
    const std::uint32_t value = bus.load(at + 4);
    bus.store(NI_COMMAND_DONE, number);
    switch (what) {
        case order_send: bus.store(NI_LINK_HOPS, value); return NI_OPERATION_SEND;
        case order_free: bus.store(NI_LINK_HOPS, value); break;
        case order_endless: state.endless = true; break;
        case order_bad_load: bus.load(0x4000005c); break;
        case order_odd_load: bus.load(NI_HOST + 2); break;
        case order_bad_store: bus.store(0x50000000, 1); break;
        case order_odd_store: bus.store(NI_PACKET_MEMORY_BASE + 3, 1); break;
        case order_look_up: {
            bus.store(NI_GROUP_ROOT, 5);
            bus.store(NI_GROUP_NUMBER, 6);
            const std::uint32_t entry = bus.load(NI_GROUP_ALLOCATE);
            bus.store(NI_GROUP_NUMBER, 6);
            bus.store(NI_LINK_HOPS, bus.load(NI_GROUP_ENTRY) == entry ? 1 : 0);
            return NI_OPERATION_SEND;
        }
        case order_deaf: state.deaf = value; break;
        case order_give_up: bus.store(NI_PANIC, value); break;
        default: break;
    }
    return NI_OPERATION_KEEP;
}

/// A packet: a note in its slot at once, released at the end.
ni_operation receive(test_state& state, std::uint32_t slot) {
    test_bus bus{state};
    bus.store(NI_PACKET_MEMORY_BASE + slot * bus.load(NI_SLOT_BYTES) + 0x30, 0x900d);
    bus.store(NI_SLOT_RELEASE, slot);
    return NI_OPERATION_RECEIVE;
}

ni_operation step(ni_firmware* firmware, unsigned roles) {
    test_state& state = state_of(firmware);
    test_bus bus{state};
    if (state.endless) return NI_OPERATION_KEEP;
    if (state.deaf != 0) {
        --state.deaf;
        return NI_OPERATION_IDLE;
    }
    if ((roles & NI_ROLE_SEND) != 0 && state.kept_count != 0) return obey(state, state.kept[--state.kept_count]);
    const std::uint32_t event = bus.load(NI_EVENT);
    const std::uint32_t argument = event & NI_EVENT_ARGUMENT_MASK;
    switch (event >> NI_EVENT_KIND_SHIFT) {
        case NI_EVENT_PACKET: return receive(state, argument);
        case NI_EVENT_COMMAND:
            if ((roles & NI_ROLE_SEND) != 0) return obey(state, argument);
            state.kept[state.kept_count++] = argument;
            return NI_OPERATION_IDLE;
        default: return NI_OPERATION_IDLE;
    }
}

constexpr ni_firmware_interface test_firmware{NI_FIRMWARE_VERSION, [] { return sizeof(test_state); },
                                              [](ni_firmware* firmware, const ni_hardware* hardware) {
                                                  test_state& state = state_of(firmware);
                                                  state.hardware = *hardware;
                                                  test_bus bus{state};
                                                  bus.store(NI_INTERRUPT_ENABLE, 0);  // as one that polls
                                                  bus.store(NI_LINK_DESTINATION, 1 + state.starts++);
                                              },
                                              &step};

native_params costs(cycle receive_cycles, cycle send_cycles, bool overlapped = false) {
    native_params params;
    params.cycles[NI_OPERATION_RECEIVE] = receive_cycles;
    params.cycles[NI_OPERATION_SEND] = send_cycles;
    params.overlapped = overlapped;
    return params;
}

/// An interface with a native processor, stepped by hand.
class native_bench {
public:
    explicit native_bench(const native_params& native)
        : pins_in({1, 1, 0}),
          pins_out({1, 1, 0}),
          interface({}, time, host, &watcher, [&](const ni_params& params, processor_bus& bus, observer*) {
              registers = &bus;
              return std::make_unique<native_processor>(std::make_shared<native_firmware>(test_firmware), native,
                                                        params, bus, &watcher);
          }) {}

    void run(cycle until) {
        for (; now < until; ++now) {
            pins_out.clear();
            if (arriving < packet.flits.size()) {
                pins_in.valid = 1;
                pins_in.head = arriving == 0 ? 1 : 0;
                pins_in.tail = arriving + 1 == packet.flits.size() ? 1 : 0;
                pins_in.data[0] = packet.flits[arriving++];
            }
            interface.receive(now, pins_in, pins_out, 0);
            pins_in.clear();
            time.run(now + 1);
            interface.transmit(now, pins_out, 0);
        }
    }
    /// A packet of one byte whose tail is on the pins in cycle `tail`.
    void packet_at(cycle tail) {
        const ni_params params;
        byte_list slot(slot_bytes(params));
        put_bytes(slot.data(), 4, 1u << 16);
        put_bytes(&slot[4], 4, 17);
        build_packet(params, slot, {.destination = 0, .seal = true}, packet);
        arriving = packet.flits.size();
        run(tail + 1 - packet.flits.size());
        arriving = 0;
    }
    void command(std::uint32_t what, std::uint32_t value) {
        byte_list bytes(4);
        put_bytes(bytes.data(), 4, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
        ASSERT_TRUE(interface.host_write(time.now(), test_chip::grant(0) + NI_HOST_GRANT_RIGHTS, bytes));
        bytes.assign(32, 0);
        put_bytes(bytes.data(), 4, what);
        put_bytes(&bytes[4], 4, value);
        ASSERT_TRUE(interface.host_write(time.now(), test_chip::page(0) + 0x800, bytes));
        bytes.assign(4, 0);
        bytes[0] = 32;
        ASSERT_TRUE(interface.host_write(time.now(), test_chip::page(0), bytes));
    }
    std::uint32_t load(std::uint32_t address) {
        std::uint32_t value = 0;
        EXPECT_TRUE(registers->load(time.now(), address, 4, value));
        return value;
    }

    timeline time;
    test_host host;
    test_observer watcher;
    engine::pins pins_in;
    engine::pins pins_out;
    link_packet packet;
    std::size_t arriving = 0;
    processor_bus* registers = nullptr;
    network_interface interface;
    cycle now = 0;
};

TEST(native_processor, stores_to_memory_are_made_when_an_operation_begins_and_to_registers_when_it_ends) {
    native_bench b(costs(20, 5));
    b.packet_at(100);
    b.run(101);
    EXPECT_EQ(b.load(NI_PACKET_MEMORY_BASE + 0x30), 0x900du);
    EXPECT_EQ(b.interface.slots_used(), 1u);
    EXPECT_FALSE(b.interface.cpu().probe().sleeping);
    EXPECT_EQ(b.interface.cpu().probe().operation, NI_OPERATION_RECEIVE);
    b.run(119);
    EXPECT_EQ(b.interface.slots_used(), 1u);
    b.run(120);
    EXPECT_EQ(b.interface.slots_used(), 0u);
    EXPECT_TRUE(b.interface.cpu().probe().sleeping);
    EXPECT_EQ(b.interface.cpu().probe().cycles, 20u);
    EXPECT_EQ(b.interface.cpu().probe().instructions, 1u);
    const auto spans = b.watcher.of(resource::ni_processor);
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].what, NI_OPERATION_RECEIVE);
    EXPECT_EQ(spans[0].begin, 100u);
    EXPECT_EQ(spans[0].end, 120u);
    EXPECT_EQ(spans[0].source, 17u);
}

TEST(native_processor, without_cost_all_is_done_in_the_cycle_of_the_event) {
    native_bench b(costs(0, 0));
    b.packet_at(100);
    b.run(101);
    EXPECT_EQ(b.interface.statistics().residency_count, 1u);
    EXPECT_EQ(b.interface.statistics().residency_max, 0u);
    b.command(order_send, 7);
    b.run(102);
    EXPECT_EQ(b.load(NI_LINK_HOPS), 7u);
}

/// Cycles in which the store of a SEND command given at 100, and the release of a packet at 100, take effect.
std::pair<cycle, cycle> times_of_both(bool overlapped) {
    native_bench b(costs(20, 5, overlapped));
    b.packet_at(100);
    b.run(101);
    b.command(order_send, 7);
    std::pair<cycle, cycle> times{};
    for (cycle when = 102; when < 200; ++when) {
        b.run(when);
        if (times.first == 0 && b.load(NI_LINK_HOPS) == 7) times.first = when;
        if (times.second == 0 && b.interface.slots_used() == 0) times.second = when;
    }
    return times;
}

TEST(native_processor, one_time_line_does_one_thing_after_the_other) {
    EXPECT_EQ(times_of_both(false), std::pair(cycle{125}, cycle{120}));
}

TEST(native_processor, overlapped_receiving_costs_the_sending_side_nothing) {
    // The command was there after the cycle 101 had been handled.
    EXPECT_EQ(times_of_both(true), std::pair(cycle{106}, cycle{120}));
}

TEST(native_processor, operations_follow_each_other_without_a_gap) {
    native_bench b(costs(20, 5));
    b.run(50);
    for (std::uint32_t hops = 1; hops <= 4; ++hops) b.command(order_send, hops);
    for (std::uint32_t hops = 1; hops <= 4; ++hops) {
        b.run(50 + 5 * hops - 1);
        EXPECT_EQ(b.load(NI_LINK_HOPS), hops - 1);
        b.run(50 + 5 * hops);
        EXPECT_EQ(b.load(NI_LINK_HOPS), hops);
    }
}

TEST(native_processor, look_ups_answer_within_an_operation) {
    native_bench b(costs(20, 5));
    b.command(order_look_up, 0);
    b.run(10);
    EXPECT_EQ(b.load(NI_LINK_HOPS), 1u);
}

TEST(native_processor, firmware_without_end_is_stopped) {
    native_bench b(costs(20, 5));
    b.command(order_endless, 0);
    b.run(100);
    EXPECT_EQ(b.interface.statistics().panic, native_panic_endless);
    EXPECT_TRUE(b.interface.cpu().probe().halted);
}

TEST(native_processor, takes_the_exceptions_that_the_target_takes) {
    for (const auto& [what, cause] : std::vector<std::pair<order, std::uint32_t>>{
             {order_odd_load, 4}, {order_bad_load, 5}, {order_odd_store, 6}, {order_bad_store, 7}}) {
        native_bench b(costs(20, 5));
        b.command(what, 0);
        b.run(10);
        EXPECT_EQ(b.interface.statistics().panic, NI_PANIC_EXCEPTION + cause);
        b.command(order_free, 9);
        b.run(20);
        EXPECT_EQ(b.load(NI_LINK_HOPS), 0u) << "nothing more happens";
    }
}

TEST(native_processor, firmware_may_give_up) {
    native_bench b(costs(20, 5));
    b.command(order_give_up, 0x200);
    b.run(10);
    EXPECT_EQ(b.interface.statistics().panic, 0x200u);
}

TEST(native_processor, firmware_that_leaves_an_event_alone_looks_again_every_cycle) {
    native_bench b(costs(20, 0));
    b.run(10);
    b.command(order_deaf, 8);
    b.run(11);
    b.command(order_send, 7);
    // Deaf in the idle step of cycle 10 or 11 and in each cycle after that.
    cycle heard = 0;
    for (cycle when = 12; when < 40 && heard == 0; ++when) {
        b.run(when);
        if (b.load(NI_LINK_HOPS) == 7) heard = when;
    }
    EXPECT_GE(heard, 16u);
    EXPECT_LE(heard, 19u);
}

TEST(native_processor, a_reset_boots_with_fresh_memory) {
    native_bench b(costs(20, 5));
    b.packet_at(100);
    b.run(110);
    EXPECT_EQ(b.load(NI_LINK_DESTINATION), 1u);
    b.interface.reset(b.time.now());
    b.run(200);
    EXPECT_EQ(b.load(NI_LINK_DESTINATION), 1u) << "started once since its memory was zero";
    EXPECT_EQ(b.load(NI_ERRORS), 0u) << "the release that was pending is forgotten";
    b.command(order_send, 3);
    b.run(210);
    EXPECT_EQ(b.load(NI_LINK_HOPS), 3u);
}

using testbench::unit::refusal;

TEST(native_firmware, a_library_that_is_not_there_or_none_is_refused) {
    EXPECT_THAT(refusal([] { native_firmware::load("/nowhere/libfirmware.so"); }),
                HasSubstr("/nowhere/libfirmware.so: there is no such file; build"));
    EXPECT_THAT(refusal([] { native_firmware::load("/tmp"); }), HasSubstr("/tmp: there is no such file"));
    const std::string text = testing::TempDir() + "no_library.so";
    std::ofstream(text) << "hello";
    EXPECT_THAT(refusal([&] { native_firmware::load(text); }), HasSubstr("cannot be loaded"));
    std::filesystem::remove(text);
}

TEST(native_firmware, a_library_that_exports_no_firmware_is_refused) {
    Dl_info standard_library{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&std::terminate), &standard_library), 0);
    EXPECT_THAT(refusal([&] { native_firmware::load(standard_library.dli_fname); }),
                HasSubstr("is no firmware: it does not export polycast_firmware; build"));
}

TEST(native_firmware, is_loaded_once_in_a_process) {
    const auto first = native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
    const auto second = native_firmware::load(POLYCAST_FIRMWARE_LIBRARY);
    EXPECT_EQ(&first->functions(), &second->functions());
    EXPECT_GT(first->functions().size(), 0u);
}

TEST(native_firmware, another_version_is_refused) {
    ni_firmware_interface old = test_firmware;
    old.version = NI_FIRMWARE_VERSION + 1;
    EXPECT_THAT(refusal([&] { native_firmware{old}; }),
                HasSubstr("linked-in firmware: is firmware of version 3, not 2"));
    EXPECT_EQ(refusal([] { native_firmware{test_firmware}; }), "accepted");
}

}  // namespace
}  // namespace polycast::hw::ni
