// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/frame_cable.h"

#include <algorithm>

#include "hw/chips/link/frame_half.h"
#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

frame_cable::frame_cable(const link_config& config)
    : config_(checked(config)), shape_{2, config_.flit_bytes, config_.header_bytes, config_.vcs} {
    frame_cable::reset();
}

void frame_cable::watch() {
    symbols_ = std::make_unique<cable_core>(config_);
    whole_.reset();
}

void frame_cable::attach(unsigned towards, wire_faults& faults) {
    if (symbols_) return symbols_->attach(towards, faults);
    whole_->sides[1 - towards].attach(faults, &whole_->wires[towards]);
}

std::array<std::unique_ptr<link_cable>, 2> frame_cable::cut_in_two() {
    whole_.reset();
    return {std::make_unique<frame_half>(config_, 0), std::make_unique<frame_half>(config_, 1)};
}

void frame_cable::upset(unsigned which, const link_upset& what) {
    if (symbols_) return symbols_->upset(which, what);
    whole_->sides[which].upset(what);
    wakes_[which] = 0;
}

void frame_cable::reset() {
    if (symbols_) return symbols_->reset();
    wakes_ = {};
    whole_ = std::make_unique<both_ends>(
        both_ends{{frame_side(config_), frame_side(other_end(config_))}, {frame_wire(config_), frame_wire(config_)}});
}

cycle frame_cable::step(cycle now, const engine::pins& in, engine::pins& out) {
    if (symbols_) return symbols_->step(now, in, out);
    auto& [sides, wires] = *whole_;
    for (unsigned port = 0; port < 2; ++port) {
        const bool pins = ((in.valid | in.credit) & bit(port)) != 0;
        if (!pins && now < wakes_[port]) continue;
        sides[port].step(now, in, port, out, wires[port], wires[1 - port]);
        wakes_[port] = std::min(sides[port].wake(), wires[port].arrives());
        wakes_[1 - port] = std::min(wakes_[1 - port], wires[1 - port].arrives());
    }
    return std::min(wakes_[0], wakes_[1]);
}

bool frame_cable::idle() const {
    if (symbols_) return symbols_->idle();
    return std::ranges::none_of(whole_->sides, [](const frame_side& of) { return of.end().holds_flits(); }) &&
           std::ranges::none_of(whole_->wires, &frame_wire::holds_flits);
}

void frame_cable::probe(engine::chip_probe& probe) const {
    if (symbols_) return symbols_->probe(probe);
    probe.ends.clear();
    for (const frame_side& of : whole_->sides)
        probe.ends.push_back(shown(config_, of.end().probe(), of.end().recovers()));
}

engine::chip_report frame_cable::report() const {
    if (symbols_) return symbols_->report();
    return cable_report{{end(0).report(), end(1).report()}, {}}.packed();
}

}  // namespace polycast::hw::chips
