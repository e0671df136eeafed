// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/cable_core.h"

#include <algorithm>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

cable_core::cable_core(const link_config& config)
    : config_(checked(config)),
      shape_{2, config_.flit_bytes, config_.header_bytes, config_.vcs},
      wires_{link_wire(config_.delay), link_wire(config_.delay)} {
    reset();
}

void cable_core::reset() {
    ends_ = {std::make_unique<link_end_core>(config_), std::make_unique<link_end_core>(other_end(config_))};
    for (link_wire& wire : wires_) wire.reset();
    wakes_ = {};
}

cycle cable_core::step(cycle now, const engine::pins& in, engine::pins& out) {
    for (unsigned port = 0; port < 2; ++port) {
        const bool pins = ((in.valid | in.credit) & bit(port)) != 0;
        if (!pins && now < wakes_[port] && wires_[port].quiet(now)) continue;
        link_end_in to;
        const bool arrives = wires_[port].arrive(now, to.symbol, to.signal);
        to.valid = (in.valid & bit(port)) != 0;
        to.credit = (in.credit & bit(port)) != 0;
        if (!arrives && !to.valid && !to.credit && now < wakes_[port]) continue;
        if (to.credit && !in.credit_vc.empty()) to.credit_vc = in.credit_vc[port];
        if (to.valid) {
            to.flit.kind = symbol_kind::flit;
            to.flit.head = (in.head & bit(port)) != 0;
            to.flit.tail = (in.tail & bit(port)) != 0;
            if (!in.vc.empty()) to.flit.vc = in.vc[port];
            std::copy_n(in.data.begin() + port * config_.flit_bytes, config_.flit_bytes, to.flit.data.begin());
            if (to.flit.head && config_.header_bytes != 0) {
                const auto header = in.header.begin() + port * config_.header_bytes;
                to.flit.header.assign(header, header + config_.header_bytes);
            }
        }
        link_end_out from;
        wakes_[port] = ends_[port]->step(now, to, from);
        wires_[1 - port].send(now, std::move(from.symbol));
        if (from.errors != 0) {
            out.error |= bit(port);
            out.errors[port] = static_cast<std::uint16_t>(from.errors);
        }
        if (from.credit) {
            out.credit |= bit(port);
            if (!out.credit_vc.empty()) out.credit_vc[port] = from.credit_vc;
        }
        if (!from.valid) continue;
        out.valid |= bit(port);
        if (from.flit.head) out.head |= bit(port);
        if (from.flit.tail) out.tail |= bit(port);
        if (!out.vc.empty()) out.vc[port] = from.flit.vc;
        std::copy_n(from.flit.data.begin(), config_.flit_bytes, out.data.begin() + port * config_.flit_bytes);
        if (from.flit.head && config_.header_bytes != 0)
            std::copy(from.flit.header.begin(), from.flit.header.end(),
                      out.header.begin() + port * config_.header_bytes);
    }
    cycle next = std::min(wakes_[0], wakes_[1]);
    for (const link_wire& wire : wires_) next = std::min(next, wire.wake(now));
    return next;
}

bool cable_core::idle() const {
    return std::ranges::none_of(ends_, [](const auto& end) { return end->holds_flits(); }) &&
           std::ranges::none_of(wires_, &link_wire::holds_flits);
}

void cable_core::probe(engine::chip_probe& probe) const {
    probe.ends.clear();
    for (const auto& end : ends_) {
        const link_end_probe state = end->probe();
        probe.ends.push_back({static_cast<std::uint8_t>(state.tx), static_cast<std::uint8_t>(state.rx),
                              static_cast<std::uint8_t>(state.cause), static_cast<std::uint8_t>(state.replays),
                              end->recovers(), state.next, state.expected,
                              static_cast<std::uint32_t>(state.outstanding), static_cast<std::uint32_t>(state.ring)});
    }
}

engine::chip_report cable_core::report() const {
    return cable_report{{ends_[0]->report(), ends_[1]->report()}, {}}.packed();
}

}  // namespace polycast::hw::chips
