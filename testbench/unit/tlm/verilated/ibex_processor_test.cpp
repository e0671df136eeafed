// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/ibex_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "hw/input_error.h"
#include "hw/riscv/memory_map.h"
#include "hw/riscv/timing.h"
#include "testbench/riscv/assembler.h"
#include "testbench/riscv/memory_bus.h"

namespace polycast::tlm {
namespace {

using namespace testbench::riscv;
using hw::engine::never;
using hw::ni::cycle;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

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

TEST_F(ibex_processor_test, reads_plain_memory_ahead_of_time_but_no_register) {
    bus.memory[8] = 99;
    assembler code;
    code << lui(t0, 0x20000) << lw(t1, t0, 8) << sw(t1, t0, 12) << lui(t2, 0x40000) << lw(a0, t2, 0) << lw(a1, t2, 0)
         << stop_here();
    ibex_processor cpu = make(code);
    const cycle at = cpu.run(0, false);
    EXPECT_EQ(at, 10u) << "after 4 cycles of boot, one, a load of two, a store of two, one";
    EXPECT_THAT(bus.accesses,
                ElementsAre(bus_access{5, 0x20000008, 99, 4, false}, bus_access{7, 0x2000000c, 99, 4, true}));
    EXPECT_EQ(cpu.run(at, false), at + 2);
    EXPECT_EQ(cpu.run(at + 2, false), never);
    EXPECT_EQ(bus.reads, 2u);
    EXPECT_EQ(cpu.probe().instructions, 6u);
}

TEST_F(ibex_processor_test, accesses_are_aligned_pieces) {
    for (unsigned byte = 0; byte < 16; ++byte) bus.memory[byte] = static_cast<std::uint8_t>(0xa0 + byte);
    assembler code;
    code << lui(t0, 0x20000) << lw(t1, t0, 1) << lh(t2, t0, 2) << lbu(a0, t0, 3) << lhu(a1, t0, 7) << sw(t1, t0, 10)
         << sb(t2, t0, 5) << lui(t3, 0x40000) << sw(t1, t3, 0) << sw(t2, t3, 0) << sw(a0, t3, 0) << sw(a1, t3, 0)
         << stop_here();
    ibex_processor cpu = make(code);
    run_to(cpu, 100);
    std::vector<bus_access> expected = {
        {5, 0x20000001, 0xa1, 1, false},   {5, 0x20000002, 0xa3a2, 2, false},     {6, 0x20000004, 0xa4, 1, false},
        {8, 0x20000002, 0xa3a2, 2, false}, {10, 0x20000003, 0xa3, 1, false},      {12, 0x20000007, 0xa7, 1, false},
        {13, 0x20000008, 0xa8, 1, false},  {15, 0x2000000a, 0xa2a1, 2, true},     {16, 0x2000000c, 0xa4a3, 2, true},
        {18, 0x20000005, 0xa2, 1, true},   {21, 0x40000000, 0xa4a3a2a1, 4, true}, {23, 0x40000000, 0xffffa3a2, 4, true},
        {25, 0x40000000, 0xa3, 4, true},   {27, 0x40000000, 0xa8a7, 4, true}};
    ASSERT_EQ(bus.accesses.size(), expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index)
        EXPECT_EQ(bus.accesses[index], expected[index]) << index << " in cycle " << bus.accesses[index].when;
}

TEST_F(ibex_processor_test, sleeps_until_the_line_rises) {
    assembler code;
    code << lui(t0, 0x40000) << lui(t1, 1) << addi(t1, t1, -2048) << csrrw(zero, 0x304, t1) << wfi() << csrr(t2, 0xb00)
         << sw(t2, t0, 0) << stop_here();
    ibex_processor cpu = make(code);
    EXPECT_EQ(cpu.run(0, false), 12u) << "the wait for an interrupt depends on the line";
    cycle next = 12;
    while (next != never) next = cpu.run(next, false);
    EXPECT_TRUE(cpu.probe().sleeping);
    const std::uint64_t awake = cpu.probe().cycles;
    EXPECT_EQ(cpu.run(5000, false), never);
    EXPECT_EQ(cpu.probe().cycles, awake) << "asleep";
    constexpr cycle rise = 1'000'000'000'000;
    EXPECT_EQ(cpu.run(rise, true), rise + 3);
    EXPECT_FALSE(cpu.probe().sleeping);
    EXPECT_EQ(cpu.run(rise + 3, true), never);
    ASSERT_EQ(bus.accesses.size(), 1u);
    EXPECT_EQ(bus.accesses[0].when, rise + 3);
    EXPECT_LT(bus.accesses[0].value, 20u) << "mcycle stands still asleep";
}

TEST_F(ibex_processor_test, takes_interrupts_in_step_with_the_line) {
    assembler code;
    code.org(0x2c) << lui(t0, 0x40000) << csrr(t1, 0x341) << sw(t1, t0, 0) << stop_here();
    code.org(0x80) << lui(t1, 1) << addi(t1, t1, -2048) << csrrw(zero, 0x304, t1) << csrrsi(zero, 0x300, 8);
    const std::uint32_t loop = code.here();
    code << nop() << nop() << jal(zero, -8);
    ibex_processor cpu = make(code);
    cycle next = cpu.run(0, false);
    EXPECT_LT(next, 15u);
    for (cycle now = next; now < 100; ++now) ASSERT_EQ(cpu.run(now, false), now + 1) << "no cycle ahead of the line";
    next = 100;
    while (next < 200) next = cpu.run(next, true);
    ASSERT_EQ(bus.accesses.size(), 1u);
    // Displaced instruction, IRQ_TAKEN, fetch; then two instructions.
    EXPECT_GE(bus.accesses[0].when, 105u);
    EXPECT_LE(bus.accesses[0].when, 107u);
    EXPECT_GE(bus.accesses[0].value, loop);
    EXPECT_LE(bus.accesses[0].value, loop + 8);
}

TEST_F(ibex_processor_test, computes_ahead_but_not_without_end) {
    assembler code;
    code << nop() << jal(zero, -4);
    ibex_processor cpu = make(code, {.run_ahead = 500});
    EXPECT_EQ(cpu.run(0, false), 500u);
    EXPECT_EQ(cpu.run(10, false), 510u);
    EXPECT_EQ(cpu.run(510, false), 1010u);
    EXPECT_EQ(cpu.probe().cycles, 1010u);
}

/// The handler of exceptions stores mcause and mtval.
void put_handler(assembler& code) {
    code.org(0) << lui(t0, 0x40000) << csrr(t1, 0x342) << sw(t1, t0, 0) << csrr(t1, 0x343) << sw(t1, t0, 0)
                << stop_here();
    code.org(0x80);
}

TEST_F(ibex_processor_test, bus_errors_are_exceptions) {
    struct {
        word base;
        word access;
        std::uint32_t cause;
        std::uint32_t address;
    } const cases[] = {{0x50000, lw(a0, a1, 4), 5, 0x50000004},  {0x50000, sw(a0, a1, 8), 7, 0x50000008},
                       {0x40000, lbu(a0, a1, 0), 5, 0x40000000}, {0x1, sw(a0, a1, 0), 7, 0x1000},
                       {0x10030, lw(a0, a1, 0), 5, 0x10030000},  {0x10, lw(a0, a1, 0), 5, 0x10000},
                       {0x1ffff, lw(a0, a1, 0), 5, 0x1ffff000}};
    for (const auto& each : cases) {
        bus.accesses.clear();
        assembler code;
        put_handler(code);
        code << lui(a1, each.base) << each.access << stop_here();
        ibex_processor cpu = make(code);
        run_to(cpu, 100);
        std::vector<std::uint32_t> stored;
        for (const bus_access& access : bus.accesses) {
            if (access.store && access.address == 0x40000000) stored.push_back(access.value);
        }
        EXPECT_THAT(stored, ElementsAre(each.cause, each.address));
    }
}

TEST_F(ibex_processor_test, halts_where_it_can_do_nothing_more) {
    assembler code;  // nothing at address 0: the handler of exceptions is illegal itself
    code << ecall();
    ibex_processor cpu = make(code);
    EXPECT_EQ(cpu.run(0, false), never);
    EXPECT_TRUE(cpu.probe().halted);
    EXPECT_EQ(cpu.probe().instructions, 0u);
}

TEST_F(ibex_processor_test, reset_loads_data_memory_anew) {
    assembler code;
    code << lui(t0, 0x10000) << lw(t1, t0, 4) << addi(t1, t1, 1) << sw(t1, t0, 4) << lw(t1, t0, 4) << lui(t2, 0x40000)
         << sw(t1, t2, 0) << lw(a0, zero, 0x80) << sw(a0, t2, 0) << stop_here();
    auto content = std::make_shared<hw::riscv::image>(*image(code));
    content->data[4] = 41;
    ibex_processor cpu(content, bus, models());
    run_to(cpu, 100);
    cpu.reset(1000);
    EXPECT_EQ(cpu.probe().cycles, 0u);
    EXPECT_FALSE(cpu.probe().halted);
    cycle next = 1000;
    while (next != never) next = cpu.run(next, false);
    const word first = lui(t0, 0x10000);
    EXPECT_THAT(bus.accesses, ElementsAre(Field(&bus_access::value, 42u), Field(&bus_access::value, first),
                                          Field(&bus_access::value, 42u), Field(&bus_access::value, first)));
    EXPECT_EQ(bus.accesses[2].when, bus.accesses[0].when + 1000);
}

TEST_F(ibex_processor_test, tells_every_instruction) {
    assembler code;
    code << li(t0, 5) << c_li(t1, 3) << mul(t2, t0, t1) << ecall() << stop_here();
    code.org(0) << li(a0, 1) << stop_here();
    ibex_processor cpu = make(code);
    std::vector<polycast_ibex_retirement> seen;
    cpu.observe([&seen](const polycast_ibex_retirement& what) { seen.push_back(what); });
    cpu.run(0, false);
    ASSERT_EQ(seen.size(), 5u);
    EXPECT_EQ(seen[1].pc, 0x84u);
    EXPECT_EQ(seen[1].instruction, c_li(t1, 3));
    EXPECT_EQ(seen[2].pc, 0x86u);
    EXPECT_EQ(seen[2].start, 6u);
    EXPECT_EQ(seen[2].cycle, 8u) << "three cycles";
    EXPECT_EQ(seen[2].rd, t2);
    EXPECT_EQ(seen[2].rd_value, 15u);
    EXPECT_EQ(seen[3].trap, 1u);
    EXPECT_EQ(seen[4].interrupt, 1u) << "first of a handler";
    EXPECT_EQ(seen[4].pc, 0u);
    cpu.observe({});
    cpu.reset(0);
    cpu.run(0, false);
    EXPECT_EQ(seen.size(), 5u);
}

TEST_F(ibex_processor_test, traces_every_signal_inside) {
    assembler code;
    code << li(t0, 5) << wfi() << li(t0, 6) << stop_here();
    ibex_processor cpu = make(code, {.name = "host7"});
    const std::filesystem::path folder = testing::TempDir();
    const std::filesystem::path file = folder / "ibex_processor_test.fst";
    const std::filesystem::path text = folder / "ibex_processor_test.vcd";
    cpu.open_trace(file);
    run_to(cpu, 1000);
    cpu.reset(10);  // time goes back
    run_to(cpu, 20);
    cpu.close_trace();
    const std::string command =
        std::string(POLYCAST_FST2VCD) + " -f '" + file.string() + "' -o '" + text.string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(text);
    const std::string waves{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const char* name : {"host7", "pc_id", "ctrl_fsm_cs", "core_sleep_o"}) EXPECT_THAT(waves, HasSubstr(name));
    std::filesystem::remove(file);
    std::filesystem::remove(text);
    ibex_processor other = make(code);
    EXPECT_THROW(other.open_trace("/no/such/folder/x.fst"), hw::input_error);
}

TEST_F(ibex_processor_test, is_small) {
    assembler code;
    code << stop_here();
    const ibex_processor cpu = make(code);
    const std::size_t bytes = cpu.memory_bytes();
    EXPECT_GT(bytes, 192u << 10) << "data memory";
    EXPECT_LT(bytes, 204u << 10);
}

TEST(ibex_model_test, without_ibex_there_is_no_model) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "polycast_no_ibex";
    std::filesystem::remove_all(folder);
    model_options options = model_options::defaults();
    options.cache_dir = folder;
    options.ibex_root = "/no/such/folder";
    model_library library(options);
    try {
        library.ibex();
        FAIL() << "there is a model";
    } catch (const hw::input_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("POLYCAST_IBEX is \"/no/such/folder\""));
        EXPECT_THAT(error.what(), HasSubstr(".log"));
    }
    EXPECT_FALSE(std::filesystem::exists(library.file_of_ibex()));
    std::filesystem::remove_all(folder);
}

