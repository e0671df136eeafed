// SPDX-License-Identifier: Apache-2.0
#include "hw/host/command_words.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::host {

using format::packet_kind;
using format::route;

namespace {

constexpr std::size_t most_children = 4095;

static_assert(static_cast<unsigned>(packet_kind::unicast) == NI_ROUTE_HOST);
static_assert(static_cast<unsigned>(packet_kind::tree) == NI_ROUTE_TREE);
static_assert(static_cast<unsigned>(packet_kind::ssr) == NI_ROUTE_SSR);
static_assert(static_cast<unsigned>(packet_kind::path) == NI_ROUTE_PATH);

/// Words of a command after the fixed ones.
std::size_t words_behind(const process_params& params) {
    return params.command_bytes / 4 - NI_COMMAND_WORDS;
}

std::size_t words_of(const route& worm) {
    return (worm.field.size() + 3) / 4;
}

/// Words of each child of a group.
std::size_t words_of(const group_order& order) {
    std::size_t most = 1;
    for (const route& worm : order.worms) most = std::max(most, words_of(worm));
    return most;
}

/// Adds the words of a route, `words` of them.
void append(const route& worm, std::size_t words, std::vector<std::uint32_t>& to) {
    const std::size_t first = to.size();
    to.resize(first + words, 0);
    for (std::size_t byte = 0; byte < worm.field.size(); ++byte)
        to[first + byte / 4] |= std::uint32_t{worm.field[byte]} << (8 * (byte % 4));
}

/// What is wrong with a worm's route; nullptr: nothing.
const char* fault_of(const format::header_shape& shape, const route& worm) {
    const std::vector<std::uint8_t>& field = worm.field;
    if (shape.stops == 0) return "a worm, which routers do not copy";
    switch (worm.kind) {
        case packet_kind::unicast: return "a unicast is no worm";
        case packet_kind::tree:
            if (field.size() != (shape.hosts + 7) / 8) return "a bit string of another length than the network has";
            if (std::ranges::all_of(field, [](std::uint8_t byte) { return byte == 0; }))
                return "a tree worm without receivers";
            return shape.hosts % 8 != 0 && field.back() >> shape.hosts % 8 != 0
                       ? "a tree worm to hosts that are not there"
                       : nullptr;
        case packet_kind::ssr:
            return field.size() == format::stop_bytes(shape) ? nullptr
                                                             : "an SSR stop of another length than the network has";
        case packet_kind::path:
            if (field.size() < 2 || field[0] == 0 || field[0] > shape.stops)
                return "a path worm with more stops than headers have, or none";
            if (field[1] != 0) return "a path worm that does not begin at its first stop";
            return field.size() == 2 + field[0] * format::stop_bytes(shape) ? nullptr : "a path worm of a bad length";
        case packet_kind::broadcast:
        case packet_kind::pipelined: return "switches do not know broadcasts";
        case packet_kind::lid: return "switches of up*/down* routing do not know LIDs";
    }
    return "a worm of an unknown kind";
}

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument(what);
}

std::uint32_t host_of(const route& one) {
    if (one.kind != packet_kind::unicast) refuse("group: hosts and worms as children");
    std::uint32_t host = 0;
    for (std::size_t byte = one.field.size(); byte-- > 0;) host = host << 8 | one.field[byte];
    return host;
}

void check_counting(const process_params& params, const char* what, const counting& count) {
    check_counter(params, what, count.counter);
    if (count.step == 0) refuse(std::string(what) + ": a count stands for at least one byte");
}

void check_following(const process_params& params, const send_order& order) {
    const bool unicast = order.kind == send_kind::unicast;
    if (order.whole && !order.follow) refuse("send: only what follows another message can wait for all of it");
    if ((order.follow || order.window != 0) && !unicast) refuse("send: only unicasts follow, or have a window");
    if ((order.follow || order.window != 0) && order.ticket)
        refuse("send: what reserves interfaces can neither follow nor have a window");
    if (order.second && !unicast) refuse("send: only unicasts have a second queue");
    if (order.window != 0 && order.window < params.payload_bytes)
        refuse("send: a window of " + std::to_string(order.window) + " bytes, but a packet carries " +
               std::to_string(params.payload_bytes));
    if (order.window != 0 && order.to == params.host) refuse("send: a window to the own host");
    if (order.follow) check_counting(params, "send", *order.follow);
}

