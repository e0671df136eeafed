// SPDX-License-Identifier: Apache-2.0
/// \file Runs random programs on the instruction-set simulator and on Unicorn, and compares all registers before every
/// instruction, and every memory write. Usage: riscv_unicorn_check EXTENSION INSTRUCTIONS [SEED]; without a seed a
/// random one, which is printed.
#include <unicorn/unicorn.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>
#include <sstream>

#include "hw/riscv/iss.h"
#include "testbench/riscv/memory_bus.h"
#include "testbench/riscv/random_program.h"

namespace {

using namespace polycast;
using namespace testbench::riscv;
using hw::riscv::data_access;

constexpr unsigned program_instructions = 400;
constexpr std::size_t most_steps = 2000;  ///< of one program

/// The state before an instruction, and what it stored.
struct step {
    hw::ni::cycle start = 0;
    std::uint32_t pc = 0;
    std::array<std::uint32_t, 32> registers{};
    data_access access;
};

std::array<std::uint32_t, 32> registers_of(const hw::riscv::iss& cpu) {
    std::array<std::uint32_t, 32> all{};
    for (unsigned r = 0; r < 32; ++r) all[r] = cpu.reg(r);
    return all;
}

/// Writes down what a processor does, up to the first trap.
class recorder : public hw::riscv::iss_observer {
public:
    void retired(const hw::riscv::iss& cpu, const hw::riscv::retired_instruction& what) override {
        if (trapped_) return;
        steps.back().access = what.access;
        steps.push_back({what.end, what.next_pc, registers_of(cpu), {}});
    }
    void trapped(const hw::riscv::iss&, const hw::riscv::trap&) override { trapped_ = true; }
    bool done() const { return trapped_ || steps.size() > most_steps; }

    std::vector<step> steps;

private:
    bool trapped_ = false;
};

std::vector<step> run_iss(const random_program& what, const std::shared_ptr<const hw::riscv::program>& firmware) {
    memory_bus bus;
    hw::riscv::iss cpu(firmware, bus, {.run_ahead = 1});
    for (unsigned r = 1; r < 32; ++r) cpu.set_reg(r, what.registers[r]);
    recorder record;
    record.steps.push_back({cpu.now(), cpu.pc(), registers_of(cpu), {}});
    cpu.attach(&record);
    hw::ni::cycle at = 0;
    while (!record.done() && !cpu.probe().halted) at = cpu.run(at, false);
    return std::move(record.steps);
}

/// Whether the simulator arrives at the same place without an observer, many instructions at a time.
bool same_at_full_speed(const random_program& what, const std::shared_ptr<const hw::riscv::program>& firmware,
                        const std::vector<step>& steps) {
    memory_bus bus;
    hw::riscv::iss cpu(firmware, bus, {.run_ahead = most_steps / 4});
    for (unsigned r = 1; r < 32; ++r) cpu.set_reg(r, what.registers[r]);
    for (hw::ni::cycle at = 0;;) {
        at = cpu.run(at, false);
        const std::uint64_t done = cpu.probe().instructions;
        if (cpu.probe().halted || done >= steps.size()) return true;
        const step& expected = steps[done];
        // At the end a trap may have come between.
        if (done + 1 == steps.size()) return true;
        if (cpu.pc() != expected.pc || cpu.now() != expected.start || registers_of(cpu) != expected.registers)
            return false;
    }
}

class oracle {
public:
    oracle() {
        check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_), "open");
        check(uc_mem_map(engine_, hw::riscv::instruction_base, 64u << 10, UC_PROT_READ | UC_PROT_EXEC), "map");
        check(uc_mem_map(engine_, hw::riscv::data_base, 64u << 10, UC_PROT_READ | UC_PROT_WRITE), "map");
        uc_hook hook{};
        check(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(&on_instruction), this, 1, 0), "hook");
        check(uc_hook_add(engine_, &hook, UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(&on_write), this, 1, 0), "hook");
        for (unsigned r = 0; r < 32; ++r) {
            numbers_[r] = UC_RISCV_REG_X0 + static_cast<int>(r);
            places_[r] = &values_[r];
        }
    }
    ~oracle() { uc_close(engine_); }
    oracle(const oracle&) = delete;
    oracle& operator=(const oracle&) = delete;

    /// What differs; nothing when all is the same.
    std::optional<std::string> compare(const random_program& what, const std::vector<step>& expected) {
        expected_ = &expected;
        position_ = 0;
        writes_ = 0;
        difference_.reset();
        const std::vector<std::uint8_t> empty(64u << 10);
        check(uc_mem_write(engine_, 0, empty.data(), empty.size()), "write");
        check(uc_mem_write(engine_, 0, what.code.data(), what.code.size()), "write");
        check(uc_mem_write(engine_, hw::riscv::data_base, what.data.data(), what.data.size()), "write");
        check(uc_ctl_remove_cache(engine_, 0, 64u << 10), "forget translations");
        for (unsigned r = 1; r < 32; ++r) check(uc_reg_write(engine_, numbers_[r], &what.registers[r]), "register");
        const std::uint32_t none = 0;
        for (const int number : {UC_RISCV_REG_MSCRATCH, UC_RISCV_REG_MTVAL})
            check(uc_reg_write(engine_, number, &none), "register");
        const uc_err error = uc_emu_start(engine_, hw::riscv::boot_pc, 1, 0, 0);
        if (!difference_ && position_ + 1 < expected.size())
            difference_ = std::string("Unicorn stops after ") + std::to_string(position_) +
                          " instructions: " + uc_strerror(error);
        return difference_;
    }

