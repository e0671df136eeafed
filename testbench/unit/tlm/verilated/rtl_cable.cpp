// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_cable.h"

#include <algorithm>

#include "testbench/unit/hw/chips/link/cable_under_test.h"

namespace polycast::testbench::unit {

namespace {

/// Of the model: as many configurations as can be share one.
hw::chips::link_end_params sizes_of(const hw::chips::link_config& config) {
    hw::chips::link_end_params sizes = tlm::link_end_sizes(config);
    sizes.ring = std::max(sizes.ring, config.vcs * ((1u << 14) + 1));
    sizes.window = std::max(sizes.window, std::min(171u, 1u << (sizes.sequence_bits - 1)));
    return sizes;
}

/// A dozen of them run for seconds each.
tlm::model_options quickly_built() {
    tlm::model_options options = tlm::model_options::defaults();
    options.optimize = "-O1";
    options.inside_waves = false;
    return options;
}

}  // namespace

std::unique_ptr<cable_under_test> make_cable(const hw::chips::link_config& config) {
    static tlm::model_library models(quickly_built());
    return std::make_unique<cable_under_test>(
        std::make_unique<tlm::rtl_cable>(config, sizes_of(config), models, "cable"));
}

std::string fidelity() {
    return "rtl";
}

}  // namespace polycast::testbench::unit
