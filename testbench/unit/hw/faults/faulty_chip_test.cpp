// SPDX-License-Identifier: Apache-2.0
// Stored bits of a switch that flip: what comes of each, in the cycle in which it does.
#include "hw/faults/faulty_chip.h"

#include <gtest/gtest.h>

#include <memory>

#include "hw/chips/link/cable_report.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/faults/fault_plan.h"
#include "hw/format/route.h"
#include "testbench/unit/hw/chips/switch/switch_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::chip_upset;
using hw::chips::switch_core;
using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::engine::cycle;
using hw::engine::pins;
using hw::faults::faulty_chip;
using hw::faults::timed_upset;
using hw::format::chip_error;
using hw::format::upset_memory;

/// A switch into whose port 3 one packet of 8 flits to host 0 comes from cycle 10 on, with a free header.
class upset_bench {
public:
    explicit upset_bench(std::vector<timed_upset> upsets, std::uint32_t destination = 0, bool may_go_up = false)
        : params_(make_params()),
          chip_(std::make_unique<switch_core>(params_, make_tables()), std::move(upsets)),
          in_(chip_.shape()),
          out_(chip_.shape()) {
        header_.resize(params_.pin_shape().header_bytes);
        hw::format::write_common(
            {.kind = hw::format::packet_kind::unicast, .up = may_go_up, .source = 1, .sequence = 0, .length = 4},
            header_.data());
        hw::format::write_field<hw::format::destination_field>(header_.data(), destination);
    }

    static switch_params make_params() {
        switch_params params = small_params();
        params.header_free = true;
        return params;
    }
    static switch_tables make_tables() {
        switch_tables tables = small_tables();
        tables.tree_header_flits = 1;
        tables.selection = hw::format::selection::deterministic;
        return tables;
    }

    /// Steps in cycle `now` as the engine does: only where it is asked for, or something arrives.
    void step(cycle now) {
        in_.clear();
        out_.clear();
        if (now >= 10 && now < 18) {
            in_.valid = 8;
            in_.head = now == 10 ? 8 : 0;
            in_.tail = now == 17 ? 8 : 0;
            in_.data[3 * params_.flit_bytes] = static_cast<std::uint8_t>(now);
            if (now == 10)
                std::ranges::copy(header_, in_.header.begin() + static_cast<std::ptrdiff_t>(3 * header_.size()));
        }
        in_.credit = credit_at == now ? 1 : 0;
        if (in_.quiet() && now < wake_) return;
        wake_ = chip_.step(now, in_, out_);
        errors |= out_.error != 0 ? out_.errors[static_cast<unsigned>(std::countr_zero(out_.error))] : 0u;
        for (unsigned port = 0; port < params_.ports; ++port)
            if ((out_.valid >> port & 1) != 0) {
                arrived.push_back({port, now + 1, out_.data[std::size_t{port} * params_.flit_bytes]});
            }
    }
    void run(cycle until = 60) {
        for (cycle now = 0; now < until; ++now) step(now);
    }
    hw::chips::cable_damage damage() const { return hw::chips::cable_report::of(chip_.report()).damage; }

    struct flit {
        unsigned port;
        cycle at;
        std::uint8_t data;
        bool operator==(const flit&) const = default;
    };
    std::vector<flit> arrived;
    unsigned errors = 0;
    cycle credit_at = hw::engine::never;

private:
    switch_params params_;
    faulty_chip chip_;
    pins in_, out_;
    std::vector<std::uint8_t> header_;
    cycle wake_ = 0;
};

std::uint32_t first_flit_of_port_3() {
    const switch_params params = upset_bench::make_params();
    return 3 * params.chunks * params.chunk_flits;
}

TEST(faulty_chip, a_bit_of_a_flit_flips_until_another_is_written) {
    upset_bench good({});
    good.run();
    ASSERT_EQ(good.arrived.size(), 8u);
    // The last flit is written in 17 and read in 18: at the end of 17 it can still be hit, and that of 16 cannot.
    const std::uint32_t first = first_flit_of_port_3();
    upset_bench bad({{17, {upset_memory::buffer, first + 7, 3}}, {16, {upset_memory::buffer, first + 5, 3}}});
    bad.run();
    ASSERT_EQ(bad.arrived.size(), 8u);
    for (unsigned flit = 0; flit < 8; ++flit) {
        EXPECT_EQ(bad.arrived[flit].data, flit == 7 ? (17 ^ 8) : 10 + flit) << flit;
        EXPECT_EQ(bad.arrived[flit].at, good.arrived[flit].at);
    }
    EXPECT_EQ(bad.errors, 0u);
    // Before the flit is written nothing comes of it.
    upset_bench early({{9, {upset_memory::buffer, first, 3}}});
    early.run();
    EXPECT_EQ(early.arrived, good.arrived);
    ASSERT_EQ(early.damage().first.size(), 1u);
    EXPECT_EQ(early.damage().first[0], (hw::chips::cable_damage::record{9, 0, 8, 1, std::uint64_t{first} << 32 | 3}));
}

