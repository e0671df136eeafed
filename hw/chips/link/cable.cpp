// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/cable.h"

#include "hw/chips/link/link_frame.h"

namespace polycast::hw::chips {

namespace {

engine::chip_probe::link_symbol shown_symbol(const link_config& config, const link_symbol& symbol) {
    const bool has_word = config.beside || symbol.kind != symbol_kind::flit;
    return {static_cast<std::uint8_t>(symbol.kind), config.beside ? symbol.beside
                                                    : has_word    ? take_word(config, 0, 0, symbol)
                                                                  : std::uint64_t{0}};
}

}  // namespace

engine::chip_probe::link_end shown(const link_config& config, const link_end_probe& state, bool recovers) {
    return {.tx = static_cast<std::uint8_t>(state.tx),
            .rx = static_cast<std::uint8_t>(state.rx),
            .cause = static_cast<std::uint8_t>(state.cause),
            .replays = static_cast<std::uint8_t>(state.replays),
            .recovers = recovers,
            .next = state.next,
            .expected = state.expected,
            .outstanding = static_cast<std::uint32_t>(state.outstanding),
            .ring = static_cast<std::uint32_t>(state.ring),
            .bad = static_cast<std::uint32_t>(state.bad),
            .timer = state.timer,
            .units = {state.units.begin(), state.units.begin() + config.vcs},
            .beside = config.beside,
            .signal = true,
            .in = {},
            .out = {}};
}

engine::chip::two_chips link_cable::cut() {
    auto [first, second] = cut_in_two();
    return {{std::move(first), std::move(second)}, config().delay};
}

engine::chip_report link_cable::joined(const std::array<engine::chip_report, 2>& halves) const {
    return cable_report::joined({cable_report::of(halves[0]), cable_report::of(halves[1])}).packed();
}

engine::chip_probe link_cable::joined(const std::array<engine::chip_probe, 2>& halves) const {
    engine::chip_probe probe;
    for (unsigned which = 0; which < halves.size(); ++which) probe.ends.push_back(halves[which].ends[which]);
    return probe;
}

wired_cable::wired_cable(const link_config& config)
    : config_(checked(config)),
      shape_{2, config_.flit_bytes, config_.header_bytes, config_.vcs},
      wires_{link_wire(config_.delay), link_wire(config_.delay)} {}

void wired_cable::read_pins(const engine::pins& in, unsigned port, link_end_in& to) const {
    to.valid = (in.valid & bit(port)) != 0;
    to.credit = (in.credit & bit(port)) != 0;
    if (to.credit && !in.credit_vc.empty()) to.credit_vc = in.credit_vc[port];
    if (!to.valid) return;
    to.flit.kind = symbol_kind::flit;
    to.flit.head = (in.head & bit(port)) != 0;
    to.flit.tail = (in.tail & bit(port)) != 0;
    if (!in.vc.empty()) to.flit.vc = in.vc[port];
    std::copy_n(in.data.begin() + port * config_.flit_bytes, config_.flit_bytes, to.flit.data.begin());
    to.flit.header.clear();
    if (to.flit.head && config_.header_bytes != 0) {
        const auto header = in.header.begin() + port * config_.header_bytes;
        to.flit.header.assign(header, header + config_.header_bytes);
    }
}

void wired_cable::write_pins(const link_end_out& from, unsigned port, engine::pins& out) const {
    if (from.errors != 0) {
        out.error |= bit(port);
        out.errors[port] = static_cast<std::uint16_t>(from.errors);
    }
    if (from.credit) {
        out.credit |= bit(port);
        if (!out.credit_vc.empty()) out.credit_vc[port] = from.credit_vc;
    }
    if (!from.valid) return;
    out.valid |= bit(port);
    if (from.flit.head) out.head |= bit(port);
    if (from.flit.tail) out.tail |= bit(port);
    if (!out.vc.empty()) out.vc[port] = from.flit.vc;
    std::copy_n(from.flit.data.begin(), config_.flit_bytes, out.data.begin() + port * config_.flit_bytes);
    if (!from.flit.head || config_.header_bytes == 0) return;
    const auto header = out.header.begin() + port * config_.header_bytes;
    std::fill_n(header, config_.header_bytes, std::uint8_t{0});  // where the flit has none
    std::copy(from.flit.header.begin(), from.flit.header.end(), header);
}

void wired_cable::show_wires(unsigned which, engine::cycle now, engine::chip_probe::link_end& end) const {
    end.signal = wires_[which].signal();
    if (looked_[which] == now) end.in = shown_symbol(config_, in_[which].symbol);
    if (const link_symbol* sent = wires_[1 - which].sent(now)) end.out = shown_symbol(config_, *sent);
}

}  // namespace polycast::hw::chips
