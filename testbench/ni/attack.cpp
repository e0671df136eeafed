// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/attack.h"

#include <algorithm>
#include <utility>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::testbench::ni {

using layout = tenant_layout;

namespace {

/// Roots of groups that hostile packets name; those that the hostile process sets up are others where everything that
/// arrives must be accounted for.
constexpr std::uint32_t first_link_root = 24;
constexpr std::uint32_t first_command_root = 16;
constexpr std::uint32_t roots = 8;
constexpr std::uint32_t group_numbers = 6;
constexpr std::size_t remembered = 32;

void tag_payload(packet_fields& fields, std::uint32_t length, std::uint8_t tag, dice& random) {
    fields.payload.resize(length);
    for (std::uint8_t& byte : fields.payload) byte = static_cast<std::uint8_t>(tag << 4 | (random.word() & 0xf));
}

}  // namespace

// ---- packets
/// One packet, the first one or any other, of a message that could be good.
packet_fields attacker::valid(std::uint32_t total) {
    const std::uint32_t payload = victim_.interface().payload_bytes;
    const unsigned to = !victim_.params().exact && random_.chance(20) ? hostile : target;
    packet_fields fields;
    fields.source = random_.between(good_hosts + 1, 31);
    fields.sequence = victim_.next_sequence();
    fields.destination = interface_host;
    fields.job = job_of(hostile);
    fields.transport.process = static_cast<std::uint8_t>(to);
    fields.transport.source_process = static_cast<std::uint8_t>(random_.below(4));
    fields.transport.message = 0x80000000u | random_.below(64);
    fields.transport.offset = random_.below((total + payload - 1) / payload) * payload;
    fields.transport.total = total;
    fields.transport.tag = random_.word();
    tag_payload(fields, std::min(total - fields.transport.offset, payload), static_cast<std::uint8_t>(to), random_);
    fields.transport.acknowledge = random_.chance(20);
    if (random_.chance(10)) make_worm(fields);
    return fields;
}

/// Makes a packet a worm that is as good.
void attacker::make_worm(packet_fields& fields) {
    const hw::format::header_shape shape = victim_.interface().header_shape();
    fields.kind = static_cast<std::uint8_t>(random_.between(1, 3));
    const unsigned stops = fields.kind == 2 ? 1 : random_.between(1, shape.stops);
    const unsigned list = fields.kind == 2 ? 0 : 2;
    fields.route.resize(fields.kind == 1 ? (shape.hosts + 7) / 8 : list + stops * hw::format::stop_bytes(shape));
    random_.fill(fields.route);
    if (fields.kind == 1) fields.route[interface_host / 8] |= 1u << interface_host % 8;
    // On its way to any of its stops, or beyond: that is for switches to look at.
    if (fields.kind == 3) fields.route[0] = static_cast<std::uint8_t>(stops);
}

/// A message with all its packets, or nearly.
void attacker::whole_message() {
    packet_fields fields = valid(random_.between(1, layout::buffer_bytes + (random_.chance(10) ? 500 : 0)));
    const std::uint32_t payload = victim_.interface().payload_bytes;
    fields.transport.message = random_.word() | 0x80000000u;
    if (!victim_.params().exact && !expected_.empty() && random_.chance(50)) {
        fields = expected_.front();
        expected_.pop_front();
    }
    std::vector<packet_fields> all;
    for (std::uint32_t at = 0; at < fields.transport.total; at += payload) {
        fields.sequence = victim_.next_sequence();
        fields.transport.offset = at;
        tag_payload(fields, std::min(fields.transport.total - at, payload), fields.transport.process, random_);
        all.push_back(fields);
    }
    if (random_.chance(30)) std::ranges::reverse(all);
    for (const packet_fields& each : all) {
        const std::uint32_t draw = random_.below(100);
        if (draw != 0) send(each);
        if (draw == 1) send(each);
    }
}

/// A message of which nothing more comes.
packet_fields attacker::first_of_many() {
    packet_fields fields = valid(random_.between(victim_.interface().payload_bytes + 1, layout::buffer_bytes));
    fields.transport.message = random_.word() | 0x80000000u;
    return fields;
}

packet_fields attacker::in_group() {
    packet_fields fields = valid(random_.between(1, 600));
    if (random_.chance(50)) fields.kind = 0;
    const std::uint32_t first = victim_.params().exact || random_.chance(30) ? first_link_root : first_command_root;
    fields.source = first + random_.below(roots);
    if (random_.chance(10)) fields.source = interface_host;
    if (random_.chance(80)) fields.transport.source_process = hostile;
    fields.transport.group = static_cast<std::uint16_t>(random_.below(group_numbers));
    fields.transport.hops = random_.of<std::uint16_t>({0, 0, 1, 8, 0xffff});
    // What a group delivers is for the hostile process.
    tag_payload(fields, static_cast<std::uint32_t>(fields.payload.size()), hostile, random_);
    return fields;
}

