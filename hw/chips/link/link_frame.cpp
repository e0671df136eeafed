// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_frame.h"

#include <boost/crc.hpp>
namespace polycast::hw::chips {

namespace {

/// CRC-16/DNP of bits 0..47.
std::uint16_t set_check(std::uint64_t word) {
    boost::crc_optimal<16, 0x3d65, 0, 0xffff, true, true> crc;
    for (unsigned byte = 0; byte < 6; ++byte) crc.process_byte(static_cast<std::uint8_t>(word >> (8 * byte)));
    return static_cast<std::uint16_t>(crc.checksum());
}

constexpr std::uint32_t twenty_bits = 0xfffff;

}  // namespace

void frame_check::add(const link_config& config, const link_symbol& flit) {
    sum_.add({flit.data.data(), config.flit_bytes});
    const auto marks = static_cast<std::uint8_t>(unsigned{flit.head} | unsigned{flit.tail} << 1 | flit.vc << 2u);
    sum_.add({&marks, 1});
    if (!flit.head || config.header_bytes == 0) return;
    sum_.add(flit.header);
    constexpr std::uint8_t zero = 0;
    for (std::size_t byte = flit.header.size(); byte < config.header_bytes; ++byte) sum_.add({&zero, 1});
}

std::uint64_t frame_check::seal(const link_trailer& trailer) const {
    const std::uint32_t low = trailer.sequence | (trailer.flits - 1) << 20 | trailer.type << 28;
    const std::array<std::uint8_t, 4> bytes = {static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(low >> 8),
                                               static_cast<std::uint8_t>(low >> 16),
                                               static_cast<std::uint8_t>(low >> 24)};
    format::crc32c_sum whole = sum_;
    whole.add(bytes);
    return std::uint64_t{whole.value()} << 32 | low;
}

link_trailer read_trailer(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word) & twenty_bits, (static_cast<unsigned>(word >> 20) & 0xff) + 1,
            static_cast<unsigned>(word >> 28) & 0xf};
}

std::uint64_t pack(const ordered_set& set) {
    const std::uint64_t word = static_cast<std::uint64_t>(set.type) | std::uint64_t{set.vc} << 4 |
                               std::uint64_t{set.number} << 8 | std::uint64_t{set.ack} << 28;
    return word | std::uint64_t{set_check(word)} << 48;
}

std::optional<ordered_set> read_set(std::uint64_t word) {
    const unsigned type = word & 0xf;
    if (set_check(word) != word >> 48 || type < 1 || type > 5) return std::nullopt;
    return ordered_set{static_cast<set_type>(type), static_cast<unsigned>(word >> 4) & 0xf,
                       static_cast<std::uint32_t>(word >> 8) & twenty_bits,
                       static_cast<std::uint32_t>(word >> 28) & twenty_bits};
}

link_symbol message_flit(const link_config& config, const link_message& message, unsigned index) {
    link_symbol flit;
    flit.kind = symbol_kind::flit;
    put_word(config, message.vc | message.number << 4, index, flit);
    return flit;
}

link_message read_message(const link_config& config, frame_type type, const std::vector<link_symbol>& flits) {
    std::uint64_t word = 0;
    for (unsigned index = 0; index < flits.size(); ++index) word = take_word(config, word, index, flits[index]);
    return {type, static_cast<unsigned>(word) & 0xf, static_cast<std::uint32_t>(word >> 4) & twenty_bits};
}

void put_word(const link_config& config, std::uint64_t word, unsigned index, link_symbol& symbol) {
    for (unsigned byte = index * config.flit_bytes, to = 0; byte < 8 && to < config.flit_bytes; ++byte, ++to)
        symbol.data[to] = static_cast<std::uint8_t>(word >> (8 * byte));
}

std::uint64_t take_word(const link_config& config, std::uint64_t word, unsigned index, const link_symbol& symbol) {
    for (unsigned byte = index * config.flit_bytes, from = 0; byte < 8 && from < config.flit_bytes; ++byte, ++from)
        word |= std::uint64_t{symbol.data[from]} << (8 * byte);
    return word;
}

}  // namespace polycast::hw::chips