constexpr unsigned receipt_bytes = 16;

void check_reliable(const process_params& params, const send_order& order) {
    if (!order.reliable) return;
    if (order.kind == send_kind::operand) refuse("send: an operand is not reliable");
    if (order.ticket || order.window != 0) refuse("send: a reliable message neither reserves nor has a window");
    if (order.kind == send_kind::unicast && order.to == params.host) refuse("send: reliable, to the own host");
    if (order.kind == send_kind::worm && order.group == 0xffff)
        refuse("send: a reliable worm needs a group, whose members acknowledge it");
    if (order.patience > NI_SEND_PATIENCE_MASK >> NI_SEND_PATIENCE_SHIFT)
        refuse("send: patience of " + std::to_string(order.patience));
    if (params.payload_bytes < receipt_bytes)
        refuse("send: reliable, but a packet of " + std::to_string(params.payload_bytes) +
               " bytes holds no receipt of " + std::to_string(receipt_bytes));
}

void check_receipts(const process_params& params, const group_order& order) {
    if (!order.receipts) return;
    const receipts_order& tree = *order.receipts;
    const bool root = order.root == params.host;
    if (order.once) refuse("group: receipts of a group for one message");
    if (order.member == root) refuse("group: with receipts every host but the root is a member");
    if (root ? tree.parent != receipts_order::none : tree.parent >= params.hosts || tree.parent == params.host)
        refuse("group: no parent for receipts, or one at the root");
    if (root && tree.below.empty()) refuse("group: nobody acknowledges to the root");
    if (tree.below.size() > most_receipt_children)
        refuse("group: " + std::to_string(tree.below.size()) + " hosts acknowledge to one, and " +
               std::to_string(most_receipt_children) + " may");
    if (tree.members > 0xffff) refuse("group: more than 65535 members");
    for (const std::uint32_t host : tree.below)
        if (host >= params.hosts || host == params.host || host == order.root ||
            std::ranges::count(tree.below, host) != 1)
            refuse("group: no receipts of host " + std::to_string(host));
}

/// Children that the first command of a group holds; receipts go with it.
std::size_t children_in_first(const process_params& params, const group_order& order) {
    const std::size_t receipts = order.receipts ? order.receipts->below.size() : 0;
    return (words_behind(params) - receipts) / words_of(order);
}

}  // namespace

void check_counter(const process_params& params, const char* what, unsigned counter) {
    const unsigned most = NI_COUNTER_ELEMENTS / params.processes;
    if (counter >= most)
        refuse(std::string(what) + ": no counter " + std::to_string(counter) + ", a process has " +
               std::to_string(most));
}

void check_landing(const process_params& params, const landing_order& order) {
    if (order.source >= params.hosts + params.units) refuse("expect: no host " + std::to_string(order.source));
    if (order.process > 0xff) refuse("expect: process " + std::to_string(order.process));
    if (order.bytes == 0) refuse("expect: a message has at least one byte");
    if (order.tell >> 32 != 0) refuse("expect: only the first 32 interfaces are told");
    if (order.count.has_value() != (order.tell != 0)) refuse("expect: what counts is told to an interface");
    if (order.count) check_counting(params, "expect", *order.count);
}

void check_order(const process_params& params, const send_order& order, std::size_t bytes) {
    if (bytes == 0) refuse("send: a message has at least one byte");
    if (bytes > window_bytes) refuse("send: a message of more than 4 GiB");
    if (order.process > 0xff) refuse("send: process " + std::to_string(order.process));
    if (order.vc_class > 7) refuse("send: class " + std::to_string(order.vc_class) + " of virtual channels");
    if (order.ticket && order.kind != send_kind::unicast) refuse("send: only unicasts reserve interfaces");
    check_following(params, order);
    check_reliable(params, order);
    switch (order.kind) {
        case send_kind::unicast:
            if (order.to >= params.hosts) refuse("send: no host " + std::to_string(order.to));
            if (order.ticket && order.to == params.host)
                refuse("send: an interface cannot reserve itself for a message to its own host");
            break;
        case send_kind::worm:
            if (const char* const fault = fault_of(params.header_shape(), order.route))
                refuse(std::string("send: ") + fault);
            if (words_of(order.route) > words_behind(params))
                refuse("send: a route of " + std::to_string(order.route.field.size()) +
                       " bytes does not fit into a command");
            break;
        case send_kind::group:
            if (order.group == 0xffff) refuse("send: no group");
            break;
        case send_kind::operand:
            if (order.to < params.hosts || order.to - params.hosts >= params.units)
                refuse("send: no coding unit " + std::to_string(order.to));
            if (bytes > params.payload_bytes)
                refuse("send: an operand of " + std::to_string(bytes) + " bytes, but a packet carries " +
                       std::to_string(params.payload_bytes));
            break;
    }
}

