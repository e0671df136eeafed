// SPDX-License-Identifier: Apache-2.0
/// \file Buffers, allocation and flow control of a virtual-channel router, apart from what its flits hold: steps 3, 5
/// and 6 of hw/chips/router.md. The chip (router_core.h) and the fabric of many routers (hw/fabric) are made of it.
///
/// All of a router lies in one piece of memory, sets of input VCs are bits of one word, and a step looks only at input
/// VCs that may be able to send: what is blocked is looked at again when its output gets a credit or a VC back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/chips/port_set.h"
#include "hw/chips/router_config.h"

namespace polycast::hw::chips {

/// What a router remembers of a flit: which end of a packet it is, and for a head where the packet goes.
struct flit_info {
    static constexpr unsigned tail = 1u << 15;
    static constexpr unsigned head = 1u << 14;
    static constexpr unsigned drop = 1u << 13;     ///< goes nowhere
    static constexpr unsigned unready = 1u << 12;  ///< routing goes on
    static constexpr unsigned side_bit = 8;
    static constexpr unsigned class_bit = 5;
    static constexpr unsigned output_mask = 31;
};

/// Where a packet goes, as flit_info says it.
constexpr std::uint16_t route_info(unsigned output, unsigned service_class, unsigned side) {
    return static_cast<std::uint16_t>(output | service_class << flit_info::class_bit | side << flit_info::side_bit);
}

/// Sizes and registers that all routers of a network share, in the form in which a step wants them.
struct router_rules {
    router_rules(const router_params& params, const router_tables& tables);

    unsigned ports, vcs, vc_flits, first_host_port;
    unsigned reserve;
    router_allocator allocator;
    unsigned iterations;
    vc_policy policy;
    std::uint64_t port_mask;  ///< VCs of one port, in the lowest bits
    std::array<std::array<vc_set, 2>, 8> vc_sets;
    std::size_t unit_bytes;  ///< of memory that a router_unit needs

    unsigned input_vcs() const { return ports * vcs; }
    vc_set vcs_of(std::uint16_t info, unsigned output) const {
        const auto& sides = vc_sets[info >> flit_info::class_bit & 7];
        if (output >= first_host_port) return static_cast<vc_set>(sides[0] | sides[1]);
        return sides[info >> flit_info::side_bit & 1];
    }
};

/// One router. Input VC number = port x vcs + vc. Within a cycle: allocate() first, then everything that arrives, so
/// that allocate() sees what the contract calls registered. A view of memory that someone else owns.
class router_unit {
public:
    static constexpr std::uint8_t no_vc = 0xff;

    /// `memory`: rules.unit_bytes bytes, aligned to 8; `credits` of each output port.
    router_unit(const router_rules& rules, std::byte* memory, std::span<const unsigned> credits);

    /// Bytes that a unit takes.
    static std::size_t bytes(const router_params& params);

    /// View of a unit that is there already.
    router_unit(const router_rules& rules, std::byte* memory) : rules_(&rules), memory_(memory) {}

    /// Free flits of an input VC's buffer.
    unsigned space(unsigned input_vc) const { return rules_->vc_flits - input(input_vc).count; }

    /// Stores a flit. \returns its slot in the buffer, 0..vc_flits-1
    unsigned arrive(unsigned input_vc, std::uint16_t info) {
        vc_state& in = input(input_vc);
        unsigned slot = in.head + in.count;
        if (slot >= rules_->vc_flits) slot -= rules_->vc_flits;
        info_of(input_vc, slot) = info;
        if (in.count++ == 0) to_front(input_vc, in, info);
        return slot;
    }

    /// The packet whose head is in `slot` has been routed: `info` without flit_info::unready.
    void routed(unsigned input_vc, unsigned slot, std::uint16_t info) {
        info_of(input_vc, slot) = info;
        vc_state& in = input(input_vc);
        if (in.head == slot) to_front(input_vc, in, info);
    }

    void credit(unsigned output, unsigned vc) {
        output_state& out = this->output(output);
        const unsigned left = ++credits(output, vc);
        out.with_credit = static_cast<vc_set>(out.with_credit | 1u << vc);
        if (left >= rules_->reserve) out.with_reserve = static_cast<vc_set>(out.with_reserve | 1u << vc);
        hot().blocked &= ~out.requesters;
    }

    unsigned credits_left(unsigned output, unsigned vc) const {
        return const_cast<router_unit*>(this)->credits(output, vc);
    }

    /// Steps 3 and 4. For each flit that leaves: sink.forward(input_vc, slot, output, output_vc, info), or
    /// sink.drop(input_vc, slot, info) where its packet goes nowhere; each gives a credit back for input_vc.
    /// \returns false if nothing can happen before something arrives
    template <typename sink>
    bool allocate(sink& to);

