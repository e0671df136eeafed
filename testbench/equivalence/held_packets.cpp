// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/held_packets.h"

#include "hw/format/packet_format.h"

namespace polycast::testbench::equivalence {

using hw::engine::pins;
using hw::format::chip_error;

held_packets::held_packets(const hw::engine::pin_shape& shape, unsigned longest_header)
    : shape_(shape), longest_header_(longest_header) {
    reset();
}

void held_packets::reset() {
    packets_.assign(std::size_t{shape_.ports} * shape_.vcs, {});
    dead_.assign(packets_.size(), false);
}

const held_packets::packet* held_packets::arrive(unsigned port, const pins& in, const pins& out) {
    const auto up = [port](std::uint64_t mask) { return (mask >> port & 1) != 0; };
    const unsigned vc = in.vc.empty() ? 0 : in.vc[port];
    if (!up(in.valid) || vc >= shape_.vcs || dead_[port * shape_.vcs + vc]) return nullptr;
    const auto raised = [&](chip_error error) {
        return up(out.error) && (out.errors[port] & static_cast<unsigned>(error)) != 0;
    };
    std::deque<packet>& packets = waiting(port, vc);
    if (raised(chip_error::overflow)) {
        dead_[port * shape_.vcs + vc] = true;
        return nullptr;
    }
    if (up(in.head) && !raised(chip_error::missing_tail)) {
        packets.emplace_back();
        if (shape_.header_bytes != 0) {
            const std::uint8_t* header = &in.header[std::size_t{port} * shape_.header_bytes];
            packets.back().header.assign(header, header + shape_.header_bytes);
        }
    }
    if (packets.empty() || packets.back().closed) return nullptr;  // outside a packet, or discarding
    packet& last = packets.back();
    const std::uint8_t* data = &in.data[std::size_t{port} * shape_.flit_bytes];
    if (shape_.header_bytes == 0 && last.header.size() < longest_header_)
        last.header.insert(last.header.end(), data, data + shape_.flit_bytes);
    ++last.stored;
    last.closed = up(in.tail) || raised(chip_error::too_long);
    last.bad = raised(chip_error::short_header);
    return last.bad ? &last : nullptr;
}

}  // namespace polycast::testbench::equivalence
