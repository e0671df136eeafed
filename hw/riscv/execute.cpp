// SPDX-License-Identifier: Apache-2.0
/// \file The interpreter's inner loop: one piece of code per action, each of which jumps to the next instruction's.
#include <bit>
#include <cstring>
#include <limits>

#include "hw/riscv/iss.h"
#include "hw/riscv/timing.h"

// Labels as values: an extension of GCC and Clang, a third faster here than a switch.
#pragma GCC diagnostic ignored "-Wpedantic"

static_assert(std::endian::native == std::endian::little, "data memory is accessed in the host's byte order");

namespace polycast::hw::riscv {
namespace {

constexpr const timing& cost = ibex_small;

constexpr std::int32_t as_signed(std::uint32_t value) {
    return static_cast<std::int32_t>(value);
}

constexpr std::uint32_t as_unsigned(std::int32_t value) {
    return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t high_product(std::int64_t a, std::int64_t b) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a * b) >> 32);
}

constexpr std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
    if (b == 0) return std::numeric_limits<std::uint32_t>::max();
    if (a == 0x80000000u && b == 0xffffffffu) return a;
    return as_unsigned(as_signed(a) / as_signed(b));
}

constexpr std::uint32_t remainder(std::uint32_t a, std::uint32_t b) {
    if (b == 0) return a;
    if (a == 0x80000000u && b == 0xffffffffu) return 0;
    return as_unsigned(as_signed(a) % as_signed(b));
}

/// Whether an access of `bytes` is aligned and in a memory of `size` bytes, in one comparison.
template <unsigned bytes>
constexpr bool plain(std::uint32_t offset, std::uint32_t size) {
    return std::rotr(offset, std::countr_zero(bytes)) < size / bytes;
}

}  // namespace

#define DISPATCH()                  \
    do {                            \
        if constexpr (single)       \
            goto leave;             \
        else                        \
            goto* labels[at->code]; \
    } while (false)

/// To the following instruction.
#define NEXT(cycles)     \
    do {                 \
        at += step;      \
        now += (cycles); \
        ++retired;       \
        DISPATCH();      \
    } while (false)

/// After a taken branch or jump: here loops are interrupted.
#define TAKEN(cycles, extra, empty)                       \
    do {                                                  \
        now += (cycles) + (extra);                        \
        ++retired;                                        \
        if constexpr (single) empty_ = (extra) + (empty); \
        if (now > limit) goto leave;                      \
        DISPATCH();                                       \
    } while (false)

/// The same code for 32-bit and for 16-bit instructions: `step` slots.
#define ACTION(name, ...)                 \
    name##_32 : {                         \
        constexpr std::uint32_t step = 2; \
        __VA_ARGS__                       \
    }                                     \
    name##_16 : {                         \
        constexpr std::uint32_t step = 1; \
        __VA_ARGS__                       \
    }

#define A x[at->rs1]
#define B x[at->rs2]
#define V as_unsigned(at->value)
#define COMPUTE(name, cycles, expression) \
    ACTION(name, {                        \
        x[at->rd] = (expression);         \
        NEXT(cycles);                     \
    })
#define BRANCH(name, condition)                          \
    ACTION(name, {                                       \
        if (condition) {                                 \
            const std::uint32_t extra = at->rd;          \
            at += at->value;                             \
            TAKEN(cost.branch_taken, extra, cost.empty); \
        }                                                \
        NEXT(cost.branch_not_taken);                     \
    })
#define LOAD(name, type)                                                                                     \
    ACTION(name, {                                                                                           \
        const std::uint32_t address = A + V;                                                                 \
        const std::uint32_t offset = address - data_base;                                                    \
        type loaded;                                                                                         \
        std::uint32_t cycles = cost.load;                                                                    \
        if (plain<sizeof(type)>(offset, size)) [[likely]] {                                                  \
            std::memcpy(&loaded, data + offset, sizeof loaded);                                              \
        } else {                                                                                             \
            const elsewhere got = load_elsewhere(address, sizeof loaded, now, until);                        \
            if (got.result != outcome::done) {                                                               \
                why = got.result == outcome::blocked ? stop::blocked : stop::data_fault;                     \
                goto leave;                                                                                  \
            }                                                                                                \
            loaded = static_cast<type>(got.value);                                                           \
            cycles = got.cycles;                                                                             \
        }                                                                                                    \
        const auto extended = static_cast<std::uint32_t>(static_cast<std::int32_t>(loaded));                 \
        if constexpr (single)                                                                                \
            access_ = {address, static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<type>>(loaded)), \
                       sizeof loaded, false};                                                                \
        x[at->rd] = extended;                                                                                \
        NEXT(cycles);                                                                                        \
    })
#define STORE(name, type)                                                                      \
    ACTION(name, {                                                                             \
        const std::uint32_t address = A + V;                                                   \
        const std::uint32_t offset = address - data_base;                                      \
        const auto stored = static_cast<type>(B);                                              \
        std::uint32_t cycles = cost.store;                                                     \
        if (plain<sizeof(type)>(offset, size)) [[likely]] {                                    \
            std::memcpy(data + offset, &stored, sizeof stored);                                \
        } else {                                                                               \
            const elsewhere got = store_elsewhere(address, sizeof stored, stored, now, until); \
            if (got.result != outcome::done) {                                                 \
                why = got.result == outcome::blocked ? stop::blocked : stop::data_fault;       \
                goto leave;                                                                    \
            }                                                                                  \
            cycles = got.cycles;                                                               \
        }                                                                                      \
        if constexpr (single) access_ = {address, stored, sizeof stored, true};                \
        NEXT(cycles);                                                                          \
    })

