// SPDX-License-Identifier: Apache-2.0
/// \file The switches of the comparisons that need no Verilator.
#pragma once

#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

contender core_contender();
contender golden_contender();

}  // namespace polycast::testbench::equivalence
