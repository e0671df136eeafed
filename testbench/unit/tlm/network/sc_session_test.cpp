// SPDX-License-Identifier: Apache-2.0
// How runs end, errors of chips, and observers; the bare engine says what is right.
#include "tlm/network/sc_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/topology/irregular.h"
#include "testbench/unit/tlm/network/compare.h"

namespace polycast::tlm::network {
namespace {

using hw::system::run_outcome;

/// Writes down every step of every chip.
class notebook final : public hw::engine::observer {
public:
    struct entry {
        hw::engine::cycle now;
        hw::engine::chip_id id;
        std::uint64_t in, out, credits;
        bool operator==(const entry&) const = default;
        auto operator<=>(const entry&) const = default;
    };

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip&) override {
        ordered = ordered && (entries.empty() || entries.back().now <= now);
        entries.push_back({now, id, in.valid, out.valid, in.credit | out.credit << 32});
    }

    std::vector<entry> sorted() const {
        std::vector<entry> all = entries;
        std::ranges::sort(all);
        return all;
    }

    std::vector<entry> entries;
    bool ordered = true;
};

TEST(sc_session, networks_end_each_on_its_own_as_on_the_bare_engine) {
    hw::topology::irregular_params shape;
    shape.seed = 2;
    const hw::topology::graph graph = hw::topology::make_irregular(shape);
    const std::size_t switches = graph.switches.size();
    const std::vector<std::pair<std::string, std::vector<placement>>> places{
        {"engine", {}}, {"mixed", every_third(switches)}, {"modules", all_modules(switches)}};
    hw::traffic::workload_params tree;
    hw::traffic::workload_params load;
    load.gap = 3000;
    load.degree = 4;
    // Headers that cost flits make this limit too low for a tree worm: the chips raise errors and the packet is lost.
    hw::system::system_params narrow;
    narrow.packet_limit = 64;

    sc_session session;
    std::vector<std::unique_ptr<compared_run>> runs;
    std::vector<std::unique_ptr<notebook>> books;
    const auto add = [&](const std::string& name, const hw::system::system_params& params,
                         const hw::traffic::workload_params& work) {
        const hw::system::system_plan plan = hw::system::make_plan(graph, params);
        for (const auto& [place, list] : places) {
            runs.push_back(std::make_unique<compared_run>(session, name + " / " + place, plan, work,
                                                          sc_network_params{list, {1, sc_core::SC_NS}, false}));
        }
    };
    add("completes", {}, tree);
    add("endless: limit", {}, load);
    add("endless: stopped", {}, load);
    add("loses packets: stuck", narrow, tree);
    for (const std::size_t index : {3u, 4u, 5u}) {
        books.push_back(std::make_unique<notebook>());
        session.at(index).observe(books.back().get());
    }

    hw::system::run_limits limits;
    limits.cycles = 30000;
    const auto stop = [](hw::engine::cycle now) { return now >= 12000; };
    const std::vector<run_outcome> outcomes =
        session.run(limits, [&](std::size_t index, hw::engine::cycle now) { return index / 3 == 2 && stop(now); });

    const std::array wanted{run_outcome::kind::complete, run_outcome::kind::limit, run_outcome::kind::stopped,
                            run_outcome::kind::stuck};
    for (std::size_t index = 0; index < runs.size(); ++index) {
        EXPECT_EQ(outcomes[index].ended, wanted[index / 3]) << index;
        runs[index]->compare(outcomes[index], limits,
                             index / 3 == 2 ? std::function<bool(hw::engine::cycle)>(stop) : nullptr);
    }
    EXPECT_EQ(outcomes[3].cycles, 30000u);
    EXPECT_GT(session.at(9).error_count(), 0u);
    EXPECT_THAT(outcomes[9].diagnosis, ::testing::HasSubstr("the oldest packet is"));

    for (const auto& book : books) {
        EXPECT_TRUE(book->ordered);
        EXPECT_GT(book->entries.size(), 100000u);
        EXPECT_EQ(book->entries.size(), session.at(3).chip_steps());
        EXPECT_TRUE(book->sorted() == books.front()->sorted());
    }
}

}  // namespace
}  // namespace polycast::tlm::network
