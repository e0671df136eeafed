// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/clean_cable.h"

#include <algorithm>
#include <cstring>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;

clean_cable::side::side(const link_config& config)
    : end(std::make_unique<link_end_core>(config, link_medium::items)), flits(config) {}

clean_cable::clean_cable(const link_config& config)
    : config_(checked(config)),
      shape_{2, config_.flit_bytes, config_.header_bytes, config_.vcs},
      sides_{side(config_), side(other_end(config_))} {}

void clean_cable::reset() {
    sides_ = {side(config_), side(other_end(config_))};
    if (symbols_) symbols_->reset();
}

cycle clean_cable::step(cycle now, const engine::pins& in, engine::pins& out) {
    if (symbols_) return symbols_->step(now, in, out);
    for (unsigned port = 0; port < 2; ++port) {
        const bool pins = ((in.valid | in.credit) & bit(port)) != 0;
        if (pins || now >= sides_[port].wake) step_end(now, port, in, out);
    }
    return std::min(sides_[0].wake, sides_[1].wake);
}

/// The step of a link end, without the parts that would change nothing.
void clean_cable::step_end(cycle now, unsigned port, const engine::pins& in, engine::pins& out) {
    side& own = sides_[port];
    const std::uint64_t mask = bit(port);
    link_transmitter& transmitter = own.end->transmitter();
    link_receiver& receiver = own.end->receiver();
    bool changes = now >= own.choice;
    if (changes) send(now, port);
    if (((in.valid | in.credit) & mask) != 0) {
        changes = changes || (in.valid & mask) != 0;
        const unsigned errors = take(in, port);
        if (errors != 0) {
            out.error |= mask;
            out.errors[port] = static_cast<std::uint16_t>(errors);
        }
    }
    if (now == own.arrives) {
        changes = true;
        receive(now, own);
    }
    transmitter.finish(now);
    if (receiver.acts()) leave(now, port, out);
    if (transmitter.owes()) {
        if (const auto vc = transmitter.pulse()) {
            out.credit |= mask;
            if (!out.credit_vc.empty()) out.credit_vc[port] = static_cast<std::uint8_t>(*vc);
        }
    }
    if (changes) own.sends = transmitter.choice_wake(now, std::nullopt);
    own.choice = std::min(own.sends, receiver.set_wake(now));
    own.wake = receiver.leaves() || transmitter.pays() ? now + 1 : std::min(own.choice, own.arrives);
}

/// One flit at most leaves for the chip.
void clean_cable::leave(cycle now, unsigned port, engine::pins& out) {
    const auto flit = sides_[port].end->receiver().finish(now);
    if (!flit) return;
    const std::uint64_t mask = bit(port);
    out.valid |= mask;
    if (flit->head) out.head |= mask;
    if (flit->tail) out.tail |= mask;
    if (!out.vc.empty()) out.vc[port] = flit->vc;
    std::memcpy(&out.data[std::size_t{port} * config_.flit_bytes], flit->data, config_.flit_bytes);
    if (flit->header != nullptr)
        std::memcpy(&out.header[std::size_t{port} * config_.header_bytes], flit->header, config_.header_bytes);
}

/// What end `port` chooses goes on the wire towards the other one.
void clean_cable::send(cycle now, unsigned port) {
    side& own = sides_[port];
    link_transmitter& transmitter = own.end->transmitter();
    const link_choice choice = transmitter.choose(now, 0, own.end->receiver());
    if (choice.kind == symbol_kind::idle) return;
    side& to = sides_[1 - port];
    const link_item& item = transmitter.item();
    if (choice.kind == symbol_kind::flit && item.message) {
        if (choice.index == 0) ++to.messages;
    } else if (choice.kind == symbol_kind::flit) {
        const engine::flit flit = transmitter.flit(choice);
        to.flits.push({flit.head, flit.tail, flit.vc}, &flit);
    }
    if (!choice.last) return;
    const cycle when = now + 1 + config_.delay;
    if (to.arrivals.full()) to.arrivals.set_capacity(2 * to.arrivals.capacity());
    to.arrivals.push_back({when, item});
    to.arrives = std::min(to.arrives, when);
    to.wake = std::min(to.wake, when);
}

/// \returns format::chip_error bits
unsigned clean_cable::take(const engine::pins& in, unsigned port) {
    unsigned errors = 0;
    const std::uint64_t mask = bit(port);
    link_end_core& end = *sides_[port].end;
    if ((in.valid & mask) != 0) {
        const bool head = (in.head & mask) != 0;
        const bool with_header = head && config_.header_bytes != 0;
        errors = end.transmitter().take({head, (in.tail & mask) != 0, in.vc.empty() ? std::uint8_t{0} : in.vc[port],
                                         &in.data[std::size_t{port} * config_.flit_bytes],
                                         with_header ? &in.header[std::size_t{port} * config_.header_bytes] : nullptr});
    }
    if ((in.credit & mask) != 0) errors |= end.receiver().take_credit(in.credit_vc.empty() ? 0u : in.credit_vc[port]);
    return errors;
}

void clean_cable::receive(cycle now, side& to) {
    const link_item item = to.arrivals.front().item;
    to.arrivals.pop_front();
    to.arrives = to.arrivals.empty() ? engine::never : to.arrivals.front().when;
    link_receiver& receiver = to.end->receiver();
    if (item.kind == link_item::what::set) {
        if (const auto set = receiver.hear(item.set)) to.end->transmitter().receive(now, *set);
        return;
    }
    const bool accepts = receiver.good_frame(now, item.sequence);
    if (item.message) {
        --to.messages;
        if (accepts) receiver.accept(*item.message);
        return;
    }
    for (unsigned index = 0; index < item.flits; ++index) {
        if (accepts) receiver.accept(to.flits.front_flit());
        to.flits.pop();
    }
}

bool clean_cable::idle() const {
    if (symbols_) return symbols_->idle();
    return std::ranges::none_of(
        sides_, [](const side& of) { return of.end->holds_flits() || !of.flits.empty() || of.messages != 0; });
}

void clean_cable::probe(engine::chip_probe& probe) const {
    if (symbols_) return symbols_->probe(probe);
    probe.ends.clear();
    for (const side& of : sides_) probe.ends.push_back(shown(config_, of.end->probe(), of.end->recovers()));
}

engine::chip_report clean_cable::report() const {
    if (symbols_) return symbols_->report();
    return cable_report{{sides_[0].end->report(), sides_[1].end->report()}, {}}.packed();
}

}  // namespace polycast::hw::chips
