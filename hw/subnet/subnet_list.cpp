// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/subnet_list.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace polycast::hw::subnet {
namespace {

using topology::infiniband_cable;
using topology::infiniband_node;

constexpr std::string_view description_end = "} LID:";

std::string node_id(char kind, std::uint64_t guid) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%c-%016llx", kind, static_cast<unsigned long long>(guid));
    return text.data();
}

template <std::size_t count>
void expect_one_of(line_reader& in, const char* key, const std::array<std::string_view, count>& values) {
    in.expect(key);
    const text_position at = in.position();
    const std::string_view value = in.take_until(" \t");
    if (std::find(values.begin(), values.end(), value) == values.end()) {
        std::string known;
        for (const std::string_view one : values) known += (known.empty() ? "" : ", ") + std::string(one);
        in.fail_at(at, std::string("unknown ") + key + " " + topology::excerpt(value), "known: " + known);
    }
}

/// Whether this, behind the first description's end, goes on with the other end of the cable.
bool joins_ends(std::string_view text) {
    topology::text_cursor cursor({}, {});
    cursor.enter_line(text);
    const auto number = [&] { return cursor.take_number<std::uint64_t>(16).has_value(); };
    const auto word = [&](std::string_view expected) {
        cursor.skip_blanks();
        return cursor.take(expected);
    };
    if (!number() || !word("PN:") || !number() || !word("}") || !word("{")) return false;
    cursor.skip_blanks();
    cursor.take_until(" ");
    return word("Ports:") && number() && word("SystemGUID:");
}

constexpr std::array<std::string_view, 6> widths{"1x", "2x", "4x", "8x", "12x", "??"};
constexpr std::array<std::string_view, 9> speeds{"2.5", "5", "10", "14", "25", "50", "100", "FDR10", "??"};
constexpr std::array<std::string_view, 4> states{"ACT", "ARM", "INI", "DWN"};

}  // namespace

/// What stands in front of a description.
struct subnet_list::head {
    char kind = 0;  ///< S, H, R as in the ids of ibnetdiscover, or * for unknown ones
    unsigned ports = 0;
    std::uint64_t node_guid = 0, port_guid = 0;
    text_position at, ports_at;
};

subnet_list::head subnet_list::read_head(line_reader& in) {
    head told;
    in.skip_blanks();
    in.expect("{");
    in.skip_blanks();
    told.at = in.position();
    if (in.take("SW")) {
        told.kind = 'S';
    } else if (in.take("CA")) {
        told.kind = 'H';
    } else if (in.take("Rt")) {
        told.kind = 'R';
    } else if (in.take("**")) {
        told.kind = '*';
    } else {
        in.fail("unknown kind of node " + topology::excerpt(in.take_until(" \t")), "known: SW, CA, Rt, **");
    }
    in.take("-SM");
    in.expect("Ports:");
    told.ports_at = in.position();
    told.ports = in.expect_hexadecimal("number of ports", 1, 255, false);
    in.expect("SystemGUID:");
    if (!in.take_number<std::uint64_t>(16)) in.fail("expected a GUID");
    in.expect("NodeGUID:");
    told.node_guid = in.expect_guid(false);
    in.expect("PortGUID:");
    told.port_guid = in.expect_guid(false);
    in.expect("VenID:");
    in.expect_hexadecimal("vendor", 0, 0xffffffff, false);
    in.expect("DevID:");
    in.expect_hexadecimal("device", 0, 0xffffffff, false);
    in.expect("Rev:");
    in.expect_hexadecimal("revision", 0, 0xffffffff, false);
    in.expect("{");
    return told;
}

