// SPDX-License-Identifier: Apache-2.0
// The counts that keep a comparison from being empty must count what they say, and nothing else.
#include "testbench/equivalence/switch_watch.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "hw/format/route.h"
#include "testbench/equivalence/contenders.h"
#include "testbench/equivalence/soak.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::engine::chip_probe;
using hw::engine::pins;
using hw::format::direction;
using hw::format::stop;

using count_map = std::map<std::string, std::uint64_t>;

/// Two ports down, one up, one open; header beside the flits; this is switch 1 of 3.
hw::chips::switch_params params() {
    hw::chips::switch_params made;
    made.ports = 4;
    made.read_ports = 4;
    made.chunks = 10;
    made.max_hosts = 8;
    made.header_free = true;
    made.max_switches = 3;
    made.header_stops = 3;
    return made;
}

hw::chips::switch_tables tables() {
    hw::chips::switch_tables made;
    made.switch_number = 1;
    made.packet_limit = 40;
    made.port_direction = {direction::down, direction::down, direction::up, direction::open};
    made.buffer_chunks.assign(4, 10);
    made.credits.assign(4, 40);
    made.unicast_up.edit().assign(8, 1);
    made.unicast_down.edit().assign(8, 1);
    made.switch_up = {0b0101, 0, 0b0010};
    made.switch_down = {0b0100, 0, 0b0010};
    made.reach_total = {0b011};
    made.reach_port = {{0b001}, {0b010}, {0}, {0}};
    return made;
}

/// Counts above zero after a core has had these packets, one after the other, of one flit each.
count_map counts_after(const hw::chips::switch_tables& with, const std::vector<hw::format::route>& routes,
                       bool up = true, unsigned next = 0) {
    const std::unique_ptr<hw::engine::chip> core = core_contender().make(params(), with);
    switch_watch watch(params(), with);
    const hw::engine::pin_shape shape = params().pin_shape();
    pins in(shape);
    pins out(shape);
    chip_probe before;
    chip_probe after;
    core->probe(after);
    for (hw::engine::cycle now = 0; now < routes.size() * 10 + 10; ++now) {
        in.clear();
        out.clear();
        if (now % 10 == 0 && now / 10 < routes.size()) {
            const hw::format::route& to = routes[now / 10];
            in.valid = in.head = in.tail = 1;
            std::ranges::fill(in.header, std::uint8_t{0});
            hw::format::write_common({to.kind, up, 1, 2, 3}, in.header.data());
            std::ranges::copy(to.field, in.header.begin() + hw::format::common_header_bytes);
            if (next != 0) in.header[hw::format::path_next_field.offset / 8] = static_cast<std::uint8_t>(next);
        }
        core->step(now, in, out);
        before = after;
        core->probe(after);
        watch.see(in, out, before, after);
    }
    count_map found;
    for (const auto& [name, count] : watch.counts().list()) {
        if (count != 0) found[name] = count;
    }
    return found;
}

hw::format::route path(const std::vector<stop>& stops) {
    return hw::format::path_route(params().header_shape(), stops);
}

hw::format::route ssr(const stop& where) {
    return hw::format::ssr_route(params().header_shape(), where);
}

hw::format::route tree(const std::vector<std::uint32_t>& hosts) {
    return hw::format::tree_route(params().header_shape(), hosts);
}

TEST(switch_watch, unicasts_and_unknown_kinds) {
    EXPECT_EQ(counts_after(tables(), {hw::format::unicast_route(1), hw::format::unicast_route(9)}),
              (count_map{{"unicast forwarded", 1}, {"unicast came_down", 1}, {"unicast no_route", 1}}));
    EXPECT_EQ(counts_after(tables(), {{static_cast<hw::format::packet_kind>(9), {}}}),
              (count_map{{"unknown bad_kind", 1}}));
}

TEST(switch_watch, tree_worms) {
    hw::chips::switch_tables with = tables();
    EXPECT_EQ(counts_after(with, {tree({0, 1})}), (count_map{{"tree copied", 1}, {"tree came_down", 1}}));
    EXPECT_EQ(counts_after(with, {tree({0, 5})}), (count_map{{"tree forwarded", 1}, {"tree went_up", 1}}));
    with.rewrite = false;
    EXPECT_EQ(counts_after(with, {tree({0, 5})}, false),
              (count_map{{"tree forwarded", 1}, {"string_kept", 1}, {"others_kept_silently", 1}}));
    with.tree_up = 0;
    EXPECT_EQ(counts_after(with, {tree({5})}), (count_map{{"tree no_route", 1}, {"tree_up_forbids", 1}}));
    with.port_direction[3] = direction::up;
    with.tree_up = 0b1000;
    with.up_selection = hw::format::selection::round_robin;
    EXPECT_EQ(counts_after(with, {tree({5})}),
              (count_map{{"tree forwarded", 1}, {"tree went_up", 1}, {"tree_up_narrows", 1}}));
    with.tree_up = ~std::uint64_t{0};
    EXPECT_EQ(counts_after(with, {tree({5})}),
              (count_map{{"tree forwarded", 1}, {"tree went_up", 1}, {"up_round_robin", 1}}));
}

