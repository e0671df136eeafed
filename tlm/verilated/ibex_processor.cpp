// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/ibex_processor.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "hw/engine/chip.h"
#include "hw/input_error.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/memory_upset.h"
#include "hw/riscv/memory_map.h"

namespace polycast::tlm {

namespace {

constexpr std::uint32_t register_base = NI_REGISTERS_BASE;
static_assert(hw::ni::is_register(register_base) && !hw::ni::is_register(register_base - 1));
static_assert(hw::engine::never == POLYCAST_IBEX_NEVER);

}  // namespace

ibex_processor::ibex_processor(std::shared_ptr<const hw::riscv::image> firmware, hw::ni::processor_bus& bus,
                               model_library& models, ibex_options options)
    : firmware_(std::move(firmware)),
      bus_(bus),
      options_(std::move(options)),
      data_(firmware_->data),
      codes_(options_.protect),
      interface_(models.ibex()),
      model_(nullptr, interface_.destroy) {
    const polycast_ibex_surroundings around = surroundings();
    model_.reset(interface_.create(options_.name.c_str(), &around));
    if (model_ == nullptr) throw std::bad_alloc();
}

polycast_ibex_surroundings ibex_processor::surroundings() {
    const auto load = [](void* context, std::uint64_t when, std::uint32_t address, std::uint32_t bytes,
                         std::uint32_t* value) {
        return static_cast<ibex_processor*>(context)->bus_.load(when, address, bytes, *value) ? 1 : 0;
    };
    const auto store = [](void* context, std::uint64_t when, std::uint32_t address, std::uint32_t bytes,
                          std::uint32_t value) {
        return static_cast<ibex_processor*>(context)->bus_.store(when, address, bytes, value) ? 1 : 0;
    };
    const auto touch = [](void* context, std::uint64_t when, std::uint32_t offset, std::uint32_t lanes, int write) {
        static_cast<ibex_processor*>(context)->touch(when, offset, lanes, write != 0);
    };
    return {.instruction = firmware_->instruction.data(),
            .instruction_bytes = static_cast<std::uint32_t>(firmware_->instruction.size()),
            .data = data_.data(),
            .data_base = hw::riscv::data_base,
            .data_bytes = static_cast<std::uint32_t>(data_.size()),
            .bus_base = hw::riscv::bus_base,
            .register_base = register_base,
            .context = this,
            .load = load,
            .store = store,
            .touch = options_.protect == hw::format::protection::none ? nullptr : +touch};
}

void ibex_processor::touch(hw::ni::cycle when, std::uint32_t offset, std::uint32_t lanes, bool write) {
    const auto first = offset + static_cast<std::uint32_t>(std::countr_zero(lanes));
    const auto bytes = static_cast<std::uint32_t>(std::popcount(lanes));
    if (!(write ? codes_.write_bytes(first, bytes) : codes_.read_bytes(first, bytes))) bus_.spoilt(when);
}

void ibex_processor::reset(hw::ni::cycle now) {
    std::copy(firmware_->data.begin(), firmware_->data.end(), data_.begin());
    codes_.clear();
    interface_.reset(model_.get(), now);
}

hw::ni::cycle ibex_processor::run(hw::ni::cycle until, bool interrupt) {
    const bool held = hold_ >= until && hold_ - until < options_.run_ahead;
    const hw::ni::cycle ahead = held ? hold_ - until + 1 : options_.run_ahead;
    return interface_.run(model_.get(), until, interrupt ? 1 : 0, ahead);
}

void ibex_processor::upset(std::uint32_t word, std::uint32_t bit) {
    hw::ni::flip(data_, codes_, word, bit);
}

hw::ni::processor_probe ibex_processor::probe() const {
    polycast_ibex_probe model{};
    interface_.probe(model_.get(), &model);
    hw::ni::processor_probe seen;
    seen.pc = model.pc;
    seen.sleeping = model.sleeping != 0;
    seen.halted = model.halted != 0;
    seen.instructions = model.instructions;
    seen.cycles = model.cycles;
    return seen;
}

void ibex_processor::observe(retired_function retired) {
    retired_ = std::move(retired);
    const auto tell = [](void* context, const polycast_ibex_retirement* what) {
        (*static_cast<retired_function*>(context))(*what);
    };
    interface_.observe(model_.get(), &retired_, retired_ ? +tell : nullptr);
}

void ibex_processor::open_trace(const std::filesystem::path& file, unsigned depth) {
    if (interface_.trace_open(model_.get(), file.c_str(), depth) != 0)
        throw hw::input_error(file.string(), {}, "cannot be written", "choose another folder for the waves");
}

void ibex_processor::close_trace() {
    interface_.trace_close(model_.get());
}

}  // namespace polycast::tlm