private:
    static void check(uc_err error, const char* what) {
        if (error == UC_ERR_OK) return;
        std::cerr << "Unicorn: " << what << ": " << uc_strerror(error) << "\n";
        std::exit(1);
    }

    static void on_instruction(uc_engine*, std::uint64_t address, std::uint32_t, void* self) {
        static_cast<oracle*>(self)->instruction(static_cast<std::uint32_t>(address));
    }
    static void on_write(uc_engine*, uc_mem_type, std::uint64_t address, int size, std::int64_t value, void* self) {
        static_cast<oracle*>(self)->write(static_cast<std::uint32_t>(address), size, static_cast<std::uint64_t>(value));
    }

    void differ(const std::string& text) {
        if (!difference_) difference_ = text;
        uc_emu_stop(engine_);
    }

    void instruction(std::uint32_t pc) {
        if (difference_) return;
        if (started_) finish_instruction();
        started_ = true;
        const step& now = (*expected_)[position_];
        std::ostringstream text;
        text << std::hex;
        if (pc != now.pc) text << "pc " << now.pc << " and here " << pc << "\n";
        check(uc_reg_read_batch(engine_, numbers_.data(), places_.data(), 32), "registers");
        for (unsigned r = 0; r < 32; ++r)
            if (values_[r] != now.registers[r])
                text << hw::riscv::register_names[r] << " " << now.registers[r] << " and here " << values_[r] << "\n";
        if (!text.str().empty()) return differ(text.str());
        if (position_ + 1 >= expected_->size()) {
            started_ = false;
            uc_emu_stop(engine_);
        }
    }

    /// The instruction before has finished: did it make the write it had to?
    void finish_instruction() {
        const bool stored = (*expected_)[position_].access.store && (*expected_)[position_].access.bytes != 0;
        if (writes_ != (stored ? 1u : 0u)) differ("a write is missing");
        writes_ = 0;
        ++position_;
    }

    void write(std::uint32_t address, int size, std::uint64_t value) {
        const data_access& expected = (*expected_)[position_].access;
        const std::uint64_t mask = size >= 8 ? ~0ull : (1ull << 8 * size) - 1;
        ++writes_;
        if (expected.store && expected.address == address && expected.bytes == static_cast<unsigned>(size) &&
            expected.value == (value & mask))
            return;
        std::ostringstream text;
        text << std::hex << "write of " << expected.bytes << " bytes " << expected.value << " to " << expected.address
             << " and here of " << size << " bytes " << (value & mask) << " to " << address << "\n";
        differ(text.str());
    }

    uc_engine* engine_ = nullptr;
    std::array<int, 32> numbers_{};
    std::array<std::uint32_t, 32> values_{};
    std::array<void*, 32> places_{};
    const std::vector<step>* expected_ = nullptr;
    std::size_t position_ = 0;
    unsigned writes_ = 0;
    bool started_ = false;
    std::optional<std::string> difference_;
};

bool belongs(extension which, const hw::riscv::instruction& decoded) {
    using hw::riscv::operation;
    switch (which) {
        case extension::c: return decoded.length == 2;
        case extension::m: return decoded.op >= operation::mul && decoded.op <= operation::remu;
        case extension::zicsr: return decoded.op >= operation::csrrw && decoded.op <= operation::csrrci;
        case extension::i: break;
    }
    return true;
}

int run(const std::string& name, std::uint64_t wanted, std::uint64_t seed) {
    const extension which = extension_named(name);
    std::cout << "extension " << name << ", seed " << seed << std::endl;
    oracle other;
    std::uint64_t instructions = 0, writes = 0, programs = 0;
    while (instructions < wanted) {
        // Each program has a seed of its own: replaying one is running the first program of its seed.
        const std::uint64_t own = seed + programs++;
        std::mt19937_64 random(own);
        const random_program made = make_random_program(which, program_instructions, random);
        elf_file file;
        file.segments = {{0, made.code, 0, ~0u}, {hw::riscv::data_base, made.data, 0, ~0u}};
        const auto firmware = std::make_shared<const hw::riscv::program>(
            hw::riscv::parse_image("random.elf", file.bytes(), {64u << 10, 64u << 10}));
        const std::vector<step> steps = run_iss(made, firmware);
        std::optional<std::string> difference = other.compare(made, steps);
        if (!difference && !same_at_full_speed(made, firmware, steps)) difference = "at full speed it goes elsewhere\n";
        if (difference) {
            std::cout << "differs: " << *difference << "replay: riscv_unicorn_check " << name << " 1 " << own << "\n";
            return 1;
        }
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            instructions += belongs(which, firmware->at(steps[i].pc)) ? 1 : 0;
            writes += steps[i].access.store && steps[i].access.bytes != 0 ? 1 : 0;
        }
    }
    std::cout << "the same: " << instructions << " instructions of the extension, " << writes << " writes, " << programs
              << " programs\n";
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3 || count > 4) {
        std::cerr << "usage: riscv_unicorn_check i|m|c|zicsr INSTRUCTIONS [SEED]\n";
        return 2;
    }
    const std::uint64_t seed = count == 4 ? std::strtoull(arguments[3], nullptr, 10) : std::random_device{}();
    return run(arguments[1], std::strtoull(arguments[2], nullptr, 10), seed);
}
