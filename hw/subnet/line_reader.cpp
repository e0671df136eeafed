// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/line_reader.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "hw/topology/text_file.h"

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

/// zlib reads what is not packed as it is.
struct line_reader::unpacker {
    gzFile file = nullptr;
    std::uint64_t bytes = 0;
    bool packed = false;
    bool ended = false;

    unpacker() = default;
    unpacker(const unpacker&) = delete;
    unpacker& operator=(const unpacker&) = delete;
    ~unpacker() {
        if (file != nullptr) ::gzclose(file);
    }
};

line_reader::line_reader(const std::string& path) : text_cursor(path, {}), from_(std::make_unique<unpacker>()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw input_error(path, {}, "this is a directory, not a file");
    errno = 0;
    from_->file = ::gzopen(path.c_str(), "rb");
    if (from_->file == nullptr)
        throw input_error(path, {}, std::string("cannot be read: ") + std::strerror(errno == 0 ? ENOMEM : errno));
    ::gzbuffer(from_->file, 1u << 17);
    fill();
    from_->packed = ::gzdirect(from_->file) == 0;
}

line_reader::line_reader(const std::string& name, std::string_view text) : text_cursor(name, {}), window_(text) {}

line_reader::~line_reader() = default;
line_reader::line_reader(line_reader&&) noexcept = default;
line_reader& line_reader::operator=(line_reader&&) noexcept = default;

bool line_reader::fill() {
    if (from_ == nullptr || from_->ended) return false;
    const std::size_t kept = window_.size();
    if (kept != 0 && window_.data() != buffer_.data()) std::memmove(buffer_.data(), window_.data(), kept);
    if (buffer_.size() < kept + block_bytes) buffer_.resize(kept + block_bytes);
    const int got = ::gzread(from_->file, buffer_.data() + kept, static_cast<unsigned>(block_bytes));
    int problem = Z_OK;
    const char* words = ::gzerror(from_->file, &problem);
    if (got < 0 || (problem != Z_OK && problem != Z_STREAM_END))
        throw input_error(file(), {},
                          std::string("cannot be read: ") + (problem == Z_ERRNO ? std::strerror(errno) : words),
                          problem == Z_BUF_ERROR ? "is the file cut short?" : "");
    from_->bytes += static_cast<std::uint64_t>(got);
    if (from_->packed && from_->bytes > max_unpacked_bytes)
        throw input_error(file(), {}, "has more than " + std::to_string(max_unpacked_bytes >> 20) + " MiB unpacked",
                          "unpack it, and give the parts");
    from_->ended = got == 0;
    window_ = std::string_view(buffer_).substr(0, kept + static_cast<std::size_t>(got));
    return got != 0;
}

std::string line_reader::whole() {
    while (fill())
        if (window_.size() > topology::max_text_bytes)
            throw input_error(
                file(), {}, "a topology file of more than " + std::to_string(topology::max_text_bytes >> 20) + " MiB");
    const std::string text(window_);
    window_ = {};
    return text;
}

bool line_reader::next_line() {
    std::size_t searched = 0;
    std::size_t end = window_.find('\n');
    while (end == std::string_view::npos) {
        searched = window_.size();
        if (searched > max_line_bytes) {
            enter_line({});
            fail("a line of more than " + std::to_string(max_line_bytes >> 20) + " MiB", "is this a text file?");
        }
        if (!fill()) break;
        end = window_.find('\n', searched);
    }
    if (window_.empty()) return false;
    enter_line(window_.substr(0, end));
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
