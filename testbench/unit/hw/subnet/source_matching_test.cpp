// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/source_matching.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <utility>

namespace polycast::hw::subnet {
namespace {

using places = std::vector<std::optional<std::size_t>>;
/// Tasks without a source, and the cost of the others.
using total = std::pair<std::size_t, std::uint64_t>;

total total_of(const std::vector<std::vector<offer>>& tasks, const places& chosen) {
    total sum{};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        sum.first += !chosen[i];
        if (chosen[i]) sum.second += tasks[i][*chosen[i]].cost;
    }
    return sum;
}

/// By trying everything.
total best_of(const std::vector<std::vector<offer>>& tasks) {
    total best{tasks.size() + 1, 0};
    places chosen(tasks.size());
    std::set<std::uint32_t> taken;
    const std::function<void(std::size_t)> choose = [&](std::size_t task) {
        if (task == tasks.size()) {
            best = std::min(best, total_of(tasks, chosen));
            return;
        }
        chosen[task].reset();
        choose(task + 1);
        for (std::size_t i = 0; i < tasks[task].size(); ++i) {
            if (!taken.insert(tasks[task][i].source).second) continue;
            chosen[task] = i;
            choose(task + 1);
            taken.erase(tasks[task][i].source);
        }
        chosen[task].reset();
    };
    choose(0);
    return best;
}

TEST(source_matching, the_cheapest_source_of_one_task_goes_to_another_that_needs_it) {
    const std::vector<std::vector<offer>> tasks{{{7, 0}, {3, 1}}, {{7, 0}}};
    EXPECT_EQ(match_sources(tasks), (places{1, 0}));
}

TEST(source_matching, too_few_sources) {
    EXPECT_EQ(match_sources(std::vector<std::vector<offer>>{{{7, 5}}, {{7, 0}}, {}}),
              (places{std::nullopt, 0, std::nullopt}));
    EXPECT_EQ(match_sources({}), places{});
}

TEST(source_matching, as_good_as_the_best_of_all) {
    std::mt19937 random(17);
    for (unsigned repeat = 0; repeat < 300; ++repeat) {
        std::vector<std::vector<offer>> tasks(1 + random() % 5);
        for (std::vector<offer>& task : tasks) {
            std::vector<std::uint32_t> sources{2, 3, 5, 8, 13, 21};
            std::shuffle(sources.begin(), sources.end(), random);
            sources.resize(random() % 5);
            for (const std::uint32_t source : sources) task.push_back({source, random() % 9});
        }
        const places chosen = match_sources(tasks);
        EXPECT_EQ(total_of(tasks, chosen), best_of(tasks)) << "repeat " << repeat;
        std::set<std::uint32_t> taken;
        for (std::size_t i = 0; i < tasks.size(); ++i)
            if (chosen[i]) {
                EXPECT_TRUE(taken.insert(tasks[i][*chosen[i]].source).second) << "repeat " << repeat;
            }
    }
}

}  // namespace
}  // namespace polycast::hw::subnet