/// Makes a packet one that must be dropped, nearly always.
void attacker::lie(packet_fields& fields) {
    hw::format::transport_header& header = fields.transport;
    const std::uint32_t payload = victim_.interface().payload_bytes;
    bool dropped = true;
    switch (random_.below(12)) {
        case 0:
            if (fields.kind == 3) {
                fields.route[0] = random_.of<std::uint8_t>({0, 0, 255});
                break;
            }
            fields.kind = static_cast<std::uint8_t>(random_.between(4, 15));
            break;
        case 1: header.op = static_cast<hw::format::transport_op>(random_.between(1, 15)); break;
        case 2: fields.check_error = 1u << random_.below(32); break;
        case 3:
            fields.destination = (interface_host + 1 + random_.below(31)) % 32;
            dropped = fields.kind < 2;  // of others nobody can tell
            break;
        case 4: header.process = static_cast<std::uint8_t>(random_.between(tenants, 255)); break;
        case 5: header.offset = header.total + random_.below(3) * payload; break;
        case 6: header.offset = 0xffffffffu - random_.below(2 * payload); break;
        case 7:
            // Of a message that never fits, or another length than the others say: not for sure.
            header.total = random_.of({0u, header.total + 1, 0xffffffffu, 0x80000000u});
            dropped = header.total == 0;
            break;
        case 8: header.offset += random_.between(1, payload - 1); break;
        case 9: fields.length = static_cast<std::uint16_t>(random_.word()); break;
        case 10: fields.source = random_.between(32, 0xffffff); break;
        default: header.group = static_cast<std::uint16_t>(random_.between(4000, 0xfffe)); break;
    }
    if (fields.kind == 1 && fields.destination != interface_host)
        fields.route[interface_host / 8] &= static_cast<std::uint8_t>(~(1u << interface_host % 8));
    if (dropped) tag_payload(fields, static_cast<std::uint32_t>(fields.payload.size()), invalid_tag, random_);
}

wire_item attacker::random_bytes() {
    const hw::ni::ni_params& params = victim_.interface();
    wire_item item;
    item.packet.header.resize(params.header_bytes);
    const std::uint32_t flits = random_.between(1, 2 * (params.payload_bytes + 100) / params.flit_bytes + 2);
    item.packet.flits.resize(std::size_t{flits} * params.flit_bytes);
    random_.fill(item.packet.header);
    random_.fill(item.packet.flits);
    // Often enough the beginning makes sense.
    std::vector<std::uint8_t>& first = params.header_bytes != 0 ? item.packet.header : item.packet.flits;
    if (random_.chance(50)) first[0] = static_cast<std::uint8_t>(random_.below(4) | 0x10);
    return item;
}

wire_item attacker::broken_frame() {
    const std::size_t width = victim_.interface().flit_bytes;
    packet_fields fields = valid(random_.between(1, 600));
    tag_payload(fields, static_cast<std::uint32_t>(fields.payload.size()), invalid_tag, random_);
    // One that is cut where nothing is missing, or goes on with nothing, would be a good one.
    fields.check_error = 1;
    wire_item item{build_packet(victim_.interface(), fields)};
    std::vector<std::uint8_t>& flits = item.packet.flits;
    switch (random_.below(5)) {
        case 0: flits.resize(width * random_.between(1, static_cast<std::uint32_t>(flits.size() / width))); break;
        case 1:
            flits.resize(flits.size() + width * random_.between(1, 3 * (victim_.interface().payload_bytes + 100)));
            break;
        case 2: item.headless = true; break;
        case 3: item.tailless = true; break;
        default: item.headless = item.tailless = true; break;
    }
    return item;
}

/// An acknowledgement, mostly of nothing that was ever sent, or the end of a message that may have begun; good senders
/// never have such numbers.
packet_fields attacker::forged() {
    packet_fields fields = valid(random_.between(1, 5000));
    fields.kind = 0;
    fields.route.clear();
    fields.transport.op = hw::format::transport_op::control;
    fields.transport.group = acknowledgement;
    fields.transport.process = static_cast<std::uint8_t>(random_.below(256));
    fields.transport.source_process = static_cast<std::uint8_t>(random_.below(random_.chance(50) ? 4 : 256));
    if (random_.chance(30)) fields.transport.offset = random_.word();
    if (random_.chance(50)) {
        fields.transport.group = abort_word;
        fields.transport.process = static_cast<std::uint8_t>(random_.below(tenants));
        fields.transport.tag = 0xffff;
        if (!recent_.empty() && random_.chance(70)) {
            const packet_fields& of = recent_[random_.below(static_cast<std::uint32_t>(recent_.size()))];
            fields.source = of.source;
            fields.transport.source_process = of.transport.source_process;
            fields.transport.process = of.transport.process;
            fields.transport.message = of.transport.message;
        }
    }
    fields.payload.resize(1);
    return fields;
}