TEST(faulty_chip, a_route_flips_for_good) {
    // Host 0 is behind port 0: without this bit behind none, with another one behind two.
    upset_bench none({{9, {upset_memory::routes, 1, 0}}});
    none.run();
    EXPECT_TRUE(none.arrived.empty());
    EXPECT_EQ(none.errors, static_cast<unsigned>(chip_error::no_route));
    upset_bench late({{10, {upset_memory::routes, 1, 0}}});
    late.run();
    EXPECT_EQ(late.arrived.size(), 8u) << "it has been read";
    upset_bench other_table({{9, {upset_memory::routes, 0, 0}}});
    other_table.run();
    EXPECT_EQ(other_table.arrived.size(), 8u);
}

TEST(faulty_chip, a_counter_of_credits_that_flips_stops_an_output) {
    // More is outstanding than there ever was: with one credit back still too much.
    upset_bench stopped({{5, {upset_memory::credits, 0, 15}}});
    stopped.credit_at = 20;
    stopped.run();
    EXPECT_TRUE(stopped.arrived.empty());
    EXPECT_EQ(stopped.errors, 0u);
    // The bit flips again: the output reads in the cycle behind, though nothing else wakes it.
    upset_bench again({{5, {upset_memory::credits, 0, 15}}, {40, {upset_memory::credits, 0, 15}}});
    again.run();
    ASSERT_EQ(again.arrived.size(), 8u);
    EXPECT_EQ(again.arrived[0].at, 42u);
    // Fewer: one comes back too much.
    upset_bench fewer({{18, {upset_memory::credits, 0, 0}}});
    fewer.credit_at = 20;
    fewer.run();
    EXPECT_EQ(fewer.errors, static_cast<unsigned>(chip_error::credit_overflow));
}

TEST(faulty_chip, routes_of_four_tables) {
    switch_core hit(upset_bench::make_params(), upset_bench::make_tables());
    pins in(hit.shape()), out(hit.shape());
    for (unsigned table = 0; table < 4; ++table)
        hit.step_upset(table, in, out, {upset_memory::routes, 4 * 5 + table, table});
    EXPECT_EQ(hit.tables().unicast_up[5], 8u ^ 1u);
    EXPECT_EQ(hit.tables().unicast_down[5], 8u ^ 2u);
    // These had no entry for that switch, which is as one without ports.
    EXPECT_EQ(hit.tables().switch_up[5], 4u);
    EXPECT_EQ(hit.tables().switch_down[5], 8u);
    EXPECT_EQ(hit.tables().switch_up[4], 0u);
}

TEST(faulty_chip, other_switches_keep_the_strings_that_they_shared) {
    const switch_tables tables = upset_bench::make_tables();
    switch_core hit(upset_bench::make_params(), tables), other(upset_bench::make_params(), tables);
    pins in(hit.shape()), out(hit.shape());
    EXPECT_EQ(hit.step_upset(3, in, out, {upset_memory::reach, 0, 2}), 4u);
    hit.step_upset(4, in, out, {upset_memory::reach, 2, 5});
    EXPECT_EQ(hit.tables().reach_total[0], tables.reach_total[0] ^ 4);
    EXPECT_EQ(hit.tables().reach_port[1][0], tables.reach_port[1][0] ^ 32);
    EXPECT_EQ(other.tables().reach_total[0], tables.reach_total[0]);
    EXPECT_EQ(other.tables().reach_port[1][0], tables.reach_port[1][0]);
}

TEST(faulty_chip, sizes_of_memories) {
    switch_params params = small_params();
    params.max_hosts = 70;
    params.max_switches = 90;
    EXPECT_EQ(shape_of(params, upset_memory::buffer).words,
              std::uint64_t{params.ports} * params.chunks * params.chunk_flits);
    EXPECT_EQ(shape_of(params, upset_memory::routes).words, 360u);
    EXPECT_EQ(shape_of(params, upset_memory::reach).words, params.ports + 1u);
    EXPECT_EQ(shape_of(params, upset_memory::reach).bits, 70u);
    EXPECT_EQ(shape_of(params, upset_memory::credits).bits, 16u);
    params.max_hosts = 65536;
    EXPECT_EQ(shape_of(params, upset_memory::reach).words, 0u) << "there are no bit strings";
}

}  // namespace
}  // namespace polycast::testbench::unit
