// SPDX-License-Identifier: Apache-2.0
#include "hw/host/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/endian/conversion.hpp>
#include <map>
#include <utility>
#include <vector>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::host {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// An interface that keeps what is written.
class register_port final : public ni_port {
public:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> written;  ///< address and value, in order
    std::map<std::uint32_t, std::uint32_t> values;
    bool answers = true;

    bool host_read(cycle, std::uint32_t address, std::span<std::uint8_t> bytes) override {
        if (!answers) return false;
        boost::endian::store_little_u32(bytes.data(), values[address]);
        return true;
    }
    bool host_write(cycle, std::uint32_t address, std::span<const std::uint8_t> bytes) override {
        if (!answers) return false;
        written.emplace_back(address, boost::endian::load_little_u32(bytes.data()));
        return true;
    }
};

struct fixture {
    ni::timeline time;
    register_port port;
    manager kernel{time, port};
};

constexpr std::uint32_t grant_of(unsigned process) {
    return NI_HOST_GRANT_BASE + process * NI_HOST_GRANT_STRIDE;
}

TEST(manager, a_window_lies_in_the_grant_of_its_process_and_is_opened_last) {
    fixture f;
    f.kernel.open_window(63, 15, {.address = 0x1234'5678'9abc, .bytes = 0xfffff000, .read = true});
    const std::uint32_t at = grant_of(63) + NI_HOST_GRANT_WINDOW_BASE + 15 * NI_HOST_GRANT_WINDOW_STRIDE;
    EXPECT_THAT(
        f.port.written,
        ElementsAre(Pair(at + NI_HOST_GRANT_WINDOW_LOW, 0x5678'9abc), Pair(at + NI_HOST_GRANT_WINDOW_HIGH, 0x1234),
                    Pair(at + NI_HOST_GRANT_WINDOW_BYTES, 0xfffff000),
                    Pair(at + NI_HOST_GRANT_WINDOW_ALLOW, NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK)));
    f.kernel.open_window(0, 0, {.write = true});
    EXPECT_EQ(f.port.written.back().second, NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK);
}

TEST(manager, a_job_lies_in_the_grant_of_its_process) {
    fixture f;
    f.kernel.set_job(3, 0x89abcdef);
    EXPECT_THAT(f.port.written, ElementsAre(Pair(grant_of(3) + NI_HOST_GRANT_JOB, 0x89abcdef)));
}

TEST(manager, a_queue_is_started_by_its_number_of_entries) {
    fixture f;
    f.kernel.open_queue(2, 0x7'0000'1000, 64);
    EXPECT_THAT(f.port.written, ElementsAre(Pair(grant_of(2) + NI_HOST_GRANT_QUEUE_LOW, 0x1000),
                                            Pair(grant_of(2) + NI_HOST_GRANT_QUEUE_HIGH, 7),
                                            Pair(grant_of(2) + NI_HOST_GRANT_QUEUE_ENTRIES, 64)));
}

TEST(manager, rights_are_given_and_taken) {
    fixture f;
    f.kernel.enable(1, false);
    f.kernel.enable(1, true);
    f.kernel.disable(1);
    const std::uint32_t at = grant_of(1) + NI_HOST_GRANT_RIGHTS;
    EXPECT_THAT(
        f.port.written,
        ElementsAre(Pair(at, NI_HOST_GRANT_RIGHTS_ENABLE_MASK),
                    Pair(at, NI_HOST_GRANT_RIGHTS_ENABLE_MASK | NI_HOST_GRANT_RIGHTS_OBSERVE_MASK), Pair(at, 0)));
}

TEST(manager, activity_is_that_of_all_processes) {
    fixture f;
    EXPECT_TRUE(f.kernel.activity().idle());
    f.port.values[NI_HOST_PROCESS_BASE + NI_HOST_PROCESS_ACTIVITY] = 0x0009'0009;
    f.port.values[NI_HOST_DEVICE_ACTIVITY] = 0x0003'0002;
    EXPECT_EQ(f.kernel.activity().sending, 2u);
    EXPECT_EQ(f.kernel.activity().receiving, 3u);
    EXPECT_FALSE(f.kernel.activity().idle());
}

TEST(manager, accesses_that_are_not_answered_are_counted) {
    fixture f;
    f.port.answers = false;
    f.kernel.watch(100, 10);
    EXPECT_TRUE(f.kernel.activity().idle());
    EXPECT_EQ(f.kernel.bus_errors(), 3u);
}

}  // namespace
}  // namespace polycast::hw::host
