// SPDX-License-Identifier: Apache-2.0
#include "tlm/rtl_switch.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "hw/format/packet_format.h"
#include "hw/input_error.h"

namespace polycast::tlm {

using hw::format::config_global;
using hw::format::config_region;

rtl_switch::rtl_switch(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables,
                       model_library& models, std::string name)
    : params_(params),
      shape_(params.pin_shape()),
      name_(std::move(name)),
      interface_(models.get(params)),
      model_(interface_.create(name_.c_str()), interface_.destroy) {
    if (model_ == nullptr) throw std::bad_alloc();
    write_tables(tables);
}

void rtl_switch::take(std::uint32_t status) {
    status_ = status;
    if ((status & POLYCAST_SWITCH_MODEL_FAILED) != 0)
        throw rtl_assertion_error(name_ + ": " + interface_.failure(model_.get()));
}

void rtl_switch::configure(config_region region, unsigned index, std::uint32_t value) {
    take(interface_.configure(model_.get(), static_cast<std::uint32_t>(region) << 24 | index, value));
}

void rtl_switch::configure(config_region region, unsigned first, const std::uint64_t* words, std::size_t bits) {
    for (unsigned word = 0; word * 32 < bits; ++word) {
        configure(region, first + word, static_cast<std::uint32_t>(words[word / 2] >> word % 2 * 32));
    }
}

void rtl_switch::write_tables(const hw::chips::switch_tables& tables) {
    const std::size_t words = (params_.max_hosts + 63) / 64;
    const auto short_string = [words](const hw::chips::bit_string& bits) { return bits.size() < words; };
    if (tables.port_direction.size() < params_.ports || tables.buffer_chunks.size() < params_.ports ||
        tables.credits.size() < params_.ports || tables.reach_port.size() < params_.ports ||
        short_string(tables.reach_total) ||
        std::any_of(tables.reach_port.begin(), tables.reach_port.end(), short_string)) {
        throw std::invalid_argument(name_ + ": tables are smaller than the switch");
    }
    const auto global = [this](config_global index, unsigned value) {
        configure(config_region::global, static_cast<unsigned>(index), value);
    };
    global(config_global::route_delay, tables.route_delay);
    global(config_global::arbitration, static_cast<unsigned>(tables.arbitration));
    global(config_global::selection, static_cast<unsigned>(tables.selection));
    global(config_global::packet_limit, tables.packet_limit);
    global(config_global::tree_header_flits, tables.tree_header_flits);
    global(config_global::up_selection, static_cast<unsigned>(tables.up_selection));
    global(config_global::rewrite, tables.rewrite ? 1 : 0);
    global(config_global::switch_number, tables.switch_number);
    global(config_global::tree_up_low, static_cast<std::uint32_t>(tables.tree_up));
    global(config_global::tree_up_high, static_cast<std::uint32_t>(tables.tree_up >> 32));
    for (unsigned port = 0; port < params_.ports; ++port) {
        configure(config_region::port_direction, port, static_cast<std::uint32_t>(tables.port_direction[port]));
        configure(config_region::buffer_chunks, port, tables.buffer_chunks[port]);
        configure(config_region::credits, port, tables.credits[port]);
        configure(config_region::reach_port, port << 16, tables.reach_port[port].data(), params_.max_hosts);
    }
    configure(config_region::reach_total, 0, tables.reach_total.data(), params_.max_hosts);
    // Destinations beyond the tables have no route.
    const auto routes = [this](config_region region, const std::vector<std::uint64_t>& table, unsigned entries) {
        const std::uint64_t none = 0;
        for (unsigned entry = 0; entry < entries; ++entry)
            configure(region, entry * 2, entry < table.size() ? &table[entry] : &none, params_.ports);
    };
    routes(config_region::unicast_up, tables.unicast_up, params_.max_hosts);
    routes(config_region::unicast_down, tables.unicast_down, params_.max_hosts);
    routes(config_region::switch_up, tables.switch_up, params_.max_switches);
    routes(config_region::switch_down, tables.switch_down, params_.max_switches);
}

void rtl_switch::reset() {
    take(interface_.reset(model_.get()));
}

hw::engine::cycle rtl_switch::step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
    const polycast_switch_model_inputs inputs = {in.valid,  in.head,        in.tail,
                                                 in.credit, in.data.data(), in.header.data()};
    polycast_switch_model_outputs outputs = {0, 0, 0, 0, 0, out.data.data(), out.header.data(), out.errors.data()};
    take(interface_.step(model_.get(), now, &inputs, &outputs));
    out.valid = outputs.valid;
    out.head = outputs.head;
    out.tail = outputs.tail;
    out.credit = outputs.credit;
    out.error = outputs.error;
    return idle() ? hw::engine::never : now + 1;
}

void rtl_switch::probe(hw::engine::chip_probe& probe) const {
    constexpr std::size_t most = hw::engine::max_ports;
    std::array<std::uint16_t, most> occupied{};
    std::array<std::uint8_t, most> state{};
    std::array<std::uint64_t, most> waiting{};
    std::array<std::uint64_t, most> reading{};
    std::array<std::uint8_t, most> held{};
    std::array<std::uint8_t, most> holder{};
    std::array<std::uint16_t, most> credits{};
    polycast_switch_model_probe values = {occupied.data(), state.data(),  waiting.data(), reading.data(),
                                          held.data(),     holder.data(), credits.data()};
    interface_.probe(model_.get(), &values);
    probe.inputs.resize(params_.ports);
    probe.outputs.resize(params_.ports);
    for (unsigned port = 0; port < params_.ports; ++port) {
        probe.inputs[port] = {occupied[port], state[port], waiting[port], reading[port]};
        probe.outputs[port] = {held[port] != 0, holder[port], credits[port]};
    }
}

void rtl_switch::open_trace(const std::filesystem::path& file, unsigned depth) {
    if (interface_.trace_open(model_.get(), file.c_str(), depth) != 0) {
        throw hw::input_error(file.string(), {}, "cannot be written", "choose another folder for the waves");
    }
}

void rtl_switch::close_trace() {
    interface_.trace_close(model_.get());
}

}  // namespace polycast::tlm
