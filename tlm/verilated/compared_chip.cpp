// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/compared_chip.h"

#include <algorithm>
#include <utility>

namespace polycast::tlm {

using hw::engine::comparison_error;
using hw::engine::cycle;

compared_chip::compared_chip(std::string name, hw::engine::chip_names names, const hw::format::header_shape& headers,
                             std::unique_ptr<hw::engine::chip> reference, std::unique_ptr<hw::engine::chip> tested,
                             bool jobs)
    : name_(std::move(name)),
      names_(std::move(names)),
      reference_(std::move(reference)),
      tested_(std::move(tested)),
      expected_(tested_->shape()),
      packets_(tested_->shape(), headers, names_, jobs) {}

void compared_chip::reset() {
    reference_->reset();
    tested_->reset();
    difference_.reset();
    broken_ = false;
    packets_ = packet_difference(shape(), packets_.layout().headers, names_, packets_.layout().jobs);
}

comparison_error compared_chip::failure() const {
    const std::string words = packets_.words();
    return {name_, difference_->when, difference_->pin + (words.empty() ? "" : ": " + words)};
}

/// What it throws after a difference (an assertion of its own) is a consequence of it: the run ends when it was to end,
/// which other processes know already.
cycle compared_chip::step_tested(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    if (!difference_) return tested_->step(now, in, out);
    if (broken_) return now + 1;
    try {
        return tested_->step(now, in, out);
    } catch (const std::exception&) {
        broken_ = true;
        out.clear();
        return now + 1;
    }
}

void compared_chip::compare(cycle when, const hw::engine::pins& out) {
    packets_.look(expected_, out);
    if (difference_) return;
    const hw::engine::differing_pin found = hw::engine::pin_difference(shape(), names_, expected_, out);
    if (found.what.empty()) return;
    difference_ = {when, found.what};
    if (found.port) packets_.differs(expected_, out, *found.port);
}

cycle compared_chip::step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    // The output pins of step(now) are seen in cycle now + 1, by all chips when that has been simulated.
    if (now >= ends_run_in()) throw failure();
    expected_.clear();
    const cycle wake = reference_->step(now, in, expected_);
    const cycle tested_wake = step_tested(now, in, out);
    compare(now + 1, out);
    return difference_ ? now + 1 : std::min(wake, tested_wake);
}

}  // namespace polycast::tlm
