// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/htsim_matrix_text.h"

#include <limits>
#include <unordered_map>

#include "hw/programs/program.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::programs::htsim {
namespace {

using topology::excerpt;

/// Longest message before it is cut.
constexpr std::uint64_t most_connection_bytes = std::uint64_t{1} << 50;
constexpr std::uint32_t most_number = std::numeric_limits<std::uint32_t>::max();

const std::string attributes[] = {"id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio"};
enum attribute : std::size_t { id, start, trigger_word, size, send_done, recv_done, prio };

class parser {
public:
    parser(const std::string& name, std::string_view text, const topology::warning& warn)
        : cursor_(name, text), warn_(warn) {}

    matrix parse();

private:
    /// A count that the file gives in front, and where.
    struct announced {
        std::uint64_t count = 0;
        text_position at;
    };

    /// The word that begins here; the cursor stays in front of it.
    std::string_view word() const { return cursor_.left().substr(0, cursor_.left().find_first_of(" \t#")); }
    std::string_view take_word();
    bool line_ended();
    std::uint64_t number(const std::string& what, std::uint64_t least, std::uint64_t most);
    void line();
    void announce(std::optional<announced>& to, std::string_view what, std::uint64_t most);
    void read_connection();
    void read_attribute(connection& made, std::size_t which);
    void read_trigger();
    void finish_line();
    void compare(const std::optional<announced>& with, std::size_t found, const std::string& what) const;

