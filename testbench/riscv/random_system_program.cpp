// SPDX-License-Identifier: Apache-2.0
#include "testbench/riscv/random_system_program.h"

#include <array>
#include <iterator>

#include "hw/riscv/csr.h"
#include "testbench/riscv/assembler.h"
#include "testbench/riscv/ibex_lockstep.h"

namespace polycast::testbench::riscv {
namespace {

namespace numbers = hw::riscv::csr;

// Registers with a meaning; x5 .. x15 are anybody's, x28 .. x31 the handlers'.
constexpr unsigned data = 16, packets = 17, registers = 18, nowhere = 19, code_memory = 20, counter = 21, target = 22,
                   external = 23;
constexpr unsigned h0 = 28, h1 = 29, h2 = 30;
constexpr std::uint32_t interrupt_vector = 0x2c;
constexpr int acknowledge_offset = static_cast<int>(timed_bus::acknowledge - timed_bus::register_base);
constexpr word mstatus_mie = 8;

class generator {
public:
    explicit generator(std::mt19937_64& random) : random_(random), sleeps_(chance(50)) {}

    std::vector<std::uint8_t> make(unsigned pieces) {
        begin();
        for (unsigned count = 0; count < pieces; ++count) piece();
        code_ << csrrci(zero, numbers::mstatus, mstatus_mie) << stop_here();
        handlers();
        return code_.bytes();
    }

private:
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    bool chance(unsigned percent) { return below(100) < percent; }
    unsigned any() { return 5 + below(11); }
    int offset() { return static_cast<int>(below(4096)) - 2048; }

    void begin() {
        code_ << lui(data, 0x10001) << lui(packets, 0x20001) << lui(registers, 0x40000) << lui(nowhere, 0x50000)
              << lui(code_memory, 1) << lui(external, 1) << addi(external, external, -2048)
              << csrrw(zero, numbers::mie, external);
        for (unsigned r = 5; r < 16; ++r)
            code_ << lui(r, static_cast<word>(random_()) & 0xfffffu) << addi(r, r, offset());
        code_ << csrrsi(zero, numbers::mstatus, mstatus_mie);
    }

    void piece() {
        switch (below(20)) {
            case 0:
            case 1:
            case 2: filler(); break;
            case 3:
            case 4: code_ << r_type(1, below(8), any(), any(), any()); break;
            case 5: code_ << load(data); break;
            case 6: code_ << store(data); break;
            case 7: code_ << (chance(50) ? load(packets) : store(packets)); break;
            case 8: register_access(); break;
            case 9: bad_access(); break;
            case 10: branch(); break;
            case 11: call(); break;
            case 12: read_counter(); break;
            case 13: switch_interrupts(); break;
            case 14: wait(); break;
            case 15: exception(); break;
            case 16: code_ << (chance(50) ? fence() : fence_i()); break;
            case 17: loop(); break;
            case 18: bad_jump(); break;
            default: write_csr(); break;
        }
        if (chance(30)) code_ << c_nop();  // the next piece starts in the middle of a word
    }

    void filler() {
        for (unsigned count = 1 + below(6); count > 0; --count) {
            if (chance(40)) {
                code_ << c_li(any(), below(32));
            } else {
                code_ << add(any(), any(), any());
            }
        }
    }

    word load(unsigned base) {
        constexpr std::array<word, 5> widths{0, 1, 2, 4, 5};
        return i_type(0x03, widths[below(5)], any(), base, offset());
    }
    word store(unsigned base) { return s_type(below(3), base, any(), offset()); }

    void register_access() {
        const int place = static_cast<int>(below(512)) * 4;
        switch (below(4)) {
            case 0: code_ << sw(any(), registers, place); break;
            case 1: code_ << lw(any(), registers, acknowledge_offset); break;
            default: code_ << lw(any(), registers, place); break;
        }
    }

    /// Nothing there; a store to instruction memory; less than a word of a register; across words of two kinds.
    void bad_access() {
        switch (below(5)) {
            case 0: code_ << load(nowhere); break;
            case 1: code_ << store(nowhere); break;
            case 2: code_ << store(code_memory); break;
            case 3: code_ << load(registers); break;
            default: code_ << store(registers); break;
        }
    }

