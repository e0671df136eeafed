// SPDX-License-Identifier: Apache-2.0
// What registers change about routing (selections, tree_up, rewrite), and headers as large and as small as they come.
#include "hw/input_error.h"
#include "testbench/unit/hw/chips/switch/worm_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::format::selection;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr worm_case beside{model::core, true, 1};

byte_list tree_header(unsigned hosts, bool up = true) {
    byte_list header = common_bytes(1, up);
    header.push_back(static_cast<std::uint8_t>(hosts));
    return header;
}

byte_list unicast_header(unsigned host, bool up = true) {
    byte_list header = common_bytes(0, up);
    header.insert(header.end(), {static_cast<std::uint8_t>(host), 0, 0});
    return header;
}

struct switch_route_choices : testing::TestWithParam<model> {
    switch_bench worm_bench(const switch_tables& tables, worm_case which = beside) const {
        return {GetParam(), worm_params(which), tables};
    }

    /// Sends the packets one after the other, far apart, and lists the ports by which they leave.
    std::vector<unsigned> ports_taken(const switch_tables& tables, const std::vector<byte_list>& headers,
                                      const std::vector<unsigned>& inputs = {}) const {
        switch_bench switch_ = worm_bench(tables);
        for (std::size_t index = 0; index < headers.size(); ++index) {
            const unsigned input = inputs.empty() ? 1 : inputs[index];
            switch_.send(1 + 40 * index, input, switch_.assemble(headers[index], 2));
        }
        switch_.run(40 * headers.size() + 40);
        EXPECT_THAT(switch_.errors, IsEmpty());
        std::vector<unsigned> ports;
        for (const seen_flit& flit : switch_.flits) {
            if (flit.head) ports.push_back(flit.port);
        }
        return ports;
    }

    // All of these are as well off by port 3 as by 4.
    const byte_list to_3 = ssr_header({3, 1});
    const byte_list path_to_3 = path_header({{3, 1}}, 0);
    const byte_list past_here = path_header({{2, 0}, {3, 1}}, 0);  // as the advancing copy
    const byte_list upwards = tree_header(0x80);
};

TEST_P(switch_route_choices, least_loaded) {
    // No credit comes back: each packet leaves one chunk outstanding.
    EXPECT_THAT(ports_taken(worm_tables(), {to_3, to_3, path_to_3, past_here, to_3}), ElementsAre(3, 4, 3, 4, 3));
    switch_tables tables = worm_tables();
    tables.credits[3] = 50;  // what is outstanding counts, not what is left
    EXPECT_THAT(ports_taken(tables, {to_3, past_here, past_here}), ElementsAre(3, 4, 3));
}

TEST_P(switch_route_choices, least_loaded_prefers_what_is_not_held) {
    for (const byte_list& header : {to_3, path_to_3, past_here}) {
        switch_bench switch_ = worm_bench(worm_tables());
        const link_packet slow = switch_.assemble(ssr_header({6, 1}), 2);
        switch_.flit(1, 0, slow.flits[0], true, false, slow.header);
        switch_.send(20, 1, switch_.assemble(header, 2));
        switch_.run(40);
        EXPECT_EQ(switch_.times_of(4), in_a_row(22, 2));
    }
}

TEST_P(switch_route_choices, deterministic) {
    switch_tables tables = worm_tables();
    tables.selection = selection::deterministic;
    EXPECT_THAT(ports_taken(tables, {to_3, path_to_3, past_here, to_3}), ElementsAre(3, 3, 3, 3));
}

