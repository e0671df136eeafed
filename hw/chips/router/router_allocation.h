// SPDX-License-Identifier: Apache-2.0
/// \file Which inputs send in a cycle: step 3 of hw/chips/router/router.md, a part of router_unit.h.
#pragma once

#include "hw/chips/router/router_unit.h"

namespace polycast::hw::chips {

template <typename rules_type>
template <bool copies, typename sink>
void basic_router_unit<rules_type>::separable(sink& to) {
    std::uint64_t left = asking();
    if (left == 0) return;
    if (!copies && (left & (left - 1)) == 0) return alone(lowest(left), to);
    std::array<std::uint32_t, rules_type::most_ports> requests = {};  // [output] input ports
    std::uint32_t requested = 0;                                      // outputs
    std::uint32_t unserved = 0;                                       // input ports that have chosen
    std::array<std::uint32_t, rules_type::most_ports> chosen;         // [input port] input VC
    do {
        const unsigned port = rules_->port_of(lowest(left));
        std::uint64_t own = left & vcs_of_port(port);
        left ^= own;
        do {
            const unsigned input_vc = choose_vc(own, port);
            const vc_state& in = input(input_vc);
            if (in.output == nowhere) {
                move_vc_pointer(port, input_vc);
                send<copies>(input_vc, 0, to);
                break;
            }
            const std::uint32_t outputs = outputs_of<copies>(input_vc, in);
            if (outputs != 0) {
                chosen[port] = input_vc;
                unserved |= 1u << port;
                requested |= outputs;
                if constexpr (copies) {
                    for (std::uint32_t set = outputs; set != 0; set &= set - 1) requests[lowest(set)] |= 1u << port;
                } else {
                    requests[in.output] |= 1u << port;
                }
                break;
            }
            own ^= bit(input_vc);
            block<copies>(input_vc, in);
        } while (own != 0);
    } while (left != 0);
    const std::uint32_t taken = requested;
    std::array<std::uint32_t, copies ? rules_type::most_ports : 0> granted = {};  // [input port] outputs
    std::uint32_t served = 0;                                                     // input ports
    for (; requested != 0; requested &= requested - 1) {
        const unsigned port = lowest(requested);
        const unsigned winner = first_of_few(requests[port], output(port).pointer);
        served |= 1u << winner;
        if constexpr (copies) {
            move_output_pointer(port, winner);
            granted[winner] |= 1u << port;
        } else {
            grant(winner, chosen[winner], to);
        }
    }
    // With copies before any flit leaves: an output changes when it sends, and with it which branches of a packet go.
    unserved ^= served;
    if (unserved != 0 && rules_->iterations > 1) [[unlikely]]
        separable_again<copies>(unserved, taken, to);
    if constexpr (copies) {
        for (; served != 0; served &= served - 1) {
            const unsigned port = lowest(served);
            move_vc_pointer(port, chosen[port]);
            send<copies>(chosen[port], granted[port], to);
        }
    }
}

/// The iterations behind the first: of input ports that have read nothing, for outputs that are not `taken`.
template <typename rules_type>
template <bool copies, typename sink>
void basic_router_unit<rules_type>::separable_again(std::uint32_t unserved, std::uint32_t taken, sink to) {
    std::array<std::uint32_t, rules_type::most_ports> granted = {};  // [input port] outputs
    std::array<std::uint32_t, rules_type::most_ports> chosen;        // [input port] input VC
    std::uint32_t served = 0;                                        // input ports
    for (unsigned iteration = 1; iteration < rules_->iterations; ++iteration) {
        std::array<std::uint32_t, rules_type::most_ports> requests = {};  // [output] input ports
        std::uint32_t requested = 0;                                      // outputs
        for (std::uint32_t set = unserved; set != 0; set &= set - 1) {
            const unsigned port = lowest(set);
            std::uint32_t outputs = 0;
            for (std::uint64_t own = asking() & vcs_of_port(port); own != 0 && outputs == 0; own ^= bit(chosen[port])) {
                chosen[port] = choose_vc(own, port);
                const vc_state& in = input(chosen[port]);
                if (in.output == nowhere) {
                    send<copies>(chosen[port], 0, to);
                    break;
                }
                // Outputs that are taken are not what they were at the start of the cycle.
                if (in.output != many && (taken >> in.output & 1) != 0) continue;
                outputs = outputs_of<copies>(chosen[port], in) & ~taken;
            }
            if (outputs == 0) unserved ^= 1u << port;  // and nothing comes free for it
            requested |= outputs;
            for (; outputs != 0; outputs &= outputs - 1) requests[lowest(outputs)] |= 1u << port;
        }
        if (requested == 0) break;
        taken |= requested;
        for (; requested != 0; requested &= requested - 1) {
            const unsigned port = lowest(requested);
            const unsigned winner = first_of_few(requests[port], output(port).pointer);
            granted[winner] |= 1u << port;
            served |= 1u << winner;
        }
        unserved &= ~served;
    }
    for (; served != 0; served &= served - 1) send<copies>(chosen[lowest(served)], granted[lowest(served)], to);
}

template <typename rules_type>
template <typename sink>
void basic_router_unit<rules_type>::alone(unsigned input_vc, sink& to) {
    const unsigned port = rules_->port_of(input_vc);
    vc_state& in = input(input_vc);
    if (in.output == nowhere) {
        move_vc_pointer(port, input_vc);
        free_front(input_vc, in, info_of(input_vc, in.head), to);
    } else if (vcs_for(in) != 0) {
        grant(port, input_vc, to);
    } else {
        block<false>(input_vc, in);
    }
}

template <typename rules_type>
template <bool copies, typename sink>
void basic_router_unit<rules_type>::islip(sink& to) {
    std::uint64_t able = asking();
    std::array<std::uint32_t, most_input_vcs> wanted;  // [input VC] outputs
    for (std::uint64_t set = able; set != 0; set &= set - 1) {
        const unsigned input_vc = lowest(set);
        const vc_state& in = input(input_vc);
        wanted[input_vc] = in.output == nowhere ? 0 : outputs_of<copies>(input_vc, in);
        if (in.output == nowhere || wanted[input_vc] != 0) continue;
        able &= ~bit(input_vc);
        block<copies>(input_vc, in);
    }
    // A dropped packet whose turn it is takes its input as a flit to an output would.
    for (std::uint64_t left = able; left != 0;) {
        const unsigned port = rules_->port_of(lowest(left));
        left &= ~vcs_of_port(port);
        const unsigned input_vc = choose_vc(able, port);
        if (input(input_vc).output != nowhere) continue;
        able &= ~vcs_of_port(port);
        move_vc_pointer(port, input_vc);
        send<copies>(input_vc, 0, to);
    }
    std::array<std::uint32_t, rules_type::most_ports> offers;
    std::uint32_t taken = 0;  // outputs
    for (unsigned iteration = 0; iteration < rules_->iterations; ++iteration) {
        std::array<std::uint64_t, rules_type::most_ports> requests = {};    // [output] input VCs
        std::array<std::uint32_t, rules_type::most_ports> requesting = {};  // [output] input ports
        std::uint32_t requested = 0;                                        // outputs
        for (std::uint64_t set = able; set != 0; set &= set - 1) {
            const unsigned input_vc = lowest(set);
            const std::uint32_t open = wanted[input_vc] & ~taken;
            requested |= open;
            for (std::uint32_t ports = open; ports != 0; ports &= ports - 1) {
                requests[lowest(ports)] |= bit(input_vc);
                requesting[lowest(ports)] |= 1u << rules_->port_of(input_vc);
            }
        }
        if (requested == 0) return;
        std::uint32_t offered = 0;  // input ports
        for (; requested != 0; requested &= requested - 1) {
            const unsigned port = lowest(requested);
            const unsigned winner = first_of_few(requesting[port], output(port).pointer);
            if ((offered >> winner & 1) == 0) offers[winner] = 0;
            offered |= 1u << winner;
            offers[winner] |= 1u << port;
        }
        for (; offered != 0; offered &= offered - 1) {
            const unsigned port = lowest(offered);
            const unsigned first = first_of_few(offers[port], accept_pointer(port));
            const unsigned input_vc = choose_vc(able & requests[first], port);
            const std::uint32_t accepted = offers[port] & wanted[input_vc];
            able &= ~vcs_of_port(port);
            taken |= accepted;
            if (iteration == 0) {
                for (std::uint32_t set = accepted; set != 0; set &= set - 1) move_output_pointer(lowest(set), port);
                accept_pointer(port) = static_cast<small>(first + 1);
                move_vc_pointer(port, input_vc);
            }
            send<copies>(input_vc, accepted, to);
        }
    }
}

}  // namespace polycast::hw::chips
