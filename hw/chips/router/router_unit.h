// SPDX-License-Identifier: Apache-2.0
/// \file Buffers, allocation and flow control of a virtual-channel router, without the contents of its flits: steps 3,
/// 5 and 6 of hw/chips/router/router.md. The chip (router_core.h) and the fabric of many routers (hw/fabric) are built
/// from it.
///
/// All of a router lies in one piece of memory, sets of input VCs are bits of one word, and a step looks only at input
/// VCs that may be able to send: a blocked one is considered again when its output gets a credit or a free VC.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/chips/port_set.h"
#include "hw/chips/router/router_rules.h"
#include "hw/chips/router/router_state.h"

namespace polycast::hw::chips {

/// One router. Input VC number = port x vcs + vc. Within a cycle: allocate() first, then everything that arrives, so
/// that allocate() sees what the contract calls registered. A view of memory owned elsewhere.
template <typename rules_type>
class basic_router_unit : public router_unit_state {
public:
    /// `memory`: rules.unit_bytes zeros for each plane, aligned to 8; `credits` of each output port.
    basic_router_unit(const rules_type& rules, std::byte* memory, std::span<const unsigned> credits);

    /// Bytes of state that a unit needs for copies.
    static std::size_t copy_bytes(const router_params& params);

    /// View of an existing unit.
    basic_router_unit(const rules_type& rules, std::byte* memory) : rules_(&rules), memory_(memory) {}

    /// Free flits of an input VC's buffer.
    unsigned space(unsigned input_vc) const { return rules_->vc_flits - input(input_vc).count; }

    /// Stores a flit. `branches`: of a head that is copied. \returns its slot in the buffer, 0..vc_flits-1
    unsigned arrive(unsigned input_vc, std::uint16_t info, branch_set branches = {}) {
        vc_state& in = input(input_vc);
        if (in.count == 0) {  // begins at slot 0 again
            in.count = 1;
            info_of(input_vc, 0) = info;
            if (rules_->copies && (info & flit_info::copied) != 0) branches_of(input_vc, 0) = branches;
            to_front(input_vc, in, info);
            return 0;
        }
        unsigned slot = in.head + in.count++;
        if (slot >= rules_->vc_flits) slot -= rules_->vc_flits;
        info_of(input_vc, slot) = info;
        if (rules_->copies && (info & flit_info::copied) != 0) branches_of(input_vc, slot) = branches;
        if (rules_->copies && in.output == many) hot().blocked &= ~bit(input_vc);  // a branch may have waited for it
        return slot;
    }

    /// The packet whose head is in `slot` has been routed: `info` without flit_info::unready.
    void routed(unsigned input_vc, unsigned slot, std::uint16_t info, branch_set branches = {}) {
        info_of(input_vc, slot) = info;
        if (rules_->copies && (info & flit_info::copied) != 0) branches_of(input_vc, slot) = branches;
        vc_state& in = input(input_vc);
        if (in.head == slot) to_front(input_vc, in, info);
    }

    /// \returns false if nothing waited for it
    bool credit(unsigned port, unsigned vc) {
        output_state& out = output(port);
        const unsigned left = ++credits(port, vc);
        out.with_credit = static_cast<vc_set>(out.with_credit | 1u << vc);
        if (rules_->reserves() && left >= rules_->reserve)
            out.with_reserve = static_cast<vc_set>(out.with_reserve | 1u << vc);
        return wake(out);
    }

    /// VCs of `all` that a branch may take; the set is not empty.
    vc_set allowed(unsigned input_vc, vc_set all) const {
        if (rules_->policy == vc_policy::any) return all;
        return static_cast<vc_set>(bit(first_from(all, input_vc - rules_->port_of(input_vc) * rules_->vcs)));
    }

    /// The owner's data about the flit in a slot.
    std::uint32_t& tag(unsigned input_vc, unsigned slot) const { return flit(input_vc, slot).tag; }

    unsigned credits_left(unsigned output, unsigned vc) const { return credits(output, vc); }

    /// Slot of the flit `behind` the oldest one of an input VC.
    unsigned slot_of(unsigned input_vc, unsigned behind) const {
        const unsigned slot = input(input_vc).head + behind;
        return slot >= rules_->vc_flits ? slot - rules_->vc_flits : slot;
    }

    /// Outputs that read the flit in a slot next.
    std::uint32_t readers(unsigned input_vc, unsigned slot) const;

