// SPDX-License-Identifier: Apache-2.0
// All decisions about forwarding are made in firmware/: one line changed there changes what an interface does, and in
// the same way however its firmware is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "testbench/ni/processors.h"
#include "testbench/ni/traffic.h"

namespace polycast::testbench::ni {
namespace {

class mutant_test : public testing::Test {
protected:
    static observation run(processors& firmware, way how) {
        star_bench bench({}, [&](std::uint32_t) { return firmware.make(how); });
        all_traffic(bench);
        return bench.run();
    }
    static hw::ni::ni_params format(processors& firmware) {
        return star_bench({}, [&](std::uint32_t) { return firmware.make(way::native); }).interface_params();
    }

    processors original{{POLYCAST_FIRMWARE_LIBRARY, POLYCAST_FIRMWARE_IMAGE}};
    processors mutant{{POLYCAST_MUTANT_LIBRARY, POLYCAST_MUTANT_IMAGE}};
};

/// Destinations of the packets of a group that `host` has forwarded, in order.
std::vector<std::uint32_t> order_on_link(const hw::ni::ni_params& params, const observation& seen, std::size_t host,
                                         std::uint16_t group) {
    std::vector<std::uint32_t> order;
    for (const link_packet& packet : seen.nodes[host].link) {
        const std::optional<packet_fields> fields = read_packet(params, packet);
        if (fields && fields->transport.group == group && fields->source != host) order.push_back(fields->destination);
    }
    return order;
}

// The changed line decides whether a host in the middle of a tree forwards FPFS or FCFS.
TEST_F(mutant_test, one_changed_line_changes_every_way_alike) {
    const hw::ni::ni_params params = format(original);
    const observation before = run(original, way::native);
    const observation after = run(mutant, way::native);
    EXPECT_THAT(differences(params, before, after), testing::Not(testing::IsEmpty()));
    for (const way how : {way::iss, way::rtl}) {
        EXPECT_THAT(differences(params, before, run(original, how)), testing::IsEmpty()) << static_cast<int>(how);
        EXPECT_THAT(differences(params, after, run(mutant, how)), testing::IsEmpty()) << static_cast<int>(how);
    }
    // 640 and 1000 bytes to a group at host 1, which has the children 3 and 4: packet by packet, or child by child.
    const std::vector<std::uint32_t> fpfs = order_on_link(params, before, 1, 7);
    const std::vector<std::uint32_t> fcfs = order_on_link(params, after, 1, 7);
    EXPECT_TRUE(std::ranges::is_permutation(fpfs, fcfs));
    const auto changes = [](const std::vector<std::uint32_t>& order) {
        std::size_t count = 0;
        for (std::size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1] ? 1 : 0;
        return count;
    };
    EXPECT_EQ(changes(fpfs), fpfs.size() - 1);
    EXPECT_LT(changes(fcfs), 10u);
}

}  // namespace
}  // namespace polycast::testbench::ni
