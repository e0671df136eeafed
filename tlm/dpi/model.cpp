// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/model.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include "hw/engine/pin_difference.h"
#include "hw/engine/waiting_ports.h"
#include "hw/format/config_words.h"
#include "hw/input_error.h"

namespace polycast::tlm::dpi {

using hw::input_error;
using hw::engine::chip_probe;
using nlohmann::json;

namespace {

const hw::engine::chip_names names = {"model", "device"};

/// Output pins that the core cannot tell: those of the next cycle, and two of a link end. `idle_o` of a link end is
/// none of its contract.
constexpr std::array<std::string_view, 4> unknown = {"next_valid_o", "next_credit_o", "probe_counted_o",
                                                     "probe_waits_o"};
/// Output pins that hw::engine::pins does not have.
constexpr std::array<std::string_view, 5> extras = {"idle_o", "xmit_wait_o", "wire_o", "side_have_o", "side_round_o"};

bool among(const auto& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

json parsed(const std::string& text, const std::string& what) {
    if (text.empty()) return json::object();
    try {
        return json::parse(text);
    } catch (const json::exception& problem) {
        // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error .."
        const std::string words = problem.what();
        const std::size_t begin = words.find("] ");
        throw input_error(what +
                          ": no JSON: " + hw::printable(begin == std::string::npos ? words : words.substr(begin + 2)));
    }
}

json parsed_tables(const std::string& tables) {
    const std::size_t begin = tables.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos || tables[begin] == '{') return parsed(tables, "tables");
    std::ifstream file(tables);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file || text.empty())
        throw input_error("tables: they are neither a JSON object nor the path of a file with one: \"" +
                          hw::printable(tables) + "\"");
    return parsed(text, tables);
}

std::string hex(const bit_vector& bits, std::size_t first, unsigned count) {
    std::string text;
    for (unsigned left = (count + 3) / 4; left-- != 0;)
        text += "0123456789abcdef"[bits.get(first + std::size_t{4} * left, std::min(4u, count - 4 * left))];
    return text;
}

std::string ports_text(std::uint64_t set) {
    std::string text;
    for_each_bit(set, [&](unsigned port) { text.append(text.empty() ? "" : ",").append(std::to_string(port)); });
    return text;
}

/// Headers of packets are read on the pins or in the flits; those of a link end may be too short to be any.
bool reads_packets(const hw::engine::pin_shape& shape) {
    return shape.header_bytes == 0 || shape.header_bytes >= hw::format::common_header_bytes +
                                                                hw::format::transport_bytes + hw::format::check_bytes;
}

}  // namespace

model::model(const std::string& chip, std::string name, const std::string& parameters, const std::string& tables)
    : name_(std::move(name)),
      kind_(golden_kind_of(chip, parsed(parameters, "parameters"))),
      headers_(kind_->headers()),
      layout_(kind_->pins()),
      inputs_(layout_.input_bits()),
      outputs_(layout_.output_bits()),
      device_(layout_.output_bits()),
      scratch_(layout_.output_bits()),
      shape_(kind_->shape()),
      codec_in_(layout_, shape_, "_i"),
      codec_out_(layout_, shape_, "_o"),
      in_(shape_),
      expected_(shape_),
      tested_(shape_),
      sides_in_(shape_.ports) {
    write_tables(kind_->registers(), parsed_tables(tables), image_);
    if (reads_packets(shape_)) packets_.emplace(shape_, headers_, names);
    build();
}

/// Tables take effect: the chip is made anew.
void model::build() {
    if (!stale_) return;
    chip_ = kind_->make(image_);
    stale_ = false;
    link_ = dynamic_cast<link_end_chip*>(chip_.get());
    wake_ = 0;
    if (chip_ == nullptr || chip_->shape() == shape_) return;
    shape_ = chip_->shape();
    in_ = expected_ = tested_ = hw::engine::pins(shape_);
}

void model::forget_outputs() {
    expected_.clear();
    packed_ = false;
}

void model::write(std::uint32_t address, std::uint32_t data) {
    write(address, data, true);
}

/// \param strict there is such a register
void model::write(std::uint32_t address, std::uint32_t data, bool strict) {
    if (kind_->is_upset(address)) throw input_error("register `upset` is written: the model does not flip stored bits");
    if (!holds(kind_->registers(), address)) {
        if (strict) throw input_error("there is no register at address " + std::to_string(address));
        return;
    }
    using hw::format::link_global;
    const bool leaves =
        address == hw::format::config_address(static_cast<std::uint32_t>(hw::format::link_region::global),
                                              static_cast<std::uint32_t>(link_global::leave_flush));
    if (link_ != nullptr && leaves) {
        link_->leave_flush();
        wake_ = 0;
        return;
    }
    if (!fresh_)
        throw input_error("the register at address " + std::to_string(address) +
                              " is written behind the first traffic: the model cannot follow",
                          "reset the chip before");
    image_.write(address, data);
    stale_ = true;
    packed_ = false;
}

