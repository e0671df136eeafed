// SPDX-License-Identifier: Apache-2.0
/// \file Values as bytes for another process of the same build.
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>
#include <string>

namespace polycast::hw::engine {

template <typename... values>
std::string packed(const values&... all) {
    std::ostringstream bytes;
    cereal::BinaryOutputArchive archive(bytes);
    archive(all...);
    return bytes.str();
}

template <typename... values>
void unpack(const std::string& bytes, values&... all) {
    std::istringstream from(bytes);
    cereal::BinaryInputArchive archive(from);
    archive(all...);
}

template <typename value>
value unpacked(const std::string& bytes) {
    value made;
    unpack(bytes, made);
    return made;
}

}  // namespace polycast::hw::engine
