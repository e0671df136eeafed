// SPDX-License-Identifier: Apache-2.0
/// \file A file as it lies on the disk: programs have gigabytes, and are read once from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace polycast::hw::programs {

/// The bytes of a file, mapped; those of a pipe, which cannot be mapped, are read. Nobody may shorten the file
/// meanwhile: the system ends a program that reads what is not there any more.
class mapped_file {
public:
    enum class after_that : std::uint8_t { nothing, read };

    /// \param wanted `read`: the file stays open, for read() \throws input_error if it cannot be read, or is a
    /// directory
    explicit mapped_file(const std::string& path, after_that wanted = after_that::nothing);
    ~mapped_file();
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    std::string_view bytes() const { return bytes_; }

    /// The bytes before `end` are not needed any more: their memory is given back. Reading them again is possible.
    void release(std::size_t end);

    /// What lies in the file now, whatever has become of it, and of its name, since it was mapped.
    /// \returns how many bytes there are from `begin` on, at most as many as `into` has
    std::size_t read(std::size_t begin, std::span<char> into) const;

private:
    std::string_view bytes_;
    std::string read_;  ///< where it could not be mapped
    void* mapped_ = nullptr;
    int descriptor_ = -1;  ///< where it stays open
    std::size_t released_ = 0;
};

}  // namespace polycast::hw::programs