void model::take_write(bool traffic) {
    const placed_pin* const valid = layout_.find("cfg_valid_i");
    if (!inputs_.bit(valid->first)) return;
    const auto word = [&](const char* pin) {
        return static_cast<std::uint32_t>(inputs_.get(layout_.find(pin)->first, 32));
    };
    if (traffic && chip_ != nullptr) fresh_ = false;
    write(word("cfg_addr_i"), word("cfg_data_i"), false);
}

void model::reset() {
    if (chip_ != nullptr) chip_->reset();
    wake_ = 0;
    fresh_ = true;
    shown_ = {};
    std::ranges::fill(sides_in_, hw::engine::side_state{});
    forget_outputs();
    difference_.reset();
    if (packets_) packets_.emplace(hw::engine::pin_shape(kind_->shape()), headers_, names);
}

/// Side wires are levels on pins, and changes in hw::engine::pins.
void model::take_sides() {
    const placed_pin* const have = layout_.find("side_have_i");
    if (have == nullptr || in_.sides.empty()) return;
    const placed_pin* const round = layout_.find("side_round_i");
    for_each_bit(shape_.side_ports, [&](unsigned port) {
        const hw::engine::side_state now = {inputs_.get(have->place(port), have->bits),
                                            static_cast<std::uint8_t>(inputs_.get(round->place(port), round->bits))};
        if (now == sides_in_[port]) return;
        sides_in_[port] = in_.sides[port] = now;
        in_.side |= std::uint64_t{1} << port;
    });
}

void model::show_sides() {
    if (expected_.side != 0) shown_ = expected_.sides[static_cast<unsigned>(std::countr_zero(expected_.side))];
    expected_.side = 0;
}

void model::step() {
    build();
    in_.clear();
    codec_in_.unpack(inputs_, in_);
    in_.head &= in_.valid;
    in_.tail &= in_.valid;
    take_sides();
    if (link_ != nullptr)
        link_->set_wires(inputs_, layout_.find("wire_i")->first, inputs_.bit(layout_.find("signal_i")->first));
    const bool traffic = !in_.quiet() || (link_ != nullptr && link_->hears());
    // It is written at the end of the cycle.
    take_write(traffic);
    forget_outputs();
    // A link end that is on is never at rest.
    if (chip_ != nullptr && (traffic || link_ != nullptr)) fresh_ = fresh_ && stale_;
    if (chip_ != nullptr && (traffic || now_ >= wake_)) {
        wake_ = chip_->step(now_, in_, expected_);
        show_sides();
    }
    ++now_;
}

void model::pack_extras(bit_vector& to) const {
    const auto put = [&](const char* name, std::uint64_t value, unsigned count) {
        if (const placed_pin* pin = layout_.find(name)) to.put(pin->first, count, value);
    };
    put("idle_o", chip_ == nullptr || chip_->idle() ? 1 : 0, 1);
    if (chip_ == nullptr) return;
    put("xmit_wait_o", hw::engine::xmit_wait_of(*chip_), shape_.ports);
    if (link_ != nullptr) link_->pack_wires(to, layout_.find("wire_o")->first);
    if (const placed_pin* have = layout_.find("side_have_o")) {
        to.put(have->first, static_cast<unsigned>(have->width()), shown_.have);
        put("side_round_o", shown_.round, 2);
    }
}

void model::pack_probes(bit_vector& to) const {
    if (link_ != nullptr) return link_->pack_probes(layout_, to);
    if (chip_ != nullptr) pack_entries(to);
}

