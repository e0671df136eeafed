// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/instruction.h"

#include <cstdio>

namespace polycast::hw::riscv {
namespace {

using enum operation;

constexpr std::int32_t signed_of(std::uint32_t value) {
    return static_cast<std::int32_t>(value);
}

operation branch_of(std::uint32_t funct3) {
    constexpr std::array all{beq, bne, illegal, illegal, blt, bge, bltu, bgeu};
    return all[funct3];
}

operation load_of(std::uint32_t funct3) {
    constexpr std::array all{lb, lh, lw, illegal, lbu, lhu, illegal, illegal};
    return all[funct3];
}

operation store_of(std::uint32_t funct3) {
    constexpr std::array all{sb, sh, sw, illegal, illegal, illegal, illegal, illegal};
    return all[funct3];
}

operation immediate_of(std::uint32_t funct3, std::uint32_t funct7) {
    constexpr std::array all{addi, illegal, slti, sltiu, xori, illegal, ori, andi};
    if (funct3 == 1) return funct7 == 0 ? slli : illegal;
    if (funct3 == 5) return funct7 == 0 ? srli : funct7 == 0x20 ? srai : illegal;
    return all[funct3];
}

operation register_of(std::uint32_t funct3, std::uint32_t funct7) {
    constexpr std::array base{add, sll, slt, sltu, xor_, srl, or_, and_};
    constexpr std::array multiply{mul, mulh, mulhsu, mulhu, div, divu, rem, remu};
    if (funct7 == 0) return base[funct3];
    if (funct7 == 1) return multiply[funct3];
    if (funct7 == 0x20) return funct3 == 0 ? sub : funct3 == 5 ? sra : illegal;
    return illegal;
}

operation system_of(std::uint32_t word) {
    constexpr std::array csr{illegal, csrrw, csrrs, csrrc, illegal, csrrwi, csrrsi, csrrci};
    const std::uint32_t funct3 = (word >> 12) & 7u;
    if (funct3 != 0) return csr[funct3];
    if (((word >> 7) & 31u) != 0 || ((word >> 15) & 31u) != 0) return illegal;
    switch (word >> 20) {
        case 0x000: return ecall;
        case 0x001: return ebreak;
        case 0x302: return mret;
        case 0x105: return wfi;
        default: return illegal;
    }
}

std::int32_t branch_offset(std::uint32_t w) {
    return signed_of((w & 0x80000000u)) >> 19 | signed_of((w & 0x80u) << 4 | (w >> 20 & 0x7e0u) | (w >> 7 & 0x1eu));
}

std::int32_t jump_offset(std::uint32_t w) {
    return signed_of(w & 0x80000000u) >> 11 | signed_of((w & 0xff000u) | (w >> 9 & 0x800u) | (w >> 20 & 0x7feu));
}

}  // namespace

const std::array<const char*, 32> register_names{"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                                 "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                                 "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

instruction decode(std::uint32_t word) {
    instruction result;
    std::uint32_t w = word;
    result.raw = word;
    if (is_compressed(word)) {
        result.raw = word & 0xffffu;
        result.length = 2;
        w = expand_compressed(static_cast<std::uint16_t>(word));
    }
    const std::uint32_t funct3 = w >> 12 & 7u;
    const std::uint32_t funct7 = w >> 25;
    result.rd = static_cast<std::uint8_t>(w >> 7 & 31u);
    result.rs1 = static_cast<std::uint8_t>(w >> 15 & 31u);
    result.rs2 = static_cast<std::uint8_t>(w >> 20 & 31u);
    result.immediate = signed_of(w) >> 20;
    switch (w & 0x7fu) {
        case 0x37:
        case 0x17:
            result.op = (w & 0x7fu) == 0x37 ? lui : auipc;
            result.immediate = signed_of(w & 0xfffff000u);
            break;
        case 0x6f:
            result.op = jal;
            result.immediate = jump_offset(w);
            break;
        case 0x67: result.op = funct3 == 0 ? jalr : illegal; break;
        case 0x63:
            result.op = branch_of(funct3);
            result.immediate = branch_offset(w);
            break;
        case 0x03: result.op = load_of(funct3); break;
        case 0x23:
            result.op = store_of(funct3);
            result.immediate = (signed_of(w) >> 25) * 32 + result.rd;
            break;
        case 0x13:
            result.op = immediate_of(funct3, funct7);
            if (funct3 == 1 || funct3 == 5) result.immediate = result.rs2;
            break;
        case 0x33: result.op = register_of(funct3, funct7); break;
        case 0x0f: result.op = funct3 == 0 ? fence : funct3 == 1 ? fence_i : illegal; break;
        case 0x73:
            result.op = system_of(w);
            result.immediate = signed_of(w >> 20);
            break;
        default: result.op = illegal; break;
    }
    return result;
}

std::string disassemble(const instruction& decoded, std::uint32_t pc) {
    constexpr std::array names{
#define POLYCAST_X(name) #name,
        POLYCAST_RISCV_OPERATIONS(POLYCAST_X)
#undef POLYCAST_X
    };
    std::string name = names[static_cast<std::size_t>(decoded.op)];
    if (name.back() == '_') name.pop_back();
    if (decoded.op == fence_i) name = "fence.i";
    const char* rd = register_names[decoded.rd];
    const char* rs1 = register_names[decoded.rs1];
    const char* rs2 = register_names[decoded.rs2];
    const std::int32_t immediate = decoded.immediate;
    const std::uint32_t target = pc + static_cast<std::uint32_t>(immediate);
    char text[64];
    switch (decoded.op) {
        case lui:
        case auipc:
            std::snprintf(text, sizeof text, "%s %s, 0x%x", name.c_str(), rd,
                          static_cast<std::uint32_t>(immediate) >> 12);
            break;
        case jal: std::snprintf(text, sizeof text, "jal %s, 0x%x", rd, target); break;
        case jalr:
        case lb:
        case lh:
        case lw:
        case lbu:
        case lhu: std::snprintf(text, sizeof text, "%s %s, %d(%s)", name.c_str(), rd, immediate, rs1); break;
        case sb:
        case sh:
        case sw: std::snprintf(text, sizeof text, "%s %s, %d(%s)", name.c_str(), rs2, immediate, rs1); break;
        case beq:
        case bne:
        case blt:
        case bge:
        case bltu:
        case bgeu: std::snprintf(text, sizeof text, "%s %s, %s, 0x%x", name.c_str(), rs1, rs2, target); break;
        case addi:
        case slti:
        case sltiu:
        case xori:
        case ori:
        case andi:
        case slli:
        case srli:
        case srai: std::snprintf(text, sizeof text, "%s %s, %s, %d", name.c_str(), rd, rs1, immediate); break;
        case csrrw:
        case csrrs:
        case csrrc: std::snprintf(text, sizeof text, "%s %s, 0x%x, %s", name.c_str(), rd, immediate, rs1); break;
        case csrrwi:
        case csrrsi:
        case csrrci:
            std::snprintf(text, sizeof text, "%s %s, 0x%x, %d", name.c_str(), rd, immediate, decoded.rs1);
            break;
        case fence:
        case fence_i:
        case ecall:
        case ebreak:
        case mret:
        case wfi: return name;
        case illegal: std::snprintf(text, sizeof text, "illegal 0x%x", decoded.raw); break;
        default: std::snprintf(text, sizeof text, "%s %s, %s, %s", name.c_str(), rd, rs1, rs2); break;
    }
    return text;
}

}  // namespace polycast::hw::riscv