    /// Over a few halfwords, taken or not.
    void branch() {
        constexpr std::array<word, 6> conditions{0, 1, 4, 5, 6, 7};
        const unsigned skipped = below(5);
        const unsigned rs1 = any();
        const unsigned rs2 = chance(50) ? rs1 : any();
        code_ << b_type(conditions[below(6)], rs1, rs2, 4 + 2 * static_cast<int>(skipped));
        for (unsigned count = 0; count < skipped; ++count) code_ << c_li(any(), below(32));
        if (chance(50)) filler();
    }

    void call() {
        const bool direct = chance(50);
        const unsigned skipped = below(3);
        if (direct) {
            code_ << jal(target, 4 + 2 * static_cast<int>(skipped));
        } else {
            const bool odd_place = code_.here() % 4 != 0;
            code_ << auipc(target, 0) << jalr(odd_place ? zero : target, target, 8 + 2 * static_cast<int>(skipped));
        }
        for (unsigned count = 0; count < skipped; ++count) code_ << c_nop();
    }

    void read_counter() {
        constexpr std::array<word, 6> counters{numbers::mcycle,  numbers::minstret, numbers::mip,
                                               numbers::mstatus, numbers::mcause,   numbers::mepc};
        // Ibex's clock may run one cycle longer before it sleeps, for a fetch that is under way: mcycle differs then.
        code_ << csrr(any(), counters[sleeps_ ? 1 + below(5) : below(6)]);
    }

    void wait() {
        if (sleeps_) code_ << wfi();
    }

    void switch_interrupts() {
        switch (below(4)) {
            case 0: code_ << csrrci(zero, numbers::mstatus, mstatus_mie); break;
            case 1:
                code_ << csrrci(zero, numbers::mstatus, mstatus_mie);
                wait();
                wait();
                break;
            case 2: code_ << csrrw(any(), numbers::mie, external); break;
            default: code_ << csrrsi(zero, numbers::mstatus, mstatus_mie); break;
        }
    }

    void write_csr() {
        constexpr std::array<word, 5> harmless{numbers::mcycle, numbers::mscratch, numbers::mtval, numbers::mcause,
                                               numbers::minstret};
        constexpr std::array<word, 6> kinds{1, 2, 3, 5, 6, 7};
        code_ << i_type(0x73, kinds[below(6)], any(), any(),
                        static_cast<int>(harmless[sleeps_ ? 1 + below(4) : below(5)]));
    }

    void exception() {
        switch (below(5)) {
            case 0: code_ << ecall(); break;
            case 1: code_ << ebreak(); break;
            case 2: code_ << std::uint16_t{0}; break;
            case 3: code_ << word{0xffffffffu}; break;
            default: code_ << csrrw(any(), 0x7b0, any()); break;  // of the debugger
        }
    }

    void loop() {
        code_ << li(counter, static_cast<int>(1 + below(12)));
        const std::uint32_t start = code_.here();
        filler();
        if (chance(50)) code_ << load(data);
        code_ << addi(counter, counter, -1);
        code_ << bne(counter, zero, static_cast<int>(start) - static_cast<int>(code_.here()));
    }

    /// Where there is no instruction memory; the handler returns to the link.
    void bad_jump() { code_ << jalr(ra, data, static_cast<int>(below(64)) * 4); }

    void handlers() {
        const std::uint32_t exceptions = code_.here();
        code_ << csrr(h0, numbers::mepc) << csrr(h1, numbers::mcause) << addi(h1, h1, -1);
        code_ << bne(h1, zero, 12) << add(h0, ra, zero) << jal(zero, 24);
        code_ << lbu(h2, h0, 0) << i_type(0x13, 7, h2, h2, 3) << addi(h2, h2, -3);
        code_ << addi(h0, h0, 2) << bne(h2, zero, 8) << addi(h0, h0, 2);
        code_ << csrrw(zero, numbers::mepc, h0) << mret();

        const std::uint32_t interrupts = code_.here();
        if (!sleeps_) code_ << csrr(h0, numbers::mcycle);
        for (unsigned count = below(4); count > 0; --count) code_ << add(h1, h0, h1);
        code_ << lw(h0, registers, acknowledge_offset);
        // Lowered from the next cycle on; the return is later.
        code_ << mret();
        code_.org(0) << jal(zero, static_cast<int>(exceptions));
        code_.org(interrupt_vector) << jal(zero, static_cast<int>(interrupts - interrupt_vector));
    }

    std::mt19937_64& random_;
    bool sleeps_;
    assembler code_;
};

}  // namespace

std::vector<std::uint8_t> make_random_system_program(unsigned pieces, std::mt19937_64& random) {
    return generator(random).make(pieces);
}

}  // namespace polycast::testbench::riscv
