// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/image.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <functional>

#include "hw/input_error.h"
#include "testbench/riscv/assembler.h"
#include "testbench/unit/refusal.h"

namespace polycast::hw::riscv {
namespace {

using namespace testbench::riscv;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

elf_file good() {
    elf_file file = executable(assembler() << li(a0, 1) << ret() << nop() << stop_here());
    file.segments.push_back({data_base + 16, {1, 2, 3}, 100, ~0u});
    file.functions = {{"second", 0x88, 8}, {"_start", 0x80, 0}, {"alias", 0x88, 0}, {"elsewhere", data_base, 4}};
    return file;
}

std::string refusal(const std::vector<std::uint8_t>& bytes, memory_sizes sizes = {}) {
    return testbench::unit::refusal([&] { parse_image("fw.elf", bytes, sizes); });
}

TEST(image, holds_what_the_file_says) {
    const image loaded = parse_image("fw.elf", good().bytes());
    EXPECT_EQ(loaded.file, "fw.elf");
    EXPECT_EQ(loaded.entry, 0x80u);
    EXPECT_EQ(loaded.instruction.size(), 64u << 10);
    EXPECT_EQ(loaded.data.size(), 192u << 10);
    EXPECT_EQ(loaded.instruction[0x80] | loaded.instruction[0x81] << 8 | loaded.instruction[0x82] << 16,
              static_cast<int>(li(a0, 1) & 0xffffffu));
    EXPECT_EQ(loaded.data[16], 1);
    EXPECT_EQ(loaded.data[18], 3);
    EXPECT_EQ(loaded.data[19], 0);
    EXPECT_EQ(loaded.instruction_bytes, 0x90u);
    EXPECT_EQ(loaded.data_bytes, 116u);
}

TEST(image, knows_its_functions) {
    const image loaded = parse_image("fw.elf", good().bytes());
    EXPECT_THAT(loaded.functions, ElementsAre(function_symbol{"_start", 0x80, 8}, function_symbol{"second", 0x88, 8}));
    EXPECT_EQ(loaded.function_at(0x7e), nullptr);
    EXPECT_EQ(loaded.function_at(0x80)->name, "_start");
    EXPECT_EQ(loaded.function_at(0x86)->name, "_start");
    EXPECT_EQ(loaded.function_at(0x88)->name, "second");
    EXPECT_EQ(loaded.function_at(0x90), nullptr);
}

TEST(image, takes_a_label_at_the_entry_for_a_function) {
    elf_file file = good();
    file.functions = {{"second", 0x88, 8}, {"_start", 0x80, 0, 0x10}, {"label", 0x84, 0, 0x10}, {"$x", 0x80, 0, 0}};
    const image loaded = parse_image("fw.elf", file.bytes());
    EXPECT_THAT(loaded.functions, ElementsAre(function_symbol{"_start", 0x80, 8}, function_symbol{"second", 0x88, 8}));
}

TEST(image, loads_at_physical_addresses) {
    elf_file file = good();
    // .data in instruction memory, to be copied by start code; .bss behind it takes no room there.
    file.segments[1] = {0x200, {9, 8}, 64, data_base + 32};
    const image loaded = parse_image("fw.elf", file.bytes());
    EXPECT_EQ(loaded.instruction[0x200], 9);
    EXPECT_EQ(loaded.data[32], 0);
    EXPECT_EQ(loaded.data_bytes, 96u);
}

TEST(image, has_memories_of_other_sizes) {
    const image loaded = parse_image("fw.elf", good().bytes(), {4096, 512});
    EXPECT_EQ(loaded.instruction.size(), 4096u);
    EXPECT_EQ(loaded.data.size(), 512u);
    EXPECT_THAT(refusal(good().bytes(), {4096, 300}), HasSubstr("300 bytes"));
    EXPECT_THAT(refusal(good().bytes(), {0, 512}), HasSubstr("multiple of 256"));
    EXPECT_THAT(refusal(good().bytes(), {4096, 0x20000000}), HasSubstr("at most 256 MiB"));
}

struct spoilt {
    const char* name;
    std::function<void(elf_file&)> spoil;
    std::function<void(std::vector<std::uint8_t>&)> spoil_bytes;
    const char* message;
};

class image_refusals : public testing::TestWithParam<spoilt> {};

TEST_P(image_refusals, name_the_file_and_the_remedy) {
    elf_file file = good();
    if (GetParam().spoil) GetParam().spoil(file);
    std::vector<std::uint8_t> bytes = file.bytes();
    if (GetParam().spoil_bytes) GetParam().spoil_bytes(bytes);
    EXPECT_THAT(refusal(bytes), AllOf(StartsWith("fw.elf: "), HasSubstr(GetParam().message), HasSubstr("; ")));
}

const char* const outside = "is in no memory of the processor";

INSTANTIATE_TEST_SUITE_P(
    all, image_refusals,
    testing::Values(
        spoilt{"empty", {}, [](auto& b) { b.clear(); }, "not an ELF file"},
        spoilt{"text",
               {},
               [](auto& b) {
                   b = {'h', 'e', 'l', 'l', 'o'};
               },
               "not an ELF file"},
        spoilt{"short_header", {}, [](auto& b) { b.resize(40); }, "header is cut off"},
        spoilt{"elf64", {}, [](auto& b) { b[4] = 2; }, "not a 32-bit"},
        spoilt{"big_endian", {}, [](auto& b) { b[5] = 2; }, "not a little-endian"},
        spoilt{"version", {}, [](auto& b) { b[6] = 9; }, "damaged"},
        spoilt{"machine", [](auto& f) { f.machine = 40; }, {}, "machine 40, not RISC-V"},
        spoilt{"object", [](auto& f) { f.type = 1; }, {}, "not an executable"},
        spoilt{"float_abi", [](auto& f) { f.flags |= 2; }, {}, "floating-point"},
        spoilt{"embedded", [](auto& f) { f.flags |= 8; }, {}, "RV32E"},
        spoilt{"entry", [](auto& f) { f.entry = 0x100; }, {}, "entry is 0x00000100"},
        spoilt{"atomics", [](auto& f) { f.architecture = "rv32i2p0_m2p0_a2p0_c2p0"; }, {}, "without a;"},
        spoilt{"doubles", [](auto& f) { f.architecture = "rv32imfdc"; }, {}, "without f;"},
        spoilt{"bits", [](auto& f) { f.architecture = "rv32i2p1_m2p0_zba1p0"; }, {}, "without zba;"},
        spoilt{"rv64", [](auto& f) { f.architecture = "rv64i2p0"; }, {}, "without rv64;"},
        spoilt{"no_segment", [](auto& f) { f.segments.clear(); }, {}, "no segment to load"},
        spoilt{"dynamic", [](auto&) {}, [](auto& b) { b[52] = 2; }, "dynamically linked"},
        spoilt{"between", [](auto& f) { f.segments[1].address = 0x20000; }, {}, outside},
        spoilt{"above", [](auto& f) { f.segments[1].address = 0x20000000; }, {}, outside},
        spoilt{"over_the_end", [](auto& f) { f.segments[1].address = data_base + (192u << 10) - 99; }, {}, outside},
        spoilt{"wraps", [](auto& f) { f.segments[1].address = 0xfffffff0; }, {}, outside},
        spoilt{"too_much", [](auto& f) { f.segments[0].memory_bytes = 70000; }, {}, outside},
        spoilt{"virtual_outside", [](auto& f) { f.segments[1].virtual_address = 0x8000000; }, {}, outside},
        spoilt{"overlap",
               [](auto& f) {
                   f.segments[1] = {0x84, {1}, 0, ~0u};
               },
               {},
               "overlap at 0x00000084"},
        spoilt{"bss_overlap",
               [](auto& f) {
                   f.segments.push_back({data_base + 100, {}, 8, ~0u});
               },
               {},
               "overlap at 0x10000064"},
        spoilt{"physical_overlap",
               [](auto& f) {
                   f.segments[1] = {0x84, {1}, 4, data_base};
               },
               {},
               "overlap at 0x00000084"},
        spoilt{"larger_in_file", [](auto&) {}, [](auto& b) { b[52 + 20] = 1; }, "larger in the file"},
        spoilt{"cut_off", {}, [](auto& b) { b.resize(52 + 64 + 8); }, "the file ends inside a segment"},
        spoilt{"offset", {}, [](auto& b) { b[52 + 7] = 0x7f; }, "the file ends inside a segment"}),
    [](const auto& which) { return which.param.name; });

TEST(image, is_read_from_a_file) {
    const std::string path = testing::TempDir() + "polycast_image_test.elf";
    const std::vector<std::uint8_t> bytes = good().bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    EXPECT_EQ(read_image(path).instruction, parse_image("", bytes).instruction);
    std::remove(path.c_str());
    EXPECT_THROW(read_image(path), input_error);
    EXPECT_THROW(read_image(testing::TempDir()), input_error);
}

TEST(image, accepts_what_compilers_write_for_its_instructions) {
    for (const char* architecture : {"rv32imc", "rv32i2p1_m2p0_c2p0_zicsr2p0", "rv32imc_zicsr_zifencei",
                                     "rv32i2p0m2p0c2p0", "", "rv32i_zmmul1p0"}) {
        elf_file file = good();
        file.architecture = architecture;
        EXPECT_EQ(refusal(file.bytes()), "accepted") << architecture;
    }
}

}  // namespace
}  // namespace polycast::hw::riscv
