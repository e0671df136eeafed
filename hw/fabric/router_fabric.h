// SPDX-License-Identifier: Apache-2.0
/// \file All routers of a mesh or torus stepped as one: what router_core chips joined by links do, cycle by cycle,
/// without pins and bytes. Speed comes from what is not done: hw/fabric/fabric.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/chips/router/router_unit.h"
#include "hw/engine/chip.h"
#include "hw/engine/team.h"
#include "hw/fabric/fabric_config.h"
#include "hw/fabric/hop_table.h"
#include "hw/fabric/packet_pool.h"
#include "hw/fabric/partition.h"
#include "hw/fabric/rank_border.h"
#include "hw/fabric/tree_table.h"

namespace polycast::hw::fabric {

/// The routers and the links between them and to terminals, in one or several partitions: equal ranges of nodes, each
/// stepped by a thread of its own. They do exactly the same for any number of partitions, because whatever one does to
/// another happens at least the delay of a link later. Ranks have as many partitions each: all that is said of
/// partitions, packets and counts is of this rank's, and all ranks call run() alike.
///
/// Terminals are the caller's, an object for each partition, that of a partition with the terminals at its nodes: a
/// type with
///   send(now, fabric)                                 puts flits on links with inject(), at most one per terminal
///   arrive(when, terminal, vc, packet, ends)          takes a flit that is on its input pins in cycle `when`; its
///                                                     credit goes back at once, unless there is a
///   holds_credit(terminal, packet)                    which is asked before, and says true: then give_credit() does it
///   credit(terminal, vc)                              is told of a credit on its input pins in this cycle
///   enter(node, port, ends)                           if there is one, is told of each flit that comes into a router
///   next(now)                                         next cycle, `now` or later, in which it may want to send without
///                                                     being told anything; engine::never if none
class router_fabric {
public:
    /// `always`: its threads work side by side even where one alone would be faster (hw/engine/team.h).
    /// \throws input_error for parameters that check() refuses, and unless there are 1..nodes partitions
    explicit router_fabric(const fabric_params& params, unsigned partitions = 1, bool always = false,
                           std::shared_ptr<engine::rank_group> ranks = nullptr);
    // Its routers point at its rules.
    router_fabric(const router_fabric&) = delete;
    router_fabric& operator=(const router_fabric&) = delete;

    const fabric_params& params() const { return params_; }
    std::uint32_t nodes() const { return route_rules_.nodes; }
    /// Name of the compiled rules by which its routers step; "generic" if none describe them.
    std::string_view rules_name() const;

    packet_pool& packets() { return packets_; }
    const packet_pool& packets() const { return packets_; }

    /// What routers read of a packet. \throws input_error if there is no such terminal, or the class has no VC on a
    /// side of a ring that it may need
    packet_target target_of(std::uint32_t destination, unsigned service_class) const {
        if ((classes_ >> service_class & 1) == 0 || destination >= terminals_) refuse(destination, service_class);
        const auto [node, port] = place_of(destination);
        return hops_.target(node, port, service_class);
    }
    /// Likewise of a broadcast to a host port of all nodes but the source's. \throws input_error likewise, and if the
    /// fabric has no broadcasts
    packet_target broadcast_target_of(std::uint32_t source, unsigned host_port, unsigned service_class) const;

    /// A range of nodes.
    struct node_range {
        std::uint32_t first, count;
    };
    std::size_t partitions() const { return partitions_.size(); }
    node_range nodes_of(std::size_t index) const { return {partitions_[index].first, partitions_[index].nodes}; }

    /// Cycle that the next step simulates, unless it jumps.
    engine::cycle now() const { return partitions_.front().now; }

    /// Simulates up to, not including, cycle `end`; time jumps over cycles in which nothing happens. Stops early when
    /// nothing is left to do. Of a fabric in one partition.
    template <typename terminals>
    void run(engine::cycle end, terminals& outside);
    /// The same with the terminals of each partition. What one of them throws first is thrown here, and ends it all.
    /// \throws engine::simulated_elsewhere if that was on another rank, apart from the first one
    template <typename terminals>
    void run(engine::cycle end, std::vector<terminals>& outside);