    topology::text_cursor cursor_;
    const topology::warning& warn_;
    matrix made_;
    std::optional<announced> nodes_, connections_, triggers_;
    std::unordered_map<std::uint32_t, unsigned> connection_ids_, trigger_ids_;  ///< and their lines
    bool prio_ = false;
};

bool parser::line_ended() {
    cursor_.skip_blanks();
    return cursor_.at_end() || cursor_.peek() == '#';
}

std::string_view parser::take_word() {
    const std::string_view taken = word();
    cursor_.advance(taken.size());
    return taken;
}

std::uint64_t parser::number(const std::string& what, std::uint64_t least, std::uint64_t most) {
    cursor_.skip_blanks();
    const text_position at = cursor_.position();
    const std::string_view shown = word();
    const auto value = cursor_.take_number<std::uint64_t>();
    const bool ends = cursor_.at_end() || std::string_view(" \t#-").find(cursor_.peek()) != std::string_view::npos;
    if (!value || *value < least || *value > most || !ends)
        cursor_.fail_at(at, what + " is " + std::to_string(least) + " to " + std::to_string(most) + ", found " +
                                (shown.empty() ? "the end of the line" : excerpt(shown)));
    return *value;
}

void parser::announce(std::optional<announced>& to, std::string_view what, std::uint64_t most) {
    const text_position at = cursor_.position();
    if (to)
        cursor_.fail_at(at, "'" + std::string(what) + "' a second time",
                        "the first is in line " + std::to_string(to->at.line));
    cursor_.advance(what.size());
    to = announced{number("the number behind '" + std::string(what) + "'", what == "Nodes" ? 1 : 0, most), at};
}

void parser::line() {
    const std::string_view first = word();
    if (first == "Nodes") {
        announce(nodes_, first, most_ranks);
        made_.nodes = static_cast<std::uint32_t>(nodes_->count);
    } else if (first == "Connections") {
        announce(connections_, first, most_number);
    } else if (first == "Triggers") {
        announce(triggers_, first, most_number);
    } else if (first == "Failures" || first == "failure") {
        cursor_.fail("'" + std::string(first) + "': failures of links are not taken from connection matrices",
                     "say `faults` in the scenario");
    } else if (first == "trigger") {
        read_trigger();
    } else if (!first.empty() && first.front() >= '0' && first.front() <= '9') {
        read_connection();
    } else {
        const std::string known[] = {"Nodes", "Connections", "Triggers", "trigger"};
        const std::string near = topology::propose_name(first, known);
        cursor_.fail("unknown word " + excerpt(first),
                     near.empty() ? "a line is Nodes, Connections or Triggers N, S->D .., or trigger id N .." : near);
    }
    finish_line();
}

void parser::finish_line() {
    if (!line_ended()) cursor_.fail("unexpected " + excerpt(word()), "one connection or trigger a line");
}

void parser::read_connection() {
    if (!nodes_) cursor_.fail("a connection before 'Nodes'", "the number of nodes comes first");
    connection made;
    made.line = cursor_.position().line;
    const auto node = [&](const char* what) {
        return static_cast<std::uint16_t>(number(std::string("the ") + what, 0, made_.nodes - 1));
    };
    made.source = node("source");
    if (!cursor_.take("->")) cursor_.fail("expected '->' between source and destination");
    made.destination = node("destination");
    std::uint32_t seen = 0;
    while (!line_ended()) {
        const text_position at = cursor_.position();
        const std::string_view name = take_word();
        std::size_t which = 0;
        while (which < std::size(attributes) && attributes[which] != name) ++which;
        if (which == std::size(attributes))
            cursor_.fail_at(at, "unknown word " + excerpt(name) + " of a connection",
                            topology::propose_name(name, attributes));
        if ((seen & 1u << which) != 0) cursor_.fail_at(at, "'" + std::string(name) + "' a second time");
        seen |= 1u << which;
        read_attribute(made, which);
    }
    if ((seen & 1u << size) == 0) cursor_.fail("a connection without size", "size B: its bytes");
    if (((seen >> start) & 1) == ((seen >> trigger_word) & 1))
        cursor_.fail((seen & 1u << start) != 0 ? "a connection with both start and trigger"
                                               : "a connection without start or trigger",
                     "start T: when it begins; or trigger N: what starts it");
    made_.connections.push_back(made);
}

void parser::read_attribute(connection& made, std::size_t which) {
    cursor_.skip_blanks();
    const text_position at = cursor_.position();
    const auto used = [&] {
        return trigger_use{static_cast<std::uint32_t>(number("a trigger", 0, most_number)), at.column};
    };
    switch (which) {
        case id: {
            made.id = static_cast<std::uint32_t>(number("an id", 0, most_number));
            const auto [known, is_new] = connection_ids_.try_emplace(*made.id, made.line);
            if (!is_new)
                cursor_.fail_at(at, "the id " + std::to_string(*made.id) + " a second time",
                                "the first is in line " + std::to_string(known->second));
            break;
        }
        case start: made.start = number("a time", 0, most_time); break;
        case size: made.bytes = number("a size", 1, most_connection_bytes); break;
        case trigger_word: made.trigger = used(); break;
        case send_done: made.send_done = used(); break;
        case recv_done: made.recv_done = used(); break;
        default: number("a priority", 0, most_number); prio_ = true;
    }
}

void parser::read_trigger() {
    trigger made;
    made.line = cursor_.position().line;
    cursor_.advance(std::string_view("trigger").size());
    cursor_.skip_blanks();
    if (word() != "id") cursor_.fail("expected 'id' behind 'trigger', found " + excerpt(word()));
    take_word();
    cursor_.skip_blanks();
    const text_position at = cursor_.position();
    made.id = static_cast<std::uint32_t>(number("a trigger", 0, most_number));
    const auto [known, is_new] = trigger_ids_.try_emplace(made.id, made.line);
    if (!is_new)
        cursor_.fail_at(at, "the trigger " + std::to_string(made.id) + " a second time",
                        "the first is in line " + std::to_string(known->second));
    cursor_.skip_blanks();
    const auto* const kind = std::ranges::find(trigger_kinds, word(), [](const auto& one) { return one.name; });
    if (kind == std::end(trigger_kinds)) {
        const std::string names[] = {"oneshot", "multishot", "barrier"};
        const std::string near = topology::propose_name(word(), names);
        cursor_.fail("unknown kind of trigger " + excerpt(word()),
                     near.empty() ? "known: oneshot, multishot, barrier" : near);
    }
    made.kind = kind->value;
    take_word();
    if (made.kind == trigger_kind::barrier) {
        cursor_.skip_blanks();
        if (word() != "count") cursor_.fail("expected 'count' behind 'barrier'", "count K: how many have to arrive");
        take_word();
        made.count = static_cast<std::uint32_t>(number("a count", 1, most_number));
    }
    made_.triggers.push_back(made);
}

void parser::compare(const std::optional<announced>& with, std::size_t found, const std::string& what) const {
    if (with && with->count != found)
        cursor_.fail_at(with->at, std::to_string(with->count) + " " + what + " are announced, and the file has " +
                                      std::to_string(found));
}

matrix parser::parse() {
    while (cursor_.next_line())
        if (!line_ended()) line();
    if (!nodes_) cursor_.fail("the file has no 'Nodes'", "it begins with Nodes N, Connections N");
    if (!connections_) cursor_.fail("the file has no 'Connections'", "it begins with Nodes N, Connections N");
    compare(connections_, made_.connections.size(), "connections");
    if (!triggers_) triggers_ = announced{0, cursor_.position()};
    compare(triggers_, made_.triggers.size(), "triggers");
    if (prio_ && warn_) warn_(cursor_.file() + ": prio is ignored: messages of a rank have no priorities");
    return std::move(made_);
}

}  // namespace

matrix parse_matrix(const std::string& name, std::string_view text, const topology::warning& warn) {
    return parser(name, text, warn).parse();
}

}  // namespace polycast::hw::programs::htsim