    /// After an upset: of `all` credits so many are outstanding, perhaps more than there are. What is left is then
    /// below zero, modulo 2^16, and nothing is sent.
    void set_outstanding(unsigned port, unsigned vc, unsigned all, unsigned outstanding);

    /// Steps 3 to 5. sink.forward(input_vc, slot, output, output_vc, info) for each copy of a flit that leaves;
    /// sink.free(input_vc, slot, info) for each flit that all branches have read, or that is dropped: it gives a credit
    /// back. \returns false if nothing can happen before something arrives
    template <typename sink>
    [[gnu::always_inline]] bool allocate(sink& to) {
        const bool is_separable = rules_->allocator == router_allocator::separable;
        if constexpr (rules_type::may_copy) {
            if (rules_->copies) {
                is_separable ? separable<true>(to) : islip<true>(to);
                return awake();
            }
        }
        is_separable ? separable<false>(to) : islip<false>(to);
        return awake();
    }

    /// False if nothing can happen before something arrives.
    bool awake() const { return asking() != 0; }

    /// It holds no flit.
    bool empty() const;

    front_state front(unsigned input_vc) const;
    /// VC that the packet at the front of an input VC holds at an output in front_state::reading.
    unsigned vc_held(unsigned input_vc, unsigned output) const {
        const vc_state& in = input(input_vc);
        return in.output == many ? copy_of(input_vc).vc[output] : lowest(in.vcs);
    }

private:
    hot_state& hot() const { return *reinterpret_cast<hot_state*>(memory_); }
    /// VC that an input port considers first.
    small& pointer(unsigned port) const { return reinterpret_cast<small*>(memory_ + sizeof(hot_state))[port]; }
    /// Output that an input port accepts first; iSLIP.
    small& accept_pointer(unsigned port) const { return pointer(rules_->ports + port); }
    output_state& output(unsigned port) const {
        return *reinterpret_cast<output_state*>(memory_ + rules_->outputs_offset() + port * rules_->output_bytes());
    }
    std::uint16_t& credits(unsigned port, unsigned vc) const {
        return reinterpret_cast<std::uint16_t*>(&output(port) + 1)[vc];
    }
    vc_state& input(unsigned input_vc) const {
        return *reinterpret_cast<vc_state*>(memory_ + rules_->inputs_offset() + input_vc * rules_->vc_bytes());
    }
    flit_state& flit(unsigned input_vc, unsigned slot) const {
        return *reinterpret_cast<flit_state*>(memory_ + rules_->inputs_offset() + rules_->slot_offset(slot) +
                                              input_vc * rules_->vc_bytes());
    }
    std::uint16_t& info_of(unsigned input_vc, unsigned slot) const { return flit(input_vc, slot).info; }

    copy_state& copy_of(unsigned input_vc) const {
        return reinterpret_cast<copy_state*>(memory_ + rules_->map.inputs + rules_->map.plane_bytes)[input_vc];
    }
    branch_set& branches_of(unsigned input_vc, unsigned slot) const {
        return reinterpret_cast<branch_set*>(&copy_of(rules_->input_vcs()))[rules_->buffer_index(input_vc, slot)];
    }

    /// The first flit of an input VC has changed, or become sendable.
    [[gnu::always_inline]] inline void to_front(unsigned input_vc, vc_state& in, std::uint16_t info) {
        if ((info & flit_info::unready) != 0) return;
        hot().ready |= bit(input_vc);
        if ((info & flit_info::head) == 0) return;
        in.holds = false;
        if ((info & (flit_info::drop | flit_info::copied)) == 0) {
            in.output = static_cast<small>(info & flit_info::output_mask);
            in.vcs = allowed(input_vc, rules_->route_vcs[info & flit_info::route_mask]);
        } else if (!rules_->copies || (info & flit_info::drop) != 0) {
            in.output = nowhere;
        } else {
            in.output = many;
            begin_copies(input_vc, in);
        }
    }
    void begin_copies(unsigned input_vc, const vc_state& in);

