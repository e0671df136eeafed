// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/edge_list.h"

#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "hw/topology/guid.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/network_builder.h"
#include "hw/topology/repetition.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::topology {
namespace {

constexpr std::string_view word_ends = " \t#:\"";

const std::array<std::string, 6> keywords{"first_port", "ports", "hosts", "switch", "host", "link"};

class edge_list_reader {
public:
    edge_list_reader(const std::string& file, std::string_view text) : cursor_(file, text), builder_(file) {}

    graph read() {
        while (cursor_.next_line()) {
            cursor_.skip_blanks();
            if (done()) continue;
            const text_position start = cursor_.position();
            const bool quoted = cursor_.peek() == '"';
            const std::string word = take_name("a statement");
            if (quoted || !take_statement(word)) take_link(word, start);
            cursor_.skip_blanks();
            if (!done())
                cursor_.fail("unexpected " + excerpt(cursor_.left()) + " after the statement",
                             "start a comment with #");
        }
        return builder_.finish();
    }

private:
    bool done() const { return cursor_.at_end() || cursor_.peek() == '#'; }

    std::string take_name(const std::string& what) {
        cursor_.skip_blanks();
        if (done()) cursor_.fail(what + " is missing");
        if (!cursor_.take("\"")) {
            const std::string_view word = cursor_.take_until(word_ends);
            if (word.empty()) cursor_.fail(what + " must not start with " + excerpt(cursor_.left().substr(0, 1)));
            return std::string(word);
        }
        std::string name;
        while (!cursor_.at_end() && cursor_.peek() != '"') {
            if (cursor_.peek() == '\\') cursor_.advance(1);
            if (cursor_.at_end()) break;
            name += cursor_.peek();
            cursor_.advance(1);
        }
        if (!cursor_.take("\"")) cursor_.fail("the closing \" is missing");
        if (name.empty()) cursor_.fail(what + " is empty");
        return name;
    }

    unsigned take_setting(std::uint64_t low, std::uint64_t high) {
        cursor_.skip_blanks();
        const text_position at = cursor_.position();
        const auto value = cursor_.take_number<std::uint64_t>();
        if (!value || *value < low || *value > high)
            cursor_.fail_at(at, "expected a number from " + std::to_string(low) + " to " + std::to_string(high));
        return static_cast<unsigned>(*value);
    }

    std::uint64_t take_guid() {
        cursor_.skip_blanks();
        if (!cursor_.take("guid=")) return 0;
        const auto value = cursor_.take("0x") ? cursor_.take_number<std::uint64_t>(16) : std::nullopt;
        if (!value) cursor_.fail("expected a GUID like 0x200005");
        return *value;
    }

    /// \returns false when `word` is no keyword, so that the line must be a link
    bool take_statement(const std::string& word) {
        if (word == "first_port") {
            once(word);
            builder_.first_port = take_setting(0, 1);
        } else if (word == "ports") {
            once(word);
            builder_.default_ports = take_setting(1, max_switch_ports);
        } else if (word == "hosts") {
            once(word);
            builder_.hosts_per_switch = take_setting(0, max_switch_ports);
        } else if (word == "switch") {
            take_switch();
        } else if (word == "host") {
            take_host();
        } else if (word == "link") {
            cursor_.skip_blanks();
            const text_position at = cursor_.position();
            take_link(take_name("the first switch"), at);
        } else {
            return false;
        }
        return true;
    }

    void once(const std::string& word) {
        if (!said_.insert(word).second) cursor_.fail_at({cursor_.position().line, 1}, "'" + word + "' is said twice");
    }

    void take_switch() {
        cursor_.skip_blanks();
        const text_position at = cursor_.position();
        const std::string name = take_name("the switch's name");
        cursor_.skip_blanks();
        const auto ports = cursor_.take_number<std::uint64_t>();
        const std::uint64_t guid = take_guid();
        if (const auto known = numbers_.find(name); known != numbers_.end())
            cursor_.fail_at(at, "switch '" + name + "' is already known", "declare it once, before it is used");
        numbers_.emplace(name, builder_.add_switch(name, ports, guid, at));
    }

