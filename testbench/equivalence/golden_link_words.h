// SPDX-License-Identifier: Apache-2.0
/// \file Words of sets and trailers for the golden model of a link end.
#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <vector>

#include "hw/chips/link/link_symbol.h"

namespace polycast::testbench::equivalence {

constexpr std::uint64_t field(std::uint64_t word, unsigned low, unsigned bits) {
    return word >> low & ((std::uint64_t{1} << bits) - 1);
}

inline std::uint64_t set_word(unsigned type, unsigned vc, std::uint64_t number, std::uint64_t ack) {
    const std::uint64_t word = type + 16 * vc + (number << 8) + (ack << 28);
    boost::crc_basic<16> crc(0x3d65, 0, 0xffff, true, true);
    for (unsigned byte = 0; byte < 6; ++byte) crc.process_byte(static_cast<unsigned char>(word >> (8 * byte) & 0xff));
    return word + (std::uint64_t{crc.checksum()} << 48);
}

/// Bytes of a word in the symbols that carry it.
inline std::vector<hw::chips::link_symbol> spread(std::uint64_t word, const hw::chips::link_config& c,
                                                  hw::chips::symbol_kind kind) {
    std::vector<hw::chips::link_symbol> symbols;
    for (unsigned byte = 0; byte < 8; ++byte) {
        if (byte % c.flit_bytes == 0) symbols.emplace_back().kind = kind;
        symbols.back().data[byte % c.flit_bytes] = static_cast<std::uint8_t>(field(word, 8 * byte, 8));
    }
    return symbols;
}

inline std::uint64_t gather(const std::vector<hw::chips::link_symbol>& symbols, std::size_t from,
                            const hw::chips::link_config& c) {
    std::uint64_t word = 0;
    for (unsigned byte = 0; byte < 8 && from + byte / c.flit_bytes < symbols.size(); ++byte)
        word |= std::uint64_t{symbols[from + byte / c.flit_bytes].data[byte % c.flit_bytes]} << (8 * byte);
    return word;
}

}  // namespace polycast::testbench::equivalence
