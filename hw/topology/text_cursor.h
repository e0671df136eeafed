// SPDX-License-Identifier: Apache-2.0
/// \file Reads a text file line by line, and reports the place of every mistake.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw/input_error.h"

namespace polycast::hw::topology {

/// Walks over the lines of a text, and over one line from left to right. Columns count bytes from 1.
class text_cursor {
public:
    text_cursor(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

    /// Goes to the next line. \returns false at the end of the text
    bool next_line() {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        enter_line(rest_.substr(0, end));
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        return true;
    }

    /// Goes to a line that does not come from the text, but from whoever reads it piece by piece.
    void enter_line(std::string_view line) {
        line_ = line;
        if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
        ++number_;
        place_ = 0;
    }

    std::string_view line() const { return line_; }
    std::string_view left() const { return line_.substr(place_); }
    bool at_end() const { return place_ == line_.size(); }
    char peek() const { return at_end() ? '\0' : line_[place_]; }

    text_position position() const { return {number_, static_cast<unsigned>(place_ + 1)}; }

    void skip_blanks() {
        while (!at_end() && (peek() == ' ' || peek() == '\t')) ++place_;
    }

    void advance(std::size_t bytes) { place_ += bytes; }

    /// Takes `expected` if it comes next.
    bool take(std::string_view expected) {
        if (!left().starts_with(expected)) return false;
        place_ += expected.size();
        return true;
    }

    /// Takes everything up to the next character of `ends`.
    std::string_view take_until(std::string_view ends) {
        const std::string_view found = left().substr(0, left().find_first_of(ends));
        place_ += found.size();
        return found;
    }

    /// Takes a number without sign; nothing when there is none or it does not fit.
    template <typename number>
    std::optional<number> take_number(int base = 10) {
        number value = 0;
        const char* begin = left().data();
        const auto [end, error] = std::from_chars(begin, begin + left().size(), value, base);
        if (error != std::errc{}) return std::nullopt;
        place_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    [[noreturn]] void fail(const std::string& message, const std::string& proposal = {}) const {
        fail_at(position(), message, proposal);
    }

    [[noreturn]] void fail_at(text_position place, const std::string& message, const std::string& proposal = {}) const {
        throw input_error(file_, place, message, proposal);
    }

    const std::string& file() const { return file_; }

private:
    std::string file_;
    std::string_view rest_, line_;
    unsigned number_ = 0;
    std::size_t place_ = 0;
};

/// The beginning of a text from a file, fit for a message: no control characters, not too long.
inline std::string excerpt(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string shown(text.substr(0, longest));
    for (char& letter : shown)
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
    return "'" + shown + (text.size() > longest ? "...'" : "'");
}

}  // namespace polycast::hw::topology
