// SPDX-License-Identifier: Apache-2.0
#include "testbench/unit/hw/chips/link/cable_under_test.h"

namespace polycast::testbench::unit {

std::unique_ptr<cable_under_test> make_cable(const hw::chips::link_config& config) {
    return std::make_unique<cable_under_test>(std::make_unique<hw::chips::cable_core>(config));
}

std::string fidelity() {
    return "core";
}

}  // namespace polycast::testbench::unit
