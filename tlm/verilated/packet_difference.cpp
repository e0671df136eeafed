// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/packet_difference.h"

#include <algorithm>
#include <bit>
#include <span>
#include <tuple>
#include <utility>

namespace polycast::tlm {

using hw::engine::pins;

namespace {

/// What a port has in a pin vector with `size` bytes for each.
std::span<const std::uint8_t> at_port(const std::vector<std::uint8_t>& bytes, unsigned port, unsigned size) {
    return std::span(bytes).subspan(std::size_t{port} * size, size);
}

bool has(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

/// The first bit that differs; nothing if they begin alike.
std::optional<std::size_t> first_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    if (in_a == a.end() || in_b == b.end()) return std::nullopt;
    return static_cast<std::size_t>(in_a - a.begin()) * 8 +
           static_cast<std::size_t>(std::countr_zero(unsigned{*in_a} ^ *in_b));
}

}  // namespace

packet_difference::packet_difference(const hw::engine::pin_shape& shape, const hw::format::header_shape& headers,
                                     hw::engine::chip_names names, bool jobs)
    : shape_(shape), layout_{headers, shape.flit_bytes, shape.header_bytes, jobs}, names_(std::move(names)) {
    for (auto& lanes : sent_) lanes.resize(std::size_t{shape.ports} * shape.vcs);
}

std::size_t packet_difference::lane_of(const pins& out, unsigned port) const {
    return std::size_t{port} * shape_.vcs + (shape_.vcs > 1 ? out.vc[port] : 0);
}

void packet_difference::look(const pins& first, const pins& second) {
    look(0, first);
    look(1, second);
}

void packet_difference::look(unsigned chip, const pins& out) {
    for (std::uint64_t set = out.valid; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const std::size_t lane = lane_of(out, port);
        if (lane >= sent_[chip].size()) continue;  // a channel that does not exist
        sent_packet& packet = sent_[chip][lane];
        if (differ_) {
            sent_flit& followed = (*differ_)[chip];
            followed.ended = followed.ended || (lane == followed.lane && has(out.head, port));
            if (lane != followed.lane || followed.ended) continue;
        }
        if (has(out.head, port)) {
            packet.flits = 0;
            packet.begin.clear();
            const auto header = at_port(out.header, port, shape_.header_bytes);
            packet.header.assign(header.begin(), header.end());
        }
        ++packet.flits;
        if (packet.begin.size() >= hw::format::begin_bytes(layout_)) continue;
        const auto data = at_port(out.data, port, shape_.flit_bytes);
        packet.begin.insert(packet.begin.end(), data.begin(), data.end());
    }
}

void packet_difference::differs(const pins& first, const pins& second, unsigned port) {
    const auto flit_of = [&](unsigned chip, const pins& out) {
        sent_flit flit;
        if (!has(out.valid, port) || lane_of(out, port) >= sent_[chip].size()) return flit;
        flit.valid = true;
        flit.head = has(out.head, port);
        flit.tail = has(out.tail, port);
        flit.lane = lane_of(out, port);
        flit.index = sent_[chip][flit.lane].flits - 1;
        const auto data = at_port(out.data, port, shape_.flit_bytes);
        flit.data.assign(data.begin(), data.end());
        return flit;
    };
    differ_ = {flit_of(0, first), flit_of(1, second)};
}

std::string packet_difference::name_of_packet(unsigned chip) const {
    const sent_packet& packet = sent_[chip][(*differ_)[chip].lane];
    const std::string name = hw::format::packet_name(layout_, layout_.pin_bytes != 0 ? packet.header : packet.begin);
    return name.empty() ? "a packet" : name;
}

std::string packet_difference::text_of_flit(unsigned chip) const {
    const sent_flit& flit = (*differ_)[chip];
    if (!flit.valid) return "nothing";
    if (flit.head && flit.tail) return "the only flit of " + name_of_packet(chip);
    if (flit.head || flit.tail) return (flit.head ? "the head of " : "the tail of ") + name_of_packet(chip);
    return "flit " + std::to_string(flit.index) + " of " + name_of_packet(chip);
}

/// The field that differs, and its values; empty if flits and headers are equal.
std::string packet_difference::part_that_differs() const {
    const auto& [one, other] = *differ_;
    const sent_packet& first = sent_[0][one.lane];
    const sent_packet& second = sent_[1][other.lane];
    const bool pins = one.head && first_difference(first.header, second.header).has_value();
    const auto bit = pins ? first_difference(first.header, second.header) : first_difference(one.data, other.data);
    if (!bit) return {};
    const hw::format::packet_part part =
        pins ? hw::format::part_of_pins(layout_, first.header, *bit)
             : hw::format::part_of_flits(layout_, first.begin, one.index * shape_.flit_bytes * 8 + *bit);
    const std::string values[] = {part.value(pins ? first.header : first.begin),
                                  part.value(pins ? second.header : second.begin)};
    if (values[0].empty() || values[1].empty()) return part.name;
    return part.name + ": " + names_[0] + " " + values[0] + ", " + names_[1] + " " + values[1];
}

std::string packet_difference::words() const {
    if (!differ_) return {};
    const auto& [one, other] = *differ_;
    if (!one.valid && !other.valid) return {};
    const auto place = [](const sent_flit& flit) { return std::tuple(flit.valid, flit.head, flit.tail, flit.lane); };
    if (place(one) != place(other))
        return names_[0] + " sends " + text_of_flit(0) + ", " + names_[1] + " " + text_of_flit(1);
    const std::string part = part_that_differs();
    if (part.empty()) return {};  // credits or errors differ
    const std::string names[] = {name_of_packet(0), name_of_packet(1)};
    if (names[0] == names[1]) return part + " (" + names[0] + ")";
    return part + " (" + names_[0] + ": " + names[0] + ", " + names_[1] + ": " + names[1] + ")";
}

}  // namespace polycast::tlm
