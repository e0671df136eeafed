// SPDX-License-Identifier: Apache-2.0
/// \file All routers of a mesh or torus stepped as one: what router_core chips joined by links do, cycle by cycle,
/// without pins and bytes. Speed comes from what is not done: hw/fabric/fabric.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hw/chips/port_set.h"
#include "hw/chips/router_unit.h"
#include "hw/engine/chip.h"
#include "hw/fabric/fabric_config.h"
#include "hw/fabric/hop_table.h"
#include "hw/fabric/packet_pool.h"

namespace polycast::hw::fabric {

/// A set of nodes or terminals.
class index_set {
public:
    explicit index_set(std::size_t size) : words_((size + 63) / 64) {}

    void insert(std::uint32_t index) { words_[index / 64] |= chips::bit(index % 64); }
    void erase(std::uint32_t index) { words_[index / 64] &= ~chips::bit(index % 64); }
    bool empty() const {
        for (const std::uint64_t word : words_)
            if (word != 0) return false;
        return true;
    }
    /// Calls visit(index) for all in order; `visit` may erase the one it was called for.
    template <typename function>
    void for_each(function&& visit) const {
        for (std::size_t word = 0; word < words_.size(); ++word)
            for (std::uint64_t set = words_[word]; set != 0; set &= set - 1)
                visit(static_cast<std::uint32_t>(word * 64 + chips::lowest(set)));
    }
    void clear() { words_.assign(words_.size(), 0); }
    std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

private:
    std::vector<std::uint64_t> words_;
};

/// The routers and the links between them and to terminals. Terminals are the caller's: a type with
///   send(now, fabric)                                 puts flits on links with inject(), at most one per terminal
///   arrive(when, terminal, vc, packet, ends)          takes a flit that is on its input pins in cycle `when`; its
///                                                     credit goes back at once
///   credit(terminal, vc)                              is told of a credit on its input pins in this cycle
///   next(now)                                         next cycle, `now` or later, in which it may want to send without
///                                                     being told anything; engine::never if none
class router_fabric {
public:
    /// \throws input_error for parameters that check() refuses.
    explicit router_fabric(const fabric_params& params);
    // Its routers point at its rules.
    router_fabric(const router_fabric&) = delete;
    router_fabric& operator=(const router_fabric&) = delete;

    const fabric_params& params() const { return params_; }
    std::uint32_t nodes() const { return route_rules_.nodes; }

    packet_pool& packets() { return packets_; }
    const packet_pool& packets() const { return packets_; }

    /// Prepares the routers' part of a packet. \throws input_error if the class has no VC on a side that it may need
    void set_target(packet_id id, std::uint32_t destination, unsigned service_class);

    /// Cycle that the next step simulates, unless it jumps.
    engine::cycle now() const { return now_; }

    /// Simulates up to, not including, cycle `end`; time jumps over cycles in which nothing happens. Stops early when
    /// nothing is left to do.
    template <typename terminals>
    void run(engine::cycle end, terminals& outside);

    /// A terminal sends a flit: it is on the terminal's output pins in the cycle after now(). `ends`: head and tail of
    /// flit_info.
    void inject(std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t ends) {
        std::uint32_t node = terminal;
        unsigned port = rules_.first_host_port;
        for (; node >= route_rules_.nodes; node -= route_rules_.nodes) ++port;
        slot_at(now_ + link_time_)
            .flits.push_back(
                {node, id, static_cast<std::uint8_t>(port * rules_.vcs + vc), static_cast<std::uint8_t>(ends >> 8)});
        ++pending_;
    }

    /// Flits sent from router to router so far.
    std::uint64_t flit_hops() const { return flit_hops_; }
    /// Routers looked at so far.
    std::uint64_t router_steps() const { return router_steps_; }
    /// True when no flit and no credit is inside.
    bool idle() const { return pending_ == 0 && active_.empty(); }

