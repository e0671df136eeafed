// SPDX-License-Identifier: Apache-2.0
/// \file Lines of a dump, read piece by piece: forwarding tables of large fabrics have hundreds of megabytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hw/subnet/byte_source.h"
#include "hw/topology/text_cursor.h"
#include "hw/topology/text_file.h"

namespace polycast::hw::subnet {

inline constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

inline constexpr unsigned max_lid = 0xBFFF;
inline constexpr unsigned min_mlid = 0xC000, max_mlid = 0xFFFE;
inline constexpr unsigned max_port = 254;  ///< as far as InfiniBand's files can tell

/// What a file may have, in bytes; its size is not limited.
struct reading_limits {
    std::size_t line = max_line_bytes;
    std::uint64_t unpacked = max_unpacked_bytes;   ///< of a file packed by gzip
    std::size_t whole = topology::max_text_bytes;  ///< of a text that is read whole
};

/// Walks over the lines of a file, and over one line from left to right. Files that are packed by gzip are unpacked.
/// All functions that expect something throw input_error with file, line and column where it is not there.
class line_reader : public topology::text_cursor {
public:
    /// A file. \throws input_error if it cannot be read, or is a directory
    explicit line_reader(const std::string& path, const reading_limits& limits = {});
    /// The bytes of a file that is called `name`. \throws input_error if they cannot be read
    line_reader(const std::string& name, std::unique_ptr<byte_source> bytes, const reading_limits& limits = {});
    /// A text from memory, which must outlive the reader and is not unpacked; `name` stands for the file in messages.
    line_reader(const std::string& name, std::string_view text);

    /// The beginning of the text, up to 64 KiB, before the first line is read.
    std::string_view head() const { return window_.substr(0, std::size_t{1} << 16); }

    /// The whole text, before the first line is read. \throws input_error for more than topology files may have
    std::string whole();

    /// Where something is wrong with a line: whether that is because the file is damaged, which only its end may show.
    /// \throws input_error if so
    void check_rest();

    /// Goes to the next line. \returns false at the end of the text
    bool next_line();

    /// Skips blanks; the line must end there.
    void expect_end();
    /// Skips blanks, then `text` must come.
    void expect(std::string_view text);
    /// Skips blanks; one of the InfiniBand numbers below must come. `what` names it in messages.
    unsigned expect_decimal(const char* what, unsigned least, unsigned most);
    unsigned expect_hexadecimal(const char* what, unsigned least, unsigned most, bool prefix = true);
    /// 1 to 16 digits, never 0
    std::uint64_t expect_guid(bool prefix = true);
    unsigned expect_lid() { return expect_hexadecimal("LID", 1, max_lid); }
    unsigned expect_mlid() { return expect_hexadecimal("MLID", min_mlid, max_mlid); }

private:
    bool fill();
    unsigned in_range(const char* what, unsigned value, unsigned least, unsigned most, int base, text_position at);

    reading_limits limits_;
    std::string buffer_;
    std::unique_ptr<byte_source> from_;  ///< nothing where the text is all in memory, or has ended
    std::string_view window_;            ///< what is read and not yet taken
};

}  // namespace polycast::hw::subnet