    /// No flit is inside.
    bool empty() const;

private:
    struct hot_state {
        std::uint64_t ready;              ///< input VCs with a flit that may be sent as far as the input knows
        std::uint64_t blocked;            ///< those of them whose output has no credit or VC for them
        std::uint8_t pointer[32];         ///< [input port] VC
        std::uint8_t accept_pointer[32];  ///< [input port] output, iSLIP
    };
    struct vc_state {
        std::uint16_t head;   ///< slot of the first flit
        std::uint16_t count;  ///< flits in the buffer
        vc_set vcs;           ///< that the packet at the front may take
        std::uint8_t output;  ///< of the packet at the front
        std::uint8_t vc;      ///< output VC that it holds, or no_vc
    };
    struct output_state {
        std::uint64_t requesters;  ///< input VCs whose packet at the front goes there
        vc_set free;               ///< VCs held by no packet
        vc_set with_credit;
        vc_set with_reserve;
        std::uint8_t pointer;     ///< input port
        std::uint8_t vc_pointer;  ///< to be assigned next
    };

    hot_state& hot() const { return *reinterpret_cast<hot_state*>(memory_); }
    output_state& output(unsigned port) const {
        return reinterpret_cast<output_state*>(memory_ + sizeof(hot_state))[port];
    }
    vc_state& input(unsigned input_vc) const {
        return reinterpret_cast<vc_state*>(memory_ + sizeof(hot_state) +
                                           rules_->ports * sizeof(output_state))[input_vc];
    }
    std::uint16_t& credits(unsigned output, unsigned vc) const {
        return reinterpret_cast<std::uint16_t*>(&input(rules_->input_vcs()))[output * rules_->vcs + vc];
    }
    std::uint16_t& info_of(unsigned input_vc, unsigned slot) const {
        return reinterpret_cast<std::uint16_t*>(
            &input(rules_->input_vcs()))[rules_->input_vcs() + input_vc * rules_->vc_flits + slot];
    }

    /// The first flit of an input VC has changed, or become sendable.
    void to_front(unsigned input_vc, vc_state& in, std::uint16_t info) {
        if ((info & flit_info::unready) != 0) return;
        hot().ready |= bit(input_vc);
        hot().blocked &= ~bit(input_vc);
        if ((info & flit_info::head) == 0) return;
        in.vc = no_vc;
        if ((info & flit_info::drop) != 0) {
            in.output = no_vc;
            return;
        }
        in.output = static_cast<std::uint8_t>(info & flit_info::output_mask);
        in.vcs = rules_->vcs_of(info, in.output);
        if (rules_->policy == vc_policy::keep) {
            const unsigned own = 1u << input_vc % rules_->vcs;
            if ((in.vcs & own) != 0) in.vcs = static_cast<vc_set>(own);
        }
        output(in.output).requesters |= bit(input_vc);
    }

    bool can_go(const vc_state& in) const {
        if (in.output == no_vc) return true;
        const output_state& out = output(in.output);
        if (in.vc != no_vc) return (out.with_credit >> in.vc & 1) != 0;
        return (in.vcs & out.free & out.with_reserve) != 0;
    }

    template <typename sink>
    void send(unsigned input_vc, sink& to);

    template <typename sink>
    void separable(std::uint64_t able, sink& to);
    template <typename sink>
    void islip(std::uint64_t able, sink& to);

    /// First VC of `input_port` in `set` at or after the port's pointer.
    unsigned choose_vc(std::uint64_t set, unsigned input_port) const {
        const std::uint64_t own = set >> input_port * rules_->vcs & rules_->port_mask;
        return input_port * rules_->vcs + first_from(own, hot().pointer[input_port]);
    }
    /// Of a choice that led to a read.
    void move_vc_pointer(unsigned input_vc) const {
        hot().pointer[input_vc / rules_->vcs] = next(input_vc % rules_->vcs, rules_->vcs);
    }
    void move_pointers(unsigned input_vc) const {
        move_vc_pointer(input_vc);
        const unsigned port = input(input_vc).output;
        if (port == no_vc) return;
        const unsigned input_port = input_vc / rules_->vcs;
        output(port).pointer = next(input_port, rules_->ports);
        hot().accept_pointer[input_port] = next(port, rules_->ports);
    }
    static std::uint8_t next(unsigned index, unsigned count) {
        return static_cast<std::uint8_t>(index + 1 == count ? 0 : index + 1);
    }

