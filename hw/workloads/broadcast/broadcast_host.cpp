// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_host.h"

#include <algorithm>
#include <boost/random/geometric_distribution.hpp>

#include "hw/format/header.h"

namespace polycast::hw::broadcast {

using engine::cycle;
using engine::pins;

namespace {

constexpr std::uint64_t unicast_stream = 1u << 24;  // behind those of other draws of a network

engine::pin_shape host_shape(const chips::broadcast_params& params) {
    engine::pin_shape shape = params.router.pin_shape();
    shape.ports = 1;
    ++shape.vcs;
    return shape;
}

}  // namespace

broadcast_host::broadcast_host(const chips::broadcast_params& params, std::uint32_t node, unsigned pause,
                               const unicast_load& load, unicast_scoreboard& unicasts, host_sink& sink)
    : params_(params),
      shape_(host_shape(params)),
      node_(node),
      pause_(pause),
      load_(load),
      unicasts_(unicasts),
      sink_(sink),
      random_(load.seed, unicast_stream + node) {
    reset();
}

void broadcast_host::reset() {
    message_ = 0;
    packet_ = flit_ = 0;
    inject_credits_ = params_.inject_flits;
    credits_.assign(params_.router.vcs, params_.router.vc_flits);
    owed_.assign(params_.router.vcs + 1, 0);
    all_owed_ = 0;
    next_unit_credit_ = 0;
    waiting_unicasts_ = 0;
    unicast_flit_ = 0;
    next_unicast_ = engine::never;
    if (load_.rate > 0) draw_next(0);
}

/// The unicast behind one in cycle `now`.
void broadcast_host::draw_next(cycle now) {
    boost::random::geometric_distribution<std::uint64_t> gap(load_.rate);
    next_unicast_ = now + 1 + gap(random_);
}

void broadcast_host::draw_unicasts(cycle now) {
    if (rate_over_) {
        next_unicast_ = engine::never;
        waiting_unicasts_ = 0;
    }
    for (; next_unicast_ <= now; draw_next(next_unicast_)) ++waiting_unicasts_;
}

void broadcast_host::receive(cycle now, const pins& in) {
    if (in.credit != 0) {
        unsigned& credits = in.credit_vc[0] == params_.unit_vc() ? inject_credits_ : credits_[in.credit_vc[0]];
        ++credits;
    }
    if (in.valid == 0) return;
    ++owed_[in.vc[0]];
    ++all_owed_;
    const bool head = in.head != 0;
    const std::uint8_t* header = shape_.header_bytes != 0 ? in.header.data() : in.data.data();
    const engine::flit flit{head, in.tail != 0, in.vc[0], in.data.data(), head ? header : nullptr};
    if (in.vc[0] == params_.unit_vc()) {
        sink_.broadcast_came(node_, now, flit);
    } else {
        sink_.unicast_came(node_, now, flit);
    }
}

void broadcast_host::give_credit(cycle now, pins& out) {
    if (all_owed_ == 0) return;
    for (unsigned vc = 0; vc < owed_.size(); ++vc) {
        const bool unit = vc == params_.unit_vc();
        if (owed_[vc] == 0 || (unit && now < next_unit_credit_)) continue;
        --owed_[vc];
        --all_owed_;
        out.credit = 1;
        out.credit_vc[0] = static_cast<std::uint8_t>(vc);
        if (unit) next_unit_credit_ = now + 1 + pause_;
        return;
    }
}

bool broadcast_host::may_give(cycle now) const {
    return message_ < messages_.size() && inject_credits_ != 0 && messages_[message_]->start <= now;
}

bool broadcast_host::may_send_unicast() const {
    if (unicast_flit_ != 0) return credits_[unicast_vc_] != 0;
    return waiting_unicasts_ != 0 && std::ranges::any_of(credits_, [](unsigned credits) { return credits != 0; });
}

void broadcast_host::send_broadcast(pins& out) {
    const message_packets& message = *messages_[message_];
    const std::size_t bytes = shape_.flit_bytes;
    const std::size_t number = std::size_t{packet_} * message.flits + flit_;
    out.valid = 1;
    out.vc[0] = static_cast<std::uint8_t>(params_.unit_vc());
    std::copy_n(message.data.begin() + static_cast<std::ptrdiff_t>(number * bytes), bytes, out.data.begin());
    --inject_credits_;
    if (flit_ == 0) {
        out.head = 1;
        std::copy_n(message.headers.begin() + static_cast<std::ptrdiff_t>(packet_ * shape_.header_bytes),
                    shape_.header_bytes, out.header.begin());
    }
    if (++flit_ != message.flits) return;
    out.tail = 1;
    flit_ = 0;
    if (++packet_ != message.packets) return;
    packet_ = 0;
    ++message_;
}

void broadcast_host::send_unicast(pins& out) {
    out.valid = 1;
    if (unicast_flit_ == 0) {
        --waiting_unicasts_;
        do unicast_vc_ = unicast_vc_ + 1 == credits_.size() ? 0 : unicast_vc_ + 1;
        while (credits_[unicast_vc_] == 0);
        // Any node but this one.
        auto to = static_cast<std::uint32_t>(random_() % (params_.router.nodes() - 1));
        if (to >= node_) ++to;
        sending_ = unicasts_.begin(node_, to, static_cast<std::uint8_t>(unicast_vc_));
        out.head = 1;
    }
    unicasts_.write(sending_, unicast_flit_, out.data.data(), out.header.data());
    out.vc[0] = static_cast<std::uint8_t>(unicast_vc_);
    --credits_[unicast_vc_];
    if (++unicast_flit_ != load_.flits) return;
    out.tail = 1;
    unicast_flit_ = 0;
}

cycle broadcast_host::step(cycle now, const pins& in, pins& out) {
    receive(now, in);
    if (load_.rate > 0) draw_unicasts(now);
    if (may_give(now)) {
        send_broadcast(out);
    } else if (may_send_unicast()) {
        send_unicast(out);
    }
    give_credit(now, out);
    return next(now);
}

cycle broadcast_host::next(cycle now) const {
    if (may_give(now + 1) || may_send_unicast()) return now + 1;
    cycle soonest = next_unicast_;
    if (all_owed_ > owed_.back()) return now + 1;
    if (owed_.back() != 0) soonest = std::min(soonest, std::max(now + 1, next_unit_credit_));
    if (message_ < messages_.size() && inject_credits_ != 0)
        soonest = std::min(soonest, std::max(now + 1, messages_[message_]->start));
    return std::max(soonest, now + 1);
}

bool broadcast_host::idle() const {
    return message_ == messages_.size() && all_owed_ == 0 && waiting_unicasts_ == 0 && unicast_flit_ == 0;
}

}  // namespace polycast::hw::broadcast
