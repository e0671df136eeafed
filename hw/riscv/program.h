// SPDX-License-Identifier: Apache-2.0
/// \file An image prepared for interpretation: decoded once, shared read-only by all processors that run it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/riscv/image.h"
#include "hw/riscv/instruction.h"

namespace polycast::hw::riscv {

// clang-format off
/// What an interpreter does for one instruction: X(name), most of them the operation of that name. `far_jump` is a
/// branch or jump whose target is outside of the instruction memory, `self_jump` one to itself, `system` everything
/// that happens seldom.
#define POLYCAST_RISCV_ACTIONS(X)                                                                      \
    X(constant) X(jal) X(jalr) X(self_jump) X(far_jump)                                                \
    X(beq) X(bne) X(blt) X(bge) X(bltu) X(bgeu)                                                        \
    X(lb) X(lh) X(lw) X(lbu) X(lhu) X(sb) X(sh) X(sw)                                                  \
    X(addi) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai)                            \
    X(add) X(sub) X(sll) X(slt) X(sltu) X(xor_) X(srl) X(sra) X(or_) X(and_)                           \
    X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu)                                    \
    X(fence) X(system) X(fetch_fault)
// clang-format on

enum class action : std::uint8_t {
#define POLYCAST_X(name) name,
    POLYCAST_RISCV_ACTIONS(POLYCAST_X)
#undef POLYCAST_X
};

/// Number of the register that takes what is written to x0.
inline constexpr std::uint8_t sink_register = 32;

/// One halfword of instruction memory, as the start of an instruction.
struct slot {
    std::uint8_t code = 0;  ///< 2 * action, + 1 when the instruction has 16 bits
    std::uint8_t rd = 0;    ///< `sink_register` for x0; of branches: extra cycles of the target's fetch
    std::uint8_t rs1 = 0;   ///< of jal: extra cycles of the target's fetch
    std::uint8_t rs2 = 0;
    std::int32_t value = 0;  ///< immediate; of constant the value; of jal and branches slots to the target
};

class program {
public:
    explicit program(image source);

    const image& source() const { return image_; }

    /// One per halfword of instruction memory, and one more behind its end.
    const slot* slots() const { return slots_.data(); }

    /// The instruction at an even address of instruction memory.
    instruction at(std::uint32_t pc) const;

private:
    slot make_slot(std::uint32_t pc) const;
    void set_target(slot& made, std::uint32_t pc, std::int32_t offset, std::uint8_t& extra) const;

    image image_;
    std::vector<slot> slots_;
};

/// read_image() and decoding in one.
std::shared_ptr<const program> load_program(const std::string& path, memory_sizes sizes = {});

}  // namespace polycast::hw::riscv
