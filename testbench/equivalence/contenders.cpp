// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/contenders.h"

#include <utility>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/chips/coding/coding_core.h"
#include "hw/chips/router/router_core.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/chips/vl_switch/vl_switch_core.h"
#include "hw/engine/waiting_ports.h"
#include "testbench/equivalence/broadcast_stimulus.h"
#include "testbench/equivalence/broadcast_watch.h"
#include "testbench/equivalence/coding_stimulus.h"
#include "testbench/equivalence/coding_watch.h"
#include "testbench/equivalence/door_run.h"
#include "testbench/equivalence/golden_broadcast.h"
#include "testbench/equivalence/golden_coding.h"
#include "testbench/equivalence/golden_router.h"
#include "testbench/equivalence/golden_switch.h"
#include "testbench/equivalence/golden_vl_switch.h"
#include "testbench/equivalence/router_stimulus.h"
#include "testbench/equivalence/router_watch.h"
#include "testbench/equivalence/switch_stimulus.h"
#include "testbench/equivalence/switch_watch.h"
#include "testbench/equivalence/vl_switch_stimulus.h"
#include "testbench/equivalence/vl_switch_watch.h"

namespace polycast::testbench::equivalence {

using hw::chips::broadcast_params;
using hw::chips::broadcast_registers;
using hw::chips::coding_params;
using hw::chips::coding_registers;
using hw::chips::router_params;
using hw::chips::router_tables;
using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::format::chip_error;

namespace {

/// Steps a chip only when it has to be stepped, as the engine does.
class sleeper final : public hw::engine::chip {
public:
    explicit sleeper(std::unique_ptr<chip> inside) : inside_(std::move(inside)) {}

    const hw::engine::pin_shape& shape() const override { return inside_->shape(); }
    void reset() override {
        inside_->reset();
        wake_ = 0;
    }
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (!in.quiet() || now >= wake_) wake_ = inside_->step(now, in, out);
        return wake_;
    }
    bool idle() const override { return inside_->idle(); }
    void probe(hw::engine::chip_probe& probe) const override { inside_->probe(probe); }

private:
    std::unique_ptr<chip> inside_;
    hw::engine::cycle wake_ = 0;
};

/// A timer that is late shows only where nobody steps a chip that sleeps: in half of the runs.
std::unique_ptr<hw::engine::chip> woken_late(std::unique_ptr<hw::engine::chip> chip, std::uint64_t seed) {
    if (seed % 2 == 0) return chip;
    return std::make_unique<sleeper>(std::move(chip));
}

/// Only of upsets, and of chips with a table of sources.
constexpr auto seldom = static_cast<unsigned>(chip_error::soft_error) | static_cast<unsigned>(chip_error::bad_source);
constexpr std::uint16_t all_errors = ((1u << hw::format::chip_error_count) - 1) & ~seldom;
constexpr auto vl_switches_only = static_cast<std::uint16_t>(static_cast<unsigned>(chip_error::looping) |
                                                             static_cast<unsigned>(chip_error::vl_dropped) |
                                                             static_cast<unsigned>(chip_error::hoq_dropped));

template <typename Run>
std::uint16_t with_doors(const Run& run, std::uint16_t errors) {
    return run.params.max_sources == 0
               ? errors
               : static_cast<std::uint16_t>(errors | static_cast<unsigned>(chip_error::bad_source));
}

template <typename Watch, typename Run>
std::unique_ptr<traffic_watch> watch_of(const Run& run) {
    if (run.params.max_sources != 0) return std::make_unique<no_watch>();
    return std::make_unique<Watch>(run.params, run.tables);
}

template <typename Stimulus, typename Watch, typename Run, typename Contender>
comparison compare_chips(const Run& run, const Contender& first, const Contender& second, std::uint16_t errors) {
    return {{first.name, second.name},
            {first.make(run.params, run.tables), second.make(run.params, run.tables)},
            std::make_unique<Stimulus>(run),
            watch_of<Watch>(run),
            run.cycles,
            with_doors(run, errors)};
}

}  // namespace

contender core_contender() {
    return {"core", [](const switch_params& params, const switch_tables& tables) {
                return std::make_unique<hw::chips::switch_core>(params, tables);
            }};
}

contender golden_contender() {
    return {"golden", [](const switch_params& params, const switch_tables& tables) {
                return std::make_unique<golden_switch>(params, tables);
            }};
}

