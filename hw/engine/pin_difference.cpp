// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/pin_difference.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <sstream>
#include <vector>

namespace polycast::hw::engine {

namespace {

std::string hex(const std::uint8_t* bytes, std::size_t count) {
    std::string text;
    for (std::size_t index = count; index-- != 0;) {
        text += "0123456789abcdef"[bytes[index] >> 4];
        text += "0123456789abcdef"[bytes[index] & 15];
    }
    return text;
}

std::string text(const std::vector<chip_event>& events) {
    if (events.empty()) return "none";
    std::ostringstream out;
    for (const chip_event& event : events)
        out << "[pin " << unsigned{event.pin} << " code " << unsigned{event.code} << " context " << event.context
            << " index " << event.index << " source " << event.source << "]";
    return out.str();
}

std::string text(const side_state& state) {
    std::ostringstream out;
    out << "have " << std::hex << state.have << " round " << unsigned{state.round};
    return out.str();
}

/// Says what is different.
class comparison {
public:
    comparison(const chip_names& names, const pins& first, const pins& second)
        : names_(names), first_(first), second_(second) {}

    differing_pin pin(const std::string& name, unsigned port, const std::string& first,
                      const std::string& second) const {
        return {name + " of port " + std::to_string(port) + ": " + both(first, second), port};
    }
    std::string both(const std::string& first, const std::string& second) const {
        return names_[0] + " " + first + ", " + names_[1] + " " + second;
    }
    differing_pin masks() const {
        const auto mask = [&](const char* name, std::uint64_t first, std::uint64_t second) {
            if (first == second) return differing_pin{};
            const auto port = static_cast<unsigned>(std::countr_zero(first ^ second));
            return pin(name, port, std::to_string(first >> port & 1), std::to_string(second >> port & 1));
        };
        differing_pin found = mask("flit_valid", first_.valid, second_.valid);
        if (found.what.empty()) found = mask("flit_head", first_.head, second_.head);
        if (found.what.empty()) found = mask("flit_tail", first_.tail, second_.tail);
        if (found.what.empty()) found = mask("credit", first_.credit, second_.credit);
        if (found.what.empty()) found = mask("error", first_.error, second_.error);
        if (found.what.empty()) found = mask("change of side wires", first_.side, second_.side);
        const std::uint64_t alone = (first_.head | first_.tail) & ~first_.valid;
        if (found.what.empty() && alone != 0)
            found = {"head or tail without valid", static_cast<unsigned>(std::countr_zero(alone))};
        return found;
    }
    differing_pin bytes(const char* name, std::uint64_t ports, const std::vector<std::uint8_t>& first,
                        const std::vector<std::uint8_t>& second, std::size_t size) const {
        for (std::uint64_t set = size == 0 ? 0 : ports; set != 0; set &= set - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(set));
            const std::uint8_t* a = &first[port * size];
            const std::uint8_t* b = &second[port * size];
            if (!std::equal(a, a + size, b)) return pin(name, port, hex(a, size), hex(b, size));
        }
        return {};
    }
    differing_pin sides() const {
        for (std::uint64_t set = first_.side; set != 0; set &= set - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(set));
            if (first_.sides[port] != second_.sides[port])
                return pin("side wires", port, text(first_.sides[port]), text(second_.sides[port]));
        }
        return {};
    }
    differing_pin errors() const {
        for (std::uint64_t set = first_.error; set != 0; set &= set - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(set));
            if (first_.errors[port] != second_.errors[port])
                return pin("error bits", port, std::to_string(first_.errors[port]),
                           std::to_string(second_.errors[port]));
        }
        return {};
    }
    differing_pin events() const {
        if (first_.events == second_.events) return {};
        return {"events: " + both(text(first_.events), text(second_.events)), {}};
    }

private:
    const chip_names& names_;
    const pins& first_;
    const pins& second_;
};

}  // namespace

differing_pin pin_difference(const pin_shape& shape, const chip_names& names, const pins& first, const pins& second) {
    const comparison compare(names, first, second);
    const unsigned channel = shape.vcs > 1 ? 1 : 0;
    differing_pin found = compare.masks();
    const auto same = [&found] { return found.what.empty(); };
    if (same()) found = compare.bytes("flit_data", first.valid, first.data, second.data, shape.flit_bytes);
    if (same()) found = compare.bytes("flit_vc", first.valid, first.vc, second.vc, channel);
    if (same()) found = compare.bytes("credit_vc", first.credit, first.credit_vc, second.credit_vc, channel);
    if (same()) found = compare.bytes("flit_header", first.head, first.header, second.header, shape.header_bytes);
    if (same()) found = compare.sides();
    if (same()) found = compare.errors();
    return same() ? compare.events() : found;
}

std::uint64_t differing_ports(const pin_shape& shape, const pins& first, const pins& second) {
    std::uint64_t differ = (first.valid ^ second.valid) | (first.head ^ second.head) | (first.tail ^ second.tail) |
                           (first.credit ^ second.credit) | (first.error ^ second.error) | (first.side ^ second.side);
    const auto compare = [&](std::uint64_t ports, const auto& one, const auto& other, std::size_t size) {
        for (std::uint64_t set = size == 0 ? 0 : ports & ~differ; set != 0; set &= set - 1) {
            const auto place = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(std::countr_zero(set)) * size);
            if (!std::equal(one.begin() + place, one.begin() + place + static_cast<std::ptrdiff_t>(size),
                            other.begin() + place))
                differ |= set & -set;
        }
    };
    const unsigned channel = shape.vcs > 1 ? 1 : 0;
    compare(first.valid, first.data, second.data, shape.flit_bytes);
    compare(first.valid, first.vc, second.vc, channel);
    compare(first.credit, first.credit_vc, second.credit_vc, channel);
    compare(first.head, first.header, second.header, shape.header_bytes);
    compare(first.side, first.sides, second.sides, 1);
    compare(first.error, first.errors, second.errors, 1);
    return differ;
}

}  // namespace polycast::hw::engine