template <bool single>
iss::stop iss::execute(cycle until, [[maybe_unused]] cycle limit) {
    static const void* const labels[] = {
#define POLYCAST_X(name) &&name##_32, &&name##_16,
        POLYCAST_RISCV_ACTIONS(POLYCAST_X)
#undef POLYCAST_X
    };
    const slot* const base = program_->slots();
    const slot* at = base + pc_ / 2;
    std::uint32_t* const x = registers_.data();
    std::uint8_t* const data = data_.data();
    // While a word has a flip that its code knows of, every access asks it.
    const auto size = codes_.clean() ? static_cast<std::uint32_t>(data_.size()) : 0;
    cycle now = now_;
    std::uint64_t retired = 0;
    stop why = stop::limit;
    if constexpr (single) {
        access_.bytes = 0;
        empty_ = 0;
    }
    goto* labels[at->code];

    COMPUTE(constant, cost.alu, V)
    COMPUTE(addi, cost.alu, A + V)
    COMPUTE(slti, cost.alu, as_signed(A) < at->value ? 1 : 0)
    COMPUTE(sltiu, cost.alu, A < V ? 1 : 0)
    COMPUTE(xori, cost.alu, A ^ V)
    COMPUTE(ori, cost.alu, A | V)
    COMPUTE(andi, cost.alu, A & V)
    COMPUTE(slli, cost.alu, A << at->value)
    COMPUTE(srli, cost.alu, A >> at->value)
    COMPUTE(srai, cost.alu, as_unsigned(as_signed(A) >> at->value))
    COMPUTE(add, cost.alu, A + B)
    COMPUTE(sub, cost.alu, A - B)
    COMPUTE(sll, cost.alu, A << (B & 31u))
    COMPUTE(slt, cost.alu, as_signed(A) < as_signed(B) ? 1 : 0)
    COMPUTE(sltu, cost.alu, A < B ? 1 : 0)
    COMPUTE(xor_, cost.alu, A ^ B)
    COMPUTE(srl, cost.alu, A >> (B & 31u))
    COMPUTE(sra, cost.alu, as_unsigned(as_signed(A) >> (B & 31u)))
    COMPUTE(or_, cost.alu, A | B)
    COMPUTE(and_, cost.alu, A & B)
    COMPUTE(mul, cost.mul, A * B)
    COMPUTE(mulh, cost.mulh, high_product(as_signed(A), as_signed(B)))
    COMPUTE(mulhsu, cost.mulh, high_product(as_signed(A), std::int64_t{B}))
    COMPUTE(mulhu, cost.mulh, static_cast<std::uint32_t>(std::uint64_t{A} * B >> 32))
    // The time of a division depends on the divisor, which the result may overwrite.
#define DIVIDE(name, expression)                                           \
    ACTION(name, {                                                         \
        const std::uint32_t cycles = B == 0 ? cost.div_by_zero : cost.div; \
        x[at->rd] = (expression);                                          \
        NEXT(cycles);                                                      \
    })
    DIVIDE(div, quotient(A, B))
    DIVIDE(divu, B == 0 ? std::numeric_limits<std::uint32_t>::max() : A / B)
    DIVIDE(rem, remainder(A, B))
    DIVIDE(remu, B == 0 ? A : A % B)

    BRANCH(beq, A == B)
    BRANCH(bne, A != B)
    BRANCH(blt, as_signed(A) < as_signed(B))
    BRANCH(bge, as_signed(A) >= as_signed(B))
    BRANCH(bltu, A < B)
    BRANCH(bgeu, A >= B)

    LOAD(lb, std::int8_t)
    LOAD(lh, std::int16_t)
    LOAD(lw, std::int32_t)
    LOAD(lbu, std::uint8_t)
    LOAD(lhu, std::uint16_t)
    STORE(sb, std::uint8_t)
    STORE(sh, std::uint16_t)
    STORE(sw, std::uint32_t)

    ACTION(fence, { NEXT(cost.fence); })
    ACTION(jal, {
        const std::uint32_t extra = at->rs1;
        x[at->rd] = static_cast<std::uint32_t>(at - base + step) * 2;
        at += at->value;
        TAKEN(cost.jump, extra, 0u);
    })
    ACTION(jalr, {
        const std::uint32_t target = (A + V) & ~1u;
        x[at->rd] = static_cast<std::uint32_t>(at - base + step) * 2;
        if (target >= program_->source().sizes.instruction) {
            empty_ = (target >> 1 & 1u) * cost.unaligned_target;
            now += cost.jump + empty_;
            ++retired;
            pc_ = target;
            why = stop::outside;
            goto leave_outside;
        }
        at = base + target / 2;
        const std::uint32_t extra = (target >> 1 & ~std::uint32_t{at->code} & 1u) * cost.unaligned_target;
        TAKEN(cost.jump, extra, 0u);
    })
    ACTION(self_jump, {
        static_cast<void>(step);
        why = stop::self_jump;
        goto leave;
    })
    ACTION(far_jump, {
        static_cast<void>(step);
        why = stop::far_jump;
        goto leave;
    })
    ACTION(system, {
        static_cast<void>(step);
        why = stop::system;
        goto leave;
    })
    ACTION(fetch_fault, {
        static_cast<void>(step);
        why = stop::fetch_fault;
        goto leave;
    })

leave:
    pc_ = static_cast<std::uint32_t>(at - base) * 2;
leave_outside:
    now_ = now;
    instructions_ += retired;
    steps_ += retired;
    return why;
}

template iss::stop iss::execute<false>(cycle until, cycle limit);
template iss::stop iss::execute<true>(cycle until, cycle limit);

}  // namespace polycast::hw::riscv
