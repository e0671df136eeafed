// SPDX-License-Identifier: Apache-2.0
/// \file All routers of a mesh or torus stepped as one: what router_core chips joined by links do, cycle by cycle,
/// without pins and bytes. Speed comes from what is not done: hw/fabric/fabric.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hw/chips/router_unit.h"
#include "hw/engine/chip.h"
#include "hw/fabric/event_list.h"
#include "hw/fabric/fabric_config.h"
#include "hw/fabric/hop_table.h"
#include "hw/fabric/index_set.h"
#include "hw/fabric/packet_pool.h"
#include "hw/fabric/tree_table.h"

namespace polycast::hw::fabric {

/// The routers and the links between them and to terminals. Terminals are the caller's: a type with
///   send(now, fabric)                                 puts flits on links with inject(), at most one per terminal
///   arrive(when, terminal, vc, packet, ends)          takes a flit that is on its input pins in cycle `when`; its
///                                                     credit goes back at once, unless there is a
///   holds_credit(terminal, packet)                    which is asked before, and says true: then give_credit() does it
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

    /// What routers read of a packet. \throws input_error if there is no such terminal, or the class has no VC on a
    /// side of a ring that it may need
    packet_target target_of(std::uint32_t destination, unsigned service_class) const;
    /// Likewise of a broadcast to a host port of all nodes but the source's. \throws input_error likewise, and if the
    /// fabric has no broadcasts
    packet_target broadcast_target_of(std::uint32_t source, unsigned host_port, unsigned service_class) const;

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
        auto& flits = slot_at(now_ + link_time_).flits;
        flits.make_room(1);
        flits.add({node, id, static_cast<std::uint16_t>(port * rules_.vcs + vc), ends});
    }

    /// A terminal gives back a credit of a flit that it took and whose credit it holds: it is on the terminal's output
    /// pins in the cycle after now().
    void give_credit(std::uint32_t terminal, unsigned vc) {
        std::uint32_t node = terminal;
        unsigned port = rules_.first_host_port;
        for (; node >= route_rules_.nodes; node -= route_rules_.nodes) ++port;
        auto& credits = slot_at(now_ + link_time_).credits;
        credits.make_room(1);
        credits.add({node, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(vc)});
    }

    /// Flits sent from router to router so far.
    std::uint64_t flit_hops() const { return flit_hops_; }
    /// Routers looked at so far.
    std::uint64_t router_steps() const { return router_steps_; }
    /// True when no flit and no credit is inside.
    bool idle() const { return next_activity() == engine::never; }

    std::size_t memory_bytes() const;

