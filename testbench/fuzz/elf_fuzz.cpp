// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes the loader of firmware images, and runs what it accepts on the instruction-set simulator.
#include "testbench/riscv/image_probe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    polycast::testbench::riscv::probe_image({data, size}, {1024, 1024});
    return 0;
}