    std::size_t memory_bytes() const;

private:
    struct flit_event {
        std::uint32_t node;
        packet_id packet;
        std::uint8_t input_vc;
        std::uint8_t ends;  ///< upper byte of flit_info
    };
    struct credit_event {
        std::uint32_t at;  ///< node, or terminal
        std::uint8_t port;
        std::uint8_t vc;
    };
    /// A head whose routing ends.
    struct route_event {
        std::uint32_t node;
        std::uint8_t input_vc;
        std::uint16_t slot;
        std::uint16_t info;
    };
    /// All that arrives in one cycle.
    struct time_slot {
        std::vector<flit_event> flits;
        std::vector<credit_event> credits;
        std::vector<credit_event> terminal_credits;
        std::vector<route_event> routes;

        std::size_t events() const { return flits.size() + credits.size() + terminal_credits.size() + routes.size(); }
    };
    template <typename rules_type, typename terminals>
    struct crossbar;

    template <typename rules_type, typename terminals>
    void run_with(const rules_type& rules, engine::cycle end, terminals& outside);
    template <typename rules_type, typename terminals>
    void step(const rules_type& rules, terminals& outside);
    template <typename rules_type, typename terminals>
    void allocate(const rules_type& rules, terminals& outside);
    template <typename rules_type>
    void store_flits(const rules_type& rules, time_slot& slot);
    template <typename rules_type>
    void take_credits(const rules_type& rules, time_slot& slot);
    void finish_routes(time_slot& slot);
    /// Next cycle with something to do, terminals apart.
    engine::cycle next_activity() const;

    time_slot& slot_at(engine::cycle when) { return slots_[when & slot_mask_]; }
    template <typename rules_type>
    chips::basic_router_unit<rules_type> unit(const rules_type& rules, std::uint32_t node) {
        return {rules, memory_of(node)};
    }
    std::byte* memory_of(std::uint32_t node) {
        return reinterpret_cast<std::byte*>(memory_.data()) + std::size_t{node} * stride_;
    }
    /// Handles of the flits in a router's buffers, [input VC][slot].
    packet_id* handles_of(std::uint32_t node) {
        return reinterpret_cast<packet_id*>(memory_of(node) + rules_.unit_bytes);
    }

    fabric_params params_;
    chips::router_rules rules_;
    chips::route_rules route_rules_;
    hop_table hops_;
    std::size_t stride_;      ///< bytes of a router
    unsigned link_time_;      ///< cycles from a step to arrivals behind a link
    unsigned crossing_time_;  ///< likewise of flits that go through a crossbar
    unsigned sink_time_;      ///< from the step that sends a flit to a terminal to the arrival of its credit
    engine::cycle slot_mask_;

    // State.
    packet_pool packets_;
    std::vector<std::uint64_t> memory_;  ///< of all routers
    std::vector<time_slot> slots_;
    std::uint64_t pending_ = 0;  ///< events in all slots
    index_set active_;           ///< routers to step in now_
    index_set stepping_;         ///< scratch, empty between steps
    engine::cycle now_ = 0;
    std::uint64_t flit_hops_ = 0;
    std::uint64_t router_steps_ = 0;
};

/// Where a router's flits and credits go.
template <typename rules_type, typename terminals>
struct router_fabric::crossbar {
    router_fabric& fabric;
    const rules_type& rules;
    terminals& outside;
    time_slot& flits;    ///< of the cycle in which flits arrive
    time_slot& credits;  ///< and credits
    time_slot& returns;  ///< and credits from terminals
    std::uint32_t node = 0;

    void forward(unsigned input_vc, unsigned slot, unsigned output, unsigned vc, std::uint16_t info) {
        const packet_id id = fabric.handles_of(node)[input_vc * rules.vc_flits + slot];
        ++fabric.pending_;
        if (output >= rules.first_host_port) {
            returns.credits.push_back({node, static_cast<std::uint8_t>(output), static_cast<std::uint8_t>(vc)});
            outside.arrive(fabric.now_ + fabric.crossing_time_,
                           node + (output - rules.first_host_port) * fabric.nodes(), vc, id, info);
            return;
        }
        ++fabric.flit_hops_;
        const auto input = static_cast<std::uint8_t>((output ^ 1) * rules.vcs + vc);
        flits.flits.push_back({fabric.hops_.neighbour(node, output), id, input, static_cast<std::uint8_t>(info >> 8)});
    }

