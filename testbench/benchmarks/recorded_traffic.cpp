// SPDX-License-Identifier: Apache-2.0
#include "testbench/benchmarks/recorded_traffic.h"

#include <algorithm>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <deque>

#include "hw/chips/switch/switch_core.h"
#include "hw/format/header.h"
#include "hw/traffic/random.h"

namespace polycast::testbench {

using namespace hw;

chips::switch_tables star_tables(const chips::switch_params& params) {
    chips::switch_tables tables;
    const std::size_t words = (params.max_hosts + 63) / 64;
    tables.packet_limit = params.chunks * params.chunk_flits;
    tables.tree_header_flits =
        params.header_free ? 1 : format::header_flits(format::tree_header_bytes(params.max_hosts), params.flit_bytes);
    tables.port_direction.assign(params.ports, format::direction::down);
    tables.buffer_chunks.assign(params.ports, params.chunks);
    tables.credits.assign(params.ports, params.chunks);
    tables.unicast_up.edit().assign(params.max_hosts, 0);
    tables.reach_total.edit().assign(words, 0);
    tables.reach_port.assign(params.ports, chips::bit_string(words, 0));
    for (unsigned port = 0; port < std::min(params.ports, params.max_hosts); ++port) {
        tables.unicast_up.edit()[port] = std::uint64_t{1} << port;
        tables.reach_total.edit()[0] |= std::uint64_t{1} << port;
        tables.reach_port[port].edit()[0] = std::uint64_t{1} << port;
    }
    tables.unicast_down = tables.unicast_up;
    return tables;
}

recorded_traffic record_traffic(const recording_params& params, unsigned cycles) {
    const chips::switch_params& p = params.chip;
    chips::switch_core core(p, star_tables(p));
    const engine::pin_shape shape = p.pin_shape();
    struct sender {
        std::vector<std::uint8_t> bytes;
        std::vector<std::uint8_t> header;
        std::size_t next = 0;
        unsigned credits = 0;
        std::uint32_t sequence = 0;
    };
    std::vector<sender> senders(p.ports);
    for (sender& sender : senders) sender.credits = p.chunks;
    std::vector<unsigned> received(p.ports);
    traffic::random_stream random(params.seed);
    boost::random::uniform_01<double> coin;
    const auto new_packet = [&](unsigned port, sender& sender) {
        const bool tree = coin(random) < params.multicast_fraction;
        std::vector<std::uint8_t> header(tree ? format::tree_header_bytes(p.max_hosts) : format::unicast_header_bytes);
        format::write_common({tree ? format::packet_kind::tree : format::packet_kind::unicast, true, port,
                              sender.sequence++, static_cast<std::uint16_t>(params.payload)},
                             header.data());
        boost::random::uniform_int_distribution<unsigned> any(0, p.ports - 1);
        if (tree) {
            for (unsigned count = 0; count < params.branches; ++count) {
                const unsigned to = any(random);
                header[format::common_header_bytes + to / 8] =
                    static_cast<std::uint8_t>(header[format::common_header_bytes + to / 8] | 1u << (to % 8));
            }
        } else {
            format::write_field<format::destination_field>(header.data(), any(random));
        }
        sender.bytes.clear();
        if (p.header_free) {
            sender.header = header;
            sender.header.resize(shape.header_bytes);
        } else {
            sender.bytes = header;
            sender.bytes.resize(std::size_t{format::header_flits(static_cast<unsigned>(header.size()), p.flit_bytes)} *
                                p.flit_bytes);
        }
        for (unsigned byte = 0; byte < params.payload; ++byte)
            sender.bytes.push_back(static_cast<std::uint8_t>(random()));
        sender.bytes.resize((sender.bytes.size() + p.flit_bytes - 1) / p.flit_bytes * p.flit_bytes);
        sender.next = 0;
    };

    recorded_traffic recorded;
    engine::pins out(shape);
    std::uint64_t returned = 0;  // credits of the last cycle's outputs, one cycle of link each way
    for (engine::cycle now = 0; now < cycles; ++now) {
        engine::pins in(shape);
        in.credit = returned;
        for (unsigned port = 0; port < p.ports; ++port) {
            sender& sender = senders[port];
            if (sender.bytes.empty()) {
                if (coin(random) * params.payload >= params.load) continue;
                new_packet(port, sender);
            }
            const std::size_t flit = sender.next / p.flit_bytes;
            if (flit % p.chunk_flits == 0) {
                if (sender.credits == 0) continue;
                --sender.credits;
            }
            const std::uint64_t mask = std::uint64_t{1} << port;
            in.valid |= mask;
            if (flit == 0) {
                in.head |= mask;
                if (p.header_free)
                    std::copy(sender.header.begin(), sender.header.end(),
                              in.header.begin() + port * static_cast<std::ptrdiff_t>(shape.header_bytes));
            }
            std::copy_n(sender.bytes.begin() + static_cast<std::ptrdiff_t>(sender.next), p.flit_bytes,
                        in.data.begin() + port * static_cast<std::ptrdiff_t>(p.flit_bytes));
            sender.next += p.flit_bytes;
            if (sender.next == sender.bytes.size()) {
                in.tail |= mask;
                sender.bytes.clear();
            }
        }
        out.clear();
        core.step(now, in, out);
        recorded.cycles.push_back(std::move(in));
        returned = 0;
        for (unsigned port = 0; port < p.ports; ++port) {
            if ((out.credit >> port & 1) != 0) ++senders[port].credits;
            if ((out.valid >> port & 1) == 0) continue;
            ++recorded.flits_out;
            const bool tail = (out.tail >> port & 1) != 0;
            if (tail || ++received[port] == p.chunk_flits) {
                returned |= std::uint64_t{1} << port;
                received[port] = 0;
            }
        }
    }
    return recorded;
}

}  // namespace polycast::testbench
