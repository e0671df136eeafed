// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/traffic.h"

#include <algorithm>
#include <array>

#include "testbench/ni/commands.h"

namespace polycast::testbench::ni {

namespace {

constexpr cycle phase_cycles = 250'000;
constexpr cycle short_phase = 60'000;
constexpr std::uint32_t wire_host = 6;

class message_counter {
public:
    message_order next(std::uint32_t length, std::uint32_t process = 0) {
        ++number_;
        return {.offset = number_ * 3, .length = length, .process = process, .message = number_, .tag = number_ * 5};
    }

private:
    std::uint32_t number_ = 0;
};

void give_buffers(star_bench& bench) {
    bench.next_phase(short_phase);
    for (std::uint32_t host = 0; host < 6; ++host) {
        for (std::uint32_t index = 0; index < 30; ++index) {
            bench.command(host, 0, receive_command(index * 1024, 1024, 1000 + index));
            bench.command(host, 1, receive_command(index * 4096, 4096, 2000 + index));
        }
        // Beyond its window: what arrives there is refused by the hardware.
        bench.command(host, 2, receive_command(process_layout::receive_bytes - 10, 100, 3000));
    }
}

void unicasts(star_bench& bench, message_counter& count) {
    bench.next_phase(phase_cycles);
    for (const std::uint32_t from : {0u, 2u, 4u})
        for (const std::uint32_t length : {1u, 2u, 3u, 63u, 64u, 65u, 127u, 128u, 129u, 500u, 1024u})
            bench.command(from, 0, send_command(from + 1, count.next(length)));
    bench.next_phase(phase_cycles);
    for (const std::uint32_t from : {1u, 3u, 5u})
        for (const std::uint32_t length : {4096u, 2048u, 7u})
            bench.command(from, 1, send_command(from - 1, count.next(length, 1)));
    bench.next_phase(phase_cycles);
    for (std::uint32_t from = 0; from < 3; ++from)
        bench.command(from, 2, send_command(from + 3, count.next(3000 + from, 1)));
}

constexpr hw::format::header_shape shape = star_bench::header_shape;

route tree_to(const std::vector<std::uint32_t>& hosts) {
    return hw::format::tree_route(shape, hosts);
}

/// A worm that the one switch copies: SSR, or a path that ends there.
route stop_to(hw::format::packet_kind kind, const std::vector<std::uint32_t>& hosts) {
    std::array<hw::format::stop, 1> stops{};
    for (const std::uint32_t host : hosts) stops[0].ports |= std::uint64_t{1} << host;
    return kind == hw::format::packet_kind::ssr ? hw::format::ssr_route(shape, stops[0])
                                                : hw::format::path_route(shape, stops);
}

void worms(star_bench& bench, message_counter& count) {
    using hw::format::packet_kind;
    bench.next_phase(phase_cycles);
    bench.command(0, 0, send_worm_command(tree_to({1, 2, 3, 4, 5}), count.next(300)));
    bench.next_phase(phase_cycles);
    bench.command(5, 0, send_worm_command(tree_to({0, 2}), count.next(64, 1)));
    bench.command(5, 0, send_worm_command(tree_to({0, 1, 4}), count.next(2000, 1)));
    bench.next_phase(phase_cycles);
    bench.command(1, 0, send_worm_command(stop_to(packet_kind::ssr, {0, 3}), count.next(300)));
    bench.command(2, 1, send_worm_command(stop_to(packet_kind::path, {4, 5}), count.next(1000, 1)));
    bench.next_phase(phase_cycles);
    bench.command(3, 1, send_worm_command(stop_to(packet_kind::path, {0}), count.next(64, 1)));
    bench.command(3, 1, send_worm_command(stop_to(packet_kind::ssr, {1, 2, 4}), count.next(500, 1)));
}

/// Groups whose children are worms: 0 -> {1, 2}, {3}; 1 -> {4, 5}; FPFS and FCFS, and one that hosts of another kind
/// belong to, so that packets are dropped.
void groups_of_worms(star_bench& bench, message_counter& count) {
    using hw::format::packet_kind;
    bench.next_phase(short_phase);
    const auto set = [&](std::uint32_t host, std::uint32_t number, std::uint32_t flags, const std::vector<route>& all) {
        bench.command(host, 1, worm_group_command(NI_COMMAND_SET_GROUP, 0, number, flags, all));
    };
    for (const std::uint32_t number : {20u, 21u, 22u}) {
        const std::uint32_t flags = number == 21 ? unsigned{NI_GROUP_FCFS} : 0u;
        const packet_kind kind = number == 22 ? packet_kind::ssr : packet_kind::path;
        set(0, number, flags, {stop_to(kind, {1, 2}), stop_to(kind, {3})});
        set(1, number, flags | deliver_to(1), {stop_to(packet_kind::path, {4, 5})});
        for (const std::uint32_t host : {2u, 3u, 4u, 5u})
            bench.command(host, 1, group_command(NI_COMMAND_SET_GROUP, 0, number, deliver_to(1)));
    }
    for (const std::uint32_t number : {20u, 21u, 22u}) {
        for (const std::uint32_t length : {50u, 1000u}) {
            bench.next_phase(phase_cycles);
            bench.command(0, 1, send_group_command(0, number, count.next(length)));
        }
    }
    bench.next_phase(short_phase);
    bench.command(0, 1, worm_group_command(NI_COMMAND_EXTEND_GROUP, 0, 0, 0, {stop_to(packet_kind::ssr, {5})}));
    bench.command(0, 0, send_worm_command({packet_kind::path, {9, 0}}, count.next(5)));
    bench.command(0, 0, send_worm_command({packet_kind::tree, {0}}, count.next(5)));
}

/// 0 -> 1, 2; 1 -> 3, 4; 2 -> 5.
void set_groups(star_bench& bench, std::uint32_t number, std::uint32_t flags) {
    const auto set = [&](std::uint32_t host, std::uint32_t more, const std::vector<std::uint32_t>& children) {
        bench.command(host, 1, group_command(NI_COMMAND_SET_GROUP, 0, number, flags | more, children));
    };
    set(0, 0, {1, 2});
    set(1, deliver_to(1), {3, 4});
    set(2, deliver_to(1), {5});
    set(3, deliver_to(1), {});
    set(4, deliver_to(1), {});
    set(5, deliver_to(1), {});
}

void multicast(star_bench& bench, std::uint32_t group, const message_order& what, std::uint32_t root = 0) {
    bench.next_phase(phase_cycles);
    bench.command(root, 1, send_group_command(root, group, what));
}

void groups(star_bench& bench, message_counter& count) {
    bench.next_phase(short_phase);
    set_groups(bench, 7, 0);
    set_groups(bench, 8, NI_GROUP_FCFS);
    set_groups(bench, 9, NI_GROUP_FCFS | NI_GROUP_ONCE);
    for (const std::uint32_t length : {50u, 640u, 1000u}) {
        multicast(bench, 7, count.next(length));
        multicast(bench, 8, count.next(length));
    }
    multicast(bench, 9, count.next(400));
    multicast(bench, 9, count.next(400));  // it was for one message
    bench.next_phase(short_phase);
    bench.command(2, 1, group_command(NI_COMMAND_CLEAR_GROUP, 0, 7, 0));
    bench.command(1, 1, group_command(NI_COMMAND_SET_GROUP, 0, 8, NI_GROUP_FCFS, {4}));
    bench.command(1, 1, group_command(NI_COMMAND_EXTEND_GROUP, 0, 0, 0, {3}), 10'000);
    multicast(bench, 7, count.next(700));  // unknown at host 2
    multicast(bench, 8, count.next(700));  // the other way round, and not to host 1's process
}

/// 0 -> 1 -> 2 -> 3, each host when it has what it sends; then messages whose packets are acknowledged.
void followers(star_bench& bench, message_counter& count) {
    constexpr std::uint32_t counter = 5, step = 200, place = 0x8000;
    for (const std::uint32_t flags : {std::uint32_t{NI_SEND_FOLLOW}, std::uint32_t{NI_SEND_FOLLOW | NI_SEND_WHOLE}}) {
        bench.next_phase(phase_cycles);
        const message_order what = count.next(1500);
        for (const std::uint32_t host : {1u, 2u}) {
            bench.command(host, 0, set_counter_command(counter, 0));
            bench.command(host, 0, expect_command(host - 1, what, place, counter, step));
            bench.command(host, 0, gated_command(send_command(host + 1, what), flags, counter, step, 0));
        }
        bench.command(3, 0, expect_command(2, what, place, 0xffffffff, 0));
        bench.command(0, 0, send_command(1, what), 20'000);
    }
    bench.next_phase(phase_cycles);
    for (const std::uint32_t length : {1u, 64u, 1000u, 4000u}) {
        const message_order what = count.next(length);
        bench.command(1, 0, expect_command(0, what, place, 0xffffffff, 0));
        bench.command(0, 0, gated_command(send_command(1, what), NI_SEND_WINDOW | NI_SEND_SECOND, 0, 0, 100 + length),
                      20'000);
    }
    bench.next_phase(short_phase);  // dropped, and acknowledged all the same
    bench.command(2, 0, gated_command(send_command(3, count.next(300, 9)), NI_SEND_WINDOW, 0, 0, 64));
    bench.command(4, 0, gated_command(send_command(4, count.next(300)), NI_SEND_WINDOW, 0, 0, 64));
    bench.command(5, 0, set_counter_command(1000, 1));
}

void errors(star_bench& bench, message_counter& count) {
    bench.next_phase(short_phase);
    bench.command(0, 0, send_command(2, count.next(10, 9)));    // no such process
    bench.command(1, 0, send_command(3, count.next(2000, 0)));  // too long for its buffer
    bench.command(4, 0, send_command(5, count.next(200, 2)));   // too long, again
    bench.next_phase(short_phase);
    message_order outside = count.next(20);
    outside.offset = process_layout::send_bytes - 10;
    bench.command(0, 0, send_command(1, outside));
    bench.command(1, 0, words{99, 1, 2, 3, 4, 5, 6, 7});
    bench.command(2, 0, send_command(77, count.next(5)));
    bench.command(3, 0, send_group_command(3, 55, count.next(5)));
    bench.command(4, 0, group_command(NI_COMMAND_SET_GROUP, 4, 1, 0, {1, 2, 1}));
    bench.command(5, 0, group_command(NI_COMMAND_EXTEND_GROUP, 5, 1, 0, {1}));
    bench.next_phase(short_phase);
    bench.command(0, 0, send_command(1, count.next(50, 2)));  // its transfer is refused
    bench.command(2, 0, send_command(3, count.next(50, 2)));
    bench.next_phase(short_phase);
    bench.command(0, 0, send_command(1, count.next(50, 2)));  // no buffer any more
    message_order no_hops = count.next(100);
    no_hops.hops = 0;
    bench.next_phase(short_phase);
    bench.command(0, 1, send_group_command(0, 7, no_hops));
}

packet_fields data_packet(std::uint32_t to, std::uint32_t message, std::uint32_t offset, std::uint32_t total) {
    packet_fields fields;
    fields.source = wire_host;
    fields.sequence = message * 100 + offset;
    fields.destination = to;
    fields.transport.source_process = 2;
    fields.transport.message = message;
    fields.transport.offset = offset;
    fields.transport.total = total;
    fields.transport.tag = 0xabcd;
    const std::uint32_t length = offset < total ? std::min(total - offset, 64u) : 64;
    for (std::uint32_t byte = 0; byte < length; ++byte)
        fields.payload.push_back(static_cast<std::uint8_t>(message * 3 + offset + byte));
    return fields;
}

void malformed(star_bench& bench) {
    bench.next_phase(phase_cycles);
    cycle when = 0;
    const auto put = [&](const packet_fields& fields) { bench.wire(fields, when += 3000); };
    for (std::uint32_t to = 0; to < 4; ++to) {
        packet_fields bad = data_packet(to, 1, 0, 64);
        bad.check_error = 1u << to;
        put(bad);
        bad = data_packet(to, 2, 0, 64);
        bad.transport.op = static_cast<hw::format::transport_op>(5);
        put(bad);
        put(data_packet(to, 3, 64, 64));
        put(data_packet(to, 4, 5, 300));
        bad = data_packet(to, 5, 0, 64);
        bad.source = 100;
        put(bad);
        bad = data_packet(to, 6, 0, 64);
        bad.transport.group = 4711;
        put(bad);
        // In the wrong order, one twice, one that speaks of another length; the message is whole in the end.
        for (const std::uint32_t offset : {128u, 0u, 128u, 192u}) put(data_packet(to, 7, offset, 250));
        put(data_packet(to, 7, 64, 1000));
        put(data_packet(to, 7, 64, 250));
    }
    // A flood of them: the process is told of some, all are counted.
    for (std::uint32_t message = 0; message < 20; ++message) {
        packet_fields bad = data_packet(5, message, 0, 10);
        bad.check_error = 0xffff;
        put(bad);
    }
}

void read_statistics(star_bench& bench) {
    bench.next_phase(short_phase);
    for (std::uint32_t host = 0; host < 6; ++host) {
        bench.command(host, 1, statistics_command());  // which may not
        bench.command(host, 0, statistics_command(), short_phase / 2);
    }
}

}  // namespace

void all_traffic(star_bench& bench) {
    message_counter count;
    give_buffers(bench);
    unicasts(bench, count);
    worms(bench, count);
    groups(bench, count);
    groups_of_worms(bench, count);
    followers(bench, count);
    errors(bench, count);
    malformed(bench);
    read_statistics(bench);
}

std::vector<std::string> differences(const hw::ni::ni_params& params, const observation& one,
                                     const observation& other) {
    std::vector<std::string> found;
    for (const std::string& text : other.unfinished) found.push_back("unfinished: " + text);
    for (std::size_t host = 0; host < one.nodes.size(); ++host) {
        const observation::node& a = one.nodes[host];
        const observation::node& b = other.nodes[host];
        const std::string where = "host " + std::to_string(host) + ": ";
        const auto compare = [&](std::uint64_t first, std::uint64_t second, const std::string& what) {
            if (first != second)
                found.push_back(where + what + " " + std::to_string(first) + " and " + std::to_string(second));
        };
        compare(a.link.size(), b.link.size(), "packets on its link");
        const auto packet = std::ranges::mismatch(a.link, b.link);
        if (packet.in1 != a.link.end() && packet.in2 != b.link.end())
            found.push_back(where + "packet " + std::to_string(packet.in1 - a.link.begin()) + " is " +
                            describe(params, *packet.in1) + "; and " + describe(params, *packet.in2));
        const auto byte = std::ranges::mismatch(a.memory, b.memory);
        if (byte.in1 != a.memory.end())
            compare(*byte.in1, *byte.in2, "byte " + std::to_string(byte.in1 - a.memory.begin()) + " of memory");
        compare(a.packets_in, b.packets_in, "packets in");
        compare(a.packets_out, b.packets_out, "packets out");
        compare(a.transfers_refused, b.transfers_refused, "transfers refused");
        compare(a.completions_lost, b.completions_lost, "completions lost");
        compare(a.commands_refused, b.commands_refused, "commands refused");
        compare(a.errors, b.errors, "hardware errors");
        compare(a.panic, b.panic, "panic");
    }
    return found;
}

}  // namespace polycast::testbench::ni
