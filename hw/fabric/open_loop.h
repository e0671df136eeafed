// SPDX-License-Identifier: Apache-2.0
/// \file Open-loop traffic: every node makes packets at random times, whatever the fabric does with them.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/terminals.h"
#include "hw/traffic/pattern.h"

namespace polycast::hw::fabric {

struct open_loop_params {
    double load = 0.1;  ///< flits per node and cycle, above 0
    unsigned flits_min = 1;
    unsigned flits_max = 1;  ///< of a packet; drawn uniformly
    std::uint64_t seed = 0;
    engine::cycle until = engine::never;  ///< no packet is born from then on
    std::uint8_t service_class = 0;
};

/// A pattern among the nodes of a fabric.
std::shared_ptr<const traffic::pattern> pattern_on(const chips::router_params& router,
                                                   traffic::pattern_params params = {}, std::uint64_t seed = 1);

/// What one node draws.
struct node_births {
    traffic::random_stream random;
    double next;  ///< birth
};

/// When each node has packets, and where they go: the same wherever the hosts are.
class open_loop_rules {
public:
    /// \throws input_error for a load or lengths out of range
    open_loop_rules(std::shared_ptr<const traffic::pattern> where, const open_loop_params& params);

    /// A node at the start. One that is silent is never born a packet.
    node_births begin(std::uint32_t node);
    bool silent(std::uint32_t node) const { return where_->silent(node); }
    /// The packet that is born at `births.next`; the birth after it is drawn. A hotspot's packet to itself is none: its
    /// destination is its source.
    send_order draw(std::uint32_t node, node_births& births) {
        if (!plain_) return draw_any(node, births);
        const auto now = static_cast<engine::cycle>(births.next);
        const std::uint32_t to = where_->uniform(node, {births.random, true});
        const std::uint16_t flits = draw_flits(births.random);
        births.next += boost::random::exponential_distribution<double>(rate_)(births.random);
        return {node, to, now, flits, params_.service_class};
    }
    engine::cycle until() const { return params_.until; }
    std::size_t memory_bytes() const { return where_->memory_bytes(); }

private:
    std::uint16_t draw_flits(traffic::random_stream& random) const {
        const unsigned least = params_.flits_min, most = params_.flits_max;
        const unsigned more = least == most ? 0 : traffic::draws{random, true}.below(most - least + 1);
        return static_cast<std::uint16_t>(least + more);
    }
    send_order draw_any(std::uint32_t node, node_births& births) const;

    std::shared_ptr<const traffic::pattern> where_;
    open_loop_params params_;
    double rate_;  ///< packets per node and cycle
    bool plain_;   ///< the pattern is `uniform`: nothing is asked of it packet by packet
};

/// Terminals of a range of nodes send. The gaps are drawn, not a coin per node and cycle, and births wait in a wheel of
/// lists.
class open_loop {
public:
    /// \throws input_error for a load or lengths out of range
    open_loop(terminals& ends, std::uint32_t nodes, std::shared_ptr<const traffic::pattern> where,
              const open_loop_params& params)
        : open_loop(ends, {0, nodes}, std::move(where), params) {}
    open_loop(terminals& ends, router_fabric::node_range senders, std::shared_ptr<const traffic::pattern> where,
              const open_loop_params& params);

    // What a fabric asks of its terminals.
    void send(engine::cycle now, router_fabric& fabric) {
        births(now);
        ends_->send_flits(fabric, [](std::uint32_t) {});
    }
    void arrive(engine::cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        ends_->arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { ends_->credit(terminal, vc); }
    engine::cycle next(engine::cycle now) const { return ends_->blocked() ? next_birth(now) : now; }

    std::size_t memory_bytes() const;

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t wheel_size = 4096;  ///< cycles; births further away wait for another turn

    void births(engine::cycle now);
    void birth(std::uint32_t node);
    void wait(std::uint32_t node);
    engine::cycle next_birth(engine::cycle now) const;

    terminals* ends_;
    std::uint32_t first_;
    open_loop_rules rules_;
    std::vector<node_births> nodes_;     ///< [terminal - first_], as which they are in the lists
    std::vector<std::uint32_t> wheel_;   ///< [cycle % wheel_size] first node
    std::vector<std::uint32_t> behind_;  ///< [node] next one of the same list
    std::vector<std::uint64_t> used_;    ///< bit: list of the wheel that is not empty
    std::uint64_t waiting_ = 0;          ///< nodes in the wheel
};

inline void open_loop::births(engine::cycle now) {
    const std::size_t at = now % wheel_size;
    if ((used_[at / 64] >> at % 64 & 1) == 0) return;
    std::uint32_t node = wheel_[at];
    wheel_[at] = none;
    used_[at / 64] &= ~chips::bit(at % 64);
    while (node != none) {
        const std::uint32_t behind = behind_[node];
        --waiting_;
        while (nodes_[node].next < static_cast<double>(now + 1)) birth(node);
        wait(node);
        node = behind;
    }
}

}  // namespace polycast::hw::fabric
