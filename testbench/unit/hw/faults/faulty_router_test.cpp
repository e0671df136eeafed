// SPDX-License-Identifier: Apache-2.0
// Stored bits of a router that flip: what comes of each, in the cycle in which it does.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>

#include "hw/chips/link/cable_report.h"
#include "hw/faults/faulty_chip.h"
#include "testbench/unit/hw/chips/router/router_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::chip_upset;
using hw::chips::router_core;
using hw::engine::pins;
using hw::faults::faulty_chip;
using hw::faults::timed_upset;
using hw::format::upset_memory;

/// Ports, virtual channels and slots are those of table_params(). Packets come into port 3.
class upset_router {
public:
    explicit upset_router(std::vector<timed_upset> upsets, const router_tables& tables = table_tables(),
                          const router_params& params = table_params())
        : params_(params),
          chip_(std::make_unique<router_core>(params_, tables), std::move(upsets)),
          in_(chip_.shape()),
          out_(chip_.shape()) {}

    /// From cycle `when` on a flit in each cycle; the last byte of each is its cycle.
    void send(cycle when, unsigned vc, unsigned destination, unsigned flits) {
        for (unsigned flit = 0; flit < flits; ++flit)
            stimuli_[when + flit] = {vc, destination, flit == 0, flit + 1 == flits};
    }
    void credit(cycle when, unsigned port, unsigned vc) { credits_[when] = {port, vc}; }

    /// Steps as the engine does: only where it is asked for, or something arrives.
    void run(cycle until = 60) {
        for (cycle now = 0; now < until; ++now) {
            in_.clear();
            out_.clear();
            if (const auto flit = stimuli_.find(now); flit != stimuli_.end()) put(flit->second, now);
            if (const auto credit = credits_.find(now); credit != credits_.end()) {
                in_.credit = std::uint64_t{1} << credit->second.first;
                in_.credit_vc[credit->second.first] = static_cast<std::uint8_t>(credit->second.second);
            }
            if (in_.quiet() && now < wake_) continue;
            wake_ = chip_.step(now, in_, out_);
            if (out_.error != 0) errors |= out_.errors[static_cast<unsigned>(std::countr_zero(out_.error))];
            error_ports |= out_.error;
            for (unsigned port = 0; port < params_.ports; ++port)
                if ((out_.valid >> port & 1) != 0)
                    arrived.push_back({now + 1, port, out_.vc[port], out_.data[port * params_.flit_bytes + last]});
        }
    }
    std::vector<unsigned> bytes() const {
        std::vector<unsigned> all;
        for (const out_flit& flit : arrived) all.push_back(flit.id);
        return all;
    }
    void reset() {
        chip_.reset();
        wake_ = 0;
    }
    /// Of codes.
    std::uint64_t corrections() const { return hw::chips::cable_report::of(chip_.report()).damage.corrected; }

    /// Place `place` of input virtual channel `vc` of port 3.
    static std::uint32_t place(unsigned vc, unsigned place) {
        const router_params params = table_params();
        return (3 * params.vcs + vc) * params.vc_flits + place;
    }

    static constexpr unsigned last = 15;  ///< byte of a flit
    std::vector<out_flit> arrived;
    unsigned errors = 0;
    std::uint64_t error_ports = 0;

private:
    struct stimulus {
        unsigned vc, destination;
        bool head, tail;
    };

    void put(const stimulus& what, cycle now) {
        in_.valid = 8;
        in_.head = what.head ? 8 : 0;
        in_.tail = what.tail ? 8 : 0;
        in_.vc[3] = static_cast<std::uint8_t>(what.vc);
        std::uint8_t* const data = &in_.data[3 * params_.flit_bytes];
        if (what.head) std::ranges::copy(router_bench::unicast_header(what.destination), data);
        data[last] = static_cast<std::uint8_t>(now);
    }

    router_params params_;
    faulty_chip chip_;
    pins in_, out_;
    std::map<cycle, stimulus> stimuli_;
    std::map<cycle, std::pair<unsigned, unsigned>> credits_;
    cycle wake_ = 0;
};

constexpr unsigned last_byte = 8 * upset_router::last;

