// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/tenants.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::testbench::ni {

using layout = tenant_layout;

namespace {

/// More bytes of one owner in a row than chance makes.
constexpr std::size_t telling = 12;

/// True if bytes of a good process are among these.
bool has_foreign(std::span<const std::uint8_t> bytes) {
    std::size_t run = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned tag = bytes[i] >> 4;
        const bool foreign = tag == 1 || tag == 3 || tag == 9 || tag == 0xb || tag == invalid_tag;
        run = !foreign ? 0 : i != 0 && bytes[i - 1] >> 4 == tag ? run + 1 : 1;
        if (run == telling) return true;
    }
    return false;
}

/// True if this is the completion of a command STATISTICS; bytes of messages have tags.
bool tells_counters(std::span<const std::uint8_t> bytes) {
    return bytes.size() == 4 * NI_COMPLETION_WORDS && bytes[0] == NI_COMPLETION_STATISTICS && bytes[1] == NI_STATUS_OK;
}

bool within(std::uint32_t at, std::size_t bytes, std::uint32_t first, std::uint32_t size) {
    return at >= first && bytes <= size && at - first <= size - bytes;
}

constexpr std::uint32_t receive_bytes = layout::buffers * layout::buffer_bytes;

}  // namespace

using hw::format::packet_kind;

const std::vector<good_group>& good_groups() {
    static const std::vector<good_group> all = {{1, 3, 7, false, packet_kind::unicast, {8, 9}},
                                                {3, 4, 9, true, packet_kind::unicast, {10, 11, 12}},
                                                {1, 2, 5, false, packet_kind::path, {300, 301, 302}},
                                                {3, 1, 6, true, packet_kind::ssr, {303, 304}},
                                                {1, interface_host, 20, false, packet_kind::path, {305, 306}},
                                                {3, interface_host, 21, true, packet_kind::unicast, {13, 14}}};
    return all;
}

route route_to(const hw::format::header_shape& shape, packet_kind of, std::uint32_t first) {
    if (of == packet_kind::ssr) return hw::format::ssr_route(shape, {first, 5});
    const std::array<hw::format::stop, 2> stops{{{first, 1}, {7, 0x80}}};
    return hw::format::path_route(shape, stops);
}

tenancy::tenancy(const tenancy_params& params, const hw::ni::processor_factory& factory, dice& random)
    : params_(params),
      random_(random),
      node_(params_.interface, factory, tenants * layout::bytes),
      wire_(params_.interface, random),
      in_(node_.shape()),
      out_(node_.shape()),
      waiting_(tenants),
      entries_read_(tenants),
      posted_(tenants) {
    node_.on_access = [this](unsigned whose, bool write, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        on_access(whose, write, offset, bytes);
    };
    node_.on_count = [this](unsigned counter) {
        if (counter / counters_each != hostile)
            fail("counter " + std::to_string(counter) + " of another process went up");
    };
    wire_.ended = [this](const link_packet& packet, bool headless) { on_ended(packet, headless); };
    wire_.sent = [this](const link_packet& packet) { on_sent(packet); };
    set_up();
}

void tenancy::fail(const std::string& text) {
    if (problem_.empty()) problem_ = "cycle " + std::to_string(now_) + ": " + text;
}

void tenancy::set_up() {
    std::ranges::fill(node_.memory, canary);
    for (unsigned process = 0; process < tenants; ++process) {
        const std::uint32_t start = process * layout::bytes;
        const auto memory = node_.memory.begin() + start;
        const auto fill = [&](std::uint32_t at, std::uint32_t bytes, unsigned tag) {
            for (std::uint32_t i = 0; i < bytes; ++i)
                memory[at + i] = static_cast<std::uint8_t>(tag << 4 | (random_.word() & 0xf));
        };
        if (process == hostile) fill(layout::free_for_all_at, layout::free_for_all_bytes, 8 + hostile);
        fill(layout::send_at, layout::send_bytes, 8 + process);
        std::fill_n(memory + layout::receive_at, receive_bytes, std::uint8_t{0});
        std::fill_n(memory + layout::statistics_at, 4 * NI_STATISTICS, std::uint8_t{0});
        std::fill_n(memory + layout::queue_at, 32 * layout::queue_entries, std::uint8_t{0});
        node_.open_window(process, send_window, start + layout::send_at, layout::send_bytes, 1);
        node_.open_window(process, receive_window, start + layout::receive_at, receive_bytes, 2);
        node_.open_window(process, statistics_window, start + layout::statistics_at, 4 * NI_STATISTICS, 2);
        node_.open_queue(process, start + layout::queue_at, layout::queue_entries);
        if (params_.interface.jobs) node_.poke(ni_node::grant(process) + NI_HOST_GRANT_JOB, job_of(process));
        node_.enable(process, process == target);
        if (process == hostile) continue;
        for (std::uint32_t buffer = 0; buffer < layout::buffers; ++buffer) post(process, buffer);
    }
    for (const good_group& group : good_groups()) {
        const std::uint32_t flags = (group.fcfs ? unsigned{NI_GROUP_FCFS} : 0u) | deliver_to(group.owner);
        if (group.kind == packet_kind::unicast) {
            submit(group.owner, group_command(NI_COMMAND_SET_GROUP, group.root, group.number, flags, group.children));
            continue;
        }
        std::vector<route> worms;
        for (const std::uint32_t first : group.children)
            worms.push_back(route_to(params_.interface.header_shape(), group.kind, first));
        submit(group.owner, worm_group_command(NI_COMMAND_SET_GROUP, group.root, group.number, flags, worms));
    }
    questions_ += static_cast<unsigned>(good_groups().size());
    drain(3'000'000);
    if (groups_set_ != good_groups().size()) fail("the good groups could not be set up");
}