void attacker::send(const packet_fields& fields) {
    victim_.arrive({build_packet(victim_.interface(), fields)});
}

/// A packet that says all that one of a good message or group would say, but for its job, which it cannot choose.
packet_fields attacker::of_other_job() {
    const link_packet* const copy = victim_.unfinished();
    packet_fields fields;
    if (copy != nullptr && random_.chance(50)) {
        fields = read_packet(victim_.interface(), *copy).value();
        fields.payload.resize(random_.chance(50) ? fields.payload.size() : 1);
    } else {
        fields = valid(random_.between(1, 600));
        const good_group& group = good_groups()[random_.below(static_cast<std::uint32_t>(good_groups().size()))];
        fields.source = random_.below(32);
        fields.transport.process = static_cast<std::uint8_t>(group.owner);
        if (random_.chance(60)) {
            fields.source = group.root;
            fields.transport.group = group.number;
            fields.transport.source_process = static_cast<std::uint8_t>(group.owner);
            fields.transport.hops = 8;
            fields.kind = static_cast<std::uint8_t>(group.kind);
            fields.route = group.kind == hw::format::packet_kind::unicast
                               ? std::vector<std::uint8_t>{}
                               : route_to(victim_.interface().header_shape(), group.kind, 9).field;
        }
    }
    fields.sequence = victim_.next_sequence();
    fields.job = job_of(hostile);
    tag_payload(fields, static_cast<std::uint32_t>(fields.payload.size()), invalid_tag, random_);
    return fields;
}

/// A control packet that a good process or its group believes if the job does not matter.
packet_fields attacker::control_of_other_job() {
    packet_fields fields = of_other_job();
    const std::uint16_t group = fields.transport.group;
    if (victim_.to_be_acknowledged() && random_.chance(40)) {
        fields = *victim_.to_be_acknowledged();
        std::swap(fields.source, fields.destination);
        fields.job = job_of(hostile);
        fields.transport.acknowledge = false;
        fields.transport.group = acknowledgement;
    } else {
        fields.transport.group = abort_word;
        fields.transport.tag = group;
    }
    fields.transport.op = hw::format::transport_op::control;
    if (fields.source == interface_host) fields.source = 0;  // else it is malformed
    fields.payload.resize(1);
    return fields;
}

void attacker::packet() {
    if (victim_.interface().jobs && random_.chance(15)) {
        if (random_.chance(50))
            send(of_other_job());
        else
            victim_.arrive_forged(control_of_other_job());
        return;
    }
    if (random_.chance(4)) {
        victim_.arrive_forged(forged());
        return;
    }
    switch (random_.below(12)) {
        case 0: victim_.arrive(random_bytes()); return;
        case 1: victim_.arrive(broken_frame()); return;
        case 2:
        case 3: {
            packet_fields fields = valid(random_.between(1, 600));
            lie(fields);
            send(fields);
            return;
        }
        case 4: send(in_group()); return;
        case 5: send(first_of_many()); return;
        case 6:
            if (const link_packet* const copy = victim_.unfinished()) {
                victim_.arrive({*copy});
                return;
            }
            break;
        case 7:
            if (!recent_.empty()) {
                send(recent_[random_.below(static_cast<std::uint32_t>(recent_.size()))]);
                return;
            }
            break;
        case 8:
        case 9: whole_message(); return;
        default: break;
    }
    // Up to twice what a buffer takes.
    packet_fields fields = valid(random_.chance(60) ? random_.between(1, victim_.interface().payload_bytes)
                                                    : random_.between(1, 2 * layout::buffer_bytes));
    recent_.push_back(fields);
    if (recent_.size() > remembered) recent_.pop_front();
    send(fields);
}

// ---- the hostile process

