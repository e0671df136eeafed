// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/contenders.h"

#include "hw/chips/switch_core.h"
#include "testbench/equivalence/golden_switch.h"

namespace polycast::testbench::equivalence {

using hw::chips::switch_params;
using hw::chips::switch_tables;

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

}  // namespace polycast::testbench::equivalence