router_contender router_core_contender() {
    return {"core", [](const router_params& params, const router_tables& tables) {
                return std::make_unique<hw::chips::router_core>(params, tables);
            }};
}

router_contender router_golden_contender() {
    return {"golden", [](const router_params& params, const router_tables& tables) {
                return std::make_unique<golden_router>(params, tables);
            }};
}

coding_contender coding_core_contender() {
    return {"core", [](const coding_params& params, const coding_registers& registers) {
                return std::make_unique<hw::chips::coding_core>(params, registers);
            }};
}

coding_contender coding_golden_contender() {
    return {"golden", [](const coding_params& params, const coding_registers& registers) {
                return std::make_unique<golden_coding>(params, registers);
            }};
}

broadcast_contender broadcast_core_contender() {
    return {"core", [](const broadcast_params& params, const broadcast_registers& registers) {
                return std::make_unique<hw::chips::broadcast_router_core>(params, registers);
            }};
}

broadcast_contender broadcast_golden_contender() {
    return {"golden", [](const broadcast_params& params, const broadcast_registers& registers) {
                return std::make_unique<golden_broadcast>(params, registers);
            }};
}

vl_switch_contender vl_switch_core_contender() {
    return {"core", [](const vl_switch_params& params, const vl_switch_tables& tables) {
                return std::make_unique<hw::chips::vl_switch_core>(params, tables);
            }};
}

vl_switch_contender vl_switch_golden_contender() {
    return {"golden", [](const vl_switch_params& params, const vl_switch_tables& tables) {
                return std::make_unique<golden_vl_switch>(params, tables);
            }};
}

comparison compare(const switch_run& run, const contender& first, const contender& second) {
    constexpr auto routers_only = static_cast<std::uint16_t>(chip_error::bad_vc);
    return compare_chips<switch_stimulus, switch_watch>(
        run, first, second, static_cast<std::uint16_t>(all_errors & ~(routers_only | vl_switches_only)));
}

comparison compare(const router_run& run, const router_contender& first, const router_contender& second) {
    return compare_chips<router_stimulus, router_watch>(run, first, second,
                                                        static_cast<std::uint16_t>(all_errors & ~vl_switches_only));
}

comparison compare(const broadcast_run& run, const broadcast_contender& first, const broadcast_contender& second) {
    constexpr auto headers_of_several_flits = static_cast<std::uint16_t>(chip_error::short_header);
    return {{first.name, second.name},
            {woken_late(first.make(run.params, run.registers), run.seed), second.make(run.params, run.registers)},
            std::make_unique<broadcast_stimulus>(run),
            std::make_unique<broadcast_watch>(run.params, run.registers),
            run.cycles,
            static_cast<std::uint16_t>(all_errors & ~(headers_of_several_flits | vl_switches_only))};
}

comparison compare(const coding_run& run, const coding_contender& first, const coding_contender& second) {
    const auto bits = [](auto... errors) { return static_cast<std::uint16_t>((static_cast<unsigned>(errors) | ...)); };
    return {{first.name, second.name},
            {woken_late(first.make(run.params, run.registers), run.seed), second.make(run.params, run.registers)},
            std::make_unique<coding_stimulus>(run),
            std::make_unique<coding_watch>(run.params, run.registers),
            run.cycles,
            bits(chip_error::overflow, chip_error::missing_head, chip_error::missing_tail, chip_error::too_long,
                 chip_error::short_header, chip_error::credit_overflow, chip_error::bad_vc),
            false};
}

comparison compare(const vl_switch_run& run, const vl_switch_contender& first, const vl_switch_contender& second) {
    const auto waits_of = [](const hw::engine::chip& chip) -> std::function<std::uint64_t()> {
        const auto& shown = dynamic_cast<const hw::engine::waiting_ports&>(chip);
        return [&shown] { return shown.xmit_wait(); };
    };
    std::unique_ptr<hw::engine::chip> one = first.make(run.params, run.tables);
    std::unique_ptr<hw::engine::chip> other = second.make(run.params, run.tables);
    const std::array waits{waits_of(*one), waits_of(*other)};
    return {{first.name, second.name},
            {woken_late(std::move(one), run.seed), std::move(other)},
            std::make_unique<vl_switch_stimulus>(run),
            watch_of<vl_switch_watch>(run),
            run.cycles,
            with_doors(run, all_errors),
            false,
            waits};
}

}  // namespace polycast::testbench::equivalence