    void free(unsigned input_vc, unsigned, unsigned) {
        const unsigned port = input_vc / rules.vcs;
        const auto vc = static_cast<std::uint8_t>(input_vc % rules.vcs);
        ++fabric.pending_;
        if (port >= rules.first_host_port) {
            credits.terminal_credits.push_back({node + (port - rules.first_host_port) * fabric.nodes(), 0, vc});
        } else {
            credits.credits.push_back({fabric.hops_.neighbour(node, port), static_cast<std::uint8_t>(port ^ 1), vc});
        }
    }
};

template <typename terminals>
void router_fabric::run(engine::cycle end, terminals& outside) {
    if (chips::default_rules::describe(rules_)) {
        run_with(chips::default_rules(rules_), end, outside);
    } else {
        run_with(rules_, end, outside);
    }
}

template <typename rules_type, typename terminals>
void router_fabric::run_with(const rules_type& rules, engine::cycle end, terminals& outside) {
    while (now_ < end) {
        const engine::cycle next = std::min(next_activity(), outside.next(now_));
        if (next == engine::never) return;
        now_ = std::min(next, end);
        if (now_ < end) step(rules, outside);
    }
}

// What the routers' contract calls "registered" holds because of the order here: everything is sent before anything
// arrives.
template <typename rules_type, typename terminals>
void router_fabric::step(const rules_type& rules, terminals& outside) {
    outside.send(now_, *this);
    allocate(rules, outside);
    time_slot& slot = slot_at(now_);
    pending_ -= slot.events();
    store_flits(rules, slot);
    finish_routes(slot);
    take_credits(rules, slot);
    for (const credit_event& credit : slot.terminal_credits) outside.credit(credit.at, credit.vc);
    slot.terminal_credits.clear();
    ++now_;
}

template <typename rules_type, typename terminals>
void router_fabric::allocate(const rules_type& rules, terminals& outside) {
    std::swap(active_, stepping_);
    crossbar<rules_type, terminals> sink{
        *this, rules, outside, slot_at(now_ + crossing_time_), slot_at(now_ + link_time_), slot_at(now_ + sink_time_)};
    stepping_.for_each([&](std::uint32_t node) {
        sink.node = node;
        ++router_steps_;
        if (unit(rules, node).allocate(sink)) active_.insert(node);
    });
    stepping_.clear();
}

template <typename rules_type>
void router_fabric::store_flits(const rules_type& rules, time_slot& slot) {
    const unsigned delay = params_.tables.route_delay;
    for (const flit_event& flit : slot.flits) {
        auto to = unit(rules, flit.node);
        const auto ends =
            static_cast<std::uint16_t>(flit.ends << 8 & (chips::flit_info::head | chips::flit_info::tail));
        std::uint16_t info = ends;
        const bool head = (ends & chips::flit_info::head) != 0;
        if (head) info |= hops_.route(flit.node, packets_.target(flit.packet));
        const bool routing = head && delay > 1;
        const unsigned at = to.arrive(flit.input_vc, routing ? ends | chips::flit_info::unready : info);
        handles_of(flit.node)[flit.input_vc * rules.vc_flits + at] = flit.packet;
        if (routing) {
            slot_at(now_ + delay - 1)
                .routes.push_back({flit.node, flit.input_vc, static_cast<std::uint16_t>(at), info});
            ++pending_;
        }
        if (to.awake()) active_.insert(flit.node);
    }
    slot.flits.clear();
}

template <typename rules_type>
void router_fabric::take_credits(const rules_type& rules, time_slot& slot) {
    for (const credit_event& credit : slot.credits) {
        auto at = unit(rules, credit.at);
        at.credit(credit.port, credit.vc);
        if (at.awake()) active_.insert(credit.at);
    }
    slot.credits.clear();
}

}  // namespace polycast::hw::fabric