TEST(faulty_router, a_bit_of_a_flit_flips_while_it_waits) {
    // One flit a cycle comes in and leaves in the next: places are taken in turn, though the buffer is empty each time.
    const auto run = [](cycle at, unsigned place) {
        upset_router router({{at, {upset_memory::buffer, upset_router::place(1, place), last_byte + 6}}});
        router.send(10, 1, 0, 3);
        router.send(20, 1, 1, 3);
        router.run();
        EXPECT_EQ(router.errors, 0u);
        return router.bytes();
    };
    using all = std::vector<unsigned>;
    const all good{10, 11, 12, 20, 21, 22};
    EXPECT_EQ(run(9, 0), good) << "before the flit is written";
    EXPECT_EQ(run(10, 0), (all{10 ^ 64, 11, 12, 20, 21, 22}));
    EXPECT_EQ(run(11, 0), good) << "it has been read";
    EXPECT_EQ(run(12, 2), (all{10, 11, 12 ^ 64, 20, 21, 22}));
    EXPECT_EQ(run(20, 0), good);
    EXPECT_EQ(run(20, 3), (all{10, 11, 12, 20 ^ 64, 21, 22})) << "the fourth flit is in the fourth place";
    EXPECT_EQ(run(21, 0), (all{10, 11, 12, 20, 21 ^ 64, 22}));
}

TEST(faulty_router, flits_that_wait_are_told_apart) {
    // Output 0 has no credits up to 40: a packet waits as a whole, behind one that has left.
    for (unsigned place = 0; place < 4; ++place) {
        upset_router router({{15, {upset_memory::credits, 0, 15}},
                             {16, {upset_memory::credits, 1, 15}},
                             {30, {upset_memory::buffer, upset_router::place(0, place), last_byte + 7}},
                             {40, {upset_memory::credits, 0, 15}}});
        router.send(10, 0, 1, 2);
        router.send(20, 0, 0, 3);
        router.run();
        std::vector<unsigned> wanted{10, 11, 20, 21, 22};
        // Places 2, 3, 0 are those of the three flits.
        if (place != 1) wanted[2 + (place + 2) % 4] ^= 128;
        EXPECT_EQ(router.bytes(), wanted) << place;
        ASSERT_EQ(router.arrived.size(), 5u);
        EXPECT_EQ(router.arrived[2].when, 42u) << "a credit that is there again wakes the output";
    }
}

TEST(faulty_router, a_route_flips_for_good) {
    // Node 0 is behind port 0: without this bit behind none, with another one behind the lower of two.
    const auto run = [](cycle at, unsigned node, unsigned port) {
        auto router =
            std::make_unique<upset_router>(std::vector<timed_upset>{{at, {upset_memory::routes, node, port}}});
        router->send(10, 0, 0, 1);
        router->run();
        return router;
    };
    EXPECT_TRUE(run(9, 0, 0)->arrived.empty());
    EXPECT_EQ(run(9, 0, 0)->errors, static_cast<unsigned>(chip_error::no_route));
    EXPECT_EQ(run(10, 0, 0)->arrived.size(), 1u) << "it has been read";
    EXPECT_EQ(run(9, 1, 0)->arrived.size(), 1u) << "of another node";
    // The table has four entries: one behind its end is as one without ports.
    upset_router beyond({{3, {upset_memory::routes, 6, 2}}});
    beyond.send(10, 0, 6, 1);
    beyond.send(20, 0, 5, 1);
    beyond.run();
    ASSERT_EQ(beyond.arrived.size(), 1u);
    EXPECT_EQ(beyond.arrived[0].port, 2u);
    EXPECT_EQ(beyond.errors, static_cast<unsigned>(chip_error::no_route));
    // A reset does not write it anew, and the flip comes again: twice is as never.
    beyond.reset();
    beyond.run();
    EXPECT_EQ(beyond.arrived.size(), 1u);
}

TEST(faulty_router, a_counter_of_credits_that_flips_stops_a_virtual_channel) {
    // Class 0 may take both virtual channels: with one stopped it takes the other.
    upset_router other({{5, {upset_memory::credits, 0, 15}}});
    other.send(10, 0, 0, 2);
    other.send(20, 0, 0, 2);
    other.run();
    ASSERT_EQ(other.arrived.size(), 4u);
    for (const out_flit& flit : other.arrived) EXPECT_EQ(flit.vc, 1u);
    // Both: with a credit back more is still outstanding than there ever was.
    upset_router stopped({{5, {upset_memory::credits, 0, 15}}, {6, {upset_memory::credits, 1, 3}}});
    stopped.send(10, 0, 0, 2);
    stopped.credit(30, 0, 1);
    stopped.run();
    EXPECT_TRUE(stopped.arrived.empty());
    EXPECT_EQ(stopped.errors, 0u);
    // 8 outstanding of 4: the fifth credit is one to spend, the sixth another.
    upset_router fifth({{5, {upset_memory::credits, 0, 15}}, {6, {upset_memory::credits, 1, 3}}});
    fifth.send(10, 0, 0, 2);
    for (unsigned i = 0; i < 6; ++i) fifth.credit(30 + i, 0, 1);
    fifth.run();
    ASSERT_EQ(fifth.arrived.size(), 2u);
    EXPECT_EQ(fifth.arrived[0].when, 36u);
    EXPECT_EQ(fifth.arrived[1].when, 37u);
    EXPECT_EQ(fifth.errors, 0u);
    // Fewer: the last one that comes back is too much.
    upset_router fewer({{13, {upset_memory::credits, 0, 1}}});
    fewer.send(10, 0, 0, 2);
    fewer.credit(20, 0, 0);
    fewer.run();
    EXPECT_EQ(fewer.errors, static_cast<unsigned>(chip_error::credit_overflow));
}

