// SPDX-License-Identifier: Apache-2.0
/// \file Whatever the bytes are, a firmware image is loaded or refused; what is loaded can be run. Shared by the fuzzer
/// and the test with spoilt images.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <string>

#include "hw/input_error.h"
#include "hw/riscv/iss.h"
#include "testbench/riscv/memory_bus.h"

namespace polycast::testbench::riscv {

/// Ends the program when something that must hold does not. \returns the refusal; empty when the image was loaded
inline std::string probe_image(std::span<const std::uint8_t> bytes, hw::riscv::memory_sizes sizes) {
    const auto require = [](bool holds, const std::string& what) {
        if (holds) return;
        std::cerr << "violated: " << what << std::endl;
        std::abort();
    };
    try {
        hw::riscv::image loaded = hw::riscv::parse_image("probe.elf", bytes, sizes);
        require(loaded.instruction.size() == sizes.instruction && loaded.data.size() == sizes.data,
                "memories are whole");
        require(loaded.entry == hw::riscv::boot_pc, "the entry is where the processor starts");
        require(loaded.instruction_bytes <= sizes.instruction && loaded.data_bytes <= sizes.data,
                "uses fit the memories");
        for (std::size_t i = 0; i < loaded.functions.size(); ++i) {
            const hw::riscv::function_symbol& f = loaded.functions[i];
            require(!f.name.empty(), "functions have names");
            require(std::uint64_t{f.address} + f.size <= sizes.instruction, "functions are in instruction memory");
            require(i == 0 || loaded.functions[i - 1].address < f.address, "functions are sorted");
            require(f.size == 0 || loaded.function_at(f.address) == &f, "functions are found");
        }
        memory_bus bus;
        hw::riscv::iss cpu(std::make_shared<const hw::riscv::program>(std::move(loaded)), bus);
        hw::ni::cycle at = 0;
        for (int turn = 0; turn < 20 && at != hw::engine::never; ++turn) {
            const hw::ni::cycle next = cpu.run(at, turn % 8 == 7);
            require(next > at, "time goes on");
            at = next;
        }
    } catch (const hw::input_error& refused) {
        const std::string message = refused.what();
        require(message.starts_with("probe.elf: ") && message.find("; ") != std::string::npos,
                "a refusal names the file and a remedy: " + message);
        return message;
    }
    return {};
}

}  // namespace polycast::testbench::riscv
