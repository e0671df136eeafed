// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_coding_bytes.h"

#include "testbench/equivalence/golden_coding.h"

namespace polycast::testbench::equivalence {

std::uint32_t golden_bits(const std::vector<std::uint8_t>& header, hw::format::field where) {
    std::uint32_t value = 0;
    for (unsigned bit = 0; bit < where.bits; ++bit) {
        const unsigned at = where.offset + bit;
        value |= (header[at / 8] >> at % 8 & 1u) << bit;
    }
    return value;
}

void golden_put(std::vector<std::uint8_t>& header, hw::format::field where, std::uint32_t value) {
    for (unsigned bit = 0; bit < where.bits; ++bit) {
        const unsigned at = where.offset + bit;
        header[at / 8] = static_cast<std::uint8_t>((header[at / 8] & ~(1u << at % 8)) | (value >> bit & 1u) << at % 8);
    }
}

unsigned golden_header_flits(std::uint8_t first, unsigned flit_bytes) {
    const unsigned kind = first & 15u;
    const unsigned bytes = kind == 0 ? 13 : kind == 4 ? 11 : 1;
    return (bytes + flit_bytes - 1) / flit_bytes;
}

std::uint32_t golden_crc(const std::vector<std::uint8_t>& bytes) {
    std::uint32_t remainder = 0xffffffff;
    for (const std::uint8_t byte : bytes) {
        remainder ^= byte;
        for (unsigned bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? 0x82f63b78u : 0u);
    }
    return ~remainder;
}

/// Over the common header with up = 0, the transport header with hops = 0, and the payload; or over the unicast header
/// with up = 0, the transport header, and the payload. `header`: that of a unicast
golden_coding::bytes golden_coding::check_of(const bytes& header, const bytes& transport, const bytes& payload) const {
    bytes all(header.begin(), header.begin() + (params_.check_route ? 13 : 10));
    golden_put(all, hw::format::up_field, 0);
    bytes second = transport;
    if (!params_.check_route) golden_put(second, hw::format::transport_hops_field, 0);
    all.insert(all.end(), second.begin(), second.end());
    all.insert(all.end(), payload.begin(), payload.end());
    bytes check(4);
    golden_put(check, {0, 32}, golden_crc(all));
    return check;
}

std::vector<golden_coding::flit> golden_coding::build(unsigned context, unsigned index, std::uint32_t destination,
                                                      const bytes& payload) const {
    namespace format = hw::format;
    const auto& c = registers_.contexts[context];
    const auto length = static_cast<std::uint32_t>(payload.size());
    bytes common(13);
    golden_put(common, format::kind_field, 0);
    golden_put(common, format::up_field, 1);
    golden_put(common, format::vc_class_field, c.vc_class);
    golden_put(common, format::source_field, registers_.number);
    golden_put(common, format::sequence_field, was_.sequence);
    golden_put(common, format::length_field, length);
    golden_put(common, format::destination_field, destination);
    bytes transport(24);
    golden_put(transport, format::transport_op_field, static_cast<std::uint32_t>(c.op));
    golden_put(transport, format::transport_process_field, c.process);
    golden_put(transport, format::transport_source_process_field, c.source_process);
    golden_put(transport, format::transport_lane_field, c.lane);
    golden_put(transport, format::transport_group_field, c.group);
    golden_put(transport, format::transport_message_field, c.message + index);
    golden_put(transport, format::transport_total_field, length);
    golden_put(transport, format::transport_tag_field, c.tag + index);
    const bytes check = check_of(common, transport, payload);

    const auto append = [](bytes& to, const bytes& part) { to.insert(to.end(), part.begin(), part.end()); };
    const unsigned width = params_.flit_bytes;
    const auto pad = [&](bytes& to) { to.resize((to.size() + width - 1) / width * width); };
    bytes data;
    bytes free;
    if (params_.header_free) {
        free = common;
        free.resize(shape_.header_bytes - 28);
        append(free, transport);
        append(free, check);
        data = payload;
    } else {
        data = common;
        pad(data);
        append(data, transport);
        append(data, payload);
        append(data, check);
    }
    pad(data);
    std::vector<flit> flits;
    for (std::size_t from = 0; from < data.size(); from += width) {
        const auto first = data.begin() + static_cast<std::ptrdiff_t>(from);
        flits.push_back({bytes(first, first + width), from == 0 ? free : bytes{}, from == 0, false});
    }
    flits.back().tail = true;
    return flits;
}

}  // namespace polycast::testbench::equivalence
