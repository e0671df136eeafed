// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_end_core.h"

#include <algorithm>

#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

using engine::cycle;

link_end_core::link_end_core(const link_config& config, link_medium medium)
    : config_(checked(config)),
      transmitter_(config_, counters_, found_, medium),
      receiver_(config_, counters_),
      writer_(config_),
      parser_(config_, receiver_) {}

cycle link_end_core::step(cycle now, const link_end_in& in, link_end_out& out) {
    writer_.write(transmitter_.choose(now, low_since_ ? now - *low_since_ : 0, receiver_), transmitter_, out.symbol);
    if (in.valid) out.errors = transmitter_.take(flit_of(in.flit));
    if (in.credit) out.errors |= receiver_.take_credit(in.credit_vc);

    if (in.signal) {
        low_since_.reset();
    } else if (!low_since_) {
        low_since_ = now;
    }
    const auto set = parser_.receive(now, in.signal ? in.symbol : silence_);
    if (set) transmitter_.receive(now, *set);
    const cycle timeout = config_.signal_timeout;
    if (timeout != 0 && low_since_ && now - *low_since_ + 1 == timeout) receiver_.lose_signal(now);

    transmitter_.finish(now);
    if (const auto flit = receiver_.finish(now)) {
        out.valid = true;
        out.flit.kind = symbol_kind::flit;
        out.flit.head = flit->head;
        out.flit.tail = flit->tail;
        out.flit.vc = flit->vc;
        std::copy_n(flit->data, config_.flit_bytes, out.flit.data.begin());
        if (flit->header != nullptr) out.flit.header.assign(flit->header, flit->header + config_.header_bytes);
    }
    if (const auto vc = transmitter_.pulse()) {
        out.credit = true;
        out.credit_vc = static_cast<std::uint8_t>(*vc);
    }
    out.errors |= report_found();
    if (upset_) {
        flip(now, *upset_);
        upset_.reset();
        return now + 1;
    }
    cycle next = std::min(transmitter_.wake(now, low_since_), receiver_.wake(now));
    if (!parser_.idle()) next = now + 1;
    if (timeout != 0 && low_since_ && *low_since_ + timeout - 1 > now) next = std::min(next, *low_since_ + timeout - 1);
    return next;
}

void link_end_core::flip(cycle now, const link_upset& what) {
    if (what.memory == link_memory::ring) return transmitter_.upset_ring(what.index, what.bit);
    const unsigned vc = what.index / 4;
    const bool freed = (what.index & 1) != 0;
    found_.add((what.index & 2) == 0 ? transmitter_.credits().upset(now, vc, freed, what.bit)
                                     : receiver_.upset(vc, freed, what.bit));
}

unsigned link_end_core::report_found() {
    if (!found_.any()) return 0;
    if (found_.corrected) ++counters_.corrected;
    if (found_.failed) ++counters_.soft_errors;
    const bool failed = found_.failed;
    found_ = {};
    return failed ? static_cast<unsigned>(format::chip_error::soft_error) : 0;
}

link_end_probe link_end_core::probe() const {
    link_end_probe probe{.tx = transmitter_.state(),
                         .rx = receiver_.state(),
                         .cause = transmitter_.cause(),
                         .next = transmitter_.number(),
                         .expected = receiver_.expected(),
                         .outstanding = transmitter_.outstanding(),
                         .ring = transmitter_.ring_flits(),
                         .replays = transmitter_.replays(),
                         .bad = counters_.llr_rx_bad,
                         .timer = transmitter_.timer()};
    for (unsigned vc = 0; vc < config_.vcs; ++vc)
        probe.units[vc] = {transmitter_.credits().sent_units(vc), transmitter_.credits().freed_units(vc),
                           receiver_.received_units(vc), receiver_.freed_units(vc)};
    return probe;
}

cable_report::end link_end_core::report() const {
    return {counters_,        transmitter_.state(), receiver_.state(), transmitter_.cause(), transmitter_.since(),
            receiver_.since()};
}

link_counters link_end_core::counters(cycle now) const {
    cable_report::end all = report();
    all.count_to(now);
    return all.counts;
}

}  // namespace polycast::hw::chips
