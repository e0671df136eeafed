// SPDX-License-Identifier: Apache-2.0
// One firmware, run natively, on the instruction-set simulator and on Ibex: the same traffic must end with the same
// packets in the same order on every link, the same bytes in every host's memory (completion queues and firmware's
// statistics among them), the same counters of the hardware. Only times may differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "testbench/ni/commands.h"
#include "testbench/ni/processors.h"
#include "testbench/ni/traffic.h"

namespace polycast::testbench::ni {
namespace {

using hw::ni::wait_mode;

class three_ways_test : public testing::Test {
protected:
    using choice = std::function<hw::ni::processor_factory(std::uint32_t host)>;

    static processors& built() {
        static processors made({POLYCAST_FIRMWARE_LIBRARY, POLYCAST_FIRMWARE_IMAGE});
        return made;
    }
    static choice all(way how, const hw::ni::native_params& costs = {}) {
        return [=](std::uint32_t) { return built().make(how, costs); };
    }
    static observation run(const star_params& params, const choice& factory_of) {
        star_bench bench(params, factory_of);
        all_traffic(bench);
        return bench.run();
    }
    static hw::ni::native_params costs(cycle receive, cycle send, cycle other, bool overlapped) {
        hw::ni::native_params made;
        made.cycles.fill(other);
        made.cycles[NI_OPERATION_RECEIVE] = receive;
        made.cycles[NI_OPERATION_SEND] = send;
        made.overlapped = overlapped;
        return made;
    }
    static hw::ni::ni_params format_of(const star_params& params) {
        return star_bench(params, all(way::native)).interface_params();
    }
};

TEST_F(three_ways_test, the_traffic_is_what_it_is_meant_to_be) {
    const observation seen = run({}, all(way::native));
    EXPECT_THAT(seen.unfinished, testing::IsEmpty());
    std::array<std::uint32_t, NI_STATISTICS> sum{};
    for (const observation::node& node : seen.nodes) {
        EXPECT_EQ(node.panic, 0u);
        EXPECT_EQ(node.errors, 0u);
        EXPECT_EQ(node.completions_lost, 0u);
        EXPECT_EQ(node.commands_refused, 0u);
        EXPECT_GT(node.link.size(), 20u);
        for (std::size_t word = 0; word < sum.size(); ++word) {
            const auto at = node.memory.begin() + process_layout::statistics_at + static_cast<std::ptrdiff_t>(4 * word);
            sum[word] += at[0] | std::uint32_t{at[1]} << 8;
        }
        const auto others = std::span(node.memory).subspan(process_layout::bytes + process_layout::statistics_at);
        EXPECT_THAT(others.first(4 * NI_STATISTICS), testing::Each(0)) << "only process 0 may observe";
    }
    EXPECT_GT(sum[NI_STATISTIC_PACKETS_FORWARDED], 80u);
    EXPECT_GT(sum[NI_STATISTIC_MESSAGES_RECEIVED], 80u);
    for (const unsigned status : std::initializer_list<unsigned>{
             NI_STATUS_MALFORMED, NI_STATUS_CHECK, NI_STATUS_NO_PROCESS, NI_STATUS_UNKNOWN_GROUP, NI_STATUS_NO_BUFFER,
             NI_STATUS_BUFFER_TOO_SMALL, NI_STATUS_REFUSED, NI_STATUS_LOOP, NI_STATUS_DUPLICATE, NI_STATUS_BAD_COMMAND})
        EXPECT_GT(sum[unsigned{NI_STATISTIC_STATUS} + status], 0u) << status;
}

TEST_F(three_ways_test, native_with_any_costs) {
    const observation reference = run({}, all(way::native));
    const hw::ni::ni_params format = format_of({});
    EXPECT_THAT(differences(format, reference, run({}, all(way::native, costs(1000, 1000, 0, false)))),
                testing::IsEmpty())
        << "the papers' costs";
    EXPECT_THAT(differences(format, reference, run({}, all(way::native, costs(1000, 1000, 0, true)))),
                testing::IsEmpty())
        << "overlapped";
    EXPECT_THAT(differences(format, reference, run({}, all(way::native, costs(70, 300, 40, true)))), testing::IsEmpty())
        << "other costs, overlapped";
    EXPECT_THAT(differences(format, reference, run({}, all(way::native, costs(400, 90, 25, false)))),
                testing::IsEmpty())
        << "other costs";
}

TEST_F(three_ways_test, native_and_iss_in_all_wait_modes) {
    const observation reference = run({}, all(way::native));
    const hw::ni::ni_params format = format_of({});
    for (const wait_mode wait : {wait_mode::sleep, wait_mode::poll, wait_mode::interrupt})
        EXPECT_THAT(differences(format, reference, run({.wait = wait}, all(way::iss))), testing::IsEmpty())
            << "mode " + std::to_string(int(wait));
}

TEST_F(three_ways_test, native_and_iss_with_wide_flits_and_free_headers) {
    const star_params wide = {.flit_bytes = 4, .header_free = true};
    EXPECT_THAT(differences(format_of(wide), run(wide, all(way::native)), run(wide, all(way::iss))), testing::IsEmpty())
        << "wide";
}

TEST_F(three_ways_test, native_and_iss_mixed) {
    const auto mixed = [](std::uint32_t host) {
        return host % 2 == 0 ? built().make(way::iss) : built().make(way::native, costs(500, 500, 10, true));
    };
    EXPECT_THAT(differences(format_of({}), run({}, all(way::native)), run({}, mixed)), testing::IsEmpty())
        << "every other one";
}

// The Verilated model is built by the first test that needs it.
TEST_F(three_ways_test, rtl_everywhere) {
    EXPECT_THAT(differences(format_of({}), run({}, all(way::native)), run({}, all(way::rtl))), testing::IsEmpty())
        << "rtl";
}

TEST_F(three_ways_test, rtl_everywhere_by_interrupts) {
    EXPECT_THAT(
        differences(format_of({}), run({}, all(way::native)), run({.wait = wait_mode::interrupt}, all(way::rtl))),
        testing::IsEmpty())
        << "rtl";
}

TEST_F(three_ways_test, one_rtl_among_many_native) {
    const observation reference = run({}, all(way::native));
    for (const std::uint32_t odd : {0u, 1u}) {
        const auto mixed = [odd](std::uint32_t host) {
            return host == odd ? built().make(way::rtl) : built().make(way::native, costs(500, 500, 0, false));
        };
        EXPECT_THAT(differences(format_of({}), reference, run({}, mixed)), testing::IsEmpty())
            << "host " + std::to_string(odd);
    }
}

TEST_F(three_ways_test, all_ways_in_one_network) {
    const auto mixed = [](std::uint32_t host) { return built().make(static_cast<way>(host % 3)); };
    EXPECT_THAT(differences(format_of({}), run({}, all(way::native)), run({}, mixed)), testing::IsEmpty()) << "mixed";
}

}  // namespace
}  // namespace polycast::testbench::ni
