// SPDX-License-Identifier: Apache-2.0
/// \file The bytes of a file, kept in memory: what is long is packed, since dumps shrink to a tenth or less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hw/subnet/byte_source.h"

namespace polycast::hw::subnet {

class kept_bytes {
public:
    /// Reads `from` to its end. More than `most_plain` bytes are packed, unless they are already.
    /// \throws input_error as `from` does
    explicit kept_bytes(byte_source& from, std::size_t most_plain = std::size_t{4} << 20);

    /// The bytes as they were read, from the beginning. The source must not outlive the object.
    std::unique_ptr<byte_source> source() const;

    /// Stands for the bytes, whether they are packed here or not.
    std::uint64_t hash() const { return hash_; }
    /// That it takes.
    std::size_t memory_bytes() const { return bytes_.capacity(); }

private:
    std::string bytes_;
    bool packed_ = false;  ///< by this object
    std::uint64_t hash_ = 0;
};

}  // namespace polycast::hw::subnet