    /// A terminal sends a flit: it is on the terminal's output pins in the cycle after this one. `ends`: head and tail
    /// of flit_info.
    void inject(std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t ends) {
        const auto [node, port] = place_of(terminal);
        partition& part = partition_of(node);
        auto& flits = part.slot_at(part.now + link_time_).flits;
        flits.make_room(1);
        flits.add({node, id, static_cast<std::uint16_t>(port * rules_.vcs + vc), ends});
    }

    /// A terminal gives back a credit of a flit that it took and whose credit it holds: it is on the terminal's output
    /// pins in the cycle after this one.
    void give_credit(std::uint32_t terminal, unsigned vc) {
        const auto [node, port] = place_of(terminal);
        partition& part = partition_of(node);
        auto& credits = part.slot_at(part.now + link_time_).credits;
        credits.make_room(1);
        credits.add({node, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(vc)});
    }

    /// Flits sent from router to router so far.
    std::uint64_t flit_hops() const;
    /// Routers looked at so far.
    std::uint64_t router_steps() const;
    /// True when no flit and no credit is inside.
    bool idle() const;
    /// On ranks.
    engine::rank_costs costs() const { return border_->costs(link_time_); }

    std::size_t memory_bytes() const;

private:
    template <typename rules_type, typename terminals>
    struct crossbar;

    /// Steps a partition up to cycle `end`. \returns the next cycle, `end` or later, in which it has something to do
    template <typename rules_type, typename terminals>
    engine::cycle run_alone(const rules_type& rules, partition& part, engine::cycle end, terminals& outside);
    /// One thread of several.
    /// Takes what the other partitions sent in the last window, then runs one. \returns the next cycle with something
    /// to do, here or for what was sent
    template <typename rules_type, typename terminals>
    engine::cycle run_window(const rules_type& rules, std::size_t index, engine::cycle begin, engine::cycle end,
                             terminals& outside);
    void collect_mail(partition& part, std::size_t index);
    template <typename rules_type, typename terminals>
    void step(const rules_type& rules, partition& part, terminals& outside);
    // One by one, so that the compiler gives each all registers.
    template <typename rules_type, typename terminals>
    [[gnu::noinline]] void allocate(const rules_type& rules, partition& part, terminals& outside);
    template <typename rules_type, typename terminals>
    [[gnu::noinline]] void store_flits(const rules_type& rules, partition& part, terminals& outside);
    template <typename rules_type>
    [[gnu::noinline]] void take_credits(const rules_type& rules, partition& part);
    void finish_routes(partition& part);
    /// Branches of a broadcast, and where it goes as flit_info, apart from the ends of the packet.
    std::pair<std::uint16_t, chips::branch_set> route_broadcast(std::uint32_t node, const packet_target& target,
                                                                unsigned input_vc) const;
    /// Where a terminal is.
    struct host_place {
        std::uint32_t node;
        unsigned port;
    };
    host_place place_of(std::uint32_t terminal) const {
        host_place place{terminal, rules_.first_host_port};
        for (; place.node >= route_rules_.nodes; place.node -= route_rules_.nodes) ++place.port;
        return place;
    }
    /// \throws input_error for a terminal that does not exist or a class that misses virtual channels
    [[noreturn]] void refuse(std::uint32_t terminal, unsigned service_class) const;
    /// \throws input_error unless there are terminals for every partition
    void require_terminals(std::size_t objects) const;
    partition& partition_of(std::uint32_t node) {
        return partitions_.size() == 1 ? partitions_[0] : partitions_[node / partition_nodes_ - first_partition_];
    }
    /// Of ranks with so many partitions each.
    void make_border(std::shared_ptr<engine::rank_group> ranks, unsigned partitions);
    /// What all partitions know, those of other ranks as well. \throws what one of them has thrown first
    common_state agree(const std::vector<engine::cycle>& next, const std::vector<partition_failure>& failures);
    /// The box of what a partition sends to another in this window.
    mailbox& box_to(partition& from, std::uint32_t node);
    void post(partition& from, engine::cycle when, const flit_event& flit);
    void post(partition& from, engine::cycle when, const credit_event& credit);

