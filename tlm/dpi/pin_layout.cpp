// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/pin_layout.h"

#include <algorithm>
#include <span>
#include <string>

namespace polycast::tlm::dpi {

using hw::engine::pins;

namespace {

std::uint64_t get(const placed_pin* pin, std::size_t index, const bit_vector& from) {
    return pin == nullptr ? 0 : from.get(pin->place(index), pin->bits);
}
void put(const placed_pin* pin, std::size_t index, std::uint64_t value, bit_vector& to) {
    if (pin != nullptr) to.put(pin->place(index), pin->bits, value);
}
/// A mask of ports.
std::uint64_t mask(const placed_pin* pin, const bit_vector& from) {
    return pin == nullptr ? 0 : from.get(pin->first, pin->number);
}
void put_mask(const placed_pin* pin, std::uint64_t value, bit_vector& to) {
    if (pin != nullptr) to.put(pin->first, pin->number, value);
}

template <class Bytes>
auto at_port(Bytes& bytes, unsigned port, unsigned size) {
    return std::span(bytes).subspan(std::size_t{port} * size, size);
}

}  // namespace

pin_layout::pin_layout(const std::vector<hw::chips::chip_pin>& pins) {
    for (const hw::chips::chip_pin& pin : pins) {
        const bool in = pin.name.ends_with("_i");
        std::size_t& bits = in ? input_bits_ : output_bits_;
        placed_pin& placed = (in ? inputs_ : outputs_).emplace_back(placed_pin{pin, bits});
        bits += placed.width();
    }
}

const placed_pin* pin_layout::find(std::string_view name) const {
    const std::vector<placed_pin>& among = name.ends_with("_i") ? inputs_ : outputs_;
    const auto found = std::ranges::find(among, name, &placed_pin::name);
    return found == among.end() ? nullptr : &*found;
}

pin_codec::pin_codec(const pin_layout& layout, const hw::engine::pin_shape& shape, std::string_view suffix)
    : shape_(shape) {
    const auto pin = [&](const char* name) { return layout.find(std::string(name).append(suffix)); };
    valid_ = pin("flit_valid");
    head_ = pin("flit_head");
    tail_ = pin("flit_tail");
    // Where there is one virtual channel its pins say nothing.
    vc_ = shape.vcs > 1 ? pin("flit_vc") : nullptr;
    data_ = pin("flit_data");
    header_ = shape.header_bytes != 0 ? pin("flit_header") : nullptr;
    credit_ = pin("credit");
    credit_vc_ = shape.vcs > 1 ? pin("credit_vc") : nullptr;
    errors_ = pin("error");
    event_valid_ = pin("event_valid");
    event_code_ = pin("event_code");
    event_context_ = pin("event_context");
    event_index_ = pin("event_index");
    // Broadcast routers name the packet, which is the event's index.
    if (event_index_ == nullptr) event_index_ = pin("event_packet");
    event_source_ = pin("event_source");
}

void pin_codec::unpack(const bit_vector& from, pins& to) const {
    to.valid = mask(valid_, from);
    to.head = mask(head_, from);
    to.tail = mask(tail_, from);
    to.credit = mask(credit_, from);
    for_each_bit(to.valid, [&](unsigned port) {
        from.get_bytes(data_->place(port), at_port(to.data, port, shape_.flit_bytes));
        if (vc_ != nullptr) to.vc[port] = static_cast<std::uint8_t>(get(vc_, port, from));
    });
    if (header_ != nullptr)
        for_each_bit(to.head & to.valid, [&](unsigned port) {
            from.get_bytes(header_->place(port), at_port(to.header, port, shape_.header_bytes));
        });
    if (credit_vc_ != nullptr)
        for_each_bit(to.credit, [&](unsigned port) {
            to.credit_vc[port] = static_cast<std::uint8_t>(get(credit_vc_, port, from));
        });
    if (errors_ != nullptr)
        for (unsigned port = 0; port < shape_.ports; ++port) {
            to.errors[port] = static_cast<std::uint16_t>(get(errors_, port, from));
            if (to.errors[port] != 0) to.error |= std::uint64_t{1} << port;
        }
    if (event_valid_ != nullptr) unpack_events(from, to);
}

void pin_codec::unpack_events(const bit_vector& from, pins& to) const {
    for_each_bit(from.get(event_valid_->first, static_cast<unsigned>(event_valid_->width())), [&](unsigned pin) {
        // The pins of the coding unit are one field each, for all of its events.
        const auto part = [&](const placed_pin* of) -> std::uint64_t {
            if (of == nullptr) return 0;
            const auto bits = static_cast<unsigned>(of->width() / event_valid_->width());
            return from.get(of->first + std::size_t{pin} * bits, bits);
        };
        to.events.push_back({static_cast<std::uint8_t>(pin), static_cast<std::uint8_t>(part(event_code_)),
                             static_cast<std::uint16_t>(part(event_context_)),
                             static_cast<std::uint32_t>(part(event_index_)),
                             static_cast<std::uint32_t>(part(event_source_))});
    });
}

void pin_codec::pack_events(const pins& from, bit_vector& to) const {
    for (const hw::engine::chip_event& event : from.events) {
        const auto part = [&](const placed_pin* of, std::uint64_t value) {
            if (of == nullptr) return;
            const auto bits = static_cast<unsigned>(of->width() / event_valid_->width());
            to.put(of->first + std::size_t{event.pin} * bits, bits, value);
        };
        part(event_valid_, 1);
        part(event_code_, event.code);
        part(event_context_, event.context);
        part(event_index_, event.index);
        part(event_source_, event.source);
    }
}

void pin_codec::pack(const pins& from, bit_vector& to) const {
    put_mask(valid_, from.valid, to);
    put_mask(head_, from.head, to);
    put_mask(tail_, from.tail, to);
    put_mask(credit_, from.credit, to);
    for_each_bit(from.valid, [&](unsigned port) {
        to.put_bytes(data_->place(port), at_port(from.data, port, shape_.flit_bytes));
        if (vc_ != nullptr) put(vc_, port, from.vc[port], to);
    });
    if (header_ != nullptr)
        for_each_bit(from.head, [&](unsigned port) {
            to.put_bytes(header_->place(port), at_port(from.header, port, shape_.header_bytes));
        });
    if (credit_vc_ != nullptr)
        for_each_bit(from.credit, [&](unsigned port) { put(credit_vc_, port, from.credit_vc[port], to); });
    if (errors_ != nullptr) for_each_bit(from.error, [&](unsigned port) { put(errors_, port, from.errors[port], to); });
    if (event_valid_ != nullptr) pack_events(from, to);
}

}  // namespace polycast::tlm::dpi
