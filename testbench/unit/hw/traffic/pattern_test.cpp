// SPDX-License-Identifier: Apache-2.0
// Patterns of traffic: where messages go among processes of hosts. Those of coordinates: terminals_test.cpp.
#include "hw/traffic/pattern.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "testbench/unit/refusal.h"

namespace polycast::hw::traffic {
namespace {

using testing::HasSubstr;

std::string refused(const pattern_params& params, const pattern_sources& sources) {
    return testbench::unit::refusal([&] { make_pattern(params, sources); });
}

TEST(patterns, all_reach_processes_of_other_hosts_or_are_silent) {
    const pattern_sources sources{.hosts = 16, .processes = 3, .seed = 5};
    for (const pattern_kind* kind : pattern_kinds()) {
        pattern_params params{.name = kind->name, .dimensions = 2, .radix = 4};
        if (kind->hosts) params.hosts = {0, 15};
        const auto where = make_pattern(params, sources);
        random_stream random(1);
        std::set<std::uint32_t> reached;
        for (std::uint32_t source = 0; source < 48; ++source) {
            for (std::uint32_t number = 0; number < 40; ++number) {
                const std::uint32_t to = where->destination(source, number, {random});
                ASSERT_LT(to, 48u) << kind->name;
                EXPECT_NE(where->uniform(source, {random}) / 3, source / 3) << kind->name;
                EXPECT_TRUE(!where->fixed() || to % 3 == source % 3) << kind->name;
                EXPECT_TRUE(!where->silent(source) || to == source) << kind->name;
                EXPECT_TRUE(!where->spread() || to / 3 != source / 3) << kind->name;
                reached.insert(to);
            }
        }
        EXPECT_EQ(reached.size(), 48u) << kind->name;
    }
}

TEST(patterns, a_permutation_is_one_and_comes_from_the_seed) {
    const auto drawn = [](std::uint64_t seed) {
        const auto where = make_pattern({"permutation"}, {.hosts = 50, .seed = seed});
        random_stream random(1);
        std::vector<std::uint32_t> to;
        for (std::uint32_t host = 0; host < 50; ++host) {
            to.push_back(where->destination(host, 0, {random}));
            EXPECT_FALSE(where->silent(host));
        }
        EXPECT_EQ(std::set(to.begin(), to.end()).size(), 50u);
        return to;
    };
    EXPECT_EQ(drawn(1), drawn(1));
    EXPECT_NE(drawn(1), drawn(2));
}

TEST(patterns, each_to_each_begins_with_the_next_host) {
    const auto where = make_pattern({"each_to_each"}, {.hosts = 5});
    random_stream random(1);
    for (std::uint32_t host = 0; host < 5; ++host)
        for (std::uint32_t number = 0; number < 4; ++number)
            EXPECT_EQ(where->destination(host, number, {random}), (host + 1 + number) % 5);
}

TEST(patterns, whole_numbers_are_even_however_they_are_made) {
    for (const bool scaled : {false, true}) {
        random_stream random(3);
        const draws from{random, scaled};
        std::vector<unsigned> counts(7);
        for (unsigned draw = 0; draw < 70000; ++draw) ++counts[from.below(7)];
        // 5 standard deviations: sqrt(10000 * 6 / 7) = 93.
        for (const unsigned count : counts) EXPECT_NEAR(count, 10000, 465);
    }
}

TEST(patterns, say_what_they_need) {
    EXPECT_THAT(refused({"gossip"}, {.hosts = 4}), HasSubstr("there is no traffic pattern 'gossip'"));
    EXPECT_THAT(refused({"uniform"}, {.hosts = 1}), HasSubstr("two hosts"));
    EXPECT_THAT(refused({"hotspot"}, {.hosts = 4}), HasSubstr("without a hotspot"));
    EXPECT_THAT(refused({"hotspot", {4}}, {.hosts = 4}), HasSubstr("hotspot 4 does not exist"));
    EXPECT_THAT(refused({"hotspot", {1}, {{"fraction", 1.5}}}, {.hosts = 4}), HasSubstr("0..1"));
    for (const char* name : {"transpose", "bit_complement", "tornado"})
        EXPECT_THAT(refused({name}, {.hosts = 4}), HasSubstr("needs the coordinates of a mesh or torus")) << name;
}

}  // namespace
}  // namespace polycast::hw::traffic
