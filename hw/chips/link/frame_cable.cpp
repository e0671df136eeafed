// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/frame_cable.h"

#include <algorithm>

#include "hw/chips/link/frame_half.h"
#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

frame_cable::frame_cable(const link_config& config)
    : config_(checked(config)),
      shape_{2, config_.flit_bytes, config_.header_bytes, config_.vcs},
      sides_{frame_side(config_), frame_side(other_end(config_))},
      wires_{frame_wire(config_), frame_wire(config_)} {}

void frame_cable::attach(unsigned towards, wire_faults& faults) {
    if (symbols_) return symbols_->attach(towards, faults);
    frame_side::spoil_start(faults, config_.delay, wires_[towards]);
    sides_[1 - towards].attach(faults);
}

std::array<std::unique_ptr<link_cable>, 2> frame_cable::cut_in_two() {
    if (symbols_) return {};
    return {std::make_unique<frame_half>(config_, 0), std::make_unique<frame_half>(config_, 1)};
}

void frame_cable::upset(unsigned which, const link_upset& what) {
    symbols_ ? symbols_->upset(which, what) : sides_[which].upset(what);
}

void frame_cable::reset() {
    if (symbols_) return symbols_->reset();
    sides_ = {frame_side(config_), frame_side(other_end(config_))};
    wires_ = {frame_wire(config_), frame_wire(config_)};
}

cycle frame_cable::step(cycle now, const engine::pins& in, engine::pins& out) {
    if (symbols_) return symbols_->step(now, in, out);
    for (unsigned port = 0; port < 2; ++port) {
        const bool pins = ((in.valid | in.credit) & bit(port)) != 0;
        if (!pins && now < sides_[port].wake() && now < wires_[port].arrives()) continue;
        sides_[port].step(now, in, port, out, wires_[port], wires_[1 - port]);
    }
    return std::min({sides_[0].wake(), sides_[1].wake(), wires_[0].arrives(), wires_[1].arrives()});
}

bool frame_cable::idle() const {
    if (symbols_) return symbols_->idle();
    return std::ranges::none_of(sides_, [](const frame_side& of) { return of.end().holds_flits(); }) &&
           std::ranges::none_of(wires_, &frame_wire::holds_flits);
}

void frame_cable::probe(engine::chip_probe& probe) const {
    if (symbols_) return symbols_->probe(probe);
    probe.ends.clear();
    for (const frame_side& of : sides_) probe.ends.push_back(shown(config_, of.end().probe(), of.end().recovers()));
}

engine::chip_report frame_cable::report() const {
    if (symbols_) return symbols_->report();
    return cable_report{{sides_[0].end().report(), sides_[1].end().report()}, {}}.packed();
}

}  // namespace polycast::hw::chips
