// SPDX-License-Identifier: Apache-2.0
/// \file An instruction-set simulator with the tools that a run asks for.
#pragma once

#include <fstream>
#include <memory>
#include <optional>

#include "hw/riscv/function_spans.h"
#include "hw/riscv/gdb_server.h"
#include "hw/riscv/iss.h"
#include "hw/riscv/profile.h"
#include "hw/riscv/tools.h"
#include "tlm/workloads/activity.h"
#include "tlm/workloads/instrumentation.h"

namespace polycast::tlm::sim {

/// What the tools found is written when the processor ends: files of `wish`. Functions are its findings.
class watched_iss final : public hw::ni::processor {
public:
    /// `wish` may be null. `functions`: record their calls. \throws hw::input_error where a file or a port cannot be
    /// opened
    watched_iss(std::shared_ptr<const hw::riscv::program> firmware, hw::ni::processor_bus& bus,
                hw::riscv::iss_options options, const tool_request* wish, bool functions);
    ~watched_iss() override;
    watched_iss(const watched_iss&) = delete;
    watched_iss& operator=(const watched_iss&) = delete;

    void reset(hw::ni::cycle now) override { cpu_.reset(now); }
    hw::ni::cycle run(hw::ni::cycle until, bool interrupt) override { return cpu_.run(until, interrupt); }
    void hold(hw::ni::cycle last) override { cpu_.hold(last); }
    void upset(std::uint32_t word, std::uint32_t bit) override { cpu_.upset(word, bit); }
    std::uint64_t corrected() const override { return cpu_.corrected(); }
    hw::ni::processor_probe probe() const override { return cpu_.probe(); }
    unsigned step_cost() const override { return cpu_.step_cost(); }
    /// A vector of function_span.
    std::string findings() const override;

private:
    std::shared_ptr<const hw::riscv::program> firmware_;
    std::uint32_t host_;
    const tool_request* wish_;
    hw::riscv::iss cpu_;
    hw::riscv::observer_list tools_;
    std::optional<hw::riscv::profiler> profile_;
    std::optional<hw::riscv::stack_meter> stack_;
    std::optional<hw::riscv::span_recorder> spans_;
    std::ofstream instructions_file_;
    std::optional<hw::riscv::instruction_trace> instructions_;
    std::optional<hw::riscv::gdb_server> gdb_;
};

}  // namespace polycast::tlm::sim
