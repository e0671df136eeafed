// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/line_reader.h"

#include <array>
#include <charconv>
#include <cstring>

namespace polycast::hw::subnet {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

std::string number_text(unsigned value, int base) {
    if (base == 10) return std::to_string(value);
    std::array<char, 16> text{'0', 'x'};
    const char* end = std::to_chars(text.data() + 2, text.data() + text.size(), value, 16).ptr;
    return std::string(static_cast<const char*>(text.data()), end);
}

bool is_hexadecimal(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}

}  // namespace

line_reader::line_reader(const std::string& path, const reading_limits& limits)
    : line_reader(path, open_file(path), limits) {}

line_reader::line_reader(const std::string& name, std::unique_ptr<byte_source> bytes, const reading_limits& limits)
    : text_cursor(name, {}), limits_(limits), from_(unpacked(std::move(bytes), name, limits.unpacked)) {
    fill();
}

line_reader::line_reader(const std::string& name, std::string_view text) : text_cursor(name, {}), window_(text) {}

bool line_reader::fill() {
    if (from_ == nullptr) return false;
    const std::size_t kept = window_.size();
    if (kept != 0 && window_.data() != buffer_.data()) std::memmove(buffer_.data(), window_.data(), kept);
    if (buffer_.size() < kept + block_bytes) buffer_.resize(kept + block_bytes);
    const std::size_t got = from_->read({buffer_.data() + kept, block_bytes});
    if (got < block_bytes) from_.reset();
    window_ = std::string_view(buffer_).substr(0, kept + got);
    return got != 0;
}

void line_reader::check_rest() {
    if (from_ != nullptr) from_->check_rest();
}

std::string line_reader::whole() {
    do {
        if (window_.size() > limits_.whole)
            throw input_error(file(), {},
                              "a topology file of more than " + std::to_string(limits_.whole >> 20) + " MiB");
    } while (fill());
    const std::string text(window_);
    window_ = {};
    return text;
}

bool line_reader::next_line() {
    std::size_t end = window_.find('\n');
    while (end == std::string_view::npos && window_.size() <= limits_.line) {
        const std::size_t searched = window_.size();
        if (!fill()) break;
        end = window_.find('\n', searched);
    }
    if (window_.empty()) return false;
    const std::string_view line = window_.substr(0, end);
    enter_line(line.size() > limits_.line ? std::string_view{} : line);
    if (line.size() > limits_.line)
        fail("a line of more than " + std::to_string(limits_.line >> 20) + " MiB", "is this a text file?");
    window_.remove_prefix(end == std::string_view::npos ? window_.size() : end + 1);
    return true;
}

void line_reader::expect_end() {
    skip_blanks();
    if (!at_end()) fail("unexpected " + topology::excerpt(left()) + " at the end of the line");
}

void line_reader::expect(std::string_view text) {
    skip_blanks();
    if (!take(text))
        fail("expected '" + std::string(text) + "', found " +
             (at_end() ? "the end of the line" : topology::excerpt(left())));
}

unsigned line_reader::in_range(const char* what, unsigned value, unsigned least, unsigned most, int base,
                               text_position at) {
    if (value < least || value > most)
        fail_at(at, std::string(what) + " " + number_text(value, base) + " is out of range",
                "it is " + number_text(least, base) + " to " + number_text(most, base));
    return value;
}

unsigned line_reader::expect_decimal(const char* what, unsigned least, unsigned most) {
    skip_blanks();
    const text_position at = position();
    const auto value = take_number<unsigned>();
    if (!value) fail_at(at, std::string("expected a decimal number, the ") + what, "is the line cut short?");
    return in_range(what, *value, least, most, 10, at);
}

unsigned line_reader::expect_hexadecimal(const char* what, unsigned least, unsigned most, bool prefix) {
    skip_blanks();
    const text_position at = position();
    const bool begun = !prefix || take("0x") || take("0X");
    const auto value = begun ? take_number<unsigned>(16) : std::nullopt;
    if (!value)
        fail_at(at, std::string("expected a hexadecimal number") + (prefix ? " like 0x1f" : "") + ", the " + what,
                "is the line cut short?");
    return in_range(what, *value, least, most, 16, at);
}

std::uint64_t line_reader::expect_guid(bool prefix) {
    skip_blanks();
    const text_position at = position();
    if (prefix && !take("0x") && !take("0X")) fail_at(at, "expected a GUID like 0x200005");
    std::size_t digits = 0;
    while (digits < left().size() && is_hexadecimal(left()[digits])) ++digits;
    if (digits < 1 || digits > 16) fail_at(at, "a GUID has 1 to 16 hexadecimal digits", "is the line cut short?");
    const std::uint64_t guid = *take_number<std::uint64_t>(16);
    if (guid == 0) fail_at(at, "a GUID is never 0");
    return guid;
}

}  // namespace polycast::hw::subnet
