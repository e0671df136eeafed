// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/broadcast/broadcast_router_core.h"

#include <algorithm>
#include <bit>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;
using engine::pins;

namespace {

/// Those of `ports` that name this virtual channel.
std::uint64_t of_vc(std::uint64_t ports, const std::vector<std::uint8_t>& vcs, unsigned vc) {
    std::uint64_t found = 0;
    for (std::uint64_t set = ports; set != 0; set &= set - 1)
        if (vcs[lowest(set)] == vc) found |= bit(lowest(set));
    return found;
}

}  // namespace

broadcast_router_core::broadcast_router_core(const broadcast_params& params, const broadcast_registers& registers)
    : params_(checked(params)),
      shape_(params_.pin_shape(registers)),
      router_(params.router, registers.router),
      unit_(params_, checked(params, registers)),
      router_in_(shape_) {}

void broadcast_router_core::reset() {
    router_.reset();
    unit_.reset();
    router_wake_ = 0;
    unit_awake_ = false;
    outputs_quiet_ = true;
}

cycle broadcast_router_core::step(cycle now, const pins& in, pins& out) {
    const std::uint64_t flits = of_vc(in.valid, in.vc, params_.unit_vc());
    const std::uint64_t credits = of_vc(in.credit, in.credit_vc, params_.unit_vc());
    if (router_wake_ <= now || (in.valid ^ flits) != 0 || (in.credit ^ credits) != 0)
        step_router(now, in, flits, credits, out);
    const bool credit = (credits >> params_.host_port() & 1) != 0;
    if (unit_awake_ || flits != 0 || credit || in.side != 0) {
        unit_.step(in, flits, credit, out);
        unit_awake_ = unit_.awake();
    }
    outputs_quiet_ = (out.valid | out.credit | out.error) == 0 && out.events.empty();
    return unit_awake_ || !outputs_quiet_ ? now + 1 : router_wake_;
}

void broadcast_router_core::step_router(cycle now, const pins& in, std::uint64_t flits, std::uint64_t credits,
                                        pins& out) {
    if ((flits | credits) == 0) {
        router_wake_ = router_.step(now, in, out);
        return;
    }
    router_in_.valid = in.valid & ~flits;
    router_in_.head = in.head & ~flits;
    router_in_.tail = in.tail & ~flits;
    router_in_.credit = in.credit & ~credits;
    const auto copy = [](unsigned port, std::size_t bytes, const auto& from, auto& to) {
        std::copy_n(from.data() + port * bytes, bytes, to.data() + port * bytes);
    };
    for (std::uint64_t set = router_in_.valid; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        copy(port, shape_.flit_bytes, in.data, router_in_.data);
        copy(port, shape_.header_bytes, in.header, router_in_.header);
        router_in_.vc[port] = in.vc[port];
    }
    for (std::uint64_t set = router_in_.credit; set != 0; set &= set - 1)
        router_in_.credit_vc[lowest(set)] = in.credit_vc[lowest(set)];
    router_wake_ = router_.step(now, router_in_, out);
}

bool broadcast_router_core::idle() const {
    return outputs_quiet_ && unit_.idle() && router_.idle();
}

void broadcast_router_core::probe(engine::chip_probe& probe) const {
    engine::chip_probe inner;
    router_.probe(inner);
    const unsigned vcs = params_.router.vcs;
    const auto outer = [vcs](unsigned entry) { return entry / vcs * (vcs + 1) + entry % vcs; };
    probe.inputs.assign(std::size_t{shape_.ports} * (vcs + 1), {});
    probe.outputs.assign(probe.inputs.size(), {});
    for (unsigned entry = 0; entry < inner.inputs.size(); ++entry) {
        probe.inputs[outer(entry)] = inner.inputs[entry];
        probe.outputs[outer(entry)] = inner.outputs[entry];
        if (inner.outputs[entry].held)
            probe.outputs[outer(entry)].holder = static_cast<std::uint8_t>(outer(inner.outputs[entry].holder));
    }
    for (unsigned port = 0; port < shape_.ports; ++port) {
        const unsigned entry = port * (vcs + 1) + vcs;
        probe.inputs[entry].occupied = static_cast<std::uint16_t>(port == params_.host_port() ? unit_.buffered() : 0);
        probe.inputs[entry].state = static_cast<std::uint8_t>(unit_.taking_at(port));
        probe.outputs[entry].held = unit_.leaving_at(port);
        probe.outputs[entry].credits = static_cast<std::uint16_t>(std::popcount(unit_.due_at(port)));
    }
}

std::size_t broadcast_router_core::memory_bytes() const {
    return sizeof *this - sizeof router_ + router_.memory_bytes() + unit_.memory_bytes() + router_in_.data.capacity() +
           router_in_.header.capacity() + router_in_.vc.capacity() + router_in_.credit_vc.capacity() +
           router_in_.errors.capacity() * sizeof(std::uint16_t) +
           router_in_.sides.capacity() * sizeof(engine::side_state);
}

}  // namespace polycast::hw::chips