void model::pack_entries(bit_vector& to) const {
    chip_probe probe;
    chip_->probe(probe);
    const auto pin = [this](const char* name) { return layout_.find(name); };
    const std::array<const placed_pin*, 8> pins = {
        pin("probe_occupied_o"), pin("probe_state_o"),  pin("probe_waiting_o"), pin("probe_reading_o"),
        pin("probe_held_o"),     pin("probe_holder_o"), pin("probe_credits_o"), pin("probe_corrected_o")};
    const std::size_t vcs = probe.inputs.size() / shape_.ports;
    for (std::size_t entry = 0; entry < probe.inputs.size(); ++entry) {
        const chip_probe::input& input = probe.inputs[entry];
        const chip_probe::output& output = probe.outputs[entry];
        const std::array<std::uint64_t, 8> values = {input.occupied, input.state,   input.waiting,  input.reading,
                                                     output.held,    output.holder, output.credits, input.corrected};
        for (std::size_t which = 0; which < pins.size(); ++which) {
            // The last one is of a port, and that of its first virtual channel.
            const bool of_port = which == 7;
            if (pins[which] == nullptr || (of_port && entry % vcs != 0)) continue;
            to.put(pins[which]->place(of_port ? entry / vcs : entry), pins[which]->bits, values[which]);
        }
    }
}

const bit_vector& model::outputs() {
    build();
    if (packed_) return outputs_;
    outputs_.clear();
    codec_out_.pack(expected_, outputs_);
    pack_extras(outputs_);
    pack_probes(outputs_);
    packed_ = true;
    return outputs_;
}

bool model::is_compared(const placed_pin& pin, bool probes) const {
    if (among(unknown, pin.name)) return false;
    if (among(extras, pin.name)) return link_ == nullptr || pin.name != "idle_o";
    return probes && (pin.name.starts_with("probe_") || pin.name == "counts_o");
}

/// The first pin that differs of those that hw::engine::pins does not have.
std::string model::bits_difference(bool probes) {
    scratch_.clear();
    pack_extras(scratch_);
    if (probes) pack_probes(scratch_);
    for (const placed_pin& pin : layout_.outputs()) {
        if (!is_compared(pin, probes)) continue;
        // Long pins are said by the 64 bits of them that differ.
        const std::size_t width = pin.bits > 64 || pin.number == 1 ? pin.width() : pin.bits;
        for (std::size_t index = 0; index < pin.width(); index += width)
            for (std::size_t at = 0; at < width; at += 64) {
                const std::size_t first = pin.first + index + at;
                const auto count = static_cast<unsigned>(std::min<std::size_t>(64, width - at));
                if (scratch_.get(first, count) == device_.get(first, count)) continue;
                std::string where(pin.name.substr(0, pin.name.size() - 2));
                if (pin.number > 1) where += "[" + std::to_string(index / width) + "]";
                if (width > 64) where += " from bit " + std::to_string(at) + " on";
                return where + ": " + names[0] + " " + hex(scratch_, first, count) + ", " + names[1] + " " +
                       hex(device_, first, count);
            }
    }
    return {};
}

bool model::compare(bool probes) {
    build();
    tested_.clear();
    codec_out_.unpack(device_, tested_);
    if (packets_) packets_->look(expected_, tested_);
    if (difference_) return true;
    const hw::engine::differing_pin found = hw::engine::pin_difference(shape_, names, expected_, tested_);
    const std::string pin = found.what.empty() ? bits_difference(probes) : found.what;
    if (pin.empty()) return false;
    difference_ = {now_, pin};
    if (packets_ && found.port) packets_->differs(expected_, tested_, *found.port);
    return true;
}

std::string model::difference() const {
    if (!difference_) return {};
    const std::string words = packets_ ? packets_->words() : std::string();
    return name_ + " in cycle " + std::to_string(difference_->when) + ": " + difference_->pin +
           (words.empty() ? "" : ": " + words);
}

std::string model::state() {
    build();
    if (chip_ == nullptr) return "off\n";
    if (link_ != nullptr) return link_->state();
    chip_probe probe;
    chip_->probe(probe);
    const std::size_t vcs = probe.inputs.size() / shape_.ports;
    const auto place = [vcs](std::size_t entry) {
        return std::to_string(entry / vcs) + (vcs > 1 ? "." + std::to_string(entry % vcs) : "");
    };
    std::string text = chip_->idle() ? "idle\n" : "";
    for (std::size_t entry = 0; entry < probe.inputs.size(); ++entry) {
        const chip_probe::input& input = probe.inputs[entry];
        if (input.occupied != 0 || input.state != 0)
            text += "input " + place(entry) + ": occupied " + std::to_string(input.occupied) + ", state " +
                    std::to_string(input.state) + ", waits for outputs " + ports_text(input.waiting) +
                    "; holds outputs " + ports_text(input.reading) + "\n";
        const chip_probe::output& output = probe.outputs[entry];
        if (output.held)
            text += "output " + place(entry) + ": held by input " + std::to_string(output.holder) + ", credits " +
                    std::to_string(output.credits) + "\n";
    }
    return text;
}

}  // namespace polycast::tlm::dpi
