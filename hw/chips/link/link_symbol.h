// SPDX-License-Identifier: Apache-2.0
/// \file What is on the wires between two link ends in one cycle and direction.
#pragma once

#include <array>
#include <boost/container/deque.hpp>
#include <cstdint>
#include <vector>

#include "hw/chips/link/link_config.h"

namespace polycast::hw::chips {

/// Two wires apart, so that one flip gives none of them.
enum class symbol_kind : std::uint8_t { idle = 0b000, flit = 0b011, check = 0b101, set = 0b110 };

/// A flit on the pins towards the chip is one as well. All that says nothing is zero.
struct link_symbol {
    symbol_kind kind = symbol_kind::idle;  ///< a flip makes it one of the values that have no name
    bool head = false;
    bool tail = false;
    std::uint8_t vc = 0;
    std::array<std::uint8_t, 64> data = {};  ///< flit_bytes are on wires
    std::uint64_t beside = 0;                ///< the trailer or ordered set on 64 wires of its own
    std::vector<std::uint8_t> header;        ///< header_bytes of a head flit; empty: zero

    bool operator==(const link_symbol&) const = default;
};

/// As the pins of a chip carry it; the bytes are the symbol's.
inline engine::flit flit_of(const link_symbol& symbol) {
    return {symbol.head, symbol.tail, symbol.vc, symbol.data.data(),
            symbol.head && !symbol.header.empty() ? symbol.header.data() : nullptr};
}

/// A queue of symbols. std::deque would allocate for every third of them.
template <typename T>
using symbol_queue =
    boost::container::deque<T, void, typename boost::container::deque_options<boost::container::block_size<64u>>::type>;

/// Wires of a symbol: data from bit 0 of byte 0 on, head, tail, 4 of the virtual channel, 3 of the kind, 64 beside if
/// there are any, the free header.
inline unsigned symbol_wires(const link_config& config) {
    return 8 * config.flit_bytes + 9 + (config.beside ? 64 : 0) + 8 * config.header_bytes;
}

/// The number of the kind's lowest wire.
inline unsigned kind_wire(const link_config& config) {
    return 8 * config.flit_bytes + 6;
}

/// `wire` is below symbol_wires().
inline void flip_wire(const link_config& config, unsigned wire, link_symbol& symbol) {
    const auto flip_byte = [](std::uint8_t& byte, unsigned bit) { byte = static_cast<std::uint8_t>(byte ^ 1u << bit); };
    if (wire < 8 * config.flit_bytes) return flip_byte(symbol.data[wire / 8], wire % 8);
    wire -= 8 * config.flit_bytes;
    if (wire == 0) symbol.head = !symbol.head;
    if (wire == 1) symbol.tail = !symbol.tail;
    if (wire < 2) return;
    if (wire < 6) return flip_byte(symbol.vc, wire - 2);
    if (wire < 9) {
        symbol.kind = static_cast<symbol_kind>(static_cast<unsigned>(symbol.kind) ^ 1u << (wire - 6));
        return;
    }
    wire -= 9;
    if (config.beside && wire < 64) {
        symbol.beside ^= std::uint64_t{1} << wire;
        return;
    }
    if (config.beside) wire -= 64;
    symbol.header.resize(config.header_bytes);
    flip_byte(symbol.header[wire / 8], wire % 8);
}

/// `wire` is below symbol_wires().
inline bool read_wire(const link_config& config, unsigned wire, const link_symbol& symbol) {
    if (wire < 8 * config.flit_bytes) return (symbol.data[wire / 8] >> wire % 8 & 1) != 0;
    wire -= 8 * config.flit_bytes;
    if (wire == 0) return symbol.head;
    if (wire == 1) return symbol.tail;
    if (wire < 6) return (symbol.vc >> (wire - 2) & 1) != 0;
    if (wire < 9) return (static_cast<unsigned>(symbol.kind) >> (wire - 6) & 1) != 0;
    wire -= 9;
    if (config.beside && wire < 64) return (symbol.beside >> wire & 1) != 0;
    if (config.beside) wire -= 64;
    return wire / 8 < symbol.header.size() && (symbol.header[wire / 8] >> wire % 8 & 1) != 0;
}

}  // namespace polycast::hw::chips