    /// Where routers lie; the planes behind the first in the same way, one after the other.
    struct router_memory {
        std::byte* first;
        std::size_t stride;

        std::byte* of(std::uint32_t node) const { return first + node * stride; }
    };
    struct free_memory {
        void operator()(std::byte* memory) const { std::free(memory); }
    };

    fabric_params params_;
    chips::router_rules rules_;
    chips::route_rules route_rules_;
    hop_table hops_;
    tree_table trees_;
    std::uint32_t terminals_;
    unsigned classes_ = 0;           ///< bit: class that has the virtual channels that packets may need
    unsigned link_time_;             ///< cycles from a step to arrivals behind a link
    unsigned crossing_time_;         ///< likewise of flits that go through a crossbar
    unsigned sink_time_;             ///< from the step that sends a flit to a terminal to the arrival of its credit
    std::uint32_t partition_nodes_;  ///< of every partition; of the last ones fewer
    std::uint32_t first_partition_;  ///< of those of all ranks

    // State.
    packet_pool packets_;
    std::unique_ptr<std::byte[], free_memory> memory_;
    std::size_t memory_bytes_;
    router_memory routers_;                ///< in memory_
    std::unique_ptr<rank_border> border_;  ///< null: no other ranks
    std::vector<partition> partitions_;
    bool always_;
    std::unique_ptr<engine::team> team_;  ///< null: one partition, or nothing has run
};

/// Where a router's flits and credits go.
template <typename rules_type, typename terminals>
struct router_fabric::crossbar {
    router_fabric& fabric;
    partition& part;
    const rules_type& rules;
    terminals& outside;
    event_list<flit_event>& flits;               ///< of the cycle in which they arrive
    event_list<credit_event>& credits;           ///< likewise
    event_list<credit_event>& terminal_credits;  ///< likewise
    std::uint32_t node = 0;
    std::byte* router = nullptr;                ///< of the node
    const std::uint32_t* neighbours = nullptr;  ///< of the node

    void begin(std::uint32_t at, std::byte* memory) {
        node = at;
        router = memory;
        neighbours = fabric.hops_.neighbours(rules.ports, at);
    }

    // Whether a flit or credit stays among the routers is hard to foretell, so it chooses a list, not a branch.
    [[gnu::always_inline]] inline void forward(unsigned input_vc, unsigned slot, unsigned output, unsigned vc,
                                               std::uint16_t info) {
        const packet_id id = chips::basic_router_unit<rules_type>(rules, router).tag(input_vc, slot);
        const unsigned stays = output < rules.first_host_port ? 1 : 0;
        const std::uint32_t to = neighbours[output];
        const auto to_vc = static_cast<std::uint16_t>((output ^ stays) * rules.vcs + vc);
        // An event for each of the two, so that none has to lie in memory for post().
        if (part.has(to)) [[likely]] {
            (stays != 0 ? flits : part.ejected).add({to, id, to_vc, info});
        } else {
            fabric.post(part, part.now + fabric.crossing_time_, flit_event{to, id, to_vc, info});
        }
    }

    [[gnu::always_inline]] inline void free(unsigned input_vc, unsigned, unsigned) {
        const unsigned port = input_vc / rules.vcs;
        const auto vc = static_cast<std::uint16_t>(input_vc % rules.vcs);
        const unsigned stays = port < rules.first_host_port ? 1 : 0;
        const std::uint32_t to = neighbours[port];
        const auto to_port = static_cast<std::uint16_t>(port ^ stays);
        if (part.has(to)) [[likely]] {
            (stays != 0 ? credits : terminal_credits).add({to, to_port, vc});
        } else {
            fabric.post(part, part.now + fabric.link_time_, credit_event{to, to_port, vc});
        }
    }