subnet_list::end subnet_list::add(line_reader& in, const head& told, std::string_view description, unsigned lid,
                                  unsigned port) {
    const std::string id = node_id(told.kind, told.node_guid);
    const auto [known, is_new] = numbers_.try_emplace(id, records_.nodes.size());
    if (is_new) {
        infiniband_node fresh;
        fresh.is_switch = told.kind == 'S';
        fresh.is_router = told.kind == 'R';
        fresh.id = id;
        fresh.description = description;
        fresh.guid = told.node_guid;
        fresh.ports = told.ports;
        fresh.at = told.at;
        fresh.file = static_cast<std::uint32_t>(records_.files.size() - 1);
        if (fresh.is_switch) {
            fresh.port_guid = told.port_guid;
            fresh.lid = lid;
            if (told.ports > topology::max_switch_ports)
                in.fail_at(told.ports_at, "'" + id + "' has " + std::to_string(told.ports) + " ports",
                           "a switch has 1 to " + std::to_string(topology::max_switch_ports) + " ports");
        }
        records_.nodes.push_back(std::move(fresh));
    }
    const infiniband_node& node = records_.nodes[known->second];
    if (node.ports != told.ports || (node.is_switch && node.lid != lid))
        in.fail_at(told.at, "'" + id + "' is told differently in line " + std::to_string(node.at.line),
                   "give the list of one sweep");
    if (port > node.ports)
        in.fail_at(told.at, "'" + id + "' has no port " + std::to_string(port),
                   "its ports are 1 to " + std::to_string(node.ports));
    return {known->second, port, told.port_guid, lid};
}

void subnet_list::connect(const line_reader& in, const end& from, const end& to) {
    infiniband_node& node = records_.nodes[from.node];
    infiniband_cable one;
    one.remote = records_.nodes[to.node].id;
    one.remote_port = to.port;
    one.at = {in.position().line, 1};
    one.file = static_cast<std::uint32_t>(records_.files.size() - 1);
    if (!node.is_switch) {
        one.port_guid = from.port_guid;
        one.lid = from.lid;
    }
    const auto [known, is_new] = node.cables.try_emplace(from.port, one);
    if (is_new) return;
    if (!known->second.same_as(one) || known->second.port_guid != one.port_guid || known->second.lid != one.lid)
        in.fail_at(one.at,
                   "port " + std::to_string(from.port) + " of '" + node.id + "' is told differently in line " +
                       std::to_string(known->second.at.line),
                   "give the list of one sweep");
}

void subnet_list::read_line(line_reader& in) {
    const std::string_view line = in.line();
    const head first = read_head(in);
    const std::size_t begin = in.position().column - 1;
    const std::size_t last = line.rfind(description_end);
    // Descriptions may hold anything, also what ends one: the first ends at the last place behind which the rest can be
    // read.
    std::size_t split = last == std::string_view::npos ? last : line.substr(0, last).rfind(description_end);
    while (split != std::string_view::npos && split >= begin &&
           !joins_ends(line.substr(split + description_end.size())))
        split = split == 0 ? std::string_view::npos : line.substr(0, split).rfind(description_end);
    if (split == std::string_view::npos || split < begin)
        in.fail("expected a description, then '} LID:H PN:H } {' and the other end", "is the line cut short?");
    const auto finish_end = [&](const head& told, std::size_t from, std::size_t to) {
        in.advance(to + description_end.size() - (in.position().column - 1));
        const unsigned lid = in.expect_hexadecimal("LID", 0, max_lid, false);
        in.expect("PN:");
        const unsigned port = in.expect_hexadecimal("port", 1, max_port, false);
        in.expect("}");
        return add(in, told, line.substr(from, to - from), lid, port);
    };
    const end a = finish_end(first, begin, split);
    const head second = read_head(in);
    const std::size_t second_begin = in.position().column - 1;
    const std::size_t second_end = line.rfind(description_end);
    const end b = finish_end(second, second_begin, second_end);
    expect_one_of(in, "PHY=", widths);
    in.skip_blanks();
    const bool down = in.left().starts_with("LOG=DWN");
    expect_one_of(in, "LOG=", states);
    in.skip_blanks();
    if (!in.at_end()) expect_one_of(in, "SPD=", speeds);
    in.expect_end();
    if (down) return;
    for (const head* one : {&first, &second})
        if (one->kind == '*')
            in.fail_at(one->at, "a node of unknown kind is cabled", "let the subnet manager sweep again");
    connect(in, a, b);
}

void subnet_list::read(line_reader& in) {
    records_.files.push_back(in.file());
    while (in.next_line()) {
        in.skip_blanks();
        if (in.at_end() || in.peek() == '#') continue;
        read_line(in);
    }
}

topology::infiniband_records subnet_list::finish() {
    // Only cabled ports are hosts.
    std::erase_if(records_.nodes, [](const infiniband_node& one) { return !one.is_switch && one.cables.empty(); });
    topology::check_cables(records_);
    return std::move(records_);
}

}  // namespace polycast::hw::subnet
