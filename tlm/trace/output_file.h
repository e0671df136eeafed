// SPDX-License-Identifier: Apache-2.0
/// \file Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace polycast::tlm::trace {

/// The name under which a file is written until it is complete. The destructor removes it unless commit() was called.
/// What is no regular file, a device or a pipe, is written to and neither replaced nor removed.
class partial_file {
public:
    explicit partial_file(std::filesystem::path file);
    ~partial_file();
    partial_file(const partial_file&) = delete;
    partial_file& operator=(const partial_file&) = delete;

    /// The name to write to.
    const std::filesystem::path& path() const { return partial_; }

    /// Gives the complete file its name. \throws hw::input_error when that fails.
    void commit();

    /// \throws hw::input_error that says that the file cannot be written, with the reason in `error_number` (errno; 0 =
    /// unknown).
    [[noreturn]] void fail(int error_number) const;

private:
    std::filesystem::path file_;
    std::filesystem::path partial_;
    bool committed_ = false;
    bool in_place_ = false;
};

/// A text file, written through a buffer. Every call may throw hw::input_error when the file cannot be written.
class text_file {
public:
    explicit text_file(std::filesystem::path file);
    ~text_file();
    text_file(const text_file&) = delete;
    text_file& operator=(const text_file&) = delete;

    void append(std::string_view text) {
        buffer_.append(text);
        if (buffer_.size() >= buffer_limit) flush();
    }

    /// Completes the file and gives it its name.
    void commit();

private:
    static constexpr std::size_t buffer_limit = 1 << 18;

    void flush();

    partial_file file_;
    std::string buffer_;
    int descriptor_ = -1;
};

}  // namespace polycast::tlm::trace
