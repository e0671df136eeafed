// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/symbol_wires.h"

namespace polycast::hw::chips {

void pack_symbol(const link_config& config, const link_symbol& symbol, std::vector<std::uint8_t>& wires) {
    const auto put = [&](unsigned first, std::uint64_t value, unsigned count) {
        for (unsigned bit = 0; bit < count; ++bit, ++first)
            wires[first / 8] = static_cast<std::uint8_t>(wires[first / 8] | (value >> bit & 1) << first % 8);
    };
    std::copy_n(symbol.data.begin(), config.flit_bytes, wires.begin());
    unsigned place = 8 * config.flit_bytes;
    put(place,
        unsigned{symbol.head} | unsigned{symbol.tail} << 1 | unsigned{symbol.vc} << 2 |
            static_cast<unsigned>(symbol.kind) << 6,
        9);
    place += 9;
    if (config.beside) {
        put(place, symbol.beside, 64);
        place += 64;
    }
    for (const std::uint8_t byte : symbol.header) {
        put(place, byte, 8);
        place += 8;
    }
}

void unpack_symbol(const link_config& config, const std::vector<std::uint8_t>& wires, bool every_header,
                   link_symbol& symbol) {
    const auto take = [&](unsigned first, unsigned count) {
        std::uint64_t value = 0;
        for (unsigned bit = 0; bit < count; ++bit, ++first)
            value |= std::uint64_t{wires[first / 8] >> first % 8 & 1u} << bit;
        return value;
    };
    symbol = {};
    std::copy_n(wires.begin(), config.flit_bytes, symbol.data.begin());
    unsigned place = 8 * config.flit_bytes;
    const auto marks = static_cast<unsigned>(take(place, 9));
    symbol.head = (marks & 1) != 0;
    symbol.tail = (marks >> 1 & 1) != 0;
    symbol.vc = static_cast<std::uint8_t>(marks >> 2 & 0xf);
    symbol.kind = static_cast<symbol_kind>(marks >> 6);
    place += 9;
    if (config.beside) {
        symbol.beside = take(place, 64);
        place += 64;
    }
    if (!every_header && (!symbol.head || symbol.kind != symbol_kind::flit)) return;
    for (unsigned byte = 0; byte < config.header_bytes; ++byte, place += 8)
        symbol.header.push_back(static_cast<std::uint8_t>(take(place, 8)));
    // None says the same as zeros.
    if (every_header && std::ranges::all_of(symbol.header, [](std::uint8_t byte) { return byte == 0; }))
        symbol.header.clear();
}

}  // namespace polycast::hw::chips
