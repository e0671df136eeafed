// SPDX-License-Identifier: Apache-2.0
// Link ends of core, golden model and RTL in lockstep, between random chips and faults.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "testbench/equivalence/link_end_run.h"
#include "tlm/verilated/rtl_link_end.h"

namespace polycast::testbench::equivalence {
namespace {

using hw::chips::link_config;
using hw::chips::link_end_params;

class rtl_model final : public link_end_model {
public:
    rtl_model(const link_config& config, const link_end_params& sizes, tlm::model_library& models)
        : end_(config, sizes, models) {}
    hw::engine::cycle step(hw::engine::cycle now, const hw::chips::link_end_in& in,
                           hw::chips::link_end_out& out) override {
        return end_.step(now, in, out);
    }
    void leave_flush() override { end_.leave_flush(); }
    hw::chips::link_end_probe probe() const override { return end_.probe(); }
    hw::chips::link_counters counters(hw::engine::cycle now) const override { return end_.counters(now); }
    void open_trace(const std::string& file) { end_.open_trace(file); }

private:
    tlm::rtl_link_end end_;
};

tlm::model_library& library() {
    static tlm::model_library models = [] {
        tlm::model_options options = tlm::model_options::defaults();
        options.optimize = "-O1";
        return tlm::model_library(options);
    }();
    return models;
}

/// POLYCAST_LINK_SEED=n repeats one run, POLYCAST_LINK_RUNS=n makes more of them. The first that fails leaves waves.
void compare(const std::string& name, std::uint64_t runs, std::map<std::string, std::uint64_t>& seen) {
    const auto sizes = hw::chips::params_of_model<link_end_params>(name);
    const char* seed = std::getenv("POLYCAST_LINK_SEED");
    const char* more = std::getenv("POLYCAST_LINK_RUNS");
    const std::uint64_t first = seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0;
    const std::uint64_t count = seed != nullptr ? 1 : more != nullptr ? std::strtoull(more, nullptr, 10) : runs;
    for (std::uint64_t number = first; number < first + count; ++number) {
        const link_end_run what = draw_link_end_run(number, 2000, &sizes);
        const link_end_outcome outcome = run(what, [&](const link_config& config, unsigned) {
            return std::make_unique<rtl_model>(config, sizes, library());
        });
        for (const auto& [event, times] : outcome.seen) seen[event] += times;
        if (outcome.failure.empty()) continue;
        const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "link-waves";
        std::filesystem::create_directories(folder);
        run(what, [&](const link_config& config, unsigned end) {
            auto model = std::make_unique<rtl_model>(config, sizes, library());
            model->open_trace((folder / (name + ".end" + std::to_string(end) + ".fst")).string());
            return model;
        });
        FAIL() << name << ": " << outcome.failure << "; waves in " << folder.string();
    }
}

TEST(link_rtl, lanes_of_a_byte_with_headers_beside) {
    std::map<std::string, std::uint64_t> seen;
    compare("link_end_v2_f1_h3_n9_r208_w40_s20_inline", 100, seen);
    EXPECT_GE(seen["cycles"], 200000u);
}

TEST(link_rtl, trailers_beside) {
    std::map<std::string, std::uint64_t> seen;
    compare("link_end_v3_f4_h0_n1_r312_w32_s20_beside", 100, seen);
    EXPECT_GE(seen["cycles"], 200000u);
}

TEST(link_rtl, every_size) {
    std::map<std::string, std::uint64_t> seen;
    for (const char* name : {"link_end_v1_f16_h0_n9_r104_w8_s4_inline", "link_end_v16_f5_h0_n4_r1664_w40_s20_inline",
                             "link_end_v4_f64_h17_n2_r416_w16_s5_inline", "link_end_v2_f8_h1_n1_r208_w32_s6_beside",
                             "link_end_v7_f3_h40_n3_r728_w40_s20_inline"})
        compare(name, 400, seen);
    for (const auto& [event, times] : seen) RecordProperty(event, std::to_string(times));
    seen.erase("cbfc_sender_credits_used");   // at the end
    seen.erase("llr_rx_ack_nack_seq_error");  // sets that were made up, in link_end_core_test.cpp
    for (const auto& [event, times] : seen) EXPECT_GE(times, 5u) << event;
    EXPECT_GE(seen["cycles"], 1000000u);
}

}  // namespace
}  // namespace polycast::testbench::equivalence
