// SPDX-License-Identifier: Apache-2.0
/// \file What a processor did on its bus while its interface was part of a network, to be done again by others.
#pragma once

#include <memory>
#include <vector>

#include "hw/ni/network_interface.h"
#include "hw/riscv/program.h"
#include "testbench/riscv/ibex_lockstep.h"

namespace polycast::testbench::riscv {

/// Runs `firmware` on the simulator in the star of testbench/ni, with all of its traffic.
/// \returns the recording of each host's processor
std::vector<std::shared_ptr<const recording>> record_firmware(std::shared_ptr<const hw::riscv::program> firmware,
                                                              hw::ni::wait_mode wait);

}  // namespace polycast::testbench::riscv
