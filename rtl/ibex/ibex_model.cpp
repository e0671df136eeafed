// SPDX-License-Identifier: Apache-2.0
/// \file The Verilated Ibex core with its memories behind the C interface of ibex_model.h.
#include "rtl/ibex/ibex_model.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "Vpolycast_ibex.h"
#include "Vpolycast_ibex___024root.h"
#include "verilated.h"
#include "verilated_fst_c.h"

static_assert(std::endian::native == std::endian::little, "memories are read as words");

namespace {

/// Time of the trace: a cycle is a nanosecond, the unit a picosecond.
constexpr std::uint64_t cycle_time = 1000;

// A jump to itself, 32 and 16 bits long.
constexpr std::uint32_t self_jump = 0x0000006f;
constexpr std::uint32_t short_self_jump = 0xa001;
constexpr unsigned machine_mode = 3;

/// What a memory answers in the next cycle.
struct response {
    bool valid = false;
    bool error = false;
    std::uint32_t data = 0;
};

std::uint32_t mask_of(unsigned lanes) {
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < 4; ++lane) mask |= (lanes >> lane & 1u) != 0 ? 0xffu << 8 * lane : 0u;
    return mask;
}

}  // namespace

struct polycast_ibex_model {
    polycast_ibex_model(const char* name, const polycast_ibex_surroundings& around)
        : surroundings(around), top{&context, name} {
        reset(0);
    }

    void reset(std::uint64_t cycle) {
        // The reset works by its falling edge: while it lasts, the clock of the core is off.
        top.irq_external_i = 0;
        answer({}, {});
        top.clk_i = 0;
        top.rst_ni = 1;
        top.eval();
        top.rst_ni = 0;
        top.eval();
        top.rst_ni = 1;
        now = start = cycle;
        slept = instructions = 0;
        line = halted = sleeping = false;
    }

    void answer(const response& instruction, const response& data) {
        top.instr_rvalid_i = instruction.valid;
        top.instr_err_i = instruction.error;
        top.instr_rdata_i = instruction.data;
        top.data_rvalid_i = data.valid;
        top.data_err_i = data.error;
        top.data_rdata_i = data.data;
    }

    std::uint64_t run(std::uint64_t until, bool interrupt, std::uint64_t run_ahead) {
        for (;;) {
            if (halted) break;
            // The first half of cycle `now`: it may be computed again, with another level of the line.
            top.clk_i = 0;
            top.irq_external_i = now >= until ? interrupt : line;
            top.eval();
            sleeping = top.sleep_o;
            if (sleeping) {
                // Its clock is off: no cycle changes anything before the line does.
                if (now >= until) break;
                slept += until - now;
                now = until;
                continue;
            }
            if (now > until && must_wait(now - until, run_ahead)) {
                line = interrupt;
                return now;
            }
            advance();
        }
        line = interrupt;
        return POLYCAST_IBEX_NEVER;
    }

    /// True when cycle `now`, `ahead` cycles after the last one whose interrupt line is known, cannot be computed yet.
    bool must_wait(std::uint64_t ahead, std::uint64_t run_ahead) const {
        return top.irq_sensitive_o || ahead >= run_ahead ||
               (top.data_req_o && top.data_addr_o >= surroundings.register_base);
    }

    /// The rest of cycle `now`: memories and bus take its requests, and the clock rises.
    void advance() {
        if (top.retire_valid_o) retire();
        if (top.pc_new_o) issued = now;
        const response instruction = top.instr_req_o ? fetch(top.instr_addr_o) : response{};
        const response data = top.data_req_o ? access(top.data_addr_o, top.data_be_o) : response{};
        dump(now * cycle_time + cycle_time / 2);
        top.clk_i = 1;
        top.eval();
        answer(instruction, data);
        ++now;
        if (trace) {
            top.eval();
            dump(now * cycle_time);
        }
    }

    response fetch(std::uint32_t address) const {
        if (address >= surroundings.instruction_bytes) return {true, true, 0};
        response answered{true, false, 0};
        std::memcpy(&answered.data, surroundings.instruction + address, 4);
        return answered;
    }

    response access(std::uint32_t address, unsigned lanes) {
        if (address >= surroundings.bus_base) return bus_access(address, lanes);
        response answered{true, false, 0};
        if (address - surroundings.data_base < surroundings.data_bytes) {
            const std::uint32_t offset = address - surroundings.data_base;
            if (surroundings.touch != nullptr)
                surroundings.touch(surroundings.context, now, offset, lanes, top.data_we_o ? 1 : 0);
            std::uint8_t* word = surroundings.data + offset;
            std::memcpy(&answered.data, word, 4);
            if (top.data_we_o) {
                const std::uint32_t mask = mask_of(lanes);
                const std::uint32_t value = (answered.data & ~mask) | (top.data_wdata_o & mask);
                std::memcpy(word, &value, 4);
            }
        } else if (address < surroundings.instruction_bytes && !top.data_we_o) {
            std::memcpy(&answered.data, surroundings.instruction + address, 4);
        } else {
            answered.error = true;
        }
        return answered;
    }

