// SPDX-License-Identifier: Apache-2.0
// Good messages, and the end of everything.
#include <algorithm>

#include "hw/ni/abi/ni_registers.h"
#include "testbench/ni/tenants.h"

namespace polycast::testbench::ni {

using layout = tenant_layout;

namespace {

/// Longer than the three ticks after which firmware gives up what is half-received.
constexpr cycle patience = 4 * (cycle{1} << 25);

}  // namespace

/// Messages that may begin: buffers that firmware surely knows of and that no message takes.
unsigned tenancy::available(unsigned process) {
    const auto under_way = static_cast<unsigned>(
        std::ranges::count_if(incoming_, [process](const auto& entry) { return entry.second.process == process; }));
    const std::uint32_t space = node_.peek(ni_node::page(process) + NI_HOST_PROCESS_COMMAND_SPACE);
    const auto unknown =
        static_cast<unsigned>(waiting_[process].size()) + params_.interface.command_entries - space + under_way;
    return posted_[process] > unknown ? posted_[process] - unknown : 0;
}

void tenancy::begin_message(unsigned process) {
    const std::uint32_t number = ++message_;
    incoming message;
    message.process = process;
    message.source = random_.below(good_hosts);
    message.group = 0xffff;
    const std::uint32_t packets = random_.of({1u, 2u, 8u, random_.between(1, 128)});
    message.total = std::min(random_.between(1, packets * params_.interface.payload_bytes), layout::buffer_bytes);
    std::vector<std::uint32_t> children;
    packet_fields fields;
    for (const good_group& group : good_groups()) {
        if (group.owner != process || group.root == interface_host || !random_.chance(40)) continue;
        message.source = group.root;
        message.group = group.number;
        children = group.children;
        fields.kind = static_cast<std::uint8_t>(group.kind);
    }
    if (fields.kind != 0)
        fields.route = route_to(params_.interface.header_shape(), hw::format::packet_kind{fields.kind}, 9).field;
    for (std::uint32_t byte = 0; byte < message.total; ++byte)
        message.bytes.push_back(static_cast<std::uint8_t>(process << 4 | (random_.word() & 0xf)));
    fields.source = message.source;
    fields.destination = interface_host;
    fields.transport.process = static_cast<std::uint8_t>(process);
    fields.job = params_.interface.jobs ? job_of(process) : 0;
    // A group is that of the processes with one number.
    fields.transport.source_process = static_cast<std::uint8_t>(message.group != 0xffff ? process : random_.below(4));
    fields.transport.group = message.group;
    fields.transport.hops = 8;
    fields.transport.message = number;
    fields.transport.total = message.total;
    fields.transport.tag = random_.word();
    fields.transport.acknowledge = message.group == 0xffff && random_.chance(30);
    for (std::uint32_t at = 0; at < message.total; at += params_.interface.payload_bytes) {
        if (fields.transport.acknowledge) unanswered_.insert({message.source, number, at});
        const auto first = message.bytes.begin() + at;
        fields.payload.assign(first, first + std::min(message.total - at, params_.interface.payload_bytes));
        fields.sequence = next_sequence();
        fields.transport.offset = at;
        if (!children.empty()) forwarded_[fields.sequence] = {children, fields.payload, fields.job};
        message.packets.push_back(build_packet(params_.interface, fields));
    }
    std::ranges::reverse(message.packets);
    for (std::size_t i = 1; i < message.packets.size(); ++i)
        if (random_.chance(10)) std::swap(message.packets[i - 1], message.packets[i]);
    incoming_.emplace(number, std::move(message));
}

void tenancy::begin_send(unsigned process) {
    const std::uint32_t number = ++message_;
    outgoing message;
    message.process = process;
    message.order.length = random_.between(1, random_.chance(50) ? params_.interface.payload_bytes : 2000);
    message.order.offset = random_.below(layout::send_bytes - message.order.length + 1);
    message.order.process = random_.below(4);
    message.order.message = number;
    message.order.tag = random_.word();
    message.to = {random_.between(16, 31)};
    words command = send_command(message.to[0], message.order);
    if (random_.chance(30)) {
        message.window = params_.interface.payload_bytes + random_.below(400);
        command[NI_COMMAND_OPERATION] |= (NI_SEND_WINDOW | (random_.chance(50) ? unsigned{NI_SEND_SECOND} : 0u)) << 16;
        command.resize(NI_COMMAND_LONG_WORDS);
        command[NI_COMMAND_WINDOW] = message.window;
    } else if (random_.chance(30)) {
        message.to[0] += 1000;
        const auto kind = random_.of({hw::format::packet_kind::ssr, hw::format::packet_kind::path});
        command = send_worm_command(route_to(params_.interface.header_shape(), kind, message.to[0]), message.order);
    }
    for (const good_group& group : good_groups()) {
        if (group.owner != process || group.root != interface_host || !random_.chance(50)) continue;
        message.window = 0;
        message.to = group.children;
        command = send_group_command(group.root, group.number, message.order);
    }
    submit(process, std::move(command));
    outgoing_.emplace(number, std::move(message));
}

void tenancy::good_traffic() {
    for (const unsigned process : {1u, 3u}) {
        if (random_.chance(20) && available(process) > 1) begin_message(process);
        if (random_.chance(10) && waiting_[process].size() < 8) begin_send(process);
    }
    for (auto& [number, message] : incoming_) {
        if (message.packets.empty() || !random_.chance(20)) continue;
        message.last = message.packets.back();
        wire_.push({message.packets.back()});
        message.packets.pop_back();
    }
    std::erase_if(outgoing_, [this](const auto& entry) { return is_sent(entry.second); });
}

/// All of it has left, to everybody.
bool tenancy::is_sent(const outgoing& message) const {
    const std::uint32_t payload = params_.interface.payload_bytes;
    const std::size_t packets = (message.order.length + payload - 1) / payload * message.to.size();
    return message.completed && message.seen.size() == packets;
}

const link_packet* tenancy::unfinished() const {
    const auto found = std::ranges::find_if(
        incoming_, [](const auto& entry) { return !entry.second.packets.empty() && !entry.second.last.flits.empty(); });
    return found == incoming_.end() ? nullptr : &found->second.last;
}

/// Waits until firmware has looked at everything. What is half-received keeps its slots.
void tenancy::pause() {
    do {
        held_ = node_.interface().slots_used();
        run(random_.between(4000, 60'000));
    } while (node_.interface().slots_used() < held_ && problem_.empty());
}

void tenancy::long_pause() {
    drain(2 * patience);
    run(patience);
}

/// A packet without an end gets one: another begins.
void tenancy::end_open_packet() {
    packet_fields last;
    last.destination = interface_host + 1;
    last.payload.assign(1, invalid_tag << 4);
    last.transport.total = 1;
    wire_.push({build_packet(params_.interface, last)});
}

/// Goes on until everything good has come to its end.
void tenancy::drain(cycle at_most) {
    const cycle end = now_ + at_most;
    for (draining_ = true; problem_.empty();) {
        release_followers();
        for (auto& [number, message] : incoming_) {
            while (!message.packets.empty() && wire_.waiting() < 64) {
                wire_.push({message.packets.back()});
                message.packets.pop_back();
            }
        }
        std::erase_if(outgoing_, [this](const auto& entry) { return is_sent(entry.second); });
        if (wire_.open() && wire_.waiting() == 0) end_open_packet();
        run(2000);
        const bool commands_given = std::ranges::all_of(waiting_, [](const auto& queue) { return queue.empty(); });
        bool commands_done = true;
        for (unsigned process = 0; process < tenants; ++process)
            commands_done &=
                node_.peek(ni_node::page(process) + NI_HOST_PROCESS_COMMAND_SPACE) == params_.interface.command_entries;
        if (wire_.idle() && questions_ == 0 && incoming_.empty() && outgoing_.empty() && commands_given &&
            commands_done) {
            draining_ = false;
            return;
        }
        if (now_ < end) continue;
        fail("after the last packet: " + std::to_string(incoming_.size()) + " good messages not received, " +
             std::to_string(outgoing_.size()) + " not sent, " + std::to_string(wire_.waiting()) +
             " packets not taken, commands " + (commands_given && commands_done ? "done" : "not done"));
    }
}

/// What the hostile process sends may wait for counters that nobody counts any more.
void tenancy::release_followers() {
    for (int i = 0; i < 8; ++i) node_.count(hostile * counters_each + random_.below(counters_each));
}

void tenancy::finish() {
    hostilities_ = false;
    check_canaries();
    // What the hostile process has had sent may take long.
    drain(2 * patience);
    if (params_.sweep) run(patience);
    if (params_.sweep) check_quiet();
    // Nobody has lost a buffer or anything else.
    for (const unsigned process : {0u, 1u, 3u}) {
        if (process == target && !params_.sweep) continue;
        if (posted_[process] != layout::buffers && process != target)
            fail("buffers of process " + std::to_string(process) + " are missing");
        for (std::uint32_t i = posted_[process]; i != 0; --i) begin_message(process);
        if (is_good(process)) begin_send(process);
    }
    drain(patience);
    // What the hostile process has had sent, and copies to children, may still be on their way.
    for (std::uint64_t before = ~std::uint64_t{0}; before != copies_own_ + copies_forwarded_ && problem_.empty();) {
        before = copies_own_ + copies_forwarded_;
        run(1'000'000);
    }
    submit(target, statistics_command());
    ++questions_;
    drain(patience);
    if (!unanswered_.empty()) fail(std::to_string(unanswered_.size()) + " packets were not acknowledged");
    check_statistics();
    check_canaries();
    if (params_.sweep) check_quiet();
}

void tenancy::check_quiet() {
    const hw::ni::network_interface& interface = node_.interface();
    if (interface.slots_used() != 0) fail(std::to_string(interface.slots_used()) + " slots have leaked");
    if (!interface.idle()) fail("the interface is not idle");
    for (unsigned process = 0; process < tenants; ++process)
        if (node_.peek(ni_node::page(process) + NI_HOST_PROCESS_ACTIVITY) != 0)
            fail("process " + std::to_string(process) + " has packets in an interface that has none");
    if (interface.credits() != params_.interface.credits) fail("credits for the link out are missing");
    if (wire_.credits() != params_.interface.credits) fail("credits for the link in are missing");
    if (!forwarded_.empty()) fail(std::to_string(forwarded_.size()) + " packets were not forwarded to all");
}

void tenancy::check_statistics() {
    if (statistics_.empty()) return fail("no statistics");
    const auto expect = [this](std::uint64_t is, std::uint64_t should, const std::string& what) {
        if (is != should) fail(what + ": " + std::to_string(is) + ", not " + std::to_string(should));
    };
    const auto status = [this](unsigned number) { return statistics_[unsigned{NI_STATISTIC_STATUS} + number]; };
    const hw::ni::ni_statistics hardware = node_.interface().statistics();
    expect(hardware.panic, 0, "panic");
    const std::uint32_t allowed = NI_ERRORS_PACKET_CUT_MASK | NI_ERRORS_COMPLETION_LOST_MASK;
    expect(hardware.errors & ~allowed, 0, "errors of the hardware");
    for (const unsigned process : {0u, 1u, 3u})
        expect(node_.peek(ni_node::page(process) + NI_HOST_PROCESS_QUEUE_LOST), 0, "completions lost");
    expect(hardware.packets_in, counts_.packets, "packets into the hardware");
    expect(statistics_[NI_STATISTIC_PACKETS_RECEIVED], counts_.packets - expected_refused_, "packets received");
    if (hardware.jobs_refused < expected_refused_) fail("packets of other jobs are not counted");
    // Control packets, which are no acknowledgements then.
    const std::uint64_t refused_by_firmware = hardware.jobs_refused - expected_refused_;
    expect(node_.peek(NI_HOST_DEVICE_JOBS_REFUSED), hardware.jobs_refused, "packets of other jobs");
    expect(statistics_[NI_STATISTIC_PACKETS_SENT], copies_own_, "packets sent");
    expect(statistics_[NI_STATISTIC_PACKETS_FORWARDED], copies_forwarded_, "packets forwarded");
    expect(status(NI_STATUS_CHECK), expected_check_, "packets with a wrong check word");
    expect(status(NI_STATUS_NOT_MINE), expected_not_mine_, "packets for others");
    if (params_.exact)
        expect(delivered_ + statistics_[NI_STATISTIC_DROPPED] + acknowledgements_ + expected_refused_,
               counts_.packets + refused_by_firmware, "packets delivered or dropped, and acknowledgements");
    for (unsigned number = 0; number < NI_STATUSES; ++number) counts_.statuses[number] = status(number);
    counts_.dropped = statistics_[NI_STATISTIC_DROPPED];
    counts_.forwarded = copies_forwarded_;
    counts_.commands = statistics_[NI_STATISTIC_COMMANDS];
}

void tenancy::add_to(tenancy_counts& counts) const {
    counts.packets += counts_.packets;
    counts.hostile += counts_.hostile;
    counts.good_messages += counts_.good_messages;
    counts.good_sends += counts_.good_sends;
    counts.commands += counts_.commands;
    counts.dropped += counts_.dropped;
    counts.forwarded += counts_.forwarded;
    counts.cycles += now_;
    for (unsigned number = 0; number < NI_STATUSES; ++number) counts.statuses[number] += counts_.statuses[number];
}

}  // namespace polycast::testbench::ni
