// SPDX-License-Identifier: Apache-2.0
#include "testbench/riscv/random_program.h"

#include <array>
#include <iterator>
#include <stdexcept>

#include "hw/riscv/csr.h"

namespace polycast::testbench::riscv {
namespace {

constexpr std::uint32_t data_bytes = 64u << 10;

/// Registers that no random instruction writes: pointers into data memory, pointers to code.
constexpr std::array<unsigned, 3> data_pointers{2, 8, 9};
constexpr std::array<unsigned, 4> code_pointers{16, 17, 18, 19};

constexpr std::array<std::uint32_t, 8> special_values{0,           1,           2,           0xffffffffu,
                                                      0x80000000u, 0x7fffffffu, 0x80000001u, 0xffff};

class generator {
public:
    generator(extension which, unsigned instructions, std::mt19937_64& random) : which_(which), random_(random) {
        // The places first, so that branches know where instructions start.
        std::uint32_t at = hw::riscv::boot_pc;
        for (unsigned n = 0; n < instructions; ++n) {
            starts_.push_back(at);
            at += which == extension::c && chance(70) ? 2 : 4;
        }
        end_ = at;
    }

    random_program make() {
        assembler code;
        for (current_ = 0; current_ < starts_.size(); ++current_) {
            const std::uint32_t next = current_ + 1 < starts_.size() ? starts_[current_ + 1] : end_;
            if (next - starts_[current_] == 2) {
                code << compressed();
            } else {
                code << plain();
            }
        }
        code << jal(zero, static_cast<int>(hw::riscv::boot_pc) - static_cast<int>(end_));
        random_program made;
        made.code = code.bytes();
        made.data.resize(data_bytes);
        for (std::uint8_t& byte : made.data) byte = static_cast<std::uint8_t>(below(256));
        made.registers.resize(32);
        for (unsigned r = 1; r < 32; ++r) made.registers[r] = value();
        for (const unsigned r : data_pointers)
            made.registers[r] = hw::riscv::data_base + data_bytes / 2 + 4 * below(64);
        for (const unsigned r : code_pointers) made.registers[r] = pick(starts_);
        return made;
    }

private:
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    bool chance(unsigned percent) { return below(100) < percent; }

    template <typename container>
    typename container::value_type pick(const container& from) {
        return from[below(static_cast<unsigned>(std::size(from)))];
    }

    word value() { return chance(40) ? pick(special_values) : static_cast<word>(random_()); }

    unsigned source() { return below(32); }

    unsigned target() {
        for (;;) {
            const unsigned r = below(32);
            if (r != 2 && r != 8 && r != 9 && (r < 16 || r > 19)) return r;
        }
    }

    /// Of the eight registers of compressed instructions those that may be written: x10 .. x15.
    unsigned short_target() { return 2 + below(6); }

    /// Distance to the start of another instruction, mostly forward.
    int distance(int most) {
        for (;;) {
            const auto n = static_cast<unsigned>(current_);
            const unsigned reach = 1 + below(24);
            const bool back = chance(12);
            if (back ? reach > n : n + reach >= starts_.size()) {
                if (n + 1 >= starts_.size()) return static_cast<int>(end_ - starts_[n]);
                continue;
            }
            const int offset = static_cast<int>(starts_[back ? n - reach : n + reach]) - static_cast<int>(starts_[n]);
            if (offset < most && offset >= -most) return offset;
        }
    }

    word plain() {
        const unsigned kind = below(100);
        if (which_ == extension::m && kind < 55) return r_type(1, below(8), target(), source(), source());
        if (which_ == extension::zicsr && kind < 60) return csr();
        if (kind < 72) return computation();
        if (kind < 80) return load();
        if (kind < 88) return store();
        if (kind < 96) {
            constexpr std::array<word, 6> conditions{0, 1, 4, 5, 6, 7};
            return b_type(pick(conditions), source(), source(), distance(4096));
        }
        if (kind < 98) return jal(target(), distance(4096));
        if (kind < 99) return jalr(target(), pick(code_pointers), 0);
        return chance(50) ? fence() : fence_i();
    }

    word computation() {
        constexpr std::array<word, 6> immediates{0, 2, 3, 4, 6, 7};
        const int immediate = chance(20) ? static_cast<int>(pick(std::array{0, 1, -1, 2047, -2048}))
                                         : static_cast<int>(below(4096)) - 2048;
        switch (below(8)) {
            case 0: return lui(target(), static_cast<word>(random_()) & 0xfffffu);
            case 1: return auipc(target(), static_cast<word>(random_()) & 0xfffffu);
            case 2:
            case 3: return i_type(0x13, pick(immediates), target(), source(), immediate);
            case 4: return r_type(chance(50) ? 0x20 : 0, 5, target(), source(), below(32), 0x13);
            case 5: return r_type(0, 1, target(), source(), below(32), 0x13);
            case 6: return r_type(0x20, chance(50) ? 0 : 5, target(), source(), source());
            default: return r_type(0, below(8), target(), source(), source());
        }
    }

