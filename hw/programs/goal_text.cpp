// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/goal_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hw/input_error.h"
#include "hw/programs/program_builder.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::programs {
namespace {

using topology::excerpt;

constexpr std::uint32_t most_tag = 0xfffffffe;  ///< 0xffffffff is the binary form's "any"
constexpr std::size_t most_proposed_from = 10'000;
constexpr std::string_view portals[] = {"put", "get", "append", "tput", "tget", "tappend", "test"};

bool is_letter(char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
}

bool is_digit(char one) {
    return one >= '0' && one <= '9';
}

bool is_word(char one) {
    return is_letter(one) || is_digit(one) || one == '_';
}

class reader {
public:
    reader(const std::string& name, std::string_view text, const read_options& options,
           const std::function<void(std::size_t)>& release)
        : name_(name), text_(text), options_(options), release_(release) {}

    program read();

private:
    struct wait {
        std::string_view waiting, on;
        text_position waiting_at, on_at;
        bool on_start;
    };
    struct labelled {
        std::uint32_t operation;
        std::uint32_t line;
    };

    // The text, character by character.
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool at_end() const { return at_ == text_.size(); }
    text_position position() const { return place(at_); }
    text_position place(std::size_t at) const { return {line_, static_cast<unsigned>(at - line_begin_ + 1)}; }
    void skip_comment();
    void skip_blanks();
    void skip_to_next();
    bool line_ended() const { return broken_ || at_end() || peek() == '\n'; }

    [[noreturn]] void fail_at(text_position at, const std::string& message, const std::string& proposal = {}) const {
        throw input_error(name_, at, message, proposal);
    }
    /// "found 'xyz'": the word that stands here.
    std::string found() const;
    [[noreturn]] void fail_expected(const std::string& what, const std::string& proposal = {}) const {
        fail_at(position(), "expected " + what + ", " + found(), proposal);
    }

    // Parts of the grammar. All but take_word() skip blanks before.
    std::string_view take_word();
    void expect_word(std::string_view word);
    void expect_character(char one);
    std::uint64_t expect_number(const std::string& what, std::uint64_t least, std::uint64_t most);
    std::uint16_t expect_peer();
    void rank();
    void statement();
    void statement_of(std::string_view word, std::size_t word_at);
    void message(operation& made, bool receives);
    void attributes(operation& made, bool message);
    void dependency(std::string_view waiting, std::size_t waiting_at, bool on_start);
    void end_statement();
    void resolve();
    std::uint32_t find(std::string_view label, text_position at) const;

    const std::string& name_;
    std::string_view text_;
    const read_options& options_;
    const std::function<void(std::size_t)>& release_;
    std::size_t at_ = 0, line_begin_ = 0;
    unsigned line_ = 1;
    bool broken_ = false;  ///< a comment has led to another line since the statement began

    std::optional<program_builder> made_;
    std::uint32_t ranks_ = 0, rank_ = 0;
    unsigned nic_ = 0;
    text_position nic_at_;  ///< of the first NIC that is not 0
    std::unordered_map<std::string_view, labelled> labels_;
    std::vector<wait> waits_;
};

void reader::skip_comment() {
    const text_position begin = position();
    if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
        return;
    }
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) fail_at(begin, "a comment without end", "it ends with */");
    for (; at_ < end; ++at_)
        if (text_[at_] == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
            broken_ = true;
        }
    at_ = end + 2;
}