/// Words of all sizes, with an operation that exists more often than not.
words attacker::any_words() {
    words made(random_.between(8, victim_.interface().hosts > 64 ? 40 : 32));
    for (std::uint32_t& word : made) word = random_.chance(50) ? random_.word() : random_.below(70);
    made[0] = random_.below(14) | random_.below(20) << 8 | (random_.chance(50) ? random_.word() & 0xffff0000u : 0);
    // Who follows a counter in small steps waits for ever, and nothing that is behind it is ever looked at.
    if ((made[0] & 0xff) == NI_COMMAND_SEND) made.resize(std::max<std::size_t>(made.size(), NI_COMMAND_LONG_WORDS));
    if ((made[0] & 0xff) == NI_COMMAND_SEND) made[NI_COMMAND_STEP] |= 0x20000000;
    return made;
}

/// A route that is right more often than not.
route attacker::any_route(std::uint32_t kind) {
    packet_fields fields;
    do make_worm(fields);
    while (fields.kind != kind);
    if (kind == 3 && random_.chance(90)) fields.route[1] = 0;
    if (random_.chance(5)) fields.route[0] = static_cast<std::uint8_t>(random_.word());
    if (random_.chance(5)) fields.route.resize(random_.between(1, 40));
    if (random_.chance(5)) fields.route.assign(fields.route.size(), 0);
    return {static_cast<hw::format::packet_kind>(kind), fields.route};
}

/// Makes a send one that waits, with words that are right more often than not.
words attacker::following(words made) {
    const std::uint32_t payload = victim_.interface().payload_bytes;
    const std::uint32_t flags =
        random_.of<std::uint32_t>({NI_SEND_FOLLOW, NI_SEND_WINDOW, NI_SEND_FOLLOW | NI_SEND_WINDOW, NI_SEND_SECOND,
                                   NI_SEND_FOLLOW | NI_SEND_WHOLE, random_.word() & 0xffff});
    made[NI_COMMAND_OPERATION] |= flags << 16;
    made.resize(NI_COMMAND_LONG_WORDS);
    made[NI_COMMAND_COUNTER] = random_.chance(95) ? random_.below(counters_each) : random_.word();
    made[NI_COMMAND_STEP] = random_.chance(95) ? 0x20000000 + random_.below(100) : 0;
    made[NI_COMMAND_WINDOW] = random_.chance(95) ? payload + random_.below(1000) : random_.below(payload);
    return made;
}

words attacker::expecting() {
    packet_fields fields = valid(random_.between(1, layout::buffer_bytes));
    fields.kind = 0;
    fields.route.clear();
    fields.transport.process = hostile;
    fields.transport.message = random_.word() | 0x80000000u;
    expected_.push_back(fields);
    if (expected_.size() > remembered) expected_.pop_front();
    words made = receive_command(random_.below(layout::send_bytes), fields.transport.total, random_.word());
    made[NI_COMMAND_OPERATION] |= (random_.chance(95) ? unsigned{NI_RECEIVE_EXPECTED} : random_.word() & 0xffff) << 16;
    made[NI_COMMAND_TO] = fields.source | std::uint32_t{fields.transport.source_process} << 24;
    made[NI_COMMAND_MESSAGE] = fields.transport.message;
    made.push_back(random_.of({random_.below(counters_each + 1), 0xffffffffu, random_.word()}));
    made.push_back(random_.of({1u, random_.below(100), random_.word()}));
    made.push_back(random_.of({1u, random_.word()}));
    return made;
}

words attacker::sending() {
    message_order order;
    order.offset = random_.chance(20) ? random_.word() : random_.below(layout::send_bytes);
    order.length = random_.of({random_.below(300), random_.below(5000), random_.word(), 0u});
    order.process = random_.below(256);
    order.message = random_.word() | 0x80000000u;
    order.hops = random_.below(3);
    words made;
    switch (random_.below(4)) {
        case 0:
            made = send_command(random_.below(40), order);
            if (random_.chance(50)) made = following(made);
            break;
        case 1: made = send_worm_command(any_route(random_.between(1, 3)), order); break;
        case 2:
            made = send_group_command(random_.chance(80) ? interface_host : random_.below(32),
                                      random_.below(group_numbers), order);
            break;
        default: made = receive_command(order.offset, order.length, random_.word()); break;
    }
    made[0] = (made[0] & ~0xff00u) | (random_.chance(70) ? made[0] & 0xff00u : random_.below(20) << 8);
    return made;
}

