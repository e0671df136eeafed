// SPDX-License-Identifier: Apache-2.0
#include "hw/format/header.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>

namespace polycast::hw::format {

void write_common(const common_header& header, std::uint8_t* bytes) {
    bytes[0] = static_cast<std::uint8_t>(header.kind);
    set_up(bytes, header.up);
    write_field<source_field>(bytes, header.source);
    write_field<sequence_field>(bytes, header.sequence);
    write_field<length_field>(bytes, header.length);
}

common_header read_common(const std::uint8_t* bytes) {
    return {static_cast<packet_kind>(bytes[0] & 0xf), up_of(bytes), read_field<source_field>(bytes),
            read_field<sequence_field>(bytes), static_cast<std::uint16_t>(read_field<length_field>(bytes))};
}

std::uint32_t check_word(const std::uint8_t* common, std::span<const std::uint8_t> payload) {
    std::array<std::uint8_t, common_header_bytes> fixed;
    std::copy_n(common, fixed.size(), fixed.begin());
    set_up(fixed.data(), false);
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(fixed.data(), fixed.size());
    crc.process_bytes(payload.data(), payload.size());
    return crc.checksum();
}

}  // namespace polycast::hw::format
