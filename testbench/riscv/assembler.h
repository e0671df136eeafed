// SPDX-License-Identifier: Apache-2.0
/// \file RV32IMC instructions as numbers, for tests that write small programs, and the ELF files around them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "hw/riscv/memory_map.h"

namespace polycast::testbench::riscv {

using word = std::uint32_t;

inline constexpr unsigned zero = 0, ra = 1, sp = 2, t0 = 5, t1 = 6, t2 = 7, s0 = 8, s1 = 9;
inline constexpr unsigned a0 = 10, a1 = 11, a2 = 12, a3 = 13, a4 = 14, a5 = 15;

constexpr word i_type(word opcode, word funct3, word rd, word rs1, int immediate) {
    return static_cast<word>(immediate) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr word r_type(word funct7, word funct3, word rd, word rs1, word rs2, word opcode = 0x33) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr word s_type(word funct3, word rs1, word rs2, int offset) {
    const auto o = static_cast<word>(offset);
    return (o >> 5 & 0x7fu) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o & 31u) << 7 | 0x23u;
}
constexpr word b_type(word funct3, word rs1, word rs2, int offset) {
    const auto o = static_cast<word>(offset);
    return (o >> 12 & 1u) << 31 | (o >> 5 & 0x3fu) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o >> 1 & 15u) << 8 |
           (o >> 11 & 1u) << 7 | 0x63u;
}
constexpr word lui(unsigned rd, word upper20) {
    return upper20 << 12 | rd << 7 | 0x37u;
}
constexpr word auipc(unsigned rd, word upper20) {
    return upper20 << 12 | rd << 7 | 0x17u;
}
constexpr word addi(unsigned rd, unsigned rs1, int immediate) {
    return i_type(0x13, 0, rd, rs1, immediate);
}
constexpr word li(unsigned rd, int immediate) {
    return addi(rd, zero, immediate);
}
constexpr word nop() {
    return addi(zero, zero, 0);
}
constexpr word add(unsigned rd, unsigned rs1, unsigned rs2) {
    return r_type(0, 0, rd, rs1, rs2);
}
constexpr word mul(unsigned rd, unsigned rs1, unsigned rs2) {
    return r_type(1, 0, rd, rs1, rs2);
}
constexpr word mulhu(unsigned rd, unsigned rs1, unsigned rs2) {
    return r_type(1, 3, rd, rs1, rs2);
}
constexpr word div(unsigned rd, unsigned rs1, unsigned rs2) {
    return r_type(1, 4, rd, rs1, rs2);
}
constexpr word rem(unsigned rd, unsigned rs1, unsigned rs2) {
    return r_type(1, 6, rd, rs1, rs2);
}
constexpr word lb(unsigned rd, unsigned rs1, int offset) {
    return i_type(0x03, 0, rd, rs1, offset);
}
constexpr word lh(unsigned rd, unsigned rs1, int offset) {
    return i_type(0x03, 1, rd, rs1, offset);
}
constexpr word lw(unsigned rd, unsigned rs1, int offset) {
    return i_type(0x03, 2, rd, rs1, offset);
}
constexpr word lbu(unsigned rd, unsigned rs1, int offset) {
    return i_type(0x03, 4, rd, rs1, offset);
}
constexpr word lhu(unsigned rd, unsigned rs1, int offset) {
    return i_type(0x03, 5, rd, rs1, offset);
}
constexpr word sb(unsigned rs2, unsigned rs1, int offset) {
    return s_type(0, rs1, rs2, offset);
}
constexpr word sh(unsigned rs2, unsigned rs1, int offset) {
    return s_type(1, rs1, rs2, offset);
}
constexpr word sw(unsigned rs2, unsigned rs1, int offset) {
    return s_type(2, rs1, rs2, offset);
}
constexpr word beq(unsigned rs1, unsigned rs2, int offset) {
    return b_type(0, rs1, rs2, offset);
}
constexpr word bne(unsigned rs1, unsigned rs2, int offset) {
    return b_type(1, rs1, rs2, offset);
}
constexpr word jal(unsigned rd, int offset) {
    const auto o = static_cast<word>(offset);
    return (o >> 20 & 1u) << 31 | (o >> 1 & 0x3ffu) << 21 | (o >> 11 & 1u) << 20 | (o >> 12 & 0xffu) << 12 | rd << 7 |
           0x6fu;
}
constexpr word jalr(unsigned rd, unsigned rs1, int offset) {
    return i_type(0x67, 0, rd, rs1, offset);
}
constexpr word ret() {
    return jalr(zero, ra, 0);
}
constexpr word stop_here() {
    return jal(zero, 0);
}
constexpr word csrrw(unsigned rd, word number, unsigned rs1) {
    return number << 20 | rs1 << 15 | 1u << 12 | rd << 7 | 0x73u;
}
constexpr word csrrs(unsigned rd, word number, unsigned rs1) {
    return number << 20 | rs1 << 15 | 2u << 12 | rd << 7 | 0x73u;
}
constexpr word csrrsi(unsigned rd, word number, word bits) {
    return number << 20 | bits << 15 | 6u << 12 | rd << 7 | 0x73u;
}
constexpr word csrrci(unsigned rd, word number, word bits) {
    return number << 20 | bits << 15 | 7u << 12 | rd << 7 | 0x73u;
}
constexpr word csrr(unsigned rd, word number) {
    return csrrs(rd, number, zero);
}
constexpr word ecall() {
    return 0x00000073u;
}
constexpr word ebreak() {
    return 0x00100073u;
}
constexpr word mret() {
    return 0x30200073u;
}
constexpr word wfi() {
    return 0x10500073u;
}
constexpr word fence() {
    return 0x0ff0000fu;
}
constexpr word fence_i() {
    return 0x0000100fu;
}