TEST(switch_watch, stops) {
    EXPECT_EQ(counts_after(tables(), {ssr({0, 1})}),
              (count_map{{"ssr forwarded", 1}, {"ssr came_down", 1}, {"free_header", 1}, {"stop_least_loaded", 1}}));
    EXPECT_EQ(counts_after(tables(), {ssr({1, 0b11})}),
              (count_map{{"ssr copied", 1}, {"ssr came_down", 1}, {"free_header", 1}}));
    EXPECT_EQ(counts_after(tables(), {ssr({1, 0b11101})}), (count_map{{"ssr forwarded", 1},
                                                                      {"ssr came_down", 1},
                                                                      {"ssr partial_route", 1},
                                                                      {"free_header", 1},
                                                                      {"string_names_up", 1},
                                                                      {"string_names_open", 1},
                                                                      {"string_names_beyond", 1}}));
    EXPECT_EQ(counts_after(tables(), {ssr({0, 1})}, false),
              (count_map{{"ssr no_route", 1}, {"free_header", 1}, {"masked_by_up_bit", 1}}));
    EXPECT_EQ(counts_after(tables(), {ssr({3, 1})}),
              (count_map{{"ssr no_route", 1}, {"free_header", 1}, {"no_such_switch", 1}}));
}

TEST(switch_watch, lists) {
    const auto met = [](const std::vector<stop>& stops, const std::string& what, unsigned next = 0, bool up = true) {
        return counts_after(tables(), {path(stops)}, up, next).contains(what);
    };
    const std::vector<std::pair<std::string, bool>> cases{
        {"copies_and_onward", met({{1, 1}, {2, 1}}, "copies_and_onward")},
        {"onward_in_string", met({{1, 0b11}, {2, 1}}, "onward_in_string")},
        {"onward_alone", met({{1, 0b100}, {2, 1}}, "onward_alone")},
        {"onward_missing", met({{1, 1}, {1, 1}}, "onward_missing")},
        {"last_stop", met({{2, 1}, {1, 1}}, "last_stop", 1)},
        {"middle_of_list", met({{2, 1}, {2, 1}, {2, 1}}, "middle_of_list", 1)},
        {"list_past_end", met({{2, 1}}, "list_past_end", 1)},
    };
    for (const auto& [name, seen] : cases) EXPECT_TRUE(seen) << name;
    EXPECT_FALSE(met({{1, 1}, {2, 1}}, "onward_in_string"));
    EXPECT_FALSE(met({{1, 0b11}, {2, 1}}, "copies_and_onward"));
    EXPECT_FALSE(met({{1, 1}}, "last_stop"));
    EXPECT_FALSE(met({{2, 1}, {2, 1}}, "middle_of_list", 1));
    for (const auto& [stops, name] : {std::pair{0, "list_empty"}, {4, "list_too_long"}}) {
        hw::format::route changed = path({{1, 1}});
        changed.field[0] = static_cast<std::uint8_t>(stops);
        EXPECT_EQ(counts_after(tables(), {changed}), (count_map{{"path no_route", 1}, {"free_header", 1}, {name, 1}}));
    }
}

TEST(switch_watch, names_are_distinct) {
    std::set<std::string> names;
    for (const auto& [name, count] : decision_counts{}.list()) EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(names.size(), 54u);
}

/// A run of a few cycles is good, but not if it has to meet everything.
void expect_coverage_demanded(const std::map<std::string, contender_pair>& pairs, const std::string& name) {
    soak_options options;
    options.pairs = {name};
    options.configurations = 1;
    options.cycles = 50;
    options.seed = 1;
    const std::atomic<bool> never{false};
    EXPECT_EQ(soak(
                  options, pairs, [](const auto&...) {}, never),
              0);
    options.demand_coverage = true;
    EXPECT_EQ(soak(
                  options, pairs, [](const auto&...) {}, never),
              1);
}

TEST(soak, demanding_coverage_fails_a_run_that_met_too_little) {
    const std::map<std::string, contender_pair> pairs{
        {"core-golden", switch_pair(core_contender(), golden_contender())},
        {"router-core-golden", router_pair(router_core_contender(), router_golden_contender())}};
    for (const auto& [name, pair] : pairs) expect_coverage_demanded(pairs, name);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