    /// One access for each naturally aligned piece of the lanes: an unaligned access of the program has several. A
    /// register answers whole words only, so it is asked for one piece, which it refuses.
    response bus_access(std::uint32_t address, unsigned lanes) {
        response answered{true, false, 0};
        unsigned lane = 0;
        while (lane < 4) {
            if ((lanes >> lane & 1u) == 0) {
                ++lane;
                continue;
            }
            unsigned bytes = 1;
            if (lane == 0 && lanes == 0xf) {
                bytes = 4;
            } else if (lane % 2 == 0 && (lanes >> lane & 3u) == 3u) {
                bytes = 2;
            }
            const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * bytes) - 1);
            std::uint32_t value = top.data_wdata_o >> 8 * lane & mask;
            const bool done = top.data_we_o
                                  ? surroundings.store(surroundings.context, now, address + lane, bytes, value) != 0
                                  : surroundings.load(surroundings.context, now, address + lane, bytes, &value) != 0;
            answered.error = answered.error || !done;
            if (!top.data_we_o) answered.data |= (value & mask) << 8 * lane;
            lane += bytes;
        }
        return answered;
    }

    /// Told in the cycle after it happened.
    void retire() {
        const bool trap = top.retire_trap_o;
        // What can do nothing more by itself is halted: a jump to itself with interrupts off; the first instruction of
        // the handler of exceptions when it raises one.
        if (trap) {
            halted = top.retire_pc_o == top.handler_o && top.retire_mode_o == machine_mode;
        } else if (top.retire_insn_o == self_jump || top.retire_insn_o == short_self_jump) {
            halted = !top.irq_sensitive_o;
            if (halted) return;
        }
        if (!trap) ++instructions;
        if (retired == nullptr) return;
        const polycast_ibex_retirement what = {.start = issued,
                                               .cycle = now - 1,
                                               .pc = top.retire_pc_o,
                                               .instruction = top.retire_insn_o,
                                               .rd = top.retire_rd_o,
                                               .rd_value = top.retire_rd_data_o,
                                               .trap = trap ? 1u : 0u,
                                               .interrupt = top.retire_intr_o};
        retired(observer, &what);
    }

    /// A trace must never stand still: what comes from before its last time is a picosecond after it.
    void dump(std::uint64_t time) {
        if (!trace) return;
        next_dump = std::max(time, next_dump);
        trace->dump(next_dump++);
    }

    polycast_ibex_surroundings surroundings;
    VerilatedContext context;
    Vpolycast_ibex top;
    std::unique_ptr<VerilatedFstC> trace;
    std::uint64_t next_dump = 0;
    std::uint64_t now = 0;           ///< the cycle that is computed next
    std::uint64_t start = 0;         ///< the first one after the reset
    std::uint64_t slept = 0;         ///< cycles asleep since then
    std::uint64_t instructions = 0;  ///< since then
    std::uint64_t issued = 0;        ///< first cycle of the instruction in the second stage
    bool line = false;               ///< level of the interrupt line in the last cycle that is known
    bool sleeping = false;
    bool halted = false;
    void (*retired)(void*, const polycast_ibex_retirement*) = nullptr;
    void* observer = nullptr;
};

namespace {

polycast_ibex_model* create(const char* name, const polycast_ibex_surroundings* surroundings) {
    return new (std::nothrow) polycast_ibex_model{name, *surroundings};
}

void destroy(polycast_ibex_model* model) {
    delete model;
}

void reset(polycast_ibex_model* model, std::uint64_t now) {
    model->reset(now);
}

std::uint64_t run(polycast_ibex_model* model, std::uint64_t until, int interrupt, std::uint64_t run_ahead) {
    return model->run(until, interrupt != 0, run_ahead);
}

void probe(const polycast_ibex_model* model, polycast_ibex_probe* probe) {
    *probe = {.pc = model->top.pc_o,
              .sleeping = model->sleeping,
              .halted = model->halted,
              .instructions = model->instructions,
              .cycles = model->now - model->start - model->slept};
}

void observe(polycast_ibex_model* model, void* context, void (*retired)(void*, const polycast_ibex_retirement*)) {
    model->observer = context;
    model->retired = retired;
}

int trace_open(polycast_ibex_model* model, const char* path, std::uint32_t depth) {
    // The trace writer does not say whether it could open its file.
    std::FILE* file = std::fopen(path, "wb");
    if (file == nullptr) return 1;
    std::fclose(file);
    model->context.traceEverOn(true);
    auto trace = std::make_unique<VerilatedFstC>();
    model->top.trace(trace.get(), depth == 0 ? 99 : static_cast<int>(depth));
    trace->open(path);
    model->trace = std::move(trace);
    return 0;
}

void trace_close(polycast_ibex_model* model) {
    if (model->trace) model->trace->close();
    model->trace.reset();
}

constexpr struct polycast_ibex_model_interface table = {
    .version = POLYCAST_IBEX_MODEL_VERSION,
    .model_bytes = sizeof(polycast_ibex_model) + sizeof(Vpolycast_ibex___024root),
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .run = run,
    .probe = probe,
    .observe = observe,
    .trace_open = trace_open,
    .trace_close = trace_close,
};

}  // namespace

__attribute__((visibility("default"))) const struct polycast_ibex_model_interface* polycast_ibex_model_entry() {
    return &table;
}