TEST(ibex_model_test, changed_sources_make_another_model) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "polycast_changed_ibex";
    std::filesystem::remove_all(folder);
    model_options options = model_options::defaults();
    const std::filesystem::path original = model_library(options).file_of_ibex();
    std::filesystem::copy(options.rtl_dir, folder, std::filesystem::copy_options::recursive);
    options.rtl_dir = folder;
    options.project_dir = folder / "model";
    EXPECT_EQ(model_library(options).file_of_ibex(), original);
    std::ofstream(folder / "ibex" / "polycast_ibex.sv", std::ios::app) << "// changed\n";
    EXPECT_NE(model_library(options).file_of_ibex(), original);
    std::filesystem::remove_all(folder);
}

// The same program on the instruction-set simulator: iss_upset.what_a_code_cannot_correct_is_told_when_it_is_read.
TEST_F(ibex_processor_test, codes_of_data_memory_are_asked) {
    assembler code;
    code << lui(t0, hw::riscv::data_base >> 12) << sw(zero, t0, 4) << sb(zero, t0, 8) << lw(a0, t0, 12)
         << lw(a1, t0, 20) << sw(a1, t0, 24) << stop_here();
    ibex_processor cpu = make(code, {.protect = hw::format::protection::secded});
    for (const std::uint32_t word : {1u, 2u, 3u, 4u})
        for (const std::uint32_t bit : {3u, 9u}) cpu.upset(word, bit);
    cpu.upset(5, 38);
    run_to(cpu, 100);
    EXPECT_THAT(bus.wrong, testing::SizeIs(2));
    EXPECT_EQ(bus.wrong.back() - bus.wrong.front(), hw::riscv::ibex_small.store);
    EXPECT_EQ(cpu.corrected(), 1u);
}

}  // namespace
}  // namespace polycast::tlm
