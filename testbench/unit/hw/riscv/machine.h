// SPDX-License-Identifier: Apache-2.0
/// \file A processor with a small program, for tests.
#pragma once

#include <memory>

#include "hw/riscv/iss.h"
#include "testbench/riscv/assembler.h"
#include "testbench/riscv/memory_bus.h"

namespace polycast::hw::riscv {

struct machine {
    explicit machine(const testbench::riscv::assembler& code, iss_options options = {})
        : machine(testbench::riscv::executable(code), options) {}

    explicit machine(const testbench::riscv::elf_file& file, iss_options options = {})
        : firmware(std::make_shared<const program>(parse_image("test.elf", file.bytes()))),
          bus(std::make_unique<testbench::riscv::memory_bus>()),
          cpu(std::make_unique<iss>(firmware, *bus, options)) {}

    /// Runs as an interface would, without interrupts, until the program jumps to itself or `most` cycles have passed.
    void run_to_end(cycle most = 1000000) {
        cycle at = 0;
        while (at <= most) at = cpu->run(at, false);
    }

    std::shared_ptr<const program> firmware;
    std::unique_ptr<testbench::riscv::memory_bus> bus;
    std::unique_ptr<iss> cpu;
};

}  // namespace polycast::hw::riscv