TEST_P(switch_route_choices, round_robin_has_one_pointer_per_input_for_all_choices) {
    switch_tables tables = worm_tables();
    tables.selection = selection::round_robin;
    tables.up_selection = selection::round_robin;
    EXPECT_THAT(ports_taken(tables, {to_3, path_to_3, past_here, upwards, to_3}), ElementsAre(3, 4, 3, 4, 3));
    EXPECT_THAT(ports_taken(tables, {to_3, past_here, past_here}, {0, 1, 0}), ElementsAre(3, 3, 4));
    // Every choice counts, also among one (a unicast to port 0, a worm that goes on to switch 6 by port 3) ..
    EXPECT_THAT(ports_taken(tables, {to_3, unicast_header(0), to_3}), ElementsAre(3, 0, 3));
    EXPECT_THAT(ports_taken(tables, {path_header({{2, 0}, {6, 1}}, 0), to_3}), ElementsAre(3, 4));
    // .. but copies at a stop are none, nor is where nothing leads on.
    EXPECT_THAT(ports_taken(tables, {to_3, ssr_header({2, 0b100}), to_3}), ElementsAre(3, 2, 4));
    EXPECT_THAT(ports_taken(tables, {to_3, path_header({{5, 1}, {2, 0b1}}, 1), to_3}), ElementsAre(3, 0, 4));
}

TEST_P(switch_route_choices, up_selection_is_for_tree_worms_only) {
    switch_tables tables = worm_tables();
    tables.selection = selection::deterministic;
    tables.up_selection = selection::round_robin;
    EXPECT_THAT(ports_taken(tables, {upwards, to_3, upwards, to_3, upwards, past_here}), ElementsAre(3, 3, 4, 3, 3, 3));
    std::swap(tables.selection, tables.up_selection);
    EXPECT_THAT(ports_taken(tables, {upwards, to_3, upwards, to_3, upwards, past_here}), ElementsAre(3, 3, 3, 4, 3, 3));
    tables.up_selection = selection::least_loaded;
    EXPECT_THAT(ports_taken(tables, {upwards, upwards, to_3, upwards}), ElementsAre(3, 4, 3, 4));
}

TEST_P(switch_route_choices, tree_up_limits_tree_worms_only) {
    switch_tables tables = worm_tables();
    tables.tree_up = 0b010000;
    EXPECT_THAT(ports_taken(tables, {upwards, upwards, to_3, to_3, ssr_header({6, 1})}), ElementsAre(4, 4, 3, 3, 3));
    tables.tree_up = 0b001111;  // bits of ports that lead down make no up port of them
    EXPECT_THAT(ports_taken(tables, {upwards, upwards}), ElementsAre(3, 3));
}

