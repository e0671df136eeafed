// SPDX-License-Identifier: Apache-2.0
/// \file Times of the firmware's operations, measured on the instruction-set simulator.
#pragma once

#include <array>
#include <memory>

#include "hw/ni/native_processor.h"
#include "hw/riscv/program.h"

namespace polycast::tlm::sim {

/// Mean cycles of each operation of `firmware`, rounded: in a network of eight hosts around one switch that send
/// messages of one and of four packets to each other, and multicasts that interfaces forward. IDLE takes none. The same
/// firmware always gives the same. \throws hw::input_error for firmware that does not deliver
std::array<hw::ni::cycle, NI_OPERATIONS> measure_costs(const std::shared_ptr<const hw::riscv::program>& firmware);

}  // namespace polycast::tlm::sim