void tenancy::step() {
    in_.clear();
    out_.clear();
    wire_.drive(in_);
    wake_ = node_.step(now_, in_, out_);
    if (!wire_.sample(out_)) fail("signals on the link that make no sense");
    ++now_;
}

void tenancy::run(cycle cycles) {
    const cycle end = now_ + cycles;
    while (now_ < end && problem_.empty()) {
        step();
        // The host acts after a step, so the last cycle is always simulated.
        if (!wire_.busy() && wake_ > now_ && end > now_ + 1) now_ = std::min(wake_, end - 1);
    }
    for (unsigned process = 0; process < tenants; ++process) look_after(process);
    // Every access is checked when it is made; this would see one that was not.
    if (++slices_ % 100 == 0) check_canaries();
}

bool tenancy::wants_more() const {
    return wire_.waiting() < 16 && node_.interface().slots_used() < held_ + params_.slots;
}

/// Every access must be to memory that the process it is made for has been granted.
void tenancy::on_access(unsigned whose, bool write, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    const auto process = static_cast<unsigned>(offset / layout::bytes);
    const auto at = static_cast<std::uint32_t>(offset % layout::bytes);
    bool good = false;
    if (process != whose) {
        good = false;
    } else if (process == hostile) {
        good = within(at, bytes.size(), layout::free_for_all_at, layout::free_for_all_bytes) &&
               !(write && (has_foreign(bytes) || tells_counters(bytes)));
    } else if (!write) {
        good = within(at, bytes.size(), layout::send_at, layout::send_bytes);
    } else if (within(at, bytes.size(), layout::receive_at, receive_bytes)) {
        ++delivered_;
        const std::uint32_t first = at - layout::receive_at;
        good = first / layout::buffer_bytes == (first + bytes.size() - 1) / layout::buffer_bytes &&
               std::ranges::all_of(bytes, [process](std::uint8_t byte) { return byte >> 4 == process; });
    } else {
        good = within(at, bytes.size(), layout::queue_at, 32 * layout::queue_entries) ||
               within(at, bytes.size(), layout::statistics_at, 4 * NI_STATISTICS);
    }
    if (good) return;
    fail(std::string(write ? "write" : "read") + " of " + std::to_string(bytes.size()) + " bytes at " +
         std::to_string(at) + " of process " + std::to_string(process) + ", for process " + std::to_string(whose));
}

void tenancy::check_canaries() {
    const auto untouched = [this](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t i = first; i < last; ++i)
            if (node_.memory[i] != canary) return fail("byte " + std::to_string(i) + " of memory has changed");
    };
    for (unsigned process = 0; process < tenants; ++process) {
        const std::uint32_t start = process * layout::bytes;
        untouched(start, start + (process == hostile ? layout::free_for_all_at : layout::send_at));
        if (process == hostile) {
            untouched(start + layout::free_for_all_at + layout::free_for_all_bytes, start + layout::bytes);
            continue;
        }
        untouched(start + layout::send_at + layout::send_bytes, start + layout::receive_at);
        untouched(start + layout::receive_at + receive_bytes, start + layout::statistics_at);
        untouched(start + layout::statistics_at + 4 * NI_STATISTICS, start + layout::queue_at);
        untouched(start + layout::queue_at + 32 * layout::queue_entries, start + layout::bytes);
    }
}