private:
    // No members of one byte: the compiler takes stores to them for stores to anything.
    struct flit_event {
        std::uint32_t node;
        packet_id packet;
        std::uint16_t input_vc;
        std::uint16_t info;  ///< flit_info of the router it comes from, or of a terminal: the ends count
    };
    struct credit_event {
        std::uint32_t at;  ///< node, or terminal
        std::uint16_t port;
        std::uint16_t vc;
    };
    /// A head whose routing ends.
    struct route_event {
        std::uint32_t node;
        std::uint16_t input_vc;
        std::uint16_t slot;
        std::uint16_t info;
    };
    /// All that arrives in one cycle.
    struct time_slot {
        event_list<flit_event> flits;
        event_list<credit_event> credits;
        event_list<credit_event> terminal_credits;
        event_list<route_event> routes;

        bool empty() const { return flits.empty() && credits.empty() && terminal_credits.empty() && routes.empty(); }
        std::size_t memory_bytes() const {
            return flits.memory_bytes() + credits.memory_bytes() + terminal_credits.memory_bytes() +
                   routes.memory_bytes();
        }
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
    /// Branches of a broadcast, and where it goes as flit_info, apart from the ends of the packet.
    std::pair<std::uint16_t, chips::branch_set> route_broadcast(std::uint32_t node, const packet_target& target,
                                                                unsigned input_vc) const;
    void check_class(unsigned service_class) const;
    /// Next cycle with something to do, terminals apart.
    engine::cycle next_activity() const;

    time_slot& slot_at(engine::cycle when) { return slots_[when & slot_mask_]; }
    /// Where routers lie: each its unit, then handles of the flits in its buffers.
    struct router_memory {
        std::byte* first;
        std::size_t stride, unit_bytes;

        std::byte* of(std::uint32_t node) const { return first + node * stride; }
        packet_id* handles_of(std::byte* router) const { return reinterpret_cast<packet_id*>(router + unit_bytes); }
    };
    router_memory memory() { return {reinterpret_cast<std::byte*>(memory_.data()), stride_, rules_.unit_bytes}; }

    fabric_params params_;
    chips::router_rules rules_;
    chips::route_rules route_rules_;
    hop_table hops_;
    tree_table trees_;
    std::uint32_t terminals_;
    std::size_t stride_;      ///< bytes of a router
    unsigned link_time_;      ///< cycles from a step to arrivals behind a link
    unsigned crossing_time_;  ///< likewise of flits that go through a crossbar
    unsigned sink_time_;      ///< from the step that sends a flit to a terminal to the arrival of its credit
    engine::cycle slot_mask_;

    // State.
    packet_pool packets_;
    std::vector<std::uint64_t> memory_;  ///< see router_memory
    std::vector<time_slot> slots_;
    index_set active_;  ///< routers to step in now_
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
    event_list<flit_event>& flits;               ///< of the cycle in which they arrive
    event_list<credit_event>& credits;           ///< likewise
    event_list<credit_event>& terminal_credits;  ///< likewise
    time_slot& returns;                          ///< of the cycle in which credits from terminals arrive
    std::uint32_t node = 0;
    const packet_id* handles = nullptr;         ///< of the node
    const std::uint32_t* neighbours = nullptr;  ///< of the node

    void begin(std::uint32_t at, const packet_id* its_handles) {
        node = at;
        handles = its_handles;
        neighbours = fabric.hops_.neighbours(rules.first_host_port / 2, at);
    }

    bool holds_credit([[maybe_unused]] std::uint32_t terminal, [[maybe_unused]] packet_id id) const {
        if constexpr (requires { outside.holds_credit(terminal, id); }) {
            return outside.holds_credit(terminal, id);
        } else {
            return false;
        }
    }

    [[gnu::always_inline]] inline void forward(unsigned input_vc, unsigned slot, unsigned output, unsigned vc,
                                               std::uint16_t info) {
        const packet_id id = handles[rules.buffer_index(input_vc, slot)];
        if (output >= rules.first_host_port) {
            const std::uint32_t terminal = node + (output - rules.first_host_port) * fabric.nodes();
            if (!holds_credit(terminal, id)) {
                returns.credits.make_room(1);
                returns.credits.add({node, static_cast<std::uint16_t>(output), static_cast<std::uint16_t>(vc)});
            }
            outside.arrive(fabric.now_ + fabric.crossing_time_, terminal, vc, id, info);
            return;
        }
        flits.add({neighbours[output], id, static_cast<std::uint16_t>((output ^ 1) * rules.vcs + vc), info});
    }

    [[gnu::always_inline]] inline void free(unsigned input_vc, unsigned, unsigned) {
        const unsigned port = input_vc / rules.vcs;
        const auto vc = static_cast<std::uint16_t>(input_vc % rules.vcs);
        if (port < rules.first_host_port) {
            credits.add({neighbours[port], static_cast<std::uint16_t>(port ^ 1), vc});
        } else {
            terminal_credits.add({node + (port - rules.first_host_port) * fabric.nodes(), 0, vc});
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
    store_flits(rules, slot);
    finish_routes(slot);
    take_credits(rules, slot);
    for (const credit_event& credit : slot.terminal_credits) outside.credit(credit.at, credit.vc);
    slot.terminal_credits.clear();
    ++now_;
}

template <typename rules_type, typename terminals>
void router_fabric::allocate(const rules_type& rules, terminals& outside) {
    time_slot& behind_crossbar = slot_at(now_ + crossing_time_);
    time_slot& behind_link = slot_at(now_ + link_time_);
    crossbar<rules_type, terminals> sink{*this,
                                         rules,
                                         outside,
                                         behind_crossbar.flits,
                                         behind_link.credits,
                                         behind_link.terminal_credits,
                                         slot_at(now_ + sink_time_)};
    const std::size_t stepping = active_.count();
    router_steps_ += stepping;
    sink.flits.make_room(stepping * rules.first_host_port);
    sink.credits.make_room(stepping * rules.first_host_port);
    sink.terminal_credits.make_room(stepping * (rules.ports - rules.first_host_port));
    const std::size_t flits_before = sink.flits.size();
    const router_memory memory = this->memory();
    active_.keep_if([&](std::uint32_t node) __attribute__((always_inline)) {
        std::byte* const router = memory.of(node);
        sink.begin(node, memory.handles_of(router));
        return chips::basic_router_unit<rules_type>(rules, router).allocate(sink);
    });
    flit_hops_ += sink.flits.size() - flits_before;
}

template <typename rules_type>
void router_fabric::store_flits(const rules_type& rules, time_slot& slot) {
    using chips::flit_info;
    const unsigned delay = params_.tables.route_delay;
    const auto unready = static_cast<std::uint16_t>(delay > 1 ? flit_info::unready : 0);
    const router_memory memory = this->memory();
    for (const flit_event& flit : slot.flits) {
        std::byte* const router = memory.of(flit.node);
        chips::basic_router_unit<rules_type> to(rules, router);
        std::uint16_t info = flit.info & (flit_info::head | flit_info::tail);
        chips::branch_set branches;
        if ((info & flit_info::head) != 0) {
            const packet_target& target = packets_.target(flit.packet);
            if (rules.copies && target.broadcast()) {
                const auto [route, copies] = route_broadcast(flit.node, target, flit.input_vc);
                info = static_cast<std::uint16_t>(info | unready | route);
                branches = copies;
            } else {
                info = static_cast<std::uint16_t>(info | unready |
                                                  hops_.route(rules.first_host_port / 2, flit.node, target));
            }
        }
        const unsigned at = to.arrive(flit.input_vc, info, branches);
        memory.handles_of(router)[rules.buffer_index(flit.input_vc, at)] = flit.packet;
        if (to.awake()) active_.insert(flit.node);
        if ((info & flit_info::unready) != 0) {
            auto& routes = slot_at(now_ + delay - 1).routes;
            routes.make_room(1);
            info ^= flit_info::unready;
            routes.add({flit.node, flit.input_vc, static_cast<std::uint16_t>(at), info});
        }
    }
    slot.flits.clear();
}

template <typename rules_type>
void router_fabric::take_credits(const rules_type& rules, time_slot& slot) {
    const router_memory memory = this->memory();
    for (const credit_event& credit : slot.credits) {
        chips::basic_router_unit<rules_type> to(rules, memory.of(credit.at));
        if (to.credit(credit.port, credit.vc)) active_.insert(credit.at);
    }
    slot.credits.clear();
}

}  // namespace polycast::hw::fabric
