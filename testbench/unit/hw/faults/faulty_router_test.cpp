// SPDX-License-Identifier: Apache-2.0
// Stored bits of a router that flip: what comes of each, in the cycle in which it does.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>

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
    explicit upset_router(std::vector<timed_upset> upsets, const router_tables& tables = table_tables())
        : chip_(std::make_unique<router_core>(params_, tables), std::move(upsets)),
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

    /// Place `place` of input virtual channel `vc` of port 3.
    static std::uint32_t place(unsigned vc, unsigned place) {
        const router_params params = table_params();
        return (3 * params.vcs + vc) * params.vc_flits + place;
    }

    static constexpr unsigned last = 15;  ///< byte of a flit
    std::vector<out_flit> arrived;
    unsigned errors = 0;

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

    router_params params_ = table_params();
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
}

}  // namespace
}  // namespace polycast::testbench::unit
