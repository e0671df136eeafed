// SPDX-License-Identifier: Apache-2.0
#include "tlm/ibex_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "hw/input_error.h"
#include "testbench/riscv/assembler.h"
#include "testbench/riscv/memory_bus.h"

namespace polycast::tlm {
namespace {

using namespace testbench::riscv;
using hw::engine::never;
using hw::ni::cycle;
using testing::ElementsAre;
using testing::Field;

constexpr unsigned t3 = 28;

class ibex_processor_test : public testing::Test {
protected:
    static model_library& models() {
        static model_library library;
        return library;
    }

    static std::shared_ptr<const hw::riscv::image> image(const assembler& code) {
        auto made = std::make_shared<hw::riscv::image>();
        made->instruction = code.bytes();
        made->instruction.resize(made->sizes.instruction);
        made->data.resize(made->sizes.data);
        return made;
    }

    ibex_processor make(const assembler& code, ibex_options options = {}) {
        return ibex_processor(image(code), bus, models(), std::move(options));
    }

    /// Calls `cpu` when it asks for it, with the line low, up to cycle `end`.
    static void run_to(ibex_processor& cpu, cycle end) {
        cycle next = 0;
        while (next <= end) next = cpu.run(next, false);
    }

    memory_bus bus;
};

TEST_F(ibex_processor_test, stores_a_result_to_a_register_in_its_cycle) {
    assembler code;
    code << lui(t0, 0x40000) << li(t1, 20) << li(t2, 22) << add(t1, t1, t2) << sw(t1, t0, 0) << stop_here();
    ibex_processor cpu = make(code);
    EXPECT_EQ(cpu.run(0, false), 8u) << "waits for the cycle of the store";
    EXPECT_TRUE(bus.accesses.empty());
    EXPECT_EQ(cpu.run(7, false), 8u);
    EXPECT_TRUE(bus.accesses.empty());
    EXPECT_EQ(cpu.run(8, false), never);
    EXPECT_THAT(bus.accesses, ElementsAre(bus_access{8, 0x40000000, 42, 4, true}));
    EXPECT_TRUE(cpu.probe().halted) << "jumps to itself";
}

}  // namespace
}  // namespace polycast::tlm