    word load() {
        constexpr std::array<word, 5> widths{0, 1, 2, 4, 5};
        return i_type(0x03, pick(widths), target(), pick(data_pointers), static_cast<int>(below(4096)) - 2048);
    }

    word store() { return s_type(below(3), pick(data_pointers), source(), static_cast<int>(below(4096)) - 2048); }

    word csr() {
        namespace numbers = hw::riscv::csr;
        // Of the others Ibex and QEMU's generic processor implement different bits.
        constexpr std::array<word, 2> comparable{numbers::mscratch, numbers::mtval};
        constexpr std::array<word, 6> kinds{1, 2, 3, 5, 6, 7};
        return i_type(0x73, pick(kinds), target(), source(), static_cast<int>(pick(comparable)));
    }

    std::uint16_t compressed() {
        for (;;) {
            const word made = any_compressed();
            if (made != 0) return static_cast<std::uint16_t>(made);
        }
    }

    word any_compressed() {
        const word six = below(64), rd = target(), low5 = (six & 31u) << 2, bit12 = (six >> 5) << 12;
        const word pointer = below(2);  // x8 or x9
        switch (below(20)) {
            case 0: {  // c.addi4spn
                const word bits = below(256);
                return bits == 0 ? 0 : bits << 5 | short_target() << 2;
            }
            case 1: return 0x4000u | below(8) << 10 | pointer << 7 | below(4) << 5 | short_target() << 2;  // c.lw
            case 2: return 0xc000u | below(8) << 10 | pointer << 7 | below(4) << 5 | below(8) << 2;        // c.sw
            case 3: return 0x0001u | bit12 | rd << 7 | low5;                                               // c.addi
            case 4: return 0x4001u | bit12 | rd << 7 | low5;                                               // c.li
            case 5: return six == 0 ? 0 : 0x6001u | bit12 | rd << 7 | low5;                                // c.lui
            case 6: return six == 0 ? 0 : 0x6101u | bit12 | low5;                                          // c.addi16sp
            case 7: return 0x8001u | below(2) << 10 | short_target() << 7 | low5;  // c.srli, c.srai
            case 8: return 0x8801u | bit12 | short_target() << 7 | low5;           // c.andi
            case 9:
            case 10: return 0x8c01u | short_target() << 7 | below(4) << 5 | below(8) << 2;  // c.sub, c.xor, c.or, c.and
            case 11: return 0x0002u | rd << 7 | low5;                                       // c.slli
            case 12: return rd == 0 ? 0 : 0x4002u | bit12 | rd << 7 | low5;                 // c.lwsp
            case 13: return 0xc002u | below(64) << 7 | source() << 2;                       // c.swsp
            case 14: return 0x8002u | rd << 7 | (1 + below(31)) << 2;                       // c.mv
            case 15: return 0x9002u | rd << 7 | (1 + below(31)) << 2;                       // c.add
            case 16: return chance(30) ? 0x8002u | below(2) << 12 | pick(code_pointers) << 7 : 0;  // c.jr, c.jalr
            case 17: return jump();
            default: return branch();
        }
    }

    word jump() {
        if (chance(60)) return 0;
        const auto o = static_cast<word>(distance(2048));
        return 0x2001u | below(2) << 15 | (o >> 11 & 1u) << 12 | (o >> 4 & 1u) << 11 | (o >> 8 & 3u) << 9 |
               (o >> 10 & 1u) << 8 | (o >> 6 & 1u) << 7 | (o >> 7 & 1u) << 6 | (o >> 1 & 7u) << 3 | (o >> 5 & 1u) << 2;
    }

    word branch() {
        const auto o = static_cast<word>(distance(256));
        return 0xc001u | below(2) << 13 | (o >> 8 & 1u) << 12 | (o >> 3 & 3u) << 10 | below(8) << 7 |
               (o >> 6 & 3u) << 5 | (o >> 1 & 3u) << 3 | (o >> 5 & 1u) << 2;
    }

    extension which_;
    std::mt19937_64& random_;
    std::vector<std::uint32_t> starts_;
    std::uint32_t end_ = 0;
    std::size_t current_ = 0;
};

}  // namespace

extension extension_named(const std::string& name) {
    if (name == "i") return extension::i;
    if (name == "m") return extension::m;
    if (name == "c") return extension::c;
    if (name == "zicsr") return extension::zicsr;
    throw std::invalid_argument("unknown extension '" + name + "'; known are i, m, c and zicsr");
}

random_program make_random_program(extension which, unsigned instructions, std::mt19937_64& random) {
    return generator(which, instructions, random).make();
}

}  // namespace polycast::testbench::riscv
