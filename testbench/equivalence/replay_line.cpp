// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/replay_line.h"

#include <algorithm>
#include <sstream>

#include "hw/input_error.h"

namespace polycast::testbench::equivalence {

replay_line::replay_line(const std::string& line) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        std::istringstream number(equals == std::string::npos ? std::string() : word.substr(equals + 1));
        std::uint64_t value = 0;
        if (!(number >> value) || !number.eof())
            throw hw::input_error("replay line: \"" + word + "\" is not name=number");
        values_[word.substr(0, equals)] = value;
    }
}

std::uint64_t replay_line::take(const std::string& name) {
    const auto found = values_.find(name);
    if (found == values_.end()) throw hw::input_error("replay line: " + name + " is missing");
    const std::uint64_t value = found->second;
    values_.erase(found);
    return value;
}

unsigned replay_line::take_small(const std::string& name) {
    return static_cast<unsigned>(std::min<std::uint64_t>(take(name), ~0u));
}

void replay_line::finish() const {
    if (!values_.empty()) throw hw::input_error("replay line: \"" + values_.begin()->first + "\" is not known");
}

}  // namespace polycast::testbench::equivalence
