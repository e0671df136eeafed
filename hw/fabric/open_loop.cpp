// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/open_loop.h"

#include <string>
#include <typeinfo>

#include "hw/input_error.h"

namespace polycast::hw::fabric {

namespace {

/// Packets per node and cycle.
double rate_of(const open_loop_params& params) {
    if (!(params.load > 0))
        throw input_error("the load must be above 0, not " + std::to_string(params.load), "flits per node and cycle");
    if (params.flits_min < 1 || params.flits_max < params.flits_min || params.flits_max > 65535)
        throw input_error(
            "packets of " + std::to_string(params.flits_min) + ".." + std::to_string(params.flits_max) + " flits",
            "lengths are 1..65535, the lesser first");
    return params.load * 2 / (params.flits_min + params.flits_max);
}

}  // namespace

std::shared_ptr<const traffic::pattern> pattern_on(const chips::router_params& router, traffic::pattern_params params,
                                                   std::uint64_t seed) {
    params.dimensions = router.dimensions;
    params.radix = router.radix;
    return make_pattern(params, {.hosts = router.nodes(), .seed = seed});
}

open_loop_rules::open_loop_rules(std::shared_ptr<const traffic::pattern> where, const open_loop_params& params)
    : where_(std::move(where)), params_(params), rate_(rate_of(params)) {
    const traffic::pattern& made = *where_;
    plain_ = typeid(made) == typeid(traffic::pattern);
}

send_order open_loop_rules::draw_any(std::uint32_t node, node_births& births) const {
    const auto now = static_cast<engine::cycle>(births.next);
    const std::uint32_t to = where_->destination(node, 0, {births.random, true});
    const std::uint16_t flits = draw_flits(births.random);
    births.next += where_->gap(rate_, births.random);
    return {node, to, now, flits, params_.service_class};
}

node_births open_loop_rules::begin(std::uint32_t node) {
    node_births births{traffic::random_stream(params_.seed, node), 0.0};
    if (!silent(node)) births.next = where_->first_gap(rate_, births.random);
    return births;
}

open_loop::open_loop(terminals& ends, router_fabric::node_range senders, std::shared_ptr<const traffic::pattern> where,
                     const open_loop_params& params)
    : ends_(&ends),
      first_(senders.first),
      rules_(std::move(where), params),
      wheel_(wheel_size, none),
      behind_(senders.count, none),
      used_(wheel_size / 64) {
    nodes_.reserve(senders.count);
    for (std::uint32_t node = 0; node < senders.count; ++node) {
        nodes_.push_back(rules_.begin(first_ + node));
        if (!rules_.silent(first_ + node)) wait(node);
    }
}

void open_loop::birth(std::uint32_t node) {
    const send_order order = rules_.draw(first_ + node, nodes_[node]);
    // A hotspot's own packets to itself would not use the fabric.
    if (order.destination != order.source) ends_->queue(order);
}

void open_loop::wait(std::uint32_t node) {
    const auto when = static_cast<engine::cycle>(nodes_[node].next);
    if (when >= rules_.until()) return;
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
    return sizeof *this + rules_.memory_bytes() + nodes_.capacity() * sizeof(node_births) +
           (wheel_.capacity() + behind_.capacity()) * sizeof(std::uint32_t) + used_.capacity() * sizeof(std::uint64_t);
}

}  // namespace polycast::hw::fabric
