// SPDX-License-Identifier: Apache-2.0
/// \file Where packets begin and end on a virtual channel: step 1 of hw/chips/router/router.md, for routers and coding
/// units.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/chips/port_set.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "hw/format/packet_format.h"

namespace polycast::hw::chips {

/// State of the packet that arrives on a virtual channel.
struct vc_framing {
    std::uint16_t flits = 0;  ///< stored so far
    bool in_packet = false;
    bool discarding = false;
    bool dead = false;

    /// What happens to a flit.
    struct verdict {
        bool stored = false;
        bool head = false;    ///< stored as the first of its packet
        bool tail = false;    ///< stored as the last
        unsigned errors = 0;  ///< format::chip_error bits
    };
    /// `room`: the buffer has a free flit, registered.
    verdict arrive(bool head, bool tail, bool room, unsigned packet_limit);

    bool busy() const { return in_packet || discarding; }
};

inline vc_framing::verdict vc_framing::arrive(bool head, bool tail, bool room, unsigned packet_limit) {
    using format::chip_error;
    verdict out;
    if (dead) return out;
    if (head && busy()) {
        out.errors |= static_cast<unsigned>(chip_error::missing_tail);
    } else if (!head && !busy()) {
        out.errors |= static_cast<unsigned>(chip_error::missing_head);
        return out;
    }
    if (discarding) {
        discarding = !tail;
        return out;
    }
    if (!room) {
        dead = true;
        out.errors |= static_cast<unsigned>(chip_error::overflow);
        return out;
    }
    out.stored = true;
    out.head = !in_packet;
    if (out.head) flits = 0;
    ++flits;
    discarding = !tail && flits == packet_limit;
    if (discarding) out.errors |= static_cast<unsigned>(chip_error::too_long);
    out.tail = tail || discarding;
    in_packet = !out.tail;
    return out;
}

/// Header flits of a packet in the flits, from the first byte.
inline unsigned header_flits_of(std::uint8_t first_byte, unsigned flit_bytes) {
    const auto kind = static_cast<format::packet_kind>(first_byte & 0xfu);
    unsigned header = 1;
    if (kind == format::packet_kind::unicast) header = format::unicast_header_bytes;
    if (kind == format::packet_kind::broadcast) header = format::broadcast_header_bytes;
    return format::header_flits(header, flit_bytes);
}

/// `errors`: chip_error bits, or none.
inline void raise(unsigned port, unsigned errors, engine::pins& out) {
    if (errors == 0) return;
    out.error |= bit(port);
    out.errors[port] = static_cast<std::uint16_t>(out.errors[port] | errors);
}

inline void raise(unsigned port, format::chip_error error, engine::pins& out) {
    raise(port, static_cast<unsigned>(error), out);
}

/// Most flits have the width of a vector register.
inline void copy_flit(std::uint8_t* to, const std::uint8_t* from, unsigned bytes) {
    if (bytes == 16) {
        std::memcpy(to, from, 16);
    } else {
        std::memcpy(to, from, bytes);
    }
}

}  // namespace polycast::hw::chips