group_order checked_order(const process_params& params, const group_order& given) {
    group_order order = given;
    if (!given.worms.empty() && given.children.empty() && given.worms.front().kind == packet_kind::unicast) {
        order.worms.clear();
        for (const route& one : given.worms) order.children.push_back(host_of(one));
    }
    if (order.group == 0xffff) refuse("group: 65535 is no group");
    if (order.root >= params.hosts) refuse("group: no host " + std::to_string(order.root));
    if (!order.children.empty() && !order.worms.empty()) refuse("group: hosts and worms as children");
    if (std::max(order.children.size(), order.worms.size()) > most_children)
        refuse("group: more than " + std::to_string(most_children) + " children");
    for (const std::uint32_t child : order.children)
        if (child >= params.hosts) refuse("group: no host " + std::to_string(child));
    for (const route& worm : order.worms) {
        if (const char* const fault = fault_of(params.header_shape(), worm)) refuse(std::string("group: ") + fault);
        if (worm.kind != order.worms.front().kind) refuse("group: worms of several kinds");
        const std::size_t most = std::min<std::size_t>(words_behind(params), NI_GROUP_ROUTE_WORDS);
        if (words_of(worm) > most)
            refuse("group: a route of " + std::to_string(worm.field.size()) + " bytes, but the table has room for " +
                   std::to_string(4 * most));
    }
    check_receipts(params, order);
    return order;
}

std::uint32_t commands_of(const process_params& params, const group_order& order) {
    const std::size_t children = std::max(order.children.size(), order.worms.size());
    const std::size_t in_first = std::min(children, children_in_first(params, order));
    const std::size_t in_command = words_behind(params) / words_of(order);
    return static_cast<std::uint32_t>(1 + (children - in_first + in_command - 1) / in_command);
}

void compose_send(const process_params& params, const send_order& order, unsigned window, std::uint32_t offset,
                  std::uint32_t bytes, std::vector<std::uint32_t>& words) {
    words.assign(NI_COMMAND_WORDS, 0);
    words[NI_COMMAND_OFFSET] = offset;
    words[NI_COMMAND_LENGTH] = bytes;
    words[NI_COMMAND_TO] = order.process << 24;
    words[NI_COMMAND_MESSAGE] = order.number;
    words[NI_COMMAND_TAG] = order.tag;
    std::uint32_t operation = NI_COMMAND_SEND;
    switch (order.kind) {
        case send_kind::unicast:
            words[NI_COMMAND_TO] |= order.to;
            if (!order.ticket) break;
            operation |= std::uint32_t{NI_SEND_RESERVE} << 16;
            if (order.urgent) operation |= std::uint32_t{NI_SEND_URGENT} << 16;
            words[NI_COMMAND_GROUP] = *order.ticket;
            break;
        case send_kind::worm:
            operation = NI_COMMAND_SEND_WORM | static_cast<std::uint32_t>(order.route.kind)
                                                   << (16 + NI_GROUP_KIND_SHIFT);
            if (order.reliable) words[NI_COMMAND_GROUP] = order.group;
            append(order.route, words_of(order.route), words);
            break;
        case send_kind::group:
            operation = NI_COMMAND_SEND_GROUP;
            words[NI_COMMAND_TO] |= params.host;
            words[NI_COMMAND_GROUP] = order.group | std::uint32_t{order.hops} << 16;
            break;
        case send_kind::operand:
            operation |= NI_SEND_OPERAND << 16;
            words[NI_COMMAND_TO] |= order.to;
            words[NI_COMMAND_GROUP] = order.group;
            break;
    }
    if (order.follow || order.window != 0) words.resize(NI_COMMAND_LONG_WORDS, 0);
    if (order.follow) {
        operation |= std::uint32_t{NI_SEND_FOLLOW} << 16;
        if (order.whole) operation |= std::uint32_t{NI_SEND_WHOLE} << 16;
        words[NI_COMMAND_COUNTER] = order.follow->counter;
        words[NI_COMMAND_STEP] = order.follow->step;
    }
    if (order.window != 0) {
        operation |= std::uint32_t{NI_SEND_WINDOW} << 16;
        words[NI_COMMAND_WINDOW] = order.window;
    }
    if (order.second) operation |= std::uint32_t{NI_SEND_SECOND} << 16;
    if (order.reliable) operation |= (std::uint32_t{NI_SEND_RELIABLE} | order.patience << NI_SEND_PATIENCE_SHIFT) << 16;
    words[NI_COMMAND_OPERATION] = operation | window << 8 | std::uint32_t{order.vc_class} << (16 + NI_SEND_CLASS_SHIFT);
}

