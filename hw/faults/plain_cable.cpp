// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/plain_cable.h"

#include <algorithm>
#include <string>

#include "hw/chips/port_set.h"
#include "hw/faults/damage.h"
#include "hw/input_error.h"

namespace polycast::hw::faults {

using chips::bit;
using engine::cycle;

plain_wires::plain_wires(unsigned flit_bytes, unsigned header_bytes) {
    config_.layer = chips::link_layer::none;
    config_.flit_bytes = flit_bytes;
    config_.header_bytes = header_bytes;
    first_ = chips::kind_wire(config_);
}

void plain_wires::flip(unsigned wire, symbol& what) const {
    if (wire < first_) return flip_wire(config_, wire, what.flit);
    wire -= first_;
    if (wire == 0) {
        const bool idle = what.flit.kind == chips::symbol_kind::idle;
        what.flit.kind = idle ? chips::symbol_kind::flit : chips::symbol_kind::idle;
    } else if (wire == 1) {
        what.credit = !what.credit;
    } else if (wire < 6) {
        what.credit_vc = static_cast<std::uint8_t>(what.credit_vc ^ 1u << (wire - 2));
    } else {
        what.flit.header.resize(config_.header_bytes);
        std::uint8_t& byte = what.flit.header[(wire - 6) / 8];
        byte = static_cast<std::uint8_t>(byte ^ 1u << (wire - 6) % 8);
    }
}

bool plain_wires::read(unsigned wire, const symbol& what) const {
    if (wire < first_) return read_wire(config_, wire, what.flit);
    wire -= first_;
    if (wire == 0) return what.flit.kind == chips::symbol_kind::flit;
    if (wire == 1) return what.credit;
    if (wire < 6) return (what.credit_vc >> (wire - 2) & 1) != 0;
    wire -= 6;
    return wire / 8 < what.flit.header.size() && (what.flit.header[wire / 8] >> wire % 8 & 1) != 0;
}

namespace {

const fault_plan& checked(const plain_wires& wires, const fault_plan& plan) {
    check_faults(plan, wires.count());
    for (const fault_event& event : plan.events)
        if (event.what == fault_kind::frame || event.what == fault_kind::set || event.what == fault_kind::upset)
            throw input_error("a cable without a link layer has no frames, no ordered sets and no memory",
                              "take 'flip' or 'lose', or give the cable a layer");
    return plan;
}

}  // namespace

plain_faults::plain_faults(const plain_wires& wires, const fault_plan& plan, unsigned from_end, std::uint64_t cable,
                           fault_report report)
    : events_(wires, checked(wires, plan), from_end, cable, std::move(report)) {
    for (const fault_event& event : plan.events)
        if (event.from_end == from_end && waits(event.what)) waiting_.push_back(event);
}

void plain_faults::apply(cycle now, plain_symbol& what) {
    if (what.credit) {
        const auto due = std::ranges::find_if(waiting_, [&](const fault_event& event) {
            return now >= event.at && (event.what == fault_kind::lose_credit || !copy_);
        });
        if (due != waiting_.end()) {
            const bool lost = due->what == fault_kind::lose_credit;
            events_.tell(now, due->what, lost ? fault_effect::lost : fault_effect::doubled, what.credit_vc);
            if (lost) {
                what.credit = false;
            } else {
                copy_ = what.credit_vc;
            }
            waiting_.erase(due);
        }
    } else if (copy_) {
        what.credit = true;
        what.credit_vc = *copy_;
        copy_.reset();
    }
    events_.apply(now, what);
}

plain_cable::plain_cable(const plain_params& params, fault_plan plan, std::uint64_t number)
    : shape_{2, params.flit_bytes, params.header_bytes, params.vcs},
      delay_(params.delay),
      wires_(params.flit_bytes, params.header_bytes),
      plan_(std::move(plan)),
      number_(number) {
    plain_cable::reset();
}

plain_cable::direction plain_cable::made(unsigned from_end) {
    return {{}, plain_faults(wires_, plan_, from_end, number_, [this](const fault_record& fault) {
                note(damage_, fault);
            })};
}

void plain_cable::reset() {
    damage_ = {};
    directions_.clear();
    for (unsigned end = 0; end < 2; ++end) directions_.push_back(made(end));
    // Output registers say nothing in cycle 0, so nothing but a fault is on pins then: no chip is hit by it.
    for (direction& each : directions_) {
        plain_symbol nothing;
        each.faults.apply(0, nothing);
    }
}

plain_symbol plain_cable::read(const engine::pins& in, unsigned port) const {
    plain_symbol what;
    what.credit = (in.credit & bit(port)) != 0;
    if (what.credit && !in.credit_vc.empty()) what.credit_vc = in.credit_vc[port];
    if ((in.valid & bit(port)) == 0) return what;
    what.flit.kind = chips::symbol_kind::flit;
    what.flit.head = (in.head & bit(port)) != 0;
    what.flit.tail = (in.tail & bit(port)) != 0;
    if (!in.vc.empty()) what.flit.vc = in.vc[port];
    std::copy_n(in.data.begin() + port * shape_.flit_bytes, shape_.flit_bytes, what.flit.data.begin());
    if (what.flit.head) {
        const auto header = in.header.begin() + port * shape_.header_bytes;
        what.flit.header.assign(header, header + shape_.header_bytes);
    }
    return what;
}

void plain_cable::write(const plain_symbol& what, unsigned port, engine::pins& out) const {
    if (what.credit) {
        out.credit |= bit(port);
        if (!out.credit_vc.empty()) out.credit_vc[port] = what.credit_vc;
    }
    if (what.flit.kind == chips::symbol_kind::idle) return;
    out.valid |= bit(port);
    if (what.flit.head) out.head |= bit(port);
    if (what.flit.tail) out.tail |= bit(port);
    if (!out.vc.empty()) out.vc[port] = what.flit.vc;
    std::copy_n(what.flit.data.begin(), shape_.flit_bytes, out.data.begin() + port * shape_.flit_bytes);
    if (!what.flit.head) return;
    const auto header = out.header.begin() + port * shape_.header_bytes;
    std::fill_n(header, shape_.header_bytes, std::uint8_t{0});
    std::ranges::copy(what.flit.header, header);
}

cycle plain_cable::step(cycle now, const engine::pins& in, engine::pins& out) {
    cycle next = engine::never;
    for (unsigned port = 0; port < 2; ++port) {
        direction& leaving = directions_[port];
        auto& under_way = leaving.under_way;
        if (((in.valid | in.credit) & bit(port)) != 0) under_way.emplace_back(now + delay_, read(in, port));
        plain_symbol what;
        if (!under_way.empty() && under_way.front().first == now + 1) {
            what = std::move(under_way.front().second);
            under_way.pop_front();
        }
        leaving.faults.apply(now + 1, what);
        write(what, 1 - port, out);
        next = std::min(next, leaving.faults.next(now + 1));
        if (!under_way.empty()) next = std::min(next, under_way.front().first);
    }
    return next == engine::never ? next : next - 1;
}

bool plain_cable::idle() const {
    return std::ranges::all_of(directions_, [](const direction& each) {
        return std::ranges::all_of(each.under_way,
                                   [](const auto& one) { return one.second.flit.kind == chips::symbol_kind::idle; });
    });
}

engine::chip_report plain_cable::report() const {
    chips::cable_report all;
    all.damage = damage_;
    return all.packed();
}

}  // namespace polycast::hw::faults
