// SPDX-License-Identifier: Apache-2.0
#include "testbench/riscv/ibex_lockstep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "testbench/riscv/random_program.h"
#include "testbench/riscv/random_system_program.h"

namespace polycast::testbench::riscv {
namespace {

tlm::model_library& models() {
    static tlm::model_library library;
    return library;
}

std::shared_ptr<const hw::riscv::program> program_of(std::vector<std::uint8_t> code, std::vector<std::uint8_t> data) {
    hw::riscv::image image;
    image.instruction = std::move(code);
    image.instruction.resize(image.sizes.instruction);
    image.data = std::move(data);
    image.data.resize(image.sizes.data);
    return std::make_shared<const hw::riscv::program>(std::move(image));
}

/// Puts a value into a register, in two instructions.
void load_constant(assembler& code, unsigned rd, std::uint32_t value) {
    const auto low = static_cast<std::int32_t>(value << 20) >> 20;
    code << lui(rd, (value - static_cast<std::uint32_t>(low)) >> 12 & 0xfffffu) << addi(rd, rd, low);
}

/// A random program expects registers: its first instruction becomes a jump to code behind it that sets them.
std::shared_ptr<const hw::riscv::program> with_registers(random_program made) {
    constexpr std::uint32_t boot = hw::riscv::boot_pc;
    std::uint32_t resume = boot;
    while (resume < boot + 4) resume += (made.code[resume] & 3u) == 3u ? 4 : 2;
    const auto behind = static_cast<std::uint32_t>(made.code.size() + 3) / 4 * 4;
    assembler prelude;
    prelude << jal(zero, static_cast<int>(behind - boot));
    std::copy_n(prelude.bytes().begin() + boot, 4, made.code.begin() + boot);
    prelude.org(behind);
    for (unsigned index = 1; index < 32; ++index) load_constant(prelude, index, made.registers[index]);
    prelude << jal(zero, static_cast<int>(resume) - static_cast<int>(prelude.here()));
    made.code.resize(behind);
    made.code.insert(made.code.end(), prelude.bytes().begin() + behind, prelude.bytes().end());
    return program_of(std::move(made.code), std::move(made.data));
}

class ibex_lockstep_test : public testing::TestWithParam<extension> {};

TEST_P(ibex_lockstep_test, random_programs_take_the_same_cycles) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        const lockstep_run run = {with_registers(make_random_program(GetParam(), 2000, random)),
                                  [] { return std::make_unique<timed_bus>(); }, 20'000};
        const lockstep_result result = run_lockstep(run, models());
        EXPECT_EQ(result.difference, "") << "seed " << seed;
        ASSERT_EQ(result.drift, "") << "seed " << seed;
        EXPECT_GT(result.instructions, 1000u);
    }
}

TEST_P(ibex_lockstep_test, bits_of_data_memory_flip_in_the_same_cycle) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        random_program made = make_random_program(GetParam(), 2000, random);
        const std::uint64_t words = made.data.size() / 4;
        lockstep_run run = {with_registers(std::move(made)), [] { return std::make_unique<timed_bus>(); }, 20'000, {}};
        for (cycle at = random() % 10; words != 0 && at < run.end; at += random() % 20)
            run.flips.push_back(
                {at, static_cast<std::uint32_t>(random() % words), static_cast<std::uint32_t>(random() % 32)});
        const lockstep_result result = run_lockstep(run, models());
        EXPECT_EQ(result.difference, "") << "seed " << seed;
        ASSERT_EQ(result.drift, "") << "seed " << seed;
    }
}

TEST(ibex_lockstep_system_test, random_traps_and_interrupts_take_the_same_cycles) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        const auto firmware = program_of(make_random_system_program(300, random), {});
        std::vector<cycle> rises;
        for (cycle at = 50 + random() % 100; at < 29'000; at += 1 + random() % 300) rises.push_back(at);
        const lockstep_run run = {firmware, [&rises] { return std::make_unique<timed_bus>(rises); }, 30'000};
        const lockstep_result result = run_lockstep(run, models());
        EXPECT_EQ(result.difference, "") << "seed " << seed;
        ASSERT_EQ(result.drift, "") << "seed " << seed;
        EXPECT_GT(result.instructions, 300u);
    }
}

std::string name_of(const testing::TestParamInfo<extension>& which) {
    constexpr const char* names[] = {"i", "m", "c", "zicsr"};
    return names[static_cast<std::size_t>(which.param)];
}

INSTANTIATE_TEST_SUITE_P(extensions, ibex_lockstep_test,
                         testing::Values(extension::i, extension::m, extension::c, extension::zicsr), name_of);

}  // namespace
}  // namespace polycast::testbench::riscv
