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
    explicit upset_bench(std::vector<timed_upset> upsets, switch_params params = make_params())
        : params_(params),
          chip_(std::make_unique<switch_core>(params_, make_tables()), std::move(upsets)),
          in_(chip_.shape()),
          out_(chip_.shape()) {
        header_.resize(params_.pin_shape().header_bytes);
        hw::format::write_common(
            {.kind = hw::format::packet_kind::unicast, .up = false, .source = 1, .sequence = 0, .length = 4},
            header_.data());
        hw::format::write_field<hw::format::destination_field>(header_.data(), 0);
    }

    static switch_params make_params() {
        switch_params params = small_params();
        params.header_free = true;
        return params;
    }
    static switch_params with_codes(unsigned buffers, unsigned routes, unsigned credits) {
        switch_params params = make_params();
        params.protect_buffers = buffers;
        params.protect_routes = routes;
        params.protect_credits = credits;
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

    void reset() {
        chip_.reset();
        wake_ = 0;
    }

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

TEST(faulty_chip, a_kind_that_flips_while_its_header_waits_does_not_shorten_it) {
    // Packets to hosts 2 and 1 from port 3, headers in the flits. While the first one is stuck, the kind of the second
    // becomes 8, which no packet has, and of which only the common part would count: its destination counts
    // nevertheless.
    switch_params params = small_params();
    switch_tables tables = small_tables();
    tables.selection = hw::format::selection::deterministic;
    const auto run = [&](bool flips) {
        std::vector<std::uint8_t> header(hw::format::unicast_header_bytes);
        hw::format::write_common(
            {.kind = hw::format::packet_kind::unicast, .up = true, .source = 1, .sequence = 0, .length = 4},
            header.data());
        const auto flits = static_cast<unsigned>((header.size() + params.flit_bytes - 1) / params.flit_bytes) + 1;
        const unsigned chunks = (flits + params.chunk_flits - 1) / params.chunk_flits;
        const std::uint32_t second = (3 * params.chunks + chunks) * params.chunk_flits;
        std::vector<timed_upset> upsets{{5, {upset_memory::credits, 2, 15}}, {100, {upset_memory::credits, 2, 15}}};
        if (flips) upsets.push_back({90, {upset_memory::buffer, second, 3}});
        faulty_chip chip(std::make_unique<switch_core>(params, tables), std::move(upsets));
        pins in(chip.shape()), out(chip.shape());
        std::vector<std::pair<unsigned, cycle>> arrived;
        for (cycle now = 0; now < 200; ++now) {
            in.clear();
            out.clear();
            if (now >= 10 && now < 10 + 2 * flits) {
                const auto flit = static_cast<unsigned>(now - 10) % flits;
                hw::format::write_field<hw::format::destination_field>(header.data(), now < 10 + flits ? 2 : 1);
                in.valid = 8;
                in.head = flit == 0 ? 8 : 0;
                in.tail = flit + 1 == flits ? 8 : 0;
                for (unsigned byte = 0; byte < params.flit_bytes; ++byte) {
                    const unsigned at = flit * params.flit_bytes + byte;
                    in.data[3 * params.flit_bytes + byte] = at < header.size() ? header[at] : 0;
                }
            }
            chip.step(now, in, out);
            for (unsigned port = 0; port < params.ports; ++port)
                if ((out.valid >> port & 1) != 0) arrived.emplace_back(port, now);
        }
        return arrived;
    };
    const auto good = run(false);
    ASSERT_FALSE(good.empty());
    EXPECT_EQ(good.back().first, 1u);
    EXPECT_EQ(run(true), good);
}

TEST(faulty_chip, routes_of_four_tables) {
    switch_core hit(upset_bench::make_params(), upset_bench::make_tables());
    pins in(hit.shape()), out(hit.shape());
    for (unsigned table = 0; table < 4; ++table) {
        const chip_upset what{upset_memory::routes, 4 * 5 + table, table};
        hit.step_upset(table, in, out, &what);
    }
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
    const chip_upset total{upset_memory::reach, 0, 2}, of_port{upset_memory::reach, 2, 5};
    EXPECT_EQ(hit.step_upset(3, in, out, &total), 4u);
    hit.step_upset(4, in, out, &of_port);
    EXPECT_EQ(hit.tables().reach_total[0], tables.reach_total[0] ^ 4);
    EXPECT_EQ(hit.tables().reach_port[1][0], tables.reach_port[1][0] ^ 32);
    EXPECT_EQ(other.tables().reach_total[0], tables.reach_total[0]);
    EXPECT_EQ(other.tables().reach_port[1][0], tables.reach_port[1][0]);
}

constexpr unsigned parity = 1, secded = 2;
constexpr auto soft_error = static_cast<unsigned>(chip_error::soft_error);

TEST(faulty_chip, a_code_of_flits_corrects_one_flip_and_finds_two) {
    // The output has no credits from 6 to 40: flits wait in the buffer.
    const std::uint32_t first = first_flit_of_port_3();
    const auto wait = [](std::vector<timed_upset> more) {
        more.insert(more.end(), {{5, {upset_memory::credits, 0, 15}}, {40, {upset_memory::credits, 0, 15}}});
        return more;
    };
    upset_bench corrects(wait({{22, {upset_memory::buffer, first + 5, 3}}, {23, {upset_memory::buffer, first + 6, 8}}}),
                         upset_bench::with_codes(secded, 0, 0));
    corrects.run();
    ASSERT_EQ(corrects.arrived.size(), 8u);
    for (unsigned flit = 0; flit < 8; ++flit) EXPECT_EQ(corrects.arrived[flit].data, 10 + flit) << flit;
    EXPECT_EQ(corrects.errors, 0u);
    EXPECT_EQ(corrects.damage().corrected, 2u) << "the second one is a check bit";
    // The same bit again: all is as it was.
    upset_bench back(wait({{22, {upset_memory::buffer, first + 5, 3}}, {23, {upset_memory::buffer, first + 5, 3}}}),
                     upset_bench::with_codes(secded, 0, 0));
    back.run();
    EXPECT_EQ(back.damage().corrected, 0u);
    upset_bench finds(wait({{22, {upset_memory::buffer, first + 5, 3}}, {23, {upset_memory::buffer, first + 5, 0}}}),
                      upset_bench::with_codes(secded, 0, 0));
    finds.run(44);
    EXPECT_EQ(finds.errors, 0u) << "it is found when it is read";
    finds.reset();
    upset_bench late(wait({{22, {upset_memory::buffer, first + 5, 3}}, {23, {upset_memory::buffer, first + 5, 0}}}),
                     upset_bench::with_codes(secded, 0, 0));
    late.run();
    ASSERT_EQ(late.arrived.size(), 8u);
    EXPECT_EQ(late.arrived[5].data, 15 ^ 8 ^ 1) << "it goes on unchanged";
    EXPECT_EQ(late.errors, soft_error);
    EXPECT_EQ(late.damage().corrected, 0u);
    upset_bench odd(wait({{22, {upset_memory::buffer, first + 5, 3}}}), upset_bench::with_codes(parity, 0, 0));
    odd.run();
    ASSERT_EQ(odd.arrived.size(), 8u);
    EXPECT_EQ(odd.arrived[5].data, 15 ^ 8);
    EXPECT_EQ(odd.errors, soft_error);
}

TEST(faulty_chip, a_code_of_routes_corrects_what_is_read_and_not_the_table) {
    upset_bench corrects({{9, {upset_memory::routes, 1, 0}}}, upset_bench::with_codes(0, secded, 0));
    corrects.run();
    EXPECT_EQ(corrects.arrived.size(), 8u);
    EXPECT_EQ(corrects.errors, 0u);
    EXPECT_EQ(corrects.damage().corrected, 1u);
    const unsigned empty = soft_error | static_cast<unsigned>(chip_error::no_route);
    upset_bench twice({{8, {upset_memory::routes, 1, 5}}, {9, {upset_memory::routes, 1, 6}}},
                      upset_bench::with_codes(0, secded, 0));
    twice.run();
    EXPECT_TRUE(twice.arrived.empty());
    EXPECT_EQ(twice.errors, empty);
    upset_bench odd({{9, {upset_memory::routes, 1, 4}}}, upset_bench::with_codes(0, parity, 0));
    odd.run();
    EXPECT_EQ(odd.errors, empty) << "its check bit: the ports are right";
    upset_bench other({{9, {upset_memory::routes, 0, 0}}}, upset_bench::with_codes(0, parity, 0));
    other.run();
    EXPECT_EQ(other.arrived.size(), 8u);
    EXPECT_EQ(other.errors, 0u) << "nobody reads that entry";
}

TEST(faulty_chip, a_code_of_credits_corrects_or_stops_the_output_until_reset) {
    upset_bench good({});
    good.run();
    upset_bench corrects({{5, {upset_memory::credits, 0, 15}}, {6, {upset_memory::credits, 0, 16}}},
                         upset_bench::with_codes(0, 0, secded));
    corrects.run();
    EXPECT_EQ(corrects.arrived, good.arrived);
    EXPECT_EQ(corrects.damage().corrected, 2u);
    EXPECT_EQ(corrects.errors, 0u);
    upset_bench stops({{5, {upset_memory::credits, 0, 0}}, {7, {upset_memory::credits, 0, 0}}},
                      upset_bench::with_codes(0, 0, parity));
    stops.credit_at = 20;
    stops.run();
    EXPECT_TRUE(stops.arrived.empty());
    EXPECT_EQ(stops.errors, soft_error) << "and no credit_overflow";
    stops.reset();
    stops.credit_at = hw::engine::never;
    stops.run();
    EXPECT_EQ(stops.arrived.size(), 0u) << "the same bits flip again";
    upset_bench until_reset({{50, {upset_memory::credits, 0, 0}}}, upset_bench::with_codes(0, 0, parity));
    until_reset.run();
    EXPECT_EQ(until_reset.arrived.size(), 8u);
    EXPECT_EQ(until_reset.errors, soft_error);
}

TEST(faulty_chip, a_code_of_strings_corrects_or_empties_them) {
    const switch_tables tables = upset_bench::make_tables();
    const chip_upset total{upset_memory::reach, 0, 2}, of_port{upset_memory::reach, 2, 5};
    switch_core corrects(upset_bench::with_codes(0, secded, 0), tables);
    pins in(corrects.shape()), out(corrects.shape());
    corrects.step_upset(3, in, out, &total);
    EXPECT_EQ(corrects.step_upset(4, in, out, nullptr), 5u);
    EXPECT_EQ(corrects.tables().reach_total, tables.reach_total);
    hw::engine::chip_probe probe;
    corrects.probe(probe);
    EXPECT_EQ(probe.inputs[0].corrected, 1u);
    EXPECT_EQ(out.error, 0u);
    corrects.step_upset(5, in, out, &of_port);
    corrects.step_upset(6, in, out, nullptr);
    corrects.probe(probe);
    EXPECT_EQ(probe.inputs[0].corrected, 1u);
    EXPECT_EQ(probe.inputs[1].corrected, 1u);

    switch_core empties(upset_bench::with_codes(0, parity, 0), tables);
    empties.step_upset(3, in, out, &of_port);
    EXPECT_EQ(out.error, 0u) << "it is found in the next cycle";
    empties.step_upset(4, in, out, nullptr);
    EXPECT_EQ(out.error, 2u);
    EXPECT_EQ(out.errors[1], soft_error);
    EXPECT_EQ(empties.tables().reach_port[1][0], 0u);
    EXPECT_EQ(empties.tables().reach_total, tables.reach_total);
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
    params.protect_buffers = params.protect_routes = secded;
    params.protect_credits = parity;
    EXPECT_EQ(shape_of(params, upset_memory::buffer).bits, 8 * params.flit_bytes + 7 * ((params.flit_bytes + 3) / 4));
    EXPECT_EQ(shape_of(params, upset_memory::reach).bits, 70u + 3 * 7);
    EXPECT_EQ(shape_of(params, upset_memory::routes).bits, params.ports + 7);
    EXPECT_EQ(shape_of(params, upset_memory::credits).bits, 18u);
    params.max_hosts = 65536;
    EXPECT_EQ(shape_of(params, upset_memory::reach).words, 0u) << "there are no bit strings";
}

}  // namespace
}  // namespace polycast::testbench::unit
