// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/instruction.h"

namespace polycast::hw::riscv {
namespace {

constexpr std::uint32_t opcode_load = 0x03, opcode_op_imm = 0x13, opcode_store = 0x23, opcode_op = 0x33;
constexpr std::uint32_t opcode_lui = 0x37, opcode_branch = 0x63, opcode_jalr = 0x67, opcode_jal = 0x6f;
constexpr std::uint32_t ebreak_word = 0x00100073;

/// Bits [high:low] of a compressed instruction.
constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
    return (word >> low) & ((1u << (high - low + 1)) - 1u);
}

constexpr std::uint32_t sign_extend(std::uint32_t value, unsigned width) {
    const std::uint32_t sign = 1u << (width - 1);
    return (value ^ sign) - sign;
}

constexpr std::uint32_t i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                               std::uint32_t immediate) {
    return (immediate & 0xfffu) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                               std::uint32_t rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode_op;
}

constexpr std::uint32_t store_word(std::uint32_t rs1, std::uint32_t rs2, std::uint32_t offset) {
    return bits(offset, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | 2u << 12 | bits(offset, 4, 0) << 7 | opcode_store;
}

constexpr std::uint32_t jump(std::uint32_t rd, std::uint32_t w) {
    const std::uint32_t offset =
        sign_extend(bits(w, 12, 12) << 11 | bits(w, 11, 11) << 4 | bits(w, 10, 9) << 8 | bits(w, 8, 8) << 10 |
                        bits(w, 7, 7) << 6 | bits(w, 6, 6) << 7 | bits(w, 5, 3) << 1 | bits(w, 2, 2) << 5,
                    12);
    return bits(offset, 20, 20) << 31 | bits(offset, 10, 1) << 21 | bits(offset, 11, 11) << 20 |
           bits(offset, 19, 12) << 12 | rd << 7 | opcode_jal;
}

constexpr std::uint32_t branch(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t w) {
    const std::uint32_t offset = sign_extend(
        bits(w, 12, 12) << 8 | bits(w, 11, 10) << 3 | bits(w, 6, 5) << 6 | bits(w, 4, 3) << 1 | bits(w, 2, 2) << 5, 9);
    return bits(offset, 12, 12) << 31 | bits(offset, 10, 5) << 25 | rs1 << 15 | funct3 << 12 | bits(offset, 4, 1) << 8 |
           bits(offset, 11, 11) << 7 | opcode_branch;
}

std::uint32_t quadrant_0(std::uint32_t w) {
    const std::uint32_t rs1 = 8 + bits(w, 9, 7), rd = 8 + bits(w, 4, 2);
    const std::uint32_t offset = bits(w, 5, 5) << 6 | bits(w, 12, 10) << 3 | bits(w, 6, 6) << 2;
    switch (bits(w, 15, 13)) {
        case 0: {  // c.addi4spn
            const std::uint32_t immediate =
                bits(w, 10, 7) << 6 | bits(w, 12, 11) << 4 | bits(w, 5, 5) << 3 | bits(w, 6, 6) << 2;
            return immediate == 0 ? 0 : i_type(opcode_op_imm, 0, rd, 2, immediate);
        }
        case 2: return i_type(opcode_load, 2, rd, rs1, offset);
        case 6: return store_word(rs1, rd, offset);
        default: return 0;
    }
}

std::uint32_t arithmetic(std::uint32_t w) {
    const std::uint32_t rd = 8 + bits(w, 9, 7), rs2 = 8 + bits(w, 4, 2);
    const std::uint32_t shift = bits(w, 6, 2);
    const bool bit12 = bits(w, 12, 12) != 0;
    switch (bits(w, 11, 10)) {
        case 0: return bit12 ? 0 : i_type(opcode_op_imm, 5, rd, rd, shift);
        case 1: return bit12 ? 0 : i_type(opcode_op_imm, 5, rd, rd, 0x400u | shift);
        case 2: return i_type(opcode_op_imm, 7, rd, rd, sign_extend((bit12 ? 32u : 0u) | shift, 6));
        default: break;
    }
    if (bit12) return 0;
    switch (bits(w, 6, 5)) {
        case 0: return r_type(0x20, 0, rd, rd, rs2);
        case 1: return r_type(0, 4, rd, rd, rs2);
        case 2: return r_type(0, 6, rd, rd, rs2);
        default: return r_type(0, 7, rd, rd, rs2);
    }
}

std::uint32_t quadrant_1(std::uint32_t w) {
    const std::uint32_t rd = bits(w, 11, 7);
    const std::uint32_t immediate = sign_extend(bits(w, 12, 12) << 5 | bits(w, 6, 2), 6);
    switch (bits(w, 15, 13)) {
        case 0: return i_type(opcode_op_imm, 0, rd, rd, immediate);
        case 1: return jump(1, w);
        case 2: return i_type(opcode_op_imm, 0, rd, 0, immediate);
        case 3: {
            if (immediate == 0) return 0;
            if (rd != 2) return (immediate & 0xfffffu) << 12 | rd << 7 | opcode_lui;
            const std::uint32_t addend = sign_extend(bits(w, 12, 12) << 9 | bits(w, 4, 3) << 7 | bits(w, 5, 5) << 6 |
                                                         bits(w, 2, 2) << 5 | bits(w, 6, 6) << 4,
                                                     10);
            return i_type(opcode_op_imm, 0, 2, 2, addend);
        }
        case 4: return arithmetic(w);
        case 5: return jump(0, w);
        case 6: return branch(0, 8 + bits(w, 9, 7), w);
        default: return branch(1, 8 + bits(w, 9, 7), w);
    }
}

std::uint32_t quadrant_2(std::uint32_t w) {
    const std::uint32_t rd = bits(w, 11, 7), rs2 = bits(w, 6, 2);
    const bool bit12 = bits(w, 12, 12) != 0;
    switch (bits(w, 15, 13)) {
        case 0: return bit12 ? 0 : i_type(opcode_op_imm, 1, rd, rd, rs2);
        case 2: {
            const std::uint32_t offset = bits(w, 3, 2) << 6 | bits(w, 12, 12) << 5 | bits(w, 6, 4) << 2;
            return rd == 0 ? 0 : i_type(opcode_load, 2, rd, 2, offset);
        }
        case 4:
            if (rs2 != 0) return r_type(0, 0, rd, bit12 ? rd : 0, rs2);
            if (rd == 0) return bit12 ? ebreak_word : 0;
            return i_type(opcode_jalr, 0, bit12 ? 1 : 0, rd, 0);
        case 6: return store_word(2, rs2, bits(w, 8, 7) << 6 | bits(w, 12, 9) << 2);
        default: return 0;
    }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t word) {
    switch (word & 3u) {
        case 0: return quadrant_0(word);
        case 1: return quadrant_1(word);
        case 2: return quadrant_2(word);
        default: return 0;
    }
}

}  // namespace polycast::hw::riscv
