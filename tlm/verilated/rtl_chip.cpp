// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_chip.h"

#include <array>
#include <bit>
#include <new>
#include <utility>

#include "hw/format/config_words.h"
#include "hw/input_error.h"

namespace polycast::tlm {

using hw::format::config_global;
using hw::format::config_region;

rtl_chip::rtl_chip(const polycast_chip_model_interface& model, const hw::engine::pin_shape& shape, std::string name)
    : shape_(shape),
      name_(std::move(name)),
      interface_(model),
      model_(model.create(name_.c_str()), model.destroy),
      sides_(shape.side_ports != 0 ? shape.ports : 0) {
    if (model_ == nullptr) throw std::bad_alloc();
}

void rtl_chip::take(std::uint32_t status) {
    status_ = status;
    if ((status & POLYCAST_CHIP_MODEL_FAILED) != 0)
        throw rtl_assertion_error(name_ + ": " + interface_.failure(model_.get()));
}

void rtl_chip::configure(config_region region, unsigned index, std::uint32_t value) {
    write_register(hw::format::config_address(static_cast<std::uint32_t>(region), index), value);
}

void rtl_chip::configure(config_region region, unsigned first, const std::uint64_t* words, std::size_t bits) {
    for (unsigned word = 0; word * 32 < bits; ++word) {
        configure(region, first + word, static_cast<std::uint32_t>(words[word / 2] >> word % 2 * 32));
    }
}

void rtl_chip::write_doors(const hw::chips::source_doors& doors, unsigned max_sources) {
    for (std::uint32_t source = 0; source < max_sources; ++source) {
        const std::uint64_t ports = doors.ports_of(source, shape_.ports);
        configure(config_region::source_ports, source * 2, &ports, shape_.ports);
    }
}

void rtl_chip::write_register(std::uint32_t address, std::uint32_t value) {
    take(interface_.configure(model_.get(), address, value));
}

void rtl_chip::configure(config_global index, std::uint32_t value) {
    configure(config_region::global, static_cast<unsigned>(index), value);
}

void rtl_chip::reset() {
    take(interface_.reset(model_.get()));
    shown_ = {};
    waits_ = 0;
}

hw::engine::cycle rtl_chip::step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    return step(now, in, out, nullptr);
}

hw::engine::cycle rtl_chip::step_upset(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out,
                                       const hw::chips::chip_upset* what) {
    if (what == nullptr) return step(now, in, out, nullptr);
    const polycast_chip_model_write flip = {
        hw::format::config_address(static_cast<std::uint32_t>(config_region::upset), what->index),
        static_cast<std::uint32_t>(what->memory) << 24 | what->bit};
    step(now, in, out, &flip);
    return now + 1;
}

hw::engine::cycle rtl_chip::step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out,
                                 const polycast_chip_model_write* write) {
    for (std::uint64_t set = in.side; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        sides_[port] = {in.sides[port].have, in.sides[port].round};
    }
    const polycast_chip_model_inputs inputs = {in.valid,       in.head,          in.tail,      in.credit,
                                               in.data.data(), in.header.data(), in.vc.data(), in.credit_vc.data(),
                                               in.side,        sides_.data(),    nullptr,      0,
                                               write};
    polycast_chip_model_outputs outputs = {0,
                                           0,
                                           0,
                                           0,
                                           0,
                                           out.data.data(),
                                           out.header.data(),
                                           out.errors.data(),
                                           out.vc.data(),
                                           out.credit_vc.data(),
                                           {},
                                           0,
                                           0,
                                           {},
                                           nullptr,
                                           0,
                                           0,
                                           0};
    take(interface_.step(model_.get(), now, &inputs, &outputs));
    out.valid = outputs.valid;
    out.head = outputs.head;
    out.tail = outputs.tail;
    out.credit = outputs.credit;
    out.error = outputs.error;
    waits_ = outputs.wait;
    for (unsigned event = 0; event < outputs.event_count; ++event) {
        const polycast_chip_model_event& from = outputs.events[event];
        out.events.push_back({from.pin, from.code, from.context, from.index, from.source});
    }
    if (!sides_.empty()) show_sides(outputs.side, out);
    return idle() ? hw::engine::never : now + 1;
}

void rtl_chip::show_sides(const polycast_chip_model_side& side, hw::engine::pins& out) {
    const hw::engine::side_state state{side.have, side.round};
    if (state == shown_) return;
    shown_ = state;
    out.side = shape_.side_ports;
    for (std::uint64_t set = out.side; set != 0; set &= set - 1)
        out.sides[static_cast<unsigned>(std::countr_zero(set))] = state;
}

void rtl_chip::probe(hw::engine::chip_probe& probe) const {
    // Of a VL switch. All entries of the chip are written: nothing is cleared before.
    constexpr std::size_t most = std::size_t{hw::engine::max_ports} * 15;
    std::array<std::uint16_t, most> occupied;
    std::array<std::uint8_t, most> state;
    std::array<std::uint64_t, most> waiting;
    std::array<std::uint64_t, most> reading;
    std::array<std::uint8_t, most> held;
    std::array<std::uint8_t, most> holder;
    std::array<std::uint16_t, most> credits;
    std::array<std::uint16_t, most> corrected;
    polycast_chip_model_probe values = {occupied.data(), state.data(),  waiting.data(), reading.data(),
                                        held.data(),     holder.data(), credits.data(), corrected.data()};
    interface_.probe(model_.get(), &values);
    const unsigned entries = shape_.ports * shape_.vcs;
    probe.inputs.resize(entries);
    probe.outputs.resize(entries);
    for (unsigned entry = 0; entry < entries; ++entry) {
        probe.inputs[entry] = {occupied[entry], state[entry], waiting[entry], reading[entry], corrected[entry]};
        probe.outputs[entry] = {held[entry] != 0, holder[entry], credits[entry]};
    }
}

void rtl_chip::open_trace(const std::filesystem::path& file, unsigned depth) {
    if (interface_.trace_open(model_.get(), file.c_str(), depth) != 0) {
        throw hw::input_error(file.string(), {}, "cannot be written", "choose another folder for the waves");
    }
}

void rtl_chip::close_trace() {
    interface_.trace_close(model_.get());
}

}  // namespace polycast::tlm
