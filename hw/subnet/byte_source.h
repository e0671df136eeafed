// SPDX-License-Identifier: Apache-2.0
/// \file Where the bytes of a dump come from, piece by piece: files of any size, packed by gzip or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace polycast::hw::subnet {

inline constexpr std::uint64_t max_unpacked_bytes = std::uint64_t{1} << 30;  ///< of a file packed by gzip

/// Bytes in their order.
class byte_source {
public:
    virtual ~byte_source() = default;

    /// Fills `to` from its beginning. \returns the number of bytes, smaller than `to` at the end only
    /// \throws input_error if they cannot be read
    virtual std::size_t read(std::span<char> to) = 0;

    /// Reads what is left, if only the end shows that something is wrong with what came before. \throws input_error
    virtual void check_rest() {}
};

/// A file. \throws input_error if it cannot be read, or is a directory
std::unique_ptr<byte_source> open_file(const std::string& path);

/// Bytes in memory, which must outlive the source.
std::unique_ptr<byte_source> bytes_in_memory(std::string_view bytes);

/// How a file that is packed by gzip begins.
inline constexpr std::string_view gzip_mark = "\x1f\x8b";

/// The bytes of `from`; if they begin with `gzip_mark`, what is packed in them. Several packed parts are one text, and
/// zeros behind them do not count. \param name of the file, for messages
/// \param most bytes that may be packed in it; without gzip there is no limit
std::unique_ptr<byte_source> unpacked(std::unique_ptr<byte_source> from, const std::string& name,
                                      std::uint64_t most = max_unpacked_bytes);

}  // namespace polycast::hw::subnet
