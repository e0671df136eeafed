// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/open_loop.h"

#include <string>

#include "hw/input_error.h"

namespace polycast::hw::fabric {

namespace {

/// Packets per node and cycle.
double rate(const open_loop_params& params) {
    if (!(params.load > 0))
        throw input_error("the load must be above 0, not " + std::to_string(params.load), "flits per node and cycle");
    if (params.flits_min < 1 || params.flits_max < params.flits_min || params.flits_max > 65535)
        throw input_error(
            "packets of " + std::to_string(params.flits_min) + ".." + std::to_string(params.flits_max) + " flits",
            "lengths are 1..65535, the lesser first");
    return params.load * 2 / (params.flits_min + params.flits_max);
}

}  // namespace

open_loop::open_loop(terminals& ends, router_fabric::node_range senders, pattern where, const open_loop_params& params)
    : ends_(&ends),
      first_(senders.first),
      where_(std::move(where)),
      params_(params),
      gap_(rate(params)),
      wheel_(wheel_size, none),
      behind_(senders.count, none),
      used_(wheel_size / 64) {
    nodes_.reserve(senders.count);
    for (std::uint32_t node = 0; node < senders.count; ++node) {
        node_state& state = nodes_.emplace_back(traffic::random_stream(params.seed, first_ + node), 0.0);
        if (where_.silent(first_ + node)) continue;
        state.next = gap_(state.random);
        wait(node);
    }
}

void open_loop::birth(std::uint32_t node) {
    node_state& state = nodes_[node];
    const auto now = static_cast<engine::cycle>(state.next);
    const std::uint32_t from = first_ + node;
    const std::uint32_t to = where_.destination(from, state.random);
    const unsigned flits = params_.flits_min == params_.flits_max ? params_.flits_min : draw_flits(state.random);
    // A hotspot's own packets to itself would not use the fabric.
    if (to != from) ends_->queue({from, to, now, static_cast<std::uint16_t>(flits), params_.service_class});
    state.next += gap_(state.random);
}

void open_loop::wait(std::uint32_t node) {
    const auto when = static_cast<engine::cycle>(nodes_[node].next);
    if (when >= params_.until) return;
    const std::size_t at = when % wheel_size;
    behind_[node] = wheel_[at];
    wheel_[at] = node;
    used_[at / 64] |= chips::bit(at % 64);
    ++waiting_;
}

/// May be early: nodes may wait for a later turn of the wheel.
engine::cycle open_loop::next_birth(engine::cycle now) const {
    if (waiting_ == 0) return engine::never;
    const std::size_t at = now % wheel_size;
    std::uint64_t word = used_[at / 64] & ~(chips::bit(at % 64) - 1);
    for (std::size_t turn = 0;; ++turn) {
        const std::size_t index = (at / 64 + turn) % used_.size();
        if (word != 0) {
            const std::size_t found = index * 64 + chips::lowest(word);
            return now + (found + wheel_size - at) % wheel_size;
        }
        word = used_[(index + 1) % used_.size()];
    }
}

std::size_t open_loop::memory_bytes() const {
    return sizeof *this + where_.memory_bytes() + nodes_.capacity() * sizeof(node_state) +
           (wheel_.capacity() + behind_.capacity()) * sizeof(std::uint32_t) + used_.capacity() * sizeof(std::uint64_t);
}

}  // namespace polycast::hw::fabric
