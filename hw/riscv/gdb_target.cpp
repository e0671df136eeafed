// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/gdb_target.h"

#include <array>

#include "hw/riscv/instruction.h"

namespace polycast::hw::riscv {
namespace {

struct named_csr {
    const char* name;
    std::uint32_t number;
};

constexpr std::array<named_csr, 17> csrs{{{"mstatus", 0x300},
                                          {"misa", 0x301},
                                          {"mie", 0x304},
                                          {"mtvec", 0x305},
                                          {"mcountinhibit", 0x320},
                                          {"mscratch", 0x340},
                                          {"mepc", 0x341},
                                          {"mcause", 0x342},
                                          {"mtval", 0x343},
                                          {"mip", 0x344},
                                          {"cpuctrlsts", 0x7c0},
                                          {"mcycle", 0xb00},
                                          {"minstret", 0xb02},
                                          {"mcycleh", 0xb80},
                                          {"minstreth", 0xb82},
                                          {"marchid", 0xf12},
                                          {"mhartid", 0xf14}}};

std::string reg(const std::string& name, std::uint32_t number, const char* type) {
    return "<reg name=\"" + name + "\" bitsize=\"32\" type=\"" + type + "\" regnum=\"" + std::to_string(number) +
           "\"/>\n";
}

}  // namespace

std::string gdb_target_description() {
    std::string text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n"
        "<architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
    for (std::uint32_t r = 0; r < 32; ++r) {
        const std::string name = r == 8 ? "fp" : register_names[r];
        text += reg(name, r, r == 1 ? "code_ptr" : r >= 2 && r <= 4 ? "data_ptr" : "int");
    }
    text += reg("pc", gdb_pc, "code_ptr") + "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
    for (const named_csr& one : csrs) text += reg(one.name, gdb_first_csr + one.number, "int");
    return text + "</feature>\n</target>\n";
}

}  // namespace polycast::hw::riscv
