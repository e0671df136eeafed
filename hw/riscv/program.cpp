// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/program.h"

#include <utility>

#include "hw/riscv/timing.h"

namespace polycast::hw::riscv {
namespace {

constexpr std::uint8_t code_of(action what, unsigned length) {
    return static_cast<std::uint8_t>(2 * static_cast<unsigned>(what) + (length == 2 ? 1 : 0));
}

/// The action of the same name; `system` where there is none.
action action_of(operation op) {
    switch (op) {
#define POLYCAST_SAME(name) \
    case operation::name: return action::name;
        POLYCAST_SAME(jal)
        POLYCAST_SAME(jalr)
        POLYCAST_SAME(beq)
        POLYCAST_SAME(bne)
        POLYCAST_SAME(blt)
        POLYCAST_SAME(bge)
        POLYCAST_SAME(bltu)
        POLYCAST_SAME(bgeu)
        POLYCAST_SAME(lb)
        POLYCAST_SAME(lh)
        POLYCAST_SAME(lw)
        POLYCAST_SAME(lbu)
        POLYCAST_SAME(lhu)
        POLYCAST_SAME(sb)
        POLYCAST_SAME(sh)
        POLYCAST_SAME(sw)
        POLYCAST_SAME(addi)
        POLYCAST_SAME(slti)
        POLYCAST_SAME(sltiu)
        POLYCAST_SAME(xori)
        POLYCAST_SAME(ori)
        POLYCAST_SAME(andi)
        POLYCAST_SAME(slli)
        POLYCAST_SAME(srli)
        POLYCAST_SAME(srai)
        POLYCAST_SAME(add)
        POLYCAST_SAME(sub)
        POLYCAST_SAME(sll)
        POLYCAST_SAME(slt)
        POLYCAST_SAME(sltu)
        POLYCAST_SAME(xor_)
        POLYCAST_SAME(srl)
        POLYCAST_SAME(sra)
        POLYCAST_SAME(or_)
        POLYCAST_SAME(and_)
        POLYCAST_SAME(mul)
        POLYCAST_SAME(mulh)
        POLYCAST_SAME(mulhsu)
        POLYCAST_SAME(mulhu)
        POLYCAST_SAME(div)
        POLYCAST_SAME(divu)
        POLYCAST_SAME(rem)
        POLYCAST_SAME(remu)
        POLYCAST_SAME(fence)
#undef POLYCAST_SAME
        case operation::lui:
        case operation::auipc: return action::constant;
        default: return action::system;
    }
}

bool is_branch(operation op) {
    return op >= operation::beq && op <= operation::bgeu;
}

std::uint32_t halfword(const std::vector<std::uint8_t>& memory, std::uint32_t address) {
    return address + 1 < memory.size() ? memory[address] | static_cast<std::uint32_t>(memory[address + 1]) << 8 : 0;
}

}  // namespace

program::program(image source) : image_(std::move(source)) {
    const std::uint32_t halfwords = image_.sizes.instruction / 2;
    slots_.reserve(halfwords + 1);
    for (std::uint32_t i = 0; i < halfwords; ++i) slots_.push_back(make_slot(2 * i));
    slots_.push_back({code_of(action::fetch_fault, 4), 0, 0, 0, 0});
}

instruction program::at(std::uint32_t pc) const {
    return decode(halfword(image_.instruction, pc) | halfword(image_.instruction, pc + 2) << 16);
}

slot program::make_slot(std::uint32_t pc) const {
    const instruction decoded = at(pc);
    slot made;
    if (pc + decoded.length > image_.sizes.instruction) {
        made.code = code_of(action::fetch_fault, 4);
        return made;
    }
    action what = action_of(decoded.op);
    made.rd = decoded.rd == 0 ? sink_register : decoded.rd;
    made.rs1 = decoded.rs1;
    made.rs2 = decoded.rs2;
    made.value = decoded.immediate;
    if (decoded.op == operation::auipc)
        made.value = static_cast<std::int32_t>(pc + static_cast<std::uint32_t>(decoded.immediate));
    if (decoded.op == operation::jal || is_branch(decoded.op)) {
        const std::uint32_t target = pc + static_cast<std::uint32_t>(decoded.immediate);
        if (target >= image_.sizes.instruction) {
            what = action::far_jump;
        } else {
            set_target(made, pc, decoded.immediate, what == action::jal ? made.rs1 : made.rd);
            if (what == action::jal && decoded.rd == 0 && decoded.immediate == 0) what = action::self_jump;
        }
    }
    made.code = code_of(what, decoded.length);
    return made;
}

void program::set_target(slot& made, std::uint32_t pc, std::int32_t offset, std::uint8_t& extra) const {
    const std::uint32_t target = pc + static_cast<std::uint32_t>(offset);
    const bool crosses = target % 4 != 0 && !is_compressed(halfword(image_.instruction, target));
    extra = static_cast<std::uint8_t>(crosses ? ibex_small.unaligned_target : 0);
    made.value = offset / 2;
}

std::shared_ptr<const program> load_program(const std::string& path, memory_sizes sizes) {
    return std::make_shared<const program>(read_image(path, sizes));
}

}  // namespace polycast::hw::riscv