TEST_P(switch_route_choices, without_a_tree_up_port_worms_turn_here) {
    switch_tables tables = worm_tables();
    tables.tree_up = ~std::uint64_t{0b011000};
    for (const bool rewrite : {false, true}) {
        tables.rewrite = rewrite;
        switch_bench switch_ = worm_bench(tables);
        switch_.send(1, 1, switch_.assemble(tree_header(0b1000'0001), 1));
        switch_.send(21, 1, switch_.assemble(tree_header(0b1000'0000), 1));
        switch_.run(40);
        EXPECT_THAT(switch_.errors,
                    ElementsAre(seen_error{2, 1, chip_error::partial_route}, seen_error{22, 1, chip_error::no_route}));
        ASSERT_EQ(switch_.flits.size(), 1u);
        EXPECT_EQ(switch_.flits[0].port, 0u);
        EXPECT_EQ(switch_.flits[0].header[10], rewrite ? 0b0000'0001 : 0b1000'0001);
    }
}

TEST_P(switch_route_choices, without_rewriting_worms_keep_their_string) {
    for (const bool free : {false, true}) {
        const worm_case which{GetParam(), free, 1};
        switch_tables tables = worm_tables();
        tables.tree_header_flits = free ? 1 : 11;
        for (const bool rewrite : {false, true}) {
            for (const bool up : {false, true}) {
                tables.rewrite = rewrite;
                switch_bench switch_ = worm_bench(tables, which);
                const link_packet sent = switch_.assemble(tree_header(0b101, up), 3);
                switch_.send(1, 1, sent);
                switch_.run(60);
                EXPECT_THAT(switch_.errors, IsEmpty());
                EXPECT_THAT(switch_.flits_of(1), IsEmpty());
                for (const unsigned port : {0u, 2u}) {
                    const byte_list expected = tree_header(rewrite ? 1u << port : 0b101u, false);
                    EXPECT_EQ(bytes_of(switch_.flits_of(port)), bytes_of(expected, sent, switch_));
                }
            }
        }
    }
}

TEST_P(switch_route_choices, without_rewriting_hosts_of_others_are_no_error_on_the_way_down) {
    switch_tables tables = worm_tables();
    for (const bool rewrite : {false, true}) {
        tables.rewrite = rewrite;
        switch_bench switch_ = worm_bench(tables);
        switch_.send(1, 1, switch_.assemble(tree_header(0b1111'0001, false), 1));
        switch_.send(21, 1, switch_.assemble(tree_header(0b1111'0000, false), 1));
        switch_.run(40);
        std::vector<seen_error> expected{{22, 1, chip_error::no_route}};
        if (rewrite) expected.insert(expected.begin(), {2, 1, chip_error::partial_route});
        EXPECT_EQ(switch_.errors, expected);
        EXPECT_EQ(switch_.flits_of(0).size(), 1u);
    }
}

TEST_P(switch_route_choices, the_register_is_about_strings_of_tree_worms_only) {
    switch_tables tables = worm_tables();
    tables.rewrite = false;
    switch_bench switch_ = worm_bench(tables);
    switch_.send(1, 1, switch_.assemble(path_header({{2, 1}, {5, 1}}, 0), 1));
    switch_.run(20);
    ASSERT_EQ(switch_.times_of(0).size(), 1u);
    ASSERT_EQ(switch_.times_of(2).size(), 1u);
    EXPECT_EQ(switch_.flits_of(0).front().header[0], 0x03);
    EXPECT_EQ(switch_.flits_of(0).front().header[11], 0);
    EXPECT_EQ(switch_.flits_of(2).front().header[0], 0x03);
    EXPECT_EQ(switch_.flits_of(2).front().header[11], 1);
}

// 64 ports, strings of 64 bits, lists of 255 stops: the far ends of all fields.
TEST_P(switch_route_choices, as_large_as_it_gets) {
    for (const bool free : {false, true}) {
        switch_params params = worm_params({GetParam(), free, 16});
        params.ports = 64;
        params.read_ports = 64;
        params.chunks = 60;
        params.header_ports = 64;
        params.header_stops = 255;
        params.max_switches = 65536;
        switch_tables tables = worm_tables();
        tables.packet_limit = 400;
        tables.port_direction.assign(64, hw::format::direction::down);
        tables.port_direction[62] = hw::format::direction::up;
        tables.buffer_chunks.assign(64, 60);
        tables.credits.assign(64, 60);
        tables.reach_port.assign(64, {0});
        tables.switch_number = 0xffff;
        tables.switch_up.edit().resize(65536);
        tables.switch_up.edit()[0xfffe] = std::uint64_t{1} << 62;
        const std::uint64_t ends = std::uint64_t{1} << 63 | 1;
        std::vector<stop> stops(255, stop{0xfffe, 1});
        for (const unsigned at : {0u, 253u, 254u}) {
            const std::vector<stop> before = stops;
            stops[at] = {0xffff, ends};
            switch_bench switch_(GetParam(), params, tables);
            const byte_list header = path_header(stops, at, true, 64);
            const link_packet sent = switch_.assemble(header, 3);
            switch_.send(1, 33, sent);
            switch_.run(600);
            EXPECT_THAT(switch_.errors, IsEmpty());
            std::vector<seen_copy> copies{{0, false, at}, {63, false, at}};
            if (at != 254) copies.push_back({62, true, at + 1});
            for (const seen_copy& copy : copies) {
                EXPECT_EQ(bytes_of(switch_.flits_of(copy.port)), bytes_of(rewritten(header, copy), sent, switch_))
                    << at << " " << copy.port;
            }
            EXPECT_EQ(switch_.flits.size(), copies.size() * sent.flits.size());
            stops = before;
        }
    }
}

// One switch, one stop, ports that headers cannot name: a string shorter than the switch has ports.
TEST_P(switch_route_choices, as_small_as_it_gets) {
    switch_params params = worm_params(beside);
    params.ports = 12;
    params.read_ports = 12;
    params.max_switches = 1;
    params.header_stops = 1;
    params.max_hosts = 1;
    switch_tables tables = worm_tables();
    tables.port_direction.assign(12, hw::format::direction::down);
    tables.buffer_chunks.assign(12, 20);
    tables.credits.assign(12, 20);
    tables.reach_port.assign(12, {0});
    tables.unicast_up.edit().assign(1, 0);
    tables.unicast_down.edit().assign(1, 0);
    tables.switch_number = 0;
    tables.switch_up.edit().clear();  // a table may be shorter than max_switches
    tables.switch_down.edit().clear();
    switch_bench switch_(GetParam(), params, tables);
    EXPECT_EQ(params.pin_shape().header_bytes, 15u + 24u + 4u);
    switch_.send(1, 1, switch_.assemble(ssr_header({0, 0x81}), 1));
    switch_.send(21, 1, switch_.assemble(path_header({{0, 0x10}}, 0), 1));
    switch_.send(41, 1, switch_.assemble(ssr_header({1, 1}), 1));
    byte_list two = path_header({{0, 1}}, 0);
    two[10] = 2;
    switch_.send(61, 1, switch_.assemble(two, 1));
    switch_.run(100);
    std::vector<unsigned> ports;
    for (const seen_flit& flit : switch_.flits) ports.push_back(flit.port);
    EXPECT_THAT(ports, ElementsAre(0, 7, 4));
    EXPECT_THAT(switch_.errors,
                ElementsAre(seen_error{42, 1, chip_error::no_route}, seen_error{62, 1, chip_error::no_route}));
}

INSTANTIATE_TEST_SUITE_P(, switch_route_choices, testing::Values(model::core, model::golden), model_name);

TEST(switch_route_parameters, out_of_range_is_refused) {
    const auto made = [](auto change) {
        switch_params params = worm_params(beside);
        switch_tables tables = worm_tables();
        change(params, tables);
        hw::chips::switch_core{params, tables};
    };
    const auto refused = [&](auto change) { EXPECT_THROW(made(change), hw::input_error); };
    refused([](switch_params& p, switch_tables&) { p.max_switches = 0; });
    refused([](switch_params& p, switch_tables&) { p.max_switches = 65537; });
    refused([](switch_params& p, switch_tables&) { p.max_switches = 299; });  // the tables have 300 entries
    for (const unsigned ports : {0u, 4u, 9u, 12u, 72u}) {
        refused([&](switch_params& p, switch_tables&) { p.header_ports = ports; });
    }
    refused([](switch_params& p, switch_tables&) { p.header_stops = 0; });
    refused([](switch_params& p, switch_tables&) { p.header_stops = 256; });
    refused([](switch_params&, switch_tables& t) { t.switch_number = 300; });
    refused([](switch_params&, switch_tables& t) { t.switch_up.edit().resize(301); });
    refused([](switch_params&, switch_tables& t) { t.switch_down.edit().resize(301); });
    EXPECT_NO_THROW(made([](switch_params& p, switch_tables& t) {
        p.max_switches = 65536;
        t.switch_number = 65535;
    }));
    EXPECT_NO_THROW(made([](switch_params& p, switch_tables&) { p.header_ports = 64, p.header_stops = 255; }));
}

}  // namespace
}  // namespace polycast::testbench::unit