    /// VCs that a head may get.
    unsigned assignable(const output_state& out) const {
        return out.free & (rules_->reserves() ? out.with_reserve : out.with_credit);
    }
    /// Output VCs on which the packet at the front can advance; it has one branch.
    unsigned vcs_for(const vc_state& in) const {
        const output_state& out = output(in.output);
        return in.vcs & (in.holds ? out.with_credit : assignable(out));
    }
    /// Nothing can be sent from an input VC before its output gets a credit or a free VC.
    template <bool copies>
    void block(unsigned input_vc, const vc_state& in) {
        hot().blocked |= bit(input_vc);
        if constexpr (copies) {
            const std::uint32_t outputs = in.output == many ? copy_of(input_vc).left : 1u << in.output;
            for (unsigned port = 0; port < rules_->ports; ++port) {
                std::uint64_t& waiters = output(port).waiters;
                waiters = (waiters & ~bit(input_vc)) | std::uint64_t{outputs >> port & 1} << input_vc;
            }
        } else {
            output(in.output).waiters |= bit(input_vc);
        }
    }
    /// \returns false if nothing is blocked for want of what an output has got
    bool wake(output_state& out) {
        const std::uint64_t woken = hot().blocked & out.waiters;
        if (woken == 0) return false;
        hot().blocked ^= woken;
        out.waiters = 0;
        return true;
    }
    /// Outputs to which the packet at the front can send a flit now, all of them the same one.
    template <bool copies>
    std::uint32_t outputs_of(unsigned input_vc, const vc_state& in) const {
        if constexpr (copies) {
            if (in.output == many) return copies_of(input_vc, in);
        }
        return vcs_for(in) != 0 ? 1u << in.output : 0;
    }
    std::uint32_t copies_of(unsigned input_vc, const vc_state& in) const;

    /// One output of a flit: assigns the VC of a head, spends the credit, releases the VC behind a tail. `candidates`:
    /// of a head that can be assigned, later the VC that it has. \returns the VC
    [[gnu::always_inline]] inline unsigned to_output(unsigned port, unsigned candidates, bool holds, bool tail);
    /// A flit of a packet with one branch.
    template <typename sink>
    [[gnu::always_inline]] inline void send(unsigned input_vc, vc_state& in, sink& to);
    /// The same for a flit that has won at both pointers, which move.
    template <typename sink>
    [[gnu::always_inline]] inline void grant(unsigned port, unsigned input_vc, sink& to);
    /// `outputs`: of outputs_of(), or those of them that are granted; none for a packet that is dropped.
    template <bool copies, typename sink>
    void send(unsigned input_vc, std::uint32_t outputs, sink& to);
    template <typename sink>
    void send_copies(unsigned input_vc, vc_state& in, std::uint32_t outputs, sink& to);
    template <typename sink>
    [[gnu::always_inline]] inline void free_front(unsigned input_vc, vc_state& in, std::uint16_t info, sink& to);

    template <bool copies, typename sink>
    [[gnu::always_inline]] inline void separable(sink& to);
    template <bool copies, typename sink>
    [[gnu::noinline]] void separable_again(std::uint32_t unserved, std::uint32_t taken, sink to);
    /// The only requesting input VC; its packet has one branch.
    template <typename sink>
    [[gnu::always_inline]] inline void alone(unsigned input_vc, sink& to);
    template <bool copies, typename sink>
    void islip(sink& to);

    /// Input VCs to consider.
    std::uint64_t asking() const { return hot().ready & ~hot().blocked; }

    // Pointers to what comes behind the last of all are not set to the first: first_from() takes both alike.
    void move_vc_pointer(unsigned port, unsigned input_vc) const {
        pointer(port) = static_cast<small>(input_vc - port * rules_->vcs + 1);
    }
    void move_output_pointer(unsigned port, unsigned input_port) const {
        output(port).pointer = static_cast<small>(input_port + 1);
    }
    /// First VC of `input_port` in `set` at or after the port's pointer.
    unsigned choose_vc(std::uint64_t set, unsigned input_port) const {
        const auto own = static_cast<std::uint32_t>(set >> input_port * rules_->vcs & rules_->port_mask);
        return input_port * rules_->vcs + first_of_few(own, pointer(input_port));
    }
    std::uint64_t vcs_of_port(unsigned port) const { return rules_->port_mask << port * rules_->vcs; }