void compose_landing(const landing_order& order, unsigned window, std::vector<std::uint32_t>& words) {
    words.assign(NI_COMMAND_LONG_WORDS, 0);
    words[NI_COMMAND_OPERATION] = NI_COMMAND_RECEIVE | window << 8 | std::uint32_t{NI_RECEIVE_EXPECTED} << 16;
    words[NI_COMMAND_OFFSET] = static_cast<std::uint32_t>(order.offset);
    words[NI_COMMAND_LENGTH] = order.bytes;
    words[NI_COMMAND_TO] = order.source | order.process << 24;
    words[NI_COMMAND_MESSAGE] = order.number;
    words[NI_COMMAND_COUNTER] = order.count ? order.count->counter : 0xffffffff;
    words[NI_COMMAND_STEP] = order.count ? order.count->step : 1;
    words[NI_COMMAND_TELL] = static_cast<std::uint32_t>(order.tell);
}

void compose_group(const process_params& params, const group_order& order, std::uint32_t part,
                   std::vector<std::uint32_t>& words) {
    words.assign(NI_COMMAND_WORDS, 0);
    words[NI_COMMAND_TO] = order.root;
    words[NI_COMMAND_GROUP] = order.group;
    const std::size_t each = words_of(order);
    const std::size_t in_first = children_in_first(params, order);
    const std::size_t in_command = words_behind(params) / each;
    const std::size_t first = part == 0 ? 0 : in_first + (part - 1) * in_command;
    const std::size_t all = std::max(order.children.size(), order.worms.size());
    const std::size_t count = std::min(part == 0 ? in_first : in_command, all - first);
    words[NI_COMMAND_LENGTH] = static_cast<std::uint32_t>(count);
    for (std::size_t child = first; child < first + count; ++child) {
        if (order.worms.empty())
            words.push_back(order.children[child]);
        else
            append(order.worms[child], each, words);
    }
    if (part != 0) {
        words[NI_COMMAND_OPERATION] = NI_COMMAND_EXTEND_GROUP;
        return;
    }
    std::uint32_t flags = params.process << NI_GROUP_PROCESS_SHIFT;
    if (order.fcfs) flags |= NI_GROUP_FCFS;
    if (order.member) flags |= NI_GROUP_DELIVER;
    if (order.once) flags |= NI_GROUP_ONCE;
    if (!order.worms.empty()) {
        flags |= static_cast<std::uint32_t>(order.worms.front().kind) << NI_GROUP_KIND_SHIFT;
        words[NI_COMMAND_OFFSET] = static_cast<std::uint32_t>(each);
    }
    if (order.receipts) {
        flags |= NI_GROUP_RECEIPTS;
        words[NI_COMMAND_MESSAGE] = order.receipts->parent;
        words[NI_COMMAND_TAG] = static_cast<std::uint32_t>(order.receipts->below.size()) | order.receipts->members
                                                                                               << 16;
        words.insert(words.end(), order.receipts->below.begin(), order.receipts->below.end());
    }
    words[NI_COMMAND_OPERATION] = NI_COMMAND_SET_GROUP | flags << 16;
}

}  // namespace polycast::hw::host
