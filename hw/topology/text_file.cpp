// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/text_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "hw/input_error.h"

namespace polycast::hw::topology {

std::string read_text_file(const std::string& path, const std::string& what, std::size_t most) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw input_error(path, {}, "this is a directory, not a " + what);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw input_error(path, {}, std::string("cannot be read: ") + std::strerror(errno));
    std::string text;
    std::array<char, 65536> block{};
    while (file.read(block.data(), block.size()), file.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most)
            throw input_error(path, {}, "a " + what + " of more than " + std::to_string(most >> 20) + " MiB");
    }
    if (file.bad()) throw input_error(path, {}, std::string("cannot be read: ") + std::strerror(errno));
    return text;
}

}  // namespace polycast::hw::topology
