// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/link_signals.h"

#include <algorithm>
#include <bit>

namespace polycast::tlm::trace {

using hw::engine::cycle;

link_end_view::link_end_view(const link_end_signals& signals, unsigned flit_bytes, bool beside)
    : signals_(&signals), in_(flit_bytes, beside), out_(flit_bytes, beside) {}

void link_end_view::arrived(const link_end& state, cycle now, signal_values& to) {
    in_.see(state.in);
    show_wire(signals_->in, in_, to);
    to.set(signals_->in.signal, state.signal);
    lasting_ = state.lasting;
    struck_ = state.struck != 0;
    if (struck_) spoilt_ = now;
    show_faults(static_cast<std::uint16_t>(state.struck | state.lasting), to);
}

void link_end_view::nothing_arrived(signal_values& to) {
    in_.see({});
    show_wire(signals_->in, in_, to);
    struck_ = false;
    show_faults(lasting_, to);
}

void link_end_view::stepped(const link_end& state, cycle now, signal_values& to) {
    out_.see(state.out);
    show_wire(signals_->out, out_, to);
    show(state, now, to);
}

void link_end_view::nothing_sent(cycle now, signal_values& to) {
    out_.see({});
    show_wire(signals_->out, out_, to);
    count(now, to);
}

void link_end_view::show(const link_end& state, cycle now, signal_values& to) {
    to.set(signals_->in.signal, state.signal);
    lasting_ = state.lasting;
    to.set(signals_->tx, state.tx);
    to.set(signals_->rx, state.rx);
    to.set(signals_->cause, state.cause);
    to.set(signals_->next, state.next);
    to.set(signals_->expected, state.expected);
    to.set(signals_->outstanding, state.outstanding);
    to.set(signals_->ring, state.ring);
    to.set(signals_->replays, state.replays);
    to.set(signals_->bad, state.bad);
    for (std::size_t vc = 0; vc < std::min(signals_->channels.size(), state.units.size()); ++vc) {
        const link_end_signals::units& channel = signals_->channels[vc];
        to.set(channel.s_cc, state.units[vc].s_cc);
        to.set(channel.s_cf, state.units[vc].s_cf);
        to.set(channel.r_cc, state.units[vc].r_cc);
        to.set(channel.r_cf, state.units[vc].r_cf);
    }
    timer_ = state.timer;
    count(now, to);
}

void link_end_view::show_wire(const wire_signals& signals, const link_tracker& wire, signal_values& to) {
    to.set(signals.kind, wire.kind());
    to.set(signals.type, static_cast<std::uint64_t>(wire.item()));
    to.set(signals.number, wire.number());
    to.set_text(signals.label, wire.label());
}

void link_end_view::show_faults(std::uint16_t faults, signal_values& to) const {
    to.set(signals_->in.faults, faults);
    to.set(signals_->in.fault,
           std::popcount(faults) > 1 ? several_faults : static_cast<unsigned>(std::bit_width(faults)));
}

/// The cycles until the timer runs out, this one included, so that 0 says that it does not count.
void link_end_view::count(cycle now, signal_values& to) const {
    to.set(signals_->timer, timer_ == hw::engine::never ? 0 : std::max(timer_, now) - now + 1);
}

}  // namespace polycast::tlm::trace