words attacker::grouping() {
    std::vector<std::uint32_t> children;
    for (std::uint32_t i = random_.below(12); i != 0; --i)
        children.push_back(random_.chance(95) ? random_.below(32) : random_.word());
    // Children that make a loop are refused; most have none.
    if (random_.chance(70)) {
        std::ranges::sort(children);
        const auto [first, last] = std::ranges::unique(children);
        children.erase(first, last);
        std::erase_if(children, [](std::uint32_t child) { return child == interface_host || child >= 24; });
    }
    std::uint32_t root = random_.chance(20) ? interface_host : first_command_root + random_.below(roots);
    std::uint32_t number = random_.below(group_numbers);
    if (random_.chance(20)) {  // groups of the others
        const good_group& other = good_groups()[random_.below(static_cast<std::uint32_t>(good_groups().size()))];
        root = other.root;
        number = other.number;
    }
    const std::uint32_t operation = random_.of<std::uint32_t>(
        {NI_COMMAND_SET_GROUP, NI_COMMAND_SET_GROUP, NI_COMMAND_EXTEND_GROUP, NI_COMMAND_CLEAR_GROUP});
    const std::uint32_t flags = random_.below(8) | deliver_to(random_.chance(80) ? hostile : random_.below(tenants));
    words made = group_command(operation, root, number, flags, children);
    if (random_.chance(50)) {
        const std::uint32_t kind = random_.between(1, 3);
        std::vector<route> worms;
        do worms.push_back(any_route(kind));
        while (random_.chance(60));
        made = worm_group_command(operation, root, number, flags, worms);
        if (random_.chance(10)) made[NI_COMMAND_OFFSET] = random_.chance(50) ? random_.word() : random_.below(40);
    }
    if (random_.chance(10)) made[NI_COMMAND_LENGTH] = random_.chance(50) ? random_.word() : random_.below(40);
    return made;
}

/// The manager grants it windows and a queue anywhere in its own memory, and takes away all it has for a while.
void attacker::grants() {
    ni_node& node = victim_.node();
    const std::uint32_t at = random_.below(layout::free_for_all_bytes);
    const std::uint64_t start = hostile * layout::bytes + layout::free_for_all_at + at;
    const std::uint32_t most = layout::free_for_all_bytes - at;
    switch (random_.below(4)) {
        case 0: node.open_queue(hostile, start, random_.below(most / 32 + 1)); break;
        case 1:
            node.poke(ni_node::grant(hostile) + NI_HOST_GRANT_RIGHTS, 0);
            if (random_.chance(50)) victim_.run(random_.between(1, 3000));
            node.enable(hostile, false);
            break;
        default: {
            // Closed while it moves, so that it is never in a wrong place.
            const unsigned window = random_.below(NI_HOST_GRANT_WINDOW_ELEMENTS);
            node.open_window(hostile, window, 0, 0, 0);
            node.open_window(hostile, window, start, random_.below(most + 1), random_.below(4));
            break;
        }
    }
}

/// The process writes anything anywhere in its page.
void attacker::registers() {
    ni_node& node = victim_.node();
    const std::uint32_t page = ni_node::page(hostile);
    switch (random_.below(6)) {
        case 0: grants(); break;
        case 1:
        case 2: {
            // What would be a window or a queue in anybody's memory, if the page had any.
            for (std::uint32_t tries = random_.below(40); tries != 0; --tries) {
                const std::uint64_t address = ni_node::base + random_.below(tenants * layout::bytes);
                const std::uint32_t at = page + 4 * random_.below(NI_HOST_PROCESS_COMMAND_BUFFER_BASE / 4);
                node.try_poke(at, static_cast<std::uint32_t>(address));
                node.try_poke(at + 4, static_cast<std::uint32_t>(address >> 32));
                node.try_poke(at + 8, random_.chance(50) ? random_.below(layout::bytes) : random_.word());
                node.try_poke(at + 12, random_.word());
            }
            break;
        }
        case 3: node.poke(page + NI_HOST_PROCESS_QUEUE_READ, random_.word()); break;
        case 4:
            for (std::uint32_t i = random_.below(70); i != 0; --i)
                node.poke(page + NI_HOST_PROCESS_DOORBELL,
                          random_.of({random_.word(), random_.below(300), 0u, 32u, 4 * random_.below(64)}));
            break;
        default:
            node.poke(page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE + 4 * random_.below(0x200), random_.word());
            break;
    }
}

void attacker::command() {
    words made;
    switch (random_.below(8)) {
        case 6: made = expecting(); break;
        case 7:
            made = {NI_COMMAND_SET_COUNTER,
                    random_.word(),
                    0,
                    random_.chance(50) ? random_.below(4) : random_.word(),
                    0,
                    random_.below(counters_each + 2)};
            break;
        case 0: made = any_words(); break;
        case 1:
        case 2: made = sending(); break;
        case 3: made = grouping(); break;
        case 4: made = statistics_command(); break;
        default: registers(); return;
    }
    victim_.node().command(hostile, made);
}

}  // namespace polycast::testbench::ni