    /// Flits that left for terminals. `returns`: of the cycle in which credits from terminals arrive.
    void eject(time_slot& returns) {
        for (const flit_event flit : part.ejected) {
            const unsigned port = flit.input_vc / rules.vcs;
            const unsigned vc = flit.input_vc % rules.vcs;
            const std::uint32_t terminal = flit.node + (port - rules.first_host_port) * fabric.nodes();
            if (!holds_credit(terminal, flit.packet)) {
                returns.credits.make_room(1);
                returns.credits.add({flit.node, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(vc)});
            }
            outside.arrive(part.now + fabric.crossing_time_, terminal, vc, flit.packet, flit.info);
        }
        part.ejected.clear();
    }
    bool holds_credit([[maybe_unused]] std::uint32_t terminal, [[maybe_unused]] packet_id id) const {
        if constexpr (requires { outside.holds_credit(terminal, id); }) {
            return outside.holds_credit(terminal, id);
        } else {
            return false;
        }
    }
};

template <typename terminals>
void router_fabric::run(engine::cycle end, terminals& outside) {
    require_terminals(1);
    partition& part = partitions_.front();
    chips::with_compiled(rules_, [&](const auto& rules) {
        if (run_alone(rules, part, end, outside) != engine::never) part.now = std::max(part.now, end);
    });
}

template <typename terminals>
void router_fabric::run(engine::cycle end, std::vector<terminals>& outside) {
    require_terminals(outside.size());
    if (outside.size() == 1 && !border_) return run(end, outside.front());
    if (!team_) team_ = std::make_unique<engine::team>(static_cast<unsigned>(outside.size()), always_);
    const engine::cycle before = now();
    std::vector<partition_failure> failures(outside.size());
    std::vector<engine::cycle> next(outside.size());
    const auto attempt = [&](std::size_t index, const auto& work) {
        if (failures[index].what) return;
        try {
            next[index] = work(partitions_[index]);
        } catch (...) {
            failures[index] = {partitions_[index].now, std::current_exception()};
        }
    };
    for (std::size_t index = 0; index < outside.size(); ++index) {
        attempt(index, [&](partition& part) {
            for (auto& boxes : part.outbox)
                for (mailbox& box : boxes) box.clear();
            return std::min(part.next_activity(), outside[index].next(part.now));
        });
    }
    common_state all = agree(next, failures);
    chips::with_compiled(rules_, [&](const auto& rules) {
        while (all.next < end) {
            engine::cycle at = all.next;
            for (unsigned left = border_ ? border_->windows(at) : 1; left != 0 && at < end; --left) {
                const engine::cycle until = std::min(at + link_time_, end);
                team_->each([&](unsigned index) {
                    attempt(index, [&](partition&) { return run_window(rules, index, at, until, outside[index]); });
                });
                if (border_) border_->exchange(at, until, partitions_, partition_nodes_, packets_);
                at = until;
            }
            all = agree(next, failures);
        }
    });
    for (std::size_t index = 0; index < outside.size(); ++index) collect_mail(partitions_[index], index);
    const engine::cycle reached = std::max(before, all.next == engine::never ? all.quiet_from : end);
    for (partition& part : partitions_) part.now = reached;
}

template <typename rules_type, typename terminals>
engine::cycle router_fabric::run_alone(const rules_type& rules, partition& part, engine::cycle end,
                                       terminals& outside) {
    for (;;) {
        const engine::cycle next = std::min(part.next_activity(), outside.next(part.now));
        if (next >= end) return next;
        part.now = next;
        step(rules, part, outside);
    }
}

// Windows are as long as the shortest way between two partitions, so that what one sends in a window the others need in
// the next one at the earliest.
template <typename rules_type, typename terminals>
engine::cycle router_fabric::run_window(const rules_type& rules, std::size_t index, engine::cycle begin,
                                        engine::cycle end, terminals& outside) {
    partition& part = partitions_[index];
    collect_mail(part, index);
    part.turn ^= 1;
    part.now = std::max(part.now, begin);
    for (mailbox& box : part.outbox[part.turn]) box.clear();
    part.earliest_mail = engine::never;
    const engine::cycle from = part.now;
    const engine::cycle next = run_alone(rules, part, end, outside);
    if (part.now != from) part.quiet_from = part.now;
    return std::min(next, part.earliest_mail);
}

// What the routers' contract calls "registered" holds because of the order here: everything is sent before anything
// arrives.
template <typename rules_type, typename terminals>
void router_fabric::step(const rules_type& rules, partition& part, terminals& outside) {
    outside.send(part.now, *this);
    allocate(rules, part, outside);
    store_flits(rules, part, outside);
    finish_routes(part);
    take_credits(rules, part);
    auto& terminal_credits = part.slot_at(part.now).terminal_credits;
    for (const credit_event& credit : terminal_credits)
        outside.credit(credit.at + (credit.port - rules.first_host_port) * nodes(), credit.vc);
    terminal_credits.clear();
    ++part.now;
}

template <typename rules_type, typename terminals>
void router_fabric::allocate(const rules_type& rules, partition& part, terminals& outside) {
    time_slot& behind_crossbar = part.slot_at(part.now + crossing_time_);
    time_slot& behind_link = part.slot_at(part.now + link_time_);
    crossbar<rules_type, terminals> sink{
        *this, part, rules, outside, behind_crossbar.flits, behind_link.credits, behind_link.terminal_credits};
    const std::size_t flits_before = sink.flits.size();
    const router_memory memory = routers_;
    const auto make_room = [&](std::size_t stepping) {
        part.router_steps += stepping;
        sink.flits.make_room(stepping * rules.first_host_port);
        part.ejected.make_room(stepping * (rules.ports - rules.first_host_port));
        sink.credits.make_room(stepping * rules.first_host_port);
        sink.terminal_credits.make_room(stepping * (rules.ports - rules.first_host_port));
    };
    part.active.keep_if(
        make_room, [&](std::uint32_t node) __attribute__((always_inline)) {
            std::byte* const router = memory.of(node);
            sink.begin(node, router);
            return chips::basic_router_unit<rules_type>(rules, router).allocate(sink);
        });
    part.flit_hops += sink.flits.size() - flits_before;
    sink.eject(part.slot_at(part.now + sink_time_));
}

template <typename rules_type, typename terminals>
void router_fabric::store_flits(const rules_type& rules, partition& part, [[maybe_unused]] terminals& outside) {
    using chips::flit_info;
    time_slot& slot = part.slot_at(part.now);
    const unsigned delay = params_.tables.route_delay;
    const auto unready = static_cast<std::uint16_t>(delay > 1 ? flit_info::unready : 0);
    const router_memory memory = routers_;
    for (const flit_event flit : slot.flits) {  // copies: stores to routers might be to events
        if constexpr (requires { outside.enter(flit.node, 0u, flit.info); })
            outside.enter(flit.node, flit.input_vc / rules.vcs, flit.info);
        chips::basic_router_unit<rules_type> to(rules, memory.of(flit.node));
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
        to.tag(flit.input_vc, at) = flit.packet;
        if (to.awake()) part.active.insert(flit.node);
        if ((info & flit_info::unready) != 0) {
            auto& routes = part.slot_at(part.now + delay - 1).routes;
            routes.make_room(1);
            info ^= flit_info::unready;
            routes.add({flit.node, flit.input_vc, static_cast<std::uint16_t>(at), info});
        }
    }
    slot.flits.clear();
}

template <typename rules_type>
void router_fabric::take_credits(const rules_type& rules, partition& part) {
    time_slot& slot = part.slot_at(part.now);
    const router_memory memory = routers_;
    for (const credit_event credit : slot.credits) {
        chips::basic_router_unit<rules_type> to(rules, memory.of(credit.at));
        if (to.credit(credit.port, credit.vc)) part.active.insert(credit.at);
    }
    slot.credits.clear();
}

}  // namespace polycast::hw::fabric
