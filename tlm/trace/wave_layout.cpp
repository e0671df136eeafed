// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_layout.h"

#include <cctype>

namespace polycast::tlm::trace {

std::string wave_name(const std::string& name) {
    std::string text = name.empty() ? "_" : name;
    for (char& letter : text) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-') letter = '_';
    }
    return text;
}

}  // namespace polycast::tlm::trace
