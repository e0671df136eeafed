// SPDX-License-Identifier: Apache-2.0
/// \file Dumps of any length make a network: none of the limits of texts holds for them.
#include "tlm/sim/networks/table_instances.h"

#include <gtest/gtest.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::sim {
namespace {

/// A scenario of a sample, whose files are read by `files`.
scenario::loaded load(std::shared_ptr<scenario::input_files> files, const std::vector<std::string>& more = {}) {
    const std::string at = POLYCAST_DATA_DIR "/fabric/ring6.dfsssp/";
    scenario::loaded made = scenario::load_text(
        "network:\n  topology: {kind: file, path: " + at + "opensm-subnet.lst}\n  routing: {kind: tables, lft: " + at +
            "opensm.fdbs, sl2vl: " + at + "slvl, path_sl: " + at +
            "psl}\nworkload: [{name: all, kind: unicast, pattern: each_to_each}]\n",
        "a.yaml", {}, more);
    made.files = std::move(files);
    return made;
}

TEST(table_instances, dumps_may_be_longer_than_texts) {
    constexpr std::size_t text = 100, plain = 50;
    const instance same = plan_tables(load(std::make_shared<scenario::input_files>()));
    const instance made = plan_tables(load(std::make_shared<scenario::input_files>(text, plain)));
    EXPECT_EQ(made.plan.network, same.plan.network);
    EXPECT_EQ(made.plan.chips.size(), same.plan.chips.size());
    // Texts have their limit: here the same file is read as one.
    scenario::loaded loaded = load(std::make_shared<scenario::input_files>(text, plain));
    EXPECT_NE(testbench::unit::refusal([&] {
                  loaded.files->text_of(loaded.topology_path(), "text");
              }).find("a text of more than"),
              std::string::npos);
}

TEST(table_instances, doors_let_in_hosts) {
    const hw::system::system_plan plan =
        plan_tables(load(std::make_shared<scenario::input_files>(), {"host.check_source=true"})).plan;
    std::size_t doors = 0;
    for (hw::engine::chip_id chip = 0; chip < plan.switch_count(); ++chip) {
        EXPECT_NE(plan.vl_switch_at(chip).params.max_sources, 0u);
        doors += plan.vl_switch_at(chip).tables.doors.size();
    }
    EXPECT_EQ(doors, plan.network.hosts.size());
}

TEST(table_instances, the_format_is_that_which_is_told) {
    const auto refused = [](const std::string& format) {
        return testbench::unit::refusal([&] {
            plan_tables(load(std::make_shared<scenario::input_files>(), {"network.topology.format=" + format}));
        });
    };
    EXPECT_EQ(refused("subnet_list"), "accepted");
    EXPECT_EQ(refused("db_csv"),
              "-s network.topology.format=db_csv: the topology file is no database of ibdiagnet 2, but subnet list of "
              "OpenSM or ibdiagnet; leave 'format' out");
}

}  // namespace
}  // namespace polycast::tlm::sim
