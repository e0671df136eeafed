// SPDX-License-Identifier: Apache-2.0
/// \file How the memory of a router_unit is laid out.
#pragma once

#include <array>
#include <cstdint>

#include "hw/chips/router/router_config.h"

namespace polycast::hw::chips {

/// What a router's memory holds, whatever its rules are made of: hot_state; [port] output_state; [port][VC] credits;
/// [port] pointers of inputs, then accept pointers. From memory_map::inputs on [input VC] vc_state and the flit in slot
/// 0, so that they are in one line of the cache, or [input VC] vc_state and all flits; what copies need. At equal
/// distances behind, in the planes, [input VC] the flits in slots 1 and 2, 3 and 4, ...
class router_unit_state {
public:
    /// State of an input VC and of the packet at its front, for waves.
    struct front_state {
        enum class phase : std::uint8_t { none, routing, active, dropped };
        unsigned occupied;      ///< flits in the buffer
        phase state;            ///< of the packet at the front
        std::uint32_t waiting;  ///< outputs at which it has no VC yet
        std::uint32_t reading;  ///< outputs at which it holds one
    };

protected:
    /// A number of one byte. The compiler takes stores to std::uint8_t for stores to anything.
    using small = char8_t;

    struct hot_state {
        std::uint64_t ready;    ///< input VCs with a flit that may be sent as far as the input knows
        std::uint64_t blocked;  ///< those of them whose output has no credit or VC for them
    };
    struct vc_state {
        std::uint16_t head;   ///< slot of the first flit
        std::uint16_t count;  ///< flits in the buffer
        vc_set vcs;           ///< that the packet at the front may take; the one that it holds
        small output;         ///< of the packet at the front, or many, nowhere, unknown
        bool holds;           ///< an output VC
    };
    struct flit_state {
        std::uint32_t tag;   ///< whatever its owner remembers of it
        std::uint16_t info;  ///< flit_info
    };
    struct output_state {
        std::uint64_t waiters;  ///< input VCs of hot_state::blocked that a credit or a free VC wakes; maybe others
        vc_set free;            ///< VCs held by no packet
        vc_set with_credit;
        vc_set with_reserve;  ///< kept where the reserve is more than one credit
        small pointer;        ///< input port
        small vc_pointer;     ///< to be assigned next
    };

    /// State of a packet at the front that is copied. Positions count its flits from 0.
    struct copy_state {
        std::uint32_t left;     ///< outputs that have not read the tail
        std::uint32_t with_vc;  ///< outputs at which it holds a VC
        std::uint32_t freed;    ///< flits that have left the buffer
        std::uint32_t sides;
        std::array<std::uint16_t, most_copy_ports> position;  ///< [output] of its next flit
        std::array<small, most_copy_ports> vc;                ///< [output] that it holds
    };
    static constexpr small nowhere = 0xff;
    static constexpr small many = 0xfe;
    static constexpr small unknown = 0xfd;  ///< no packet at the front, or not routed yet
};

}  // namespace polycast::hw::chips