/// What firmware must find in the packet that the interface has now got.
void tenancy::on_ended(const link_packet& packet, bool headless) {
    ++counts_.packets;
    const std::optional<packet_fields> fields = headless ? std::nullopt : read_packet(params_.interface, packet);
    if (!fields || fields->kind > 3 || fields->payload.size() > params_.interface.payload_bytes) return;
    if (fields->check_error != 0) {
        ++expected_check_;
        return;
    }
    bool mine = fields->kind > 1 || fields->destination == interface_host;
    if (fields->kind == 1) mine = (fields->route[interface_host / 8] >> interface_host % 8 & 1) != 0;
    if (!mine) {
        ++expected_not_mine_;
        return;
    }
    const hw::format::transport_header& header = fields->transport;
    if (!params_.interface.jobs || header.op == hw::format::transport_op::control) return;
    const unsigned process = header.group == 0xffff ? header.process : header.source_process;
    if (process < tenants && fields->job != job_of(process)) ++expected_refused_;
}

void tenancy::on_sent(const link_packet& packet) {
    const std::optional<packet_fields> fields = read_packet(params_.interface, packet);
    if (!fields || fields->check_error != 0)
        return fail("a bad packet was sent: " + describe(params_.interface, packet));
    if (fields->source == interface_host)
        own_packet(*fields);
    else
        forwarded_packet(*fields);
}

void tenancy::own_packet(const packet_fields& fields) {
    ++copies_own_;
    const hw::format::transport_header& header = fields.transport;
    // The firmware's answers to requests that came name whoever asked; they are a byte long and carry nothing.
    if (header.op == hw::format::transport_op::control) {
        if (fields.payload.size() != 1) fail("a control packet carries data");
        if (header.group == acknowledgement) unanswered_.erase({fields.destination, header.message, header.offset});
        return;
    }
    if (params_.interface.jobs && fields.job != job_of(header.source_process)) return fail("a packet has a wrong job");
    if (header.source_process == hostile) {
        if (has_foreign(fields.payload)) fail("the hostile process has sent bytes of another one");
        // Where nothing is given up there is no time to wait for it.
        if (header.acknowledge && (draining_ || !params_.sweep || !random_.chance(3))) acknowledge(fields);
        return;
    }
    const auto found = outgoing_.find(header.message);
    if (found == outgoing_.end()) return fail("a message was sent that no good process has given");
    outgoing& message = found->second;
    const std::uint32_t start = message.process * layout::bytes + layout::send_at + message.order.offset;
    const bool good = header.source_process == message.process && header.total == message.order.length &&
                      header.tag == message.order.tag && header.offset + fields.payload.size() <= header.total &&
                      std::ranges::find(message.to, target_of(fields)) != message.to.end() &&
                      std::ranges::equal(fields.payload,
                                         std::span(node_.memory).subspan(start + header.offset, fields.payload.size()));
    if (!good) return fail("a packet of a good message was sent wrongly");
    if (!message.seen.insert({target_of(fields), header.offset}).second) fail("a packet was sent twice");
    if (header.acknowledge != (message.window != 0)) return fail("a packet asks wrongly to be acknowledged");
    if (message.window == 0) return;
    message.under_way += static_cast<std::uint32_t>(fields.payload.size());
    if (message.under_way > message.window) return fail("more than a window is under way");
    to_be_acknowledged_ = fields;
    acknowledge(fields);
    message.under_way -= static_cast<std::uint32_t>(fields.payload.size());
}

/// As the receiver of the packet does.
void tenancy::acknowledge(const packet_fields& fields) {
    packet_fields answer = fields;
    answer.source = fields.destination;
    answer.destination = interface_host;
    answer.sequence = next_sequence();
    answer.transport.op = hw::format::transport_op::control;
    answer.transport.acknowledge = false;
    answer.transport.group = acknowledgement;
    answer.payload.resize(1);
    ++acknowledgements_;
    wire_.push({build_packet(params_.interface, answer)});
}

void tenancy::forwarded_packet(const packet_fields& fields) {
    ++copies_forwarded_;
    const auto found = forwarded_.find(fields.sequence);
    if (found == forwarded_.end()) {  // of a hostile group
        if (has_foreign(fields.payload)) fail("a packet that must be dropped was forwarded");
        return;
    }
    copies& packet = found->second;
    if (fields.payload != packet.payload || fields.job != packet.job) return fail("a forwarded packet was changed");
    if (std::erase(packet.children, target_of(fields)) != 1) return fail("a packet was forwarded twice, or astray");
    if (packet.children.empty()) forwarded_.erase(found);
}

