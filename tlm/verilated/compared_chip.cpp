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
}

cycle compared_chip::step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    expected_.clear();
    const cycle wake = reference_->step(now, in, expected_);
    const cycle tested_wake = tested_->step(now, in, out);
    const std::string what = hw::engine::pin_difference(shape(), names_, expected_, out);
    if (!what.empty()) throw comparison_error(name_, now + 1, what);
    return std::min(wake, tested_wake);
}

}  // namespace polycast::tlm