void reader::skip_blanks() {
    for (; !at_end(); ++at_) {
        while (peek() == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*'))
            skip_comment();
        if (peek() != ' ' && peek() != '\t' && peek() != '\r') return;
    }
}

/// Over ends of lines, too.
void reader::skip_to_next() {
    for (skip_blanks(); peek() == '\n' && !at_end(); skip_blanks()) {
        ++at_;
        ++line_;
        line_begin_ = at_;
    }
    broken_ = false;
}

std::string reader::found() const {
    if (at_end()) return "found the end of the file";
    if (broken_ || peek() == '\n') return "found the end of the line";
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return "found " + excerpt(text_.substr(at_, std::max<std::size_t>(end - at_, 1)));
}

std::string_view reader::take_word() {
    const std::size_t begin = at_;
    if (is_letter(peek()))
        while (!at_end() && is_word(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
}

void reader::expect_word(std::string_view word) {
    skip_blanks();
    const std::size_t begin = at_;
    if (!broken_ && take_word() == word) return;
    at_ = begin;
    fail_expected("'" + std::string(word) + "'");
}

void reader::expect_character(char one) {
    skip_blanks();
    if (line_ended() || peek() != one) fail_expected(std::string("'") + one + "'");
    ++at_;
}

std::uint64_t reader::expect_number(const std::string& what, std::uint64_t least, std::uint64_t most) {
    skip_blanks();
    if (line_ended() || !is_digit(peek())) fail_expected(what);
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc{} || value < least || value > most)
        fail_at(place(begin), what + " is " + std::to_string(least) + " to " + std::to_string(most) + ", found " +
                                  excerpt(text_.substr(begin, at_ - begin)));
    return value;
}

std::uint16_t reader::expect_peer() {
    return static_cast<std::uint16_t>(expect_number("a rank", 0, ranks_ - 1));
}

program reader::read() {
    skip_to_next();
    expect_word("num_ranks");
    ranks_ = static_cast<std::uint32_t>(expect_number("the number of ranks", 1, most_ranks));
    made_.emplace(ranks_, options_.names);
    std::vector<unsigned> lines(ranks_);  // where each rank stands
    for (skip_to_next(); !at_end(); skip_to_next()) {
        const text_position begin = position();
        const std::size_t word_at = at_;
        if (take_word() != "rank") {
            at_ = word_at;
            fail_expected("'rank' or the end of the file");
        }
        rank_ = expect_peer();
        if (lines[rank_] != 0)
            fail_at(begin, "rank " + std::to_string(rank_) + " a second time",
                    "the first is in line " + std::to_string(lines[rank_]));
        lines[rank_] = begin.line;
        rank();
        if (release_) release_(at_);
    }
    const auto missing = std::ranges::find(lines, 0u);
    if (missing != lines.end())
        fail_at(position(), "rank " + std::to_string(missing - lines.begin()) + " is missing",
                "num_ranks says that there are " + std::to_string(ranks_) + ", and each has to be there");
    if (nic_ != 0 && !options_.nics)
        fail_at(nic_at_, "messages take several NICs, and files do not say what that means",
                "say `nics: one` (a rank has one interface, which all messages take) or `nics: hosts` (a rank is a "
                "node with an interface for each number)");
    if (options_.nics == nic_meaning::hosts) made_->set_interfaces(nic_ + 1);
    if (options_.unit) made_->set_unit(*options_.unit);
    return made_->finish();
}

void reader::rank() {
    skip_to_next();
    expect_character('{');
    labels_.clear();
    waits_.clear();
    for (skip_to_next(); peek() != '}'; skip_to_next()) statement();
    ++at_;
    resolve();
}

void reader::statement() {
    const std::size_t begin = at_;
    std::string_view word = take_word();
    if (word.empty()) fail_expected("an operation, a label or '}'");
    skip_blanks();
    if (!broken_ && peek() == ':') {
        const std::uint32_t line = line_;
        const auto [known, is_new] = labels_.try_emplace(word, labelled{made_->operations(rank_), line});
        if (!is_new)
            fail_at(place(begin), "the label '" + std::string(word) + "' a second time",
                    "the first is in line " + std::to_string(known->second.line));
        ++at_;
        skip_blanks();
        const std::size_t operation_at = at_;
        const std::string_view kind = broken_ ? std::string_view{} : take_word();
        if (kind.empty()) fail_expected("an operation: send, recv or calc");
        statement_of(kind, operation_at);
        made_->name(rank_, word, line);
    } else {
        const std::size_t next_at = at_;
        const std::string_view next = broken_ ? std::string_view{} : take_word();
        if (next == "requires" || next == "irequires") {
            dependency(word, begin, next == "irequires");
        } else {
            at_ = next_at;
            const bool operation = word == "send" || word == "recv" || word == "calc" ||
                                   std::ranges::find(portals, word) != std::end(portals);
            if (!operation && !next.empty()) {
                const std::string known[] = {"requires", "irequires"};
                fail_expected("':', 'requires' or 'irequires' behind the label '" + std::string(word) + "'",
                              topology::propose_name(next, known));
            }
            const std::uint32_t line = line_;
            statement_of(word, begin);
            made_->name(rank_, {}, line);
        }
    }
    end_statement();
}

/// \param word the operation, which has been taken
void reader::statement_of(std::string_view word, std::size_t word_at) {
    operation made;
    if (word == "send" || word == "recv") {
        made.kind = word == "send" ? operation_kind::send : operation_kind::receive;
        message(made, word == "recv");
    } else if (word == "calc") {
        made.kind = operation_kind::calc;
        made.length = expect_number("a time", 0, most_time);
        attributes(made, false);
    } else if (std::ranges::find(portals, word) != std::end(portals)) {
        fail_at(place(word_at), "unknown operation '" + std::string(word) + "', one of LogGOPSim2 for Portals",
                "known: send, recv, calc");
    } else {
        const std::string known[] = {"send", "recv", "calc"};
        const std::string near = topology::propose_name(word, known);
        fail_at(place(word_at), "unknown operation " + excerpt(word),
                near.empty() ? "known: send, recv, calc" : near + " Known: send, recv, calc");
    }
    made_->add(rank_, made);
}

void reader::message(operation& made, bool receives) {
    made.length = expect_number("a number of bytes", 0, most_bytes);
    skip_blanks();
    const std::size_t unit_at = at_;
    if (broken_ || take_word() != "b") {
        at_ = unit_at;
        fail_expected("'b' behind the number of bytes");
    }
    expect_word(receives ? "from" : "to");
    skip_blanks();
    if (!broken_ && text_.substr(at_, 2) == "-1") {
        if (!receives) fail_at(position(), "-1 stands for any rank, which only recv can wait for");
        made.any_source = true;
        at_ += 2;
    } else {
        made.peer = expect_peer();
    }
    attributes(made, true);
}

void reader::attributes(operation& made, bool message) {
    static const std::string known[] = {"tag", "cpu", "nic"};
    std::size_t least = message ? 0 : 1;  // attributes come in their order
    const std::size_t end = message ? 3 : 2;
    for (skip_blanks(); !line_ended(); skip_blanks()) {
        const std::size_t begin = at_;
        const std::string_view word = take_word();
        const auto which = static_cast<std::size_t>(std::ranges::find(known, word) - std::begin(known));
        if (which == std::size(known) || which >= end || (which == 0 && !message)) {
            at_ = begin;
            fail_expected(message ? "tag, cpu, nic or the end of the line" : "cpu or the end of the line",
                          word.empty() ? "" : topology::propose_name(word, std::span(known).first(end)));
        }
        if (which < least)
            fail_at(place(begin), "'" + std::string(word) + "' comes too late, or twice",
                    "attributes are tag, cpu, nic, in this order");
        least = which + 1;
        if (which == 0) {
            skip_blanks();
            if (!broken_ && text_.substr(at_, 2) == "-1") {
                if (made.kind == operation_kind::send)
                    fail_at(position(), "-1 stands for any tag, which only recv can wait for");
                made.any_tag = true;
                at_ += 2;
            } else {
                made.tag = static_cast<std::uint32_t>(expect_number("a tag", 0, most_tag));
            }
        } else if (which == 1) {
            made.cpu = static_cast<std::uint8_t>(expect_number("a cpu", 0, 255));
        } else {
            made.channel = static_cast<std::uint8_t>(expect_number("a nic", 0, 255));
            if (nic_ == 0) nic_at_ = place(begin);
            nic_ = std::max<unsigned>(nic_, made.channel);
        }
    }
}

void reader::dependency(std::string_view waiting, std::size_t waiting_at, bool on_start) {
    wait made{waiting, {}, place(waiting_at), {}, on_start};
    skip_blanks();
    made.on_at = position();
    if (!broken_) made.on = take_word();
    if (made.on.empty()) fail_expected("a label");
    waits_.push_back(made);
}

void reader::end_statement() {
    skip_blanks();
    if (!line_ended())
        fail_at(position(), "unexpected " + excerpt(text_.substr(at_, text_.find('\n', at_) - at_)),
                "a statement ends with its line");
}

std::uint32_t reader::find(std::string_view label, text_position at) const {
    const auto known = labels_.find(label);
    if (known != labels_.end()) return known->second.operation;
    std::vector<std::string> names;
    for (const auto& [one, ignored] : labels_)
        if (names.size() < most_proposed_from) names.emplace_back(one);
    std::ranges::sort(names);
    fail_at(at, "rank " + std::to_string(rank_) + " has no label " + excerpt(label),
            topology::propose_name(label, names));
}

void reader::resolve() {
    for (const wait& one : waits_)
        made_->depend(rank_, find(one.waiting, one.waiting_at), find(one.on, one.on_at), one.on_start);
    const std::vector<std::uint32_t> cycle = made_->close(rank_);
    if (cycle.empty()) return;
    const auto name = [&](std::uint32_t operation) {
        const auto has = std::ranges::find(labels_, operation, [](const auto& one) { return one.second.operation; });
        return "'" + std::string(has->first) + "' (line " + std::to_string(has->second.line) + ")";
    };
    std::string text = "rank " + std::to_string(rank_) + " has a cycle of dependencies: " + name(cycle.front());
    for (std::size_t i = 1; i < cycle.size(); ++i) text += " waits for " + name(cycle[i]) + ", which";
    const auto closing = std::ranges::find_if(waits_, [&](const wait& one) {
        return labels_.at(one.waiting).operation == cycle.back() && labels_.at(one.on).operation == cycle.front();
    });
    fail_at(closing->waiting_at, text + " waits for " + name(cycle.front()));
}

}  // namespace

program read_goal_text(const std::string& name, std::string_view text, const read_options& options,
                       const std::function<void(std::size_t)>& release) {
    return reader(name, text, options, release).read();
}

}  // namespace polycast::hw::programs