    const router_rules* rules_;
    std::byte* memory_;
};

template <typename sink>
bool router_unit::allocate(sink& to) {
    hot_state& state = hot();
    std::uint64_t able = state.ready & ~state.blocked;
    for (std::uint64_t set = able; set != 0; set &= set - 1) {
        const std::uint64_t one = set & (~set + 1);
        if (can_go(input(lowest(set)))) continue;
        able &= ~one;
        state.blocked |= one;
    }
    if (able == 0) return false;
    if ((able & (able - 1)) == 0) {
        const unsigned input_vc = lowest(able);
        move_pointers(input_vc);
        send(input_vc, to);
    } else if (rules_->allocator == router_allocator::separable) {
        separable(able, to);
    } else {
        islip(able, to);
    }
    return (state.ready & ~state.blocked) != 0;
}

template <typename sink>
void router_unit::separable(std::uint64_t able, sink& to) {
    std::uint32_t requests[32];  // [output] input ports
    std::uint8_t chosen[32];     // [input port] input VC
    std::uint32_t wanted = 0;    // outputs
    for (std::uint64_t left = able; left != 0;) {
        const unsigned port = lowest(left) / rules_->vcs;
        const unsigned input_vc = choose_vc(able, port);
        left &= ~(rules_->port_mask << port * rules_->vcs);
        const unsigned output = input(input_vc).output;
        if (output == no_vc) {
            move_pointers(input_vc);
            send(input_vc, to);
            continue;
        }
        chosen[port] = static_cast<std::uint8_t>(input_vc);
        if ((wanted >> output & 1) == 0) requests[output] = 0;
        wanted |= 1u << output;
        requests[output] |= 1u << port;
    }
    for (; wanted != 0; wanted &= wanted - 1) {
        const unsigned port = lowest(wanted);
        const unsigned input_vc = chosen[first_from(requests[port], output(port).pointer)];
        move_pointers(input_vc);
        send(input_vc, to);
    }
}

template <typename sink>
void router_unit::islip(std::uint64_t able, sink& to) {
    // A dropped packet whose turn it is takes its input as a flit to an output would.
    for (std::uint64_t left = able; left != 0;) {
        const unsigned port = lowest(left) / rules_->vcs;
        const std::uint64_t own = rules_->port_mask << port * rules_->vcs;
        left &= ~own;
        const unsigned input_vc = choose_vc(able, port);
        if (input(input_vc).output != no_vc) continue;
        able &= ~own;
        move_vc_pointer(input_vc);
        send(input_vc, to);
    }
    std::uint32_t taken = 0;  // outputs
    for (unsigned iteration = 0; iteration < rules_->iterations && able != 0; ++iteration) {
        std::uint32_t requests[32];  // [output] input ports
        std::uint32_t wanted = 0;    // outputs
        for (std::uint64_t set = able; set != 0; set &= set - 1) {
            const unsigned input_vc = lowest(set);
            const unsigned output = input(input_vc).output;
            if (output == no_vc || (taken >> output & 1) != 0) continue;
            if ((wanted >> output & 1) == 0) requests[output] = 0;
            wanted |= 1u << output;
            requests[output] |= 1u << input_vc / rules_->vcs;
        }
        if (wanted == 0) return;
        std::uint32_t offers[32];   // [input port] outputs
        std::uint32_t offered = 0;  // input ports
        for (; wanted != 0; wanted &= wanted - 1) {
            const unsigned port = lowest(wanted);
            const unsigned winner = first_from(requests[port], output(port).pointer);
            if ((offered >> winner & 1) == 0) offers[winner] = 0;
            offered |= 1u << winner;
            offers[winner] |= 1u << port;
        }
        for (; offered != 0; offered &= offered - 1) {
            const unsigned port = lowest(offered);
            const unsigned accepted = first_from(offers[port], hot().accept_pointer[port]);
            const std::uint64_t own = rules_->port_mask << port * rules_->vcs;
            const unsigned input_vc = choose_vc(able & output(accepted).requesters, port);
            able &= ~own;
            taken |= 1u << accepted;
            if (iteration == 0) {
                output(accepted).pointer = next(port, rules_->ports);
                hot().accept_pointer[port] = next(accepted, rules_->ports);
                move_vc_pointer(input_vc);
            }
            send(input_vc, to);
        }
    }
}

template <typename sink>
void router_unit::send(unsigned input_vc, sink& to) {
    vc_state& in = input(input_vc);
    const unsigned slot = in.head;
    const std::uint16_t info = info_of(input_vc, slot);
    const bool tail = (info & flit_info::tail) != 0;
    in.head = static_cast<std::uint16_t>(slot + 1 == rules_->vc_flits ? 0 : slot + 1);
    --in.count;
    const unsigned port = in.output;
    if (port == no_vc) {
        to.drop(input_vc, slot, info);
    } else {
        output_state& out = output(port);
        if (in.vc == no_vc) {
            const vc_set candidates = static_cast<vc_set>(in.vcs & out.free & out.with_reserve);
            in.vc = static_cast<std::uint8_t>(first_from(candidates, out.vc_pointer));
            out.vc_pointer = next(in.vc, rules_->vcs);
            out.free = static_cast<vc_set>(out.free & ~(1u << in.vc));
        }
        std::uint16_t& left = credits(port, in.vc);
        --left;
        if (left == 0) out.with_credit = static_cast<vc_set>(out.with_credit & ~(1u << in.vc));
        if (left < rules_->reserve) out.with_reserve = static_cast<vc_set>(out.with_reserve & ~(1u << in.vc));
        to.forward(input_vc, slot, port, in.vc, info);
        if (tail) {
            out.requesters &= ~bit(input_vc);
            out.free = static_cast<vc_set>(out.free | 1u << in.vc);
            hot().blocked &= ~out.requesters;
        }
    }
    // The next flit, or the next packet, is at the front.
    hot().ready &= ~bit(input_vc);
    if (in.count != 0) to_front(input_vc, in, info_of(input_vc, in.head));
}

}  // namespace polycast::hw::chips
