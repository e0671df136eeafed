// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/link_end_chip.h"

#include <algorithm>
#include <utility>

#include "hw/chips/link/symbol_wires.h"

namespace polycast::tlm::dpi {

using hw::engine::cycle;
using hw::engine::pins;

link_end_chip::link_end_chip(const hw::chips::link_end_params& params, const hw::chips::link_config& config)
    : shape_(params.pin_shape()), config_(config) {
    reset();
}

void link_end_chip::reset() {
    core_.emplace(config_);
    first_.reset();
    next_ = 0;
    symbol_in_ = symbol_out_ = {};
    signal_ = last_signal_ = true;
    heard_ = leaves_ = left_ = false;
}

void link_end_chip::set_wires(const bit_vector& wires, std::size_t first, bool signal) {
    std::vector<std::uint8_t> bytes((hw::chips::symbol_wires(config_) + 63) / 64 * 8);
    bool any = false;
    for (unsigned wire = 0; wire < hw::chips::symbol_wires(config_); wire += 8) {
        const unsigned count = std::min(8u, hw::chips::symbol_wires(config_) - wire);
        bytes[wire / 8] = static_cast<std::uint8_t>(wires.get(first + wire, count));
        any = any || bytes[wire / 8] != 0;
    }
    symbol_in_ = {};
    if (any) hw::chips::unpack_symbol(config_, bytes, true, symbol_in_);
    signal_ = signal;
    heard_ = any || signal != last_signal_;
}

cycle link_end_chip::step(cycle now, const pins& in, pins& out) {
    if (!first_) first_ = now;
    const cycle own = now - *first_;
    if (std::exchange(left_, false)) core_->reinit(own);
    hw::chips::link_end_in from;
    from.valid = in.valid != 0;
    from.credit = in.credit != 0;
    from.signal = signal_;
    from.symbol = symbol_in_;
    if (from.valid) {
        from.flit.kind = hw::chips::symbol_kind::flit;
        from.flit.head = in.head != 0;
        from.flit.tail = in.tail != 0;
        if (shape_.vcs > 1) from.flit.vc = in.vc[0];
        std::copy_n(in.data.begin(), shape_.flit_bytes, from.flit.data.begin());
        if (from.flit.head) from.flit.header = in.header;
    }
    if (from.credit && shape_.vcs > 1) from.credit_vc = in.credit_vc[0];
    hw::chips::link_end_out to;
    const cycle wake = core_->step(own, from, to);
    symbol_out_ = std::move(to.symbol);
    last_signal_ = signal_;
    next_ = own + 1;

    if (to.errors != 0) {
        out.error = 1;
        out.errors[0] = static_cast<std::uint16_t>(to.errors);
    }
    if (to.credit) {
        out.credit = 1;
        if (shape_.vcs > 1) out.credit_vc[0] = to.credit_vc;
    }
    if (to.valid) {
        out.valid = 1;
        out.head = to.flit.head ? 1 : 0;
        out.tail = to.flit.tail ? 1 : 0;
        if (shape_.vcs > 1) out.vc[0] = to.flit.vc;
        std::copy_n(to.flit.data.begin(), shape_.flit_bytes, out.data.begin());
        to.flit.header.resize(shape_.header_bytes);
        out.header = to.flit.header;
    }
    left_ = std::exchange(leaves_, false);
    if (left_) return now + 1;
    return wake == hw::engine::never ? wake : wake + *first_;
}

void link_end_chip::pack_wires(bit_vector& to, std::size_t first) const {
    std::vector<std::uint8_t> bytes((hw::chips::symbol_wires(config_) + 63) / 64 * 8);
    hw::chips::pack_symbol(config_, symbol_out_, bytes);
    bytes.resize((hw::chips::symbol_wires(config_) + 7) / 8);
    to.put_bytes(first, bytes);
}

void link_end_chip::pack_probes(const pin_layout& layout, bit_vector& to) const {
    const auto put = [&](const char* name, std::uint64_t value, std::size_t index = 0) {
        if (const placed_pin* pin = layout.find(name)) to.put(pin->place(index), pin->bits, value);
    };
    const hw::chips::link_end_probe probe = core_->probe();
    put("probe_tx_o", static_cast<unsigned>(probe.tx));
    put("probe_rx_o", static_cast<unsigned>(probe.rx));
    put("probe_cause_o", static_cast<unsigned>(probe.cause));
    put("probe_next_o", probe.next);
    put("probe_expected_o", probe.expected);
    put("probe_outstanding_o", probe.outstanding);
    put("probe_ring_o", probe.ring);
    put("probe_replays_o", probe.replays);
    if (probe.timer != hw::engine::never) {
        put("probe_timer_on_o", 1);
        put("probe_timer_o", probe.timer > next_ ? probe.timer - next_ : 0);
    }
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
        put("probe_s_cc_o", probe.units[vc].s_cc, vc);
        put("probe_s_cf_o", probe.units[vc].s_cf, vc);
        put("probe_r_cc_o", probe.units[vc].r_cc, vc);
        put("probe_r_cf_o", probe.units[vc].r_cf, vc);
    }
    put("probe_holds_o", core_->holds_flits() ? 1 : 0);
    const placed_pin* const counts = layout.find("counts_o");
    if (counts == nullptr) return;
    const hw::chips::link_counters values = core_->report().counts;
    for (std::size_t index = 0; index < hw::chips::link_counter_names.size(); ++index)
        to.put(counts->first + 64 * index, 64, values.*hw::chips::link_counter_names[index].value);
}

std::string link_end_chip::state() const {
    const hw::chips::link_end_probe probe = core_->probe();
    const auto name = [](const auto& names, auto value) { return std::string(names[static_cast<std::size_t>(value)]); };
    std::string text = "sender " + name(hw::chips::link_tx_state_names, probe.tx) + ", receiver " +
                       name(hw::chips::link_rx_state_names, probe.rx) + ", next frame " + std::to_string(probe.next) +
                       ", expected frame " + std::to_string(probe.expected) + ", outstanding frames " +
                       std::to_string(probe.outstanding) + ", flits in the ring " + std::to_string(probe.ring) +
                       ", last flush " + name(hw::chips::flush_cause_names, probe.cause) + "\n";
    for (unsigned vc = 0; vc < config_.vcs; ++vc)
        text += "virtual channel " + std::to_string(vc) + ": units begun " + std::to_string(probe.units[vc].s_cc) +
                ", freed " + std::to_string(probe.units[vc].s_cf) + "; received " +
                std::to_string(probe.units[vc].r_cc) + ", freed " + std::to_string(probe.units[vc].r_cf) + "\n";
    return text;
}

}  // namespace polycast::tlm::dpi
