// SPDX-License-Identifier: Apache-2.0
/// \file Two switches under the same stimulus, every output pin and all visible state compared in every cycle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hw/engine/chip.h"
#include "testbench/equivalence/decision_watch.h"
#include "testbench/equivalence/run_config.h"

namespace polycast::testbench::equivalence {

/// A way to make a switch, with the name it has in messages and waves.
struct contender {
    std::string name;
    std::function<std::unique_ptr<hw::engine::chip>(const hw::chips::switch_params&, const hw::chips::switch_tables&)>
        make;
};

/// What a run came across, so that a bench that tests nothing is noticed.
struct coverage {
    std::uint64_t cycles = 0;
    std::uint64_t runs = 0;
    std::uint64_t flits = 0;
    std::uint64_t packets = 0;      ///< copies that left
    std::uint64_t copied = 0;       ///< cycles in which an input held several outputs
    std::uint64_t waiting = 0;      ///< cycles in which a packet waited for a grant
    std::uint64_t blocked = 0;      ///< held outputs without credit, times cycles
    std::uint64_t drained = 0;      ///< cycles in which an input drained
    std::uint64_t turnarounds = 0;  ///< cycles in which an input held the output of its own port
    std::uint64_t resets = 0;
    std::uint64_t asleep = 0;  ///< steps that the first switch did not need
    std::array<std::uint64_t, hw::format::chip_error_count> errors{};
    decision_counts decisions;

    void add(const coverage& other);
    std::string text() const;
};

/// Where two switches parted.
struct difference {
    std::uint64_t cycle = 0;  ///< in which the pin has two values
    std::string what;         ///< "flit_data of port 3: core 1f, rtl 00"
};

/// Sees both switches after each step: waves hang here.
using step_observer = std::function<void(hw::engine::cycle now, const hw::engine::pins& in,
                                         const std::array<const hw::engine::pins*, 2>& out)>;

class lockstep {
public:
    lockstep(const run_config& config, const contender& first, const contender& second);

    /// Compares up to the end of the configuration. \returns the first difference, if there is one. An exception of
    /// either side (a failed RTL assertion) counts as a difference.
    std::optional<difference> run(const step_observer& observer = {});

    const coverage& seen() const { return seen_; }
    const hw::engine::chip& chip(unsigned which) const { return *chips_[which]; }

private:
    std::string compare(const std::array<hw::engine::pins, 2>& out);
    std::string compare_state();
    std::string check_sleep(const std::array<hw::engine::pins, 2>& out);
    void count(const hw::engine::pins& out);
    std::string pin(const std::string& name, unsigned port, const std::string& first, const std::string& second) const;

    run_config config_;
    std::array<std::string, 2> names_;
    std::array<std::unique_ptr<hw::engine::chip>, 2> chips_;
    std::array<hw::engine::chip_probe, 2> probes_;
    std::array<bool, 2> idle_{true, true};
    std::array<hw::engine::chip_probe, 2> last_probes_;
    std::array<bool, 2> last_idle_{true, true};
    std::array<hw::engine::cycle, 2> wake_{0, 0};  ///< what the last step returned
    std::array<bool, 2> sleeping_{false, false};   ///< this step was not asked for: nothing may change
    decision_watch watch_;
    coverage seen_;
};

}  // namespace polycast::testbench::equivalence