// 16 bits
constexpr std::uint16_t c_nop() {
    return 0x0001;
}
constexpr std::uint16_t c_li(unsigned rd, unsigned immediate) {
    return static_cast<std::uint16_t>(0x4001u | rd << 7 | (immediate & 31u) << 2);
}

/// Instructions one after the other, from address 0x80 unless org() says otherwise.
class assembler {
public:
    assembler& org(std::uint32_t address) {
        at_ = address;
        return *this;
    }
    assembler& operator<<(word instruction) { return put(instruction, 4); }
    assembler& operator<<(std::uint16_t instruction) { return put(instruction, 2); }
    std::uint32_t here() const { return at_; }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    assembler& put(word value, unsigned count) {
        if (bytes_.size() < at_ + count) bytes_.resize(at_ + count);
        for (unsigned i = 0; i < count; ++i) bytes_[at_++] = static_cast<std::uint8_t>(value >> 8 * i);
        return *this;
    }

    std::uint32_t at_ = hw::riscv::boot_pc;
    std::vector<std::uint8_t> bytes_;
};

struct elf_segment {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> content;
    std::uint32_t memory_bytes = 0;       ///< at least the content's
    std::uint32_t virtual_address = ~0u;  ///< ~0: the same
};

struct elf_function {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size = 0;
    std::uint8_t info = 0x12;  ///< global function
};

/// An ELF32 file. The fields of the header may be spoilt by hand; `text` gives offsets.
struct elf_file {
    std::uint16_t machine = 243;
    std::uint16_t type = 2;
    std::uint32_t flags = 1;
    std::uint32_t entry = hw::riscv::boot_pc;
    std::string architecture = "rv32i2p0_m2p0_c2p0_zicsr2p0";
    std::vector<elf_segment> segments;
    std::vector<elf_function> functions;

    std::vector<std::uint8_t> bytes() const;
};