TEST(faulty_router, a_reserve_counts_credits_that_are_there) {
    // Without a reserve the packet would go with the fifth credit.
    router_tables tables = table_tables();
    tables.reserve = 3;
    upset_router router({{5, {upset_memory::credits, 0, 15}}, {6, {upset_memory::credits, 1, 3}}}, tables);
    router.send(10, 0, 0, 2);
    for (unsigned i = 0; i < 8; ++i) router.credit(30 + i, 0, 1);
    router.run();
    ASSERT_EQ(router.arrived.size(), 2u);
    EXPECT_EQ(router.arrived[0].when, 38u) << "credits of cycles 34 to 36 are there in 37";
}

constexpr unsigned parity = 1, secded = 2;
constexpr auto soft_error = static_cast<unsigned>(chip_error::soft_error);

upset_router with_codes(std::vector<timed_upset> upsets, unsigned buffers, unsigned routes, unsigned credits) {
    router_params params = table_params();
    params.protect_buffers = buffers;
    params.protect_routes = routes;
    params.protect_credits = credits;
    return upset_router(std::move(upsets), table_tables(), params);
}

TEST(faulty_router, a_code_of_flits_corrects_one_flip_and_finds_two) {
    // Output 0 has no credits from 15 to 40: three flits wait in places 0 to 2. Bits from 128 on are those of the code.
    const auto run = [](unsigned code, std::vector<unsigned> bits) {
        std::vector<timed_upset> upsets{{15, {upset_memory::credits, 0, 15}}, {16, {upset_memory::credits, 1, 15}}};
        for (unsigned i = 0; i < bits.size(); ++i)
            upsets.push_back({30 + i, {upset_memory::buffer, upset_router::place(0, 1), bits[i]}});
        upsets.push_back({40, {upset_memory::credits, 0, 15}});
        auto router = std::make_unique<upset_router>(with_codes(std::move(upsets), code, 0, 0));
        router->send(20, 0, 0, 3);
        router->run();
        return router;
    };
    using all = std::vector<unsigned>;
    const all good{20, 21, 22};
    for (const unsigned bit : {last_byte + 7, 0u, 130u}) {
        const auto corrects = run(secded, {bit});
        EXPECT_EQ(corrects->bytes(), good) << bit;
        EXPECT_EQ(corrects->corrections(), 1u) << bit;
        EXPECT_EQ(corrects->errors, 0u) << bit;
    }
    const auto back = run(secded, {last_byte, last_byte});
    EXPECT_EQ(back->bytes(), good);
    EXPECT_EQ(back->corrections(), 0u) << "the same bit again: all is as it was";
    const auto finds = run(secded, {last_byte + 7, last_byte + 6});
    EXPECT_EQ(finds->bytes(), (all{20, 21 ^ 128 ^ 64, 22})) << "it goes on unchanged";
    EXPECT_EQ(finds->errors, soft_error);
    EXPECT_EQ(finds->error_ports, 8u) << "of the input";
    EXPECT_EQ(finds->corrections(), 0u);
    const auto apart = run(secded, {last_byte + 7, 3});
    EXPECT_EQ(apart->bytes(), good) << "each 32 bits have a code of their own";
    EXPECT_EQ(apart->corrections(), 1u);
    const auto odd = run(parity, {last_byte + 7});
    EXPECT_EQ(odd->bytes(), (all{20, 21 ^ 128, 22}));
    EXPECT_EQ(odd->errors, soft_error);
    // As it leaves, another one to the same output comes into the buffer, which is empty.
    upset_router behind = with_codes({{10, {upset_memory::buffer, upset_router::place(0, 0), 100}}}, secded, 0, 0);
    behind.send(10, 0, 0, 1);
    behind.send(11, 0, 0, 1);
    behind.run();
    EXPECT_EQ(behind.arrived.size(), 2u);
    EXPECT_EQ(behind.corrections(), 1u);
}

TEST(faulty_router, a_flit_that_is_dropped_is_read_by_nobody) {
    upset_router router = with_codes({{10, {upset_memory::buffer, upset_router::place(0, 0), 100}}}, parity, 0, 0);
    router.send(10, 0, 5, 1);
    // The next flit in this place is another one.
    router.send(20, 0, 0, 5);
    router.run();
    EXPECT_EQ(router.errors, static_cast<unsigned>(chip_error::no_route));
    EXPECT_EQ(router.bytes(), (std::vector<unsigned>{20, 21, 22, 23}));
}