    const rules_type* rules_;
    std::byte* memory_;
};

using router_unit = basic_router_unit<router_rules>;

template <typename rules_type>
template <bool copies, typename sink>
void basic_router_unit<rules_type>::send(unsigned input_vc, std::uint32_t outputs, sink& to) {
    vc_state& in = input(input_vc);
    if constexpr (copies) {
        if (in.output == many) return send_copies(input_vc, in, outputs, to);
    }
    if (outputs != 0) return send(input_vc, in, to);
    free_front(input_vc, in, info_of(input_vc, in.head), to);
}

template <typename rules_type>
template <typename sink>
void basic_router_unit<rules_type>::grant(unsigned port, unsigned input_vc, sink& to) {
    vc_state& in = input(input_vc);
    move_vc_pointer(port, input_vc);
    move_output_pointer(in.output, port);
    send(input_vc, in, to);
}

template <typename rules_type>
template <typename sink>
void basic_router_unit<rules_type>::send(unsigned input_vc, vc_state& in, sink& to) {
    const std::uint16_t info = info_of(input_vc, in.head);
    const bool tail = (info & flit_info::tail) != 0;
    const unsigned vc = to_output(in.output, vcs_for(in), in.holds, tail);
    if (!tail) {
        in.vcs = static_cast<vc_set>(bit(vc));
        in.holds = true;
    }
    to.forward(input_vc, in.head, in.output, vc, info);
    free_front(input_vc, in, info, to);
}

template <typename rules_type>
unsigned basic_router_unit<rules_type>::to_output(unsigned port, unsigned candidates, bool holds, bool tail) {
    output_state& out = output(port);
    const unsigned vc = first_of_few(candidates, out.vc_pointer);
    if (!holds) out.vc_pointer = static_cast<small>(vc + 1);
    if (holds == tail) out.free = static_cast<vc_set>(out.free ^ 1u << vc);  // a packet of one flit leaves it free
    const unsigned left = --credits(port, vc);
    if (left == 0) out.with_credit = static_cast<vc_set>(out.with_credit & ~(1u << vc));
    if (rules_->reserves() && left < rules_->reserve)
        out.with_reserve = static_cast<vc_set>(out.with_reserve & ~(1u << vc));
    if (tail && holds) wake(out);
    return vc;
}

/// Each of `outputs` reads the same flit.
template <typename rules_type>
template <typename sink>
void basic_router_unit<rules_type>::send_copies(unsigned input_vc, vc_state& in, std::uint32_t outputs, sink& to) {
    copy_state& copy = copy_of(input_vc);
    for (std::uint32_t set = outputs; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        unsigned slot = in.head + (copy.position[port] - copy.freed);
        if (slot >= rules_->vc_flits) slot -= rules_->vc_flits;
        const std::uint16_t info = info_of(input_vc, slot);
        const bool tail = (info & flit_info::tail) != 0;
        const bool holds = (copy.with_vc >> port & 1) != 0;
        const unsigned candidates =
            holds ? 1u << copy.vc[port]
                  : allowed(input_vc, rules_->vcs_of(info, port, copy.sides >> port & 1)) & assignable(output(port));
        copy.vc[port] = static_cast<small>(to_output(port, candidates, holds, tail));
        copy.with_vc |= 1u << port;
        ++copy.position[port];
        if (tail) copy.left &= ~(1u << port);
        to.forward(input_vc, slot, port, copy.vc[port], info);
    }
    // The lowest position moves by at most one: a read one lower than all others'.
    for (std::uint32_t set = copy.left; set != 0; set &= set - 1)
        if (copy.position[lowest(set)] == copy.freed) return;
    ++copy.freed;
    free_front(input_vc, in, info_of(input_vc, in.head), to);
}

/// The first flit leaves the buffer; the next one, possibly of the next packet, is at the front.
template <typename rules_type>
template <typename sink>
void basic_router_unit<rules_type>::free_front(unsigned input_vc, vc_state& in, std::uint16_t info, sink& to) {
    const unsigned slot = in.head;
    const bool tail = (info & flit_info::tail) != 0;
    if (tail) in.output = unknown;
    if (--in.count == 0) {
        in.head = 0;  // keeps what is used of a buffer that is often empty in few lines of the cache
        hot().ready ^= bit(input_vc);
    } else {
        in.head = static_cast<std::uint16_t>(slot + 1 == rules_->vc_flits ? 0 : slot + 1);
        if (tail) {
            hot().ready ^= bit(input_vc);
            to_front(input_vc, in, info_of(input_vc, in.head));
        }
    }
    to.free(input_vc, slot, info);
}

}  // namespace polycast::hw::chips

#include "hw/chips/router/router_allocation.h"  // what allocate() needs