namespace detail {

inline void put(std::vector<std::uint8_t>& to, std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

inline void put_section(std::vector<std::uint8_t>& to, word name, word type, word offset, word size, word link,
                        word info, word entry_size) {
    for (const word value : {name, type, 0u, 0u, offset, size, link, info, 4u, entry_size}) put(to, value, 4);
}

inline std::vector<std::uint8_t> attributes(const std::string& architecture) {
    std::vector<std::uint8_t> inner;
    put(inner, 5, 1);  // Tag_RISCV_arch
    inner.insert(inner.end(), architecture.begin(), architecture.end());
    inner.push_back(0);
    const std::string vendor = "riscv";
    std::vector<std::uint8_t> result{'A'};
    put(result, 4 + vendor.size() + 1 + 5 + inner.size(), 4);
    result.insert(result.end(), vendor.begin(), vendor.end());
    result.push_back(0);
    put(result, 1, 1);
    put(result, 5 + inner.size(), 4);
    result.insert(result.end(), inner.begin(), inner.end());
    return result;
}

}  // namespace detail

inline std::vector<std::uint8_t> elf_file::bytes() const {
    using detail::put;
    // Header, program headers, content, attributes, strings, symbols, section headers.
    const auto count = static_cast<word>(segments.size());
    std::vector<std::uint8_t> content, headers;
    const word content_at = 52 + 32 * count;
    for (const elf_segment& s : segments) {
        const auto file_bytes = static_cast<word>(s.content.size());
        const word place = s.virtual_address == ~0u ? s.address : s.virtual_address;
        for (const word value : {1u, content_at + static_cast<word>(content.size()), place, s.address, file_bytes,
                                 std::max(s.memory_bytes, file_bytes), 7u, 1u})
            put(headers, value, 4);
        content.insert(content.end(), s.content.begin(), s.content.end());
    }
    const std::vector<std::uint8_t> arch =
        architecture.empty() ? std::vector<std::uint8_t>{} : detail::attributes(architecture);
    std::string strings(1, '\0');
    std::vector<std::uint8_t> symbols(16, 0);
    for (const elf_function& f : functions) {
        put(symbols, strings.size(), 4);
        put(symbols, f.address, 4);
        put(symbols, f.size, 4);
        put(symbols, f.info, 1);
        put(symbols, 0, 1);
        put(symbols, 1, 2);
        strings += f.name + '\0';
    }
    const word arch_at = content_at + static_cast<word>(content.size());
    const word strings_at = arch_at + static_cast<word>(arch.size());
    const word symbols_at = strings_at + static_cast<word>(strings.size());
    const word sections_at = symbols_at + static_cast<word>(symbols.size());
    std::vector<std::uint8_t> file{0x7f, 'E', 'L', 'F', 1, 1, 1};
    file.resize(16);
    put(file, type, 2);
    put(file, machine, 2);
    for (const word value : {1u, entry, count == 0 ? 0u : 52u, sections_at, flags}) put(file, value, 4);
    for (const word value : {52u, 32u, count, 40u, 4u, 2u}) put(file, value, 2);
    file.insert(file.end(), headers.begin(), headers.end());
    file.insert(file.end(), content.begin(), content.end());
    file.insert(file.end(), arch.begin(), arch.end());
    file.insert(file.end(), strings.begin(), strings.end());
    file.insert(file.end(), symbols.begin(), symbols.end());
    detail::put_section(file, 0, 0, 0, 0, 0, 0, 0);
    detail::put_section(file, 0, arch.empty() ? 0 : 0x70000003u, arch_at, static_cast<word>(arch.size()), 0, 0, 0);
    detail::put_section(file, 0, 3, strings_at, static_cast<word>(strings.size()), 0, 0, 0);
    detail::put_section(file, 0, 2, symbols_at, static_cast<word>(symbols.size()), 2, 1, 16);
    return file;
}

/// The ELF file of a program in instruction memory.
inline elf_file executable(const assembler& code) {
    elf_file file;
    file.segments.push_back({0, code.bytes(), 0, ~0u});
    return file;
}

}  // namespace polycast::testbench::riscv
