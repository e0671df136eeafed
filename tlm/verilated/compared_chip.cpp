// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/compared_chip.h"

#include <algorithm>
#include <utility>

namespace polycast::tlm {

using hw::engine::cycle;

comparison_error::comparison_error(std::string chip, cycle when, const std::string& what)
    : std::logic_error(chip + " in cycle " + std::to_string(when) + ": " + what), chip_(std::move(chip)), when_(when) {}

compared_chip::compared_chip(std::string name, hw::engine::chip_names names,
                             std::unique_ptr<hw::engine::chip> reference, std::unique_ptr<hw::engine::chip> tested)
    : name_(std::move(name)),
      names_(std::move(names)),
      reference_(std::move(reference)),
      tested_(std::move(tested)),
      expected_(tested_->shape()) {}

void compared_chip::reset() {
    reference_->reset();
    tested_->reset();
    difference_.reset();
}

/// What it throws after a difference (an assertion of its own) is a consequence of it.
cycle compared_chip::step_tested(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    if (!difference_) return tested_->step(now, in, out);
    try {
        return tested_->step(now, in, out);
    } catch (const std::exception&) {
        throw *difference_;
    }
}

cycle compared_chip::step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    // The output pins of step(now) are seen in cycle now + 1, by all chips when that has been simulated.
    if (difference_ && now > difference_->when() + aftermath) throw *difference_;
    expected_.clear();
    const cycle wake = reference_->step(now, in, expected_);
    const cycle tested_wake = step_tested(now, in, out);
    if (!difference_) {
        const std::string what = hw::engine::pin_difference(shape(), names_, expected_, out);
        if (!what.empty()) difference_.emplace(name_, now + 1, what);
    }
    return difference_ ? now + 1 : std::min(wake, tested_wake);
}

}  // namespace polycast::tlm
