// SPDX-License-Identifier: Apache-2.0
/// \file RV32IMC and Zicsr instructions, decoded. Source: RISC-V unprivileged ISA 20191213; what is illegal follows
/// Ibex's decoder.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace polycast::hw::riscv {

// clang-format off
/// Every operation: X(name). Compressed instructions are represented by the ones that they abbreviate.
#define POLYCAST_RISCV_OPERATIONS(X)                                                                   \
    X(lui) X(auipc) X(jal) X(jalr)                                                                     \
    X(beq) X(bne) X(blt) X(bge) X(bltu) X(bgeu)                                                        \
    X(lb) X(lh) X(lw) X(lbu) X(lhu) X(sb) X(sh) X(sw)                                                  \
    X(addi) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai)                            \
    X(add) X(sub) X(sll) X(slt) X(sltu) X(xor_) X(srl) X(sra) X(or_) X(and_)                           \
    X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu)                                    \
    X(fence) X(fence_i) X(csrrw) X(csrrs) X(csrrc) X(csrrwi) X(csrrsi) X(csrrci)                       \
    X(ecall) X(ebreak) X(mret) X(wfi) X(illegal)
// clang-format on

enum class operation : std::uint8_t {
#define POLYCAST_X(name) name,
    POLYCAST_RISCV_OPERATIONS(POLYCAST_X)
#undef POLYCAST_X
};

struct instruction {
    operation op = operation::illegal;
    std::uint8_t rd = 0;
    std::uint8_t rs1 = 0;  ///< of csrrwi, csrrsi and csrrci the 5-bit immediate
    std::uint8_t rs2 = 0;
    std::uint8_t length = 4;     ///< bytes: 2 or 4
    std::int32_t immediate = 0;  ///< sign-extended; shift amount; CSR number
    std::uint32_t raw = 0;       ///< 16 bits when compressed
};

/// \param word the instruction and, when it is compressed, anything above it
instruction decode(std::uint32_t word);

/// The 32-bit form of a compressed instruction, as Ibex expands it; 0 (which is illegal) if there is none.
std::uint32_t expand_compressed(std::uint16_t word);

constexpr bool is_compressed(std::uint32_t word) {
    return (word & 3u) != 3u;
}

/// Assembler text, such as "addi sp, sp, -16". \param pc gives branches and jumps their target.
std::string disassemble(const instruction& decoded, std::uint32_t pc);

/// ABI names of the registers: zero, ra, sp, ...
extern const std::array<const char*, 32> register_names;

}  // namespace polycast::hw::riscv