    void take_host() {
        cursor_.skip_blanks();
        const text_position at = cursor_.position();
        std::string name = take_name("the host's name");
        if (!hosts_.insert(name).second) cursor_.fail_at(at, "there is already a host '" + name + "'");
        cursor_.skip_blanks();
        const text_position there = cursor_.position();
        const network_builder::end end = take_end(take_name("the host's switch"), there);
        builder_.add_host(std::move(name), take_guid(), end);
    }

    void take_link(const std::string& first, text_position at) {
        const network_builder::end a = take_end(first, at);
        cursor_.skip_blanks();
        if (done()) {
            const std::string proposal = propose_name(first, keywords);
            cursor_.fail_at(at, "expected a statement or two switches, but there is only " + excerpt(first),
                            proposal.empty() ? "a link is two switch names" : proposal);
        }
        const text_position there = cursor_.position();
        builder_.add_link(a, take_end(take_name("the second switch"), there));
        skip_data();
    }

    /// A weight or a dictionary, as NetworkX writes them behind an edge.
    void skip_data() {
        cursor_.skip_blanks();
        if (cursor_.peek() == '{') {
            skip_dictionary();
            return;
        }
        double weight = 0;
        const std::string_view left = cursor_.left();
        const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), weight);
        if (error == std::errc{}) cursor_.advance(static_cast<std::size_t>(end - left.data()));
    }

    void skip_dictionary() {
        const text_position at = cursor_.position();
        char quote = '\0';
        unsigned open = 0;
        do {
            if (cursor_.at_end()) cursor_.fail_at(at, "the closing } is missing");
            const char letter = cursor_.peek();
            cursor_.advance(1);
            if (quote != '\0') {
                if (letter == quote) quote = '\0';
                if (letter == '\\' && !cursor_.at_end()) cursor_.advance(1);
            } else if (letter == '"' || letter == '\'') {
                quote = letter;
            } else if (letter == '{') {
                ++open;
            } else if (letter == '}') {
                --open;
            }
        } while (open != 0);
    }

    network_builder::end take_end(const std::string& name, text_position at) {
        auto number = numbers_.find(name);
        if (number == numbers_.end())
            number = numbers_.emplace(name, builder_.add_switch(name, std::nullopt, 0, at)).first;
        network_builder::end end{number->second, std::nullopt, at};
        if (cursor_.take(":")) {
            end.port = cursor_.take_number<std::uint64_t>();
            if (!end.port) cursor_.fail("expected a port number after ':'");
        }
        return end;
    }

    text_cursor cursor_;
    network_builder builder_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::unordered_set<std::string> hosts_, said_;
};

/// `name` as it is written in the file. \throws input_error when it cannot be
std::string spell(const std::string& name) {
    if (name.empty() || name.find_first_of("\n\r") != std::string::npos)
        throw input_error("an edge list cannot hold the name " + excerpt(name));
    if (name.find_first_of(word_ends) == std::string::npos) return name;
    std::string text = "\"";
    for (const char letter : name) {
        if (letter == '"' || letter == '\\') text += '\\';
        text += letter;
    }
    return text + "\"";
}

std::string spell_guid(std::uint64_t guid) {
    return guid == 0 ? "" : " guid=" + guid_text(guid);
}

}  // namespace

graph read_edge_list(const std::string& file, std::string_view text) {
    return edge_list_reader(file, text).read();
}

std::string write_edge_list(const graph& network) {
    if (const auto twice = find_repetition(network)) throw input_error(twice->message, twice->proposal);
    std::string text;
    if (network.first_port != 0) text += "first_port " + std::to_string(network.first_port) + "\n";
    for (const switch_node& node : network.switches)
        text += "switch " + spell(node.name) + " " + std::to_string(node.ports.size()) + spell_guid(node.guid) + "\n";
    const auto end = [&](std::uint32_t chip, unsigned port) {
        return spell(network.switches[chip].name) + ":" + std::to_string(port + network.first_port);
    };
    for (const host_node& host : network.hosts)
        text += "host " + spell(host.name) + " " + end(host.chip, host.port) + spell_guid(host.guid) + "\n";
    for (const link& one : network.links())
        text += "link " + end(one.a.chip, one.a.port) + " " + end(one.b.chip, one.b.port) + "\n";
    return text;
}

}  // namespace polycast::hw::topology