TEST(faulty_router, a_code_of_routes_corrects_what_is_read_and_not_the_table) {
    const auto run = [](unsigned code, std::vector<timed_upset> upsets) {
        auto router = std::make_unique<upset_router>(with_codes(std::move(upsets), 0, code, 0));
        router->send(10, 0, 0, 1);
        router->send(20, 0, 0, 1);
        router->run();
        return router;
    };
    const auto corrects = run(secded, {{9, {upset_memory::routes, 0, 0}}});
    EXPECT_EQ(corrects->arrived.size(), 2u);
    EXPECT_EQ(corrects->errors, 0u);
    EXPECT_EQ(corrects->corrections(), 2u);
    const unsigned empty = soft_error | static_cast<unsigned>(chip_error::no_route);
    const auto twice = run(secded, {{8, {upset_memory::routes, 0, 2}}, {15, {upset_memory::routes, 0, 3}}});
    EXPECT_EQ(twice->arrived.size(), 1u);
    EXPECT_EQ(twice->errors, empty);
    EXPECT_EQ(twice->error_ports, 8u);
    const auto odd = run(parity, {{9, {upset_memory::routes, 0, 4}}});
    EXPECT_TRUE(odd->arrived.empty());
    EXPECT_EQ(odd->errors, empty) << "its check bit: the ports are right";
    const auto other = run(parity, {{9, {upset_memory::routes, 1, 0}}});
    EXPECT_EQ(other->arrived.size(), 2u);
    EXPECT_EQ(other->errors, 0u) << "nobody reads that entry";
}

TEST(faulty_router, a_code_of_credits_corrects_or_stops_a_virtual_channel_until_reset) {
    upset_router good({});
    upset_router corrects =
        with_codes({{5, {upset_memory::credits, 0, 15}}, {6, {upset_memory::credits, 0, 16}}}, 0, 0, secded);
    for (upset_router* each : {&good, &corrects}) {
        each->send(10, 0, 0, 3);
        each->run();
    }
    EXPECT_EQ(corrects.arrived, good.arrived);
    EXPECT_EQ(corrects.corrections(), 2u);
    EXPECT_EQ(corrects.errors, 0u);
    // Virtual channel 0 of output 0 stops, and takes no credit; the other one goes on with the four that it has.
    upset_router stops = with_codes({{12, {upset_memory::credits, 0, 0}}}, 0, 0, parity);
    stops.send(10, 0, 0, 2);
    for (unsigned i = 0; i < 5; ++i) stops.send(20 + i, 0, 0, 1);
    stops.credit(15, 0, 0);
    stops.credit(16, 0, 0);
    stops.run();
    ASSERT_EQ(stops.arrived.size(), 6u);
    for (unsigned i = 2; i < 6; ++i) EXPECT_EQ(stops.arrived[i].vc, 1u) << i;
    EXPECT_EQ(stops.errors, soft_error);
    EXPECT_EQ(stops.error_ports, 1u) << "of the output";
    upset_router late = with_codes({{50, {upset_memory::credits, 0, 0}}}, 0, 0, parity);
    late.send(10, 0, 0, 1);
    late.run();
    EXPECT_EQ(late.errors, soft_error) << "though nobody sends";
    late.reset();
    late.arrived.clear();
    late.run(40);
    ASSERT_EQ(late.arrived.size(), 1u);
    EXPECT_EQ(late.arrived[0].vc, 0u);
}

TEST(faulty_router, words_of_its_memories) {
    using hw::chips::memory_shape;
    const auto is = [](const router_params& params, upset_memory memory, std::uint64_t words, unsigned bits) {
        const memory_shape shape = shape_of(params, memory);
        EXPECT_EQ(shape.words, words) << name_of(memory);
        EXPECT_EQ(shape.bits, bits) << name_of(memory);
    };
    is(table_params(), upset_memory::buffer, 4 * 2 * 4, 128);
    is(table_params(), upset_memory::routes, 8, 4);
    is(table_params(), upset_memory::reach, 0, 0);
    is(table_params(), upset_memory::credits, 8, 16);
    is(mesh_params(), upset_memory::routes, 0, 0);
    router_params coded = table_params();
    coded.protect_buffers = coded.protect_credits = secded;
    coded.protect_routes = parity;
    is(coded, upset_memory::buffer, 4 * 2 * 4, 128 + 4 * 7);
    is(coded, upset_memory::routes, 8, 4 + 1);
    is(coded, upset_memory::credits, 8, 16 + 7);
}

}  // namespace
}  // namespace polycast::testbench::unit