void tenancy::look_after(unsigned process) {
    if (process != hostile) {
        for (;;) {
            const std::uint32_t at =
                process * layout::bytes + layout::queue_at + entries_read_[process] % layout::queue_entries * 32;
            std::array<std::uint32_t, NI_COMPLETION_WORDS> entry;
            for (std::uint32_t word = 0; word < entry.size(); ++word) entry[word] = node_.word(at + 4 * word);
            if (entry[NI_COMPLETION_NUMBER] != entries_read_[process] + 1) break;
            ++entries_read_[process];
            node_.poke(ni_node::page(process) + NI_HOST_PROCESS_QUEUE_READ, entries_read_[process]);
            completion(process, entry);
        }
    }
    std::deque<words>& commands = waiting_[process];
    if (commands.empty()) return;
    std::uint32_t space = node_.peek(ni_node::page(process) + NI_HOST_PROCESS_COMMAND_SPACE);
    for (; space != 0 && !commands.empty(); --space) {
        node_.command(process, commands.front());
        commands.pop_front();
    }
}

void tenancy::completion(unsigned process, std::span<const std::uint32_t> entry) {
    const std::uint32_t kind = entry[NI_COMPLETION_KIND] & 0xff;
    const std::uint32_t status = entry[NI_COMPLETION_KIND] >> 8 & 0xff;
    switch (kind) {
        case NI_COMPLETION_RECEIVED: return received(process, entry);
        case NI_COMPLETION_SENT: {
            const auto found = outgoing_.find(entry[NI_COMPLETION_COOKIE]);
            if (found == outgoing_.end() || found->second.process != process || found->second.completed)
                return fail("SENT of a message that was not given");
            found->second.completed = true;
            ++counts_.good_sends;
            return;
        }
        case NI_COMPLETION_GROUP_SET:
            if (status == NI_STATUS_OK) ++groups_set_;
            --questions_;
            return;
        case NI_COMPLETION_STATISTICS:
            statistics_ = read_statistics();
            --questions_;
            return;
        case NI_COMPLETION_ERROR:
            // Nothing but copies of packets of their own messages may trouble the good ones.
            if (is_good(process) && status != NI_STATUS_DUPLICATE)
                fail("process " + std::to_string(process) + " was told of an error of status " +
                     std::to_string(status));
            return;
        default:
            fail("process " + std::to_string(process) + " has got a completion of kind " + std::to_string(kind) +
                 ", status " + std::to_string(status));
    }
}

void tenancy::received(unsigned process, std::span<const std::uint32_t> entry) {
    const std::uint32_t buffer = entry[NI_COMPLETION_COOKIE];
    if (buffer >= layout::buffers || posted_[process] == 0) return fail("RECEIVED in a buffer that was not given");
    if (entry[NI_COMPLETION_LENGTH] > layout::buffer_bytes) return fail("RECEIVED of more than a buffer takes");
    --posted_[process];
    const auto found = incoming_.find(entry[NI_COMPLETION_MESSAGE]);
    if (found != incoming_.end()) {
        incoming& message = found->second;
        const std::uint32_t at = process * layout::bytes + layout::receive_at + buffer * layout::buffer_bytes;
        const bool good = message.process == process && message.source == entry[NI_COMPLETION_SOURCE] &&
                          message.total == entry[NI_COMPLETION_LENGTH] && message.group == entry[NI_COMPLETION_GROUP] &&
                          message.packets.empty() &&
                          std::ranges::equal(message.bytes, std::span(node_.memory).subspan(at, message.total));
        if (!good)
            return fail("a good message was received wrongly: process " + std::to_string(message.process) + " source " +
                        std::to_string(message.source) + " length " + std::to_string(message.total) + " group " +
                        std::to_string(message.group) + ", " + std::to_string(message.packets.size()) +
                        " packets not sent; first wrong byte " +
                        std::to_string(std::ranges::mismatch(message.bytes, std::span(node_.memory).subspan(at)).in1 -
                                       message.bytes.begin()) +
                        ", hardware errors " + std::to_string(node_.interface().statistics().errors));
        ++counts_.good_messages;
        incoming_.erase(found);
    } else if (process != target) {
        return fail("a message was received that nobody has sent");
    }
    if (hostilities_ || process != target) post(process, buffer);
}

std::vector<std::uint32_t> tenancy::read_statistics() {
    std::vector<std::uint32_t> all;
    for (std::uint32_t word = 0; word < NI_STATISTICS; ++word)
        all.push_back(node_.word(target * layout::bytes + layout::statistics_at + 4 * word));
    return all;
}

void tenancy::post(unsigned process, std::uint32_t buffer) {
    ++posted_[process];
    submit(process, receive_command(buffer * layout::buffer_bytes, layout::buffer_bytes, buffer));
}

}  // namespace polycast::testbench::ni
